"""What classes tell of a sensitive column, by the definitions."""

from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.release.audit_figures import distances
from kanon_engine.release.released import Released
from kanon_engine.risk.diversity import class_diversity, diversity
from kanon_engine.risk.measures import measures
from tests.compiled import thorough_only
from tests.oracles import risk as oracle


def plain(values):
    return [None if pd.isna(value) else value for value in values.astype(object)]


@pytest.mark.parametrize("number", [*range(12), *thorough_only(range(12, 300))])
@pytest.mark.parametrize("counted", [False, True])
def test_figures_are_those_of_the_definitions(number, counted):
    rng = np.random.default_rng([number, counted])
    rows = int(rng.integers(1, 40))
    values = [["flu", "cold", None], [1, 2, 5, 9], [1.5, None, 7.0]][number % 3]
    frame = pd.DataFrame({"zip": rng.choice(["a", "b", None], rows), "ill": rng.choice(values, rows)})
    if number % 3 == 2:
        frame["ill"] = frame["ill"].astype(float)
    if counted:
        frame["people"] = rng.integers(0, 5, rows)
        frame.loc[0, "people"] = 3
    release = Released(frame, ("zip",), ("ill",), counts="people" if counted else None)
    numeric = pd.api.types.is_numeric_dtype(frame["ill"])
    groups, ill = release.classes.tolist(), plain(frame["ill"])
    expected = oracle.diversity(groups, ill, release.weights.tolist(), numeric)
    found = asdict(diversity(release, "ill"))
    assert found.pop("column") == "ill"
    assert found == pytest.approx(expected, abs=1e-9)
    by_class = class_diversity(release, "ill")
    assert by_class["records"].tolist() == release.sizes[by_class["class"]].tolist()
    for own in by_class.itertuples():
        mine = [value for group, value in zip(groups, ill, strict=True) if group == own._1]
        some = [weight for group, weight in zip(groups, release.weights.tolist(), strict=True) if group == own._1]
        alone = oracle.diversity([0] * len(mine), mine, some, numeric)
        assert (own.l, own.entropy_l, own.alpha) == pytest.approx((alone["l"], alone["entropy_l"], alone["alpha"]))
        assert sum(own.counts) == own.records


@pytest.mark.parametrize("number", range(8))
def test_distances_of_few_values_among_many_are_those_of_the_definition(number):
    rng = np.random.default_rng(number)
    groups, count = 7, int(rng.integers(2, 400))
    whole = np.zeros((groups, count))
    for row in whole:
        np.add.at(row, rng.integers(0, count, 5), 1)
    group, value = np.nonzero(whole)
    share, overall = (whole / 5)[group, value], whole.sum(axis=0) / whole.sum()
    apart = whole / 5 - overall
    earth = np.abs(np.cumsum(apart, axis=1)).sum(axis=1) / (count - 1)
    assert distances(group, value, share, overall, ordered=True) == pytest.approx(earth, abs=1e-12)
    assert distances(group, value, share, overall, ordered=False) == pytest.approx(np.abs(apart).sum(axis=1) / 2)


def test_closeness_is_the_papers():
    """Li, Li, Venkatasubramanian 2007, Table 5, which has 0.167-closeness by salary."""
    salary = [3, 5, 9, 6, 11, 8, 4, 7, 10]
    frame = pd.DataFrame({"zip": ["4767*"] * 3 + ["4790*"] * 3 + ["4760*"] * 3, "salary": salary})
    release = Released(frame, ("zip",), ("salary",))
    assert class_diversity(release, "salary")["t"].round(3).tolist() == [0.167, 0.167, 0.083]
    assert diversity(release, "salary").l == 3


def test_shares_can_be_compared_with_more_records_than_are_released():
    shown = pd.DataFrame({"zip": list("aabb"), "ill": ["flu", "cold", "flu", "cold"]})
    whole = pd.DataFrame({"ill": ["flu"] * 8 + ["cold"] * 2})
    release = Released(shown, ("zip",), ("ill",))
    assert diversity(release, "ill").t == 0
    found = diversity(release, "ill", whole)
    assert (found.t, found.beta) == pytest.approx((0.3, 1.5))
    assert {one.key: one for one in measures(release, whole=whole)}["t:ill"].value == pytest.approx(0.3)
    with pytest.raises(kanon.InvalidInput, match="shows a value of “ill” that does not occur in the records"):
        diversity(release, "ill", whole.head(3))
    with pytest.raises(kanon.InvalidInput, match="gout"):
        diversity(release, "gout")
    with pytest.raises(kanon.InvalidInput, match="no records"):
        diversity(Released(shown.head(0), ("zip",), ("ill",)), "ill")


def test_words_say_why_there_is_no_figure():
    frame = pd.DataFrame({"zip": list("aaaabbbb"), "ill": ["flu"] * 4 + ["flu", "cold", "cold", "gout"]})
    found = {one.key: one.words for one in measures(Released(frame, ("zip",), ("ill",)))}
    assert found["recursive-c:ill"] == "none: in some group, all records have the same value"
    assert (
        found["enhanced-beta:ill"]
        == "no β fits: a frequent value's share increases too much (by more than −ln of its share in all records)"
    )
    assert found["delta:ill"].endswith("; 1 group lacks a value, and no limit δ, however large, allows this")
