"""Mondrian: cut the widest column at its median, as long as k records are left on both sides."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kanon_engine.model.diversity import Closeness, Diversity
from kanon_engine.model.run import Outcome, Run
from kanon_engine.tables.boxes.bounds import box_bound, partition_bound
from kanon_engine.tables.boxes.kernels import BoxProblem, level_of, satisfied
from kanon_engine.tables.boxes.problem import ceiling, outcome_of, problem_of
from kanon_engine.tables.instance import Table
from kanon_engine.tables.requirements.kernels import Required, add_records, all_hold


def mondrian(
    table: Table,
    k: int,
    run: Run,
    metric: str = "DM",
    weights: str | None = None,
    relaxed: bool = False,
    require: Sequence[Diversity | Closeness] = (),
) -> Outcome:
    """Greedy median cuts, each in the relatively widest column that allows one.

    Guarantee: a class has at most 2 q (k - 1) + m records, q columns, m records of the commonest tuple; relaxed at most
    2k - 1 before classes that show the same are one (docs/proofs/tables/mondrian.md).

    Parameters
    ----------
    table : Table
    k : int
    run : Run
    metric : str
        What the result is weighed by; it does not steer the cuts.
    weights : str, optional
        What the loss of columns weighs, for the metric LM: "age=2, sex=1".
    relaxed : bool
        Whether records with the median's value may go to both sides. Boxes then share values at their ends, and equal
        records may show different boxes.
    require : sequence of Diversity and Closeness
        A cut after which one side fails one is not allowed. All records together satisfy them.

    Complexity
    ----------
    O(q n log n) for each level of cuts.

    References
    ----------
    K. LeFevre, D. DeWitt, R. Ramakrishnan, "Mondrian Multidimensional k-Anonymity", ICDE 2006.

    Example
    -------
    >>> import pandas as pd
    >>> table = Table(pd.DataFrame({"age": [20, 21, 40, 41, 60]}), ["age"])
    >>> mondrian(table, 2, Run()).assignment.tolist()
    [0, 0, 0, 1, 1]
    """
    problem = problem_of(table, k, metric, weights, require)
    if relaxed:
        of = _cut(problem, problem.codes[table.tuples[2]], table.tuples[2])
        return outcome_of(table, problem, of, [], partition_bound(problem), None)
    return outcome_of(table, problem, strict_cuts(problem)[table.tuples[2]], [], box_bound(problem), ceiling(problem))


def strict_cuts(problem: BoxProblem) -> np.ndarray:
    """(t,) int64: the class of each tuple after median cuts, equal tuples together."""
    return _cut(problem, problem.codes, None)


def _cut(problem: BoxProblem, codes: np.ndarray, records: np.ndarray | None) -> np.ndarray:
    """The class of each row; parts are cut until no column allows a cut.

    Rows are tuples, or `records`, the tuple of each, where cuts are relaxed.
    """
    of, count, open_parts = np.empty(len(codes), dtype=np.int64), 0, [np.arange(len(codes))]
    weights = problem.weights if records is None else np.ones(len(codes), dtype=np.int64)

    def allowed(sides: list[np.ndarray]) -> bool:
        if any(weights[side].sum() < problem.k for side in sides):
            return False
        if records is None:
            return all(bool(satisfied(problem, side, 0, len(side))) for side in sides)
        return all(_satisfied(problem.required, side) for side in sides)

    while open_parts:
        part = open_parts.pop()
        sides = _sides(problem, part, codes[part], weights[part], allowed, relaxed=records is not None)
        if not sides:
            of[part] = count
            count += 1
        open_parts += sides
    return of


def _satisfied(required: Required, records: np.ndarray) -> bool:
    """Whether these records, as one class, satisfy what is required."""
    counts = np.zeros(len(required.whole), dtype=np.int64)
    add_records(required, counts, records)
    return len(required.kinds) == 0 or bool(all_hold(required, counts))


def _sides(
    problem: BoxProblem,
    part: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
    allowed: Callable[[list[np.ndarray]], bool],
    *,
    relaxed: bool,
) -> list[np.ndarray]:
    """The sides of a part after the cut of its widest column that allows one; none where no column does."""
    if weights.sum() < 2 * problem.k:
        return []
    low, high = codes.min(axis=0), codes.max(axis=0)
    widths = (high - low) * problem.units
    for column in np.argsort(-widths, kind="stable"):
        if high[column] == low[column]:
            break
        values = codes[:, column]
        order = np.argsort(values, kind="stable")
        if problem.levels[column]:
            level = int(level_of(problem, column, low[column], high[column])) - 1
            first = problem.starts[column, level, values]
            choices = [[part[first == child] for child in np.unique(first)]]
        elif relaxed:
            choices = [[part[order[: len(order) // 2]], part[order[len(order) // 2 :]]]]
        else:
            median = values[order][int(np.searchsorted(weights[order].cumsum(), weights.sum() / 2))]
            choices = [[part[left], part[~left]] for left in (values <= median, values < median)]
        for sides in choices:
            if allowed(sides):
                return sides
    return []
