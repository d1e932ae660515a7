"""The run of each algorithm on labels, step by step: labels fall into bins, and candidates compete."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import wraps

import numpy as np

from kanon_engine.labels.constrained import item_view
from kanon_engine.labels.instance import Labels
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.requirement import MERGED
from kanon_engine.model.step import Inequality, Question, State, Step, changed_between
from kanon_engine.model.words import counted

MOST_CHOICES = 40
MOST_LABELS = 90  # labels that fall one by one; of more, several at a time
NOTHING = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class BinsState(State):
    """Bins, and the labels that wait.

    Attributes
    ----------
    waiting : (w,) int64 array
        Labels that are in no bin, in the order in which they come.
    bins : int
        Bins that there is room for: 0 … bins - 1, some of them empty.
    floor : int
        What every bin must reach.
    cap : int or None
        What no bin should exceed at this moment.
    parts : tuple of int
        How many of those that wait stay together, part after part; empty where each comes alone.
    """

    waiting: np.ndarray
    bins: int
    floor: int
    cap: int | None = None
    parts: tuple[int, ...] = ()


@dataclass(frozen=True)
class BinsQuestion(Question):
    """A question for a bin.

    Attributes
    ----------
    at : tuple of int
        The bin that each choice is; the number of bins there are for one that is opened.
    """

    at: tuple[int, ...] = ()


Maker = Callable[[Labels, Labels, Generalization], Iterable[Step]]


def steps_of_labels(make: Maker) -> Callable[[Labels, Generalization], Iterator[Step]]:
    """Steps as an algorithm has them, from ``make(labels, items, result on the items)``.

    A state may be of the items that the algorithm packed; labels that stay together then fall together. Where the run
    ends with other groups than it made, the last step says why.
    """

    @wraps(make)
    def steps(labels: Labels, g: Generalization) -> Iterator[Step]:
        before: np.ndarray | None = None
        state: BinsState | None = None
        for step in make(labels, *item_view(labels, g)):
            state = _of_labels(labels, step.state)
            yield replace(step, state=state, changed=changed_between(before, state.assignment))
            before = state.assignment
        if state is None or not np.array_equal(state.assignment, g.assignment):
            yield _ending(g, before)

    return steps


def _of_labels(labels: Labels, state: BinsState) -> BinsState:
    if len(state.assignment) == len(labels):
        return state
    waiting = [np.flatnonzero(labels.item_of == item) for item in state.waiting.tolist()]
    sizes = [len(own) for own in waiting]
    parts = np.split(np.array(sizes, dtype=np.int64), np.cumsum(state.parts)[:-1]) if state.parts else []
    return replace(
        state,
        assignment=state.assignment[labels.item_of],
        waiting=np.concatenate([NOTHING, *waiting]),
        parts=tuple(int(part.sum()) for part in parts),
    )


def _ending(g: Generalization, before: np.ndarray | None) -> Step:
    state = BinsState(g.assignment, NOTHING, g.classes, g.details.threshold)
    changed = changed_between(before, g.assignment)
    if getattr(g.details, "method", "").endswith(MERGED):
        why = f"Groups that fail what is required join others: {counted(g.classes, 'group')} satisfy it."
    elif g.status == "stopped":
        why = "The run was stopped; this is the best packing that it had by then."
    else:
        why = "The groups are numbered as they are in the result."
    return Step(state, changed, why, Inequality(g.cost, "≥", g.lower_bound, "largest group ≥ proven bound"))


def begun(labels: Labels, order: np.ndarray, floor: int, bins: int, why: str) -> Step:
    """Before anything is packed."""
    state = BinsState(np.full(len(labels), -1, dtype=np.int32), order.astype(np.int64), bins, floor)
    return Step(state, NOTHING, why)


def packed_so_far(
    labels: Labels, order: np.ndarray, bins: np.ndarray, placed: int, floor: int, room: int = 0, cap: int | None = None
) -> BinsState:
    """The first so many labels of an order in their bins, the others waiting."""
    assignment = np.full(len(labels), -1, dtype=np.int32)
    assignment[order[:placed]] = bins[:placed]
    most = max(room, int(bins.max(initial=-1)) + 1)
    return BinsState(assignment, order[placed:].astype(np.int64), most, floor, cap)


def which_bin(prompt: str, levels: np.ndarray, right: Iterable[int], new: bool = False) -> BinsQuestion | None:
    """A question for one of some bins, the right ones and the lightest others; with `new`, or for one that is opened.

    None where there is no choice.

    Parameters
    ----------
    prompt : str
    levels : (m,) int array
        Weight of each bin that there is.
    right : numbers of bins
        m is a new one.
    new : bool
        Whether one can be opened.
    """
    wanted = set(right)
    order = [number for number in np.argsort(levels, kind="stable").tolist() if number not in wanted]
    room = MOST_CHOICES - len(wanted) - new
    at = sorted({*list(wanted)[:MOST_CHOICES], *order[: max(room, 0)]} | ({len(levels)} if new else set()))
    choices = tuple("a new group" if number == len(levels) else f"group {number + 1:,}" for number in at)
    answers = tuple(place for place, number in enumerate(at) if number in wanted)
    return None if len(at) < 2 else BinsQuestion(prompt, choices, answers, at=tuple(at))


def lightest_of(levels: np.ndarray) -> list[int]:
    """All bins that are as light as the lightest."""
    return np.flatnonzero(levels == levels.min()).tolist()


def named(labels: Labels, item: int) -> str:
    """A label and its count."""
    return f"{labels.label(item)} ({int(labels.counts[item]):,})"
