"""Released records: intervals in words, nothing of the file's order, nothing exact of what is generalized."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.release import crosswalk_frame, groups_frame
from kanon_engine.tables.release import class_frame, intervals_frame, released_frame
from kanon_engine.tables.words import column_words, interval_words, rare_values

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
    frame = released_frame(table, g, ["pay"])
    assert len(frame) == (g.assignment >= 0).sum() == g.class_weights.sum()
    assert frame.groupby(QUASI).size().min() >= 5
    assert frame.groupby(QUASI).ngroups == g.classes
    words = set(column_words(table, "age", g.details.intervals["age"]))
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
        assert rows["interval"].tolist() == column_words(table, column, g.details.intervals[column])


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


def ends_of(words):
    return [float(found.replace("−", "-")) for found in re.findall(r"−?\d+(?:\.\d+)?", words)]


@pytest.mark.parametrize("seed", range(40))
def test_no_interval_of_numbers_ends_at_a_value_of_one_record(seed):
    rng = np.random.default_rng(seed)
    whole = seed % 2 == 0
    ages = rng.integers(-5, 60, 70) if whole else rng.normal(0, 3, 70).round(rng.integers(1, 4))
    ages = np.concatenate([ages, [117, 203] if whole else [98.125, 117.25]])
    table = kanon.Table(pd.DataFrame({"age": ages}), ["age"])
    domain = list(table.domains[0])
    cuts = sorted(rng.choice(np.arange(1, len(domain)), int(rng.integers(1, 12)), replace=False).tolist())
    parts = [domain[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(domain)], strict=True)]
    words = column_words(table, "age", parts)
    assert len(set(words)) == len(words)
    rare = {value for value in domain if (ages == value).sum() == 1}
    for part, text in zip(parts, words, strict=True):
        assert not rare & set(ends_of(text)), (part, text)
        assert all(inside(value, text) for value in part), (part, text)
        others = [value for value in domain if value not in part]
        assert not any(inside(value, text) for value in others), (part, text)


def inside(value, text):
    """Whether a number lies in an interval in words, as somebody who reads it would say."""
    ends = ends_of(text)
    if text.startswith("≤"):
        return value <= ends[0]
    if text.startswith("≥"):
        return value >= ends[0]
    if text.startswith("under"):
        return value < ends[0]
    if " to under " in text:
        return ends[0] <= value < ends[1]
    return ends[0] <= value <= ends[-1]


def test_an_outlier_is_not_the_end_of_an_interval():
    ages = [21, 25, 25, 30, 38, 39, 39, 44, 52, 117]
    table = kanon.Table(pd.DataFrame({"age": ages}), ["age"])
    g = kanon.generalize(table, 4, "k-optimize", suppression_limit=0)
    shown = set(released_frame(table, g)["age"])
    assert len(shown) == 2
    assert not any("117" in words or "21" in words for words in shown), shown
    given = kanon.Table(pd.DataFrame({"age": ages}), ["age"], orders={"age": list(range(130))})
    words = set(released_frame(given, kanon.generalize(given, 4, "k-optimize", suppression_limit=0))["age"])
    assert any(word.endswith("–129") for word in words)  # the limits of a domain that a person gave


def test_missing_numbers_and_left_out_outliers_are_told_without_them():
    table = kanon.Table(pd.DataFrame({"age": [1, 1, 2, 2, 9, None]}), ["age"])
    assert column_words(table, "age", [[1, 2], [9, None]]) == ["≤ 4", "≥ 5 or missing"]
    assert column_words(table, "age", [[1, 2], [9], [None]]) == ["≤ 4", "≥ 5", "missing"]
    assert column_words(table, "age", [[1, 2, 9], [None]]) == ["not missing", "missing"]


def test_named_values_of_one_record_are_counted():
    towns = ["a"] * 3 + ["b"] + ["c"] * 3 + ["d"] * 2 + ["e"]
    frame = pd.DataFrame({"town": towns})
    table = kanon.Table(frame, ["town"])
    g = kanon.generalize(table, 4, "k-optimize", suppression_limit=0)
    assert rare_values(table, g) == {"town": 2}
    given = kanon.Table(frame, ["town"], orders={"town": list("abcde")})
    assert rare_values(given, kanon.generalize(given, 4, "k-optimize", suppression_limit=0)) == {}
