"""Steps on tables: the state, the numbering of groups, and the names of cuts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.values import value_words
from kanon_engine.tables.instance import Table
from kanon_engine.teaching.step import Inequality, State, Step, StepQuestion

OPEN, DEAD, DONE = "open", "dead", "done"


@dataclass(frozen=True)
class Branch:
    """A node of K-Optimize's tree."""

    parent: int  # its position among the nodes; -1 for the root
    value: int  # the cut value that it adds to its parent; -1 for the root
    kinds: np.ndarray  # (a,) int8: OUT, HEAD or TAIL for each cut value, as in `tables.cuts.node_kernels`
    # cost, suppressed: of its head
    cost: int
    suppressed: int
    bound: int  # no better descendant that is not evaluated yet costs less
    verdict: str = OPEN  # "open"; "dead": nothing better is below it; "done": no value is left in its tail


@dataclass(frozen=True)
class CutState(State):
    """Single cuts of the columns; classes are those of the current head."""

    kinds: np.ndarray  # (a,) int8: OUT, HEAD or TAIL for each cut value
    # cost, suppressed: of the head
    cost: int
    suppressed: int
    best: int  # the lowest cost so far; -1 if there is none yet
    touched: tuple[int, ...] = ()  # cut values that the step added, removed or decided on
    nodes: tuple[Branch, ...] = ()  # the search tree so far; empty if there is none
    at: int = -1  # the current node
    costs: tuple[int, ...] = ()  # the costs so far of a step-by-step descent


@dataclass(frozen=True)
class BoxPart:
    """A set of records that is cut or is a class."""

    parent: int  # its position among the parts; -1 for the whole table
    # low, high: (q,) int: first and last position, in the domain of each column, of its records
    low: np.ndarray
    high: np.ndarray
    records: np.ndarray  # (m,) int64: positions of its rows
    size: int  # the number of these records
    column: int = -1  # the column that is cut; -1 for none
    closed: bool = False  # whether it is a final class


@dataclass(frozen=True)
class BoxState(State):
    """Boxes made by nested cuts."""

    parts: tuple[BoxPart, ...]  # every part so far, starting with the whole table, each before its sides
    # at, after: the part of this step and the part of the next step; -1 for none
    at: int = -1
    after: int = -1


@dataclass(frozen=True)
class CellState(State):
    """Records that show patterns: values in some columns, stars in the rest."""

    stars: np.ndarray  # (n, q) bool: the cells that each record hides; none for a record without a class
    pattern: np.ndarray  # (n,) int64: the pattern that each record shows; -1 if none is chosen


# ---------------------------------------------------------------------------------------------------------------------
# Moves of a run as steps, several in one step if there are many.
# ---------------------------------------------------------------------------------------------------------------------


MOST_STEPS, FEW_STEPS = 180, 30
ROWS = 1_500_000  # total records of all states, if tables are large


def move(why: str, inequality: Inequality | None = None, question: StepQuestion | None = None) -> Step:
    """One move in words; the state after it is computed only if it is shown."""
    return Step(None, why, inequality, question)


def most_steps(size: int) -> int:
    """The maximum number of steps shown for a table of this size."""
    return max(min(MOST_STEPS, ROWS // size), FEW_STEPS)


def shown(count: int, size: int) -> list[int]:
    """The number of moves in each step, for a table of this size; the first has a step of its own.

    >>> shown(3, 20), sum(shown(1000, 20)), len(shown(1000, 20)), len(shown(1000, 30_000))
    ([1, 1, 1], 1000, 168, 51)
    """
    stride, rest = max(-(-count // most_steps(size)), 1), max(count - 1, 0)
    return [1] * min(count, 1) + [stride] * (rest // stride) + [rest % stride] * (rest % stride > 0)


def after(state: State, last: Step, count: int = 1) -> Step:
    """A state with the last of some moves; several moves have no question."""
    if count == 1:
        return replace(last, state=state)
    return replace(last, state=state, why=f"{count:,} moves are shown at once. The last one: {last.why}", question=None)


def result(state: State, g: Generalization, why: str, noun: str = "cost", question: StepQuestion | None = None) -> Step:
    """The result, with its proven bound."""
    return Step(state, why, Inequality(int(g.cost), "≥", int(g.lower_bound), f"{noun} ≥ proven bound"), question)


def numbered(groups: np.ndarray, final: np.ndarray) -> np.ndarray:
    """(n,) int32: groups, numbered like the classes that they are or end in, if these numbers are free.

    >>> numbered(np.array([7, 7, 4, -1, 4]), np.array([1, 1, 0, 0, 2])).tolist()
    [1, 1, 0, -1, 0]
    >>> numbered(np.array([1, 2, 3]), np.array([0, 0, 0])).tolist()
    [0, 1, 2]
    """
    names, place, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    none = np.iinfo(np.int32).max
    least, most = np.full(len(names), none), np.full(len(names), -1)
    np.minimum.at(least, place, np.where(final >= 0, final, none))
    np.maximum.at(most, place, np.where(final >= 0, final, none))
    first = np.full(len(names), len(groups))
    np.minimum.at(first, place, np.arange(len(groups)))
    ends = np.bincount(final[final >= 0])
    same = (least == most) & (least < none)
    same[same] = sizes[same] == ends[least[same]]
    labels = np.full(len(names), -1, dtype=np.int32)
    used: set[int] = set()
    free = len(ends)
    for group in np.lexsort((first, least, ~same)).tolist():  # groups that are already classes first
        if names[group] < 0:
            continue
        number = int(least[group])
        if number in used or number == none:
            number, free = free, free + 1
        used.add(number)
        labels[group] = number
    return labels[place]


# ---------------------------------------------------------------------------------------------------------------------
# Names of cut values: by the paper's numbers (Bayardo, Agrawal 2005, section 4) and in words.
# ---------------------------------------------------------------------------------------------------------------------


def cut_numbers(table: Table) -> list[int]:
    """The position of each cut value in the total order of all values of all domains, counted from 1.

    >>> import pandas as pd
    >>> table = Table(pd.DataFrame({"age": [20, 30, 40], "sex": ["f", "m", "m"]}), ["age", "sex"])
    >>> cut_numbers(table), cut_names(table)
    ([2, 3, 5], ['2: age from 30', '3: age from 40', '5: sex from m'])
    """
    before = np.cumsum([0, *(len(domain) for domain in table.domains)])
    return [int(before[column] + place) + 1 for column, place in table.cut_values.tolist()]


def cut_names(table: Table) -> list[str]:
    """The number and words of each cut value."""
    return [
        f"{number}: {table.quasi_identifiers[column]} from {value_words(table.domains[column][place])}"
        for number, (column, place) in zip(cut_numbers(table), table.cut_values.tolist(), strict=True)
    ]


def set_words(table: Table, values: Iterable[int]) -> str:
    """A set of cut values by their numbers, as the paper writes it.

    >>> import pandas as pd
    >>> set_words(Table(pd.DataFrame({"age": [20, 30, 40]}), ["age"]), [0, 1])
    '{2, 3}'
    """
    numbers = cut_numbers(table)
    return "{" + (", ".join(str(numbers[value]) for value in values) or " ") + "}"


def result_words(table: Table, heads: np.ndarray, earlier: Iterable[np.ndarray]) -> str:
    """The cuts of a result, (a,) bool, in a sentence; `told` are the heads that earlier steps showed."""
    words = f"The result is the set of cuts {set_words(table, np.flatnonzero(heads).tolist())}"
    free = "" if any(np.array_equal(heads, one) for one in earlier) else ", including every cut that divides no group"
    return words + free
