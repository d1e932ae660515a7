"""MDAV and V-MDAV step by step: one group after another around the farthest record that has none."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from kanon_engine.clusters.centers import means_of
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.mdav_kernels import farthest, mean_of, take_rest, take_rounds
from kanon_engine.clusters.options import MOST_ON_A_LINE
from kanon_engine.clusters.squares import best_on_a_line, squared_distances, squares
from kanon_engine.clusters.v_mdav import nearest_means
from kanon_engine.clusters.v_mdav_kernels import nearest_to, square, take_grown
from kanon_engine.model.generalization import Generalization, members_of
from kanon_engine.model.run import Run
from kanon_engine.model.words import counted, number_text
from kanon_engine.teaching.clusters import ClustersState, around, begun, result, which_point
from kanon_engine.teaching.step import NOTHING, Inequality, Step, StepQuestion

MOST_GROUPS = 120  # up to this many groups, one per step; if there are more, a step forms several
LOOKED_AT = 20_000  # distances from a group to records outside, to show why it took no more
BETTER = "The groups were improved by swapping and moving records and by forming some groups again"

Maker = Callable[[MetricSpace, np.ndarray, Generalization, np.ndarray], Iterator[Step]]


def mdav_steps(space: MetricSpace, g: Generalization) -> Iterator[Step]:
    """Two groups per round: around the record farthest from the mean of the rest, and the one farthest from it.

    >>> import kanon_engine as kanon
    >>> space = MetricSpace([(0, 0), (0, 1), (5, 5), (6, 5), (9, 0), (9, 1)])
    >>> for step in list(mdav_steps(space, kanon.generalize(space, 2, "mdav")))[1:4]:
    ...     print(step.why)
    Point 0 is the farthest from the mean of all remaining records. With its 1 nearest record, it forms group 1.
    Point 5 is the farthest from point 0. With its 1 nearest record, it forms group 2.
    The last 2 records form one group.
    """
    yield from _told(space, g, _rounds)


def v_mdav_steps(space: MetricSpace, g: Generalization) -> Iterator[Step]:
    """A group around the record farthest from the mean of all, which grows while the next one is near."""
    yield from _told(space, g, _growing)


def _told(space: MetricSpace, g: Generalization, make: Maker) -> Iterator[Step]:
    points, k = np.array(space.points), g.k
    words = (
        f"{counted(len(points), 'record')} form groups of at least k = {k:,}, starting with the records farthest "
        "from the mean."
    )
    yield begun(space, words)
    if len(points) < 2 * k:
        yield result(space, g, None, "There are fewer than 2k records, so they form one group")
        return
    if points.shape[1] == 1 and g.options["improve"] and len(points) * k <= MOST_ON_A_LINE:
        line = best_on_a_line(points[:, 0], k, Run(g.seed))
        if line is not None:
            yield from _intervals(space, points, line, k)
            yield result(space, g, None, "The best intervals of the only column were computed as a shortest path")
            return
    labels = np.full(len(points), -1, dtype=np.int64)
    yield from make(space, points, g, labels)
    yield result(space, g, squares(points, labels), BETTER)


def _intervals(space: MetricSpace, points: np.ndarray, line: np.ndarray, k: int) -> Iterator[Step]:
    """The best groups of sorted values, from the smallest value up."""
    groups = sorted(members_of(line), key=lambda members: float(points[members, 0].min()))
    labels = np.full(len(points), -1, dtype=np.int64)
    every = max(1, -(-len(groups) // MOST_GROUPS))
    for number, members in enumerate(groups):
        labels[members] = number
        if (number + 1) % every and number + 1 < len(groups):
            continue
        low, high = (number_text(float(end)) for end in (points[members, 0].min(), points[members, 0].max()))
        question = None
        if number + 1 < len(groups) and every == 1:
            prompt = f"How many records does the interval that begins with {low} hold?"
            question = StepQuestion(prompt, answers=(len(members),), low=1, high=len(points))
        why = f"Interval {number + 1:,} holds {counted(len(members), 'record')}, from {low} to {high}."
        state = around(space, labels.copy(), NOTHING, np.zeros(0))
        yield Step(state, why, Inequality(len(members), "≥", k, "records in the interval ≥ k"), question)


def _rounds(space: MetricSpace, points: np.ndarray, g: Generalization, labels: np.ndarray) -> Iterator[Step]:
    """The rounds of MDAV, one step per group; groups are added to `made`."""
    k, left, group = g.k, np.arange(len(points)), 0
    seeds: list[int] = []
    every = max(1, -(-(len(points) // k) // MOST_GROUPS))
    while len(left) >= 3 * k:
        first, second = _seeds(points, left)
        here, before = left, labels.copy()
        left, group = take_rounds(points, left.copy(), k, group, labels, 1)
        seeds += [first, second]
        # with many groups, only some rounds are shown
        if group % (2 * every) and every > 1:
            continue
        # before the second group of the round was made
        partly = np.where(labels == group - 1, -1, labels)
        yield _seeded(
            space, points, here, partly, seeds[:-1], mean_of(points, here), "the mean of all remaining records"
        )
        rest = here[before[here] != partly[here]]
        others = np.setdiff1d(here, rest)
        words = f"point {space.label(first)}"
        yield _seeded(space, points, others, labels.copy(), seeds, points[first], words)
    if len(left) >= 2 * k:
        first, _ = _seeds(points, left)
        here = left
        take_rest(points, left.copy(), k, group, labels)
        seeds.append(first)
        partly = np.where(labels == group + 1, -1, labels)
        yield _seeded(space, points, here, partly, seeds, mean_of(points, here), "the mean of all remaining records")
    else:
        take_rest(points, left, k, group, labels)
    last = int((labels == labels.max()).sum())
    least = Inequality(last, "≥", k, "size of the last group ≥ k")
    yield Step(_grouped(space, points, labels, seeds), f"The last {counted(last, 'record')} form one group.", least)


def _seeds(points: np.ndarray, left: np.ndarray) -> tuple[int, int]:
    """The record farthest from the mean of the rest, and the one farthest from it."""
    distances = np.empty(len(left))
    first = int(left[farthest(points, left, mean_of(points, left), distances)])
    return first, int(left[farthest(points, left, points[first], distances)])


def _seeded(
    space: MetricSpace,
    points: np.ndarray,
    left: np.ndarray,
    labels: np.ndarray,
    seeds: list[int],
    spot: np.ndarray,
    words: str,
) -> Step:
    """A group of the k records nearest to the farthest remaining one."""
    distances = np.empty(len(left))
    place = seeds[-1]
    farthest(points, left, spot, distances)
    order = np.argsort(-distances, kind="stable")
    number = len(seeds) - 1
    size = int((labels == number).sum())
    inequality = None
    if len(left) > 1:
        distance, next_one = (float(np.sqrt(distances[order[rank]])) for rank in (0, 1))
        inequality = Inequality(
            distance, "≥", next_one, f"distance of this record from {words} ≥ distance of any other remaining record"
        )
    prompt = f"Which remaining record is the farthest from {words}?"
    why = (
        f"Point {space.label(place)} is the farthest from {words}. With its "
        f"{counted(size - 1, 'nearest record')}, it forms group "
    )
    question = which_point(space, prompt, left[distances == distances.max()], left[order])
    return Step(_grouped(space, points, labels, seeds), f"{why}{number + 1:,}.", inequality, question)


def _grouped(space: MetricSpace, points: np.ndarray, labels: np.ndarray, seeds: list[int]) -> ClustersState:
    """Groups, with circles from each group's first record to its farthest member."""
    members = np.flatnonzero((labels >= 0) & (labels < len(seeds)))
    offsets = points[members] - points[np.array(seeds, dtype=np.int64)[labels[members]]]
    reach = np.zeros(len(seeds))
    np.maximum.at(reach, labels[members], np.sqrt((offsets**2).sum(axis=1)))
    return around(space, labels.copy(), np.array(seeds, dtype=np.int64), reach)


