"""Smallest enclosing balls: the center walks until the points at the border hold it (Fischer, Gärtner, Kutz 2003)."""

from __future__ import annotations

import numpy as np

from kanon_engine.kernel_cache import njit

SINGULAR = 1e-13  # share of the largest pivot below which points do not span
NONE = -1e-12  # least share of a point at the border that counts as none


@njit(cache=True, nogil=True)
def shares_of(points, border, size, gram, shares):
    """Write how the center of the ball around the border is made of its points; False where these do not span.

    The shares x of all but the first solve G x = diag(G) / 2, with G the products of differences to the first.
    """
    rest = size - 1
    first = points[border[0]]
    for i in range(rest):
        left = points[border[i + 1]]
        for j in range(rest):
            right = points[border[j + 1]]
            total = 0.0
            for axis in range(points.shape[1]):
                total += (left[axis] - first[axis]) * (right[axis] - first[axis])
            gram[i, j] = total
        gram[i, rest] = gram[i, i] / 2
    largest = 0.0
    for i in range(rest):
        # the largest pivot keeps rounding errors small
        pivot = i
        for row in range(i + 1, rest):
            if abs(gram[row, i]) > abs(gram[pivot, i]):
                pivot = row
        for column in range(i, rest + 1):
            gram[i, column], gram[pivot, column] = gram[pivot, column], gram[i, column]
        largest = max(largest, abs(gram[i, i]))
        if abs(gram[i, i]) <= SINGULAR * largest:
            return False
        for row in range(i + 1, rest):
            factor = gram[row, i] / gram[i, i]
            for column in range(i, rest + 1):
                gram[row, column] -= factor * gram[i, column]
    shares[0] = 1.0
    for i in range(rest - 1, -1, -1):
        total = gram[i, rest]
        for column in range(i + 1, rest):
            total -= gram[i, column] * shares[column + 1]
        shares[i + 1] = total / gram[i, i]
        shares[0] -= shares[i + 1]
    return True


@njit(cache=True, nogil=True)
def walk(points, center):
    """Move the center, from the first point, to that of the smallest ball around all points.

    Those at the border are always as far as the farthest. The center moves toward the middle of the border until a
    further point is as far. In the middle a point whose share is below 0 leaves the border; without one it is done.
    """
    count, axes = points.shape
    gram = np.zeros((axes + 1, axes + 2))
    shares = np.zeros(axes + 2)
    middle = np.zeros(axes)
    border = np.zeros(axes + 2, np.int64)
    aside = np.zeros(count, np.bool_)
    size = 1
    reach = -1.0
    for place in range(count):
        total = 0.0
        for axis in range(axes):
            total += (points[place, axis] - points[0, axis]) ** 2
        if total > reach:
            reach = total
            border[0] = place
    center[:] = points[0]
    for _ in range(100 + 10 * count):
        if not shares_of(points, border, size, gram, shares):
            size -= 1  # the last one lies where others span, and stays as far as they are
            aside[border[size]] = True
            continue
        middle[:] = 0.0
        for i in range(size):
            for axis in range(axes):
                middle[axis] += shares[i] * points[border[i], axis]
        radius = 0.0
        way = 0.0
        for axis in range(axes):
            radius += (points[border[0], axis] - center[axis]) ** 2
            way += (middle[axis] - center[axis]) ** 2
        hit = -1
        part = 1.0
        if way > 1e-28 * radius and size <= axes:
            for place in range(count):
                on_border = aside[place]
                for i in range(size):
                    on_border |= border[i] == place
                if on_border:
                    continue
                along = 0.0
                separation = 0.0
                far = 0.0
                for axis in range(axes):
                    step = middle[axis] - center[axis]
                    along += step * (points[border[0], axis] - points[place, axis])
                    separation += (points[border[0], axis] - points[place, axis]) ** 2
                    far += (points[place, axis] - center[axis]) ** 2
                if along > 1e-12 * np.sqrt(way * separation) and radius - far < 2 * along * part:
                    part = max((radius - far) / (2 * along), 0.0)
                    hit = place
        for axis in range(axes):
            center[axis] += part * (middle[axis] - center[axis])
        if hit >= 0:
            border[size] = hit
            size += 1
            continue
        least = 0
        for i in range(size):
            if shares[i] < shares[least]:
                least = i
        if shares[least] >= NONE:
            return
        size -= 1
        border[least] = border[size]
        aside[:] = False


@njit(cache=True, nogil=True)
def smallest_balls(points, order, starts, centers):
    """The center of the smallest ball around each set of points: those of `order` from one start to the next."""
    for number in range(len(starts) - 1):
        members = points[order[starts[number] : starts[number + 1]]]
        walk(members - members[0], centers[number])
        centers[number] += members[0]
