"""Every box that records of a table span and that may be a class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.tables.boxes.kernels import BoxProblem, group_cost, satisfied, widen

MOST_TUPLES = 400
MOST_BOXES = 20_000  # of k records or fewer


class BoxList(NamedTuple):
    """Boxes that may be classes.

    Attributes
    ----------
    low, high : (b, q) int32
        Positions among the values that occur.
    members : list of (m,) int64
        The tuples in each.
    costs : list of int
    """

    low: np.ndarray
    high: np.ndarray
    members: list[np.ndarray]
    costs: list[int]


def all_boxes(problem: BoxProblem) -> BoxList | None:
    """The boxes that tuples span, with all that lies in them; None where there are too many.

    A class that shows a box holds all tuples in the box that it spans, since boxes do not meet and everybody is in one.
    Each such box is reached from a tuple by taking in one tuple after another, with all that lies between.
    """
    codes = problem.codes
    if len(codes) > MOST_TUPLES:
        return None
    open_boxes = {tuple(np.concatenate([row, row]).tolist()) for row in codes}
    seen = set(open_boxes)
    q = codes.shape[1]
    while open_boxes:
        box = np.array(open_boxes.pop(), dtype=np.int32)
        lows, highs = np.minimum(codes, box[:q]), np.maximum(codes, box[q:])
        for low, high in {*zip(map(tuple, lows.tolist()), map(tuple, highs.tolist()), strict=True)}:
            least, most = np.array(low, dtype=np.int32), np.array(high, dtype=np.int32)
            widen(problem, least, most)
            wider = (*least.tolist(), *most.tolist())
            if wider not in seen:
                seen.add(wider)
                open_boxes.add(wider)
        if len(seen) > MOST_BOXES:
            return None
    ends = np.array(sorted(seen), dtype=np.int32)
    members: list[np.ndarray] = []
    costs: list[int] = []
    first, last = ends[:, :q], ends[:, q:]
    kept = np.zeros(len(ends), dtype=bool)
    for number, (least, most) in enumerate(zip(first, last, strict=True)):
        inside = np.flatnonzero(((codes >= least) & (codes <= most)).all(axis=1))
        size = int(problem.weights[inside].sum())
        if size >= problem.k and satisfied(problem, inside, 0, len(inside)):
            kept[number] = True
            members.append(inside)
            costs.append(int(group_cost(problem, inside, 0, len(inside), size, least, most)))
    return BoxList(first[kept], last[kept], members, costs)
