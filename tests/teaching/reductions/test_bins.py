"""3-Partition and Partition → labels: the same answers, solutions to and fro, the gaps, every mutation refuted."""

from itertools import islice

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.errors import InvalidInput
from kanon_engine.teaching.reductions import reduction_named
from kanon_engine.teaching.reductions.bins import HALVES, THREE_PARTITION, raised
from kanon_engine.teaching.reductions.model import broken, difference_at
from tests.oracles.bins import has_halves, least_largest_bin

EXACT, FAR, TWO = map(reduction_named, ("3-partition-to-labels", "3-partition-to-raised-labels", "partition-to-labels"))
WEIGHTS, NUMBERS = list(THREE_PARTITION.tiny()), list(HALVES.tiny())
CASES = [(reduction, source) for reduction in (EXACT, FAR) for source in WEIGHTS]
CASES += [(TWO, source) for source in NUMBERS]


def test_tiny_instances_are_solved_as_by_looking_at_all_choices():
    answers = [has_halves(one.numbers) for one in NUMBERS]
    assert [HALVES.solve(one) is not None for one in NUMBERS] == answers
    assert (len(answers), sum(answers)) == (159, 102)
    small = [one for one in WEIGHTS if one.groups <= 2]
    answers = [least_largest_bin(one.weights, one.bound) == one.bound for one in small]
    assert [THREE_PARTITION.solve(one) is not None for one in small] == answers
    assert (len(answers), sum(answers)) == (56, 47)
    assert len(WEIGHTS) == len(set(WEIGHTS)) == 149


@pytest.mark.parametrize("problem", [HALVES, THREE_PARTITION], ids=lambda problem: problem.name)
def test_a_line_is_read_as_it_was_written(problem):
    assert [problem.parse(problem.text(one)) for one in problem.tiny()] == list(problem.tiny())


@pytest.mark.parametrize(
    ("problem", "line", "words"),
    [
        (HALVES, "3 2", "odd"),
        (HALVES, "", "at least 1"),
        (HALVES, "1 0 1", "at least 1"),
        (HALVES, "1 x", "“x”"),
        (HALVES, "1 " * 18, "16 numbers"),
        (THREE_PARTITION, "4 4 5", "Begin with the sum"),
        (THREE_PARTITION, "13: 4 4", "2 weights"),
        (THREE_PARTITION, "13: 4 4 6", "add up to 14"),
        (THREE_PARTITION, "13: 3 5 5", "3 is not between"),
        (THREE_PARTITION, "12: 6 3 3", "6 is not between"),
        (THREE_PARTITION, "3: " + "1 " * 21, "18 weights"),
    ],
)
def test_a_line_that_is_none_is_refused(problem, line, words):
    with pytest.raises(InvalidInput, match=words):
        problem.parse(line)


def test_the_answer_is_the_same_and_solutions_come_and_go():
    yes = {reduction.name: 0 for reduction, _ in CASES}
    for reduction, source in CASES:
        assert difference_at(reduction, source, None) is None, reduction.source.text(source)
        solution, carried = reduction.source.solve(source), reduction.build(source)
        if solution is not None:
            yes[reduction.name] += 1
            classes = reduction.forth(source, carried, solution)
            assert reduction.fault(carried, classes) == ""
            assert reduction.source.check(source, reduction.back(source, carried, classes))
            assert reduction.source.check(source, reduction.back(source, carried, reduction.decide(carried)))
    assert list(yes.values()) == [119, 119, 102]


@pytest.mark.parametrize(("reduction", "source"), [(EXACT, WEIGHTS[40]), (TWO, NUMBERS[70])])
def test_the_decision_is_that_of_looking_at_all_partitions(reduction, source):
    carried = reduction.build(source)
    least = least_largest_bin(carried.instance.counts.tolist(), carried.k)
    assert (reduction.decide(carried) is not None) == (least <= carried.threshold)


def test_a_no_costs_twice_as_much_where_there_are_no_halves():
    for source in NUMBERS:
        carried = TWO.build(source)
        cost = kanon.generalize(carried.instance, carried.k, "exact").cost
        assert cost == (source.half if HALVES.solve(source) else 2 * source.half)


def test_a_no_costs_nearly_four_thirds_with_raised_weights():
    ratios = {}
    for source in WEIGHTS:
        carried, more, bound = FAR.build(source), raised(source), source.bound
        cost = kanon.generalize(carried.instance, carried.k, "exact").cost
        if THREE_PARTITION.solve(source):
            assert cost == carried.k == 3 * more + bound
        else:
            assert cost > carried.threshold == 4 * more + bound
            assert cost / carried.k > 4 / 3 - 1 / (9 * bound + 3)
            ratios[source.groups] = min(ratios.get(source.groups, 9), cost / carried.k)
    assert [round(ratio, 2) for ratio in ratios.values()] == [2.0, 1.66, 1.33]  # six, five and four labels in a group


def test_one_record_more_or_less_alone_breaks_nothing_while_groups_are_fewer_than_B():
    """Three weights are more than B by less than B; see docs/reductions.md."""
    for source in WEIGHTS:
        counts, bound = source.weights, source.bound
        if bound > source.groups + 1:
            answer = THREE_PARTITION.solve(source) is not None
            for k, most in ((bound - 1, bound), (bound, bound + 1)):
                found = kanon.generalize(kanon.Labels(range(len(counts)), counts), k, "exact")
                assert (found.cost <= most) == answer


@pytest.mark.parametrize(
    ("reduction", "mutation"),
    [(reduction, mutation.name) for reduction in (EXACT, FAR, TWO) for mutation in reduction.mutations],
    ids=lambda one: getattr(one, "name", one),
)
def test_every_mutation_is_refuted(reduction, mutation):
    found = broken(reduction, mutation)
    assert found is not None
    assert found.of_source != found.of_target


@pytest.mark.parametrize("reduction", [EXACT, FAR, TWO], ids=lambda one: one.name)
def test_classes_that_do_not_meet_k_or_the_threshold_are_refused(reduction):
    source = reduction.source.parse(reduction.source.example)
    carried = reduction.build(source)
    good = reduction.forth(source, carried, reduction.source.solve(source))
    for wrong, words in ((np.arange(len(good)), "below k"), (good * 0, "above K"), (good - 1, "in no group")):
        with pytest.raises(InvalidInput, match=words):
            reduction.back(source, carried, wrong)


@pytest.mark.parametrize("reduction", [EXACT, FAR, TWO], ids=lambda one: one.name)
def test_a_picture_names_every_item_once(reduction):
    for source in islice(reduction.source.tiny(), 8, 12):
        carried = reduction.build(source)
        for classes in (None, reduction.decide(carried)):
            (bars,) = reduction.picture(source, carried, classes).data
            assert list(bars.customdata) == list(range(len(carried.instance)))
        assert reduction.source.picture(source, reduction.source.solve(source)).data
