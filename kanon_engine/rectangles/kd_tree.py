"""The paper's algorithm for GPS coordinates: cut rectangles in two while both sides keep weight k."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from kanon_engine.model.run import Outcome, Run
from kanon_engine.rectangles.instance import Points, RectangleDetails, along_lines
from kanon_engine.rectangles.kd_tree_kernels import (
    BALANCED,
    CYCLIC,
    LEAST_OVERFULL,
    LONGEST_SIDE,
    Arranged,
    Settings,
    grow,
    unfold,
)
from kanon_engine.rectangles.snap import snap_grid

RULES = {"balanced": BALANCED, "longest-side": LONGEST_SIDE, "cyclic": CYCLIC, "least-overfull": LEAST_OVERFULL}


def kd_tree(points: Points, k: int, run: Run, *, cut: str) -> Outcome:
    """Rectangles that tile the bounding box, from cutting it while a line leaves weight >= k on both sides.

    Guarantee: no rectangle is heavier than one of these points that no line can cut, see `ceiling`. With all points on
    different lines that is 2 k - 1; it is at most 5 k - 4 where no location weighs more than k. Proof:
    docs/proofs/rectangles/kd_tree.md.

    Parameters
    ----------
    points : Points with equal coordinates stay together.
    cut : str
        "balanced": of all lines across both axes, the one with the heaviest lighter side. If the best of each axis
        differ by no more than a 64th of the rectangle's weight, the one across the longer side, which makes the
        rectangles far less slender at hardly any cost. "longest-side": the most balanced line across the longer side.
        "cyclic": the most balanced line across x and y in turn. A rule that prefers one axis takes the other if only
        that can be cut; among equally balanced lines across one axis the first is taken; sides of longitude and
        latitude are compared by their length on the ground. "least-overfull": of all lines across both axes, the one
        whose worse side has the lowest bound on its largest class: a side of weight w holds at most floor(w / k)
        classes, so its largest weighs at least w / floor(w / k), rounded up. Ties are broken as in "balanced".

    Returns
    -------
    Outcome
        `details` is a `RectangleDetails`; classes are numbered along the tree, so that near ones have near numbers.

    Complexity
    ----------
    O(n) expected per level of the tree, with about log2(n / k) levels; "least-overfull" sorts: O(n log n) per level.

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 3, Theorem 4.

    The paper's degenerate case: k - 1 records north, east, south and west of k. No line leaves k = 3 on both sides, and
    the one rectangle of 5 k - 4 is the only solution.

    >>> cross = Points([(0, 1), (1, 0), (0, -1), (-1, 0), (0, 0)], [2, 2, 2, 2, 3])
    >>> outcome = kd_tree(cross, 3, Run(), cut="balanced")
    >>> outcome.assignment.tolist(), outcome.guarantee
    ([0, 0, 0, 0, 0], 11)
    """
    tree = grow_tree(points, k, RULES[cut])
    return Outcome(tree.assignment(), tree.details(points, cut), ceiling(points, k))


Code = tuple[np.ndarray, np.ndarray, np.ndarray]  # axes, lines, sizes of a tree

PARALLEL = 1 << 18  # points from which subtrees are grown in parallel


@dataclass(frozen=True)
class CutTree:
    """A tree of cuts, every node before its low, then its high part."""

    axes: np.ndarray  # (2 m - 1,) int8: 0: cut at an x, 1: at a y, below 0: uncut
    lines: np.ndarray  # (2 m - 1,) float64: where; a point on the line belongs to the high part
    sizes: np.ndarray  # (2 m - 1,) int32: number of points of an uncut part
    order: np.ndarray  # (n,) int32: positions of the points, part after part

    @property
    def leaf_sizes(self) -> np.ndarray:
        """(m,) int32: number of points of each uncut part."""
        return self.sizes[self.axes < 0]

    def assignment(self) -> np.ndarray:
        """(n,) int32: class of each point, numbered along the tree, so that near ones have near numbers."""
        sizes = self.leaf_sizes
        classes = np.empty(len(self.order), dtype=np.int32)
        classes[self.order] = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        return classes

    def class_weights(self, points: Points) -> np.ndarray:
        """(m,) int64."""
        starts = np.concatenate([[0], np.cumsum(self.leaf_sizes[:-1])])
        return np.add.reduceat(points.weights[self.order], starts)

    def details(self, points: Points, cut: str) -> RectangleDetails:
        """The rectangles and their cuts."""
        rectangles, splits = unfold(self.axes, self.lines, self.sizes, points.box)
        return RectangleDetails(rectangles, splits, cut)


def grow_tree(points: Points, k: int, rule: int, goal: int = 0) -> CutTree:
    """Cut from the top while the rule finds a line that leaves weight >= k on both sides.

    Parameters
    ----------
    rule : One of `grow_kernels`.
    goal : A largest class that is good enough, for the rules that use it.

    Complexity
    ----------
    Time O(n) per level of the tree in expectation, O(n log n) if all lines are examined; memory 20 bytes per point.
    """
    count = len(points)
    order = np.arange(count, dtype=np.int32)
    arranged = Arranged(points.xy, points.weights, order, np.empty(count), np.empty(count, dtype=np.int64))
    settings = Settings(k, goal, rule, 0, stretch(points))

    def subtree(start: int, stop: int, turn: int, box: np.ndarray, open_size: int) -> Code:
        return grow(arranged, (start, stop), turn, box, settings._replace(open_size=open_size))

    if count < PARALLEL:
        return CutTree(*subtree(0, count, 0, points.box, 0), order)
    # first the top of the tree alone; its parts, which share no points, are then cut in parallel
    axes, lines, sizes = subtree(0, count, 0, points.box, count // 16)
    leaves = np.flatnonzero(axes < 0)
    stops = np.cumsum(sizes[leaves])
    boxes, _ = unfold(axes, lines, sizes, points.box)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [
            pool.submit(subtree, int(stop - size), int(stop), int(-1 - axis), box, 0)
            for stop, size, axis, box in zip(stops, sizes[leaves], axes[leaves], boxes, strict=True)
        ]
        grown = [job.result() for job in jobs]
    whole = [
        np.concatenate(_spliced(top, leaves, list(parts)))
        for top, parts in zip((axes, lines, sizes), zip(*grown, strict=True), strict=True)
    ]
    return CutTree(whole[0], whole[1], whole[2], order)


def _spliced(whole: np.ndarray, leaves: np.ndarray, parts: list[np.ndarray]) -> list[np.ndarray]:
    """The pieces of an array with each of the given entries replaced by a part."""
    pieces, start = [], 0
    for leaf, part in zip(leaves.tolist(), parts, strict=True):
        pieces += [whole[start:leaf], part]
        start = leaf + 1
    return pieces


def stretch(points: Points) -> float:
    """Length of a step in x relative to one in y: degrees of longitude shrink toward the poles."""
    if not points.geographic:
        return 1.0
    return max(math.cos(math.radians((points.box[1] + points.box[3]) / 2)), 0.0)


def ceiling(points: Points, k: int) -> int:
    """The most that an uncuttable rectangle of these points may weigh, whatever cuts led to it.

    Proof: docs/proofs/rectangles/kd_tree.md. With all points on different lines it is 2 k - 1; it never exceeds
    4 (k - 1) + the heaviest location, nor 2 (k - 1) + the heaviest line.

    Complexity
    ----------
    O(n log n).

    >>> ceiling(Points([(0, 3), (1, 2), (2, 1), (3, 0)], [4, 4, 4, 4]), 6)
    12
    """
    weights = points.location_weights
    # weights are multiples of this, so a side below k weighs at most the last multiple below k
    step = 1 if weights.min() == 1 else int(np.gcd.reduce(weights))
    side = 0 if int(weights.min()) >= k else (k - 1) // step * step
    places = np.empty(len(weights), dtype=np.int64)
    places[points.locations] = np.arange(len(points))
    x, y = points.xy[places].T  # from low to high x, then y
    columns = _crossings(weights, x, side)
    by_row = along_lines(y, x)
    in_rows = _crossings(weights[by_row], y[by_row], side)
    rows = np.empty_like(columns[0])
    rows[by_row] = in_rows[0]
    heaviest = max(int(np.minimum(columns[0], rows).max()), min(columns[1], in_rows[1]))
    return min(2 * side + heaviest, points.total)


def _crossings(weights: np.ndarray, lines: np.ndarray, side: int) -> tuple[np.ndarray, int]:
    """h + d + u at each location, and the heaviest d + u of all gaps; locations are sorted along their lines."""
    count = len(weights)
    sums = np.concatenate([[0], np.cumsum(weights)])
    starts = np.flatnonzero(np.concatenate([[True], lines[1:] != lines[:-1]]))
    if len(starts) == count:
        return weights, min(side, int(weights[weights <= side].max(initial=0)))
    lengths = np.diff(starts, append=count)
    first, last = np.repeat(starts, lengths), np.repeat(starts + lengths, lengths)
    before = sums[:-1] - sums[np.maximum(np.searchsorted(sums, sums[:-1] - side), first)]
    after = sums[np.minimum(np.searchsorted(sums, sums[1:] + side, side="right") - 1, last)] - sums[1:]
    # a gap behind location i: what ends with i, and what begins with i + 1 on the same line
    ends = sums[1:] - sums[np.maximum(np.searchsorted(sums, sums[1:] - side), first)]
    begins = sums[np.minimum(np.searchsorted(sums, sums[:-1] + side, side="right") - 1, last)] - sums[:-1]
    follows = np.append(lines[1:] == lines[:-1], False)
    gaps = ends + np.where(follows, np.append(begins[1:], 0), 0)
    return weights + before + after, int(max(gaps.max(), begins.max()))


# ---------------------------------------------------------------------------------------------------------------------
# A default size of the grid.
# ---------------------------------------------------------------------------------------------------------------------


ENOUGH = 20_000  # sampled points from which the size of rectangles is estimated
LINES = 16  # grid lines across a small rectangle, so that cuts move little
SMALL = 0.02  # this share of the rectangles' sides is smaller
MOST_DECIMALS = 8
MOST_HALVINGS = 24  # halvings of the box
FINEST_DEGREES = 2.0**-13  # about 14 meters


def suggested_snap(points: Points, k: int) -> float:
    """A power of two about a 16th as large as small rectangles at this k, in the unit of the coordinates.

    It is halved until no cell holds more than a 16th of k, unless a single location does.

    Where all coordinates have d decimals at most, 2 ** -(d + 1) is added unless the size is as small: then every other
    multiple has more decimals than a coordinate can have, and goes through no point however many there are.

    >>> suggested_snap(Points([(0.1, 0.1), (0.3, 0.2), (0.8, 0.9), (0.9, 0.7)]), 1)
    0.001953125
    """
    step = -(-len(points) // ENOUGH)
    some = Points(points.xy[::step], points.weights[::step], crs=points.crs)
    # of every step-th point, a group has about k / step
    k = min(max(1, k // step), some.total)
    extent, farthest = float((points.box[2:] - points.box[:2]).max()), float(np.abs(points.xy).max())
    least = max(extent / 2.0**MOST_HALVINGS, farthest / 2.0**40, FINEST_DEGREES if points.geographic else 0.0)
    rectangles = kd_tree(some, k, Run(), cut="balanced").details.rectangles  # type: ignore[attr-defined]
    sides = (rectangles[:, 2:] - rectangles[:, :2]).ravel()
    sides = sides[sides > 0]
    size = float(np.quantile(sides, SMALL)) / LINES if len(sides) else 1.0 / LINES
    size = 2.0 ** math.floor(math.log2(max(size, least)))
    heaviest = max(k // LINES, int(some.location_weights.max()))
    while size / 2 >= least and snap_grid(some, size).points.location_weights.max() > heaviest:
        size /= 2
    if points.geographic:
        size = min(size, 1.0)
    decimals = next((number for number in range(MOST_DECIMALS) if (some.xy.round(number) == some.xy).all()), None)
    if decimals is not None and size >= 2.0**-decimals:
        size += 2.0 ** -(decimals + 1)
    return size
