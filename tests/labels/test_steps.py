"""Runs on labels, told step by step, replayed with plain code: every move is legal and every number recounted."""

from itertools import pairwise

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine import teaching
from kanon_engine.model.known import FAMILIES
from kanon_engine.teaching.labels.picture import step_figure
from tests.labels.samples import labels_of, small_instances
from tests.oracles import labels as oracle

ALGORITHMS = FAMILIES["labels"].algorithms
PAPER = [  # tight for Fold twice; five halves by its cases; two large ones alone; Lemma 8
    ([9, 9, 9], 10),
    ([30, 9], 10),
    ([9, 9, 7, 1], 10),
    ([9, 9, 7, 1], 11),
    ([9, 9, 7, 7, 5, 4], 10),
    ([6, 5, 5, 5, 3, 1, 1], 10),
    ([12, 6, 5, 5, 5, 3], 10),
    ([1, 5, 9, 5], 10),
]
SMALL = [*PAPER, *small_instances(40, seed=7)]


def told(counts, k, algorithm, **settings):
    labels = labels_of(counts)
    g = kanon.generalize(labels, k, algorithm, **settings)
    return g, list(teaching.steps(labels, g))


def levels_of(step, counts):
    """Weight of each bin of a state, counted one by one."""
    levels = [0] * step.state.bins
    for number, count in zip(step.state.assignment.tolist(), counts, strict=True):
        if number >= 0:
            levels[number] += count
    return levels


def right_bins(question):
    assert question.places
    return {question.places[answer] for answer in question.answers}


def lightest(levels):
    return {number for number, level in enumerate(levels) if level == min(levels)}


def placements(counts, k, order):
    """Label by label what next fit does: heavy ones alone, then bin after bin; and what it leaves over."""
    heavy = [item for item in order if counts[item] >= k]
    bins = [(item, number) for number, item in enumerate(heavy)]
    number, level, start = len(heavy), 0, len(bins)
    for item in order:
        if counts[item] < k:
            bins.append((item, number))
            level += counts[item]
            if level >= k:
                number, level, start = number + 1, 0, len(bins)
    return bins[:start], [item for item, _ in bins[start:]], number


def state_after(done, count):
    assignment = [-1] * count
    for item, number in done:
        assignment[item] = number
    return assignment


@pytest.mark.parametrize("order", ["given", "sorted"])
@pytest.mark.parametrize("algorithm", ["fold", "spread"])
def test_next_fit_and_leftovers_are_replayed(algorithm, order):
    for counts, k in SMALL:
        g, steps = told(counts, k, algorithm, order=order)
        items = sorted(range(len(counts)), key=lambda item: -counts[item]) if order == "sorted" else range(len(counts))
        full, left, m = placements(counts, k, list(items))
        levels = [0] * m
        for item, number in full:
            levels[number] += counts[item]
        todo, done = [*full], []
        for before, step in pairwise(steps):
            waits = before.state.waiting.tolist()
            moved = step.changed.tolist()
            assert sorted(moved) == sorted(waits[: len(moved)]), "those that come first fall first"
            if todo:
                done += [todo.pop(0) for _ in moved]
                assert step.state.assignment.tolist() == state_after(done, len(counts))
                number = int(step.state.assignment[waits[len(moved) - 1]])
                now = levels_of(step, counts)
                assert step.inequality.left in (now[number], min(counts[item] for item in moved))
                assert step.inequality.right == k
                question = step.question
                if question is not None and question.places:
                    assert right_bins(question) == {number}
                elif question is not None and question.choices:
                    assert question.answers == (int(now[number] >= k),)
                elif question is not None:
                    assert question.answers == (sum(count >= k for count in counts),)
                continue
            levels = levels_of(before, counts)
            if step.question is not None:
                assert right_bins(step.question) == lightest(levels)
            if algorithm == "fold":
                assert len(moved) == len(left)
                assert int(step.state.assignment[moved[0]]) == levels.index(min(levels))
                assert (step.inequality.left, step.inequality.right) == (sum(counts[item] for item in left), k)
            elif step.inequality is not None:
                weight = counts[moved[0]]
                assert (step.inequality.left, step.inequality.right) == (min(levels) + weight, step.state.cap)
                assert int(step.state.assignment[moved[0]]) in lightest(levels)
        assert not todo
        assert steps[-1].state.assignment.tolist() == g.assignment.tolist()


