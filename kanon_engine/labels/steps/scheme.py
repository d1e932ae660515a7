"""The scheme and the relaxed scheme step by step: types of large labels, small ones into them, light bins merged."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing.candidate import Candidate, sorted_fold, sorted_packing
from kanon_engine.labels.relaxed_scheme import plan_of as relaxed_plan
from kanon_engine.labels.scheme import Plan, Tried, plan_of, types_tried
from kanon_engine.labels.steps import (
    NOTHING,
    BinsState,
    begun,
    lightest_of,
    named,
    packed_so_far,
    steps_of_labels,
    which_bin,
)
from kanon_engine.labels.steps.candidates import competing, whole
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.run import Run
from kanon_engine.model.step import Inequality, Question, Step
from kanon_engine.model.words import counted, number_text

MOST_SHOWN = 50  # numbers of bins of which the types are shown; of more, those that are better


@steps_of_labels
def scheme(labels: Labels, items: Labels, g: Generalization) -> Iterator[Step]:
    """Number of bins after number of bins: the type, the small labels, the merging (Theorem 10).

    Example
    -------
    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels("abcdef", [9, 9, 7, 7, 5, 4])
    >>> for step in list(scheme(labels, kanon.generalize(labels, 10, "scheme")))[2:5]:
    ...     print(step.text)
    4 groups: no type can be filled by the small labels.
    3 groups: the type of least rounded cost has large labels in 3 of them.
    The small labels fall, each into the lightest group of that moment. lightest group ≥ k: 12 ≥ 10.
    """
    yield from _steps(items, g, plan_of(g.k, float(g.options["epsilon"])), "k")


@steps_of_labels
def relaxed_scheme(labels: Labels, items: Labels, g: Generalization) -> Iterator[Step]:
    """As `scheme`, but bins below k stay, if none is below (1 − ε) k (Theorem 11)."""
    yield from _steps(items, g, relaxed_plan(g.k, float(g.options["epsilon"])), "(1 − ε) k")


def _steps(labels: Labels, g: Generalization, plan: Plan, limit: str) -> Iterator[Step]:
    k = g.k
    large = int((labels.counts >= plan.epsilon * k).sum())
    words = f"{large:,} of {counted(len(labels), 'label')} are large, at least {float(plan.epsilon):g} × k = "
    words += f"{number_text(float(plan.epsilon * k))}; they are packed by rounded sizes."
    yield begun(labels, labels.descending, plan.threshold, max(1, labels.total // k), words)
    best = sorted_fold(labels, sorted_packing(labels, k))
    yield competing(labels, best, None, plan.threshold)
    others = 0
    for number, tried in enumerate(types_tried(labels, k, Run(g.seed), plan, best.cost)):
        better = tried.made is not None and tried.made.cost < best.cost
        if number < MOST_SHOWN or better:
            yield from _tried(labels, plan, tried, large, best, limit)
        else:
            others += 1
        if tried.made is not None and better:
            best = tried.made
    state = whole(labels, best, plan.threshold)
    left = f" {counted(others, 'number')} of bins without a better one had no step." if others else ""
    yield Step(
        state,
        NOTHING,
        f"The cheapest packing is the result: {best.method}.{left}",
        Inequality(best.cost, "≥", g.lower_bound, "largest group ≥ proven bound"),
    )


def _tried(labels: Labels, plan: Plan, tried: Tried, large: int, best: Candidate, limit: str) -> Iterator[Step]:
    """One number of bins."""
    bins, floor = tried.bins, plan.threshold
    if tried.type is None:
        state = _placed(labels, tried, 0, floor)
        yield Step(state, NOTHING, f"{counted(bins, 'group')}: no type can be filled by the small labels.")
        return
    order = labels.descending
    state = _placed(labels, tried, large, floor)
    asked = Question(
        f"The large labels go into {counted(bins, 'group')} by rounded sizes. How many groups stay empty for now?",
        answers=(bins - len(tried.type),),
        high=bins,
    )
    why = f"{counted(bins, 'group')}: the type of least rounded cost has large labels in {len(tried.type):,} of them."
    yield Step(state, NOTHING, why, None, asked)
    if large < len(labels):
        levels = np.bincount(tried.places[:large], labels.counts[order[:large]], bins).astype(np.int64)
        first = int(order[large])
        prompt = f"{named(labels, first)} is the largest small label. Which group gets it?"
        lightest = int(tried.levels.min())
        sign = "≥" if lightest >= floor else "<"
        yield Step(
            _placed(labels, tried, len(labels), floor),
            NOTHING,
            "The small labels fall, each into the lightest group of that moment.",
            Inequality(lightest, sign, floor, f"lightest group {sign} {limit}"),
            which_bin(prompt, levels, lightest_of(levels)),
        )
    light = int((tried.levels < floor).sum())
    if tried.made is None:
        why = f"{counted(light, 'group')} below {limit}: this packing does not count."
        yield Step(_placed(labels, tried, len(labels), floor), NOTHING, why)
        return
    merged = "the lightest groups are merged as long as one is below k" if light else "no group is too light"
    yield competing(labels, tried.made, best, floor, f"{counted(bins, 'group')}, {merged}")


def _placed(labels: Labels, tried: Tried, placed: int, floor: int) -> BinsState:
    """The first so many labels, from the most common on, where the type has them."""
    return packed_so_far(labels, labels.descending, tried.places, placed, floor, tried.bins)
