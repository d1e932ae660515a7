"""What there is after a step of an algorithm for tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_engine.model.step import State

OPEN, DEAD, DONE = "open", "dead", "done"


@dataclass(frozen=True)
class Branch:
    """A node of K-Optimize's tree.

    Attributes
    ----------
    parent : int
        Its place among the nodes; -1 of the root.
    value : int
        The cut value that it has more than its parent; -1 of the root.
    kinds : (a,) int8 array
        OUT, HEAD or TAIL for each cut value, as `tables.cuts.node_kernels` has them.
    cost, suppressed : int
        Of its head.
    bound : int
        No better descendant that is not weighed yet costs less.
    verdict : str
        "open"; "dead": nothing better is below it; "done": no value is left in its tail.
    """

    parent: int
    value: int
    kinds: np.ndarray
    cost: int
    suppressed: int
    bound: int
    verdict: str = OPEN


@dataclass(frozen=True)
class CutState(State):
    """Single cuts of the columns; classes are those of the head that is looked at.

    Attributes
    ----------
    kinds : (a,) int8 array
        OUT, HEAD or TAIL for each cut value.
    cost, suppressed : int
        Of the head.
    best : int
        The least cost so far; -1 where there is none yet.
    touched : tuple of int
        Cut values that the step added, took away or decided on.
    nodes : tuple of Branch
        The search tree so far; nothing where none is searched.
    at : int
        The node that is looked at.
    costs : tuple of int
        Of a descent that takes one step after the other, the costs so far.
    """

    kinds: np.ndarray
    cost: int
    suppressed: int
    best: int
    touched: tuple[int, ...] = ()
    nodes: tuple[Branch, ...] = ()
    at: int = -1
    costs: tuple[int, ...] = ()


@dataclass(frozen=True)
class Part:
    """A set of records that is cut, or a class.

    Attributes
    ----------
    parent : int
        Its place among the parts; -1 of the whole table.
    low, high : (q,) int array
        First and last position, in the domain of each column, of its records.
    records : (m,) int64 array
        Positions of its rows.
    size : int
        How many records these are.
    column : int
        That is cut; -1 where none is.
    closed : bool
        Whether it is a class for good.
    """

    parent: int
    low: np.ndarray
    high: np.ndarray
    records: np.ndarray
    size: int
    column: int = -1
    closed: bool = False


@dataclass(frozen=True)
class BoxState(State):
    """Boxes, made by cuts one within the other.

    Attributes
    ----------
    parts : tuple of Part
        Every part so far, the whole table first, each before its sides.
    at, after : int
        The part that the step looked at, and the one that the next step looks at; -1 for none.
    """

    parts: tuple[Part, ...]
    at: int = -1
    after: int = -1


@dataclass(frozen=True)
class CellState(State):
    """Records that show patterns: values in some columns, stars in the others.

    Attributes
    ----------
    stars : (n, q) bool array
        What each record hides; of one without a class nothing yet.
    pattern : (n,) int64 array
        The pattern that each record shows; -1 where none is chosen.
    """

    stars: np.ndarray
    pattern: np.ndarray
