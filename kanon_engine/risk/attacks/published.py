"""Sums that are published: the classes of groupings, totals, tables of counts with hidden cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from kanon_engine.disclosure.figures import float_of, table_cells, word_of
from kanon_engine.errors import InvalidInput
from kanon_engine.shown import Shown
from kanon_engine.validate import frozen, require_known_name


@dataclass(frozen=True, eq=False, repr=False)
class Published(Shown):
    """A grouping whose classes are published with their weights.

    >>> Published("by county", [0, 0, 1, -1])
    <Published: by county 2 groups, left out 1>
    """

    name: str  # its name for people: "this release", "the release of 2024"
    classes: np.ndarray  # (n,) int64: the class of each item, -1 for what it leaves out
    rest: bool = False  # whether the weight of what it leaves out is known, as it is if the total is

    def __post_init__(self) -> None:
        classes = np.asarray(self.classes)
        if classes.ndim != 1 or classes.dtype.kind not in "iu" or (classes < -1).any():
            raise InvalidInput(
                f"The classes of “{self.name}” must be one whole number per item, with -1 for an item in no class."
            )
        object.__setattr__(self, "classes", frozen(classes.astype(np.int64)))

    def _facts(self) -> dict[str, object]:
        visible = self.classes[self.classes >= 0]
        return {self.name: f"{len(np.unique(visible)):,} groups", "left out": len(self.classes) - len(visible)}


def total(name: str, items: Sequence[int] | np.ndarray, count: int) -> Published:
    """One sum over some of `count` items, by their positions.

    >>> total("the north", [0, 2], 4).classes.tolist()
    [0, -1, 0, -1]
    """
    classes = np.full(count, -1, dtype=np.int64)
    classes[np.asarray(items, dtype=np.int64)] = 0
    return Published(name, classes)


@dataclass(frozen=True, eq=False)
class Hidden:
    """A table of counts with totals as equations of its hidden cells."""

    # (h,) int64: the hidden rows of the frame that are not totals; from the number of rows on, positions in `left_out`
    cells: np.ndarray
    rows: tuple[np.ndarray, ...]  # for each shown total the hidden cells in it, as positions in `cells`
    sums: tuple[int, ...]  # the sum of these
    # what each cell without a row would show, if totals say that there are some; "…" for a value that no row has
    left_out: tuple[tuple[str, ...], ...] = ()


def hidden_cells(frame: pd.DataFrame, by: Sequence[str], counts: str) -> Hidden:
    """What the totals of a table of counts say about its hidden cells.

    Parameters
    ----------
    frame : One row per cell or total. A cell without a row is empty or, if a total says otherwise, hidden.
    by : sequence of str
        The columns of the table's dimensions; a row with one of `TOTALS` in a dimension sums over it.
    counts : The column of counts; a hidden one is missing.

    >>> frame = pd.DataFrame({"sex": ["f", "m", "Total"], "cases": [None, 30, 34]})
    >>> found = hidden_cells(frame, ["sex"], "cases")
    >>> found.cells.tolist(), [row.tolist() for row in found.rows], found.sums
    ([0], [[0]], (4,))
    >>> hidden_cells(frame.iloc[1:], ["sex"], "cases").left_out
    (('…',),)
    """
    for name in (*by, counts):
        require_known_name(list(frame.columns), name, "table of counts")
    keys = [tuple(map(word_of, row)) for row in frame[list(by)].astype(object).to_numpy().tolist()]
    if len(set(keys)) < len(keys):
        raise InvalidInput("Two rows of the table of counts describe the same cell; add them up or remove one.")
    values = frame[counts].astype(object).map(float_of).to_numpy(dtype=float)
    inside, left_out = table_cells(keys, [values])
    visible = np.append(~np.isnan(values), np.zeros(len(left_out), dtype=bool))
    base = [at for at, members in enumerate(inside) if members == {at}] + list(
        range(len(keys), len(keys) + len(left_out))
    )
    cells = np.array([at for at in base if not visible[at]], dtype=np.int64)
    place = {at: number for number, at in enumerate(cells.tolist())}
    rows, sums = [], []
    for number, members in enumerate(inside):
        if members == {number} or not visible[number]:
            continue
        rest = int(values[number]) - sum(int(values[at]) for at in members if visible[at])
        hidden = np.array(sorted(place[at] for at in members if at in place), dtype=np.int64)
        if rest < 0 or (rest and not len(hidden)):
            raise InvalidInput(
                f"The total of {', '.join(keys[number])} is less than the sum of its cells; correct the table of "
                "counts."
            )
        if len(hidden):
            rows.append(hidden)
            sums.append(rest)
    return Hidden(cells, tuple(rows), tuple(sums), tuple(left_out))


def any_table(hidden: Hidden) -> np.ndarray:
    """(h,) int64: some whole numbers not below 0 with these sums."""
    from scipy.optimize import LinearConstraint, milp
    from scipy.sparse import csr_array

    count = len(hidden.cells)
    if not hidden.rows:
        return np.zeros(count, dtype=np.int64)
    ends = np.cumsum([0, *map(len, hidden.rows)])
    places = np.concatenate(hidden.rows)
    matrix = csr_array((np.ones(len(places)), places, ends), shape=(len(hidden.rows), count))
    solution = milp(np.zeros(count), constraints=LinearConstraint(matrix, hidden.sums, hidden.sums), integrality=1)
    table = None if solution.x is None else np.rint(solution.x).astype(np.int64)
    if (
        table is None
        or (table < 0).any()
        or any(int(table[row].sum()) != total for row, total in zip(hidden.rows, hidden.sums, strict=True))
    ):
        raise InvalidInput("No counts add up to these totals; correct the table of counts.")
    return table
