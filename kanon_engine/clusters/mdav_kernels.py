"""Groups of the nearest points around the farthest ones, removed one after another; see `mdav`."""

from __future__ import annotations

import numpy as np

from kanon_engine.kernel_cache import njit


@njit(cache=True, nogil=True)
def farthest(points, left, spot, squares):
    """The first place in `left` whose point is the farthest from a spot; `squares` gets all squared distances."""
    best = 0
    for place in range(len(left)):
        square = 0.0
        for column in range(points.shape[1]):
            difference = points[left[place], column] - spot[column]
            square += difference * difference
        squares[place] = square
        if square > squares[best]:
            best = place
    return best


@njit(cache=True, nogil=True)
def mean_of(points, left):
    """The mean of the points that are left."""
    mean = np.zeros(points.shape[1])
    for place in range(len(left)):
        for column in range(points.shape[1]):
            mean[column] += points[left[place], column]
    return mean / len(left)


@njit(cache=True, nogil=True)
def limit(squares, size, heap):
    """The size-th smallest value; `heap` holds the smallest ones, the largest of them on top."""
    # a heap of the smallest so far takes O(n log size); sorting all distances would take longer
    for place in range(len(squares)):
        if place >= size and squares[place] >= heap[0]:
            continue
        if place < size:
            here = place
            while here > 0 and heap[(here - 1) // 2] < squares[place]:
                heap[here] = heap[(here - 1) // 2]
                here = (here - 1) // 2
        else:
            here = 0
            while True:
                child = 2 * here + 1
                if child >= size:
                    break
                if child + 1 < size and heap[child + 1] > heap[child]:
                    child += 1
                if heap[child] <= squares[place]:
                    break
                heap[here] = heap[child]
                here = child
        heap[here] = squares[place]
    return heap[0]


@njit(cache=True, nogil=True)
def take(left, squares, size, group, assignment, heap):
    """Give the `size` nearest points a group, the first of equally near ones; returns who is left, in order."""
    edge = limit(squares, size, heap)
    # of the points at the edge, only as many as still fit join, in order: equal input, equal groups
    ties = size
    for place in range(len(left)):
        if squares[place] < edge:
            ties -= 1
    count = 0
    for place in range(len(left)):
        near = squares[place] < edge
        if squares[place] == edge and ties > 0:
            ties -= 1
            near = True
        if near:
            assignment[left[place]] = group
        else:
            left[count] = left[place]
            count += 1
    return left[:count]


@njit(cache=True, nogil=True)
def take_rounds(points, left, k, group, assignment, rounds):
    """A number of rounds of two groups, while there are points for three; returns who is left, and the next group."""
    squares, heap = np.empty(len(left)), np.empty(k)
    for _ in range(rounds):
        if len(left) < 3 * k:
            break
        first = points[left[farthest(points, left, mean_of(points, left), squares)]]
        second = points[left[farthest(points, left, first, squares)]]
        left = take(left, squares[: len(left)], k, group, assignment, heap)
        # again, because the first group's points have left
        farthest(points, left, second, squares)
        left = take(left, squares[: len(left)], k, group + 1, assignment, heap)
        group += 2
    return left, group


@njit(cache=True, nogil=True)
def take_rest(points, left, k, group, assignment):
    """The last one or two groups."""
    if len(left) >= 2 * k:
        squares, heap = np.empty(len(left)), np.empty(k)
        first = points[left[farthest(points, left, mean_of(points, left), squares)]]
        farthest(points, left, first, squares)
        left = take(left, squares, k, group, assignment, heap)
        group += 1
    for place in range(len(left)):
        assignment[left[place]] = group
