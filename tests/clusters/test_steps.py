"""Runs on records, told step by step, replayed with plain code: flows, prices, peeling and groups are recounted."""

import tomllib
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine import teaching
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.model.known import FAMILIES
from kanon_engine.plot.colors import VERMILION
from kanon_engine.teaching.clusters.picture import step_figure
from tests.app.visit import ROOT
from tests.sentences import WITHOUT_TRUE_DISTANCES

ALGORITHMS = FAMILIES["clusters"].algorithms
FIGURE_1 = MetricSpace([(20, 0), (22, 0), (60, 13), (60, 10), (60, 7)])
SHORT = MetricSpace([[0], [2], [4], [1], [3]])  # width 1: three centers, five records, k = 2


def spaces():
    rng = np.random.default_rng(11)
    yield FIGURE_1, 2
    yield SHORT, 2
    for n, k in ((9, 2), (12, 3), (17, 4)):
        yield MetricSpace(rng.integers(0, 30, (n, 2))), k


SPACES = list(spaces())


def told(space, k, algorithm, **options):
    g = kanon.generalize(space, k, algorithm, **options)
    return g, list(teaching.steps(space, g))


def matrix_of(space):
    points = space.points
    return np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))


def right_points(question):
    assert question.places
    return {question.places[answer] for answer in question.answers}


