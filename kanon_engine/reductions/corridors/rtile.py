"""RTILE (Khanna, Muthukrishnan, Paterson 1998): few rectangles over a square of numbers, with small sums."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.reductions.corridors import tiles
from kanon_engine.reductions.corridors.build import corridor_grid
from kanon_engine.reductions.model import Carried
from kanon_engine.reductions.paths.carry import chosen_triples
from kanon_engine.reductions.problems.matching import Triples

MORE = {"p and one more": 1, "p less one": -1}


@dataclass(frozen=True, eq=False)
class Rtile(Carried):
    """A square of numbers, its locations as points; k is 1, for no rectangle has a least sum.

    Attributes
    ----------
    most : int
        p, how many rectangles there may be.
    """

    most: int = 0


def squared(source: Triples, mutation: str | None = None) -> Rtile:
    """The square, with a third of its records as p, rounded down."""
    made = corridor_grid(source, mutation).carried(square=True)
    most = made.instance.total // 3 + MORE.get(mutation or "", 0)
    return Rtile(made.instance, 1, made.threshold, made.gadgets, made.positions, most)


def tiled(carried: Rtile) -> np.ndarray | None:
    """At most p classes of at most the threshold whose rectangles tile the square; None where there are none."""
    return tiles.tiling(carried, carried.most)


def fault(carried: Rtile, assignment: np.ndarray) -> str:
    """Why classes are no rectangles, too heavy or too many; "" where they are not."""
    classes = int(assignment.max()) + 1
    if classes > carried.most:
        return f"There are {classes} rectangles where {carried.most} are allowed."
    return tiles.fault(carried, assignment)


def back(source: Triples, carried: Rtile, assignment: np.ndarray) -> tuple[int, ...]:
    """The triples whose three records are one rectangle."""
    reason = fault(carried, assignment)
    if reason:
        raise InvalidInput(reason)
    return chosen_triples(carried, assignment)
