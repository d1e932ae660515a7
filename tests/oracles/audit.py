"""What a release tells, by looking at every record, every other record and every combination of columns."""

import math
from collections import Counter
from itertools import combinations


def special_uniques(rows, most=3):
    """Of each set of at most `most` columns the records that are unique on it and on no part of it."""
    width = len(rows[0])
    unique = {}
    for size in range(1, most + 1):
        for columns in combinations(range(width), size):
            shown = [tuple(row[column] for column in columns) for row in rows]
            unique[columns] = {place for place, own in enumerate(shown) if shown.count(own) == 1}
    found = {}
    for columns, records in unique.items():
        parts = [part for size in range(1, len(columns)) for part in combinations(columns, size)]
        minimal = {place for place in records if not any(place in unique[part] for part in parts)}
        if minimal:
            found[columns] = minimal
    return found


def alone_and_below(rows, k):
    """Records without an equal, and records with fewer than k - 1 equals."""
    sizes = [rows.count(row) for row in rows]
    return sum(size == 1 for size in sizes), sum(size < k for size in sizes), min(sizes)


def diversity(groups, values, whole, numbers):
    """Distinct l, entropy l, t, and groups and records with one value, by the definitions."""
    kinds = sorted(set(whole), key=lambda value: (value is None, value if value is not None else 0))
    overall = Counter(whole)
    least, lowest, farthest, constant, held = math.inf, math.inf, 0.0, 0, 0
    for group in set(groups):
        own = Counter(value for place, value in zip(groups, values, strict=True) if place == group)
        size = sum(own.values())
        least = min(least, len(own))
        lowest = min(lowest, -sum(count / size * math.log(count / size) for count in own.values()))
        gaps = [own[kind] / size - overall[kind] / len(whole) for kind in kinds]
        if len(kinds) > 1:
            moved = [abs(sum(gaps[: end + 1])) for end in range(len(kinds))]
            distance = sum(moved) / (len(kinds) - 1) if numbers else sum(map(abs, gaps)) / 2
            farthest = max(farthest, distance)
        if len(own) == 1:
            constant, held = constant + 1, held + size
    return least, math.exp(lowest), farthest, constant, held
