"""What an algorithm that cuts as long as it may tells, the plain way: every order of the sensitive values."""

from collections import Counter
from fractions import Fraction
from itertools import permutations


def splits(rows):
    """Every cut of rows of numbers in one column: the positions on both sides."""
    for column in range(len(rows[0])):
        for at in sorted({row[column] for row in rows})[1:]:
            yield (
                [place for place, row in enumerate(rows) if row[column] < at],
                [place for place, row in enumerate(rows) if row[column] >= at],
            )


def beliefs(rows, values, k, holds):
    """(row, value) → share of all orders of the values, in which no cut leaves k and what is required on both sides.

    `holds` is asked about the values of a side. Rows are of one class.
    """
    cuts = [sides for sides in splits(rows) if all(len(side) >= k for side in sides)]
    seen, total = Counter(), 0
    for order in permutations(values):
        if any(all(holds([order[at] for at in side]) for side in sides) for sides in cuts):
            continue
        total += 1
        for row, value in zip(rows, order, strict=True):
            seen[row, value] += 1
    alike = Counter(rows)
    return {key: Fraction(many, total * alike[key[0]]) for key, many in seen.items()}
