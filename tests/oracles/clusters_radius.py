"""The least largest radius by brute force, smallest balls and bounds by their definitions; nothing of the engine."""

from itertools import combinations

import numpy as np


def partitions(items):
    """All ways to divide a list."""
    if not items:
        yield []
        return
    first, *rest = items
    for parts in partitions(rest):
        yield [[first], *parts]
        for place, part in enumerate(parts):
            yield [*parts[:place], [first, *part], *parts[place + 1 :]]


def divisions(weights, k):
    """All ways to divide the positions so that each part holds k records."""
    for parts in partitions(list(range(len(weights)))):
        if all(sum(weights[item] for item in part) >= k for part in parts):
            yield parts


def least_radius(apart, weights, k):
    """Around points: the least over all divisions of the largest radius."""
    return min(max(apart[:, part].max(axis=1).min() for part in parts) for parts in divisions(weights, k))


def least_free_radius(points, weights, k):
    """Around free centers in some dimensions."""
    known = {}

    def radius(part):
        key = tuple(sorted(part))
        if key not in known:
            known[key] = smallest_ball(points[list(key)])
        return known[key]

    return min(max(radius(part) for part in parts) for parts in divisions(weights, k))


def smallest_ball(points):
    """Its radius: the least that holds all points, of the balls with some of them, independent ones, on the border."""
    axes, best = points.shape[1], np.inf
    for size in range(1, min(len(points), axes + 1) + 1):
        for border in combinations(range(len(points)), size):
            first = points[border[0]]
            steps = points[list(border[1:])] - first
            center = first
            if size > 1:
                center = first + np.linalg.lstsq(2 * steps, (steps**2).sum(axis=1), rcond=None)[0]
            best = min(best, np.sqrt(((points - center) ** 2).sum(axis=1)).max())
    return best


def ball_radius(apart, weights, place, k):
    """The least distance within which there are k records."""
    return min(
        radius
        for radius in apart[place]
        if sum(w for d, w in zip(apart[place], weights, strict=True) if d <= radius) >= k
    )


def need(apart, weights, k):
    """The largest over points of the least over centers of their distance, or the radius of the center's ball."""
    rho = [ball_radius(apart, weights, place, k) for place in range(len(weights))]
    return max(min(max(apart[i][j], rho[j]) for j in range(len(weights))) for i in range(len(weights)))


def fails(apart, weights, centers, width, k):
    """Are the centers farther apart than the width, with fewer than k records for each within it?"""
    spread = all(apart[a][b] > width for a, b in combinations(centers, 2))
    held = sum(w for point, w in enumerate(weights) if any(apart[c][point] <= width for c in centers))
    return spread and held < k * len(centers)


def covers(inside, weights, k, must):
    """By trying all ways: can points be given to sets that hold them, with k records in each that is used?"""
    sets, count = inside.shape

    def given(point, held):
        if point == count:
            return all(level == 0 or level >= k for level in held)
        choices = [number for number in range(sets) if inside[number, point]]
        if not must[point]:
            choices.append(None)
        for number in choices:
            if number is None:
                if given(point + 1, held):
                    return True
                continue
            held[number] += weights[point]
            if given(point + 1, held):
                return True
            held[number] -= weights[point]
        return False

    return given(0, [0] * sets)


def maximal_sets(sets):
    """Positions of the sets, the larger ones first, that no earlier one contains."""
    kept = []
    for place, one in enumerate(sets):
        if not any(one <= sets[other] for other in kept):
            kept.append(place)
    return kept
