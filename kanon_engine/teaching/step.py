"""A run of an algorithm, step by step, and the parts that steps of several algorithms share."""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from kanon_engine.generalize import unverified, verify
from kanon_engine.model.comparison import matching
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import get_family
from kanon_engine.model.objective import Cost
from kanon_engine.model.run import Progress
from kanon_engine.model.words import counted, number_text
from kanon_engine.shown import Shown

NOTHING = np.zeros(0, dtype=np.int64)
NO_YES = ("no", "yes")  # the choices of a yes-no question, whose answer is 0 or 1
OPPOSITE = {"<": "≥", "≤": ">", ">": "≤", "≥": "<"}
SIGNS = {"<": operator.lt, "≤": operator.le, "=": operator.eq, "≥": operator.ge, ">": operator.gt}


@dataclass(frozen=True)
class Inequality:
    """The comparison that decided a step, with its numbers.

    >>> Inequality(12, "≥", 10, "T₂ ≥ k").text, Inequality(12, "≥", 10, "T₂ ≥ k").holds
    ('T₂ ≥ k: 12 ≥ 10', True)
    """

    left: float
    sign: str  # "<", "≤", "=", "≥" or ">"
    right: float
    words: str  # the comparison in words, as in "T₂ ≥ k": the paper's names with the same sign

    @property
    def holds(self) -> bool:
        """Whether it is true for its numbers."""
        return bool(SIGNS[self.sign](self.left, self.right))

    @property
    def if_true(self) -> Inequality | None:
        """Itself, or None if rounding or a later change made it false for its numbers."""
        return self if self.holds else None

    @property
    def text(self) -> str:
        """Its words and its numbers."""
        return f"{self.words}: {number_text(self.left)} {self.sign} {number_text(self.right)}"


def either(left: float, sign: str, right: float, words: str) -> Inequality:
    """This inequality if it holds, otherwise the opposite one, with the sign in the words adjusted.

    >>> either(3, "≥", 5, "level ≥ k").text
    'level < k: 3 < 5'
    """
    inequality, other = Inequality(left, sign, right, words), OPPOSITE[sign]
    return inequality if inequality.holds else Inequality(left, other, right, words.replace(sign, other))


@dataclass(frozen=True)
class StepQuestion:
    """A question for a person before a step is shown."""

    prompt: str  # as in "Which edge is cut next?"
    # possible answers in words; a picture of the state marks them, with the position of each here as `customdata`
    choices: tuple[str, ...] = ()
    answers: tuple[int, ...] = ()  # positions of the right choices; the right numbers if `choices` is empty
    # low, high: smallest and largest possible answer of a question for a number
    low: int = 0
    high: int = 0
    # where each choice is in the picture: a bin, a point, an edge (an area given twice is itself), a line (axis, at);
    # empty if the choices are below the picture
    places: tuple[Any, ...] = ()
    box: tuple[float, ...] = ()  # the rectangle in question, which is outlined

    def is_right(self, answer: int) -> bool:
        """Whether this choice, or this number, is right."""
        return answer in self.answers


def choice(
    prompt: str,
    offered: Sequence[Any],
    right: Container[Any],
    words: Callable[[Any], str],
    place: Callable[[Any], Any] | None = lambda one: one,
    box: tuple[float, ...] = (),
) -> StepQuestion | None:
    """A question about one of the options offered, each with its words and place; None without a real choice.

    >>> choice("Which is even?", [3, 4, 6], {4, 6}, str).answers, choice("Which?", [3], {3}, str)
    ((1, 2), None)
    """
    answers = tuple(number for number, one in enumerate(offered) if one in right)
    places = () if place is None else tuple(map(place, offered))
    return (
        StepQuestion(prompt, tuple(map(words, offered)), answers, places=places, box=box) if len(offered) > 1 else None
    )


@dataclass(frozen=True)
class State:
    """The state after a step; families add what their pictures draw."""

    # (n,) int32: class of each item, -1 for one that has none yet; in the last step as in the result
    assignment: np.ndarray


@dataclass(frozen=True)
class Step(Shown):
    """One step of a run."""

    state: Any  # State: a record of the family, after the step
    why: str  # the action and its reason, in words
    inequality: Inequality | None = None  # the deciding comparison; None if nothing was compared
    question: StepQuestion | None = None  # can be asked while the previous state is shown
    # (c,) int64: positions of the items whose class the step changed, filled in by `recorded`
    changed: np.ndarray = field(default_factory=lambda: NOTHING)

    @property
    def text(self) -> str:
        """The reason with the inequality."""
        return self.why if self.inequality is None else f"{self.why} {self.inequality.text}."


def recorded(steps: Iterable[Step]) -> Iterator[Step]:
    """Each step with its changes; there is no question before the first."""
    before: np.ndarray | None = None
    for step in steps:
        changed = changed_between(before, step.state.assignment)
        yield replace(step, changed=changed, question=None if before is None else step.question)
        before = step.state.assignment


def enumerated(words: Sequence[str]) -> str:
    """Words as a sentence lists them.

    >>> enumerated("a"), enumerated("abc")
    ('a', 'a, b and c')
    """
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def changed_between(before: np.ndarray | None, after: np.ndarray) -> np.ndarray:
    """Positions of the items whose class differs; before the first step no item has one.

    >>> changed_between(None, np.array([0, -1, 1])).tolist()
    [0, 2]
    """
    return np.flatnonzero(after != (-1 if before is None else before))


# ---------------------------------------------------------------------------------------------------------------------
# The steps of a search, which are its better solutions and the bounds proven by then; helpers of other steps.
# ---------------------------------------------------------------------------------------------------------------------


