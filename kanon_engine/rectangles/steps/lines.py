"""The lines that may cut a rectangle, with the weight on their low sides, and what is asked of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_engine.model.words import number_text
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.snap import grid_of
from kanon_engine.rectangles.steps import LineQuestion

FEW = 60  # points of a rectangle up to which a line of it is asked for, else the axis
CHOICES = 24  # lines that a question offers
AXES = ("across x, by an upright line", "across y, by a level line")


@dataclass(frozen=True)
class Line:
    """A line across some points.

    Attributes
    ----------
    axis : int
        0: cut at an x, 1: at a y.
    at : float
    low, high : int
        The weights of both sides.
    """

    axis: int
    at: float
    low: int
    high: int

    @property
    def lighter(self) -> int:
        """The weight of the lighter side."""
        return min(self.low, self.high)

    @property
    def words(self) -> str:
        """As in "x = 2.5"."""
        return f"{'xy'[self.axis]} = {number_text(self.at, 9)}"


class Lines:
    """The lines that an algorithm may use: halfway between neighbouring coordinates, or on a grid.

    Example
    -------
    >>> lines = Lines(Points([(0, 0), (1, 0), (3, 0)], [2, 1, 4]), None)
    >>> [(line.words, line.low, line.high) for line in lines.across(np.arange(3))]
    [('x = 0.5', 2, 5), ('x = 2', 3, 4)]
    """

    def __init__(self, points: Points, snap: float | None) -> None:
        self.grid = None if snap is None else grid_of(points, snap)
        self.points = points if self.grid is None else self.grid.points

    def across(self, members: np.ndarray) -> list[Line]:
        """All lines that part these points, low ones first."""
        found = []
        for axis in range(2):
            values, weights = self.points.xy[members, axis], self.points.weights[members]
            known, own = np.unique(values, return_inverse=True)
            lows = np.cumsum(np.bincount(own, weights=weights)).astype(np.int64).tolist()
            middles = 0.5 * known[:-1] + 0.5 * known[1:]
            at = np.where((known[:-1] < middles) & (middles < known[1:]), middles, known[1:])
            if self.grid is not None:
                at = self.grid.line_at(axis, at)
            found += [Line(axis, place, low, lows[-1] - low) for place, low in zip(at.tolist(), lows, strict=False)]
        return found


def asked_line(lines: list[Line], right: list[Line], box: np.ndarray, prompt: str) -> LineQuestion | None:
    """Where a rectangle is cut, among right lines and some that part it nearly as evenly; None where all are right."""
    near = sorted((line for line in lines if line not in right), key=lambda line: -line.lighter)
    offered = sorted([*right[: CHOICES // 2], *near[: CHOICES // 2]], key=lambda line: (line.axis, line.at))
    words = tuple(line.words for line in offered)
    if not near or len(set(words)) < len(words):
        return None
    answers = tuple(place for place, line in enumerate(offered) if line in right)
    places = tuple((line.axis, line.at) for line in offered)
    return LineQuestion(prompt, words, answers, box=tuple(box.tolist()), lines=places)


def asked_axis(axis: int, box: np.ndarray) -> LineQuestion:
    """Which axis a rectangle is cut across."""
    middles = tuple((side, float(box[side] / 2 + box[2 + side] / 2)) for side in range(2))
    prompt = "The outlined rectangle is cut next. Across which axis?"
    return LineQuestion(prompt, AXES, (axis,), box=tuple(box.tolist()), lines=middles)
