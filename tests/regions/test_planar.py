from itertools import combinations

import networkx as nx
import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.regions.tree_split import why_not
from kanon_engine.regions.trees import crossing_edge, shape_of
from tests.compiled import compiled_only
from tests.regions import planar_graphs as planar
from tests.sentences import FALL_INTO_PARTS, WITHOUT_CROSSINGS

pytestmark = pytest.mark.kernels


def graph_of(edges, n):
    graph = nx.empty_graph(n)
    graph.add_edges_from(np.asarray(edges).tolist())
    return graph


def agree(edges, n):
    """The shape against networkx's planarity test and flows, and its separator by taking it away."""
    shape, graph = shape_of(edges, n), graph_of(edges, n)
    if not nx.is_connected(graph) or not nx.check_planarity(graph)[0]:
        assert shape.plane is None
        assert shape.connectivity == 0
        return 0
    assert shape.connectivity == min(4, nx.node_connectivity(graph))
    if shape.separator:
        assert len(set(shape.separator)) == shape.connectivity
        graph.remove_nodes_from(shape.separator)
        assert not nx.is_connected(graph)
    else:
        assert shape.connectivity in (4, n - 1)
    return shape.connectivity


@compiled_only
def test_every_graph_of_five_vertices():
    pairs = list(combinations(range(5), 2))
    found = [agree(np.array(pairs)[[bits >> i & 1 == 1 for i in range(10)]], 5) for bits in range(1024)]
    assert {value: found.count(value) for value in set(found)} == {
        0: 297,
        1: 728 - 238,
        2: 238 - 26,
        3: 26 - 1,
    }  # counts of labeled graphs, without K5


@pytest.mark.parametrize("seed", range(40))
def test_random_graphs_against_flows(seed):
    rng = np.random.default_rng(seed)
    found = set()
    for kind in (planar.sphere_triangulation, planar.stacked_triangulation, planar.four_connected_triangulation):
        n = int(rng.integers(6, 24))
        edges = kind(rng, n)
        for drop in (0, 1, int(rng.integers(2, 8))):
            found.add(agree(np.delete(edges, rng.choice(len(edges), drop, replace=False), axis=0), n))
        extra = np.array([pair for pair in combinations(range(n), 2) if list(pair) not in edges.tolist()][:1])
        assert agree(np.vstack([edges, extra.reshape(-1, 2)]), n) in (0, 4)
    assert 3 in found


@pytest.mark.parametrize(
    ("edges", "connectivity"),
    [
        *[(planar.wheel(rim), 3) for rim in (3, 4, 5, 9)],
        *[(planar.prism(sides), 3) for sides in (3, 4, 7)],
        *[(planar.antiprism(sides), 4) for sides in (3, 4, 7)],
        *[(planar.double_wheel(rim), 4) for rim in (4, 5, 8)],
        *[(planar.solid(name), 4 if name in ("octahedral", "icosahedral") else 3) for name in planar.SOLIDS],
        (planar.barycentric(planar.solid("cubical"), 8)[0], 4),
    ],
)
def test_known_graphs(edges, connectivity):
    assert agree(edges, int(edges.max()) + 1) == connectivity


@compiled_only
def test_large_graphs_are_recognized():
    rng = np.random.default_rng(0)
    assert shape_of(planar.four_connected_triangulation(rng, 2000), 2000).connectivity == 4
    assert shape_of(planar.wheel(1999), 2000).connectivity == 3
    edges = planar.thinned(rng, planar.sphere_triangulation(rng, 400), 400, 0.2)
    assert len(edges) < 1050
    assert shape_of(edges, 400).connectivity == 3


def test_graphs_that_are_not_planar_though_they_have_few_edges():
    for graph in (nx.complete_bipartite_graph(3, 3), nx.petersen_graph(), nx.hypercube_graph(4)):
        flat = nx.convert_node_labels_to_integers(graph)
        assert agree(np.array(flat.edges), len(flat)) == 0


@pytest.mark.parametrize("n", [1, 2])
def test_the_smallest_graphs(n):
    assert shape_of(np.array([(0, 1)][: n - 1]).reshape(-1, 2), n).connectivity == n - 1


def test_the_crossing_edge_is_the_one_that_completes_the_obstacle():
    grid = planar.prism(30).tolist()
    kuratowski = [(a + 60, b + 60) for a in range(3) for b in range(3, 6)]
    edges = np.array([*grid[:50], *kuratowski, *grid[50:]])
    assert edges[crossing_edge(edges, 66)].tolist() == [62, 65]


def regions(edges, n):
    return kanon.Regions(range(n), [1] * n, edges, names=[chr(ord("A") + v) for v in range(n)])


@pytest.mark.parametrize(
    ("edges", "n", "wanted", "words"),
    [
        ([(0, 1), (2, 3)], 4, 3, f"{FALL_INTO_PARTS} 2 parts (C cannot be reached from A)"),
        ([(0, 1), (1, 2), (0, 2)], 3, 3, "at least 4 areas are needed, and there are 3"),
        (planar.wheel(3), 4, 4, "at least 5 areas are needed, and there are 4"),
        ([(0, 1), (1, 2), (1, 3), (2, 3)], 4, 3, "without B, A is cut off"),
        ([(0, 1), (1, 2), (2, 3), (0, 3)], 4, 3, "without A and C, B is cut off"),
        (planar.wheel(4), 5, 4, "without A, C and E, B is cut off"),
        (
            list(combinations(range(5), 2)),
            5,
            3,
            f"the edges {WITHOUT_CROSSINGS} (one of them joins D and E)",
        ),
        (planar.prism(3), 6, 4, "cut off"),
    ],
)
def test_why_a_theorem_does_not_apply(edges, n, wanted, words):
    instance = regions(edges, n)
    assert words in why_not(instance, shape_of(instance.edges, n), wanted)