def test_the_case_of_theorem_9_is_worked_out():
    seen = set()
    for counts, k in SMALL:
        g, steps = told(counts, k, "five-halves")
        full, left, _ = placements(counts, k, sorted(range(len(counts)), key=lambda item: -counts[item]))
        asked = [place for place, step in enumerate(steps) if step.question and "Theorem 9" in step.question.prompt]
        assert len(asked) == bool(left)
        if not left:
            continue
        step, after = (steps[asked[0] + place] for place in (0, 1))
        f, r = counts[left[0]], sum(counts[item] for item in left[1:])
        below = [counts[item] for item, _ in full if counts[item] < k]
        case = 0 if 2 * f <= k else 3 if not below else 1 if max(below) + r >= k else 2
        assert step.question.answers == (case,)
        seen.add(case)
        inequality = step.inequality
        expected = {0: (2 * f, k), 1: (max(below, default=0) + r, k), 2: (max(below, default=0) + r, k), 3: (2 * f, k)}
        assert (inequality.left, inequality.right) == expected[case]
        if case == 0:
            parts = np.split([counts[item] for item in left], np.cumsum(step.state.parts)[:-1])
            assert sum(step.state.parts) == len(left)
            assert all(2 * part.sum() <= k for part in parts)
        if case in (0, 1):
            folded = levels_of(told(counts, k, "fold", order="sorted")[1][-1], counts)
            assert (after.inequality.left, after.inequality.right) == (max(levels_of(after, counts)), max(folded))
            assert min(levels_of(after, counts)) >= k
            assert g.cost == min(max(levels_of(after, counts)), max(folded))
    assert seen == {0, 1, 2, 3}


@pytest.mark.parametrize("algorithm", ["two-approximation", "scheme", "relaxed-scheme"])
def test_candidates_are_weighed_against_the_best_before(algorithm):
    for counts, k in SMALL:
        g, steps = told(counts, k, algorithm)
        best = None
        for step in steps:
            if "the largest group holds" not in step.why:
                continue
            levels = levels_of(step, counts)
            assert min(levels) >= g.details.threshold
            if best is not None:
                assert (step.inequality.left, step.inequality.right) == (max(levels), best)
                assert step.question.answers == (int(max(levels) < best),)
            best = max(levels) if best is None else min(best, max(levels))
        assert best == g.cost == max(levels_of(steps[-1], counts))


def test_the_best_packing_falls_label_after_label():
    for counts, k in SMALL:
        _, steps = told(counts, k, "two-approximation")
        begin = next(place for place, step in enumerate(steps) if "packing is shown again" in step.why)
        assert (steps[begin].state.assignment < 0).all()
        for before, step in pairwise(steps[begin:]):
            (item,) = step.changed.tolist()
            number = int(step.state.assignment[item])
            assert before.state.waiting[0] == item
            assert step.inequality.left == levels_of(step, counts)[number]
            if step.question is not None:
                assert right_bins(step.question) == {number}


@pytest.mark.parametrize("algorithm", ["scheme", "relaxed-scheme"])
def test_small_labels_fall_into_the_lightest_group(algorithm):
    seen = 0
    for counts, k in SMALL:
        _, steps = told(counts, k, algorithm, epsilon=0.9)
        for before, step in pairwise(steps):
            if not step.why.startswith("The small labels are packed"):
                continue
            seen += 1
            levels = levels_of(before, counts)
            assert right_bins(step.question) == lightest(levels) if step.question else len(levels) == 1
            for item in before.state.waiting.tolist():
                number = levels.index(min(levels))
                assert step.state.assignment[item] == number
                levels[number] += counts[item]
            assert step.inequality.left == min(levels)
    assert seen > 10


def cuttable(weights, k, cap):
    """How many of the first labels can be cut into intervals of k to cap, at most."""
    good = [True] + [False] * len(weights)
    for end in range(1, len(weights) + 1):
        good[end] = any(good[start] and k <= sum(weights[start:end]) <= cap for start in range(end))
    return max(end for end, fine in enumerate(good) if fine)


def test_caps_of_intervals_are_asked_truly():
    for counts, k in SMALL:
        g, steps = told(counts, k, "ordered")
        for step in steps[1:]:
            groups = [own for own in range(step.state.bins) if (step.state.assignment == own).any()]
            places = [np.flatnonzero(step.state.assignment == own) for own in groups]
            assert all((np.diff(own) == 1).all() for own in places)
            assert all(k <= level <= step.state.cap for level in levels_of(step, counts) if level)
            if step.question is not None and step.question.choices:
                reached = cuttable(counts, k, step.state.cap)
                assert step.question.answers == (int(reached == len(counts)),)
                assert step.inequality.left == int((step.state.assignment >= 0).sum()) == reached
            elif step.question is not None:
                start = sum(len(own) for own in places[:-1])
                fits = [end for end in range(start, len(counts) + 1) if sum(counts[start:end]) <= g.cost]
                assert step.question.answers == (max(fits) - start,)
        assert cuttable(counts, k, g.cost) == len(counts) > cuttable(counts, k, g.cost - 1)


