"""Tables: Bayardo and Agrawal (2005), and Chakaravarthy, Pandit and Sabharwal."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd

from kanon_engine.generalize import generalize
from kanon_engine.studies.errata.entry import Erratum, Parameter, Played, Row
from kanon_engine.tables.instance import Table
from kanon_engine.tables.plot.histograms import columns_figure

BAYARDO = "Bayardo, Agrawal 2005"
CHAKARAVARTHY = "Chakaravarthy, Pandit, Sabharwal"

Cuts = frozenset[int]
NOTHING: tuple[int, ...] = ()


def wider_rule(others: int) -> Played:
    """So many equal records and one apart, k = 4: the rule drops the cut between them, for the one is below k.

    Example
    -------
    >>> wider_rule(7).holds, wider_rule(3).holds
    (False, True)
    """
    k, n = 4, others + 1
    table = Table(pd.DataFrame({"column": [0] * others + [1]}), ["column"])
    g = generalize(table, k, "k-optimize")
    split = sum(part * (part if part >= k else n) for part in (others, 1))  # a record left out counts as n
    rows = (
        Row.of("cost without the cut", "no more than with it", n * n),
        Row.of("cost with the cut", f"at least {n * n}", split),
        Row.of("least cost that kanon proves", "", g.cost),
    )
    return Played(rows, n * n <= split, columns_figure(table, g))


def _cost(cuts: Cuts, values: int) -> int:
    """Discernibility with k = 1 of so many records, each with another value, with cuts before some of them."""
    ends = [0, *sorted(cuts), values]
    return sum((high - low) ** 2 for low, high in pairwise(ends))


def _prune(head: Cuts, tail: tuple[int, ...], best: float, values: int) -> tuple[int, ...]:
    """PRUNE as it stands in Figure 5; no set below a node costs less than its allset."""
    if _cost(head | set(tail), values) >= best:
        return NOTHING
    left = tail
    for value in tail:
        rest = tuple(other for other in left if other != value)
        if _prune(head | {value}, rest, best, values) == NOTHING:
            left = rest
    return left if left == tail else _prune(head, left, best, values)


def _searched(head: Cuts, tail: tuple[int, ...], best: float, values: int) -> float:
    """K-OPTIMIZE as it stands in Figure 5."""
    best = min(best, _cost(head, values))
    tail = _prune(head, tail, best, values)
    while tail:
        value, *rest = tail
        best = _searched(head | {value}, tuple(rest), best, values)
        tail = _prune(head, tuple(rest), best, values)
    return best


def empty_sets(values: int) -> Played:
    """So many records with different values, k = 1: search as in Figure 5, and as in kanon.

    Example
    -------
    >>> [row.found for row in empty_sets(2).rows]
    ['4', '2']
    """
    table = Table(pd.DataFrame({"column": range(values)}), ["column"])
    g = generalize(table, 1, "k-optimize")
    found = int(_searched(frozenset(), tuple(range(1, values)), float("inf"), values))
    rows = (
        Row.of("cost that Figure 5 returns", "the least", found),
        Row.of("least cost", "", g.cost),
    )
    return Played(rows, found == g.cost, columns_figure(table, g))


def suppress_all(equal: int) -> Played:
    """So many equal rows and two others in three columns, k = 2: hide every cell, or as few as possible.

    Example
    -------
    >>> suppress_all(100).holds, suppress_all(0).holds
    (False, True)
    """
    columns = ["x", "y", "z"]
    rows_of = [("a", "a", "a")] * equal + [("p", "q", "r"), ("p", "q", "s")]
    table = Table(pd.DataFrame(rows_of, columns=columns), columns)
    g = generalize(table, 2, "cell-suppression")
    everything = len(columns) * len(table)
    most = len(columns) * g.cost
    rows = (
        Row.of("hidden cells, all of them hidden", f"at most m × best possible = {most}", everything),
        Row.of("fewest hidden cells", "", g.cost),
        Row.of("hiding all ÷ hiding fewest", f"at most m = {len(columns)}", everything / g.cost),
    )
    return Played(rows, everything <= most, columns_figure(table, g))


def pairs_of_patterns(columns: int) -> Played:
    """Count pairs of patterns and rows in so many columns with two values each.

    Example
    -------
    >>> pairs_of_patterns(4).rows[0]
    Row(what='pairs of patterns and rows', says='at most 1,024', found='1,296')
    >>> pairs_of_patterns(3).holds
    True
    """
    size = 2
    pairs = (size + 1) ** columns * size**columns
    most = columns ** (2 * size + 1)
    rows = (
        Row.of("pairs of patterns and rows", f"at most {most:,}", pairs),
        Row.of("(|Σ| + 1)^(2m)", "", (size + 1) ** (2 * columns)),
    )
    return Played(rows, pairs <= most)


TABLES = (
    Erratum(
        "Section 5.4: the wider rule for useless values",
        BAYARDO,
        "A cut that leaves fewer than k records on one side of every class it divides never lowers a cost.",
        "With the discernibility metric it can. It is safe to drop where both sides are below k, or where |E| plus "
        "the side of at least k is at most |D|.",
        Parameter("equal records", 7, 3, 20),
        wider_rule,
    ),
    Erratum(
        "Figure 5: two meanings of the empty set",
        BAYARDO,
        "K-OPTIMIZE as it stands in Figure 5 returns the least cost.",
        "PRUNE returns the empty set for a dead node and for a tail without values alike, so the search ends too "
        "early. kanon keeps both apart.",
        Parameter("records with different values", 2, 1, 6),
        empty_sets,
    ),
    Erratum(
        "Section 5: suppressing everything is not within O(m)",
        CHAKARAVARTHY,
        "Suppressing all cells is within O(m) of the best possible, with m columns.",
        "It is not, for equal rows need not lose anything. Suppressing the rare rows alone is within m, or "
        "(2 − 1/k) m, times the best possible.",
        Parameter("equal rows", 100, 0, 300),
        suppress_all,
    ),
    Erratum(
        "Section 4: the count of patterns and rows",
        CHAKARAVARTHY,
        "There are at most m^(2|Σ| + 1) pairs of patterns and rows.",
        "There are (|Σ| + 1)^m |Σ|^m, which can be more. They are never more than (|Σ| + 1)^(2m).",
        Parameter("columns m, with two values each", 4, 1, 12),
        pairs_of_patterns,
    ),
)
