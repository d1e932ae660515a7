"""Moves of a run as steps, several in one where there are many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from kanon_engine.model.step import Inequality, Question, State, Step, changed_between

MOST_STEPS = 180


@dataclass(frozen=True)
class Move:
    """One move, told: the state after it is worked out only where it is shown."""

    why: str
    inequality: Inequality | None = None
    question: Question | None = None


def shown(count: int) -> list[int]:
    """How many of so many moves each step tells of.

    Example
    -------
    >>> shown(3), sum(shown(1000)), len(shown(1000))
    ([1, 1, 1], 1000, 167)
    """
    stride = max(-(-count // MOST_STEPS), 1)
    return [stride] * (count // stride) + [count % stride] * (count % stride > 0)


def steps_of(states: Iterable[tuple[State, Move, int]]) -> Iterator[Step]:
    """Each state with the last of so many moves before it, as a step; what cannot be asked of one move is not asked."""
    before: np.ndarray | None = None
    for state, move, count in states:
        why = move.why if count == 1 else f"{count:,} moves, the last of them: {move.why}"
        asked = move.question if count == 1 and before is not None else None
        yield Step(state, changed_between(before, state.assignment), why, move.inequality, asked)
        before = state.assignment
