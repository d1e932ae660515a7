"""The steps of the algorithms on points, replayed by plain code."""

from itertools import pairwise
from math import ceil

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine import teaching
from kanon_engine.plot.colors import LINE
from kanon_engine.teaching.rectangles.picture import step_figure
from tests.compiled import SHARE


def steps_of(points, g):
    return list(teaching.steps(points, g))


def some_points(seed, n=None):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 16)) if n is None else n
    return kanon.Points(rng.integers(0, 9, (n, 2)), rng.integers(1, 5, n)), int(rng.integers(1, 9))


def inside(points, box):
    """Positions of the points in a box of a tiling of the bounding box."""
    x, y = points.xy.T
    _, _, right, top = points.box
    across = (x >= box[0]) & ((x < box[2]) | ((x == box[2]) & (box[2] == right)))
    up = (y >= box[1]) & ((y < box[3]) | ((y == box[3]) & (box[3] == top)))
    return np.flatnonzero(across & up)


def assert_true(points, g, steps):
    assert np.array_equal(steps[-1].state.assignment, g.assignment)
    for step in steps:
        assert step.inequality is None or step.inequality.holds
        for box, weight, number in zip(step.state.boxes, step.state.weights, step.state.classes, strict=True):
            own = inside(points, box)
            assert points.weights[own].sum() == weight
            assert (step.state.assignment[own] == number).all()
    assert sorted(steps[-1].state.boxes.tolist()) == sorted(g.details.rectangles.tolist())


