"""Brute force and plain twins for rectangles; nothing here comes from the engine."""

from __future__ import annotations

from functools import cache
from itertools import pairwise


def ranks(xy):
    """Each point as (column, row), and how many there are of both."""
    xs, ys = sorted({x for x, _ in xy}), sorted({y for _, y in xy})
    return [(xs.index(x), ys.index(y)) for x, y in xy], len(xs), len(ys)


def weigher(xy, weights):
    """weight(a, b, c, d) of columns a … c - 1 and rows b … d - 1, and the numbers of columns and rows."""
    cells, columns, rows = ranks(xy)

    @cache
    def weight(a, b, c, d):
        return sum(w for (x, y), w in zip(cells, weights, strict=True) if a <= x < c and b <= y < d)

    return weight, columns, rows


def optimum(xy, weights, k):
    """Least possible largest class over all tilings of the bounding box, guillotine or not; None if there is none.

    A tiling assigns each crossing of a column and a row to a rectangle; every way to cover the crossings is tried.
    """
    weight, columns, rows = weigher(xy, weights)
    if weight(0, 0, columns, rows) < k:
        return None
    best = [weight(0, 0, columns, rows)]
    covered = [[False] * rows for _ in range(columns)]

    def fill(worst):
        if worst >= best[0]:
            return
        free = next(((x, y) for x in range(columns) for y in range(rows) if not covered[x][y]), None)
        if free is None:
            best[0] = worst
            return
        a, b = free
        for d in range(b + 1, rows + 1):
            if covered[a][d - 1]:
                break
            for c in range(a + 1, columns + 1):
                if any(covered[c - 1][y] for y in range(b, d)):
                    break
                w = weight(a, b, c, d)
                if w < k:
                    continue
                for x in range(a, c):
                    covered[x][b:d] = [True] * (d - b)
                fill(max(worst, w))
                for x in range(a, c):
                    covered[x][b:d] = [False] * (d - b)
                if w >= best[0]:
                    break

    fill(0)
    return best[0]


def kd_extremes(xy, weights, k):
    """Least and greatest largest class over all ways to go on cutting while a line leaves k on both sides."""
    weight, columns, rows = weigher(xy, weights)

    @cache
    def extremes(a, b, c, d):
        found = []
        for x in range(a + 1, c):
            if weight(a, b, x, d) >= k and weight(x, b, c, d) >= k:
                found.append((extremes(a, b, x, d), extremes(x, b, c, d)))
        for y in range(b + 1, d):
            if weight(a, b, c, y) >= k and weight(a, y, c, d) >= k:
                found.append((extremes(a, b, c, y), extremes(a, y, c, d)))
        if not found:
            return weight(a, b, c, d), weight(a, b, c, d)
        return min(max(p[0], q[0]) for p, q in found), max(max(p[1], q[1]) for p, q in found)

    return extremes(0, 0, columns, rows)


def heaviest_capped_lines(xy, weights, k):
    """min(2 (k - 1) + min(X, Y), 4 (k - 1) + h) by summing over every line and location."""

    def heaviest(key):
        return max(sum(w for p, w in zip(xy, weights, strict=True) if key(p) == key(q)) for q in xy)

    lines = min(heaviest(lambda p: p[0]), heaviest(lambda p: p[1]))
    return min(2 * (k - 1) + lines, 4 * (k - 1) + heaviest(tuple))


def kd_tree(xy, weights, k, rule, box, turn=0):
    """Classes (frozensets of positions) of the kd-tree; box is (xmin, ymin, xmax, ymax)."""
    return set(_split(list(range(len(xy))), xy, weights, k, rule, box, turn))


def _split(members, xy, weights, k, rule, box, turn):
    total = sum(weights[i] for i in members)
    longer = 0 if box[2] - box[0] >= box[3] - box[1] else 1
    first = {"balanced": longer, "longest-side": longer, "cyclic": turn}[rule]
    cuts = {axis: _best_cut(members, xy, weights, k, axis) for axis in (0, 1)}
    mine, other = cuts[first], cuts[1 - first]
    clearly = rule == "balanced" and mine is not None and other is not None and other[0] > mine[0] + total // 64
    axis = 1 - first if mine is None or clearly else first
    if cuts[axis] is None:
        return [frozenset(members)]
    line = cuts[axis][1]
    low_box, high_box = list(box), list(box)
    low_box[2 + axis] = high_box[axis] = line
    low = [i for i in members if xy[i][axis] < line]
    high = [i for i in members if xy[i][axis] >= line]
    return _split(low, xy, weights, k, rule, low_box, 1 - axis) + _split(high, xy, weights, k, rule, high_box, 1 - axis)


def _best_cut(members, xy, weights, k, axis):
    """(lighter side, line) of the most balanced cut, the first of several; None if there is none."""
    best = None
    values = sorted({xy[i][axis] for i in members})
    for a, b in pairwise(values):
        low = sum(weights[i] for i in members if xy[i][axis] <= a)
        high = sum(weights[i] for i in members if xy[i][axis] >= b)
        if min(low, high) >= k and (best is None or min(low, high) > best[0]):
            middle = 0.5 * a + 0.5 * b
            best = (min(low, high), middle if a < middle < b else b)
    return best
