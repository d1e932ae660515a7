"""Fold and Spread step by step: bins filled by next fit, and what is left over."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing import Packing, pack, packing_order
from kanon_engine.labels.packing.kernels import spread_leftovers
from kanon_engine.labels.steps import (
    MOST_LABELS,
    NOTHING,
    begun,
    lightest_of,
    named,
    packed_so_far,
    steps_of_labels,
    which_bin,
)
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.run import Run
from kanon_engine.model.step import NO_YES, Inequality, Question, Step
from kanon_engine.model.words import counted
from kanon_engine.stepping import stops


def packing_of(labels: Labels, g: Generalization) -> Packing:
    """The full bins that this run had."""
    return pack(labels, g.k, packing_order(labels, str(g.options["order"]), Run(g.seed).generator()))


@steps_of_labels
def fold(labels: Labels, items: Labels, g: Generalization) -> Iterator[Step]:
    """Next fit, and what is left over goes whole into the lightest bin (Theorem 7).

    Example
    -------
    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels("abcdef", [12, 6, 5, 5, 5, 3])
    >>> for step in fold(labels, kanon.generalize(labels, 10, "fold")):
    ...     print(step.text)
    6 labels wait in given order.
    1 label of at least k = 10 is a group of its own. lightest of these ≥ k: 12 ≥ 10.
    b (6) opens group 2, which waits for more. level of group 2 < k: 6 < 10.
    c (5) joins group 2, which is full and closed. level of group 2 ≥ k: 11 ≥ 10.
    d (5) opens group 3, which waits for more. level of group 3 < k: 5 < 10.
    e (5) joins group 3, which is full and closed. level of group 3 ≥ k: 10 ≥ 10.
    3 records are left over, too few for a group; they join the lightest, group 3. left over < k: 3 < 10.
    """
    packing = packing_of(items, g)
    yield from next_fit_steps(items, packing, g.k, f"in {g.options['order']} order")
    if packing.placed < len(items):
        yield folded_step(items, packing, g.k)


@steps_of_labels
def spread(labels: Labels, items: Labels, g: Generalization) -> Iterator[Step]:
    """Next fit, and what is left over goes label by label: into the lightest bin below the largest, then in turn."""
    packing = packing_of(items, g)
    yield from next_fit_steps(items, packing, g.k, f"in {g.options['order']} order")
    if packing.placed == len(items):
        return
    targets = np.empty(len(items) - packing.placed, dtype=np.int64)
    spread_leftovers(packing.levels.copy(), packing.prefix, packing.placed - packing.alone, targets)
    bins = np.concatenate([bins_of(packing), targets])
    levels, largest, dealing, number = packing.levels.copy(), int(packing.levels.max()), False, packing.placed
    for end in stops(packing.placed, len(items), MOST_LABELS):
        inequality, question, told = None, None, ""
        for place in range(number, end):
            item, target = int(packing.order[place]), int(targets[place - packing.placed])
            weight, lightest = int(items.counts[item]), int(levels.min())
            above = "≤" if lightest + weight <= largest else ">"
            if not dealing and place == number:
                question = which_bin(
                    f"{named(items, item)} comes next. Which group gets it?", levels, lightest_of(levels)
                )
            if not dealing:
                words = f"lightest group with {items.label(item)} {above} largest group"
                inequality = Inequality(lightest + weight, above, largest, words)
            if not dealing and above == ">":
                dealing = True
                told = " It fits nowhere below the largest group: from now on labels are dealt out in turn."
            levels[target] += weight
        what = named(items, item) if end == number + 1 else counted(end - number, "label")
        where = f"group {target + 1:,}, the lightest" if not dealing or told else f"group {target + 1:,}, in turn"
        why = f"{what} of those left over: the last joins {where}." if end > number + 1 else f"{what} joins {where}."
        state = packed_so_far(items, packing.order, bins, end, g.k, cap=largest)
        yield Step(state, NOTHING, f"{why}{told}", inequality, question)
        number = end


def bins_of(packing: Packing) -> np.ndarray:
    """The bin of each label that is in a full one, in packing order."""
    return np.repeat(np.arange(len(packing.sizes)), packing.sizes)


def next_fit_steps(labels: Labels, packing: Packing, k: int, how: str) -> Iterator[Step]:
    """From nothing to the full bins: heavy labels alone, then label after label, or several bins at a time."""
    order, alone, bins = packing.order, packing.alone, bins_of(packing)
    room = max(len(packing.sizes), 1)
    yield begun(labels, order, k, room, f"{counted(len(labels), 'label')} wait {how}.")
    if alone:
        what = "label of at least k" if alone == 1 else "labels of at least k"
        does = "is a group of its own" if alone == 1 else "are groups of their own"
        least = int(labels.counts[order[:alone]].min())
        asked = Question("How many labels are groups of their own?", answers=(alone,), high=len(labels))
        yield Step(
            packed_so_far(labels, order, bins, alone, k, room),
            NOTHING,
            f"{alone:,} {what} = {k:,} {does}.",
            Inequality(least, "≥", k, "lightest of these ≥ k"),
            asked,
        )
    ends = np.cumsum(packing.sizes)
    start = alone
    for end in _stops(packing, ends):
        number = int(bins[end - 1])
        level = int(labels.counts[order[:end][bins[:end] == number]].sum())
        full = end == ends[number]
        state = packed_so_far(labels, order, bins, end, k, room)
        sign = "≥" if full else "<"
        inequality = Inequality(level, sign, k, f"level of group {number + 1:,} {sign} k")
        if end > start + 1:
            first = int(bins[start])
            several = f"Groups {first + 1:,} to {number + 1:,} are" if first < number else f"Group {number + 1:,} is"
            yield Step(state, NOTHING, f"{counted(end - start, 'label')} fall: {several} full and closed.", inequality)
        else:
            yield _fallen(labels, packing, state, end, inequality)
        start = end


def _stops(packing: Packing, ends: np.ndarray) -> list[int]:
    """Label by label while they are few, else bin by bin, or several bins at a time."""
    if packing.placed - packing.alone <= MOST_LABELS:
        return stops(packing.alone, packing.placed, MOST_LABELS)
    return [int(ends[number - 1]) for number in stops(packing.alone, len(ends), MOST_LABELS)]


def _fallen(labels: Labels, packing: Packing, state: object, end: int, inequality: Inequality) -> Step:
    """One label into the open bin."""
    bins, item = bins_of(packing), int(packing.order[end - 1])
    number = int(bins[end - 1])
    opens = end == 1 or bins[end - 2] != number
    full = inequality.sign == "≥"
    does = f"opens group {number + 1:,}" if opens else f"joins group {number + 1:,}"
    why = f"{named(labels, item)} {does}, which {'is full and closed' if full else 'waits for more'}."
    question: Question | None = None
    prompt = f"{named(labels, item)} comes next."
    if not opens:
        question = Question(f"{prompt} Is group {number + 1:,} full with it?", NO_YES, (int(full),))
    elif number:
        question = which_bin(f"{prompt} Which group gets it?", packing.levels[:number], [number], new=True)
    return Step(state, NOTHING, why, inequality, question)


def folded_step(labels: Labels, packing: Packing, k: int) -> Step:
    """What is left over goes whole onto the lightest bin, the first of equally light ones."""
    left = len(labels) - packing.placed
    lightest = int(np.argmin(packing.levels))
    bins = np.concatenate([bins_of(packing), np.full(left, lightest)])
    rest = int(labels.counts[packing.order[packing.placed :]].sum())
    return Step(
        packed_so_far(labels, packing.order, bins, len(labels), k),
        NOTHING,
        f"{rest:,} {labels.unit} are left over, too few for a group; they join the lightest, group {lightest + 1:,}.",
        Inequality(rest, "<", k, "left over < k"),
        which_bin(
            f"{rest:,} {labels.unit} are left over. Which group gets them?", packing.levels, lightest_of(packing.levels)
        ),
    )
