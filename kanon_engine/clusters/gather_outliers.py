"""(r, epsilon)-gather (Aggarwal et al., section 2.3): clusters of at least k; a share of all may be left out."""

from __future__ import annotations

from itertools import count
from typing import cast

import numpy as np

from kanon_engine.clusters.gather import gather, packed
from kanon_engine.clusters.gather_flow import Solution, around_points
from kanon_engine.clusters.instance import ClusterDetails, MetricSpace
from kanon_engine.clusters.left_out import leaving_by_need, leaving_by_peeling, most_left_out, of_whole, part_of
from kanon_engine.clusters.nearest import Nearest, nearest, nearest_center, within
from kanon_engine.clusters.outliers import centered, settled, trimmed
from kanon_engine.model.run import Outcome, Run

EFFORT = 3.0  # CP-SAT's deterministic time for clustering the records that stay
MENDED = 500  # steps of that


def gather_outliers(space: MetricSpace, k: int, run: Run, *, centers: str, epsilon: float, improve: bool) -> Outcome:
    """Clusters of at least k records with a small largest radius, from which a share of the records may be left out.

    Guarantee: 4 times the best possible, 3 times around points; none around means, or where a matrix may break the
    triangle inequality. It holds with counts too. docs/proofs/clusters/gather_outliers.md

    Complexity: as `gather`, and a pass over all distances of each record that must be left out.
    References: G. Aggarwal et al., "Achieving anonymity via clustering", ACM Transactions on Algorithms 6 (2010),
        section 2.3, Theorem 2.4 and the paragraph behind it.

    >>> line = MetricSpace([[0], [1], [2], [3], [99]])
    >>> found = gather_outliers(line, 2, Run(), centers="any", epsilon=0.2, improve=True)
    >>> found.assignment.tolist(), found.cost, found.bound.value
    ([0, 0, 1, 1, -1], 0.5, 0.5)
    """
    neighbors = nearest(space, k)
    most = most_left_out(space, epsilon)
    fixed = centers == "input" or not space.free
    leaving = leaving_by_need(neighbors, most) if fixed else leaving_by_peeling(neighbors, most)
    bound = leaving.bound.value
    goes_on = run.goes_on(0.3, None, bound, "finding the records that must be left out")
    positions = np.flatnonzero(leaving.kept)
    part = part_of(space, positions)
    if fixed:
        best = of_whole(space, positions, around_points(part, packed(nearest(part, k))))
    else:
        best = grown(neighbors, leaving.kept, leaving.width, centers)
    if improve and goes_on and best.cost > bound:
        other = of_whole(space, positions, gathered(part, k, run, "input" if fixed else "any", bound))
        other = centered(space, other.assignment, other.details.places, centers)
        best = min(
            (trimmed(space, settled(space, one, k, most, centers), k, most, centers) for one in (best, other)),
            key=lambda one: one.cost,
        )
    ratio = 3 if fixed else 4
    proven = space.definitions.is_metric and (fixed or centers == "any")
    promised = space.definitions.ceiling(ratio, bound) if proven else None
    return Outcome(best.assignment, best.details, promised, leaving.bound, best.cost)


def grown(neighbors: Nearest, retained: np.ndarray, width: float, centers: str) -> Solution:
    """Theorem 2.4: take all free points within the width of one, if they hold k records; the others join a center.

    Guarantee: classes of at least k; where each kept point has k kept records within the width, no point is farther
    than twice the width from its center.
    """
    space, k = neighbors.space, neighbors.k
    free = np.array(retained)
    places: list[int] = []
    assignment = np.full(len(space), -1, dtype=np.int64)
    order = np.flatnonzero(retained)
    for place in order[np.argsort(neighbors.rho[order], kind="stable")].tolist():
        if not free[place]:
            continue
        ball = within(space, place, width)
        ball = ball[free[ball]]
        if space.weights[ball].sum() >= k:
            assignment[ball] = len(places)
            free[ball] = False
            places.append(place)
    rest = np.flatnonzero(free)
    spots = np.array(places, dtype=np.int64)
    number = np.zeros(len(space), dtype=np.int64)
    number[spots] = np.arange(len(spots))
    assignment[rest] = number[nearest_center(space, rest, spots)]
    return centered(space, assignment, spots, centers)


def gathered(part: MetricSpace, k: int, run: Run, centers: str, bound: float) -> Solution:
    """The result of `gather` for the points that stay; its bound does not cover clusterings that leave others out."""
    steps = count(1)
    inner = Run(
        run.seed, progress=lambda report: run.goes_on(0.5, None, bound, report.message) and next(steps) < MENDED
    )
    outcome = gather(part, k, inner, centers=centers, effort=EFFORT)
    return Solution(outcome.assignment, cast(ClusterDetails, outcome.details))
