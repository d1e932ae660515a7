"""The paper's Figures 1 to 4 as tables small enough to follow by hand (Bayardo, Agrawal 2005).

The figures show an alphabet, trees over {1, 2, 3, 4} and a sorted table, but no records. The records here are our own,
chosen so that K-Optimize's search shows what the figure does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pandas as pd

from kanon_engine.model.step import Step
from kanon_engine.tables.cuts.problem import problem_of
from kanon_engine.tables.instance import Table
from kanon_engine.tables.k_optimize.search import Search
from kanon_engine.tables.steps.k_optimize import Recorder, told_of
from kanon_engine.tables.steps.moves import steps_of


@dataclass(frozen=True)
class Sample:
    """A table with the part of the pruning that a figure shows.

    Attributes
    ----------
    title : str
    table : Table
    k : int
    useless, tails : bool
        Whether useless values are pruned, and values by what they cost at least.
    """

    title: str
    table: Table
    k: int
    useless: bool = field(default=False, kw_only=True)
    tails: bool = field(default=False, kw_only=True)

    def steps(self) -> Iterator[Step]:
        """The whole search from no solution at all, the tail in the order of the values, by the metric DM."""
        problem, root = problem_of(
            self.table, self.k, "DM", None, useless=self.useless, tails=self.tails, forcing=False, conflicts=False
        )
        recorder = Recorder(self.table, self.k)
        recorder.begins(problem, root, 0)
        search = Search(problem, root, len(self.table) ** 2 + 1, order="given", watch=recorder)
        search.go_on(lambda: True)
        yield from steps_of(told_of(recorder))


def figure_1() -> Sample:
    """The table of age, gender and marital status with its nine values, numbered 1 to 9 in their total order.

    Example
    -------
    {2, 7, 9} stands for these intervals:

    >>> import numpy as np
    >>> from kanon_engine.tables.cuts.problem import details_of
    >>> from kanon_engine.tables.steps.cut_names import cut_numbers
    >>> table = figure_1().table
    >>> heads = np.isin(cut_numbers(table), [2, 7, 9])
    >>> for name, intervals in details_of(table, heads, 0, 0, []).intervals.items():
    ...     print(name, intervals)
    age (('10-29',), ('30-39', '40-49'))
    gender (('M', 'F'),)
    marital status (('Married',), ('Widowed', 'Divorced'), ('Never Married',))
    """
    orders = {
        "age": ["10-29", "30-39", "40-49"],
        "gender": ["M", "F"],
        "marital status": ["Married", "Widowed", "Divorced", "Never Married"],
    }
    rows = [
        (0, 0, 3), (0, 0, 3), (0, 1, 3), (0, 1, 0), (1, 0, 0), (1, 0, 0), (1, 1, 2), (1, 1, 1), (2, 0, 1), (2, 1, 2),
        (2, 0, 0), (2, 1, 0),
    ]  # fmt: skip
    return Sample("Figure 1: three columns, nine values", _table(orders, rows), 2, useless=True, tails=True)


def figure_2() -> Sample:
    """Four cut values and every set of them: a table of which no part of the tree can be left out by its bound."""
    orders = {"x": list("abc"), "y": list("def")}
    rows = [(1, 1), (2, 0), (0, 2), (1, 1), (1, 2), (1, 1)]
    return Sample("Figure 2: the tree of all sets of four cuts", _table(orders, rows), 3)


def figure_4() -> Sample:
    """A table whose records, sorted by age, make two groups of four; the cut of sex makes groups of two, below k."""
    orders = {"age": ["20s", "30s"], "sex": ["f", "m"]}
    rows = [(0, 0), (0, 0), (0, 1), (0, 1), (1, 0), (1, 0), (1, 1), (1, 1)]
    return Sample("Figure 4: a cut that is useless", _table(orders, rows), 3, useless=True)


def _table(orders: dict[str, list[str]], rows: Sequence[tuple[int, ...]]) -> Table:
    names = list(orders)
    columns = zip(*rows, strict=True)
    frame = {name: [orders[name][code] for code in codes] for name, codes in zip(names, columns, strict=True)}
    return Table(pd.DataFrame(frame), names, orders=dict(orders))
