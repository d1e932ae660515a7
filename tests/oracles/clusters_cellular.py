"""Cellular clusterings by brute force, and plain twins of what the engine does for them."""

from fractions import Fraction
from itertools import combinations
from math import inf, sqrt


def ball_radius(points):
    """Radius of the smallest circle around points of the plane: of two of them, or of three."""
    best = inf
    spots = [((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in combinations(points, 2)] + list(points[:1])
    for a, b, c in combinations(points, 3):
        d = 2 * (a[0] * (b[1] - c[1]) + b[0] * (c[1] - a[1]) + c[0] * (a[1] - b[1]))
        if d:
            aa, bb, cc = (p[0] ** 2 + p[1] ** 2 for p in (a, b, c))
            x = (aa * (b[1] - c[1]) + bb * (c[1] - a[1]) + cc * (a[1] - b[1])) / d
            y = (aa * (c[0] - b[0]) + bb * (a[0] - c[0]) + cc * (b[0] - a[0])) / d
            spots.append((x, y))
    for x, y in spots:
        best = min(best, max(sqrt((p[0] - x) ** 2 + (p[1] - y) ** 2) for p in points))
    return best


def cheapest(count, weights, k, radius, facility_cost=0.0, spare=0):
    """The least cost of any partition into clusters of at least k records, `spare` of them left out at most.

    `radius(members)` is that of a cluster.
    """
    whole = (1 << count) - 1
    members = [[i for i in range(count) if subset >> i & 1] for subset in range(whole + 1)]
    records = [sum(weights[i] for i in own) for own in members]
    cost = [inf] * (whole + 1)
    for subset in range(1, whole + 1):
        if records[subset] >= k:
            cost[subset] = records[subset] * radius(members[subset]) + facility_cost
    best = [inf] * (whole + 1)
    best[0] = 0.0
    for subset in range(1, whole + 1):
        low = subset & -subset
        rest = part = subset ^ low
        while True:
            own = part | low
            best[subset] = min(best[subset], cost[own] + best[subset ^ own])
            if part == 0:
                break
            part = (part - 1) & rest
    return min(best[subset] for subset in range(1, whole + 1) if records[whole] - records[subset] <= spare)


def fair(matrix, weights, prices, k, facility_cost=0.0):
    """Whether in every ball of at least k records any k or more pay no more than it costs, by looking at all."""
    for row in matrix:
        for radius in set(row):
            inside = sorted(
                (
                    Fraction(prices[i]) - Fraction(radius)
                    for i in range(len(row))
                    for _ in range(weights[i])
                    if row[i] <= radius
                ),
                reverse=True,
            )
            if len(inside) >= k:
                paid = sum(inside[:k])
                paid += sum(part for part in inside[k:] if part > 0)
                if paid > Fraction(facility_cost):
                    return False
    return True


def ascent(steps, weights, facility_cost, slope, top, least, spare=0, member=False):
    """Prices that rise together, one step at a time, in whole numbers: every ball is looked at in every step."""
    n = len(steps)
    prices, stopped, now = [0] * n, [False] * n, 0
    while sum(w for w, s in zip(weights, stopped, strict=True) if not s) > spare:
        again = True
        while again:
            again = False
            for v in range(n):
                if member and stopped[v]:
                    continue
                for radius in sorted(set(steps[v])):
                    inside = [i for i in range(n) if steps[v][i] <= radius]
                    rising = [i for i in inside if not stopped[i]]
                    if not rising or sum(weights[i] for i in inside) < least:
                        continue
                    paid = _paid(inside, rising, prices, weights, now + 1, radius, top)
                    if paid > facility_cost + slope * radius:
                        for i in rising:
                            stopped[i], prices[i] = True, now
                        again = True
                        break
                if again:
                    break
            if sum(w for w, s in zip(weights, stopped, strict=True) if not s) <= spare:
                break
        now += 1
    return [now - 1 if not s else price for s, price in zip(stopped, prices, strict=True)]


def _paid(inside, rising, prices, weights, level, radius, top):
    each = sorted(
        ((level if i in rising else prices[i]) - radius for i in inside for _ in range(weights[i])), reverse=True
    )
    return sum(each[:top]) + sum(part for part in each[top:] if part > 0)


def division(matrix, weights, points, k, facility_cost):
    """The least cost of one cluster or of two of which one holds the points nearest to its center."""
    total = sum(weights[i] for i in points)
    best = total * min(max(matrix[a][i] for i in points) for a in points) + facility_cost
    for a in points:
        order = sorted(points, key=lambda i: matrix[a][i])
        for size in range(1, len(points)):
            near, rest = order[:size], order[size:]
            held = sum(weights[i] for i in near)
            if held >= k and total - held >= k:
                other = min(max(matrix[b][i] for i in rest) for b in points if b != a)
                best = min(best, held * max(matrix[a][i] for i in near) + (total - held) * other + 2 * facility_cost)
    return best
