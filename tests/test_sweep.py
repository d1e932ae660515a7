from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.sweep import COLUMNS, row_of, served, table_of
from tests.regions.graphs import grid


@pytest.fixture
def regions():
    return kanon.Regions(range(5), [2, 3, 4, 3, 2], [(i, i + 1) for i in range(4)])


def test_columns_rows_and_infeasible_k(regions):
    table = kanon.sweep(regions, [3, 5, 100])
    assert list(table.columns) == list(COLUMNS)
    assert table["k"].tolist() == [3, 5, 100]
    assert table["status"].iloc[-1] == "infeasible"
    assert table.iloc[-1][["cost", "lower_bound", "overfull_ratio", "classes", "seconds"]].isna().all()
    for row in table.iloc[:-1].itertuples():
        assert row.cost == kanon.generalize(regions, row.k).cost
        assert row.overfull_ratio == row.cost / row.k


def test_labels_may_stand_for_options(regions):
    table = kanon.sweep(regions, [3], {"one": ("tree-split", {"tree": "low-degree"}), "two": ("tree-split", {})})
    assert table["algorithm"].tolist() == ["one", "two"]


def test_progress_can_stop_it_between_runs(regions):
    reports = []

    def listen(report):
        reports.append(report)
        return report.done < 2 / 3

    table = kanon.sweep(regions, [3, 4, 5], progress=listen)
    assert table["k"].tolist() == [3, 4]
    assert reports[-1].done == pytest.approx(2 / 3)
    assert all("k = 3" in report.message for report in reports if report.done < 1 / 3)


def test_progress_can_stop_it_within_a_run():
    regions = kanon.Regions(range(400), np.random.default_rng(5).integers(1, 50, 400), grid(20, 20))
    reports = []
    table = kanon.sweep(regions, [300, 400], progress=lambda report: reports.append(report) or report.done == 0)
    assert table["status"].tolist() == ["stopped"]
    assert table["cost"].tolist() == [reports[-1].best]
    assert 0 < reports[-1].done < 1 / 2


def test_bad_requests_are_refused_before_anything_runs(regions):
    with pytest.raises(kanon.UnknownAlgorithm):
        kanon.sweep(regions, [3], ["magic"])
    with pytest.raises(kanon.InvalidInput, match="k is 0"):
        kanon.sweep(regions, [3, 0])
    with pytest.raises(kanon.InvalidInput, match="list of names"):
        kanon.sweep(regions, [3], "tree-split")


def test_a_solution_for_a_larger_k_serves_every_smaller_one():
    path = Path(__file__).parents[1] / "sample_data" / "north_carolina.geojson"
    births = kanon.read_regions(path, weight="BIR74", id="FIPS")
    ks = [5_000, 15_000, 20_000, 40_000, 110_000, 150_000]
    results = {k: kanon.generalize(births, k, "tree-split") for k in ks}
    table = table_of([row_of("Tree split", k, g) for k, g in results.items()])
    curve = served(table.sample(frac=1, random_state=1))
    assert curve["k"].tolist() == ks
    assert curve["cost"].is_monotonic_increasing
    assert not table["cost"].is_monotonic_increasing  # so that something is served
    assert curve["lower_bound"].is_monotonic_increasing
    assert (curve["made_for"] > curve["k"]).tolist() == [False, True, False, False, True, False]
    for row, own in zip(curve.itertuples(), table.itertuples(), strict=True):
        g = results[row.made_for]
        assert g.class_weights.min() >= row.k
        assert (g.cost, g.classes, row.made_by) == (row.cost, row.classes, "Tree split")
        assert own.lower_bound <= row.lower_bound <= row.cost <= own.cost
        assert row.overfull_ratio == row.cost / row.k


def test_what_is_proven_for_a_larger_k_is_not_for_a_smaller_one(regions):
    g = kanon.generalize(regions, 6, "tree-split")
    less = replace(g, k=3, cost=20, lower_bound=9, status="stopped")
    assert (g.status, g.cost, g.lower_bound) == ("optimal", 14, 14)
    curve = served(table_of([row_of("Split", 3, less), row_of("Split", 6, g)]))
    assert curve[["cost", "lower_bound", "status"]].values.tolist() == [[14, 9, "feasible"], [14, 14, "optimal"]]


def test_with_barriers_the_best_possible_can_fall_when_k_grows():
    """The area of 8 can be a group of its own at k = 8 and must leave its county at k = 9."""
    regions = kanon.Regions(range(4), [9, 3, 6, 8], [(0, 1), (0, 2), (1, 3)], barriers=[(0, 1, 2)])
    less, more = (kanon.generalize(regions, k, "exact") for k in (8, 9))
    assert (less.cost, less.status, more.cost, more.status) == (18, "optimal", 15, "optimal")


def test_what_serves_nothing_else(regions):
    """Relaxed groups need not reach their own k; a k without a solution keeps its row."""
    table = kanon.sweep(regions, [3, 5, 100], {"Split": ("tree-split", {})})
    curve = served(table)
    assert curve["status"].iloc[-1] == "infeasible"
    assert curve["cost"].isna().tolist() == [False, False, True]
    g = kanon.generalize(regions, 5, "tree-split")
    relaxed = table_of([row_of("Split", 3, replace(g, k=3, cost=9)), row_of("Split", 5, replace(g, status="relaxed"))])
    assert served(relaxed)[["k", "cost", "made_for"]].values.tolist() == [[3, 9, 3], [5, g.cost, 5]]
