"""Moves of a run as steps, several in one where there are many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from kanon_engine.model.step import Inequality, Question, State, Step, changed_between

MOST_STEPS, FEW_STEPS = 180, 30
ROWS = 1_500_000  # records of all states together, where tables are large


@dataclass(frozen=True)
class Move:
    """One move, told: the state after it is worked out only where it is shown."""

    why: str
    inequality: Inequality | None = None
    question: Question | None = None


def most_steps(size: int) -> int:
    """How many steps are told of a table of this size."""
    return max(min(MOST_STEPS, ROWS // size), FEW_STEPS)


def shown(count: int, size: int) -> list[int]:
    """How many of so many moves each step tells of, in a table of this size; the first stands alone.

    Example
    -------
    >>> shown(3, 20), sum(shown(1000, 20)), len(shown(1000, 20)), len(shown(1000, 30_000))
    ([1, 1, 1], 1000, 168, 51)
    """
    stride, rest = max(-(-count // most_steps(size)), 1), max(count - 1, 0)
    return [1] * min(count, 1) + [stride] * (rest // stride) + [rest % stride] * (rest % stride > 0)


def steps_of(states: Iterable[tuple[State, Move, int]]) -> Iterator[Step]:
    """Each state with the last of so many moves before it, as a step; what cannot be asked of one move is not asked."""
    before: np.ndarray | None = None
    for state, move, count in states:
        why = move.why if count == 1 else f"{count:,} moves, the last of them: {move.why}"
        asked = move.question if count == 1 and before is not None else None
        yield Step(state, changed_between(before, state.assignment), why, move.inequality, asked)
        before = state.assignment
