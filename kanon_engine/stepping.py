"""The steps of a search, each better solution and what was proven by then; and what the steps of others share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from kanon_engine.comparison import matching
from kanon_engine.generalize import unverified
from kanon_engine.model.bound import Cost
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.run import Progress
from kanon_engine.model.step import NO_YES, Inequality, Question, State, Step, changed_between
from kanon_engine.model.words import counted
from kanon_engine.registry import family_named
from kanon_engine.verify import verify

MOST = 40  # better solutions that are kept; of more, the first and the latest
LARGE = 1_000  # items, times the effort where that is above 1, up to which a search is made again
NOT_AGAIN = "A search of this size is not made again."
NEXT = "The search ends with the next solution. Will it be proven that none is better?"


@dataclass(frozen=True)
class Incumbent(State):
    """The best solution so far.

    Attributes
    ----------
    result : Generalization
        It as a result, verified.
    lower_bound : int, float or None
        What was proven by then; None where nothing was.
    """

    result: Generalization
    lower_bound: Cost | None


def incumbents(instance: Any, g: Generalization) -> Iterator[Step]:
    """Search again with the same seed and options, and tell of each better solution until the result is reached.

    A search that `is_long` is not made again: the result is the only step.

    Parameters
    ----------
    instance : instance of g
    g : Generalization
        The last step, whatever the search would find after it.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels(range(6), [9, 8, 7, 6, 5, 4])
    >>> *_, last = incumbents(labels, kanon.generalize(labels, 12))
    >>> last.inequality.text
    'largest group ≥ proven bound: 13 ≥ 13'
    """
    long = is_long(instance, g)
    before, steps = None, [*([] if long else _found(instance, g)), Incumbent(g.assignment, g, g.lower_bound)]
    for number, state in enumerate(steps):
        step = _told(state, before, last=number == len(steps) - 1)
        yield replace(step, why=f"{NOT_AGAIN} It found these {counted(g.classes, 'group')}.") if long else step
        before = state


def is_long(instance: Any, g: Generalization) -> bool:
    """Whether the instance is too large, or the effort of its search too high, to search again for the steps.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels(range(2_000), [5] * 2_000)
    >>> g = kanon.generalize(labels, 10)
    >>> is_long(labels, g), [step.why for step in incumbents(labels, g)]
    (True, ['A search of this size is not made again. It found these 1,000 groups.'])
    """
    return len(instance) * max(float(g.options.get("effort", 1.0)), 1.0) > LARGE


def _found(instance: Any, g: Generalization) -> list[Incumbent]:
    """What the search found before the result, each better than the one before it."""
    states: list[Incumbent] = []

    def heard(said: Progress) -> bool:
        if said.best is not None and said.best <= g.cost:
            return False
        if said.solution is not None and said.best is not None and (not states or said.best < states[-1].result.cost):
            made = said.solution()
            verify(instance, made)
            del states[MOST - 1 :]
            states.append(Incumbent(made.assignment, made, said.lower_bound))
        return True

    unverified(instance, g.k, g.algorithm, require=g.require, seed=g.seed, progress=heard, **dict(g.options))
    return states


def _told(state: Incumbent, before: Incumbent | None, *, last: bool) -> Step:
    made = state.result
    changed = changed_between(None if before is None else before.assignment, state.assignment)
    if before is None:
        why = f"The first solution: {counted(made.classes, 'group')}."
    else:
        why = f"{counted(len(changed), 'item')} changed the group. Now: {counted(made.classes, 'group')}."
    noun = family_named(made.family).objective(made.algorithm, made.options).noun
    bound = state.lower_bound
    inequality = None if bound is None else Inequality(made.cost, "≥", bound, f"{noun} ≥ proven bound")
    proven = made.cost == made.lower_bound
    asked = Question(NEXT, NO_YES, (int(proven),)) if last and before is not None else None
    return Step(state, changed, why, inequality, asked)


def spans(count: int, most: int) -> list[tuple[int, int]]:
    """So many events as at most `most` steps: one each as long as they last, at first one each where they are many.

    Returns
    -------
    list of (int, int)
        The first event of each step, and the one after its last.

    Example
    -------
    >>> spans(3, 5), spans(10, 4)
    ([(0, 1), (1, 2), (2, 3)], [(0, 1), (1, 2), (2, 6), (6, 10)])
    """
    single = count if count <= most else most // 2
    stops = np.linspace(single, count, most - single + 1).round().astype(int).tolist() if count > most else []
    edges = [*range(single + 1), *stops[1:]]
    return list(pairwise(edges))


def stops(start: int, end: int, most: int) -> list[int]:
    """Up to `most` places after which a step ends, from `start` to `end`, the last one included, as far apart as need.

    Example
    -------
    >>> stops(0, 3, 4), stops(10, 20, 4)
    ([1, 2, 3], [13, 16, 19, 20])
    """
    stride = max(1, -(-(end - start) // most))
    return sorted({*range(start + stride, end, stride), end} - {start})


def carried(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The classes of before by the numbers of those that they become, so that only what moved has another number.

    Parameters
    ----------
    before : (n,) int array
        Classes by any numbers; -1 for an item in none.
    after : (n,) int array
        Classes by the numbers that they have a step later; -1 for an item in none.

    Returns
    -------
    (n,) int32 array
        Classes are paired so that as many items as can be keep their number; one that is left over has a number above
        all others.

    Example
    -------
    >>> carried(np.array([5, 5, 5, 2, 2, 8]), np.array([0, 0, 1, 1, 1, 1])).tolist()
    [0, 0, 0, 1, 1, 2]
    """
    inside = before >= 0
    _, own = np.unique(before[inside], return_inverse=True)
    numbers = np.full(int(own.max(initial=-1)) + 1, -1, dtype=np.int64)
    later = after[inside]
    pairs, counts = np.unique(np.column_stack([own, later])[later >= 0], axis=0, return_counts=True)
    taken = pairs[matching(pairs[:, 0], pairs[:, 1], counts)]
    numbers[taken[:, 0]] = taken[:, 1]
    alone = numbers < 0
    numbers[alone] = int(after.max(initial=-1)) + 1 + np.arange(int(alone.sum()))
    carried_on = np.full(len(before), -1, dtype=np.int32)
    carried_on[inside] = numbers[own]
    return carried_on


def carried_back(partitions: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Partitions one after another, from the last back each by the numbers of the next, as `carried` has them.

    Example
    -------
    >>> [own.tolist() for own in carried_back([np.array([0, 0, 1]), np.array([1, 1, 0]), np.array([0, 0, 0])])]
    [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
    """
    numbered = [partitions[-1]]
    for own in partitions[-2::-1]:
        numbered.append(carried(own, numbered[-1]))
    return numbered[::-1]
