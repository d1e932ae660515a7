"""Set cover → cellular clustering: the same answers, covers to and fro, every mutation refuted."""

import numpy as np
import pytest

from kanon_engine.errors import InvalidInput
from kanon_engine.teaching.reductions import reduction_named
from kanon_engine.teaching.reductions.cells import SPARED, SetSystem, build, parse, solve, text, tiny
from kanon_engine.teaching.reductions.model import broken, difference_at
from tests.oracles.clusterings import cheapest_cells, covers
from tests.sentences import BEGIN_WITH_THE_MAXIMUM

CELLS = reduction_named("set-cover-to-cellular")
TINY = list(tiny())


def test_tiny_instances_are_solved_as_by_looking_at_all_choices():
    answers = [covers(one.size, one.sets, one.most) for one in TINY]
    assert [solve(one) is not None for one in TINY] == answers
    assert (len(answers), sum(answers)) == (len(set(TINY)), 124) == (265, 124)


def test_a_line_is_read_as_it_was_written():
    assert [parse(text(one)) for one in TINY] == TINY


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("1 2; 2", BEGIN_WITH_THE_MAXIMUM),
        ("1: 1; 3", "Element 2 is in no set"),
        ("1: 0 1", "no element 0"),
        ("1:", "nothing to cover"),
        ("1: 1 a", "“a” is not a whole number"),
        ("1: 10", "9 elements"),
    ],
)
def test_a_line_that_is_none_is_refused(line, words):
    with pytest.raises(InvalidInput, match=words):
        parse(line)


@pytest.mark.parametrize(
    ("sets", "most", "words"), [(({0, 2},), 1, "contains element 3"), (({0, 1},), -1, "limited to -1 sets")]
)
def test_sets_that_cannot_be_are_refused(sets, most, words):
    with pytest.raises(InvalidInput, match=words):
        SetSystem(2, tuple(map(frozenset, sets)), most)


@pytest.mark.parametrize("sources", [TINY[::5], pytest.param(TINY, marks=pytest.mark.thorough)])
def test_the_answer_is_the_same_and_solutions_come_and_go(sources):
    for source in sources:
        assert difference_at(CELLS, source, None) is None, text(source)
        solution, carried = solve(source), build(source)
        if solution is not None:
            for classes in (CELLS.forth(source, carried, solution), CELLS.decide(carried)):
                assert CELLS.fault(carried, classes) == ""
                assert CELLS.source.check(source, CELLS.back(source, carried, classes))


@pytest.mark.parametrize(
    "mutation",
    [
        None,
        "each cluster needs at least three points",
        "a set costs 2 if it is a center",
        "an element costs 1 if it is a center",
    ],
)
def test_the_decision_is_that_of_looking_at_all_partitions(mutation):
    for source in [one for one in TINY if one.size + len(one.sets) <= 6][::4]:
        carried = build(source, mutation)
        matrix = carried.instance.between(np.arange(len(carried.instance))).tolist()
        least = cheapest_cells(matrix, carried.opening, carried.k)
        assert (CELLS.decide(carried) is not None) == (least is not None and least <= carried.threshold)


@pytest.mark.parametrize("sources", [TINY[::8], pytest.param(TINY, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("spared", SPARED)
def test_what_docs_say_can_be_otherwise_breaks_nothing(spared, sources):
    for source in sources:
        carried = build(source, spared)
        found = CELLS.decide(carried)
        assert (found is None) == (solve(source) is None)
        if found is not None:
            assert CELLS.source.check(source, CELLS.back(source, carried, found))


@pytest.mark.parametrize("mutation", [mutation.name for mutation in CELLS.mutations])
def test_every_mutation_is_refuted(mutation):
    found = broken(CELLS, mutation)
    assert found is not None
    assert found.of_source != found.of_target


def test_classes_that_cost_too_much_are_refused():
    source = parse("2: 1 2; 2 3; 3")
    carried = build(source)
    good = CELLS.decide(carried)
    for wrong, words in ((np.arange(len(good)), "cost 9, but at most 8"), (good - 1, "in no group")):
        with pytest.raises(InvalidInput, match=words):
            CELLS.back(source, carried, wrong)
    small = build(source, "each cluster needs at least three points")
    assert CELLS.fault(small, np.arange(len(good))) == "A group has 1 point, below k = 3."


def test_a_picture_names_every_item_once():
    for source in TINY[20:23]:
        carried = build(source)
        figure = CELLS.picture(source, carried, CELLS.decide(carried))
        items = [item for trace in figure.data if trace.customdata is not None for item in trace.customdata]
        assert sorted(items) == list(range(len(carried.instance)))
        (cells,) = CELLS.source.picture(source, solve(source)).data
        assert len(cells.text) == sum(map(len, source.sets))
