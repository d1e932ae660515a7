"""The steps of the algorithms on areas, and what a picture of one draws."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kanon_engine.model.step import Question, State
from kanon_engine.regions.instance import Regions

NAMED_ALONE = 40  # areas up to which a person can add the weights up; beyond, the words of a choice say them


def no_edges() -> np.ndarray:
    """(0, 2) int32."""
    return np.empty((0, 2), dtype=np.int32)


@dataclass(frozen=True)
class GraphState(State):
    """Areas in connected pieces.

    Attributes
    ----------
    pieces : (n,) int32 array
        The piece that each area lies in: a class, or what is still to be cut.
    tree : (t, 2) int32 array
        Edges of the trees that are or were cut.
    cut_edges : (c, 2) int32 array
        Those that were cut, in their order.
    latest : int
        How many of them the step cut.
    centers : tuple of int
        The areas on which nothing but light branches hang, where the algorithm knows them.
    heavy : tuple of int
        An area of each class that is above the limit which the algorithm tries.
    """

    pieces: np.ndarray
    tree: np.ndarray = field(default_factory=no_edges)
    cut_edges: np.ndarray = field(default_factory=no_edges)
    latest: int = 0
    centers: tuple[int, ...] = ()
    heavy: tuple[int, ...] = ()


@dataclass(frozen=True)
class PlacedQuestion(Question):
    """A question whose choices are places in the picture.

    Attributes
    ----------
    places : tuple of (int, int)
        Of each choice the edge between two areas, or twice the same area.
    """

    places: tuple[tuple[int, int], ...] = ()


def edge_words(regions: Regions, edge: tuple[int, int], lighter: int, heavier: int) -> str:
    """What an edge is called; with the weights on both sides where there are too many areas to add them up."""
    words = " – ".join(regions.label(end) for end in edge)
    return words if len(regions) <= NAMED_ALONE else f"{words}: {lighter:,} and {heavier:,} {regions.unit}"
