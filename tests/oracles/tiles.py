"""Tilings of cells by rectangles within two weights, one after the other."""


def tilings(weights, low=3, high=3):
    """Every way to divide the cells of {(x, y): weight >= 1} into rectangles of these weights, as lists of sets."""
    if not weights:
        return [[]]
    x, y = min(weights)
    ways = []
    for right in range(x, x + high):
        for top in range(y, y + high):
            cells = {(column, row) for column in range(x, right + 1) for row in range(y, top + 1)}
            if cells <= set(weights) and low <= sum(weights[cell] for cell in cells) <= high:
                rest = {cell: weight for cell, weight in weights.items() if cell not in cells}
                ways += [[cells, *more] for more in tilings(rest, low, high)]
    return ways
