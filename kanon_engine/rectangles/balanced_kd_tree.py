"""Rectangles of nearly equal weight: a kd-tree whose cuts aim at as many classes as possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heapify, heappop, heappush

import numpy as np

from kanon_engine.model.run import Outcome, Run
from kanon_engine.rectangles.balanced_kd_tree_kernels import FOUND, NONE, SMALL, RecutLimits, recut, relations, settle
from kanon_engine.rectangles.bounds import lower_bound
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.kd_tree import Code, CutTree, ceiling, grow_tree
from kanon_engine.rectangles.kd_tree_kernels import BALANCED, EQUAL_PARTS, class_weight

LARGEST_GROUP = 1 << 17  # points of a group that is recut
EFFORTS = (400, 4_000, 40_000)  # steps per point of the group; more only if fewer did not suffice
MESSAGE = "recutting the heaviest rectangle"
STEPS = 1 << 25  # of one run; a step examines a point, or 256 words of a table, whatever the number of points
TABLE = 3_000  # steps that the table of one small part may take within a search
QUICK_BOUND = 1 << 17  # points beyond which the lower bound is only computed if its simplest part is not reached
LONGEST_SEARCH = 1 << 21  # steps of one search, which cannot be interrupted
MOST_CLASSES = 1 << 20  # with more, the tree stays as grown


def balanced_kd_tree(points: Points, k: int, run: Run) -> Outcome:
    """Rectangles from cuts that leave equal weight per class on both sides, then improved; never worse than `kd_tree`.

    Guarantee: no rectangle is heavier than one of these points that no line can cut, see `ceiling`, nor than the
    heaviest one of `kd_tree`. Proof: docs/proofs/rectangles/balanced_kd_tree.md.

    A rectangle of weight w is to become m = floor(w / k) classes. The best lines are those whose worse side has the
    least w / floor(w / k), rounded up, but no less than the proven lower bound. Among these, a line that keeps m
    classes possible comes first, then the most balanced one. With more than 65,536 points, only lines are tried that
    split the weight j : m - j, for the five j closest to m / 2. Then the heaviest rectangle is recut together with its
    neighbors, with growing effort.

    Parameters
    ----------
    points : Points with equal coordinates stay together.
    run : Stopped early, it returns the best so far.

    Returns
    -------
    Outcome : `details` is a `RectangleDetails`.

    Complexity
    ----------
    As `kd_tree`, plus a number of steps that does not depend on n.

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 3; the choice of cuts and the improvement are derived for this
    project.

    >>> line = Points([(x, 0) for x in range(10)])
    >>> outcome = balanced_kd_tree(line, 3, Run())
    >>> outcome.assignment.tolist()
    [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]
    """
    most = ceiling(points, k)
    bound = lower_bound(points, k) if len(points) <= QUICK_BOUND else None
    low = max(class_weight(points.total, k), int(points.location_weights.max())) if bound is None else bound.value
    tree = grow_tree(points, k, EQUAL_PARTS, low)
    weights = tree.class_weights(points)
    if weights.max() > low:
        bound = bound or lower_bound(points, k)
        low = bound.value

        def shown(tree: CutTree) -> Outcome:
            return Outcome(tree.assignment(), tree.details(points, "balanced-kd-tree"), most, bound)

        # a tree above the ceiling is not shown, because a result claims to keep it
        tree = improved(points, k, tree, low, run, shown if weights.max() <= most else None)
        weights = tree.class_weights(points)
    if weights.max() > low:
        # the guarantee: never above the kd-tree with balanced cuts
        plain = grow_tree(points, k, BALANCED)
        if _worth(plain.class_weights(points)) < _worth(weights):
            tree = plain
    return Outcome(tree.assignment(), tree.details(points, "balanced-kd-tree"), most, bound)


def improved(
    points: Points, k: int, tree: CutTree, bound: int, run: Run, outcome_of: Callable[[CutTree], Outcome] | None = None
) -> CutTree:
    """Repeatedly recut the heaviest rectangle with its neighbors; see `balanced_kd_tree`.

    `shown` makes a solution from a tree, for a listener.
    """
    weights = tree.class_weights(points)
    if len(weights) > MOST_CLASSES:
        return tree
    patchwork = CutPatchwork(tree)
    solution = None if outcome_of is None else lambda: outcome_of(patchwork.tree())

    def goes_on(done: float, weight: int) -> bool:
        return run.goes_on(done, weight, bound, MESSAGE, solution)

    def lowered(leaf: int, weight: int, effort: int, steps: int) -> tuple[int, list[int]]:
        """Recut a group around a rectangle of this weight into lighter ones; returns the steps used and the
        rectangles."""
        spent = 0
        for top, first, start, stop in list(patchwork.groups(leaf)):
            if stop - start > LARGEST_GROUP:
                continue
            order = patchwork.order[start:stop]
            best = max(bound, class_weight(int(points.weights[order].sum()), k))
            # from the least that the group's weight allows up to one less than now
            caps = sorted({best, (best + weight) // 2, weight - 1}) if best < weight else []
            if caps and stop - start <= SMALL and spent < steps:
                if not goes_on(1 - (steps - spent) / STEPS, weight):
                    return spent, []
                again, most = order.copy(), min(effort * (len(order) + 25), steps - spent)
                verdict, used, *code = settle(points.xy, points.weights, again, (k, weight - 1, best, most))
                spent += used
                if verdict == FOUND:
                    return spent, patchwork.replace(top, first, again, tuple(code))
                # proven: nothing lighter is possible in this group, so a larger one is tried
                if verdict == NONE:
                    continue
            for cap in caps:
                if best <= cap < weight and spent < steps:
                    if not goes_on(1 - (steps - spent) / STEPS, weight):
                        return spent, []
                    again, most = order.copy(), min(effort * (len(order) + 25), steps - spent, LONGEST_SEARCH)
                    success, used, *code = recut(points.xy, points.weights, again, RecutLimits(k, cap, most, TABLE))
                    spent += used
                    if success:
                        return spent, patchwork.replace(top, first, again, tuple(code))
        return spent, []

    leaves = np.flatnonzero(tree.axes < 0)
    heavy = [(-weight, leaf) for weight, leaf in zip(weights.tolist(), leaves.tolist(), strict=True) if weight > bound]
    heapify(heavy)
    steps = STEPS
    while heavy and steps > 0:
        weight, leaf = -heavy[0][0], heavy[0][1]
        # it was recut together with another rectangle
        if patchwork.axis[leaf] is None:
            heappop(heavy)
            continue
        fresh: list[int] = []
        for effort in EFFORTS:
            spent, fresh = lowered(leaf, weight, effort, steps)
            steps -= spent
            if fresh or spent == 0 or steps <= 0 or run.stopped:
                break
        # the heaviest decides the result, so the others need no recutting
        if not fresh:
            break
        for node in fresh:
            mine = int(points.weights[patchwork.order[patchwork.start[node] : patchwork.stop[node]]].sum())
            if mine > bound:
                heappush(heavy, (-mine, node))
    return patchwork.tree()


def _worth(weights: np.ndarray) -> tuple[int, float]:
    """Less is better: the largest class, then the sum of squares."""
    return int(weights.max()), float(np.square(weights.astype(np.float64)).sum())


class CutPatchwork:
    """Nodes with parents and parts; a group is a node, or two neighboring slabs between parallel cuts.

    Consecutive cuts across the same axis make slabs side by side. Adjacent slabs form a rectangle too, and remain parts
    of a tree of cuts, whichever of the lines between the slabs comes first.

    Attributes
    ----------
    axis, line, low, high, parent, start, stop : list
        Of each node; axis is below 0 for a rectangle, and None for a removed node. Its points are order[start:stop].
    order : (n,) int32 array
    """

    def __init__(self, tree: CutTree) -> None:
        self.order = tree.order.copy()
        self.axis: list[int | None] = tree.axes.tolist()
        self.line: list[float] = tree.lines.tolist()
        links = relations(tree.axes, tree.sizes)
        self.parent: list[int] = links.parent.tolist()
        self.low: list[int] = links.low.tolist()
        self.high: list[int] = links.high.tolist()
        self.start: list[int] = links.start.tolist()
        self.stop: list[int] = links.stop.tolist()
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
        """Replace a group by newly cut points; returns the new rectangles."""
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
            for slab in slabs[first : first + 2]:
                self._remove(slab)
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
        links = relations(code[0], code[2])
        for nodes, into in (links.parent, self.parent), (links.low, self.low), (links.high, self.high):
            into += [base + node if node >= 0 else -1 for node in nodes.tolist()]
        self.parent[base] = parent
        self.start += (links.start + start).tolist()
        self.stop += (links.stop + start).tolist()
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
            current = waiting.pop()
            self.axis[current] = None
            if self.low[current] >= 0:
                waiting += [self.low[current], self.high[current]]

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