def can_flow(matrix, centers, width, k):
    """Whether each center can have k points of its own within the width: places are filled one by one, by alternating
    paths."""
    place_of = {}

    def placed(slot, seen):
        for point in np.flatnonzero(matrix[centers[slot // k]] <= width).tolist():
            if point not in seen:
                seen.add(point)
                if point not in place_of or placed(place_of[point], seen):
                    place_of[point] = slot
                    return True
        return False

    return all(placed(slot, set()) for slot in range(k * len(centers)))


@pytest.mark.parametrize("algorithm", ["gather", "center"])
def test_greedy_centers_and_flows_are_replayed(algorithm):
    outcomes = set()
    for space, k in SPACES:
        matrix = matrix_of(space)
        _, steps = told(space, k, algorithm, **({"max_clusters": 2} if algorithm == "center" else {}))
        for before, step in pairwise(steps):
            if "first point that is not yet in a circle" in step.why:
                width, chosen = step.state.radii[0], step.state.places.tolist()
                centers = []
                for place in range(len(space)):
                    if all(matrix[place, center] > width for center in centers):
                        centers.append(place)
                assert chosen == centers[: len(chosen)]
                if step.question is not None and step.question.places:
                    assert right_points(step.question) == {chosen[-1]}
                if step.inequality is not None:
                    apart = [matrix[one, other] for one in chosen for other in chosen if one != other]
                    nearest = min(matrix[chosen[-1], other] for other in chosen[:-1])
                    assert step.inequality.left in (min(apart), nearest)
            elif step.why.startswith("Width"):
                width, centers = before.state.radii[0], before.state.places.tolist()
                succeeds = step.question.answers == (1,)
                outcomes.add(succeeds)
                if algorithm == "center" and len(centers) > min(2, space.total // k):
                    assert not succeeds
                    assert step.inequality.left == len(centers)
                    continue
                assert succeeds == (can_flow(matrix, centers, width, k) and all((matrix <= width).sum(axis=1) >= k)), (
                    "every point has k within the width, and the flow sends k to each"
                )
                circles = step.state.places[step.state.short].tolist() if len(step.state.short) else centers
                near = {point for center in circles for point in np.flatnonzero(matrix[center] <= width).tolist()}
                assert (step.inequality.left, step.inequality.right) == (len(near), k * len(circles))
                assert step.inequality.sign == ("≥" if succeeds else "<")
                for center, point in step.state.edges.tolist():
                    assert matrix[step.state.places[center], point] <= width
                if succeeds:
                    assert (np.bincount(step.state.edges[:, 0]) == k).all()
                    assert np.bincount(step.state.assignment).min() >= k
    assert outcomes == {True, False} if algorithm == "gather" else True in outcomes


def test_the_smallest_ball_is_asked_truly():
    for space, k in SPACES:
        rho = np.sort(matrix_of(space), axis=1)[:, k - 1]
        _, steps = told(space, k, "gather")
        assert right_points(steps[1].question) <= set(np.flatnonzero(rho == rho.min()).tolist())
        assert len(right_points(steps[1].question)) == min((rho == rho.min()).sum(), 16)


@pytest.mark.parametrize("centers", ["any", "input"])
def test_who_is_left_out_is_peeled_again(centers):
    for space, k in SPACES:
        matrix = matrix_of(space)
        g, steps = told(space, k, "gather-outliers", epsilon=0.25, centers=centers)
        rho = np.sort(matrix, axis=1)[:, k - 1]
        need = np.maximum(matrix, rho[None]).min(axis=1)
        gone = []
        for step in steps[1:]:
            if "k-th nearest" not in step.text and "radius needed" not in step.text:
                continue
            left = [place for place in range(len(space)) if place not in gone]
            if centers == "any":
                lonely = {place: sorted(matrix[place, left])[k - 1] for place in left}
            else:
                lonely = {place: need[place] for place in left}
            most = max(lonely.values())
            assert step.inequality.left == pytest.approx(most)
            far = {place for place, value in lonely.items() if value == pytest.approx(most)}
            assert step.question is None or right_points(step.question) <= far
            gone += [place for place in step.state.out.tolist() if place not in gone]
        assert len(gone) <= int(0.25 * len(space))
        assert (g.assignment < 0).sum() <= int(0.25 * len(space))


def test_the_fullest_circle_is_taken():
    for space, k in SPACES:
        matrix = matrix_of(space)
        _, steps = told(space, k, "center-outliers", epsilon=0.2, max_clusters=2)
        for before, step in pairwise(steps):
            if "has the most" not in step.why:
                continue
            width = step.state.radii[0] / 2
            free = np.ones(len(space), dtype=bool)
            free[before.state.out] = False
            free[before.state.assignment >= 0] = False
            held = {place: (free & (matrix[place] <= width * (1 + 1e-9))).sum() for place in np.flatnonzero(free)}
            best = {place for place, many in held.items() if many == max(held.values())}
            assert int(step.state.places[-1]) in best
            assert step.question is None or right_points(step.question) == best or len(best) > 16


@pytest.mark.parametrize(("algorithm", "price"), [("cellular", 9.0), ("r-cellular", 0.0), ("r-cellular", 4.0)])
def test_prices_pay_for_balls_and_for_none_too_much(algorithm, price):
    paid = 0
    for space, k in SPACES:
        matrix = matrix_of(space)
        slope, least = (k, k) if algorithm == "r-cellular" else (0, 1)
        _, steps = told(space, k, algorithm, facility_cost=price, centers="input")
        before = np.zeros(len(space))
        for step in steps:
            if "have stopped rising" not in step.why:
                continue
            paid += 1
            prices, place, radius = step.state.prices, int(step.state.places[-1]), float(step.state.radii[-1])
            assert (prices >= before - 1e-9).all(), "prices never fall"
            before = prices
            for center in range(len(space)):
                for reach in np.unique(matrix[center]).tolist():
                    if (matrix[center] <= reach).sum() >= least:
                        over = np.maximum(prices - reach, 0)[matrix[center] <= reach].sum()
                        assert over <= price + slope * reach + 1e-6
            inside = matrix[place] <= radius + 1e-9
            own = np.maximum(prices - radius, 0)[inside].sum()
            assert own == pytest.approx(price + slope * radius, abs=1e-6)
            assert step.inequality.left == pytest.approx(own, abs=1e-6)
            assert step.inequality.right == pytest.approx(price + slope * radius, abs=1e-6)
    assert paid > 12


@pytest.mark.parametrize(("algorithm", "price"), [("cellular", 9.0), ("r-cellular", 0.0)])
def test_balls_are_opened_where_no_payer_is_served(algorithm, price):
    verdicts = set()
    for space, k in SPACES:
        matrix = matrix_of(space)
        _, steps = told(space, k, algorithm, facility_cost=price, centers="input")
        balls = next(step for step in reversed(steps) if "have stopped rising" in step.why).state
        prices, radii = balls.prices, balls.radii
        order = np.argsort(-radii, kind="stable").tolist()
        served = set()
        asked = [step for step in steps if step.question is not None and "Does the circle" in step.question.prompt]
        for ball, step in zip(order, asked, strict=False):
            near = matrix[balls.places[ball]] <= radii[ball] + 1e-9
            payers = set(np.flatnonzero(near & (prices >= radii[ball] - 1e-9)).tolist())
            free = not payers & served
            assert f"point {space.label(int(balls.places[ball]))} " in step.question.prompt
            assert step.question.answers == (int(free),)
            assert step.inequality.left == len(payers & served)
            served |= payers if free else set()
            verdicts.add(free)
    assert verdicts == ({True, False} if algorithm == "r-cellular" else verdicts)


def test_shared_clusters_are_counted_again():
    for space, k in SPACES:
        _, steps = told(space, k, "r-cellular", centers="input")
        shared = next(step for step in steps if "also took" in step.why)
        own = [
            set(shared.state.edges[shared.state.edges[:, 0] == number, 1].tolist())
            for number in range(len(shared.state.places))
        ]
        matrix = matrix_of(space)
        for place, members in zip(shared.state.places.tolist(), own, strict=True):
            far = sorted(matrix[place])[k - 1]
            assert set(np.flatnonzero(matrix[place] < far).tolist()) <= members
        several = sum(sum(point in members for members in own) > 1 for point in range(len(space)))
        assert shared.question.answers == (several,)
        assert shared.inequality.left == min(map(len, own)) >= k


@pytest.mark.parametrize("algorithm", ["mdav", "v-mdav"])
def test_groups_are_made_around_the_farthest(algorithm):
    seen = 0
    for space, k in SPACES:
        points = space.points.astype(float)
        if points.shape[1] == 1:
            continue
        _, steps = told(space, k, algorithm)
        for before, step in pairwise(steps):
            if "is the farthest from" not in step.why or step.question is None:
                continue
            seen += 1
            left = np.flatnonzero(before.state.assignment < 0)
            if algorithm == "v-mdav":
                spot = points.mean(axis=0)
            elif "the mean" in step.question.prompt:
                spot = points[left].mean(axis=0)
            else:
                spot = points[before.state.places[-1]]
            apart = np.sqrt(((points[left] - spot) ** 2).sum(axis=1))
            far = {int(place) for place, length in zip(left, apart, strict=True) if length >= apart.max() - 1e-9}
            seed = int(step.state.places[-1])
            assert seed in right_points(step.question) <= far
            group = np.flatnonzero(step.state.assignment == step.state.assignment[seed])
            assert len(group) == k if algorithm == "mdav" else k <= len(group) < 2 * k
            near = np.sqrt(((points[left] - points[seed]) ** 2).sum(axis=1))
            inside = np.isin(left, group)
            if algorithm == "mdav":
                assert near[inside].max() <= near[~inside].min(initial=np.inf)
            assert sorted(step.changed.tolist()) == sorted(group.tolist())
    assert seen > 8


def test_one_column_is_cut_into_intervals():
    space = MetricSpace(np.random.default_rng(2).integers(0, 50, (14, 1)))
    g, steps = told(space, 3, "mdav")
    for step in steps[1:-1]:
        own = step.state.assignment == step.state.assignment.max()
        assert step.inequality.left == own.sum() >= 3
        if step.question is not None:
            assert step.question.answers == (own.sum(),)
    assert (np.unique(steps[-2].state.assignment) == np.arange(g.classes)).all()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_last_question_is_answered_by_the_result(algorithm):
    for space, k in SPACES[2:4]:
        g, steps = told(space, k, algorithm)
        last = steps[-1]
        assert last.state.assignment.tolist() == g.assignment.tolist()
        assert (last.inequality.left, last.inequality.right) == (g.cost, g.lower_bound)
        assert any(step.question is not None for step in steps)
        if last.question is not None:
            assert last.question.answers == (int("Nothing better" not in last.why),)


RNG = np.random.default_rng(4)
KINDS = [
    MetricSpace(np.column_stack([RNG.uniform(-5, 5, 30), RNG.uniform(40, 50, 30)]), "haversine"),
    MetricSpace(pd.DataFrame({"age": RNG.integers(20, 60, 30), "sex": list("fm") * 15}), "gower"),
    MetricSpace(RNG.integers(0, 9, (20, 2)), counts=RNG.integers(1, 5, 20)),
    MetricSpace(np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0))), "precomputed"),
]


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("algorithm", ["gather", "gather-outliers", "center-outliers", "r-cellular"])
def test_every_kind_of_space_is_told_and_drawn(algorithm):
    for space in KINDS:
        g, steps = told(space, 3, algorithm)
        number = len(steps) // 2
        figure = step_figure(space, g, steps[number], steps[number + 1].question, color_by="group")
        assert (WITHOUT_TRUE_DISTANCES in figure.layout.title.text) == (space.metric in ("gower", "precomputed"))
        assert steps[-1].state.assignment.tolist() == g.assignment.tolist()


def test_a_picture_marks_points_lacks_and_choices():
    _, steps = told(SHORT, 2, "gather")
    g, fail = kanon.generalize(SHORT, 2, "gather"), next(step for step in steps if "fails" in step.why)
    figure = step_figure(SHORT, g, fail)
    red = [trace for trace in figure.data if trace.line.color == VERMILION and trace.line.width == 2]
    assert len(red) == 1
    assert np.isfinite(np.asarray(red[0].x, dtype=float)).any()
    asked = steps[1].question
    (marks,) = [trace for trace in step_figure(SHORT, g, steps[0], asked).data if trace.customdata is not None]
    assert [SHORT.label(place) for place in asked.places] == [words.removeprefix("point ") for words in marks.text]
    assert np.asarray(marks.x).tolist() == SHORT.points[list(asked.places), 0].tolist()


@pytest.mark.parametrize("background", ["light", "dark"])
def test_points_outside_circles_are_visible_on_either_page(background):
    g, steps = told(SHORT, 2, "gather")
    page = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"][background]["backgroundColor"]
    figure = step_figure(SHORT, g, steps[0])
    (colors,) = [
        trace.marker.color for trace in figure.data if trace.text is not None and len(trace.text) == len(SHORT)
    ]
    lights = [sorted(map(luminance, (color, page))) for color in colors]
    assert min((high + 0.05) / (low + 0.05) for low, high in lights) >= 3  # WCAG 2.2, criterion 1.4.11


def luminance(color):
    """As WCAG 2.2 defines it."""
    parts = np.array([int(color[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return float(np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("algorithm", ["gather", "mdav"])
def test_many_points_make_few_steps(algorithm):
    space = MetricSpace(np.random.default_rng(5).normal(size=(1_200, 2)))
    g, steps = told(space, 5, algorithm, improve=False)
    assert len(steps) <= 250
    assert steps[-1].state.assignment.tolist() == g.assignment.tolist()
    step_figure(space, g, steps[len(steps) // 2])
