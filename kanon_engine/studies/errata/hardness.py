"""Reductions of Aggarwal, Feder, Kenthapadi, Khuller, Panigrahy, Thomas and Zhu."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import numpy as np

from kanon_engine.reductions import reduction_named
from kanon_engine.reductions.plot.items import items_figure
from kanon_engine.reductions.problems.satisfiability import Formula
from kanon_engine.reductions.problems.set_cover import Sets
from kanon_engine.studies.errata.clusters import AGGARWAL
from kanon_engine.studies.errata.entry import Erratum, Parameter, Played, Row


def no_path(joining: int) -> Played:
    """The formula x1 and x2, with so many clauses “x1 or x2” besides: whether there is a path between all points.

    Example
    -------
    >>> no_path(0).holds, no_path(1).holds
    (False, True)
    """
    gather = reduction_named("satisfiability-to-gather")
    source = Formula(2, ((1,), (2,), *[(1, 2)] * joining))
    carried = gather.build(source)
    points = len(carried.instance)
    apart = carried.instance.between(np.arange(points))
    lacking = int(np.triu(apart == points).sum())
    rows = (
        Row.of("pairs of points without a path", "none", lacking),
        Row.of("largest distance that kanon takes", "", float(apart.max())),
    )
    return Played(rows, lacking == 0, items_figure(source, carried, gather.decide(carried)))


def in_no_set(sets: int) -> Played:
    """So many sets hold one of two elements, and none holds the other; all of them may be chosen.

    Example
    -------
    >>> in_no_set(3).holds, in_no_set(2).holds
    (False, True)
    """
    cellular = reduction_named("set-cover-to-cellular")
    source = Sets(2, (*[frozenset({1})] * (sets - 1), frozenset({0, 1})), sets)
    carried = cellular.build(source, "an element left out")  # the first one, which the last set alone holds
    tried = ((cost, cellular.decide(replace(carried, threshold=cost))) for cost in count())
    least, classes = next((cost, found) for cost, found in tried if found is not None)
    rows = (
        Row.of("least cost of a clustering", f"above k + |X| + |S| = {carried.threshold:g}", least),
        Row.of("elements that the sets hold, of 2", 2 if least <= carried.threshold else "", 1),
    )
    return Played(rows, least > carried.threshold, items_figure(source, carried, classes))


HARDNESS = (
    Erratum(
        "Section 2.1: distances where there is no path",
        AGGARWAL,
        "The lengths of shortest paths in the graph of a formula are a metric.",
        "Nothing need join two variables. kanon takes the number of points as the distance where there is no path.",
        Parameter("clauses “x1 or x2”", 0, 0, 2),
        no_path,
    ),
    Erratum(
        "Theorem 3.2: each element must be in a set",
        AGGARWAL,
        "If a clustering costs k + |X| + |S|, then k sets hold every element.",
        "That holds where each element is in a set. One that is in none can still be clustered at distance 2.",
        Parameter("sets, which all hold the same one of two elements", 3, 1, 6),
        in_no_set,
    ),
)
