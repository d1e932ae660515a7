"""Cutting along a grid as a plain recursion over lists, after the model of nested cuts."""

import itertools
import math


def free_line(low, high, size, coordinates):
    """The number of the free grid line nearest to the middle of a gap (the upper one first), None where none is."""
    numbers = range(math.floor(low / size) - 1, math.ceil(high / size) + 2)
    inside = [i for i in numbers if low < i * size < high]
    if not inside:
        return None
    middle = inside[(len(inside) - 1) // 2]
    free = [i for i in inside if i * size not in coordinates]
    return min(free, key=lambda i: (abs(i - middle), i < middle), default=None)


def best_line(points, axis, needs, target, size, coordinates):
    """(weight below, line) across an axis with the weight below nearest to the target; the first of equals."""
    values = sorted({point[axis] for point in points})
    total = sum(point[2] for point in points)
    found = []
    for low, high in itertools.pairwise(values):
        below = sum(point[2] for point in points if point[axis] <= low)
        line = free_line(low, high, size, coordinates[axis])
        if below >= needs[0] and total - below >= needs[1] and line is not None:
            found.append((below, line * size))
    return min(found, key=lambda pair: abs(pair[0] - target), default=None)


def weight_of(model):
    """A model is a weight, or (axis, low model, high model)."""
    return model if isinstance(model, int) else weight_of(model[1]) + weight_of(model[2])


def leaves_of(model):
    return 1 if isinstance(model, int) else leaves_of(model[1]) + leaves_of(model[2])


def grid_leaves(points, k, size, model=0, coordinates=None):
    """Weights of the rectangles from the low sides to the high ones; points are (x, y, weight)."""
    if coordinates is None:
        coordinates = [{point[axis] for point in points} for axis in range(2)]
    total = sum(point[2] for point in points)
    cut, axis, parts = None, 0, (0, 0)
    if not isinstance(model, int):
        axis, *sides = model
        target = total * (weight_of(sides[0]) / weight_of(model))
        needs = [k * leaves_of(side) for side in sides]
        cut = best_line(points, axis, needs, target, size, coordinates)
        cut = cut or best_line(points, axis, (k, k), target, size, coordinates)
        parts = sides
    if cut is None:
        parts = (0, 0)
        both = [best_line(points, across, (k, k), total / 2, size, coordinates) for across in range(2)]
        lighter = [-1 if one is None else min(one[0], total - one[0]) for one in both]
        axis = 1 if lighter[1] > lighter[0] else 0
        cut = both[axis]
    if cut is None:
        return [total]
    low = [point for point in points if point[axis] < cut[1]]
    high = [point for point in points if point[axis] > cut[1]]
    return grid_leaves(low, k, size, parts[0], coordinates) + grid_leaves(high, k, size, parts[1], coordinates)
