"""A packing bin after bin, for a view that steps through it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_engine.labels.constrained import item_view
from kanon_engine.labels.instance import BinDetails, Labels
from kanon_engine.model.generalization import Generalization

MOST_STEPS = 60  # of next fit; with more bins, a step fills several


@dataclass(frozen=True)
class Step:
    """What there is after some labels were placed.

    Attributes
    ----------
    placed : int
        So many labels of `details.order` are in bins.
    bins : int
        So many bins are there.
    sentence : str
        What happened last and why, in words.
    """

    placed: int
    bins: int
    sentence: str


def packing_steps(labels: Labels, g: Generalization) -> tuple[Step, ...]:
    """The packing from nothing to the result: bin after bin for `fold` and `spread`, else label after label.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> labels = Labels("abcdef", [12, 6, 5, 5, 5, 3])
    >>> for step in packing_steps(labels, kanon.generalize(labels, 10, "fold")):
    ...     print(step.placed, step.bins, step.sentence.split(".")[0])
    0 0 6 labels are packed in given order
    1 1 1 label with at least k = 10 records makes a group of its own
    3 2 Group 2 is full with 11 records, so the next label opens another
    5 3 Group 3 is full with 10 records, so the next label opens another
    6 3 3 records are left over: too few for a group of their own, they join the smallest group, number 3
    """
    labels, g = item_view(labels, g)
    if isinstance(g.details, BinDetails):
        return _label_after_label(labels, g)
    details, unit = g.details, labels.unit
    weights = labels.counts[details.order]
    steps = [Step(0, 0, f"{len(labels):,} labels are packed in {g.options['order']} order.")]
    if details.alone:
        what = "label with at least" if details.alone == 1 else "labels with at least"
        verb = "makes a group of its own" if details.alone == 1 else "make groups of their own"
        sentence = f"{details.alone:,} {what} k = {g.k:,} {unit} {verb}."
        steps.append(Step(details.alone, details.alone, sentence))
    bins = g.assignment[details.order[details.alone : details.placed]]
    ends = details.alone + np.flatnonzero(np.diff(bins, append=-1)) + 1
    stride = -(-len(ends) // MOST_STEPS) if len(ends) else 1
    for number in sorted({*range(stride - 1, len(ends), stride), len(ends) - 1} - {-1}):
        start = ends[number - 1] if number else details.alone
        level = int(weights[start : ends[number]].sum())
        group = details.alone + number + 1
        sentence = f"Group {group:,} is full with {level:,} {unit}, so the next label opens another."
        steps.append(Step(int(ends[number]), group, sentence))
    if details.placed < len(labels):
        steps += _leftover_steps(g, weights, unit)
    return tuple(steps)


def _label_after_label(labels: Labels, g: Generalization) -> tuple[Step, ...]:
    order, unit = g.details.order, labels.unit
    classes = g.assignment[order]
    opened = np.maximum.accumulate(classes) + 1  # classes are numbered as they were opened
    steps = [Step(0, 0, f"{len(labels):,} labels are packed: {g.details.method}.")]
    stride = -(-len(order) // MOST_STEPS)
    for placed in [*range(stride, len(order), stride), len(order)]:
        item, group = int(order[placed - 1]), int(classes[placed - 1])
        level = int(labels.counts[order[:placed][classes[:placed] == group]].sum())
        what = f"{labels.label(item)}, {int(labels.counts[item]):,} {unit}"
        opens = not (classes[: placed - 1] == group).any()
        does = f"opens group {group + 1:,}" if opens else f"joins group {group + 1:,}, which now holds {level:,}"
        steps.append(Step(placed, int(opened[placed - 1]), f"{what}, {does}."))
    return tuple(steps)


def _leftover_steps(g: Generalization, weights: np.ndarray, unit: str) -> list[Step]:
    details = g.details
    rest = f"{int(weights[details.placed :].sum()):,} {unit} are left over: too few for a group of their own"
    if g.algorithm == "fold":
        number = int(details.leftover_classes[0]) + 1
        return [Step(len(weights), g.classes, f"{rest}, they join the smallest group, number {number:,}.")]
    levels = np.bincount(g.assignment[details.order[: details.placed]], weights[: details.placed], g.classes)
    fitting = 0
    for target, weight in zip(details.leftover_classes, weights[details.placed :], strict=True):
        if levels[target] + weight > levels.max():
            break
        levels[target] += weight
        fitting += 1
    steps = []
    if fitting:
        sentence = f"{rest}. {fitting:,} labels fit in below the largest group, each into the smallest at that moment."
        steps.append(Step(details.placed + fitting, g.classes, sentence))
    if details.placed + fitting < len(weights):
        others = len(weights) - details.placed - fitting
        sentence = f"{rest}. {others:,} labels fit nowhere below the largest group and are dealt out in turn."
        steps.append(Step(len(weights), g.classes, sentence))
    return steps
