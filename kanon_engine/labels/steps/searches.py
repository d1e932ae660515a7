"""The searches step by step: the lowest level first, then each better packing, and what is proven."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from kanon_engine.labels.bounds import most_classes
from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing.candidate import sorted_fold, sorted_packing
from kanon_engine.labels.packing.even_kernels import Packing, lowest_level_first
from kanon_engine.labels.steps import (
    MOST_LABELS,
    NOTHING,
    BinsState,
    begun,
    lightest_of,
    named,
    packed_so_far,
    steps_of_labels,
    which_bin,
)
from kanon_engine.labels.steps.candidates import competing
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.step import Inequality, Question, Step
from kanon_engine.model.words import counted
from kanon_engine.stepping import NOT_AGAIN, incumbents, is_long, stops


@steps_of_labels
def near_optimal(labels: Labels, items: Labels, g: Generalization) -> Iterator[Step]:
    """As many bins as there can be, the lowest level first (Graham 1969); then each better packing that was found."""
    bins = most_classes(items, g.k)[0]
    why = f"There can be at most {counted(bins, 'group')}, and no largest group is below {g.lower_bound:,}."
    yield begun(items, items.descending, g.k, bins, why)
    if not items.conflicts:
        yield from _lowest_level_first(items, g.k, bins)
    yield from _found(labels, g, "The first packing of the search")


@steps_of_labels
def exact(labels: Labels, items: Labels, g: Generalization) -> Iterator[Step]:
    """Fold on the sorted labels as a ceiling, then each better packing that was found, and the proof."""
    why = f"No largest group is below {g.lower_bound:,}, when the search has ended."
    yield begun(items, items.descending, g.k, most_classes(items, g.k)[0], why)
    folded = sorted_fold(items, sorted_packing(items, g.k))
    if not items.conflicts:
        yield competing(items, folded, None, g.k)
    yield from _found(labels, g, "The search", None if items.conflicts else folded.cost)


def _lowest_level_first(labels: Labels, k: int, bins: int) -> Iterator[Step]:
    """Each label, the most common first, into the lightest bin."""
    order = labels.descending
    weights = np.ascontiguousarray(labels.counts[order])
    made, levels = np.empty(len(labels), dtype=np.int64), np.zeros(bins, dtype=np.int64)
    lowest_level_first(Packing(weights, made, levels))
    levels = np.zeros(bins, dtype=np.int64)
    start = 0
    for end in stops(0, len(labels), MOST_LABELS):
        before = levels.copy()
        np.add.at(levels, made[start:end], weights[start:end])
        number, item = int(made[end - 1]), int(order[end - 1])
        question, inequality = None, None
        if end == start + 1:
            why = f"{named(labels, item)} joins the lightest group, {number + 1:,}."
            question = which_bin(f"{named(labels, item)} comes next. Which group gets it?", before, lightest_of(before))
            others = np.delete(before, number)
            if len(others):
                inequality = Inequality(
                    int(before[number]), "≤", int(others.min()), f"level of group {number + 1:,} ≤ level of any other"
                )
        else:
            why = f"{counted(end - start, 'label')} fall, each into the lightest group of that moment."
        if end == len(labels):
            sign = "≥" if levels.min() >= k else "<"
            inequality = Inequality(int(levels.min()), sign, k, f"lightest group {sign} k")
        yield Step(packed_so_far(labels, order, made, end, k, bins), NOTHING, why, inequality, question)
        start = end


def _found(labels: Labels, g: Generalization, first: str, ceiling: int | None = None) -> Iterator[Step]:
    """Each better packing of the search, as bins; before the last it is asked what the least possible is."""
    found = list(incumbents(labels, g))
    first = f"{NOT_AGAIN} It found" if is_long(labels, g) else first
    for number, step in enumerate(found):
        made = step.state.result
        how = getattr(made.details, "method", "")
        begin = first if number == 0 else "A better packing"
        why = f"{begin}: {counted(made.classes, 'group')}, the largest with {made.cost:,} {labels.unit}: {how}."
        question = step.question
        low = g.lower_bound
        if number == len(found) - 1 and g.cost == low and ceiling is not None and ceiling > low:
            prompt = f"Fold has a largest group of {ceiling:,}. What is the least possible?"
            question = Question(prompt, answers=(int(g.cost),), low=g.k, high=ceiling)
        state = BinsState(step.state.assignment, NOTHING, made.classes, made.details.threshold)
        yield replace(step, state=state, why=why, question=question)
