import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.regions.trees import neighbor_lists
from kanon_engine.regions.trees_kernels import Graph, peel_tree
from tests.compiled import compiled_only
from tests.oracles.regions import greedy_tree_split, optimum
from tests.regions.graphs import grid, random_connected_graph
from tests.sentences import LOWER_K_TO

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("seed", range(300))
def test_cuts_are_those_of_a_full_scan(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    tree = random_connected_graph(rng, n, 0)
    weights = rng.integers(0, 6, n)
    k = int(rng.integers(1, 9))
    if weights.sum() < k:
        weights[0] += k
    lists = neighbor_lists(np.array(tree, dtype=int).reshape(-1, 2), n)
    roots, cuts = peel_tree(Graph(*lists, weights.astype(np.int64)), k)
    loads = np.bincount(roots, weights=weights)
    expected = greedy_tree_split(weights.tolist(), tree, k)
    assert sorted(loads[np.unique(roots)].astype(int).tolist()) == expected
    assert len(cuts) == len(expected) - 1


@pytest.mark.thorough(one_in=2)
@compiled_only
@pytest.mark.parametrize("seed", range(500))
def test_between_optimum_and_guarantee(seed):
    rng = np.random.default_rng(1000 + seed)
    n = int(rng.integers(1, 9))
    edges = random_connected_graph(rng, n, rng.choice([0.0, 0.2, 0.5]))
    weights = rng.integers(0, 9, n).tolist()
    k = int(rng.integers(1, 12))
    regions = kanon.Regions(range(n), weights, edges)
    best = optimum(weights, edges, k)
    if best is None:
        with pytest.raises(kanon.Infeasible):
            kanon.generalize(regions, k, "tree-split")
        return
    for tree in ("auto", "low-degree", "random"):
        g = kanon.generalize(regions, k, "tree-split", seed=seed, tree=tree)
        assert g.lower_bound <= best <= g.cost <= g.guarantee
        assert g.guarantee == max(weights) + g.details.degree * (k - 1)
        assert g.guarantee <= (1 + g.details.degree) * best


def test_parts_are_solved_one_by_one():
    two = kanon.Regions(range(5), [3, 3, 2, 2, 2], [(0, 1), (2, 3), (3, 4)])
    g = kanon.generalize(two, 3, "tree-split")
    assert sorted(g.class_weights.tolist()) == [3, 3, 6]
    with pytest.raises(kanon.Infeasible, match="6 < k = 7"):
        kanon.generalize(two, 7, "tree-split")


@pytest.mark.thorough(one_in=3)
@compiled_only
@pytest.mark.parametrize("branches", [0, 1, 2, 3, 5])
@pytest.mark.parametrize(("heaviest", "k"), [(0, 2), (1, 2), (6, 7), (7, 7), (30, 7), (9, 1)])
def test_the_guarantee_is_attained(branches, heaviest, k):
    """One area with branches of k - 1: nothing can be cut, and the class weighs what is guaranteed."""
    weights = [max(heaviest, k - 1), *[k - 1] * branches]
    weights[0] += sum(weights) < k
    regions = kanon.Regions(range(1 + branches), weights, [(0, 1 + leaf) for leaf in range(branches)])
    g = kanon.generalize(regions, k, "tree-split")
    assert (g.classes, g.cost) == (1, g.guarantee)
    assert g.guarantee == max(weights) + branches * (k - 1)


@pytest.mark.parametrize("seed", range(200))
def test_one_light_class_is_within_the_guarantee_too(seed):
    """Parts below 2k, heaviest area below k, no cut is possible, and k is not needed in the ceiling."""
    rng = np.random.default_rng(4000 + seed)
    n, k = int(rng.integers(1, 7)), int(rng.integers(2, 12))
    weights = rng.integers(0, k, n)
    while not k <= weights.sum() < 2 * k:
        weights = rng.integers(0, k, n) if n > 1 else np.array([k])
    edges = [(v, v + 1) for v in range(n - 1)] if seed % 2 else random_connected_graph(rng, n, 0)
    g = kanon.generalize(kanon.Regions(range(n), weights, edges), k, "tree-split", seed=seed)
    assert g.cost == weights.sum() <= g.guarantee == int(weights.max()) + g.details.degree * (k - 1)


def test_an_island_too_light_is_named():
    names = ["Block Island", "Mainland", "Coast"]
    regions = kanon.Regions(["a", "b", "c"], [1051, 9000, 9000], [(1, 2)], names=names, unit="people")
    with pytest.raises(
        kanon.Infeasible, match=rf"Block Island has 1,051 people and no neighbor: 1,051 < k = 5,000.*{LOWER_K_TO} 1,051"
    ):
        kanon.generalize(regions, 5000, "tree-split")


def test_areas_without_people_follow_their_neighbors():
    regions = kanon.Regions(range(4), [0, 5, 0, 5], [(0, 1), (1, 2), (2, 3)])
    g = kanon.generalize(regions, 5, "tree-split")
    assert g.classes == 2
    assert g.cost == 5
    assert g.status == "optimal"


def test_lemma_1_with_several_sinks():
    """1–0–1: with k = 2 no edge splits, and both ends and the middle have all branches below k."""
    g = kanon.generalize(kanon.Regions(range(3), [1, 0, 1], [(0, 1), (1, 2)]), 2, "tree-split")
    assert g.classes == 1
    assert g.cost == 2 <= g.guarantee


def test_lemma_2_with_ties():
    """Star of four paths k–0–hub: k–0 is as light as k alone; only k alone leaves no branch of k behind."""
    edges = [edge for arm in range(4) for edge in ((0, 1 + 2 * arm), (1 + 2 * arm, 2 + 2 * arm))]
    weights = [0] + [0, 5] * 4
    _, cuts = peel_tree(Graph(*neighbor_lists(np.array(edges), 9), np.array(weights)), 5)
    assert cuts[:, 0].tolist() == [2, 4, 6]
    assert kanon.generalize(kanon.Regions(range(9), weights, edges), 5, "tree-split").cost == 5


@compiled_only
def test_a_large_grid_meets_its_guarantee():
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 50, 10_000)
    g = kanon.generalize(kanon.Regions(range(10_000), weights, grid(100, 100)), 500, "tree-split")
    assert g.details.degree <= 3
    assert g.cost <= g.guarantee == int(weights.max()) + g.details.degree * 499
