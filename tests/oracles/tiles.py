"""Tilings of cells by rectangles of a weight, one after the other."""


def tilings(weights, total=3):
    """Every way to divide the cells of {(x, y): weight} into rectangles of this weight, as lists of sets."""
    if not weights:
        return [[]]
    x, y = first = min(weights)
    ways = []
    for right in range(x, x + total):
        for top in range(y, y + total):
            cells = {(column, row) for column in range(x, right + 1) for row in range(y, top + 1)}
            if cells <= set(weights) and first in cells and sum(weights[cell] for cell in cells) == total:
                rest = {cell: weight for cell, weight in weights.items() if cell not in cells}
                ways += [[cells, *more] for more in tilings(rest, total)]
    return ways
