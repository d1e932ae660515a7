"""What algorithms share in which packings compete: a packing as a step, and the best one label after label."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing import bin_outcome
from kanon_engine.labels.packing.candidate import Candidate
from kanon_engine.labels.steps import MOST_LABELS, NOTHING, BinsState, begun, named, packed_so_far, which_bin
from kanon_engine.model.step import NO_YES, Inequality, Question, Step
from kanon_engine.model.words import counted
from kanon_engine.stepping import stops


def whole(labels: Labels, made: Candidate, floor: int) -> BinsState:
    """A candidate as it would be as a result."""
    assignment = bin_outcome(made.order, made.bins, floor, made.method).assignment
    return BinsState(assignment, NOTHING, int(assignment.max()) + 1, floor)


def competing(labels: Labels, made: Candidate, best: Candidate | None, floor: int, words: str = "") -> Step:
    """A candidate beside the best one before it."""
    told = f"{words or made.method[0].upper() + made.method[1:]}: the largest group holds {made.cost:,} {labels.unit}."
    if best is None:
        return Step(whole(labels, made, floor), NOTHING, told)
    better = made.cost < best.cost
    sign = "<" if better else "≥"
    return Step(
        whole(labels, made, floor),
        NOTHING,
        f"{told} {'It is the best so far.' if better else 'It is no better.'}",
        Inequality(made.cost, sign, best.cost, f"largest group {sign} best so far"),
        Question(
            f"Next packing: {words or made.method}. Is its largest group below {best.cost:,}?", NO_YES, (int(better),)
        ),
    )


def chosen(labels: Labels, made: Candidate, k: int, others: int = 0) -> Iterator[Step]:
    """The best candidate label after label, from nothing; its groups are numbered as they are opened.

    `others` is how many candidates had no step.
    """
    bins = bin_outcome(made.order, made.bins, k, made.method).assignment[made.order]
    room = int(bins.max()) + 1
    left = f" {counted(others, 'packing')} that were no better have no step." if others else ""
    told = f"The best packing once more, label after label: {made.method}.{left}"
    yield begun(labels, made.order, k, room, told)
    levels = np.zeros(room, dtype=np.int64)
    start, opened = 0, 0
    for end in stops(0, len(bins), MOST_LABELS):
        before = levels.copy()
        np.add.at(levels, bins[start:end], labels.counts[made.order[start:end]])
        number, item = int(bins[end - 1]), int(made.order[end - 1])
        now = int(bins[:end].max()) + 1
        question = None
        if end == start + 1:
            what = named(labels, item)
            does = f"opens group {number + 1:,}" if number >= opened else f"joins group {number + 1:,}"
            if opened:
                prompt = f"{what} comes next. Which group gets it?"
                question = which_bin(prompt, before[:opened], [number], new=opened < room)
        else:
            what, does = counted(end - start, "label"), f"fall, the last into group {number + 1:,}"
        sign = "≥" if levels[number] >= k else "<"
        inequality = Inequality(int(levels[number]), sign, k, f"level of group {number + 1:,} {sign} k")
        state = packed_so_far(labels, made.order, bins, end, k, room)
        yield Step(state, NOTHING, f"{what} {does}.", inequality, question)
        start, opened = end, now