MOST_SOLUTIONS = 40  # better solutions that are kept; if there are more, the first and the latest
LONG_SEARCH = 1_000  # items, times the effort if that is above 1, up to which a search is repeated
NOT_AGAIN = "A search of this size is not run again to show its steps."
LAST_QUESTION = "The search ends with the next solution. Will there be a proof that no solution is better?"


@dataclass(frozen=True)
class Incumbent(State):
    """The best solution so far."""

    result: Generalization  # verified
    lower_bound: Cost | None  # proven by then; None if nothing was


def incumbents(instance: Any, g: Generalization) -> Iterator[Step]:
    """Search again with the same seed and options, and show each better solution until the result is reached.

    A search that `is_long` is not repeated: the result is the only step.

    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels(range(6), [9, 8, 7, 6, 5, 4])
    >>> *_, last = incumbents(labels, kanon.generalize(labels, 12))
    >>> last.inequality.text
    'largest group ≥ proven bound: 13 ≥ 13'
    """
    long = is_long(instance, g)
    before, steps = None, [*([] if long else _found(instance, g)), Incumbent(g.assignment, g, g.lower_bound)]
    for number, state in enumerate(steps):
        step = _incumbent_step(state, before, last=number == len(steps) - 1)
        yield replace(step, why=f"{NOT_AGAIN} The search found these {counted(g.classes, 'group')}.") if long else step
        before = state


def is_long(instance: Any, g: Generalization) -> bool:
    """Whether the instance or the search effort is too large to repeat the search for the steps.

    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels(range(2_000), [5] * 2_000)
    >>> g = kanon.generalize(labels, 10)
    >>> is_long(labels, g), [step.why for step in incumbents(labels, g)]
    (True, ['A search of this size is not run again to show its steps. The search found these 1,000 groups.'])
    """
    return len(instance) * max(float(g.options.get("effort", 1.0)), 1.0) > LONG_SEARCH


def _found(instance: Any, g: Generalization) -> list[Incumbent]:
    """The solutions before the result, each better than the previous one."""
    states: list[Incumbent] = []

    def heard(progress: Progress) -> bool:
        if progress.best is not None and progress.best <= g.cost:
            return False
        if (
            progress.solution is not None
            and progress.best is not None
            and (not states or progress.best < states[-1].result.cost)
        ):
            solution = progress.solution()
            verify(instance, solution)
            del states[MOST_SOLUTIONS - 1 :]
            states.append(Incumbent(solution.assignment, solution, progress.lower_bound))
        return True

    unverified(instance, g.k, g.algorithm, require=g.require, seed=g.seed, progress=heard, **dict(g.options))
    return states


def _incumbent_step(state: Incumbent, before: Incumbent | None, *, last: bool) -> Step:
    solution = state.result
    if before is None:
        why = f"The first solution has {counted(solution.classes, 'group')}."
    else:
        changed = counted(len(changed_between(before.assignment, state.assignment)), "item")
        why = f"{changed} changed groups. The solution now has {counted(solution.classes, 'group')}."
    noun = get_family(solution.family).objective(solution.algorithm, solution.options).noun
    bound = state.lower_bound
    inequality = None if bound is None else Inequality(solution.cost, "≥", bound, f"{noun} ≥ proven bound")
    proven = solution.cost == solution.lower_bound
    question = StepQuestion(LAST_QUESTION, NO_YES, (int(proven),)) if last and before is not None else None
    return Step(state, why, inequality, question)


def spans(count: int, most: int) -> list[tuple[int, int]]:
    """Group events into at most `most` steps: one event each if they suffice, otherwise only the first ones.

    >>> spans(3, 5), spans(10, 4)
    ([(0, 1), (1, 2), (2, 3)], [(0, 1), (1, 2), (2, 6), (6, 10)])
    """
    single = count if count <= most else most // 2
    stops = np.linspace(single, count, most - single + 1).round().astype(int).tolist() if count > most else []
    edges = [*range(single + 1), *stops[1:]]
    return list(pairwise(edges))


def strides(start: int, end: int, most: int) -> list[tuple[int, int]]:
    """Group the events from `start` to `end` into up to `most` steps of about equal length.

    >>> strides(0, 3, 4), strides(10, 20, 4)
    ([(0, 1), (1, 2), (2, 3)], [(10, 13), (13, 16), (16, 19), (19, 20)])
    """
    stride = max(1, -(-(end - start) // most))
    return list(pairwise([*range(start, end, stride), end]))


def carried(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The previous classes, numbered like those that they become, so that only items that moved change number.

    >>> carried(np.array([5, 5, 5, 2, 2, 8]), np.array([0, 0, 1, 1, 1, 1])).tolist()
    [0, 0, 0, 1, 1, 2]
    """
    inside = before >= 0
    _, inverse = np.unique(before[inside], return_inverse=True)
    numbers = np.full(int(inverse.max(initial=-1)) + 1, -1, dtype=np.int64)
    later = after[inside]
    pairs, counts = np.unique(np.column_stack([inverse, later])[later >= 0], axis=0, return_counts=True)
    matched = pairs[matching(pairs[:, 0], pairs[:, 1], counts)]
    numbers[matched[:, 0]] = matched[:, 1]
    alone = numbers < 0
    numbers[alone] = int(after.max(initial=-1)) + 1 + np.arange(int(alone.sum()))
    carried_on = np.full(len(before), -1, dtype=np.int32)
    carried_on[inside] = numbers[inverse]
    return carried_on


def carried_back(partitions: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Successive partitions, each numbered like the next one by `carried`, from the last back.

    >>> [own.tolist() for own in carried_back([np.array([0, 0, 1]), np.array([1, 1, 0]), np.array([0, 0, 0])])]
    [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
    """
    numbered = [partitions[-1]]
    for partition in partitions[-2::-1]:
        numbered.append(carried(partition, numbered[-1]))
    return numbered[::-1]
