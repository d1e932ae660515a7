"""The best partitions into rectangles by brute force; nothing here comes from the engine."""

from __future__ import annotations

from functools import cache

from tests.oracles.rectangles import weigher


def best_tiling(xy, weights, k):
    """(largest class, sum of squares), least in this order, over all tilings of the bounding box; None if none."""
    weight, columns, rows = weigher(xy, weights)
    if weight(0, 0, columns, rows) < k:
        return None
    best = [(weight(0, 0, columns, rows), weight(0, 0, columns, rows) ** 2)]

    def fill(covered, worst, squares):
        if (worst, squares) >= best[0]:
            return
        free = next(((x, y) for x in range(columns) for y in range(rows) if not covered >> (x * rows + y) & 1), None)
        if free is None:
            best[0] = (worst, squares)
            return
        a, b = free
        for d in range(b + 1, rows + 1):
            if covered >> (a * rows + d - 1) & 1:
                break
            tile = 0
            for c in range(a + 1, columns + 1):
                strip = sum(1 << ((c - 1) * rows + y) for y in range(b, d))
                if covered & strip:
                    break
                tile |= strip
                w = weight(a, b, c, d)
                if w > best[0][0]:
                    break
                if w >= k:
                    fill(covered | tile, max(worst, w), squares + w * w)

    fill(0, 0, 0)
    return best[0]


def best_cuts(xy, weights, k):
    """The same over all partitions that cuts from side to side make."""
    weight, columns, rows = weigher(xy, weights)
    if weight(0, 0, columns, rows) < k:
        return None

    def least(value, combine, cap):
        @cache
        def of(a, b, c, d):
            w = weight(a, b, c, d)
            if w < k:
                return float("inf")
            found = [value(w)] if w <= cap else [float("inf")]
            found += [combine(of(a, b, x, d), of(x, b, c, d)) for x in range(a + 1, c)]
            found += [combine(of(a, b, c, y), of(a, y, c, d)) for y in range(b + 1, d)]
            return min(found)

        return of(0, 0, columns, rows)

    largest = least(lambda w: w, max, float("inf"))
    return largest, least(lambda w: w * w, lambda one, two: one + two, largest)


def divisible(table, k, cap):
    """Whether cuts make classes of k to the cap of columns a … c - 1 and rows b … d - 1, as a function of these."""

    @cache
    def of(a, b, c, d):
        w = sum(sum(column[b:d]) for column in table[a:c])
        if k <= w <= cap:
            return True
        across = any(of(a, b, x, d) and of(x, b, c, d) for x in range(a + 1, c))
        return across or any(of(a, b, c, y) and of(a, y, c, d) for y in range(b + 1, d))

    return of