def cuts_of(points, box, k):
    """(axis, lighter side, worse side) by (axis, line), of all lines halfway between coordinates within a box."""
    own, found = inside(points, box), {}
    for axis in range(2):
        for a, b in pairwise(sorted(set(points.xy[own, axis].tolist()))):
            low = int(points.weights[own][points.xy[own, axis] <= a].sum())
            high = int(points.weights[own].sum()) - low
            worse = max(ceil(side / (side // k)) for side in (low, high)) if min(low, high) >= k else None
            found[axis, (a + b) / 2] = (min(low, high), worse)
    return found


def boxes_of(state):
    return {tuple(box) for box in state.boxes.tolist()}


@pytest.mark.parametrize("rule", ["balanced", "longest-side", "cyclic", "least-overfull"])
@pytest.mark.parametrize("seed", range(0, 12, SHARE))
def test_every_cut_leaves_k_on_both_sides_and_is_the_best_across_its_axis(seed, rule):
    points, k = some_points(seed)
    if points.total < k:
        return
    g = kanon.generalize(points, k, "kd-tree", cut=rule)
    steps = steps_of(points, g)
    assert_true(points, g, steps)
    assert len(steps) == g.classes + 1
    for before, step in pairwise(steps[:-1]):
        (gone,) = boxes_of(before.state) - boxes_of(step.state)
        parts = boxes_of(step.state) - boxes_of(before.state)
        number, axis, at = step.state.splits[-1]
        assert step.state.splits[:-1].tolist() == before.state.splits.tolist()
        assert len(parts) == 2
        assert before.state.boxes[before.state.nodes == number].tolist() == [list(gone)]
        every = cuts_of(points, gone, k)
        lighter, worse = every[int(axis), at]
        assert lighter == step.inequality.left >= k == step.inequality.right
        allowed = {line: found for line, found in every.items() if line[0] == axis and found[0] >= k}
        if rule == "least-overfull":
            best = {line for line, found in allowed.items() if found == (lighter, worse)}
            assert all((found[1], -found[0]) >= (worse, -lighter) for found in allowed.values())
        else:
            best = {line for line, found in allowed.items() if found[0] == lighter}
            assert max(found[0] for found in allowed.values()) == lighter
        if step.question is not None:
            assert step.question.box == gone
            assert {step.question.places[answer] for answer in step.question.answers} == best
    left = [found[0] for box in boxes_of(steps[-1].state) for found in cuts_of(points, box, k).values()]
    assert max(left, default=0) < k
    if left:
        assert steps[-1].inequality.left == max(left)
        assert steps[-1].question.answers == (max(left),)


@pytest.mark.parametrize("seed", range(0, 12, SHARE))
def test_the_balanced_tree_is_grown_then_cut_anew(seed):
    points, k = some_points(100 + seed, 24)
    g = kanon.generalize(points, k, "balanced-kd-tree")
    steps = steps_of(points, g)
    assert_true(points, g, steps)
    largest = [int(step.state.weights.max()) for step in steps if "recut" in step.why]
    assert largest == sorted(largest, reverse=True)
    for before, step in pairwise(steps):
        if step.question is None or not step.question.choices:
            continue
        (gone,) = boxes_of(before.state) - boxes_of(step.state)
        every = cuts_of(points, gone, k)
        _, axis, at = step.state.splits[-1]
        worse = max(g.lower_bound, every[int(axis), at][1])
        allowed = {line: max(g.lower_bound, found[1]) for line, found in every.items() if found[1] is not None}
        right = {line for line, found in allowed.items() if found == worse}
        said = {step.question.places[answer] for answer in step.question.answers}
        assert said <= right
        assert (int(axis), at) in said or len(right) > len(said)
        assert not {line for place, line in enumerate(step.question.places) if line in right} - said
        assert min(allowed.values()) == worse


def test_cutting_anew_is_told_with_what_it_lowered():
    seen = 0
    for seed in range(40):
        points, _ = some_points(200 + seed, 40)
        steps = steps_of(points, kanon.generalize(points, 9, "balanced-kd-tree"))
        seen += sum("are cut again" in step.why for step in steps)
        if seen:
            break
    assert seen


def divided(points, own, k, cap):
    """Whether cuts can divide points into groups of k to the cap, by trying all."""
    weight = int(points.weights[own].sum())
    if weight < k:
        return False
    if weight <= cap:
        return True
    for axis in range(2):
        for line in sorted(set(points.xy[own, axis].tolist()))[1:]:
            low = own[points.xy[own, axis] < line]
            if divided(points, low, k, cap) and divided(points, np.setdiff1d(own, low), k, cap):
                return True
    return False


@pytest.mark.parametrize("seed", range(0, 8, SHARE))
def test_cuts_of_the_exact_search_lead_below_the_largest_group(seed):
    points, k = some_points(300 + seed, 9)
    g = kanon.generalize(points, k, "exact")
    steps = steps_of(points, g)
    assert_true(points, g, steps)
    for before, step in pairwise(steps):
        if step.question is None:
            continue
        (gone,) = boxes_of(before.state) - boxes_of(step.state)
        own = inside(points, gone)
        parts = [inside(points, box) for box in g.details.rectangles]
        cap = max(int(points.weights[part].sum()) for part in parts if set(part) <= set(own))
        assert f"stay at {cap:,} or below" in step.question.prompt
        for place, (axis, at) in enumerate(step.question.places):
            low = own[points.xy[own, axis] < at]
            right = divided(points, low, k, cap) and divided(points, np.setdiff1d(own, low), k, cap)
            assert right == (place in step.question.answers)


def test_the_pinwheel_is_shown_rectangle_after_rectangle():
    points = kanon.Points([(i, j) for i in range(3) for j in range(3)], [1, 1, 1, 1, 2, 1, 1, 1, 1])
    g = kanon.generalize(points, 2, "exact", guillotine=False)
    steps = steps_of(points, g)
    assert [len(step.state.boxes) for step in steps] == [1, 1, 2, 3, 4, 5, 5]
    assert steps[1].question.answers == (5,)
    assert steps[5].why == "Rectangle 5 of 5 holds 2 records."
    assert np.array_equal(steps[-1].state.assignment, g.assignment)


@pytest.mark.parametrize("algorithm", ["kd-tree", "balanced-kd-tree", "exact"])
def test_requirements_and_grids_end_at_the_result(algorithm):
    rng = np.random.default_rng(5)
    points = kanon.Points(rng.random((25, 2)) * 8, columns={"homes": rng.integers(0, 2, 25)})
    for options in ({"snap": 1.0}, {"require": [kanon.Minimum("homes", 3)]}, {"snap": 0.5}):
        g = kanon.generalize(points, 4, algorithm, **options)
        steps = steps_of(points, g)
        assert np.array_equal(steps[-1].state.assignment, g.assignment)
        assert sorted(steps[-1].state.boxes.tolist()) == sorted(g.details.rectangles.tolist())
        if "snap" in options:
            asked = [step.question for step in steps if step.question is not None and step.question.choices]
            assert asked
            assert all(at % options["snap"] == 0 for question in asked for _, at in question.places)


def test_many_points_are_told_in_few_steps_and_drawn():
    rng = np.random.default_rng(6)
    points = kanon.Points(rng.random((3_000, 2)), crs="EPSG:4326")
    g = kanon.generalize(points, 8, "kd-tree")
    steps = steps_of(points, g)
    assert len(steps) <= 200 < g.classes
    assert np.array_equal(steps[-1].state.assignment, g.assignment)
    figure = step_figure(points, g, steps[1], steps[2].question)
    assert figure.layout.xaxis.title.text == "longitude"
    assert [list(trace.customdata) for trace in figure.data if trace.customdata is not None] == [[0, 1]]
    assert "http" not in figure.to_json()


def test_boxes_and_tree_stand_beside_each_other():
    points, k = some_points(1, 15)
    g = kanon.generalize(points, k, "kd-tree")
    step = steps_of(points, g)[-1]
    figure = step_figure(points, g, step)
    (tree,) = (trace for trace in figure.data if trace.name == "tree")
    assert len(tree.x) == 2 * g.classes - 1
    assert sorted(tree.text).count(f"{points.total}") == 1
    assert tree.textfont.color == LINE  # the page's own color can be as light as the boxes
    assert figure.layout.xaxis.domain[1] < figure.layout.xaxis2.domain[0]
