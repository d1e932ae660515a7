"""Patterns that are opened one after another, and the improvements after that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.run import Run
from kanon_engine.model.values import value_words
from kanon_engine.model.words import counted
from kanon_engine.tables.cell_patterns import Attachments, Patterns, patterns_of
from kanon_engine.tables.cell_suppression import attached
from kanon_engine.tables.instance import Table
from kanon_engine.teaching.step import NO_YES, Inequality, Step, StepQuestion
from kanon_engine.teaching.tables import CellState, after, move, result, shown

MOST_CHOICES = 6
MOST_NOTED = 2_000


@dataclass(frozen=True)
class _Note:
    """An action on a pattern, and the copies of each tuple at each pattern after it."""

    what: str
    pattern: int
    held: list[dict[int, int]]
    cost: int


def cell_suppression_steps(table: Table, g: Generalization) -> Iterator[Step]:
    """The run again: each pattern that is opened and its records, later savings, and the solver's choice.

    The paper's Figure 1:

    >>> import pandas as pd
    >>> import kanon_engine as kanon
    >>> figure = pd.DataFrame([list("xab"), list("zcd"), list("yab"), list("zce")], columns=["1", "2", "3"])
    >>> table = Table(figure, ["1", "2", "3"])
    >>> for step in cell_suppression_steps(table, kanon.generalize(table, 2, "cell-suppression")):
    ...     print(step.text)
    A pattern is what a record shows, with * for hidden cells. 3 patterns match 2 records or more; none is used yet.
    The pattern (z, c, *) with 1 star is chosen. Records that now show it: 2. records with the pattern ≥ k: 2 ≥ 2.
    The pattern (*, a, b) with 1 star is chosen. Records that now show it: 2. records with the pattern ≥ k: 2 ≥ 2.
    This is the result: 4 cells are hidden, and fewer are impossible. hidden cells ≥ proven bound: 4 ≥ 4.
    """
    patterns = patterns_of(table, g.k)
    floor = int((patterns.floors * patterns.sizes).sum())
    notes: list[_Note] = []

    def watch(what: str, attachments: Attachments, pattern: int) -> None:
        if len(notes) < MOST_NOTED:
            notes.append(_Note(what, pattern, [dict(one) for one in attachments.held], attachments.cost))

    attached(patterns, g.k, floor, Run(g.seed), watch)
    numbers = _numbers(table, g, patterns)
    words, none = _SuppressionWords(table, g.k, patterns), np.full(len(table), -1, dtype=np.int64)
    start = "A pattern is what a record shows, with * for hidden cells. "
    start += f"{len(patterns.stars):,} patterns match {g.k:,} {table.unit} or more; none is used yet."
    yield Step(CellState(none.astype(np.int32), np.zeros(table.codes.shape, dtype=bool), none), start)
    before, place = none, -1
    for count in shown(len(notes), len(table)):
        place += count
        note, last = notes[place], words.pattern_of(notes[place - 1].held) if place else none
        pattern = words.pattern_of(note.held)
        hidden = patterns.stars[pattern] & (pattern >= 0)[:, None]
        state = CellState(np.where(pattern >= 0, numbers[pattern], -1).astype(np.int32), hidden, pattern)
        yield after(state, words.move(note, last, pattern), count)
        before = pattern
    stars = g.details.stars[g.assignment]
    hidden_cells = f"{int(g.cost):,} cells are hidden"
    proven = g.cost == g.lower_bound
    if g.require:
        why = f"Groups that fail a requirement are merged. This is the result: {hidden_cells}."
    elif notes and int(g.cost) < notes[-1].cost:
        why = f"A solver chose better patterns. This is the result: {hidden_cells}."
    else:
        why = f"This is the result: {hidden_cells}{', and fewer are impossible' if proven else ''}."
    so_far = notes[-1].cost if notes else int(g.cost)
    prompt = (
        f"{so_far:,} cells are hidden now, and every solution hides at least {int(g.lower_bound):,}. Will the result "
        "hide fewer than now?"
    )
    question = StepQuestion(prompt, NO_YES, (int(g.cost < so_far),))
    yield result(CellState(g.assignment, stars, before), g, why, "hidden cells", question)


def _numbers(table: Table, g: Generalization, patterns: Patterns) -> np.ndarray:
    """(p,) int64: the class that shows each pattern in the result; other patterns get the next numbers."""
    classes: dict[tuple[int, ...], int] = {}
    for number, row in zip(*np.unique(g.assignment, return_index=True), strict=True):
        classes[tuple(np.where(g.details.stars[number], -1, table.codes[row]).tolist())] = int(number)
    items, _ = _items(table, patterns)
    rows = np.where(patterns.stars, -1, items[patterns.members[patterns.start[:-1]]]).tolist()
    numbers = [classes.get(tuple(row), -1) for row in rows]
    others = iter(range(g.classes, g.classes + len(rows)))
    return np.array([next(others) if number < 0 else number for number in numbers], dtype=np.int64)


def _items(table: Table, patterns: Patterns) -> tuple[np.ndarray, np.ndarray]:
    """(t, q) int32: the tuples or rows that get patterns; (n,) int64: the one of each row."""
    if patterns.whole:
        return table.codes, np.arange(len(table))
    distinct, _, numbers = table.tuples
    return distinct, numbers


class _SuppressionWords:
    """Actions on patterns, in words."""

    def __init__(self, table: Table, k: int, patterns: Patterns) -> None:
        self.table, self.k, self.patterns = table, k, patterns
        self._codes, self._item = _items(table, patterns)
        self._order = np.argsort(self._item, kind="stable")
        self._starts = np.append(0, np.cumsum(np.bincount(self._item)))

    def pattern_of(self, attached_copies: list[dict[int, int]]) -> np.ndarray:
        """(n,) int64: the pattern of each row, -1 for none; copies of a tuple in the order of their patterns."""
        pattern = np.full(len(self.table), -1, dtype=np.int64)
        for item, records_of in enumerate(attached_copies):
            place = int(self._starts[item])
            for number, records in sorted(records_of.items()):
                copies = 1 if self.patterns.whole else records
                pattern[self._order[place : place + copies]] = number
                place += copies
        return pattern

    def move(self, note: _Note, before: np.ndarray, after: np.ndarray) -> Step:
        """The step of an action, with the records that changed their pattern."""
        weights, name = self.table.weights, self._name(note.pattern)
        moved = int(weights[before != after].sum())
        if note.what == "opened":
            stars = counted(int(self.patterns.costs[note.pattern]), "star")
            why = f"The pattern {name} with {stars} is chosen. Records that now show it: {moved:,}."
            decided = Inequality(moved, "≥", self.k, "records with the pattern ≥ k")
            return move(why, decided, self._asked(before, note.pattern))
        if note.what == "rest":
            support = int(weights[after == note.pattern].sum())
            why = (
                f"No pattern matches {self.k:,} or more of the records that have no pattern yet. So these records show "
                f"{name}, and other records join them to reach k."
            )
            return move(why, Inequality(support, "≥", self.k, f"records that show {name} ≥ k"))
        if note.what == "rare":
            least = int((self.patterns.costs[after] * weights).sum())
            why = (
                "Instead, every cell of records with fewer than k − 1 duplicates is hidden, and no "
                "cell of other records. "
                "This is cheaper."
            )
            most = int((self.patterns.costs[before] * weights).sum())
            return move(why, Inequality(least, "<", most, "hidden cells then < hidden cells before"))
        fewer = int((self.patterns.costs[before] * weights).sum())
        why = (
            f"Records that change their pattern to {name}: {moved:,}. Every remaining pattern keeps at least "
            f"{self.k:,} records."
        )
        return move(why, Inequality(note.cost, "<", fewer, "hidden cells after < hidden cells before"))

    def _asked(self, before: np.ndarray, opened: int) -> StepQuestion | None:
        """Which pattern is opened next; any with the same number of stars and free records is right."""
        patterns = self.patterns
        free = np.zeros(len(patterns.sizes), dtype=np.int64)
        np.add.at(free, self._item[before < 0], self.table.weights[before < 0])
        matching = np.add.reduceat(free[patterns.members], patterns.start[:-1])
        level = np.flatnonzero((patterns.costs == patterns.costs[opened]) & (matching >= self.k))
        others = np.flatnonzero((patterns.costs > patterns.costs[opened]) & (matching >= self.k))
        right = level[matching[level] == matching[opened]]
        listed = sorted({opened, *right[:2].tolist(), *level[:MOST_CHOICES].tolist(), *others[:2].tolist()})[
            :MOST_CHOICES
        ]
        if opened not in listed or len(listed) < 2:
            return None
        answers = tuple(place for place, pattern in enumerate(listed) if pattern in right)
        prompt = (
            "The pattern with the fewest stars is chosen next. If there are several, it is the one that matches the "
            "most records that have no pattern yet. Which pattern is chosen?"
        )
        return StepQuestion(prompt, tuple(self._name(pattern) for pattern in listed), answers)

    def _name(self, pattern: int) -> str:
        """The values that its records show."""
        if pattern < 0:
            return "nothing"
        row = self._codes[self.patterns.members[self.patterns.start[pattern]]].tolist()
        values = [
            "*" if star else value_words(domain[code])
            for star, domain, code in zip(self.patterns.stars[pattern], self.table.domains, row, strict=True)
        ]
        return f"({', '.join(values)})"