def test_lowest_level_first_is_replayed():
    for counts, k in SMALL:
        _, steps = told(counts, k, "near-optimal")
        items = sorted(range(len(counts)), key=lambda item: -counts[item])
        levels = [0] * steps[0].state.bins
        for item, step in zip(items, steps[1:], strict=False):
            number = levels.index(min(levels))
            if step.question is not None:
                assert right_bins(step.question) == lightest(levels)
            levels[number] += counts[item]
            assert step.changed.tolist() == [item]
            assert step.state.assignment[item] == number


def test_the_least_possible_is_asked_and_is_that():
    asked = 0
    for counts, k in SMALL:
        g, steps = told(counts, k, "exact")
        best, _ = oracle.optimum(counts, k)
        assert g.cost == best
        for step in steps:
            if step.question is not None and not step.question.choices:
                asked += 1
                assert step.question.answers == (best,)
                assert best < step.question.high == max(levels_of(steps[1], counts))
    assert asked > 3


@pytest.mark.parametrize("algorithm", [name for name in ALGORITHMS if name != "ordered"])
def test_labels_that_stay_together_fall_together(algorithm):
    labels = kanon.Labels("abcdefg", [5, 6, 2, 4, 3, 3, 1], together=[("c", "g"), ("e", "f")])
    g = kanon.generalize(labels, 7, algorithm)
    for step in teaching.steps(labels, g):
        assert step.state.assignment[2] == step.state.assignment[6]
        assert step.state.assignment[4] == step.state.assignment[5]
        assert set(step.state.waiting.tolist()) == set(np.flatnonzero(step.state.assignment < 0).tolist())
        step_figure(labels, g, step)
    assert (step.state.assignment == g.assignment).all()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_merged_groups_are_the_last_step(algorithm):
    counts = [9, 9, 8, 7, 6, 5]
    labels = kanon.Labels("abcdef", counts, columns={"households": [1, 1, 1, 9, 9, 9]})
    g = kanon.generalize(labels, 10, algorithm, require=kanon.Minimum("households", 12))
    *_, last = teaching.steps(labels, g)
    assert (last.state.assignment == g.assignment).all()


@pytest.mark.parametrize("algorithm", ["near-optimal", "exact"])
def test_labels_apart_are_told_too(algorithm):
    labels = kanon.Labels("abcdef", [9, 9, 8, 7, 6, 5], apart=[("a", "b"), ("c", "d")])
    g = kanon.generalize(labels, 10, algorithm)
    *_, last = teaching.steps(labels, g)
    assert (last.state.assignment == g.assignment).all()


@pytest.mark.parametrize("algorithm", ["fold", "spread", "five-halves", "two-approximation", "ordered", "near-optimal"])
def test_many_labels_make_few_steps(algorithm):
    counts = np.random.default_rng(3).integers(1, 60, 3_000).tolist()
    g, steps = told(counts, 400, algorithm)
    assert len(steps) <= 200
    assert steps[-1].state.assignment.tolist() == g.assignment.tolist()
    step_figure(labels_of(counts), g, steps[len(steps) // 2])


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_pictures_add_up_to_the_state(algorithm):
    for counts, k in PAPER[4:6]:
        g, steps = told(counts, k, algorithm)
        labels = labels_of(counts)
        for step, after in zip(steps, [*steps[1:], None], strict=True):
            asked = None if after is None else after.question
            figure = step_figure(labels, g, step, asked)
            bars, heights = figure.data[0], [0] * step.state.bins
            for place, height in zip(bars.x, bars.y, strict=True):
                heights[int(place) - 1] += int(height)
            assert heights == levels_of(step, counts)
            waits = [trace for trace in figure.data[1:] if trace.type == "bar" and trace.customdata is None]
            assert sum(int(height) for trace in waits for height in trace.y) == sum(
                counts[item] for item in step.state.waiting
            )
            if asked is not None and asked.choices:
                (marks,) = [trace for trace in figure.data if trace.customdata is not None]
                assert list(marks.customdata) == list(range(len(asked.choices)))
                assert list(marks.text if marks.hovertext is None else marks.hovertext) == list(asked.choices)