def _growing(space: MetricSpace, points: np.ndarray, g: Generalization, labels: np.ndarray) -> Iterator[Step]:
    """The groups of V-MDAV, one step per group; groups are added to `made`."""
    k, gamma, group = g.k, float(g.options["gamma"]), 0
    mean = means_of(points, [np.arange(len(points))])[0]
    distances = squared_distances(points, mean)
    left = np.argsort(-distances, kind="stable")
    seeds: list[int] = []
    every = max(1, -(-(len(points) // k) // MOST_GROUPS))
    while len(left) >= k:
        here = left
        seeds.append(int(left[0]))
        left, group = take_grown(points, left.copy(), k, gamma, group, labels, 1)
        if group % every and len(left) >= k:
            continue
        size = int((labels == group - 1).sum())
        place = seeds[-1]
        # any record that is just as far away is a right answer
        right = here[distances[here] == distances[place]]
        why = (
            f"Point {space.label(place)} is the farthest from the mean of all records. With its "
            f"{counted(k - 1, 'nearest record')}, it forms group "
        )
        why += f"{group:,}. This group then grew by {counted(size - k, 'record')}."
        stopped = _stopped(points, labels, left, group - 1, gamma, size < 2 * k - 1)
        prompt = "Which record without a group is the farthest from the mean of all records?"
        yield Step(_grouped(space, points, labels, seeds), why, stopped, which_point(space, prompt, right, here))
    if len(left):
        labels[left] = nearest_means(points, labels, left)
        why = (
            f"Fewer than k records are left: {counted(len(left), 'record')}. Each joins the group whose "
            "mean is nearest."
        )
        yield Step(_grouped(space, points, labels, seeds), why, Inequality(len(left), "<", k, "records left < k"))


def _stopped(
    points: np.ndarray, labels: np.ndarray, left: np.ndarray, number: int, gamma: float, room: bool
) -> Inequality | None:
    """Why a group with room took no more: the next record is closer to others outside."""
    members = np.flatnonzero(labels == number).tolist()
    if len(left) < 2 or not room or len(left) * len(members) > LOOKED_AT:
        return None
    near = [min(square(points, i, j) for i in members) for j in left.tolist()]
    place = int(np.argmin(near))
    outside = gamma * gamma * nearest_to(points, left[place], left)
    words = (
        "squared distance from the next record to the group ≥ γ² × squared distance from the next record to the "
        "nearest free record (γ: option gamma)"
    )
    return Inequality(near[place], "≥", outside, words).if_true
