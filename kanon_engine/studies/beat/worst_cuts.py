"""The kd-tree's rule leaves open which of the allowed lines is cut. Here it is always the worst one."""

from __future__ import annotations

from functools import cache

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.kd_tree.cut_tree import CutTree

MOST_LINES = 16  # different coordinates along an axis

Cut = tuple[int, float, tuple[int, ...], tuple[int, ...]]  # axis, line, points on the low and on the high side


def _between(along: np.ndarray) -> list[float]:
    """The middle between each coordinate and the next."""
    known = np.unique(along)
    return ((known[:-1] + known[1:]) / 2).tolist()


def worst_cuts(points: Points, k: int) -> CutTree:
    """Cut while a line leaves weight >= k on both sides, always so that the heaviest rectangle ends as heavy as can be.

    The guarantee of the kd-tree holds for any choice of allowed lines, so also for this one.

    Parameters
    ----------
    points : Points
        With at most `MOST_LINES` different x and as many different y.
    k : int

    Complexity
    ----------
    A table of all rectangles between lines.

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 3, Theorem 4.

    Example
    -------
    Seven places on a line: the one left over joins a pair, whatever is cut.

    >>> line = Points([(x, 0) for x in range(7)])
    >>> worst_cuts(line, 2).class_weights(line).tolist()
    [2, 2, 3]
    """
    for axis in range(2):
        lines = len(np.unique(points.xy[:, axis]))
        if lines > MOST_LINES:
            raise InvalidInput(
                f"There are {lines} different {'xy'[axis]}; with more than {MOST_LINES} all cuts are too many to try.",
                value=lines,
            )
    weights = points.weights.tolist()

    def weight(members: tuple[int, ...]) -> int:
        return sum(weights[i] for i in members)

    @cache
    def worst(members: tuple[int, ...]) -> tuple[int, Cut | None]:
        """The heaviest rectangle that cuts can leave of these points, and the first such cut."""
        found: tuple[int, Cut | None] = (0, None)
        for axis in range(2):
            along = points.xy[list(members), axis]
            for line in _between(along):
                low = tuple(i for i, at in zip(members, along, strict=True) if at < line)
                high = tuple(i for i, at in zip(members, along, strict=True) if at >= line)
                if min(weight(low), weight(high)) >= k:
                    heaviest = max(worst(low)[0], worst(high)[0])
                    if heaviest > found[0]:
                        found = heaviest, (axis, line, low, high)
        return found if found[1] is not None else (weight(members), None)

    nodes: list[tuple[int, float, int]] = []  # axis, line, size, as in `CutTree`
    order: list[int] = []

    def grow(members: tuple[int, ...]) -> None:
        cut = worst(members)[1]
        if cut is None:
            nodes.append((-1, 0.0, len(members)))
            order.extend(members)
            return
        nodes.append((cut[0], cut[1], 0))
        grow(cut[2])
        grow(cut[3])

    grow(tuple(range(len(points))))
    axes, lines_, sizes = zip(*nodes, strict=True)
    return CutTree(
        np.array(axes, np.int8), np.array(lines_, float), np.array(sizes, np.int32), np.array(order, np.int32)
    )
