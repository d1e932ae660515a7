"""Points and rectangles: gadgets in every state of their ends, the whole in all tiny instances."""

from dataclasses import replace
from itertools import chain, combinations

import numpy as np
import pytest

from kanon_engine.errors import InvalidInput
from kanon_engine.teaching.reductions import reduction_named
from kanon_engine.teaching.reductions.corridors import CorridorGrid, as_grid, corridor_grid
from kanon_engine.teaching.reductions.matching import parse, solve
from kanon_engine.teaching.reductions.model import broken
from tests.oracles.tiles import tilings
from tests.teaching.reductions.matchings import CROSSED, TINY, same_answer

POINTS = reduction_named("matching-to-rectangles")


def subsets(things):
    """All of them, the empty one first."""
    things = list(things)
    return chain.from_iterable(combinations(things, size) for size in range(len(things) + 1))


def test_small_instances_have_the_same_answer():
    assert {same_answer(POINTS, source) for source in TINY[:12]} == {True, False}


@pytest.mark.thorough
def test_all_tiny_instances_have_the_same_answer():
    answers = [same_answer(POINTS, source) for source in TINY]
    assert (len(answers), sum(answers)) == (178, 31)


def test_a_cross_over_passes_on_what_each_wire_says():
    """Its nine cells and any of its four ports: one of each wire's must be with them."""
    grid = corridor_grid(CROSSED)
    (block, ports), *others = grid.crossings
    assert not others
    feasible = [
        {ports.index(port) for port in taken}
        for taken in subsets(ports)
        if tilings({cell: grid.weights[cell] for cell in (*block, *taken)})
    ]
    assert feasible == [{0, 2}, {0, 3}, {1, 2}, {1, 3}]


@pytest.mark.parametrize(
    "mutation",
    [
        "where two corridors cross, the middle holds only one record",
        "where two corridors cross, there is a wall in the middle",
    ],
)
def test_a_cross_over_with_another_middle_does_not(mutation):
    grid = corridor_grid(CROSSED, mutation)
    block, ports = grid.crossings[0]
    feasible = [
        set(taken) for taken in subsets(ports) if tilings({cell: grid.weights[cell] for cell in (*block, *taken)})
    ]
    assert {frozenset({ports[0], ports[2]}), frozenset({ports[1], ports[3]})} - set(map(frozenset, feasible))


@pytest.mark.parametrize("length", range(1, 16))
def test_a_corridor_takes_one_of_its_ends(length):
    """Straight, and with a turn; of an even length where four cells lie in a line."""
    for corners in ([(0, 0), (length + 1, 0)], [(0, 0), (0, 1), (length, 1)]):
        grid = CorridorGrid()
        ends = [grid.cell(corner, 1, ("end", "end", "")) for corner in (corners[0], corners[-1])]
        if length % 2 == 0 and length < 8:
            continue
        grid.corridor(corners, ("corridor", "corridor", ""))
        assert len(grid.weights) == length + 2
        taken = [
            set(own)
            for own in subsets(ends)
            if tilings({cell: weight for cell, weight in grid.weights.items() if cell not in ends or cell in own})
        ]
        assert taken == [{end} for end in ends]


def test_a_corridor_too_short_to_shift_is_refused():
    grid = CorridorGrid()
    with pytest.raises(InvalidInput, match="straight enough for them"):
        grid.corridor([(0, 0), (3, 0)], ("corridor", "corridor", ""))


def test_a_triple_is_one_rectangle_or_each_of_its_records_goes_with_its_door():
    grid = corridor_grid(parse("1 1 1"))
    cells = [cell for cell, part in grid.parts.items() if part[1] == "triple"]
    doors = [corridor.cells[0] for corridors in grid.corridors.values() for corridor in corridors]
    feasible = [
        set(taken) for taken in subsets(doors) if tilings({cell: grid.weights[cell] for cell in (*cells, *taken)})
    ]
    assert feasible == [set(), set(doors)]


@pytest.mark.parametrize("degree", [2, 3, 4, 5, 6])
def test_of_the_wires_at_an_element_one_takes_a_chooser(degree):
    triples = [(1, y + 1, z + 1) for y in range(3) for z in range(3)][:degree]
    grid = corridor_grid(parse("; ".join(" ".join(map(str, triple)) for triple in triples)))
    cells = {cell: weight for cell, weight in grid.weights.items() if grid.parts[cell][0].endswith(" x1")}
    cells = {cell: weight for cell, weight in cells.items() if grid.parts[cell][1] in ("element", "branches")}
    choosers = [cell for cell in cells if grid.parts[cell][1] == "element"]
    assert len(choosers) == max(degree - 2, 1)
    met = [sum(corridor.ends[1] == cell for own in grid.corridors.values() for corridor in own) for cell in choosers]
    assert sum(met) == degree + len(choosers) - 1
    feasible = [
        taken
        for taken in subsets(choosers)
        if tilings({cell: weight for cell, weight in cells.items() if cell not in taken})
    ]
    assert feasible == [(chooser,) for chooser in choosers]


def test_every_location_holds_records_and_walls_are_groups_of_their_own():
    carried = POINTS.build(CROSSED)
    grid = as_grid(carried)
    assert (grid >= 0).all()
    weights = carried.instance.weights[grid]
    assert (np.concatenate([weights[0], weights[-1], weights[:, 0], weights[:, -1]]) == 3).all()
    walls = next(gadget.items for gadget in carried.gadgets if gadget.kind == "wall")
    assignment = POINTS.decide(carried)
    assert len(set(assignment[list(walls)].tolist())) == len(walls)
    assert (np.bincount(assignment, weights=carried.instance.weights) == 3).all()


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("mutation", [mutation.name for mutation in POINTS.mutations])
def test_every_mutation_is_refuted(mutation):
    found = broken(POINTS, mutation)
    assert found is not None
    assert found.of_source != found.of_target


@pytest.mark.parametrize("line", ["1 1 1; 1 2 2; 2 1 2", "1 1 1; 1 1 2; 2 1 2; 2 2 1"])
def test_where_there_is_no_matching_a_group_holds_four(line):
    """The gap of Theorem 4: 4/3 between the least costs of yes and no."""
    carried = POINTS.build(parse(line))
    assert (POINTS.decide(carried) is not None) == (solve(parse(line)) is not None)
    above = replace(carried, threshold=4)
    assert POINTS.fault(above, POINTS.decide(above)) == ""


def test_groups_that_are_no_rectangles_are_refused():
    source = parse("1 1 1")
    carried = POINTS.build(source)
    good = POINTS.forth(source, carried, (0,))
    swapped = good.copy()
    first, second = np.flatnonzero(carried.instance.weights == 3)[[0, -1]]
    swapped[[first, second]] = good[[second, first]]
    assert POINTS.fault(carried, swapped) == ""  # numbers of groups mean nothing
    wrong = good.copy()
    singles = np.flatnonzero(carried.instance.weights == 1)
    one = next(item for item in singles if good[item] != good[singles[0]])
    wrong[[singles[0], one]] = good[[one, singles[0]]]
    with pytest.raises(InvalidInput, match="does not fill a rectangle"):
        POINTS.back(source, carried, wrong)


def test_a_picture_names_every_location_once():
    carried = POINTS.build(CROSSED)
    figure = POINTS.picture(CROSSED, carried, POINTS.decide(carried))
    items = [item for trace in figure.data if trace.customdata is not None for item in trace.customdata]
    assert sorted(items) == list(range(len(carried.instance)))
