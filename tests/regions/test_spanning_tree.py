import networkx as nx
import numpy as np
import pytest

from kanon_engine.regions.trees import low_degree_tree, random_tree
from tests.oracles.regions import least_tree_degree
from tests.regions.graphs import grid, random_connected_graph

pytestmark = pytest.mark.kernels


def degree(tree):
    return int(np.bincount(tree.ravel()).max())


def is_spanning_tree(tree, edges, n):
    graph = nx.Graph(tree.tolist())
    known = {tuple(sorted(edge)) for edge in np.asarray(edges).tolist()}
    return nx.is_tree(graph) and len(graph) == n and known.issuperset(map(tuple, tree.tolist()))


@pytest.mark.parametrize("seed", range(120))
def test_at_most_one_above_the_least_degree(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    edges = random_connected_graph(rng, n, rng.choice([0.1, 0.3, 0.6]))[:11]
    if not nx.is_connected(nx.Graph(edges)) or len(nx.Graph(edges)) < n:
        edges = random_connected_graph(rng, n, 0)
    tree = low_degree_tree(np.array(edges), n, rng)
    assert is_spanning_tree(tree, edges, n)
    assert degree(tree) <= least_tree_degree(n, edges) + 1


def test_hubs_force_the_degree():
    edges = np.array([(0, leaf) for leaf in range(1, 9)])
    assert degree(low_degree_tree(edges, 9, np.random.default_rng(0))) == 8


@pytest.mark.parametrize("seed", range(5))
def test_large_sparse_graphs_are_spanned(seed):
    rng = np.random.default_rng(seed)
    edges = np.array(random_connected_graph(rng, 300, 0.01))
    assert is_spanning_tree(low_degree_tree(edges, 300, rng), edges, 300)
    assert is_spanning_tree(random_tree(edges, 300, rng), edges, 300)


def test_a_star_with_a_rim_needs_the_exchanges():
    """Two hubs joined to all of a long path: depth first may branch at hubs, the least degree is 2."""
    n = 60
    rim = [(v, v + 1) for v in range(2, n - 1)]
    edges = np.array(rim + [(hub, v) for hub in (0, 1) for v in range(2, n)])
    degrees = [degree(low_degree_tree(edges, n, np.random.default_rng(seed))) for seed in range(20)]
    assert max(degrees) <= 3


def test_parts_are_spanned_one_by_one():
    edges = np.vstack([grid(4, 4), grid(3, 3) + 16])
    tree = low_degree_tree(edges, 25, np.random.default_rng(1))
    assert len(tree) == 23
    assert nx.number_connected_components(nx.Graph(tree.tolist())) == 2
