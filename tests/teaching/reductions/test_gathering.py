"""3-satisfiability → clusters of radius 1: the same answers, settings to and fro, the gap, every mutation refuted."""

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.errors import InvalidInput
from kanon_engine.teaching.reductions import reduction_named
from kanon_engine.teaching.reductions.gathering import Formula, K, build, parse, solve, text, tiny
from kanon_engine.teaching.reductions.model import broken, difference_at
from tests.oracles.clusterings import gathers, satisfiable

GATHER = reduction_named("satisfiability-to-gather")
TINY = list(tiny())
SMALL = TINY[:60]


def radius_of(source):
    options = {"cost": "radius", "centers": "input"}
    found = kanon.generalize(build(source).instance, K, "exact", **options)
    assert found.status == "optimal"
    return found.cost


def test_tiny_formulas_are_solved_as_by_looking_at_all_settings():
    answers = [satisfiable(one.variables, one.clauses) for one in TINY]
    assert [solve(one) is not None for one in TINY] == answers
    assert (len(answers), sum(answers)) == (len(set(TINY)), 198) == (288, 198)


def test_a_line_is_read_as_it_was_written():
    assert [parse(text(one)) for one in TINY] == TINY
    assert parse("1 -2; 2 3") == Formula(3, ((1, -2), (2, 3)))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "no variable"),
        ("1 2 3 4", "has 4 literals"),
        ("1 -1", "a variable twice"),
        ("1; 1; 1; 1", "in 4 clauses"),
        ("1: 2", "not numbered 1 to 1"),
        ("0", "“0” is not a literal"),
        ("x", "“x” is not a literal"),
        ("a: 1", "“a” cannot be the number"),
        ("7", "6 variables"),
    ],
)
def test_a_line_that_is_none_is_refused(line, words):
    with pytest.raises(InvalidInput, match=words):
        parse(line)


@pytest.mark.parametrize("sources", [SMALL, pytest.param(TINY[60:], marks=pytest.mark.thorough)])
def test_the_answer_is_the_same_and_solutions_come_and_go(sources):
    for source in sources:
        assert difference_at(GATHER, source, None) is None, text(source)
        solution, carried = solve(source), build(source)
        if solution is not None:
            for classes in (GATHER.forth(source, carried, solution), GATHER.decide(carried)):
                assert GATHER.fault(carried, classes) == ""
                assert GATHER.source.check(source, GATHER.back(source, carried, classes))


@pytest.mark.parametrize("line", ["1", "1; -1", "1; 1; 1; -1; -1; -1", "1 2; -1 2; -2", "1 2; -1 2; 1 -2; -1 -2"])
def test_the_decision_is_that_of_looking_at_all_centers(line):
    source = parse(line)
    for mutation in (None, "r is 6", "each variable has six extra points"):
        carried = build(source, mutation)
        matrix = carried.instance.between(np.arange(len(carried.instance))).tolist()
        assert gathers(matrix, carried.k, 1) == (GATHER.decide(carried) is not None)


def test_the_least_radius_is_one_or_two():
    """The hardness of 2: a “no” costs exactly twice as much."""
    radii = {True: set(), False: set()}
    for source in SMALL:
        radii[solve(source) is not None].add(radius_of(source))
    assert radii == {True: {1.0}, False: {2.0}}


def test_distances_are_a_metric_where_nothing_joins_two_variables():
    carried = build(parse("1; 2"))
    apart = carried.instance.between(np.arange(len(carried.instance)))
    assert apart.max() == len(carried.instance)
    assert (apart[:, :, None] <= apart[:, None, :] + apart.T[None, :, :]).all()
    assert GATHER.decide(carried) is not None


@pytest.mark.parametrize("mutation", [mutation.name for mutation in GATHER.mutations])
def test_every_mutation_is_refuted(mutation):
    found = broken(GATHER, mutation)
    assert found is not None
    assert found.of_source != found.of_target


def test_classes_that_do_not_meet_k_or_the_threshold_are_refused():
    source = parse("1 -2")
    carried = build(source)
    good = GATHER.decide(carried)
    for wrong, words in (
        (np.arange(len(good)), "1 point, below k = 7"),
        (good * 0, "a radius of 2, but at most 1"),
        (good - 1, "in no group"),
    ):
        with pytest.raises(InvalidInput, match=words):
            GATHER.back(source, carried, wrong)


def test_a_picture_names_every_item_once():
    for source in TINY[20:23]:
        carried = build(source)
        figure = GATHER.picture(source, carried, GATHER.decide(carried))
        items = [item for trace in figure.data if trace.customdata is not None for item in trace.customdata]
        assert sorted(items) == list(range(len(carried.instance)))
        (cells,) = GATHER.source.picture(source, solve(source)).data
        assert len(cells.text) == sum(map(len, source.clauses))
