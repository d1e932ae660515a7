"""Trees of cuts: grown with all cores, and turned into classes."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from kanon_engine.rectangles.instance import Points, RectangleDetails
from kanon_engine.rectangles.kd_tree.grow_kernels import Settings, grow, unfold
from kanon_engine.rectangles.kd_tree.selection_kernels import Arranged

Code = tuple[np.ndarray, np.ndarray, np.ndarray]  # axes, lines, sizes of a tree

PARALLEL = 1 << 18  # points from which on subtrees are grown at the same time


@dataclass(frozen=True)
class CutTree:
    """A tree of cuts, every node before its low, then its high part.

    Attributes
    ----------
    axes : (2 m - 1,) int8 array
        0: cut at an x, 1: at a y, below 0: uncut.
    lines : (2 m - 1,) float64 array
        Where; a point on the line belongs to the high part.
    sizes : (2 m - 1,) int32 array
        Number of points of an uncut part.
    order : (n,) int32 array
        Positions of the points, part after part.
    """

    axes: np.ndarray
    lines: np.ndarray
    sizes: np.ndarray
    order: np.ndarray

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
    points : Points
    k : int
    rule : int
        One of `grow_kernels`.
    goal : int
        A largest class that is good enough, for the rules that look at it.

    Complexity
    ----------
    Time O(n) a level of the tree in expectation, O(n log n) where all lines are looked at; memory 20 bytes a point.
    """
    count = len(points)
    order = np.arange(count, dtype=np.int32)
    arranged = Arranged(points.xy, points.weights, order, np.empty(count), np.empty(count, dtype=np.int64))
    settings = Settings(k, goal, rule, 0, stretch(points))

    def subtree(start: int, stop: int, turn: int, box: np.ndarray, open_size: int) -> Code:
        return grow(arranged, (start, stop), turn, box, settings._replace(open_size=open_size))

    if count < PARALLEL:
        return CutTree(*subtree(0, count, 0, points.box, 0), order)
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
    """How long a step in x is, in steps in y: degrees of longitude shrink towards the poles."""
    if not points.geographic:
        return 1.0
    return max(math.cos(math.radians((points.box[1] + points.box[3]) / 2)), 0.0)
