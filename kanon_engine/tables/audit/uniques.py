"""Special uniques: the smallest combinations of columns that single a record out.

A record is a minimal sample unique on a set of columns if no other record shows the same in these columns, and it is
none on any part of the set (Elliot, Manning, Ford 2002: SUDA).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np

from kanon_engine.io.roles import listed
from kanon_engine.tables.audit.finding import MINOR, SERIOUS, Finding
from kanon_engine.tables.audit.values import remedies
from kanon_engine.tables.audit.view import View, dense

MOST_COLUMNS = 20
Heard = Callable[[float], object]  # told which share of the work is done
Uniques = dict[tuple[int, ...], np.ndarray]


def special_uniques(columns: Sequence[np.ndarray], heard: Heard | None = None) -> Uniques:
    """The records that are minimal sample uniques on one, two or three columns.

    Parameters
    ----------
    columns : sequence of (n,) int64 arrays
        Numbers from 0, equal where values are.
    heard : callable, optional

    Returns
    -------
    mapping of columns, by their places in ascending order, to (n,) bool array
        Only those that single a record out.

    Complexity
    ----------
    A count over the records for each pair and each triple of columns that can still tell somebody.

    Example
    -------
    >>> {place: own.nonzero()[0].tolist() for place, own in
    ...  special_uniques([np.array([0, 0, 1, 1, 2]), np.array([0, 1, 0, 1, 1])]).items()}
    {(0,): [4], (0, 1): [0, 1, 2, 3]}
    """
    alone = [_once(column) for column in columns]
    found: Uniques = {(place,): own for place, own in enumerate(alone) if own.any()}
    pairs: dict[tuple[int, int], np.ndarray] = {}
    told: dict[tuple[int, int], np.ndarray] = {}  # unique on the pair or on one of its columns
    for one, other in combinations(range(len(columns)), 2):
        pairs[one, other] = dense(columns[one] * (int(columns[other].max(initial=0)) + 1) + columns[other])
        unique = _once(pairs[one, other])
        told[one, other] = unique
        own = unique & ~alone[one] & ~alone[other]
        if own.any():
            found[one, other] = own
    triples = list(combinations(range(len(columns)), 3))
    for number, (first, second, third) in enumerate(triples):
        if heard is not None and number % 20 == 0:
            heard(number / len(triples))
        before = told[first, second] | told[first, third] | told[second, third]
        if before.all():
            continue
        base = columns[third]
        own = _once(dense(pairs[first, second] * (int(base.max(initial=0)) + 1) + base)) & ~before
        if own.any():
            found[first, second, third] = own
    return found


def _once(numbers: np.ndarray) -> np.ndarray:
    """Whether a record's number is its own."""
    alone: np.ndarray = (np.bincount(numbers) == 1)[numbers]
    return alone


def looked_at(view: View) -> tuple[str, ...]:
    """The kept columns whose combinations are looked at: those that others may know first."""
    return (*view.others, *(name for name in view.kept if name not in view.others))[:MOST_COLUMNS]


def unique_findings(view: View, names: Sequence[str], found: Uniques) -> Iterator[Finding]:
    """The combination of two or three columns that singles most people out, and how many all of them do."""
    more = {tuple(names[place] for place in places): own for places, own in found.items() if len(places) > 1}
    known = {own: who for own, who in more.items() if set(own) & set(view.others)}
    for part, severity in ((known, SERIOUS), ({} if known else more, MINOR)):
        if not part:
            continue
        everybody = int(np.logical_or.reduce(list(part.values())).sum())
        counts = {own: int(who.sum()) for own, who in part.items()}
        worst = max(counts, key=counts.__getitem__)
        weight = {name: sum(count for own, count in counts.items() if name in own) for name in names}
        able = [name for name in worst if name in view.others] or list(worst)
        verb = "is" if everybody == 1 else "are"
        others = f", {counts[worst]:,} by {listed(worst)}" if len(counts) > 1 else f": {listed(worst)}"
        yield Finding(
            "special uniques",
            severity,
            f"{everybody:,} of the {view.table.unit} {verb} singled out by two or three columns that are no "
            f"quasi-identifiers{others}.",
            worst,
            everybody,
            "Who knows these few values of a person finds the record, whatever the quasi-identifiers hide."
            if severity == SERIOUS
            else "All of these columns are sensitive; only who knows them already finds the record.",
            tuple(remedies(view, max(able, key=weight.__getitem__))),
        )
