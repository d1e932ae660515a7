"""Diversity and closeness of lists of values by their definitions, in exact arithmetic; nothing from the engine."""

from collections import Counter
from fractions import Fraction


def distinct(values, l):  # noqa: E741
    """At least l different values."""
    return len(set(values)) >= l


def entropy(values, l):  # noqa: E741
    """Entropy of at least log(l): l^n * product of count^count is at most n^n."""
    least, n, product = Fraction(repr(l)), len(values), 1
    for count in Counter(values).values():
        product *= count**count
    return least**n * product <= n**n


def recursive(values, l, c):  # noqa: E741
    """r_1 < c (r_l + … + r_m), the counts in descending order."""
    counts = sorted(Counter(values).values(), reverse=True)
    return counts[0] < Fraction(repr(c)) * sum(counts[l - 1 :])


def distance(values, whole):
    """Earth mover's distance of two lists of values: by order where all but None are numbers, else 1 between any."""
    known = {value for value in whole if value is not None}
    numbers = bool(known) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in known)
    places = sorted(known, key=None if numbers else str) + [None] * (None in whole)
    share = [Fraction(values.count(one), len(values)) - Fraction(whole.count(one), len(whole)) for one in places]
    if not numbers:
        return sum(abs(one) for one in share) / 2
    return sum(abs(sum(share[: end + 1])) for end in range(len(share))) / max(len(places) - 1, 1)


def satisfied(values, whole, wanted):
    """`wanted` is ("distinct", l), ("entropy", l), ("recursive", l, c) or ("closeness", t)."""
    kind, *numbers = wanted
    if kind == "closeness":
        return distance(values, whole) <= Fraction(repr(numbers[0]))
    return {"distinct": distinct, "entropy": entropy, "recursive": recursive}[kind](values, *numbers)
