"""Intervals of an order step by step: the least cap by halving, then interval after interval."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kanon_engine.labels.instance import Labels
from kanon_engine.labels.ordered import EFFORT, order_of
from kanon_engine.labels.ordered.kernels import even_cuts, reachable
from kanon_engine.labels.steps import MOST_LABELS, NOTHING, begun, packed_so_far, steps_of_labels
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.step import NO_YES, Inequality, Question, Step
from kanon_engine.model.words import counted
from kanon_engine.stepping import stops


@steps_of_labels
def ordered(labels: Labels, items: Labels, g: Generalization) -> Iterator[Step]:
    """Halve between a cap that is too low and one that will do; with the least one, the evenest intervals.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> ages = kanon.Labels([10, 20, 30, 40], [4, 3, 5, 6])
    >>> for step in list(ordered(ages, kanon.generalize(ages, 6, "ordered")))[1:5]:
    ...     print(step.text)
    A cap of 11 works. labels in intervals = all labels: 4 = 4.
    A cap of 8 fails: after 2 labels no interval fits. labels in intervals < all labels: 2 < 4.
    A cap of 10 fails: after 2 labels no interval fits. labels in intervals < all labels: 2 < 4.
    Interval 1 ends with 20, the evenest way with a cap of 11. level of interval 1 ≤ cap: 7 ≤ 11.
    """
    order = order_of(items, str(g.options["by"]))
    weights = items.counts[order]
    prefix = np.concatenate([[0], np.cumsum(weights)])
    k, heaviest = g.k, int(weights.max())
    low, high = max(k, heaviest), min(items.total, 2 * (k - 1) + heaviest)
    told = (
        f"The largest interval holds at least {low:,} {items.unit} (k, or the most common label) and at most {high:,}."
    )
    yield begun(items, order, k, max(1, items.total // k), f"{told} The cap between is found by halving.")
    while low < high:
        cap = (low + high) // 2
        step, works = _asked(items, order, prefix, k, cap)
        yield step
        low, high = (low, cap) if works else (cap + 1, high)
    yield from _cut(items, order, prefix, k, low)


def _asked(labels: Labels, order: np.ndarray, prefix: np.ndarray, k: int, cap: int) -> tuple[Step, bool]:
    """One cap: how far labels can be cut into intervals from k to it."""
    good = np.empty(len(prefix), dtype=np.bool_)
    works = bool(reachable(prefix, k, cap, good))
    reached = int(np.flatnonzero(good)[-1])
    bins = _bins(prefix, k, cap, reached)
    sign = "=" if works else "<"
    words = "works" if works else f"fails: after {counted(reached, 'label')} no interval fits"
    step = Step(
        packed_so_far(labels, order, bins, reached, k, labels.total // k, cap),
        NOTHING,
        f"A cap of {cap:,} {words}.",
        Inequality(reached, sign, len(labels), f"labels in intervals {sign} all labels"),
        Question(f"Can all labels be cut into intervals of {k:,} to {cap:,} {labels.unit}?", NO_YES, (int(works),)),
    )
    return step, works


def _bins(prefix: np.ndarray, k: int, cap: int, reached: int) -> np.ndarray:
    """The interval of each of the first so many labels, as even as can be."""
    ends = np.empty(len(prefix), dtype=np.int64)
    count = even_cuts(prefix[: reached + 1], k, cap, EFFORT, ends)
    return np.repeat(np.arange(count), np.diff(ends[:count], prepend=0))


def _cut(labels: Labels, order: np.ndarray, prefix: np.ndarray, k: int, cap: int) -> Iterator[Step]:
    """The intervals of the least cap, from left to right."""
    bins = _bins(prefix, k, cap, len(labels))
    ends = np.flatnonzero(np.diff(bins, append=-1)) + 1
    levels = np.diff(prefix[ends], prepend=0)
    last = 0
    for number in stops(0, len(ends), MOST_LABELS):
        end = int(ends[number - 1])
        level = int(levels[number - 1])
        what = f"Interval {number:,} ends" if number == last + 1 else f"Intervals {last + 1:,} to {number:,} end"
        why = f"{what} with {labels.label(int(order[end - 1]))}, the evenest way with a cap of {cap:,}."
        question = None
        if number == last + 1 and number < len(ends):
            start = int(ends[number - 2]) if number > 1 else 0
            most = int(np.searchsorted(prefix, prefix[start] + cap, side="right")) - 1
            prompt = f"The least cap is {cap:,}. At most how many labels fit into interval {number:,}?"
            question = Question(prompt, answers=(most - start,), high=len(labels))
        state = packed_so_far(labels, order, bins, end, k, len(ends), cap)
        yield Step(state, NOTHING, why, Inequality(level, "≤", cap, f"level of interval {number:,} ≤ cap"), question)
        last = number
