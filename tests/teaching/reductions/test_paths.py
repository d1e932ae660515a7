"""3-dimensional matching → paths of length 2: the same answers, solutions to and fro, every mutation refuted."""

from itertools import islice

import pytest

from kanon_engine.errors import InvalidInput
from kanon_engine.teaching.reductions import REDUCTIONS, reduction_named
from kanon_engine.teaching.reductions.matching import MATCHING, parse, solve, text
from kanon_engine.teaching.reductions.model import broken
from tests.oracles.matching import matchings
from tests.teaching.reductions.matchings import TINY, same_answer

PLAIN = reduction_named("matching-to-paths")


def test_tiny_instances_are_solved_as_by_looking_at_all_choices():
    answers = [bool(matchings(one.size, one.triples)) for one in TINY]
    assert [solve(one) is not None for one in TINY] == answers
    assert (len(answers), sum(answers)) == (178, 31)


def test_a_line_is_read_as_it_was_written():
    assert [parse(text(one)) for one in TINY] == TINY


@pytest.mark.parametrize(
    "line",
    [
        *("1 1", "1 1 x", "a: 1 1 1", "1: 1 1 2", "1 1 1; 1 1 1", "", "0 1 1", "13: 1 1 1"),
        pytest.param("1 1 " + "9" * 5000, id="a number too long to be read"),
        pytest.param("9" * 5000 + ": 1 1 1", id="a size too long to be read"),
    ],
)
def test_a_line_that_is_none_is_refused(line):
    with pytest.raises(InvalidInput):
        parse(line)


def test_the_answer_is_the_same_and_solutions_come_and_go():
    assert {same_answer(PLAIN, source) for source in TINY[:60]} == {True, False}


@pytest.mark.parametrize("mutation", [mutation.name for mutation in PLAIN.mutations])
def test_every_mutation_is_refuted(mutation):
    found = broken(PLAIN, mutation)
    assert found is not None
    assert found.of_source != found.of_target


def test_classes_that_do_not_meet_the_threshold_are_refused():
    source = parse("1 1 1")
    carried = PLAIN.build(source)
    together = PLAIN.forth(source, carried, (0,)) * 0
    with pytest.raises(InvalidInput, match="element x1 weighs 12, but 3 is required"):
        PLAIN.back(source, carried, together)


def test_names_are_listed_where_one_is_wrong():
    with pytest.raises(InvalidInput, match=next(iter(REDUCTIONS))):
        reduction_named("nothing")
    with pytest.raises(InvalidInput, match="vertices are joined by single edges instead of connectors"):
        broken(PLAIN, "nothing")


def test_a_picture_names_every_item_once():
    for source in islice(TINY, 8, 12):
        carried = PLAIN.build(source)
        figure = PLAIN.picture(source, carried, PLAIN.decide(carried))
        items = [item for trace in figure.data if trace.customdata is not None for item in trace.customdata]
        assert sorted(items) == list(range(len(carried.instance)))
        assert MATCHING.picture(source, solve(source)).data
