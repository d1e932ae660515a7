"""The steps of the algorithms on points, and what a picture of one draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_engine.model.step import Question, State


@dataclass(frozen=True)
class BoxState(State):
    """Rectangles that tile the bounding box, or some of a tiling.

    Attributes
    ----------
    boxes : (p, 4) float64 array
        xmin, ymin, xmax, ymax.
    weights : (p,) int64 array
    classes : (p,) int64 array
        The class of each; -1 for one that is still to be cut.
    splits : (s, 3) float64 array
        The cuts that made them, as in `RectangleDetails`; none where no cuts did.
    nodes : (p,) int64 array
        The number that each box has among the rectangles of these cuts.
    latest : int
        How many of the cuts the step made.
    """

    boxes: np.ndarray
    weights: np.ndarray
    classes: np.ndarray
    splits: np.ndarray
    nodes: np.ndarray
    latest: int = 0


@dataclass(frozen=True)
class LineQuestion(Question):
    """A question whose choices are lines across a rectangle.

    Attributes
    ----------
    box : tuple of float
        The rectangle.
    lines : tuple of (int, float)
        Of each choice the axis that it cuts, 0 for x, and where.
    """

    box: tuple[float, ...] = ()
    lines: tuple[tuple[int, float], ...] = ()
