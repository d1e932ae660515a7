"""What a release of a table tells, record by record."""

from itertools import product
from math import sqrt


def spread(shown):
    """What one record adds to each combination of values that it may have; `shown` is a list of values a column."""
    each = 1.0
    for values in shown:
        each /= len(values)
    return dict.fromkeys(product(*shown), each)


def told(records):
    """Combination → how many records the release tells to have it."""
    found = {}
    for shown in records:
        for combination, share in spread(shown).items():
            found[combination] = found.get(combination, 0.0) + share
    return found


def difference(before, after):
    """Total variation between two tables of counts."""
    keys = {*before, *after}
    total, other = sum(before.values()), sum(after.values())
    return sum(abs(before.get(key, 0) / total - after.get(key, 0) / other) for key in keys) / 2


def cramers_v(counts):
    """Of counts by pairs."""
    rows, columns, n = {}, {}, sum(counts.values())
    for (one, other), count in counts.items():
        rows[one] = rows.get(one, 0) + count
        columns[other] = columns.get(other, 0) + count
    if min(len(rows), len(columns)) < 2:
        return 0.0
    chi = sum(
        (counts.get((one, other), 0) - rows[one] * columns[other] / n) ** 2 / (rows[one] * columns[other] / n)
        for one in rows
        for other in columns
    )
    return sqrt(chi / n / (min(len(rows), len(columns)) - 1))
