"""A tree of cuts in which groups of neighbouring rectangles can be cut anew."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kanon_engine.rectangles.balanced_kd_tree.recut_kernels import relations
from kanon_engine.rectangles.kd_tree.cut_tree import Code, CutTree


class Patchwork:
    """Nodes with parents and parts; a group is a node, or two neighbouring slabs between parallel cuts.

    Cuts across the same axis right below each other make slabs side by side; any of them next to each other are a
    rectangle too, and still are parts of a tree of cuts, whichever of the lines between the slabs comes first.

    Attributes
    ----------
    axis, line, low, high, parent, start, stop : list
        Of each node; axis is below 0 for a rectangle, and None for a node that is gone. Its points are
        order[start:stop].
    order : (n,) int32 array
    """

    def __init__(self, tree: CutTree) -> None:
        self.order = tree.order.copy()
        self.axis: list[int | None] = tree.axes.tolist()
        self.line: list[float] = tree.lines.tolist()
        found = relations(tree.axes, tree.sizes)
        self.parent: list[int] = found.parent.tolist()
        self.low: list[int] = found.low.tolist()
        self.high: list[int] = found.high.tolist()
        self.start: list[int] = found.start.tolist()
        self.stop: list[int] = found.stop.tolist()
        self.root = 0

    def slabs(self, node: int) -> tuple[int, list[int], list[float]]:
        """The top of the cuts parallel to a node's own, the slabs that they make, and the lines between them."""
        axis = self.axis[node]
        top = node
        while self.parent[top] >= 0 and self.axis[self.parent[top]] == axis:
            top = self.parent[top]
        slabs: list[int] = []
        lines: list[float] = []
        path: list[int] = []
        here = top
        while True:
            while self.axis[here] == axis:
                path.append(here)
                here = self.low[here]
            slabs.append(here)
            if not path:
                return top, slabs, lines
            cut = path.pop()
            lines.append(self.line[cut])
            here = self.high[cut]

    def groups(self, leaf: int) -> Iterator[tuple[int, int, int, int]]:
        """Growing groups around a rectangle: top, number of the first slab (-1: the whole top), start and stop."""
        node = leaf
        while self.parent[node] >= 0:
            top, slabs, _ = self.slabs(self.parent[node])
            number = slabs.index(node)
            if len(slabs) > 2:
                for first in (number - 1, number):
                    if 0 <= first < len(slabs) - 1:
                        yield top, first, self.start[slabs[first]], self.stop[slabs[first + 1]]
            yield top, -1, self.start[top], self.stop[top]
            node = top

    def replace(self, top: int, first: int, points: np.ndarray, code: Code) -> list[int]:
        """Put newly cut points in the place of a group; returns the new rectangles."""
        start = self.start[top]
        if first < 0:
            stop, above = self.stop[top], self.parent[top]
            fresh, leaves = self._plant(code, start, above)
            self._hang(top, fresh)
            self._remove(top)
        else:
            _, slabs, lines = self.slabs(top)
            start, stop = self.start[slabs[first]], self.stop[slabs[first + 1]]
            fresh, leaves = self._plant(code, start, top)
            axis = self.axis[top]
            for gone in slabs[first : first + 2]:
                self._remove(gone)
            slabs[first : first + 2] = [fresh]
            del lines[first]
            chain = self._chain(axis, slabs, lines)
            self.parent[chain] = self.parent[top]
            self._hang(top, chain)
            self.axis[top] = None
        self.order[start:stop] = points
        return leaves

    def tree(self) -> CutTree:
        """The tree as it is now."""
        axes, lines, sizes, waiting = [], [], [], [self.root]
        while waiting:
            node = waiting.pop()
            axes.append(self.axis[node])
            lines.append(self.line[node])
            sizes.append(self.stop[node] - self.start[node])
            if self.low[node] >= 0:
                waiting += [self.high[node], self.low[node]]
        return CutTree(np.array(axes, np.int8), np.array(lines), np.array(sizes, np.int32), self.order)

    def _plant(self, code: Code, start: int, parent: int) -> tuple[int, list[int]]:
        base = len(self.axis)
        found = relations(code[0], code[2])
        for nodes, into in (found.parent, self.parent), (found.low, self.low), (found.high, self.high):
            into += [base + node if node >= 0 else -1 for node in nodes.tolist()]
        self.parent[base] = parent
        self.start += (found.start + start).tolist()
        self.stop += (found.stop + start).tolist()
        self.axis += code[0].tolist()
        self.line += code[1].tolist()
        return base, (base + np.flatnonzero(code[0] < 0)).tolist()

    def _hang(self, old: int, new: int) -> None:
        above = self.parent[old]
        if above < 0:
            self.root = new
        elif self.low[above] == old:
            self.low[above] = new
        else:
            self.high[above] = new

    def _remove(self, node: int) -> None:
        waiting = [node]
        while waiting:
            gone = waiting.pop()
            self.axis[gone] = None
            if self.low[gone] >= 0:
                waiting += [self.low[gone], self.high[gone]]

    def _chain(self, axis: int | None, slabs: list[int], lines: list[float]) -> int:
        """Slabs under cuts that halve their number; returns the topmost."""
        if len(slabs) == 1:
            return slabs[0]
        half = len(slabs) // 2
        low = self._chain(axis, slabs[:half], lines[: half - 1])
        high = self._chain(axis, slabs[half:], lines[half:])
        node = len(self.axis)
        self.axis.append(axis)
        self.line.append(lines[half - 1])
        self.low.append(low)
        self.high.append(high)
        self.parent.append(-1)
        self.start.append(self.start[low])
        self.stop.append(self.stop[high])
        self.parent[low] = self.parent[high] = node
        return node
