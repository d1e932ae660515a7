"""Released records: intervals in words, nothing of the file's order, nothing exact of what is generalized."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.release import crosswalk_frame, groups_frame
from kanon_engine.tables.release import class_frame, intervals_frame, kept_columns, released_frame
from kanon_engine.tables.words import interval_words

QUASI = ["age", "town"]


def people(seed=3, rows=80):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {"age": rng.integers(20, 60, rows), "town": rng.choice(list("abcde"), rows), "pay": rng.integers(0, 9, rows)}
    )


def result(frame, k=5, limit=None):
    table = kanon.Table(frame, QUASI)
    return table, kanon.generalize(table, k, "hill-climb", suppression_limit=limit)


def test_rows_show_intervals_and_every_row_has_k_equals():
    table, g = result(people())
    frame = released_frame(table, g, kept_columns(table))
    assert len(frame) == (g.assignment >= 0).sum() == g.class_weights.sum()
    assert frame.groupby(QUASI).size().min() >= 5
    assert frame.groupby(QUASI).ngroups == g.classes
    words = {interval_words(part, len(g.details.intervals["age"]) == 1) for part in g.details.intervals["age"]}
    assert set(frame["age"]) <= words
    kept = people()["pay"][g.assignment >= 0]
    assert sorted(frame["pay"]) == sorted(kept)
    assert list(released_frame(table, g).columns) == QUASI


def test_the_order_of_the_file_leaves_no_trace():
    frame = people()
    table, g = result(frame)
    order = np.random.default_rng(1).permutation(len(frame))
    shuffled = kanon.Table(frame.iloc[order], QUASI)
    other = replace(g, assignment=g.assignment[order], instance_digest=shuffled.digest).sealed()
    kanon.verify(shuffled, other)
    pd.testing.assert_frame_equal(released_frame(table, g, ["pay"]), released_frame(shuffled, other, ["pay"]))


def test_who_is_left_out_is_not_in_it():
    frame = pd.concat([people(rows=60), pd.DataFrame({"age": [99], "town": ["z"], "pay": [77]})])
    table, g = result(frame, 5, 1)
    lost = int((g.assignment < 0).sum())
    out = released_frame(table, g, ["pay"])
    assert len(out) == 61 - lost
    crosswalk = crosswalk_frame(table, g)
    assert crosswalk["group"].isna().sum() == lost
    assert len(crosswalk) == 61
    assert groups_frame(table, g)["items"].sum() == 61 - lost


@pytest.mark.parametrize("algorithm", ["hill-climb", "cell-suppression"])
@pytest.mark.parametrize("keep", [["age"], ["pay", "town"]])
def test_a_quasi_identifier_is_never_kept_as_it_is(algorithm, keep):
    table = kanon.Table(people(), QUASI)
    g = kanon.generalize(table, 5, algorithm)
    with pytest.raises(kanon.InvalidInput, match=f"'{keep[-1]}' is a quasi-identifier"):
        released_frame(table, g, keep)


def test_groups_and_intervals_add_up():
    table, g = result(people())
    groups = class_frame(table, g)
    assert groups["records"].tolist() == g.class_weights.tolist()
    assert groups[QUASI].drop_duplicates().shape[0] == g.classes
    frame = released_frame(table, g)
    counted = frame.value_counts(QUASI).to_dict()
    assert {tuple(row[2:]): row[0] for row in groups[["records", "group", *QUASI]].values.tolist()} == counted
    parts = intervals_frame(table, g)
    for column in QUASI:
        rows = parts[parts["column"] == column]
        assert rows["records"].sum() == g.class_weights.sum()
        assert rows["interval"].tolist() == [
            interval_words(part, len(g.details.intervals[column]) == 1) for part in g.details.intervals[column]
        ]


@pytest.mark.parametrize(
    ("values", "whole", "words"),
    [
        ((1, 2, 9), False, "1–9"),
        ((-3, 2), False, "−3 to 2"),
        ((1.5, 2.25), False, "1.5–2.25"),
        ((None,), False, "missing"),
        ((7, None), False, "7 or missing"),
        (("a", "b", "c"), False, "a, b or c"),
        (("a", "b", "c", None), False, "a … missing (4 values)"),
        ((5,), True, "5"),
        (("17–21", "22–26", None), False, "17–26 or missing"),
        ((None, "17–21", "22–26"), True, "any"),
    ],
)
def test_intervals_in_words(values, whole, words):
    assert interval_words(values, whole) == words
