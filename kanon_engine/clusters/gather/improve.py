"""Smaller clusters where there is room: split, reassign, re-center; no radius above the cost, which never rises."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from kanon_engine.clusters.gather.solution import Solution, around_balls, replaced
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.nearest import BLOCK
from kanon_engine.clusters.radii import details_of
from kanon_engine.model.generalization import members_of
from kanon_engine.verification.metric import GRID, on_grid

ROUNDS = 3
WIDEST = 4_000  # points of a cluster that is split


def improved(space: MetricSpace, k: int, solution: Solution, fixed: bool) -> Solution:
    """A clustering of no larger radius whose clusters are smaller.

    A cluster of at least 2k records is split in two where both are no wider. Then each point goes to a nearer center,
    if its own keeps k records, and centers are chosen anew. Of that, only what makes no cluster wider than the cost is
    kept.

    O(n k) or a little more for each round, with a tree.
    """
    for _ in range(ROUNDS):
        before = solution
        for make in (_split, _reassigned):
            made = make(space, k, solution, fixed)
            solution = made if made.cost <= solution.cost else solution
        if len(solution.details.radii) == len(before.details.radii) and _mean(space, solution) >= _mean(space, before):
            return before
    return solution


def _mean(space: MetricSpace, solution: Solution) -> float:
    """The mean of the radii over records: what a person has of a clustering besides its cost."""
    return float((solution.details.radii[solution.assignment] * space.weights).sum()) / space.total


def _split(space: MetricSpace, k: int, solution: Solution, fixed: bool) -> Solution:
    """Each cluster with 2k records or more in two, where neither is wider than it."""
    sizes = np.bincount(solution.assignment, weights=space.weights)
    groups = members_of(solution.assignment)
    label = solution.assignment.copy()
    owner = np.full(len(space), -1, dtype=np.int64)
    changed: list[int] = []
    for number in np.flatnonzero(sizes >= 2 * k).tolist():
        members = groups[number]
        if not 2 <= len(members) <= WIDEST:
            continue
        halves = _halves(space, k, members)
        if halves is not None:
            label[members] = 0
            label[halves] = 1
            owner[members] = 2 * len(changed) + label[members]
            changed.append(number)
    if not changed:
        return solution
    part = _centered(space, owner, fixed)
    radii = part.details.radii.reshape(-1, 2).max(axis=1)
    good = radii <= solution.details.radii[changed]
    kept = np.flatnonzero(owner >= 0)
    kept = kept[good[owner[kept] // 2]]
    if len(kept) == 0:
        return solution
    fewer = np.full(len(space), -1, dtype=np.int64)
    fewer[kept] = np.unique(owner[kept], return_inverse=True)[1]
    return replaced(solution, kept, _centered(space, fewer, fixed))


def _halves(space: MetricSpace, k: int, members: np.ndarray) -> np.ndarray | None:
    """Those members that go to one of two points far from each other, with k records at each; None for none."""
    first = members[space.distances(int(members[0]), members).argmax()]
    here = space.distances(int(first), members)
    there = space.distances(int(members[here.argmax()]), members)
    order = np.argsort(here - there, kind="stable")
    held = np.cumsum(space.weights[members[order]])
    least = int(np.searchsorted(held, k)) + 1  # so many members at least hold k
    most = int(np.searchsorted(held, held[-1] - k, side="right"))  # and at most so many leave k
    if least > most:
        return None
    nearer = int((here < there).sum())
    return members[order[: min(max(nearer, least), most)]]


def _reassigned(space: MetricSpace, k: int, solution: Solution, fixed: bool) -> Solution:
    """Each point at a nearer center, as long as its own keeps k records; those that gain most first."""
    own, best, apart = _nearer(space, solution)
    gain = own - apart
    movable = np.flatnonzero(gain > 0)
    movable = movable[np.argsort(-gain[movable], kind="stable")]
    sizes = np.bincount(solution.assignment, weights=space.weights)
    assignment = solution.assignment.copy()
    for point in movable.tolist():
        weight = space.weights[point]
        if sizes[assignment[point]] - weight >= k:
            sizes[assignment[point]] -= weight
            assignment[point] = best[point]
            sizes[best[point]] += weight
    if fixed:
        return Solution(assignment, details_of(space, assignment, places=solution.details.places))
    return around_balls(space, assignment)


def _nearer(space: MetricSpace, solution: Solution) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How far each point is from its center; the nearest center, and how far that is: as the tree has it."""
    places, every = solution.details.places, np.arange(len(space))
    if space.embedding is None:
        best = np.concatenate(
            [
                space.between(some, places).argmin(axis=1)
                for some in np.array_split(every, 1 + len(every) * len(places) // BLOCK)
            ]
        )
        return space.paired(every, places[solution.assignment]), best, space.paired(every, places[best])
    spots = np.where((places >= 0)[:, None], space.embedding[places], 0.0)
    free = places < 0
    if free.any():
        centers = solution.details.centers[free]
        spots[free] = np.column_stack(on_grid(*centers.T)) / GRID if space.metric == "haversine" else centers
    step = np.abs(space.embedding - spots[solution.assignment])
    own = step.sum(axis=1) if space.norm == 1 else np.sqrt((step**2).sum(axis=1))
    apart, best = cKDTree(spots).query(space.embedding, p=space.norm)
    return own, best, apart


def _centered(space: MetricSpace, assignment: np.ndarray, fixed: bool) -> Solution:
    """The best center of each class: of its points the one whose farthest member is nearest, or free."""
    if not fixed:
        return around_balls(space, assignment)
    places = [own[space.between(own, own).max(axis=1).argmin()] for own in members_of(assignment)]
    return Solution(assignment, details_of(space, assignment, places=np.array(places)))
