"""Areas and points: Du, Eppstein, Goodrich and Lueker (2009), sections 2 and 3."""

from __future__ import annotations

from itertools import product

import numpy as np

from kanon_engine.generalize import generalize
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.plot import rectangles_figure
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.plot import regions_map
from kanon_engine.studies.beat.tight import CROSS, TIGHT, regions_of
from kanon_engine.studies.errata.entry import Erratum, Parameter, Played, Row

DU = "Du, Eppstein, Goodrich, Lueker 2009"


def _path(weights: list[int]) -> Regions:
    return regions_of(weights, [(area, area + 1) for area in range(len(weights) - 1)])


def several_sinks(middle: int) -> Played:
    """Direct each edge of a path to its heavier side, ties in every way; count where all edges point to.

    Example
    -------
    >>> several_sinks(0).holds, several_sinks(1).holds
    (False, True)
    """
    weights = [1, middle, 1]
    sides = [(sum(weights[: edge + 1]), sum(weights[edge + 1 :])) for edge in range(2)]
    heavier = [[0, 1] if low == high else [int(high > low)] for low, high in sides]  # 1: towards the end of the path
    sinks = []
    for towards in product(*heavier):
        after, before = [*towards, 0], [1, *towards]  # of each vertex; a sink is where both edges come to it
        sinks.append(sum(before[v] and not after[v] for v in range(3)))
    path = _path(weights)
    g = generalize(path, 2, "tree-split")
    rows = (
        Row("people on both sides of the two borders", "", ", ".join(f"{low} and {high}" for low, high in sides)),
        Row.of("areas that all borders point to, at most", 1, max(sinks)),
        Row.of("the same, at least (one is enough for the bound)", 1, min(sinks)),
    )
    return Played(rows, max(sinks) == min(sinks) == 1, regions_map(path, g))


def equally_light(between: int) -> Played:
    """Of the lightest pieces of at least k of a path 3–0–…–0–3: how heavy a branch beside the cut can be.

    Example
    -------
    >>> equally_light(2).holds, equally_light(0).holds
    (False, True)
    """
    k, weights = 3, [3, *[0] * between, 3]
    pieces = [weights[: cut + 1] for cut in range(len(weights) - 1)]
    lightest = [piece for piece in pieces if sum(piece) == min(sum(one) for one in pieces)]
    branch = max(sum(piece[:-1]) for piece in lightest)
    path = _path(weights)
    g = generalize(path, k, "tree-split")
    smallest = int(np.bincount(g.assignment).min())
    rows = (
        Row.of("pieces from the left end that weigh 3", "any of them", len(lightest)),
        Row.of("heaviest branch of such a piece", f"at most k − 1 = {k - 1}", branch),
        Row.of("areas in the piece that kanon takes off", "", smallest),
    )
    return Played(rows, branch <= k - 1, regions_map(path, g))


def heavy_place(weight: int) -> Played:
    """One place, k = 2: it cannot be cut.

    Example
    -------
    >>> heavy_place(50).holds, heavy_place(6).holds
    (False, True)
    """
    k = 2
    points = Points(np.array([(1.5, 2.5)]), np.array([weight]))
    g = generalize(points, k, "kd-tree")
    rows = (
        Row.of("heaviest rectangle", f"at most 5k − 4 = {5 * k - 4}", g.cost),
        Row.of("kanon's ceiling, with the weight of places", "", g.guarantee),
    )
    return Played(rows, g.cost <= 5 * k - 4, rectangles_figure(points, g))


def degenerate(k: int) -> Played:
    """The paper's cross, and the thirteen places that were meant.

    Example
    -------
    >>> [row.found for row in degenerate(5).rows]
    ['21', '21', '5', '21']
    """
    cross = Points(np.array(CROSS), np.array([k, *[k - 1] * 4]))
    g = generalize(cross, k, "kd-tree")
    best = generalize(cross, k, "exact", guillotine=False)
    meant = TIGHT["thirteen-places"].duel(k)
    rows = (
        Row.of("the cross: what the kd-tree leaves", f"5k − 4 = {5 * k - 4}", g.cost),
        Row.of("the cross: best possible", f"k = {k}", best.cost),
        Row.of("with eight more places: best possible", "", meant.optimum),
        Row.of("with eight more places: what badly chosen cuts leave", "", meant.cost),
    )
    return Played(rows, best.cost == k, rectangles_figure(cross, g))


PLACES = (
    Erratum(
        "Lemma 1: there can be several sinks",
        DU,
        "Direct every edge of a tree to its heavier side, and ties anyhow: just one vertex has all its edges "
        "directed to it.",
        "With weights of 0 there can be several such vertices. There is always one, and one is enough for the bound.",
        Parameter("weight of the area in the middle", 0, 0, 5),
        several_sinks,
    ),
    Erratum(
        "Lemma 2: which of equally light pieces",
        DU,
        "Whichever of the lightest pieces of at least k is taken off, its branches beside the cut weigh less than k.",
        "That holds for a piece that contains no other of the same weight, and kanon takes such a one.",
        Parameter("areas of weight 0 in between", 2, 0, 6),
        equally_light,
    ),
    Erratum(
        "Theorem 4: 5k − 4 needs locations below k",
        DU,
        "No rectangle that cannot be cut weighs more than 5k − 4.",
        "Where a place weighs more than k the ceiling is min(2 (k − 1) + min(λx, λy), 4 (k − 1) + h), with h the "
        "heaviest place and λ the heaviest line.",
        Parameter("people at the one place", 50, 2, 100),
        heavy_place,
    ),
    Erratum(
        "Section 3.2: the degenerate instance is optimal",
        DU,
        "Four places of k − 1 around one of k are a bad case for the kd-tree: rectangles of size k may be possible.",
        "Nothing better than one rectangle of 5k − 4 is possible there. With eight more places k is possible, and "
        "badly chosen cuts still leave 5k − 4.",
        Parameter("k", 5, 2, 10),
        degenerate,
    ),
)
