"""Vertex cover on cubic graphs → tables: the same answers, covers to and fro, the cost, every mutation refuted."""

import networkx as nx
import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.errors import InvalidInput
from kanon_engine.teaching.reductions import reduction_named
from kanon_engine.teaching.reductions.model import broken, difference_at
from kanon_engine.teaching.reductions.suppression import (
    ONE_ROW,
    SPARED,
    CubicGraph,
    K,
    build,
    cubic_graphs,
    extra_costs,
    parse,
    solve,
    text,
    tiny,
)
from tests.oracles.cells import bad_columns, vertex_cover
from tests.sentences import BEGIN_WITH_THE_MAXIMUM
from tests.tables.cubic_graphs import CUBIC

TABLE = reduction_named("vertex-cover-to-table")
TINY = list(tiny())
SMALL = [one for one in TINY if one.size < 8]


def source_of(graph, most=0):
    return CubicGraph(tuple(tuple(sorted(edge)) for edge in nx.convert_node_labels_to_integers(graph).edges), most)


def test_tiny_graphs_are_all_of_them_and_solved_as_by_looking_at_all_choices():
    assert [len(cubic_graphs(size)) for size in (4, 6, 8)] == [1, 2, 5]  # as in the literature
    assert all(nx.is_connected(nx.Graph(one.edges)) for one in TINY)
    answers = [vertex_cover(one.edges) <= one.most for one in TINY]
    assert [solve(one) is not None for one in TINY] == answers
    assert (len(answers), sum(answers)) == (36, 22)


def test_a_line_is_read_as_it_was_written():
    assert [parse(text(one)) for one in TINY] == TINY


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("1-2 1-3 1-4 2-3 2-4 3-4", BEGIN_WITH_THE_MAXIMUM),
        ("3: 1-2 1-3 1-4 2-3 2-4", "Vertex 3 has 2 edges"),
        ("3: 1-2 1-2 1-3", "each edge exactly once"),
        ("3: 1-1 1-3", "1-1 is not an edge"),
        ("3: 1-2 a", "“a” is not an edge"),
        ("3:", "Give each edge exactly once"),
        ("3: 1-13", "12 vertices"),
    ],
)
def test_a_line_that_is_none_is_refused(line, words):
    with pytest.raises(InvalidInput, match=words):
        parse(line)


def test_a_cover_cannot_have_less_than_no_vertex():
    with pytest.raises(InvalidInput, match="limited to -1 vertices"):
        CubicGraph(TINY[0].edges, -1)


@pytest.mark.parametrize(
    "source", [pytest.param(one, marks=[] if one in SMALL else pytest.mark.thorough, id=text(one)) for one in TINY]
)
def test_the_answer_is_the_same_and_solutions_come_and_go(source):
    assert difference_at(TABLE, source, None) is None
    solution, carried = solve(source), build(source)
    if solution is not None:
        for classes in (TABLE.forth(source, carried, solution), TABLE.decide(carried)):
            assert TABLE.fault(carried, classes) == ""
            assert TABLE.source.check(source, TABLE.back(source, carried, classes))


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("name", CUBIC)
def test_the_optimum_is_the_base_cost_and_a_vertex_cover(name):
    source = source_of(CUBIC[name])
    table, base = build(source).instance, build(source).threshold
    assert len(table) == 20 * source.size + 2 * len(source.edges) + 14
    g = kanon.generalize(table, K, "cell-suppression")
    least = vertex_cover(source.edges)
    assert base == 27 * source.size + 2 * len(source.edges) + 14
    assert g.cost == base + least
    assert (g.status, g.bound_kind) == ("optimal", "solver")
    assert g.cost <= (61 + 14 / least) * least  # alpha of the L-reduction; 63 for covers of 7 and more


def test_any_cheap_table_is_a_cover_no_larger_than_its_extra_cost():
    """The L-reduction's beta is 1; classes are made worse at random and stay a cover."""
    rng = np.random.default_rng(0)
    source = source_of(CUBIC["prism"], 9)
    carried = build(source)
    classes = TABLE.forth(source, carried, solve(source))
    seen = set()
    for _ in range(20):
        other = classes.copy()
        for one, two in rng.integers(0, classes.max() + 1, (2, 2)):
            other[other == one] = two
        other = np.unique(other, return_inverse=True)[1].astype(np.int32)
        extra = int(extra_costs(source, carried, other).sum())
        loose = CubicGraph(source.edges, extra)
        cover = TABLE.back(loose, build(loose), other)
        assert len(cover) <= extra
        seen.add(extra)
    assert len(seen) > 5


def test_extra_costs_are_counted_row_by_row():
    source = TINY[2]
    carried = build(source)
    classes = TABLE.decide(carried)
    rows = [tuple(row) for row in carried.instance.frame.to_numpy().tolist()]
    cost = sum(
        len(own) * bad_columns(own)
        for number in range(classes.max() + 1)
        for own in [[row for row, c in zip(rows, classes, strict=True) if c == number]]
    )
    assert cost == carried.threshold == carried.threshold - source.most + extra_costs(source, carried, classes).sum()


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("mutation", [mutation.name for mutation in TABLE.mutations])
def test_every_mutation_is_refuted(mutation):
    found = broken(TABLE, mutation)
    assert found is not None
    assert found.of_source != found.of_target


@pytest.mark.parametrize("sources", [SMALL[:3], pytest.param(TINY, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("spared", [*SPARED, ONE_ROW])
def test_what_docs_say_can_be_left_out_breaks_nothing(spared, sources):
    for source in sources:
        assert (TABLE.decide(build(source, spared)) is None) == (solve(source) is None)


def test_classes_that_do_not_meet_k_or_the_threshold_are_refused():
    source = TINY[2]
    carried = build(source)
    good = TABLE.decide(carried)
    for wrong, words in (
        (np.arange(len(good)), "1 row, below k = 7"),
        (good * 0, "hide 318 cells, but at most 137"),
        (good - 1, "in no group"),
    ):
        with pytest.raises(InvalidInput, match=words):
            TABLE.back(source, carried, wrong)


def test_a_picture_names_every_item_once():
    source = TINY[2]
    carried = build(source)
    for classes in (None, TABLE.decide(carried)):
        figure = TABLE.picture(source, carried, classes)
        items = [item for trace in figure.data if trace.customdata is not None for item in trace.customdata]
        assert sorted(items) == list(range(len(carried.instance)))
    assert len(np.unique(carried.positions, axis=0)) == len(carried.positions)  # each can be clicked
    figure = TABLE.source.picture(source, solve(source))
    assert sorted(vertex for trace in figure.data[1:] for vertex in trace.customdata) == [0, 1, 2, 3]
