from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.regions.annealing import EVENING, Annealing
from kanon_engine.regions.recombine import steps_for
from tests.compiled import thorough_only
from tests.oracles.recombine import best_value, squares
from tests.regions.graphs import grid, random_connected_graph

SAMPLES = Path(__file__).parents[2] / "sample_data"


def value(regions, g):
    return squares(g.assignment.tolist(), regions.weights.tolist())


def small(seed):
    """A random graph of at most 8 areas with many weights 0, and k."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    edges = random_connected_graph(rng, n, rng.choice([0.0, 0.2, 0.5]))
    return kanon.Regions(range(n), rng.integers(0, 9, n) * (rng.random(n) < 0.8), edges), int(rng.integers(1, 12))


def test_small_graphs_against_brute_force():
    """Never below the best, and equal to it on nearly all."""
    hits = cases = 0
    for seed in range(60):
        regions, k = small(seed)
        best = best_value(regions.weights.tolist(), regions.edges.tolist(), k)
        if best is None:
            with pytest.raises(kanon.Infeasible):
                kanon.generalize(regions, k, "recombine")
            continue
        g = kanon.generalize(regions, k, "recombine", seed=seed)
        assert value(regions, g) >= best
        hits += value(regions, g) == best
        cases += 1
    assert cases > 30
    assert hits / cases >= 0.98, (hits, cases)


KINDS = {
    "star": [(0, i) for i in range(1, 40)],
    "path": [(i, i + 1) for i in range(39)],
    "caterpillar": [(i, i + 1) for i in range(19)] + [(i, i + 20) for i in range(20)],
    "grid": grid(5, 8),
    "two parts": [(i, i + 1) for i in range(39) if i != 19],
    "complete": [(i, j) for i in range(40) for j in range(i)],
}


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("kind", KINDS)
def test_never_worse_than_tree_split(kind):
    rng = np.random.default_rng(len(kind))
    regions = kanon.Regions(range(40), rng.integers(0, 30, 40), KINDS[kind])
    for k in (1, 25, 60, int(regions.component_weights.min())):
        g = kanon.generalize(regions, k, "recombine", seed=3, effort=0.2)
        other = kanon.generalize(regions, k, "tree-split", seed=3)
        assert value(regions, g) <= value(regions, other)
        assert g.guarantee is None


@pytest.mark.parametrize(("k", "classes"), [(1, 5), (20, 1)])
def test_least_and_greatest_k(k, classes):
    g = kanon.generalize(kanon.Regions(range(5), [4] * 5, [(i, i + 1) for i in range(4)]), k, "recombine")
    assert g.algorithm == "recombine"
    assert g.classes == classes
    assert g.status == "optimal"


def test_one_area():
    assert kanon.generalize(kanon.Regions(["a"], [7], []), 5, "recombine").cost == 7


def test_the_same_seed_gives_the_same_classes():
    regions = kanon.Regions(range(100), np.random.default_rng(5).integers(1, 50, 100), grid(10, 10))
    first, second = (kanon.generalize(regions, 200, "recombine", seed=9, effort=0.3).assignment for _ in range(2))
    assert (first == second).all()


def test_stop_keeps_the_best_so_far():
    regions = kanon.Regions(range(400), np.random.default_rng(5).integers(1, 50, 400), grid(20, 20))
    calls = []
    g = kanon.generalize(regions, 300, "recombine", progress=lambda report: calls.append(report) or len(calls) < 12)
    assert g.status == "stopped"
    assert len(calls) == 12
    assert calls[-1].best == g.cost
    assert [report.done for report in calls] == sorted(report.done for report in calls)
    early = kanon.generalize(regions, 300, "recombine", progress=lambda report: False)
    assert early.status == "stopped"
    assert early.class_weights.min() >= 300


@pytest.mark.thorough
def test_the_best_so_far_is_a_result_that_can_be_verified_and_changes_nothing():
    births = kanon.read_regions(SAMPLES / "north_carolina.geojson", weight="BIR74", id="FIPS")
    seen = []

    def look(report):
        if report.solution is not None and (not seen or report.best < seen[-1].cost):
            seen.append(report.solution())
            assert seen[-1].cost == report.best
            assert kanon.verify(births, seen[-1]).proof == "checked"

    g = kanon.generalize(births, 25_000, "recombine", effort=0.1, progress=look)
    assert len(seen) > 1
    assert {one.status for one in seen} == {"stopped"}
    assert seen[-1].cost == g.cost
    assert (kanon.generalize(births, 25_000, "recombine", effort=0.1).assignment == g.assignment).all()
    merged = []
    kanon.generalize(births, 25_000, "exact", time_limit=1, progress=lambda report: merged.append(report.solution))
    assert any(merged)


def test_north_carolina_meets_its_bound():
    births = kanon.read_regions(SAMPLES / "north_carolina.geojson", weight="BIR74", id="FIPS")
    g = kanon.generalize(births, 10_000, "recombine")
    assert g.cost == g.lower_bound == 21_588
    assert g.classes >= 27  # an optimal maximum does not hide few, huge classes


@pytest.mark.parametrize("k", [5_000, *thorough_only([10_000, 40_000])])
def test_a_proven_largest_class_ends_the_search(k, monkeypatch):
    """Then a small part of the steps evens the others out; where nothing is proven, all are made."""
    births = kanon.read_regions(SAMPLES / "north_carolina.geojson", weight="BIR74", id="FIPS")
    batch, steps = Annealing.batch, []

    def counted(self, number, *more):
        proven = self.proven
        found = batch(self, number, *more)
        steps.append((number, proven))
        return found

    monkeypatch.setattr(Annealing, "batch", counted)
    g = kanon.generalize(births, k, "recombine")
    whole, made = steps_for(births, k), sum(number for number, _ in steps)
    after = sum(number for number, proven in steps if proven)
    if k == 40_000:
        assert (g.status, after) == ("feasible", 0)
        assert g.gap < 0.01
        assert made > 0.6 * whole
        return
    assert g.status == "optimal"
    first = next(place for place, (_, proven) in enumerate(steps) if proven)
    assert all(proven for _, proven in steps[first:])
    assert 0 < after <= (EVENING + 0.01) * whole
    monkeypatch.setattr(import_module("kanon_engine.regions.annealing"), "EVENING", 0.0)
    plain = kanon.generalize(births, k, "recombine")
    assert plain.cost == g.cost
    assert plain.classes < g.classes  # many groups are what the remainder is for


def cut_edges(regions, g):
    return int((g.assignment[regions.edges[:, 0]] != g.assignment[regions.edges[:, 1]]).sum())


def test_equal_partitions_are_told_apart_by_their_borders():
    """An even grid has many partitions into equal classes; squares have the shortest borders."""
    regions = kanon.Regions(range(64), [1] * 64, grid(8, 8))
    g = kanon.generalize(regions, 16, "recombine")
    assert g.class_weights.tolist() == [16] * 4
    assert cut_edges(regions, g) <= 18  # 16 when all four are squares; strips need 24


@pytest.mark.thorough
def test_compactness_buys_shorter_borders():
    regions = kanon.Regions(range(100), np.random.default_rng(1).integers(1, 50, 100), grid(10, 10))
    plain, compact = (kanon.generalize(regions, 250, "recombine", effort=0.3, compactness=weight) for weight in (0, 3))
    assert cut_edges(regions, compact) < cut_edges(regions, plain)
    assert plain.cost <= compact.cost
    with pytest.raises(kanon.InvalidInput, match="compactness"):
        kanon.generalize(regions, 250, "recombine", compactness=-1)


@pytest.mark.thorough
def test_compactness_measures_real_borders():
    births = kanon.read_regions(SAMPLES / "north_carolina.geojson", weight="BIR74", id="FIPS")
    plain, compact = (
        kanon.generalize(births, 20_000, "recombine", effort=0.3, compactness=weight) for weight in (0, 2)
    )
    assert cut_edges(births, compact) < cut_edges(births, plain)
    assert compact.class_weights.min() >= 20_000
