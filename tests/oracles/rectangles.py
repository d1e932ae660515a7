"""Brute force and plain twins for rectangles; nothing here comes from the engine."""

from __future__ import annotations

from functools import cache


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
