"""The rectangles of a result as a tree of cuts, and what there is after some of the cuts."""

from __future__ import annotations

import numpy as np

from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.steps import BoxState
from kanon_engine.search.parts import sums_of


class Tiling:
    """A tree of cuts with its points.

    Parameters
    ----------
    points : Points
    rectangles, splits : arrays
        As in `RectangleDetails`; every rectangle comes from the cuts.
    assignment : (n,) int array
        The rectangle of each point, as they are numbered here.
    numbers : (n,) int array
        The class of each point, by the numbers that the steps use.

    Attributes
    ----------
    boxes, weights : (2 m - 1, 4) float64, (2 m - 1,) int64 arrays
        Of every rectangle on the way, as `RectangleDetails.splits` numbers them.
    """

    def __init__(
        self, points: Points, rectangles: np.ndarray, splits: np.ndarray, assignment: np.ndarray, numbers: np.ndarray
    ) -> None:
        self.points, self.splits, self.numbers, self.rectangles = points, splits, numbers, rectangles
        self.parents = splits[:, 0].astype(np.int64)
        self.axes = splits[:, 1].astype(np.int64)
        count = 2 * len(splits) + 1
        self.boxes = np.empty((count, 4))
        self.boxes[0] = [*rectangles[:, :2].min(axis=0), *rectangles[:, 2:].max(axis=0)]
        for number, (parent, axis, line) in enumerate(zip(self.parents, self.axes, splits[:, 2], strict=True)):
            low, high = 2 * number + 1, 2 * number + 2
            self.boxes[low] = self.boxes[high] = self.boxes[parent]
            self.boxes[low, 2 + axis] = self.boxes[high, axis] = line
        leaf = np.setdiff1d(np.arange(count), self.parents)
        place = {tuple(box): number for number, box in enumerate(rectangles.tolist())}
        self.leaf_of = np.empty(len(rectangles), dtype=np.int64)  # the number on the way of each rectangle
        self.leaf_of[[place[tuple(box)] for box in self.boxes[leaf].tolist()]] = leaf
        self.weights = np.zeros(count, dtype=np.int64)
        self.weights[self.leaf_of] = sums_of(points.weights, assignment)
        for number in range(len(splits) - 1, -1, -1):
            self.weights[self.parents[number]] = self.weights[2 * number + 1 : 2 * number + 3].sum()
        self.class_of = np.full(count, -1, dtype=np.int64)
        self.class_of[self.leaf_of[assignment]] = numbers
        self.own = self.leaf_of[assignment]

    def after(self, count: int, latest: int, k: int) -> BoxState:
        """What there is after so many cuts: what weighs less than 2k is a class; with k = 0 all is that no cut cuts."""
        there = np.setdiff1d(np.arange(2 * count + 1), self.parents[:count])
        done = (self.class_of[there] >= 0) & ((self.weights[there] < 2 * k) | (k == 0))
        classes = np.where(done, self.class_of[there], -1)
        assignment = np.where(np.isin(self.own, there[done]), self.numbers, -1).astype(np.int32)
        return BoxState(assignment, self.boxes[there], self.weights[there], classes, self.splits[:count], there, latest)

    def members(self, node: int) -> np.ndarray:
        """Positions of the points in a rectangle on the way."""
        inside = np.zeros(len(self.boxes), dtype=bool)
        inside[node] = True
        for number, parent in enumerate(self.parents.tolist()):
            inside[2 * number + 1 : 2 * number + 3] |= inside[parent]
        return np.flatnonzero(inside[self.own])
