"""The reduction from vertex cover on cubic graphs: the optimum is what the theorem says."""

import networkx as nx
import numpy as np
import pytest

import kanon_engine as kanon
from tests.oracles.cells import vertex_cover
from tests.tables.cubic_graphs import CUBIC
from tests.tables.vertex_cover_table import K, vertex_cover_table


@pytest.mark.parametrize("name", CUBIC)
def test_the_optimum_is_the_base_cost_and_a_vertex_cover(name):
    graph = CUBIC[name]
    edges = np.array(graph.edges)
    r = len(graph)
    table = vertex_cover_table(edges)
    assert len(table) == 20 * r + 2 * len(edges) + 14
    g = kanon.generalize(table, K, "cell-suppression")
    assert g.cost == 27 * r + 2 * len(edges) + 14 + vertex_cover(edges.tolist())
    assert (g.status, g.bound_kind) == ("optimal", "solver")


@pytest.mark.parametrize(
    ("edges", "words"),
    [
        ([[0, 1], [1, 2], [2, 0]], "no cubic graph"),
        ([[0, 0], [0, 1]], "to itself"),
        ([[0, 1], [1, 0], [0, 1]], "twice"),
        ([0, 1, 2], "one pair"),
        (np.zeros((0, 2), dtype=int), "no cubic graph"),
        (np.array(nx.complete_graph(4).edges) + 1, "no cubic graph"),
    ],
)
def test_other_graphs_are_refused(edges, words):
    with pytest.raises(kanon.InvalidInput, match=words):
        vertex_cover_table(edges)
