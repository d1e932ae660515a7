"""The plane: gadgets in every state of their ends, the whole in all tiny instances."""

from dataclasses import replace

import networkx
import pytest
import shapely

import kanon_engine as kanon
from kanon_engine.errors import Infeasible
from kanon_engine.teaching.reductions import reduction_named
from kanon_engine.teaching.reductions.matching import parse, routed, solve, text
from kanon_engine.teaching.reductions.model import broken
from tests.oracles.paths import covers
from tests.teaching.reductions.matchings import CROSSED, TINY, same_answer

NAMES = ["matching-to-paths", "matching-to-planar-paths", "matching-to-regions"]
IN_THE_PLANE = NAMES[1:]


@pytest.mark.parametrize("name", IN_THE_PLANE)
def test_small_instances_have_the_same_answer(name):
    answers = [same_answer(reduction_named(name), source) for source in TINY[:14]]
    assert set(answers) == {True, False}


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_all_tiny_instances_have_the_same_answer(name):
    answers = [same_answer(reduction_named(name), source) for source in TINY]
    assert (len(answers), sum(answers)) == (178, 31)


@pytest.mark.parametrize("name", IN_THE_PLANE)
@pytest.mark.parametrize("source", [*TINY[:4], *TINY[9:23:3], CROSSED], ids=text)
def test_the_graph_is_drawn_in_the_plane(name, source):
    carried = reduction_named(name).build(source)
    edges = carried.instance.edges.tolist()
    graph = networkx.Graph(edges)
    assert networkx.check_planarity(graph)[0]
    lines = [shapely.LineString(carried.positions[edge]) for edge in edges]
    ones, others = shapely.STRtree(lines).query(lines, predicate="intersects") if lines else ((), ())
    touching = {(one, other) for one, other in zip(ones, others, strict=True) if one < other}
    assert all(set(edges[one]) & set(edges[other]) for one, other in touching)
    if name == "matching-to-regions":
        assert len(graph) == len(carried.instance)
        assert {degree for _, degree in graph.degree} == {3}


def items_of(carried, kind):
    return {item for gadget in carried.gadgets if gadget.kind == kind for item in gadget.items}


@pytest.mark.parametrize("name", IN_THE_PLANE)
def test_a_cross_over_has_four_ways_and_they_are_the_parities(name):
    """Every way to cover it and the connectors at its corners, whatever is outside of these."""
    carried = reduction_named(name).build(CROSSED)
    ids, graph = carried.instance.ids.tolist(), networkx.Graph(carried.instance.edges.tolist())
    graph.remove_nodes_from(items_of(carried, "end piece"))
    corners = [ids.index(f"k1-{corner}") for corner in (1, 2, 3, 4)]
    inside = items_of(carried, "crossing")
    middles = [next(item for item in graph[corner] if item not in inside) for corner in corners]
    pendants = [next(item for item in graph[middle] if graph.degree[item] == 1) for middle in middles]
    ends = [
        next(item for item in graph[middle] if item not in (corner, pendant))
        for corner, middle, pendant in zip(corners, middles, pendants, strict=True)
    ]
    ways = list(covers(graph.edges, inside | set(middles) | set(pendants), ends))
    taken = sorted(tuple(corner for corner, end in enumerate(ends) if end in set().union(*way)) for way in ways)
    assert taken == [(0, 1), (0, 3), (1, 2), (2, 3)]


@pytest.mark.parametrize("vertex", ["d1", "x1", "y2"])
def test_a_cap_is_covered_by_itself(vertex):
    """Of a vertex that hangs on another, of one with one wire, and of one with two."""
    carried = reduction_named("matching-to-regions").build(parse("1 1 2; 2 1 1; 2 2 2"))
    ids, graph = carried.instance.ids.tolist(), networkx.Graph(carried.instance.edges.tolist())
    cap = next(set(gadget.items) for gadget in carried.gadgets if gadget.name == f"end piece of {vertex}")
    near = networkx.single_source_shortest_path_length(graph, ids.index(vertex), cutoff=2)
    ways = list(covers(graph.edges, cap, set(near) - cap))
    assert ways
    assert all(set().union(*way) == cap for way in ways)


@pytest.mark.parametrize("degree", [4, 5, 6, 7, 8])
def test_of_the_wires_at_a_fan_out_one_takes_a_vertex(degree):
    triples = [(1, y + 1, z + 1) for y in range(3) for z in range(3)][:degree]
    source = parse("; ".join(" ".join(map(str, triple)) for triple in triples))
    carried = reduction_named("matching-to-regions").build(source)
    graph = networkx.Graph(carried.instance.edges.tolist())
    graph.remove_nodes_from(items_of(carried, "end piece"))
    gadgets = {gadget.name: set(gadget.items) for gadget in carried.gadgets}
    row, fan = gadgets["element x1"], gadgets["branches of element x1"]
    middles = {item for vertex in row for item in graph[vertex]} - fan - row
    pendants = {item for middle in middles for item in graph[middle] if graph.degree[item] == 1}
    ends = {item for middle in middles for item in graph[middle]} - row - pendants
    ways = list(covers(graph.edges, row | fan | middles | pendants, ends))
    left = sorted(tuple(sorted(ends - set().union(*way))) for way in ways)
    assert left == sorted((end,) for end in ends)
    assert len(left) == degree


@pytest.mark.thorough(one_in=4)
@pytest.mark.parametrize("name", IN_THE_PLANE)
@pytest.mark.parametrize(
    "mutation",
    [
        "wires that should cross do not cross",
        "wires that cross share one vertex",
        "where two wires cross, the vertex in the middle is not joined to the triangles",
        "K is 4",
    ],
)
def test_a_mutation_is_refuted(name, mutation):
    found = broken(reduction_named(name), mutation)
    assert found.of_source != found.of_target


@pytest.mark.thorough
@pytest.mark.parametrize("name", IN_THE_PLANE)
def test_every_mutation_is_refuted(name):
    reduction = reduction_named(name)
    assert all(broken(reduction, mutation.name) for mutation in reduction.mutations)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("line", ["1 1 1; 1 2 2; 2 1 2", "1 1 1; 1 1 2; 2 1 2; 2 2 1"])
def test_where_there_is_no_matching_a_group_weighs_four(name, line):
    """The gap of Theorem 3: 4/3 between the least costs of yes and no."""
    reduction = reduction_named(name)
    carried = reduction.build(parse(line))
    yes = solve(parse(line)) is not None
    assert (reduction.decide(carried) is not None) == yes
    above = replace(carried, threshold=4)
    assert reduction.fault(above, reduction.decide(above)) == ""


@pytest.mark.thorough
def test_the_engine_finds_the_same_costs():
    for source in TINY[:10]:
        carried = reduction_named("matching-to-paths").build(source)
        try:
            g = kanon.generalize(carried.instance, carried.k, "exact")
        except Infeasible:
            assert solve(source) is None
        else:
            assert (g.cost == carried.threshold) == (solve(source) is not None)


def test_wires_end_at_their_elements_after_the_crossings():
    for source in TINY[::5]:
        routing = routed(source)
        for side in (routing.above, routing.below):
            wires = list(side.wires)
            for level in side.swaps:
                for column in level:
                    wires[column], wires[column + 1] = wires[column + 1], wires[column]
            ends = [side.elements.index(source.element(wire)) for wire in wires]
            assert ends == sorted(ends)
