"""The descents of the hill climber, cut by cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.run import Run
from kanon_engine.model.words import counted
from kanon_engine.tables.cuts import assignment_of, copied, heads_in, heads_of, problem_of
from kanon_engine.tables.cuts_kernels import HEAD, OUT, Node, Problem, collapse, intervals
from kanon_engine.tables.hill_climb import hill_climb
from kanon_engine.tables.hill_climb_kernels import weigh_cells
from kanon_engine.tables.instance import Table
from kanon_engine.teaching.step import Inequality, Step, StepQuestion
from kanon_engine.teaching.tables import CutState, after, cut_names, move, result, result_words, set_words, shown

MOST_WORK = 60_000_000  # distinct tuples times cut values, for all cuts added or removed
MOST_CHOICES, LARGE = 30, 1_000  # choices of a question, and records above which there is none


@dataclass(frozen=True)
class _Change:
    """A cut that was added or removed, or the cuts where a descent begins; then the value is -1."""

    descent: int
    value: int
    kinds: np.ndarray
    cost: int
    suppressed: int


def hill_climb_steps(table: Table, g: Generalization) -> Iterator[Step]:
    """The descents again: each one that is better than all before it, cut by cut; the others in a sentence.

    >>> import pandas as pd
    >>> import kanon_engine as kanon
    >>> table = Table(pd.DataFrame({"age": [20, 21, 40, 41, 60]}), ["age"])
    >>> for step in hill_climb_steps(table, kanon.generalize(table, 2, "hill-climb", metric="DM", restarts=1)):
    ...     print(step.text)
    Descent 1 begins with the cuts { } at a cost of 25.
    Cut “3: age from 40” is added because this lowers the cost the most. cost after < cost before: 13 < 25.
    Descent 2 ends at a cost of 13, which is no better than the best cost so far. lowest cost ≥ best so far: 13 ≥ 13.
    The result is the set of cuts {3}, the best of 2 descents. cost ≥ proven bound: 13 ≥ 10.
    """
    changes: list[_Change] = []
    work = 0

    def watch(value: int, kinds: np.ndarray, cost: int, suppressed: int) -> None:
        nonlocal work
        work += len(table.tuples[0]) * len(kinds)
        descent = changes[-1].descent + (value < 0) if changes else 1
        changes.append(_Change(descent, value, kinds.copy(), cost, suppressed))

    run = Run(g.seed, None, lambda report: work < MOST_WORK)
    hill_climb(table, g.k, run, **g.options, require=g.require, watch=watch)  # type: ignore[arg-type]
    options: Any = g.options
    problem, root = problem_of(
        table, g.k, options["metric"], options["suppression_limit"], options["weights"], g.require
    )  # type: ignore[arg-type]
    moves = _HillClimbWords(table, problem, root).moves(changes)
    place = -1
    for count in shown(len(moves), len(table)):
        place += count
        change, best, costs, last = moves[place]
        assignment = assignment_of(table, g.k, heads_of(change.kinds), g.require)  # type: ignore[arg-type]
        touched = (change.value,) if change.value >= 0 else ()
        state = CutState(assignment, change.kinds, change.cost, change.suppressed, best, touched, costs=costs)
        yield after(state, last, count)
    heads = heads_in(table, g.details)
    kinds, cost = np.where(heads, HEAD, OUT).astype(np.int8), int(g.cost)
    state = CutState(g.assignment, kinds, cost, int(table.weights[g.assignment < 0].sum()), cost, costs=moves[-1][2])
    descents = f"the best of {counted(changes[-1].descent, 'descent')}" if work < MOST_WORK else "after more descents"
    why = f"{result_words(table, heads, (change.kinds == HEAD for change in changes))}, {descents}."
    yield result(state, g, why)


class _HillClimbWords:
    """The changes of a run, in words."""

    def __init__(self, table: Table, problem: Problem, root: Node) -> None:
        self.table, self.problem, self.root = table, problem, root
        self.names = cut_names(table)

    def moves(self, changes: list[_Change]) -> list[tuple[_Change, int, tuple[int, ...], Step]]:
        """What is shown: a change, the best cost then, the costs of the descent, and the move."""
        entries: list[tuple[_Change, int, tuple[int, ...], Step]] = []
        best, passed = -1, []
        for _, group in groupby(changes, lambda change: change.descent):
            descent = list(group)
            end = descent[-1]
            if end.suppressed > self.problem.limit or 0 <= best <= end.cost:
                passed.append(end)
                continue
            if passed:
                entries.append((passed[-1], best, (), self._passed(passed, best)))
                passed = []
            begin = f"Descent {descent[0].descent:,} begins with the cuts {self._head(descent[0].kinds)}"
            last = move(f"{begin} at a cost of {descent[0].cost:,}.")
            for place, change in enumerate(descent):
                costs = tuple(one.cost for one in descent[: place + 1])
                last = self._change(descent[place - 1], change) if place else last
                entries.append((change, best, costs, last))
            best = end.cost
        if passed:
            entries.append((passed[-1], best, (), self._passed(passed, best)))
        return entries

    def _passed(self, ends: list[_Change], best: int) -> Step:
        which = f"Descent {ends[0].descent:,} ends"
        if len(ends) > 1:
            which = f"Descents {ends[0].descent:,} to {ends[-1].descent:,} end"
        allowed = [end.cost for end in ends if end.suppressed <= self.problem.limit]
        if not allowed:
            return move(f"{which} with more records left out than allowed.")
        least = min(allowed)
        more = "" if len(ends) == 1 else " or more"
        why = f"{which} at a cost of {least:,}{more}, which is no better than the best cost so far."
        return move(why, Inequality(least, "≥", best, "lowest cost ≥ best so far"))

    def _change(self, before: _Change, after: _Change) -> Step:
        added = after.kinds[after.value] == HEAD
        name, limit = self.names[after.value], self.problem.limit
        does = "is added" if added else "is removed"
        if before.suppressed > limit:
            why = f"Cut “{name}” {does} because this brings left-out records back at the lowest cost per record."
            words = "left out after < left out before"
            return move(why, Inequality(after.suppressed, "<", before.suppressed, words))
        why = f"Cut “{name}” {does} because this lowers the cost the most."
        question = None if self.problem.grouped or len(self.table) > LARGE else self._asked(before, after, added=added)
        return move(why, Inequality(after.cost, "<", before.cost, "cost after < cost before"), question)

    def _asked(self, before: _Change, after: _Change, *, added: bool) -> StepQuestion | None:
        """Which cut is added or removed next; all that lead to the same cost are right."""
        values = np.flatnonzero(before.kinds == (OUT if added else HEAD)).tolist()
        if not 2 <= len(values) <= MOST_CHOICES:
            return None
        right = []
        for place, value in enumerate(values):
            kinds = before.kinds.copy()
            kinds[value] = HEAD if added else OUT
            cells = collapse(self.problem, copied(self.root), intervals(self.problem, kinds)[0])
            cost, suppressed = weigh_cells(self.problem, cells, kinds)
            if int(cost) == after.cost and suppressed <= self.problem.limit:
                right.append(place)
        does = "is added" if added else "is removed"
        words = f"Which cut lowers the cost of {self._head(before.kinds)} the most if it {does}?"
        return StepQuestion(words, tuple(self.names[value] for value in values), tuple(right))

    def _head(self, kinds: np.ndarray) -> str:
        return set_words(self.table, np.flatnonzero(kinds == HEAD).tolist())
