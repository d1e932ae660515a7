"""Rectangles of nearly equal weight: a kd-tree whose cuts aim at as many classes as there can be."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush

import numpy as np

from kanon_engine.model.run import Outcome, Run
from kanon_engine.rectangles.balanced_kd_tree.patchwork import Patchwork
from kanon_engine.rectangles.balanced_kd_tree.recut_kernels import SMALL, Limits, recut
from kanon_engine.rectangles.balanced_kd_tree.settle_kernels import FOUND, NONE, settle
from kanon_engine.rectangles.bounds import lower_bound
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.kd_tree.ceiling import ceiling
from kanon_engine.rectangles.kd_tree.cut_tree import CutTree, grow_tree
from kanon_engine.rectangles.kd_tree.grow_kernels import BALANCED, EQUAL_PARTS
from kanon_engine.rectangles.kd_tree.selection_kernels import class_weight

LARGEST_GROUP = 1 << 17  # points of a group that is cut anew
EFFORTS = (400, 4_000, 40_000)  # steps a point of the group; more only where less did not suffice
MESSAGE = "cutting the heaviest anew"
STEPS = 1 << 25  # of one run; a step looks at a point, or at 256 words of a table, whatever the number of points
TABLE = 3_000  # steps that the table of one small part may take within a search
QUICK_BOUND = 1 << 17  # points beyond which the lower bound is only computed where its simplest part is not reached
LONGEST_SEARCH = 1 << 21  # steps of one search, which cannot be interrupted
MOST_CLASSES = 1 << 20  # with more, the tree stays as it was grown


def balanced_kd_tree(points: Points, k: int, run: Run) -> Outcome:
    """Rectangles from cuts that leave equal weights a class on both sides, then improved, never worse than `kd_tree`.

    Guarantee: no rectangle is heavier than one of these points that no line can cut, see `ceiling`, nor than the
    heaviest one of `kd_tree`. Proof: docs/proofs/rectangles/balanced_kd_tree.md.

    A rectangle of weight w is to become m = floor(w / k) classes. Of all lines, those count as best whose worse side
    has the least w / floor(w / k), rounded up, but no less than the proven lower bound; of these a line that keeps m
    classes possible goes first, then the most balanced one. With more than 65,536 points only lines are tried that
    leave j : m - j of the weight, for the five j next to m / 2.

    Then the heaviest rectangle is cut anew together with its neighbours, in groups of up to 131,072 points. A table of
    all rectangles finds the best cuts of a small group, and proves where there are none. A larger group gets a search
    over trees of cuts that tries to stay below a cap: first the best that the group's weight admits, last just less
    than the heaviest; it asks the table of every small part that it comes to. This ends when the lower bound is
    reached, when the heaviest rectangle withstands ever more effort, or when 33.6 million steps are done.

    Parameters
    ----------
    points : Points
        Points with equal coordinates stay together.
    k : int
    run : Run
        Stopped early, it returns the best so far.

    Returns
    -------
    Outcome
        `details` is a `RectangleDetails`.

    Complexity
    ----------
    As `kd_tree`, plus a number of steps that does not depend on n.

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 3; the choice of cuts and the improvement are this project's own.

    Example
    -------
    >>> line = Points([(x, 0) for x in range(10)])
    >>> outcome = balanced_kd_tree(line, 3, Run())
    >>> outcome.assignment.tolist()
    [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]
    """
    most = ceiling(points, k)
    bound = lower_bound(points, k) if len(points) <= QUICK_BOUND else None
    low = max(class_weight(points.total, k), int(points.location_weights.max())) if bound is None else bound.value
    tree = grow_tree(points, k, EQUAL_PARTS, low)
    weights = tree.class_weights(points)
    if weights.max() > low:
        bound = bound or lower_bound(points, k)
        low = bound.value

        def shown(tree: CutTree) -> Outcome:
            return Outcome(tree.assignment(), tree.details(points, "balanced-kd-tree"), most, bound)

        tree = improved(points, k, tree, low, run, shown if weights.max() <= most else None)
        weights = tree.class_weights(points)
    if weights.max() > low:
        plain = grow_tree(points, k, BALANCED)
        if _worth(plain.class_weights(points)) < _worth(weights):
            tree = plain
    return Outcome(tree.assignment(), tree.details(points, "balanced-kd-tree"), most, bound)


def improved(
    points: Points, k: int, tree: CutTree, bound: int, run: Run, shown: Callable[[CutTree], Outcome] | None = None
) -> CutTree:
    """Cut the heaviest rectangle anew with its neighbours, again and again; see `balanced_kd_tree`.

    `shown` makes a solution of a tree, for who listens.
    """
    weights = tree.class_weights(points)
    if len(weights) > MOST_CLASSES:
        return tree
    patchwork = Patchwork(tree)
    solution = None if shown is None else lambda: shown(patchwork.tree())

    def goes_on(done: float, weight: int) -> bool:
        return run.goes_on(done, weight, bound, MESSAGE, solution)

    leaves = np.flatnonzero(tree.axes < 0)
    heavy = [(-weight, leaf) for weight, leaf in zip(weights.tolist(), leaves.tolist(), strict=True) if weight > bound]
    heapify(heavy)
    steps = STEPS
    while heavy and steps > 0:
        weight, leaf = -heavy[0][0], heavy[0][1]
        if patchwork.axis[leaf] is None:
            heappop(heavy)
            continue
        fresh: list[int] = []
        for effort in EFFORTS:
            spent, fresh = _lowered(points, k, patchwork, leaf, (weight, bound, effort, steps), goes_on)
            steps -= spent
            if fresh or spent == 0 or steps <= 0 or run.stopped:
                break
        if not fresh:
            break
        for node in fresh:
            mine = int(points.weights[patchwork.order[patchwork.start[node] : patchwork.stop[node]]].sum())
            if mine > bound:
                heappush(heavy, (-mine, node))
    return patchwork.tree()


def _lowered(
    points: Points,
    k: int,
    patchwork: Patchwork,
    leaf: int,
    limits: tuple[int, int, int, int],
    goes_on: Callable[[float, int], bool],
) -> tuple[int, list[int]]:
    """Find a group around a rectangle that can be cut into lighter ones; the steps it took, and those rectangles.

    limits: the weight to stay below, the bound, the effort, the steps that are left.
    """
    weight, bound, effort, steps = limits
    spent = 0
    for top, first, start, stop in list(patchwork.groups(leaf)):
        if stop - start > LARGEST_GROUP:
            continue
        order = patchwork.order[start:stop]
        best = max(bound, class_weight(int(points.weights[order].sum()), k))
        caps = sorted({best, (best + weight) // 2, weight - 1}) if best < weight else []
        if caps and stop - start <= SMALL and spent < steps:
            if not goes_on(1 - (steps - spent) / STEPS, weight):
                return spent, []
            again, most = order.copy(), min(effort * (len(order) + 25), steps - spent)
            verdict, taken, *code = settle(points.xy, points.weights, again, (k, weight - 1, best, most))
            spent += taken
            if verdict == FOUND:
                return spent, patchwork.replace(top, first, again, tuple(code))
            if verdict == NONE:
                continue
        for cap in caps:
            if best <= cap < weight and spent < steps:
                if not goes_on(1 - (steps - spent) / STEPS, weight):
                    return spent, []
                again, most = order.copy(), min(effort * (len(order) + 25), steps - spent, LONGEST_SEARCH)
                found, taken, *code = recut(points.xy, points.weights, again, Limits(k, cap, most, TABLE))
                spent += taken
                if found:
                    return spent, patchwork.replace(top, first, again, tuple(code))
    return spent, []


def _worth(weights: np.ndarray) -> tuple[int, float]:
    """Less is better: the largest class, then the sum of squares."""
    return int(weights.max()), float(np.square(weights.astype(np.float64)).sum())
