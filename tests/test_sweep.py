import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.known import FAMILIES
from kanon_engine.model.objective import partition_cost
from kanon_engine.sweep import COLUMNS, row_of, served, serves, table_of
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


KS = [5_000, 15_000, 20_000, 40_000, 110_000, 150_000]  # of which two are served better by the next


@pytest.fixture(scope="module")
def births():
    path = Path(__file__).parents[1] / "sample_data" / "north_carolina.geojson"
    return kanon.read_regions(path, weight="BIR74", id="FIPS")


def test_a_solution_for_a_larger_k_serves_every_smaller_one(births):
    ks = KS
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


def test_rows_of_a_sweep_are_those_that_serve(births):
    asked = [KS[3], *KS, 10**9]  # in any order, one twice, one above the total
    table = kanon.sweep(births, asked, ["tree-split"])
    own = kanon.sweep(births, asked, ["tree-split"], reuse=False)
    assert table["k"].tolist() == own["k"].tolist() == own["made_for"].tolist() == asked
    for row, alone in zip(table.itertuples(), own.itertuples(), strict=True):
        if alone.status == "infeasible":
            assert (row.status, row.made_for) == ("infeasible", row.k)
            continue
        again = kanon.generalize(births, row.made_for, "tree-split")
        assert (row.cost, row.classes) == (again.cost, again.classes)
        assert alone.cost == kanon.generalize(births, row.k, "tree-split").cost
        assert alone.lower_bound <= row.lower_bound <= row.cost <= alone.cost
        assert (row.cost < alone.cost) == (row.made_for > row.k)
    assert sorted({*table["k"][table["made_for"] > table["k"]]}) == [15_000, 110_000]
    pd.testing.assert_frame_equal(served(own).drop(columns="seconds"), served(table).drop(columns="seconds"))


def test_a_store_answers_again_and_serves(births, monkeypatch):
    store = []
    first = kanon.sweep(births, KS[1::2], ["tree-split"], store=store)
    assert [g.k for g in store] == KS[1::2]
    asked = []
    monkeypatch.setattr(
        sys.modules["kanon_engine.sweep"],
        "generalize",
        lambda instance, k, *rest, **more: asked.append(k) or kanon.generalize(instance, k, *rest, **more),
    )
    second = kanon.sweep(births, KS, ["tree-split"], store=store)
    assert asked == KS[::2]
    assert [g.k for g in store] == KS[1::2] + KS[::2]
    monkeypatch.undo()
    fresh = kanon.sweep(births, KS, ["tree-split"])
    pd.testing.assert_frame_equal(second.drop(columns="seconds"), fresh.drop(columns="seconds"))
    one = kanon.sweep(births, [KS[1]], ["tree-split"], store=store)
    assert one["made_for"].tolist() == [KS[2]]  # which was not asked for now
    assert first["made_for"].tolist() == KS[1::2]


def test_a_store_holds_what_answers_other_questions_too(regions):
    """Other seeds, options, instances and stopped runs are no answers; what is not true is refused."""
    g = kanon.generalize(regions, 3, "tree-split")
    other = kanon.Regions(range(5), [2, 3, 4, 3, 3], [(i, i + 1) for i in range(4)])
    store = [
        kanon.generalize(regions, 3, "tree-split", seed=1),
        kanon.generalize(regions, 3, "tree-split", tree="random"),
        kanon.generalize(regions, 3, "general-graph"),
        kanon.generalize(other, 3, "tree-split"),
        replace(g, status="stopped").sealed(),
    ]
    strangers = len(store)
    kanon.sweep(regions, [3], ["tree-split"], store=store)
    assert len(store) == strangers + 1
    assert store[-1].digest == replace(g, seconds=store[-1].seconds).sealed().digest
    forged = replace(g, class_weights=g.class_weights[::-1].copy()).sealed()
    with pytest.raises(kanon.CertificateError):
        kanon.sweep(regions, [3], ["tree-split"], store=[forged])


def test_which_results_serve_a_smaller_k(regions):
    """The largest class alone; nothing that is weighed against it, no relaxed results, no other costs, no barriers."""
    fenced = kanon.Regions(range(4), [9, 3, 6, 8], [(0, 1), (0, 2), (1, 3)], barriers=[(0, 1, 2)])
    others = {
        "rectangles": kanon.Points([(0.0, 0.0), (1.0, 1.0)]),
        "labels": kanon.Labels("ab", [1, 2]),
        "tables": kanon.Table(pd.DataFrame({"a": [1, 2]}), ["a"]),
        "clusters": kanon.MetricSpace([(0.0,), (1.0,)]),
        "regions": regions,
    }
    told = {
        (family, name): serves(instance, algorithm, algorithm.checked_options({}))
        for family, instance in others.items()
        for name, algorithm in FAMILIES[family].algorithms.items()
    }
    assert {family for (family, _), serving in told.items() if serving} == {"regions", "rectangles", "labels"}
    unfit = [key for key, serving in told.items() if not serving and key[0] not in ("tables", "clusters")]
    assert unfit == [("labels", "relaxed-scheme")]
    recombine = FAMILIES["regions"].algorithms["recombine"]
    for options in ({"objective": "sum"}, {"compactness": 0.5}):
        assert not serves(regions, recombine, recombine.checked_options(options))
    assert not serves(fenced, recombine, recombine.checked_options({}))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("family", ["regions", "rectangles", "labels"])
def test_the_least_possible_largest_class_never_falls_as_k_grows(family, seed):
    """For each family by a search that proves it; with a minimum too, where it looks after one."""
    random = np.random.default_rng(seed)
    weights, homes = random.integers(1, 9, 8), random.integers(1, 4, 8)
    instance = {
        "regions": lambda: kanon.Regions(range(8), weights, grid(2, 4), columns={"homes": homes}),
        "rectangles": lambda: kanon.Points(random.integers(0, 4, (8, 2)).astype(float), weights),
        "labels": lambda: kanon.Labels("abcdefgh", weights),
    }[family]()
    for require in ((), (kanon.Minimum("homes", 4),)) if family == "regions" else ((),):
        ks = range(1, instance.total + 1, 2)
        table = kanon.sweep(instance, ks, ["exact"], require=require, reuse=False)
        table = table[table["status"] != "infeasible"]
        assert len(table) > 5
        assert (table["status"] == "optimal").all()
        assert table["cost"].is_monotonic_increasing


def test_a_sum_can_fall_as_k_grows():
    """w (w − k) depends on k: the very same groups cost less at a larger k. So no row stands in for another."""
    areas = kanon.Regions("ab", [5, 5], [(0, 1)])
    entry = {"sum": ("recombine", {"objective": "sum"})}
    table = kanon.sweep(areas, [3, 5], entry)
    assert table["made_for"].tolist() == [3, 5]
    costs = [partition_cost(kanon.generalize(areas, k, objective="sum")) for k in (3, 5)]
    assert costs == [20, 0]
