"""How long the fewest suppressed cells take: on tables made from cubic graphs, and on columns of Adult.

    python -m pytest tests/benchmarks/test_cell_suppression.py -s

Columns: records, k, suppressed cells, proven bound, gap, status, nodes of the search, seconds.
"""

from time import perf_counter

import networkx as nx
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.teaching.reductions.suppression import CubicGraph, K, build
from tests.tables.adult import ADULT
from tests.tables.cubic_graphs import CUBIC

GRAPHS = CUBIC | {
    "dodecahedron": nx.dodecahedral_graph(),
    "random, 60 vertices": nx.random_regular_graph(3, 60, seed=1),
}
EVERY = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]
SAMPLES = [
    (["age", "marital-status", "occupation"], None, 5),
    (["age", "marital-status", "occupation"], None, 25),
    (["age", "education", "occupation"], None, 10),
    (["education", "marital-status", "race", "sex"], None, 5),
    (EVERY[:5], None, 5),
    (EVERY, 500, 3),
    (EVERY, None, 10),
]


def timed(name, table, k):
    start = perf_counter()
    g = kanon.generalize(table, k, "cell-suppression")
    seconds = perf_counter() - start
    print(  # noqa: T201
        f"\n{name}: {len(table):,} records, k = {k}: {g.cost:,} cells, bound {g.lower_bound:,} ({g.bound_kind}), "
        f"gap {g.gap:.2%}, {g.status}, {g.details.nodes:,} nodes, {seconds:.1f} s",
        end="",
    )
    return g


@pytest.mark.parametrize("name", GRAPHS)
def test_tables_from_vertex_cover(name):
    graph = GRAPHS[name]
    edges = tuple(tuple(sorted(edge)) for edge in nx.convert_node_labels_to_integers(graph).edges)
    g = timed(name, build(CubicGraph(edges, 0)).instance, K)
    assert g.cost >= g.lower_bound >= 27 * len(graph) + 2 * graph.number_of_edges() + 14


@pytest.mark.parametrize(("columns", "rows", "k"), SAMPLES)
def test_adult(columns, rows, k):
    frame = pd.read_parquet(ADULT)
    frame = frame if rows is None else frame.sample(rows, random_state=1)
    g = timed(", ".join(columns), kanon.Table(frame[columns], columns), k)
    assert g.cost >= g.lower_bound > 0
