"""The independent check of requirements: what every class must satisfy, counted again from the instance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pandas as pd

from kanon_engine.model.diversity import Closeness, Diversity
from kanon_engine.model.requirement import Minimum
from kanon_engine.verification.check import Check

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization


def requirements_met(instance: Any, g: Generalization) -> Iterator[Check]:
    """A check for each requirement that the result says to meet."""
    for requirement in g.require:
        yield CHECKS[type(requirement)](instance, g, requirement)


def _minimum(instance: Any, g: Generalization, required: Minimum) -> Check:
    """Add the column up, item by item."""
    if required.column not in instance.columns:
        return Check("requirement", False, f"the instance has no second count {required.column!r}.")
    sums = [0] * g.classes
    for own, value in zip(g.assignment.tolist(), instance.columns[required.column].tolist(), strict=True):
        if own >= 0:
            sums[own] += value
    found = f"the least of {required.column} in a class is {min(sums):,}, required are {required.m:,}."
    return Check("requirement", min(sums) >= required.m, found)


def judge(instance: Any, require: Sequence[Any]) -> Callable[[Sequence[int]], bool]:
    """Whether a class of the records at given positions satisfies all of these, diversity and closeness."""
    columns = {required.column: _cells(instance, required.column) for required in require}
    weights = instance.weights.tolist()
    everybody = {column: _tally(cells, weights, range(len(cells))) for column, cells in columns.items()}

    def holds(members: Sequence[int]) -> bool:
        for required in require:
            own = _tally(columns[required.column], weights, members)
            if isinstance(required, Closeness):
                good = _distance(own, everybody[required.column]) <= Fraction(repr(required.t))
            else:
                good = _diverse(required, sorted(own.values(), reverse=True))
            if not good:
                return False
        return True

    return holds


def _tally(cells: list[Any], weights: list[int], members: Iterable[int]) -> Counter[Any]:
    """How many of the records at these positions have each value."""
    counts: Counter[Any] = Counter()
    for place in members:
        counts[cells[place]] += weights[place]
    return counts


def _diversity(instance: Any, g: Generalization, required: Diversity) -> Check:
    """Count the values of each class, value by value."""
    return _sensitive(instance, g, required, f"{required.kind} diversity of {required.l:g} in {required.column!r}")


def _closeness(instance: Any, g: Generalization, required: Closeness) -> Check:
    """Compare each class with all records of the table, those that are left out too."""
    return _sensitive(instance, g, required, f"a distribution of {required.column!r} within {required.t:g}")


def _sensitive(instance: Any, g: Generalization, required: Any, what: str) -> Check:
    frame = getattr(instance, "frame", None)
    if frame is None or required.column not in frame.columns or required.column in instance.quasi_identifiers:
        return Check("requirement", False, f"the instance has no sensitive column {required.column!r}.")
    members: list[list[int]] = [[] for _ in range(g.classes)]
    for place, own in enumerate(g.assignment.tolist()):
        if own >= 0:
            members[own].append(place)
    holds = judge(instance, [required])
    failing = sum(not holds(own) for own in members)
    return Check("requirement", failing == 0, f"{failing:,} of {g.classes:,} classes lack {what}.")


def _cells(instance: Any, column: str) -> list[Any]:
    """The values of a column, missing ones as None."""
    return [None if pd.isna(value) else value for value in instance.frame[column].astype(object).tolist()]


def _diverse(required: Diversity, counts: list[int]) -> bool:
    """Of the counts in descending order."""
    if required.kind == "distinct":
        return len(counts) >= required.l
    if required.kind == "recursive":
        return counts[0] < Fraction(repr(required.c)) * sum(counts[int(required.l) - 1 :])
    common = math.gcd(*counts)
    counts = [count // common for count in counts]
    n, least = sum(counts), Fraction(repr(required.l))
    entropy = math.log(n) - math.fsum(count * math.log(count) for count in counts) / n
    if abs(entropy - math.log(least)) > 1e-9:
        return entropy > math.log(least)
    return bool(least**n * math.prod(count**count for count in counts) <= n**n)


def _distance(own: Counter[Any], everybody: Counter[Any]) -> Fraction:
    """The earth mover's distance of two distributions, by the order of numbers, else by what is not shared."""
    size, total = own.total(), everybody.total()
    known = [value for value in everybody if value is not None]
    if not known or not all(isinstance(value, int | float) and not isinstance(value, bool) for value in known):
        shared = (min(Fraction(own[value], size), Fraction(everybody[value], total)) for value in own)
        return 1 - sum(shared, Fraction())
    moved = ahead = 0  # of records, in units of one of everybody times one of the class
    for value in sorted(known) + [None] * (None in everybody):
        ahead += own[value] * total - everybody[value] * size
        moved += abs(ahead)
    return Fraction(moved, max(len(everybody) - 1, 1) * size * total)


CHECKS: dict[type, Callable[[Any, Any, Any], Check]] = {
    Minimum: _minimum,
    Diversity: _diversity,
    Closeness: _closeness,
}
