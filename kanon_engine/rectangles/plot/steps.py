"""A tiling cut after cut, or rectangle after rectangle, for a view that steps through it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.rectangles.instance import Points


@dataclass(frozen=True)
class Step:
    """What there is after so many cuts.

    Attributes
    ----------
    rectangles : (p, 4) float64 array
        xmin, ymin, xmax, ymax.
    weights : (p,) int64 array
    line : (2, 2) float64 array or None
        Ends of the latest cut.
    sentence : str
        What the latest cut did, in words.
    """

    rectangles: np.ndarray
    weights: np.ndarray
    line: np.ndarray | None
    sentence: str


def step_of(points: Points, g: Generalization, step: int) -> Step:
    """The state after the first `step` cuts; 0 is the bounding box, `g.classes` - 1 the result.

    Where no cuts make the rectangles, step number s shows the first s + 1 of them.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> line = kanon.Points([(0, 0), (1, 0), (2, 0), (3, 0)])
    >>> g = kanon.generalize(line, 2)
    >>> step_of(line, g, 0).sentence
    'All 4 records lie in one rectangle.'
    >>> step_of(line, g, 1).weights.tolist()
    [2, 2]
    """
    splits = g.details.splits
    if len(splits) < g.classes - 1:
        return _uncut(points, g, step)
    parents, axes = splits[:, 0].astype(int), splits[:, 1].astype(int)
    box = np.concatenate([g.details.rectangles[:, :2].min(axis=0), g.details.rectangles[:, 2:].max(axis=0)])
    boxes = np.tile(box, (2 * len(splits) + 1, 1))
    leaves = np.ones(len(boxes), dtype=int)
    for number in range(len(splits) - 1, -1, -1):
        leaves[parents[number]] = leaves[2 * number + 1] + leaves[2 * number + 2]
    first = np.zeros(len(boxes), dtype=int)  # classes are numbered along the tree, so a part holds consecutive ones
    for number, (parent, axis) in enumerate(zip(parents, axes, strict=True)):
        low, high = 2 * number + 1, 2 * number + 2
        boxes[low] = boxes[high] = boxes[parent]
        boxes[low, 2 + axis] = boxes[high, axis] = splits[number, 2]
        first[low], first[high] = first[parent], first[parent] + leaves[low]
    sums = np.concatenate([[0], np.cumsum(g.class_weights)])
    weights = sums[first + leaves] - sums[first]
    there = np.setdiff1d(np.arange(2 * step + 1), parents[:step])
    if step == 0:
        return Step(boxes[there], weights[there], None, f"All {points.total:,} {points.unit} lie in one rectangle.")
    parent, axis, low, high = parents[step - 1], axes[step - 1], 2 * step - 1, 2 * step
    line = np.vstack([boxes[high, :2], boxes[low, 2:]])
    words = "a vertical" if axis == 0 else "a horizontal"
    sentence = (
        f"Cut {step:,} of {len(splits):,}: {words} line splits {weights[parent]:,} {points.unit} "
        f"into {weights[low]:,} and {weights[high]:,}; both are at least k = {g.k:,}."
    )
    return Step(boxes[there], weights[there], line, sentence)


def _uncut(points: Points, g: Generalization, step: int) -> Step:
    if step == 0:
        whole = f"All {points.total:,} {points.unit} lie in one rectangle; no cuts from side to side make its parts."
        return Step(points.box[None, :], np.array([points.total]), None, whole)
    shown = step + 1
    weight = int(g.class_weights[step])
    sentence = f"Rectangle {shown:,} of {g.classes:,} holds {weight:,} {points.unit}, at least k = {g.k:,}."
    return Step(g.details.rectangles[:shown], g.class_weights[:shown], None, sentence)
