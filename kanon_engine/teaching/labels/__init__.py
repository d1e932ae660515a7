"""Steps on labels: the state; the searches, and intervals of an order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import wraps

import numpy as np

from kanon_engine.labels.bounds import most_classes
from kanon_engine.labels.even_packing_kernels import EvenPacking, lowest_level_first
from kanon_engine.labels.instance import Labels, item_view
from kanon_engine.labels.ordered import EFFORT, order_of
from kanon_engine.labels.ordered_kernels import even_cuts, reachable
from kanon_engine.labels.packing import Candidate, bin_outcome, sorted_fold, sorted_packing
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.requirement import MERGED
from kanon_engine.model.words import counted
from kanon_engine.teaching.step import (
    NO_YES,
    NOT_AGAIN,
    NOTHING,
    Inequality,
    State,
    Step,
    StepQuestion,
    choice,
    either,
    incumbents,
    is_long,
    strides,
)

MOST_CHOICES = 40
MOST_LABELS = 90  # labels that are packed one by one; if there are more, several at a time


@dataclass(frozen=True)
class BinsState(State):
    """Bins, and the labels that wait."""

    waiting: np.ndarray  # (w,) int64: labels in no bin yet, in packing order
    bins: int  # bins to draw: 0 … bins - 1, some of them empty
    floor: int  # the level that every bin must reach
    cap: int | None = None  # the level that no bin should exceed at this point
    # sizes of the parts of the waiting labels that stay together, in order; empty if each label is on its own
    parts: tuple[int, ...] = ()


Maker = Callable[[Labels, Labels, Generalization], Iterable[Step]]


def steps_of_labels(make: Maker) -> Callable[[Labels, Generalization], Iterator[Step]]:
    """Steps as an algorithm yields them, from ``make(labels, items, result on the items)``.

    A state may hold the items that the algorithm packed; labels that stay together are then packed together. If the
    result's groups differ from those of the run, the last step says why.
    """

    @wraps(make)
    def steps(labels: Labels, g: Generalization) -> Iterator[Step]:
        state: BinsState | None = None
        for step in make(labels, *item_view(labels, g)):
            state = _of_labels(labels, step.state)
            yield replace(step, state=state)
        if state is None or not np.array_equal(state.assignment, g.assignment):
            yield _ending(g)

    return steps


def _of_labels(labels: Labels, state: BinsState) -> BinsState:
    if len(state.assignment) == len(labels):
        return state
    waiting = [np.flatnonzero(labels.item_of == item) for item in state.waiting.tolist()]
    sizes = [len(items) for items in waiting]
    parts = np.split(np.array(sizes, dtype=np.int64), np.cumsum(state.parts)[:-1]) if state.parts else []
    return replace(
        state,
        assignment=state.assignment[labels.item_of],
        waiting=np.concatenate([NOTHING, *waiting]),
        parts=tuple(int(part.sum()) for part in parts),
    )


def _ending(g: Generalization) -> Step:
    state = BinsState(g.assignment, NOTHING, g.classes, g.details.threshold)
    if getattr(g.details, "method", "").endswith(MERGED):
        why = (
            "Groups that failed a requirement joined other groups until all groups satisfied it. This leaves "
            f"{counted(g.classes, 'group')}."
        )
    elif g.status == "stopped":
        why = "The run was stopped; this is the best packing so far."
    else:
        why = "The groups are numbered as in the result."
    return Step(state, why, Inequality(g.cost, "≥", g.lower_bound, "largest group ≥ proven bound"))


def begun(labels: Labels, order: np.ndarray, floor: int, bins: int, why: str) -> Step:
    """Before anything is packed."""
    state = BinsState(np.full(len(labels), -1, dtype=np.int32), order.astype(np.int64), bins, floor)
    return Step(state, why)


def packed_so_far(
    labels: Labels, order: np.ndarray, bins: np.ndarray, count: int, floor: int, room: int = 0, cap: int | None = None
) -> BinsState:
    """The first labels of an order in their bins, the others waiting."""
    assignment = np.full(len(labels), -1, dtype=np.int32)
    assignment[order[:count]] = bins[:count]
    most = max(room, int(bins.max(initial=-1)) + 1)
    return BinsState(assignment, order[count:].astype(np.int64), most, floor, cap)


def which_bin(prompt: str, levels: np.ndarray, right: Iterable[int], new: bool = False) -> StepQuestion | None:
    """A question about one of some bins, the right ones and the lightest others; with `new`, also about a new bin.

    None if there is no choice.
    """
    correct = set(right)
    order = [number for number in np.argsort(levels, kind="stable").tolist() if number not in correct]
    room = MOST_CHOICES - len(correct) - new
    at = sorted({*list(correct)[:MOST_CHOICES], *order[: max(room, 0)]} | ({len(levels)} if new else set()))
    return choice(prompt, at, correct, lambda one: "a new group" if one == len(levels) else f"group {one + 1:,}")


def lightest_of(levels: np.ndarray) -> list[int]:
    """All bins that share the lowest level."""
    return np.flatnonzero(levels == levels.min()).tolist()


def named(labels: Labels, item: int) -> str:
    """A label and its count."""
    return f"{labels.label(item)} ({int(labels.counts[item]):,})"


# ---------------------------------------------------------------------------------------------------------------------
# Shared by algorithms in which packings compete: a packing as a step, and the best one label by label.
# ---------------------------------------------------------------------------------------------------------------------


def whole(labels: Labels, candidate: Candidate, floor: int) -> BinsState:
    """A candidate in the form of a result."""
    assignment = bin_outcome(candidate.order, candidate.bins, floor, candidate.method).assignment
    return BinsState(assignment, NOTHING, int(assignment.max()) + 1, floor)


def competing(labels: Labels, candidate: Candidate, best: Candidate | None, floor: int, words: str = "") -> Step:
    """A candidate compared with the best one so far."""
    name = words or candidate.method
    sentence = f"{words or name[0].upper() + name[1:]}: the largest group holds {candidate.cost:,} {labels.unit}."
    if best is None:
        return Step(whole(labels, candidate, floor), sentence)
    better = candidate.cost < best.cost
    return Step(
        whole(labels, candidate, floor),
        f"{sentence} {'This packing is the best so far.' if better else 'This packing is not better.'}",
        either(candidate.cost, "<", best.cost, "largest group < best so far"),
        StepQuestion(f"Next packing: {name}. Is its largest group below {best.cost:,}?", NO_YES, (int(better),)),
    )


def chosen(labels: Labels, candidate: Candidate, k: int, others: int = 0) -> Iterator[Step]:
    """The best candidate label by label, from the start; its groups are numbered as they are opened.

    `others` is the number of candidates without a step.
    """
    bins = bin_outcome(candidate.order, candidate.bins, k, candidate.method).assignment[candidate.order]
    room = int(bins.max()) + 1
    left = f" Packings that were no better and are not shown: {others:,}." if others else ""
    sentence = f"The best packing is shown again, label by label: {candidate.method}.{left}"
    yield begun(labels, candidate.order, k, room, sentence)
    levels = np.zeros(room, dtype=np.int64)
    opened = 0
    for start, end in strides(0, len(bins), MOST_LABELS):
        before = levels.copy()
        np.add.at(levels, bins[start:end], labels.counts[candidate.order[start:end]])
        number, item = int(bins[end - 1]), int(candidate.order[end - 1])
        question = None
        if end == start + 1:
            what = named(labels, item)
            does = f"opens group {number + 1:,}" if number >= opened else f"joins group {number + 1:,}"
            if opened:
                prompt = f"{what} is next. Which group gets it?"
                question = which_bin(prompt, before[:opened], [number], new=opened < room)
        else:
            what, does = counted(end - start, "label"), f"are packed, the last into group {number + 1:,}"
        level = either(int(levels[number]), "≥", k, f"size of group {number + 1:,} ≥ k")
        yield Step(packed_so_far(labels, candidate.order, bins, end, k, room), f"{what} {does}.", level, question)
        opened = int(bins[:end].max()) + 1


@steps_of_labels
def near_optimal_steps(labels: Labels, items: Labels, g: Generalization) -> Iterator[Step]:
    """The maximum number of bins, lowest level first (Graham 1969); then each better packing that was found."""
    bins = most_classes(items, g.k)[0]
    why = f"There can be at most {counted(bins, 'group')}, and the largest group holds at least {g.lower_bound:,}."
    yield begun(items, items.descending, g.k, bins, why)
    if not items.conflicts:
        yield from _lowest_level_first(items, g.k, bins)
    yield from _found(labels, g, "The first packing that the search found")


@steps_of_labels
def exact_steps(labels: Labels, items: Labels, g: Generalization) -> Iterator[Step]:
    """Fold on the sorted labels as an upper limit, then each better packing that was found, and the proof."""
    why = f"It is proven that the largest group holds at least {g.lower_bound:,}."
    yield begun(items, items.descending, g.k, most_classes(items, g.k)[0], why)
    folded = sorted_fold(items, sorted_packing(items, g.k))
    if not items.conflicts:
        yield competing(items, folded, None, g.k)
    yield from _found(labels, g, "The search found a packing", None if items.conflicts else folded.cost)


def _lowest_level_first(labels: Labels, k: int, bins: int) -> Iterator[Step]:
    """Each label, the most common first, into the lightest bin."""
    order = labels.descending
    weights = np.ascontiguousarray(labels.counts[order])
    bin_of, levels = np.empty(len(labels), dtype=np.int64), np.zeros(bins, dtype=np.int64)
    lowest_level_first(EvenPacking(weights, bin_of, levels))
    levels = np.zeros(bins, dtype=np.int64)
    for start, end in strides(0, len(labels), MOST_LABELS):
        before = levels.copy()
        np.add.at(levels, bin_of[start:end], weights[start:end])
        number, item = int(bin_of[end - 1]), int(order[end - 1])
        question, inequality = None, None
        if end == start + 1:
            why = f"{named(labels, item)} joins group {number + 1:,}, the lightest."
            question = which_bin(f"{named(labels, item)} is next. Which group gets it?", before, lightest_of(before))
            if bins > 1:
                words = f"size of group {number + 1:,} ≤ size of any other group"
                least = np.delete(before, number).min()
                inequality = Inequality(int(before[number]), "≤", int(least), words)
        else:
            why = f"{counted(end - start, 'label')} are packed, each into the group that is lightest at that moment."
        if end == len(labels):
            inequality = either(int(levels.min()), "≥", k, "lightest group ≥ k")
        yield Step(packed_so_far(labels, order, bin_of, end, k, bins), why, inequality, question)


def _found(labels: Labels, g: Generalization, first: str, ceiling: int | None = None) -> Iterator[Step]:
    """Each better packing of the search, as bins; a question before the last asks for the smallest possible."""
    solutions = list(incumbents(labels, g))
    first = f"{NOT_AGAIN} The search found a packing" if is_long(labels, g) else first
    for number, step in enumerate(solutions):
        solution = step.state.result
        how = getattr(solution.details, "method", "")
        begin = first if number == 0 else "The search found a better packing"
        why = f"{begin}: {counted(solution.classes, 'group')}, the largest with {solution.cost:,} {labels.unit}: {how}."
        question = step.question
        low = g.lower_bound
        if number == len(solutions) - 1 and g.cost == low and ceiling is not None and ceiling > low:
            prompt = f"Fold's largest group holds {ceiling:,}. How small can the largest group be?"
            question = StepQuestion(prompt, answers=(int(g.cost),), low=g.k, high=ceiling)
        state = BinsState(step.state.assignment, NOTHING, solution.classes, solution.details.threshold)
        yield replace(step, state=state, why=why, question=question)


# ---------------------------------------------------------------------------------------------------------------------
# Intervals of an order step by step: the least cap by binary search, then one interval after another.
# ---------------------------------------------------------------------------------------------------------------------


@steps_of_labels
def ordered_steps(labels: Labels, items: Labels, g: Generalization) -> Iterator[Step]:
    """Binary search between a cap that fails and one that works; with the least cap, the most even intervals.

    >>> import kanon_engine as kanon
    >>> ages = kanon.Labels([10, 20, 30, 40], [4, 3, 5, 6])
    >>> for step in list(ordered_steps(ages, kanon.generalize(ages, 6, "ordered")))[1:5]:
    ...     print(step.why)
    A cap of 11 works.
    A cap of 8 fails: after 2 labels, no interval of 6 to 8 records can follow.
    A cap of 10 fails: after 2 labels, no interval of 6 to 10 records can follow.
    In the most even division with a cap of 11, interval 1 ends with label 20.
    """
    order = order_of(items, str(g.options["by"]))
    weights = items.counts[order]
    prefix = np.concatenate([[0], np.cumsum(weights)])
    k, heaviest = g.k, int(weights.max())
    low, high = max(k, heaviest), min(items.total, 2 * (k - 1) + heaviest)
    sentence = (
        f"A cap is a limit on the size of every interval. The smallest possible cap is at least {low:,} {items.unit} "
        f"(k, or the count of the most common label) and at most {high:,}. Halving this range again and "
        "again finds this cap."
    )
    yield begun(items, order, k, max(1, items.total // k), sentence)
    while low < high:
        cap = (low + high) // 2
        step, works = _asked(items, order, prefix, k, cap)
        yield step
        low, high = (low, cap) if works else (cap + 1, high)
    yield from _cut(items, order, prefix, k, low)


def _asked(labels: Labels, order: np.ndarray, prefix: np.ndarray, k: int, cap: int) -> tuple[Step, bool]:
    """One cap: how far the labels can be cut into intervals between k and the cap."""
    good = np.empty(len(prefix), dtype=np.bool_)
    works = bool(reachable(prefix, k, cap, good))
    reached = int(np.flatnonzero(good)[-1])
    bins = _bins(prefix, k, cap, reached)
    sign = "=" if works else "<"
    sizes = f"{k:,} to {cap:,} {labels.unit}"
    words = "works" if works else f"fails: after {counted(reached, 'label')}, no interval of {sizes} can follow"
    step = Step(
        packed_so_far(labels, order, bins, reached, k, labels.total // k, cap),
        f"A cap of {cap:,} {words}.",
        Inequality(reached, sign, len(labels), f"labels in intervals {sign} all labels"),
        StepQuestion(f"Can all labels be cut into intervals of {sizes}?", NO_YES, (int(works),)),
    )
    return step, works


def _bins(prefix: np.ndarray, k: int, cap: int, reached: int) -> np.ndarray:
    """The interval of each of the first labels, as even as possible."""
    ends = np.empty(len(prefix), dtype=np.int64)
    count = even_cuts(prefix[: reached + 1], k, cap, EFFORT, ends)
    return np.repeat(np.arange(count), np.diff(ends[:count], prepend=0))


def _cut(labels: Labels, order: np.ndarray, prefix: np.ndarray, k: int, cap: int) -> Iterator[Step]:
    """The intervals of the least cap, from left to right."""
    bins = _bins(prefix, k, cap, len(labels))
    ends = np.flatnonzero(np.diff(bins, append=-1)) + 1
    levels = np.diff(prefix[ends], prepend=0)
    for last, number in strides(0, len(ends), MOST_LABELS):
        end = int(ends[number - 1])
        level = int(levels[number - 1])
        what = f"interval {number:,} ends" if number == last + 1 else f"intervals {last + 1:,} to {number:,} end"
        why = f"In the most even division with a cap of {cap:,}, {what} with label {labels.label(int(order[end - 1]))}."
        question = None
        if number == last + 1 and number < len(ends):
            start = int(ends[number - 2]) if number > 1 else 0
            most = int(np.searchsorted(prefix, prefix[start] + cap, side="right")) - 1
            prompt = (
                f"The smallest cap is {cap:,}. What is the largest number of labels that fit into interval {number:,}?"
            )
            question = StepQuestion(prompt, answers=(most - start,), high=len(labels))
        state = packed_so_far(labels, order, bins, end, k, len(ends), cap)
        yield Step(state, why, Inequality(level, "≤", cap, f"size of interval {number:,} ≤ cap"), question)
