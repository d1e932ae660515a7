"""The paper's algorithm for GPS coordinates: cut rectangles in two while both sides keep weight k."""

from __future__ import annotations

import math

import numpy as np

from kanon_engine.rectangles.instance import Points, RectangleDetails
from kanon_engine.rectangles.kernels import BALANCED, CYCLIC, LONGEST_SIDE, split_all
from kanon_engine.run import Outcome, Run

RULES = {"balanced": BALANCED, "longest-side": LONGEST_SIDE, "cyclic": CYCLIC}


def kd_tree(points: Points, k: int, run: Run, *, cut: str) -> Outcome:
    """Rectangles that tile the bounding box, from cutting it while a line leaves weight >= k on both sides.

    Guarantee: cost <= min(2 (k - 1) + min(X, Y), 4 (k - 1) + h), where X and Y are the heaviest vertical and
    horizontal line through points and h is the heaviest location. Take a rectangle that no line can cut, and the first
    of its x coordinates up to which its points weigh k or more. The points before it weigh at most k - 1; those after
    it too, or the line behind it could be cut. The rest lies on one vertical line: 2 (k - 1) + X. The same holds for y.
    What lies neither left nor right of the one line, nor below nor above the other, is one location: 4 (k - 1) + h.

    With all points on different lines this is 2 k - 1. The paper's 5 k - 4 is the second form where no location weighs
    more than k; it fails beyond: a single point of weight 50 has cost 50 for every k.

    Parameters
    ----------
    points : Points
        Points with equal coordinates stay together.
    k : int
    run : Run
    cut : str
        "balanced": of all lines across both axes the one with the heaviest lighter side. Where the best of each axis
        differ by no more than a 64th of the rectangle's weight, the one across the longer side, which makes the
        rectangles far less slender at hardly any cost. "longest-side": the most balanced line across the longer side.
        "cyclic": the most balanced line across x and y in turn. A rule that prefers one axis takes the other where only
        that can be cut; of equally balanced lines across one axis the first is taken; sides of longitude and latitude
        are compared by their length on the ground.

    Returns
    -------
    Outcome
        `details` is a `RectangleDetails`; classes are numbered along the tree, so that near ones have near numbers.

    Complexity
    ----------
    O(n log n) to sort, and O(n) a level of the tree.

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 3, Theorem 4.

    Example
    -------
    The paper's degenerate case: k - 1 records north, east, south and west of k. No line leaves k = 3 on both sides, and
    the one rectangle of 5 k - 4 is the only solution.

    >>> cross = Points([(0, 1), (1, 0), (0, -1), (-1, 0), (0, 0)], [2, 2, 2, 2, 3])
    >>> outcome = kd_tree(cross, 3, Run(), cut="balanced")
    >>> outcome.assignment.tolist(), outcome.guarantee
    ([0, 0, 0, 0, 0], 11)
    """
    xy = np.ascontiguousarray(points.xy.T)
    order = np.argsort(xy, axis=1, kind="stable")
    ranges, boxes, splits = split_all(xy, points.weights, order, k, RULES[cut], points.box, _stretch(points))
    leaf = np.ones(len(boxes), dtype=bool)
    leaf[splits[:, 0].astype(np.int64)] = False
    leaves = np.flatnonzero(leaf)
    leaves = leaves[np.argsort(ranges[leaves, 0])]
    assignment = np.empty(len(points), dtype=np.int32)
    assignment[order[0]] = np.repeat(np.arange(len(leaves), dtype=np.int32), np.diff(ranges[leaves], axis=1).ravel())
    return Outcome(assignment, RectangleDetails(boxes[leaves], splits, cut), ceiling(points, k))


def ceiling(points: Points, k: int) -> int:
    """The guarantee on the weight of a rectangle that no line can cut; see `kd_tree`."""
    lines = []
    for axis in range(2):
        _, line = np.unique(points.xy[:, axis], return_inverse=True)
        lines.append(int(np.bincount(line, weights=points.weights).max()))
    return min(2 * (k - 1) + min(lines), 4 * (k - 1) + int(points.location_weights.max()))


def _stretch(points: Points) -> float:
    """How long a step in x is, in steps in y: degrees of longitude shrink towards the poles."""
    if not points.geographic:
        return 1.0
    return max(math.cos(math.radians((points.box[1] + points.box[3]) / 2)), 0.0)
