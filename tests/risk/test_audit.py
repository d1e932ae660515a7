"""The audit of released records, whatever family they come from."""

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.release.audit import audit_released
from kanon_engine.release.made import released_of
from kanon_engine.release.released import Released
from kanon_engine.risk.diversity import diversity

NOON = datetime(2020, 1, 2, 12, tzinfo=UTC)


def people(rng, rows):
    frame = pd.DataFrame({"age": rng.integers(20, 40, rows), "town": rng.choice(list("abc"), rows)})
    frame["illness"] = rng.choice(["flu", "cold", None], rows)
    return frame.assign(pay=rng.integers(0, 6, rows), region=rng.choice(["06604", "06605", "06606"], rows))


@pytest.mark.parametrize("number", range(6))
def test_of_a_table_it_is_the_tables_own(number):
    frame = people(np.random.default_rng(number), 40)
    table = kanon.Table(frame, ["age", "town"])
    g = kanon.generalize(table, 3, "cell-suppression" if number % 2 else "hill-climb")
    keep = ["illness", "pay"]
    own = kanon.audit(table, g, keep, ["illness"])
    found = audit_released(released_of(table, g, keep, ["illness"]), frame)
    assert found.figures() == own.figures()
    assert found.digest == own.digest


def regions():
    return kanon.Regions(["06604", "06605", "06606"], [30, 20, 9], [(0, 1), (1, 2)], unit="people")


def test_own_records_with_groups_of_areas():
    frame = people(np.random.default_rng(0), 60)
    own = kanon.apply(
        regions(),
        kanon.generalize(regions(), 20),
        frame,
        "region",
        quasi_identifiers=["age"],
        sensitive=["illness"],
        k=5,
    )
    found = audit_released(own.released, frame)
    assert found.k_reached == own.below.smallest
    below = next(one for one in found.findings if one.kind == "below k")
    assert (below.severity, below.records) == ("serious", own.below.records)
    assert [one.column for one in found.sensitive] == ["illness"]
    assert found.records == len(own.frame)


def test_a_range_that_ends_at_somebodys_value_is_found_with_the_originals_alone():
    original = pd.DataFrame({"age": [17, 18, 30, 45], "illness": list("xyxy")})
    shown = pd.DataFrame({"age": ["17–18", "17–18", "≥ 30", "≥ 30"], "illness": list("xyxy")})
    release = Released(shown, ("age",), ("illness",), k=2)
    assert "extremes" in {one.kind for one in audit_released(release, original).findings}
    assert "extremes" not in {one.kind for one in audit_released(release).findings}


def test_clusters_with_a_kept_column_are_looked_at_record_by_record():
    rng = np.random.default_rng(0)
    ill = pd.DataFrame({"ill": rng.choice(["flu", "cold"], 60)})
    space = kanon.MetricSpace(rng.integers(0, 9, (60, 2)), counts=rng.integers(1, 4, 60), frame=ill)
    release = released_of(space, kanon.generalize(space, 5, "gather"), keep=["ill"], sensitive=["ill"])
    found = audit_released(release)
    assert (found.records, found.k_reached) == (space.total, int(release.sizes.min()))
    assert found.sensitive[0].l == diversity(release, "ill").l
    assert found.sensitive[0].t == pytest.approx(diversity(release, "ill").t, abs=1e-6)


def test_what_has_no_records_has_no_audit():
    groups = released_of(regions(), kanon.generalize(regions(), 20))
    with pytest.raises(kanon.InvalidInput, match="this release has only groups"):
        audit_released(groups)
    with pytest.raises(kanon.InvalidInput, match="has no records"):
        audit_released(Released(pd.DataFrame({"age": []}), ("age",)))
    with pytest.raises(kanon.InvalidInput, match="has no quasi-identifier"):
        audit_released(Released(pd.DataFrame({"age": [1]}), ()))


def test_a_row_that_stands_for_any_number_of_records_is_looked_at():
    shown = pd.DataFrame({"group": [1, 1, 2, 2], "illness": list("abab"), "people": [3_000_000_000, 1, 7, 0]})
    found = audit_released(Released(shown, ("group",), ("illness",), k=5, counts="people"))
    assert (found.records, found.k_reached, found.k_together, found.alone) == (3_000_000_008, 7, 1, 1)
    assert (found.sensitive[0].l, found.sensitive[0].constant_records) == (1, 7)


@pytest.mark.parametrize(
    ("kept", "kinds"),
    [
        (pd.Series(pd.Categorical([1, 2, 3, 4])), ["single values"]),  # numbers, which may be incomes
        (pd.Series([2**53 + 1, 0.5, 1, 2], dtype=object), ["single values"]),
        (pd.Series(["a", "b", "c", "d"]), ["identifier"]),
        (pd.Series([NOON, *[NOON.astimezone(timezone(timedelta(hours=1)))] * 3], dtype=object), []),
        (pd.Series(["", None, "a", "a"], dtype=object), []),
    ],
)
def test_numbers_are_numbers_whatever_holds_them_and_what_a_file_shows_alike_is_one(kept, kinds):
    found = audit_released(Released(pd.DataFrame({"q": "x", "kept": kept}), ("q",), k=2))
    assert [one.kind for one in found.findings if one.kind in ("single values", "identifier")] == kinds
    assert found.alone == (4 if kinds else 0)


def test_one_and_yes_are_two_words_of_a_range_and_no_text_is_none():
    frame = pd.DataFrame({"q": pd.Series([1, True, "", None], dtype=object)})
    found = audit_released(Released(frame.assign(kept="x"), ("q",), k=1), frame.assign(kept="x"))
    assert [one.records for one in found.findings if one.kind == "extremes"] == [2]
