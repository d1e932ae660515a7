from dataclasses import replace

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.model.objective import Bound
from kanon_engine.model.run import Run
from kanon_engine.regions import exact
from kanon_engine.regions.bounds import lower_bound
from kanon_engine.regions.partitions import ConnectedPart, Rules, best_partition
from kanon_engine.search import solvers
from tests.compiled import COMPILED, SHARE, compiled_only
from tests.oracles.regions import connected
from tests.oracles.regions_bitmask import optimum
from tests.regions.graphs import grid, random_connected_graph
from tests.regions.graphs_any import random_instance

pytestmark = pytest.mark.kernels

MOST = 10 if COMPILED else 5


@pytest.fixture
def solver_alone(monkeypatch):
    """No dynamic programming, and each part as one class to begin with: everything is left to the solver."""
    monkeypatch.setattr(exact, "LISTED_SETS", exact.LISTED_SETS // SHARE**3)
    monkeypatch.setattr(exact, "SMALL", 0)
    monkeypatch.setattr(exact, "FRONTIER_WORK", 1)
    monkeypatch.setattr(
        exact,
        "_first_solution",
        lambda regions, k, run, require: (regions.components.astype(np.int64), exact.lower_bound(regions, k)),
    )


def agree(rng, with_squares):
    """Whether the instance was feasible; the result is the optimum, or `Infeasible` is raised."""
    weights, edges, k = random_instance(rng, MOST)
    regions = kanon.Regions(range(len(weights)), weights, edges)
    best = optimum(weights, edges, k)
    if best is None:
        with pytest.raises(kanon.Infeasible):
            kanon.generalize(regions, k, "exact")
        return False
    g = kanon.generalize(regions, k, "exact")
    assert (g.cost, g.lower_bound, g.status) == (best[0], best[0], "optimal")
    if with_squares:
        assert int(np.square(g.class_weights).sum()) == best[1]
    return True


@pytest.mark.parametrize("seed", range(10))
def test_brute_force_agrees(seed):
    """The largest class, and among partitions with that one the sum of squares."""
    rng = np.random.default_rng(seed)
    feasible = [agree(rng, True) for _ in range(40 // SHARE)]
    assert not COMPILED or 10 // SHARE < sum(feasible) < 40 // SHARE


@pytest.mark.parametrize("seed", range(10))
def test_brute_force_agrees_with_the_solver(seed, solver_alone):
    rng = np.random.default_rng(100 + seed)
    assert sum(agree(rng, True) for _ in range(16)) > 2


@pytest.mark.parametrize("seed", range(5))
def test_brute_force_agrees_along_a_frontier(seed, monkeypatch):
    """Of whole parts, from one class on, where neither sets nor CP-SAT are asked for the largest class."""
    monkeypatch.setattr(exact, "SMALL", 0)
    monkeypatch.setattr(exact, "possible_classes", lambda part, cap: None)
    monkeypatch.setattr(exact, "classes_up_to", None)
    monkeypatch.setattr(
        exact,
        "_first_solution",
        lambda regions, k, run, require: (regions.components.astype(np.int64), exact.lower_bound(regions, k)),
    )
    rng = np.random.default_rng(300 + seed)
    assert sum(agree(rng, False) for _ in range(16 // SHARE + 3)) > 0


def test_a_frontier_leaves_open_what_a_rule_forbids():
    edges, weights = np.array([(0, 1), (1, 2), (2, 3)]), np.array([2, 1, 1, 2])
    free, ruled = ConnectedPart(edges, weights, 3), ConnectedPart(edges, weights, 3, Rules(apart=((0, 1),)))
    assert exact.along_frontier(free, 3, 1, 0)[0] == "found"
    assert exact.along_frontier(ruled, 3, 1, 0)[:2] == ("open", None)
    assert (
        exact.along_frontier(ConnectedPart(edges, np.array([2, 2, 1, 2]), 3, ruled.rules), 3, 1, 0)[0] == "impossible"
    )


@pytest.mark.parametrize("seed", range(5))
def test_brute_force_agrees_where_classes_are_not_listed(seed, solver_alone, monkeypatch):
    monkeypatch.setattr(exact, "MOST_CLASSES", 0)
    rng = np.random.default_rng(200 + seed)
    assert sum(agree(rng, False) for _ in range(16)) > 2


def test_every_connected_set_is_listed_once():
    rng = np.random.default_rng(4)
    for _ in range(40):
        n = int(rng.integers(2, 8))
        edges = random_connected_graph(rng, n, 0.3)
        weights, k = rng.integers(0, 9, n), int(rng.integers(1, 9))
        listed = [
            frozenset(one.tolist()) for one in exact.possible_classes(ConnectedPart(np.array(edges), weights, k), 20)
        ]
        subsets = [frozenset(v for v in range(n) if mask >> v & 1) for mask in range(1, 1 << n)]
        heavy = {one for one in subsets if k <= sum(weights[v] for v in one) <= 20 and connected(one, edges)}
        assert len(listed) == len(heavy)
        assert set(listed) == heavy


def test_larger_graphs_agree_between_both_searches(solver_alone):
    rng = np.random.default_rng(5)
    for n in (11, 12, 13)[: 3 // SHARE]:
        edges = random_connected_graph(rng, n, 0.2)
        weights = rng.integers(0, 9, n)
        own = best_partition(np.array(edges), weights, 8)
        g = kanon.generalize(kanon.Regions(range(n), weights, edges), 8, "exact")
        assert g.cost == np.bincount(own, weights=weights).max()


def test_the_bound_of_one_part_ends_the_search_of_the_others(solver_alone):
    rng = np.random.default_rng(0)
    edges = [(0, 1), *(grid(4, 5) + 2).tolist()]
    regions = kanon.Regions(range(22), [60, 60, *rng.integers(0, 9, 20).tolist()], edges)
    g = kanon.generalize(regions, 70, "exact")
    assert (g.cost, g.status) == (120, "optimal")


def test_a_cut_is_passed_by_every_connected_class():
    rng = np.random.default_rng(0)
    seen = 0
    for _ in range(60):
        n = int(rng.integers(4, 8))
        edges = random_connected_graph(rng, n, 0.2)
        part = ConnectedPart(np.array(edges), rng.integers(0, 9, n), 1)
        for root in range(n):
            lower = [v for v in range(n) if part.rank[v] >= part.rank[root]]
            part.cut_off(root, {root, *rng.permutation(lower)[:3].tolist()})
        for (root, v), cuts in part.cuts.items():
            lower = {u for u in range(n) if part.rank[u] >= part.rank[root]}
            for mask in range(1 << n):
                members = {u for u in lower if mask >> u & 1}
                if {root, v} <= members and connected(members, edges):
                    assert all(cut & members for cut in cuts)
                    seen += 1
    assert seen > 500


def test_a_class_of_a_root_lies_within_its_reach():
    rng = np.random.default_rng(1)
    for _ in range(60):
        n = int(rng.integers(2, 8))
        edges = random_connected_graph(rng, n, 0.2)
        weights = rng.integers(0, 9, n)
        part, cap = ConnectedPart(np.array(edges), weights, 1), int(rng.integers(9, 30))
        reached = {root: set() for root in range(n)}
        for mask in range(1, 1 << n):
            members = {u for u in range(n) if mask >> u & 1}
            if weights[list(members)].sum() <= cap and connected(members, edges):
                reached[min(members, key=lambda v: part.rank[v])] |= members
        assert all(part.within(root, cap) == reached[root] for root in range(n))


@pytest.fixture
def hard():
    """A grid whose optimum takes the solver longer than these tests wait."""
    return kanon.Regions(range(81), np.random.default_rng(2).integers(1, 1000, 81), grid(9, 9))


@compiled_only
def test_a_stopped_search_has_a_solution_and_a_bound(hard, solver_alone):
    g = kanon.generalize(hard, 5000, "exact", time_limit=0.3)
    assert g.status == "stopped"
    assert lower_bound(hard, 5000).value <= g.lower_bound < g.cost
    reports = []
    h = kanon.generalize(hard, 5000, "exact", progress=lambda said: reports.append(said) or len(reports) < 3)
    assert h.status == "stopped"
    assert h.lower_bound < h.cost
    assert [said.done for said in reports] == sorted(said.done for said in reports)


@compiled_only
def test_used_up_effort_gives_the_same_result_twice(hard, solver_alone, monkeypatch):
    monkeypatch.setattr(exact, "BUDGET", 0.08)
    monkeypatch.setattr(solvers, "FIRST_EFFORT", 0.02)
    first, second = (exact.exact(hard, 5000, Run(3)) for _ in range(2))
    assert np.array_equal(first.assignment, second.assignment)
    assert first.bound == second.bound


def test_bounds_of_the_solver_are_below_the_optimum_wherever_it_stops(solver_alone, monkeypatch):
    monkeypatch.setattr(exact, "BUDGET", 0.01)
    monkeypatch.setattr(solvers, "FIRST_EFFORT", 1e-4)
    rng = np.random.default_rng(8)
    monkeypatch.setattr(exact, "lower_bound", lambda regions, k: Bound(k, "k"))  # else nothing is left to raise
    raised = 0
    for _ in range(60):
        weights, edges, k = random_instance(rng, MOST)
        best = optimum(weights, edges, k)
        if best is None:
            continue
        outcome = exact.exact(kanon.Regions(range(len(weights)), weights, edges), k, Run())
        cost = np.bincount(outcome.assignment, weights=weights).max()
        assert outcome.bound.value <= best[0] <= cost
        raised += outcome.bound.kind == "solver"
    assert raised or not COMPILED


@compiled_only
def test_only_this_algorithm_may_claim_a_solvers_bound(hard):
    g = kanon.generalize(hard, 5000, "tree-split")
    claim = {"bound_kind": "solver", "bound_name": "exact search", "lower_bound": g.cost, "status": "optimal"}
    with pytest.raises(kanon.CertificateError, match="bound kind"):
        kanon.verify(hard, replace(g, **claim).sealed())


def test_spoilt_results_are_refused():
    """The path 3–1–1–3 with k = 3: one class of 4 each; the solver's bound cannot rise above the cost."""
    regions = kanon.Regions(range(4), [3, 1, 1, 3], [(0, 1), (1, 2), (2, 3)])
    g = kanon.generalize(regions, 3, "exact")
    assert (g.cost, g.classes) == (4, 2)
    for fields in ({"lower_bound": 5}, {"bound_kind": "solver", "lower_bound": 5}, {"bound_name": "exact search"}):
        with pytest.raises(kanon.CertificateError):
            kanon.verify(regions, replace(g, **fields).sealed())
