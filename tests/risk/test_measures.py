"""Figures of risk are those of their definitions, record by record."""

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.release.released import Released
from kanon_engine.risk.measures import measures, raw
from tests.compiled import thorough_only
from tests.oracles import risk as oracle
from tests.sentences import POPULATION_HAS, THERE_IS_NO_COLUMN, THRESHOLD_IS


def released(rng, counted):
    """Some rows, with counts of which some are 0, or without."""
    rows = int(rng.integers(1, 40))
    frame = pd.DataFrame({"age": rng.integers(0, 4, rows), "town": rng.choice(["a", "b", None], rows)})
    frame["ill"] = rng.choice(["flu", "cold", "gout"], rows)
    if counted:
        frame["people"] = rng.integers(0, 6, rows)
        frame.loc[0, "people"] = 2
    return Released(frame, ("age", "town"), ("ill",), k=2, counts="people" if counted else None)


def by_key(found):
    keys = [one.key for one in found]
    assert len(set(keys)) == len(keys)
    assert all(one.words and one.meaning and one.source and one.title for one in found)
    return {one.key: one for one in found}


@pytest.mark.parametrize("seed", [*range(10), *thorough_only(range(10, 300))])
@pytest.mark.parametrize("counted", [False, True])
def test_risks_are_those_of_brute_force(seed, counted):
    rng = np.random.default_rng([seed, counted])
    release = released(rng, counted)
    threshold = float(rng.choice([0.05, 0.2, 0.34, 1]))
    more = rng.integers(0, 5, len(release.sizes))
    found = by_key(measures(release, population_sizes=release.sizes + more, threshold=threshold))
    sizes = oracle.sizes(release.classes.tolist(), release.weights.tolist())
    n = sum(sizes.values())
    assert (found["records"].value, found["k-reached"].value) == (n, min(sizes.values()))
    assert found["average-class"].value == pytest.approx(n / len(sizes))
    kinds = ("highest", "average", "above")
    expected = oracle.prosecutor(sizes, threshold)
    assert [found[f"prosecutor-{kind}"].value for kind in kinds] == pytest.approx(expected)
    population = dict(enumerate((release.sizes + more).tolist()))
    expected = oracle.journalist(sizes, population, threshold)
    assert [found[f"journalist-{kind}"].value for kind in kinds] == pytest.approx(expected)
    assert found["marketer"].value == pytest.approx(expected[1])
    assert found["sample-uniques"].value == sum(size == 1 for size in sizes.values())
    rows = [tuple(row) for row in release.frame[["age", "town"]].astype(object).to_numpy().tolist()]
    rows = [(age, None if pd.isna(town) else town) for age, town in rows]
    assert found["minimal-uniques"].value == (None if counted else oracle.singled_out(rows))


def test_what_is_not_known_is_none_and_says_what_it_needs():
    release = released(np.random.default_rng(1), False)
    found = by_key(measures(release))
    for key in ("journalist-highest", "journalist-average", "journalist-above"):
        assert found[key].value is None
        assert "population" in found[key].words
    assert [found[f"population-uniques{kind}"].value for kind in ("", "-zayatz", "-pitman", "-snb")] == [None] * 4
    assert found["marketer"].value == found["prosecutor-average"].value
    assert "if the release were the whole population" in found["marketer"].words


def test_nothing_is_released():
    empty = Released(pd.DataFrame({"age": [], "ill": []}), ("age",), ("ill",))
    found = measures(empty, population=100, population_sizes=[])
    assert {one.value for one in found} == {None, 0}
    assert [one.key for one in found] == [one.key for one in measures(released(np.random.default_rng(0), False))]


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"population_sizes": [1]}, "There are 1 population sizes for 2 groups"),
        ({"population_sizes": [3, 1]}, "Group 2 has 2 records in the release and 1 people"),
        ({"population": 3}, f"{POPULATION_HAS} 3 people, fewer than the 4 in the release"),
        ({"threshold": 0}, f"{THRESHOLD_IS} 0"),
        ({"sampling_weights": [1, 2]}, "There are 2 sampling weights for 4 rows"),
        ({"sampling_weights": [1, 2, 3, 0.5]}, "A sampling weight is below 1"),
    ],
)
def test_what_cannot_be_is_refused(given, error):
    release = Released(pd.DataFrame({"age": [1, 1, 2, 2]}), ("age",))
    with pytest.raises(kanon.InvalidInput, match=error):
        measures(release, **given)


def families():
    frame = pd.DataFrame({"age": [20, 20, 30], "ill": ["flu", "cold", "flu"]})
    yield kanon.Table(frame, ["age"]), ("ill",), [2, 1]
    yield kanon.Points([(0, 0), (1, 0), (1, 0)], [2, 1, 4]), (), [2, 5]
    yield kanon.Labels("abc", [5, 4, 1]), (), [5, 4, 1]
    yield kanon.Regions(["a", "b", "c"], [3, 0, 2], [(0, 1), (1, 2)]), (), [3, 2]
    yield kanon.MetricSpace([(0, 0), (3, 4), (0, 0)], counts=[1, 2, 4], frame=frame), ("ill",), [5, 2]
    yield kanon.MetricSpace([[0, 0, 1], [0, 0, 1], [1, 1, 0]], "precomputed"), (), [2, 1]
    mixed = pd.DataFrame({"age": [1.0, None, None], "sex": ["f", "m", "m"]})
    yield kanon.MetricSpace(mixed, "gower"), (), [1, 2]


@pytest.mark.parametrize(("instance", "sensitive", "sizes"), [*families()])
def test_before_stand_the_records_as_they_are(instance, sensitive, sizes):
    before = raw(instance, sensitive=sensitive)
    assert before.sizes.tolist() == sizes
    assert before.records == int(instance.weights.sum())
    after = Released(
        pd.DataFrame({"group": [1, 1], **{name: ["flu", "flu"] for name in sensitive}}), ("group",), sensitive
    )
    keys = [one.key for one in measures(raw(instance, sensitive=sensitive), population=100)]
    assert keys == [one.key for one in measures(after, population=100)]


def test_a_column_that_is_called_as_ours_stays():
    frame = pd.DataFrame({"place": ["x", "y"], "count": [7, 7]})
    before = raw(kanon.MetricSpace([(0,), (1,)], counts=[2, 3], frame=frame), sensitive=("place", "count"))
    assert before.sizes.tolist() == [2, 3]
    assert before.frame[["place", "count"]].equals(frame)
    with pytest.raises(kanon.InvalidInput, match=f"{THERE_IS_NO_COLUMN} 'ill'"):
        raw(kanon.Labels("ab", [1, 1]), sensitive=("ill",))
    with pytest.raises(kanon.InvalidInput, match=f"{THERE_IS_NO_COLUMN} 'ill'"):
        raw(kanon.Table(frame, ["place"]), sensitive=("ill",))
