"""Least costs of cut tables over all sets of cuts, the plain way: every class from all records again."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import chain, combinations
from math import lcm


def classes_of(rows, cuts):
    """Records by intervals: {numbers of the intervals: positions}; cuts are pairs (column, first value after it)."""
    groups = defaultdict(list)
    for place, row in enumerate(rows):
        groups[tuple(sum(value >= at for c, at in cuts if c == column) for column, value in enumerate(row))].append(
            place
        )
    return groups


def interval_widths(row, rows, cuts, sizes):
    """How far the first and the last value that occur in the interval of a row lie apart, by column."""
    for column, (value, size) in enumerate(zip(row, sizes, strict=True)):
        edges = sorted([0, size, *(at for c, at in cuts if c == column)])
        low = max(edge for edge in edges if edge <= value)
        high = min(edge for edge in edges if edge > value)
        inside = [other[column] for other in rows if low <= other[column] < high]
        yield max(inside) - min(inside)


def steps(sizes, weights):
    """weight / (size - 1), times the least number that makes all whole, the weights left out at first."""
    exact = [Fraction(str(weight)) / max(size - 1, 1) for size, weight in zip(sizes, weights, strict=True)]
    scale = lcm(*(max(size - 1, 1) for size in sizes))
    finer = lcm(*((step * scale).denominator for step in exact))
    return [int(step * scale * finer) for step in exact]


def everything(members):
    """What nothing is required of."""
    return True


def cost(rows, labels, cuts, k, metric, sizes, weights, holds=everything):
    """Cost and number of suppressed records; a class must have k records, and `holds` must be true of its positions."""
    prices = steps(sizes, weights)
    total, suppressed = 0, 0
    for members in classes_of(rows, cuts).values():
        size = len(members)
        if size < k or not holds(members):
            suppressed += size
            worst = sum(price * (width - 1) for price, width in zip(prices, sizes, strict=True))
            total += size * {"DM": len(rows), "CM": 1, "AVG": 1, "LM": worst}[metric]
        elif metric == "DM":
            total += size * size
        elif metric == "CM":
            total += size - max(Counter(labels[place] for place in members).values())
        elif metric == "AVG":
            total += size - k
        else:
            wide = interval_widths(rows[members[0]], rows, cuts, sizes)
            total += size * sum(price * width for price, width in zip(prices, wide, strict=True))
    return total, suppressed


def subsets(values):
    values = list(values)
    return chain.from_iterable(combinations(values, size) for size in range(len(values) + 1))


def least(rows, labels, cuts, k, metric, limit, sizes, weights, holds=everything):
    """The least cost over all sets of cuts that suppress at most `limit` records (None: all but one); None for none."""
    found = (cost(rows, labels, chosen, k, metric, sizes, weights, holds) for chosen in subsets(cuts))
    most = len(rows) - 1 if limit is None else limit
    return min((price for price, suppressed in found if suppressed <= most), default=None)
