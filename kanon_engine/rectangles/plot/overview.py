"""Very many rectangles as fewer parts of several, which a picture can hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_engine.model.generalization import Generalization

MOST = 20_000  # rectangles that a browser draws while a person waits


@dataclass(frozen=True)
class Overview:
    """Parts of the box that cuts made on the way to the rectangles.

    Attributes
    ----------
    rectangles : (p, 4) float64 array
    weights, classes : (p,) int64 arrays
        What lies in each part.
    """

    rectangles: np.ndarray
    weights: np.ndarray
    classes: np.ndarray


def overview(g: Generalization, most: int = MOST) -> Overview | None:
    """Parts of about equally many classes, at most `most`; None where the rectangles are no more, or no cuts made them.

    Complexity
    ----------
    O(m log m).
    """
    splits, rectangles = g.details.splits, g.details.rectangles
    if g.classes <= most or len(splits) != g.classes - 1:
        return None
    parents = splits[:, 0].astype(np.int64)
    low = 2 * np.arange(len(splits)) + 1
    boxes = np.empty((2 * len(splits) + 1, 4))
    boxes[0] = [*rectangles[:, :2].min(axis=0), *rectangles[:, 2:].max(axis=0)]
    for number, (part, axis, line) in enumerate(splits.tolist()):
        boxes[2 * number + 1 : 2 * number + 3] = boxes[int(part)]
        boxes[2 * number + 1, 2 + int(axis)] = boxes[2 * number + 2, int(axis)] = line
    class_of = {tuple(box): number for number, box in enumerate(rectangles.tolist())}
    leaf = np.ones(len(boxes), dtype=bool)
    leaf[parents] = False
    weights = np.zeros(len(boxes), dtype=np.int64)
    weights[leaf] = g.class_weights[[class_of[tuple(box)] for box in boxes[leaf].tolist()]]
    classes = leaf.astype(np.int64)
    for number in range(len(splits) - 1, -1, -1):
        both = slice(low[number], low[number] + 2)
        weights[parents[number]] = weights[both].sum()
        classes[parents[number]] = classes[both].sum()
    above = np.empty(len(boxes), dtype=np.int64)  # classes of the part that each was cut from
    above[0] = classes[0] + 1
    above[low] = above[low + 1] = classes[parents]
    sizes = np.unique(classes)
    parts = np.searchsorted(np.sort(classes), sizes, "right") - np.searchsorted(np.sort(above), sizes, "right")
    size = sizes[int(np.argmax(parts <= most))]
    shown = (classes <= size) & (above > size)
    return Overview(boxes[shown], weights[shown], classes[shown])
