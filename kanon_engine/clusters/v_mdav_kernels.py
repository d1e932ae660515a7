"""Groups that grow while near points come; see `v_mdav`."""

from __future__ import annotations

import math

import numpy as np

from kanon_engine.clusters.mdav_kernels import farthest, take
from kanon_engine.kernel_cache import njit


@njit(cache=True, nogil=True)
def square(points, i, j):
    """Squared distance of two points."""
    total = 0.0
    for column in range(points.shape[1]):
        difference = points[i, column] - points[j, column]
        total += difference * difference
    return total


@njit(cache=True, nogil=True)
def nearest_to(points, i, left):
    """Squared distance of a point of `left` from the nearest other one; infinite where it is alone."""
    near = math.inf
    for place in range(len(left)):
        if left[place] != i:
            near = min(near, square(points, i, left[place]))
    return near


@njit(cache=True, nogil=True)
def extend(points, left, k, gamma, group, assignment, near):
    """Let a group of k grow to at most 2k - 1; `near` holds squared distances from the group. Returns who is left."""
    for _ in range(k - 1):
        if len(left) == 0:
            break
        place = near[: len(left)].argmin()
        i = left[place]
        # squares on both sides; the last point has no other near it, so it always joins
        if not near[place] < gamma * gamma * nearest_to(points, i, left):
            break
        assignment[i] = group
        # the order stays, because it decides between equal distances
        for other in range(place, len(left) - 1):
            left[other], near[other] = left[other + 1], near[other + 1]
        left = left[:-1]
        for other in range(len(left)):
            near[other] = min(near[other], square(points, i, left[other]))
    return left


@njit(cache=True, nogil=True)
def take_grown(points, left, k, gamma, group, assignment, rounds):
    """A number of groups, each around the first point of `left`, while there are points for one; like `take_rounds`."""
    squares, heap, near = np.empty(len(left)), np.empty(k), np.empty(len(left))
    for _ in range(rounds):
        if len(left) < k:
            break
        # `left` is sorted by distance from the mean of all, so its first point is the farthest
        farthest(points, left, points[left[0]], squares)
        left = take(left, squares[: len(left)], k, group, assignment, heap)
        near[: len(left)] = math.inf
        for member in range(len(points)):
            if assignment[member] == group:
                for place in range(len(left)):
                    near[place] = min(near[place], square(points, member, left[place]))
        left = extend(points, left, k, gamma, group, assignment, near)
        group += 1
    return left, group
