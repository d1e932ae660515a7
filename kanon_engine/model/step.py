"""A run of an algorithm, step by step: what there is after each, what decided, and what can be asked before it."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kanon_engine.model.words import number_text
from kanon_engine.shown import Shown

NO_YES = ("no", "yes")  # the choices of a question whether something is so: its answer is 0 or 1
SIGNS = {"<": operator.lt, "≤": operator.le, "=": operator.eq, "≥": operator.ge, ">": operator.gt}


@dataclass(frozen=True)
class Inequality:
    """What decided a step, with its numbers.

    Attributes
    ----------
    left : int or float
    sign : str
        "<", "≤", "=", "≥" or ">".
    right : int or float
    words : str
        What is compared, as in "T₂ ≥ k": the paper's names with the same sign.

    Example
    -------
    >>> Inequality(12, "≥", 10, "T₂ ≥ k").text, Inequality(12, "≥", 10, "T₂ ≥ k").holds
    ('T₂ ≥ k: 12 ≥ 10', True)
    """

    left: float
    sign: str
    right: float
    words: str

    @property
    def holds(self) -> bool:
        """Whether it is true of its numbers."""
        return bool(SIGNS[self.sign](self.left, self.right))

    @property
    def text(self) -> str:
        """Its words and its numbers."""
        return f"{self.words}: {number_text(self.left)} {self.sign} {number_text(self.right)}"


@dataclass(frozen=True)
class Question:
    """What a person is asked before a step is shown.

    Attributes
    ----------
    prompt : str
        As in "Which edge is cut next?".
    choices : tuple of str
        What may be answered, in words; a picture of the state marks them, `customdata` the position of each here.
    answers : tuple of int
        Positions of the right ones; where `choices` are empty, the right numbers.
    low, high : int
        Of a question for a number, the least and the largest that may be answered.
    """

    prompt: str
    choices: tuple[str, ...] = ()
    answers: tuple[int, ...] = ()
    low: int = 0
    high: int = 0

    def is_right(self, answer: int) -> bool:
        """Whether this choice, or this number, is right."""
        return answer in self.answers


@dataclass(frozen=True)
class State:
    """What there is after a step; families add what their pictures draw.

    Attributes
    ----------
    assignment : (n,) int32 array
        Class of each item, -1 for one that is in none yet; at the last step as in the result.
    """

    assignment: np.ndarray


@dataclass(frozen=True)
class Step(Shown):
    """One step of a run.

    Attributes
    ----------
    state : State
        A record of the family, as it is after the step.
    changed : (c,) int64 array
        Positions of the items whose class is another than before the step.
    why : str
        What was done and why, in words.
    inequality : Inequality or None
        What decided; None where nothing was compared.
    question : Question or None
        What can be asked while the state before is shown.
    """

    state: Any
    changed: np.ndarray
    why: str
    inequality: Inequality | None = None
    question: Question | None = None

    @property
    def text(self) -> str:
        """Why, with the inequality."""
        return self.why if self.inequality is None else f"{self.why} {self.inequality.text}."


def changed_between(before: np.ndarray | None, after: np.ndarray) -> np.ndarray:
    """Positions of the items whose class differs; before the first step no item is in any.

    Example
    -------
    >>> changed_between(None, np.array([0, -1, 1])).tolist()
    [0, 2]
    """
    return np.flatnonzero(after != (-1 if before is None else before))
