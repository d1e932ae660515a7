"""Mondrian: cut the widest column at its median, as long as k records are left on both sides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from kanon_engine.model.requirement import Closeness, Diversity
from kanon_engine.model.run import Outcome, Run
from kanon_engine.tables.boxes import box_bound, ceiling, outcome_of, partition_bound, problem_of
from kanon_engine.tables.boxes_kernels import BoxProblem, level_of, satisfied
from kanon_engine.tables.instance import Table
from kanon_engine.tables.requirements_kernels import Required, add_records, all_hold


def mondrian(
    table: Table,
    k: int,
    run: Run,
    metric: str = "LM",
    weights: str | None = None,
    relaxed: bool = False,
    require: Sequence[Diversity | Closeness] = (),
) -> Outcome:
    """Greedy median cuts, each in the relatively widest column that allows one.

    Guarantee: a class has at most 2 q (k - 1) + m records, q columns, m of the most common tuple; relaxed, where
    a row is one record, at most 2k - 1 before classes that show the same are one (docs/proofs/tables/mondrian.md).

    `metric`: measures the result; it does not steer the cuts.
    `relaxed`: whether records with the median's value may go to both sides. Boxes then share values at their ends, and
        equal records may show different boxes; those of a row do not.
    `require`: a cut after which one side fails one is not allowed. All records together satisfy them.
    Complexity: O(q n log n) for each level of cuts.
    References: K. LeFevre, D. DeWitt, R. Ramakrishnan, "Mondrian Multidimensional k-Anonymity", ICDE 2006.

    >>> import pandas as pd
    >>> table = Table(pd.DataFrame({"age": [20, 21, 40, 41, 60]}), ["age"])
    >>> mondrian(table, 2, Run()).assignment.tolist()
    [0, 0, 0, 1, 1]
    """
    problem = problem_of(table, k, metric, weights, require)
    if relaxed:
        of = _cut(problem, problem.codes[table.tuples[2]], table.weights)
        return outcome_of(table, problem, of, [], partition_bound(problem), None)
    of = strict_cuts(problem)[table.tuples[2]]
    return outcome_of(table, problem, of, [], box_bound(problem), ceiling(problem))


def strict_cuts(problem: BoxProblem) -> np.ndarray:
    """(t,) int64: the class of each tuple after median cuts, equal tuples together."""
    return _cut(problem, problem.codes, None)


class Cut(NamedTuple):
    """The outcome for a part."""

    column: int  # that is cut; -1 where no column allows a cut
    sides: list[np.ndarray]  # rows of each side; none where there is no cut
    # columns that were wider and allowed no cut, with the most records that any of their cuts leaves on its smallest
    # side
    refused: list[tuple[int, int]]


def _cut(problem: BoxProblem, codes: np.ndarray, records: np.ndarray | None) -> np.ndarray:
    """The class of each row; parts are cut until no column allows a cut."""
    of, count = np.empty(len(codes), dtype=np.int64), 0
    for part, cut in cuts(problem, codes, records):
        if not cut.sides:
            of[part] = count
            count += 1
    return of


def cuts(problem: BoxProblem, codes: np.ndarray, records: np.ndarray | None) -> Iterator[tuple[np.ndarray, Cut]]:
    """Each part with its outcome, the whole table first and the last side of a cut next.

    Rows are tuples, or where cuts are relaxed those of the table, with the records of each.
    """
    open_parts = [np.arange(len(codes))]
    weights = problem.weights if records is None else records

    def satisfying(sides: list[np.ndarray]) -> bool:
        if records is None:
            return all(bool(satisfied(problem, side, 0, len(side))) for side in sides)
        return all(_satisfied(problem.required, side) for side in sides)

    while open_parts:
        part = open_parts.pop()
        cut = _cut_of(problem, part, codes[part], weights, satisfying, relaxed=records is not None)
        yield part, cut
        open_parts += cut.sides


def _satisfied(required: Required, rows: np.ndarray) -> bool:
    """Whether the records of these rows, as one class, satisfy what is required."""
    counts = np.zeros(len(required.whole), dtype=np.int64)
    add_records(required, counts, rows)
    return len(required.kinds) == 0 or bool(all_hold(required, counts))


def _halves(weights: np.ndarray) -> list[int]:
    """Before which row the records are halved: two places where a row lies across the middle, which stays whole.

    >>> _halves(np.array([1, 1, 1])), _halves(np.array([2, 3, 2])), _halves(np.array([2, 2, 4]))
    ([1], [1, 2], [2])
    """
    upto = weights.cumsum()
    at = int(np.searchsorted(upto, upto[-1] / 2, side="right"))
    return [at, at + 1] if weights[at] > 1 and 2 * upto[at] - 2 * weights[at] < upto[-1] else [at]


def _cut_of(
    problem: BoxProblem,
    part: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
    satisfying: Callable[[list[np.ndarray]], bool],
    *,
    relaxed: bool,
) -> Cut:
    """The cut of the widest column of a part that allows one; `codes` are the part's, `weights` those of all rows."""
    part_weights = weights[part]
    refused: list[tuple[int, int]] = []
    if part_weights.sum() < 2 * problem.k:
        return Cut(-1, [], [])
    low, high = codes.min(axis=0), codes.max(axis=0)
    widths = (high - low) * problem.units
    for column in np.argsort(-widths, kind="stable").tolist():
        if high[column] == low[column]:
            break
        values = codes[:, column]
        order = np.argsort(values, kind="stable")
        if problem.levels[column]:
            level = int(level_of(problem, column, low[column], high[column])) - 1
            first = problem.starts[column, level, values]
            choices = [[part[first == child] for child in np.unique(first)]]
        elif relaxed:
            choices = [[part[order[:at]], part[order[at:]]] for at in _halves(part_weights[order])]
        else:
            median = values[order][int(np.searchsorted(part_weights[order].cumsum(), part_weights.sum() / 2))]
            choices = [[part[left], part[~left]] for left in (values <= median, values < median)]
        smallest = [min(int(weights[side].sum()) for side in sides) for sides in choices]
        for sides, least in zip(choices, smallest, strict=True):
            if least >= problem.k and satisfying(sides):
                return Cut(column, sides, refused)
        refused.append((column, max(smallest)))
    return Cut(-1, [], refused)
