"""Microaggregation by definition: the best partition, MDAV, V-MDAV, shares of divided distances."""

from functools import cache
from itertools import combinations
from math import inf


def square(left, right):
    """Squared distance."""
    total = 0.0
    for here, there in zip(left, right, strict=True):
        total += (here - there) * (here - there)
    return total


def mean(points):
    """Column by column, from the first point to the last."""
    sums = [0.0] * len(points[0])
    for point in points:
        sums = [total + value for total, value in zip(sums, point, strict=True)]
    return [total / len(points) for total in sums]


def within(points):
    """Sum of squared distances from the mean."""
    middle = mean(points)
    return sum(square(point, middle) for point in points)


def sse(points, labels):
    """Sum over clusters."""
    return sum(within([p for p, own in zip(points, labels, strict=True) if own == c]) for c in set(labels))


def best_partition(points, k):
    """The least sum of squares over all partitions into clusters of at least k; set by set, n up to 14 or so."""
    n = len(points)

    @cache
    def cost(left):
        if not left:
            return 0.0
        first, others = left[0], left[1:]
        found = inf
        for size in range(k, min(2 * k - 1, len(left)) + 1):
            if 0 < len(left) - size < k:
                continue
            for more in combinations(others, size - 1):
                rest = tuple(i for i in others if i not in more)
                found = min(found, within([points[i] for i in (first, *more)]) + cost(rest))
        return found

    return cost(tuple(range(n)))


def nearest(points, left, spot, size):
    """The nearest ones of those left, the first of equally near ones."""
    return sorted(sorted(left), key=lambda i: square(points[i], spot))[:size]


def farthest(points, left, spot):
    """The first of the farthest ones."""
    return max(sorted(left), key=lambda i: square(points[i], spot))


def mdav(points, k):
    """Domingo-Ferrer and Torra 2005: groups in the order in which they are made."""
    left, groups = list(range(len(points))), []

    def take(spot):
        groups.append(nearest(points, left, spot, k))
        for i in groups[-1]:
            left.remove(i)

    while len(left) >= 3 * k:
        first = farthest(points, left, mean([points[i] for i in left]))
        second = farthest(points, left, points[first])
        take(points[first])
        take(points[second])
    if len(left) >= 2 * k:
        take(points[farthest(points, left, mean([points[i] for i in left]))])
    return [sorted(group) for group in groups] + [left]


def v_mdav(points, k, gamma):
    """Solanas and Martinez-Balleste 2006, before the last few points join."""
    middle, left, groups = mean(points), list(range(len(points))), []
    while len(left) >= k:
        group = nearest(points, left, points[farthest(points, left, middle)], k)
        left = [i for i in left if i not in group]
        while left and len(group) < 2 * k - 1:
            order = sorted(left, key=lambda i: (-square(points[i], middle), i))
            best = min(order, key=lambda i: min(square(points[i], points[j]) for j in group))
            inside = min(square(points[best], points[j]) for j in group)
            outside = min((square(points[best], points[j]) for j in left if j != best), default=inf)
            if not inside < gamma * gamma * outside:
                break
            group.append(best)
            left.remove(best)
        groups.append(sorted(group))
    return groups, sorted(left)


def shared(points, k, prices):
    """Sum over points of the least share; prices as rows (i, j, -1, s) or (apex, j, l, u)."""
    n = len(points)
    half = [[square(p, q) / 2 for q in points] for p in points]
    toll = [0.0] * n
    for i, j, other, price in prices:
        if other < 0:
            half[int(i)][int(j)] += price
            half[int(j)][int(i)] -= price
            continue
        toll[int(i)] += price
        for a, b, sign in ((i, j, 1), (i, other, 1), (j, other, -1)):
            half[int(a)][int(b)] += sign * price / 2
            half[int(b)][int(a)] += sign * price / 2
    total = 0.0
    for i in range(n):
        costs = sorted(half[i][j] for j in range(n) if j != i)
        total += min((sum(costs[: m - 1]) - toll[i]) / m for m in range(k, min(2 * k - 1, n) + 1))
    return total
