"""The best clustering that may leave records out, by trying everything."""

import itertools
import math


def best_radius(distances, weights, k, most, clusters=None, spots=None):
    """Least largest radius over all choices of who is left out (at most `most` records) and all partitions of the rest.

    Centers are any of the points, or free in the plane where `spots`, a list of (x, y), is given. At most so many
    clusters, any number when None.
    """
    n = len(distances)
    whole = (1 << n) - 1
    members = [[i for i in range(n) if mask >> i & 1] for mask in range(whole + 1)]
    weight = [sum(weights[i] for i in own) for own in members]
    cost = [math.inf] * (whole + 1)
    for mask in range(1, whole + 1):
        if weight[mask] >= k:
            cost[mask] = (
                enclosing([spots[i] for i in members[mask]])
                if spots is not None
                else min(max(distances[c][i] for i in members[mask]) for c in range(n))
            )
    limit = n if clusters is None else clusters
    best = {(0, 0): 0.0}
    for mask in range(1, whole + 1):
        low = mask & -mask
        part = mask
        while part:
            if part & low and cost[part] < math.inf:
                for used in range(limit):
                    before = best.get((mask ^ part, used))
                    if before is not None:
                        now = max(before, cost[part])
                        if now < best.get((mask, used + 1), math.inf):
                            best[mask, used + 1] = now
            part = (part - 1) & mask
    return min(
        (value for (mask, used), value in best.items() if used and weight[whole ^ mask] <= most), default=math.inf
    )


def enclosing(spots):
    """Radius of the smallest circle around places in the plane: one through two or three of them."""
    if len(set(spots)) == 1:
        return 0.0
    best = math.inf
    for a, b in itertools.combinations(spots, 2):
        best = min(best, around(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2), spots, math.dist(a, b) / 2))
    for a, b, c in itertools.combinations(spots, 3):
        turn = 2 * (a[0] * (b[1] - c[1]) + b[0] * (c[1] - a[1]) + c[0] * (a[1] - b[1]))
        if turn:
            x, y = (
                sum(
                    (p[0] ** 2 + p[1] ** 2) * (q[1 - axis] - r[1 - axis])
                    for p, q, r in ((a, b, c), (b, c, a), (c, a, b))
                )
                * (1 if axis == 0 else -1)
                / turn
                for axis in (0, 1)
            )
            best = min(best, around((x, y), spots, math.dist((x, y), a)))
    return best


def around(center, spots, radius):
    """The radius, if the circle holds all."""
    most = max(math.dist(center, spot) for spot in spots)
    return most if most <= radius * (1 + 1e-9) + 1e-12 else math.inf


def kept_by_peeling(distances, weights, k, width):
    """The points that stay when all with fewer than k records within the width are taken away, again and again."""
    kept = set(range(len(distances)))
    while True:
        gone = {i for i in kept if sum(weights[j] for j in kept if distances[i][j] <= width) < k}
        if not gone:
            return kept
        kept -= gone
