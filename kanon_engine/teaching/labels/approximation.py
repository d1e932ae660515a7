"""Steps of the algorithms on labels with a proven ratio."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from kanon_engine.labels.five_halves import case_of, in_three_parts, three_parts, with_places_changed
from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing import Candidate, Packing, pack, packing_order, sorted_fold, sorted_packing
from kanon_engine.labels.packing_kernels import spread_leftovers
from kanon_engine.labels.relaxed_scheme import plan_of as relaxed_plan
from kanon_engine.labels.scheme import Plan, Tried, plan_of, types_tried
from kanon_engine.labels.two_approximation import candidates
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.run import Run
from kanon_engine.model.words import counted, number_text
from kanon_engine.teaching.labels import (
    MOST_LABELS,
    BinsState,
    begun,
    chosen,
    competing,
    lightest_of,
    named,
    packed_so_far,
    steps_of_labels,
    which_bin,
    whole,
)
from kanon_engine.teaching.step import NO_YES, Inequality, Step, StepQuestion, either, strides


def packing_of(labels: Labels, g: Generalization) -> Packing:
    """The full bins that this run had."""
    return pack(labels, g.k, packing_order(labels, str(g.options["order"]), Run(g.seed).generator()))


@steps_of_labels
def fold_steps(labels: Labels, items: Labels, g: Generalization) -> Iterator[Step]:
    """Next fit; all that is left over goes into the lightest bin together (Theorem 7).

    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels("abcdef", [12, 6, 5, 5, 5, 3])
    >>> for step in fold_steps(labels, kanon.generalize(labels, 10, "fold")):
    ...     print(step.text)
    6 labels wait in given order.
    1 label of at least k = 10 is a group of its own. lightest of these labels ≥ k: 12 ≥ 10.
    b (6) opens group 2, which waits for more labels. size of group 2 < k: 6 < 10.
    c (5) joins group 2, which is full and closed. size of group 2 ≥ k: 11 ≥ 10.
    d (5) opens group 3, which waits for more labels. size of group 3 < k: 5 < 10.
    e (5) joins group 3, which is full and closed. size of group 3 ≥ k: 10 ≥ 10.
    3 records are left over, too few for a group; they join group 3, the lightest. records left over < k: 3 < 10.
    """
    packing = packing_of(items, g)
    yield from next_fit_steps(items, packing, g.k, f"in {g.options['order']} order")
    if packing.placed < len(items):
        yield folded_step(items, packing, g.k)


@steps_of_labels
def spread_steps(labels: Labels, items: Labels, g: Generalization) -> Iterator[Step]:
    """Next fit; the rest goes label by label into the lightest bin that stays below the largest, then in turn."""
    packing = packing_of(items, g)
    yield from next_fit_steps(items, packing, g.k, f"in {g.options['order']} order")
    if packing.placed == len(items):
        return
    targets = np.empty(len(items) - packing.placed, dtype=np.int64)
    spread_leftovers(packing.levels.copy(), packing.prefix, packing.placed - packing.alone, targets)
    bins = np.concatenate([bins_of(packing), targets])
    levels, largest, dealing = packing.levels.copy(), int(packing.levels.max()), False
    for number, end in strides(packing.placed, len(items), MOST_LABELS):
        inequality, question, note = None, None, ""
        for place in range(number, end):
            item, target = int(packing.order[place]), int(targets[place - packing.placed])
            weight, lightest = int(items.counts[item]), int(levels.min())
            if not dealing:
                if place == number:
                    prompt = f"{named(items, item)} is next. Which group gets it?"
                    question = which_bin(prompt, levels, lightest_of(levels))
                words = f"lightest group plus {items.label(item)} ≤ largest group"
                inequality = either(lightest + weight, "≤", largest, words)
                dealing = lightest + weight > largest
                if dealing:
                    note = (
                        " This label would make any group larger than the largest group is now, so from now on the "
                        "groups take labels in turn."
                    )
            levels[target] += weight
        what = named(items, item) if end == number + 1 else counted(end - number, "label")
        where = (
            f"group {target + 1:,}, the lightest" if not dealing or note else f"group {target + 1:,}, whose turn it is"
        )
        why = (
            f"Of the labels left over, {what} are packed. The last of them joins {where}."
            if end > number + 1
            else f"{what} joins {where}."
        )
        state = packed_so_far(items, packing.order, bins, end, g.k, cap=largest)
        yield Step(state, f"{why}{note}", inequality, question)


def bins_of(packing: Packing) -> np.ndarray:
    """The bin of each label that is in a full one, in packing order."""
    return np.repeat(np.arange(len(packing.sizes)), packing.sizes)


def next_fit_steps(labels: Labels, packing: Packing, k: int, how: str) -> Iterator[Step]:
    """From the start to the full bins: heavy labels alone, then label by label, or several bins at a time."""
    order, alone, bins = packing.order, packing.alone, bins_of(packing)
    room = max(len(packing.sizes), 1)
    yield begun(labels, order, k, room, f"{counted(len(labels), 'label')} wait {how}.")
    if alone:
        what = "label of at least k" if alone == 1 else "labels of at least k"
        does = "is a group of its own" if alone == 1 else "are groups of their own"
        least = int(labels.counts[order[:alone]].min())
        question = StepQuestion("How many labels are groups of their own?", answers=(alone,), high=len(labels))
        enough = Inequality(least, "≥", k, "lightest of these labels ≥ k")
        state = packed_so_far(labels, order, bins, alone, k, room)
        yield Step(state, f"{alone:,} {what} = {k:,} {does}.", enough, question)
    ends = np.cumsum(packing.sizes)
    parts = strides(alone, packing.placed, MOST_LABELS)
    if packing.placed - alone > MOST_LABELS:  # bin by bin, or several bins at a time, instead of label by label
        begins = [0, *ends.tolist()]
        parts = [(begins[first], begins[last]) for first, last in strides(alone, len(ends), MOST_LABELS)]
    for start, end in parts:
        number = int(bins[end - 1])
        level = int(labels.counts[order[:end][bins[:end] == number]].sum())
        state = packed_so_far(labels, order, bins, end, k, room)
        inequality = either(level, "≥", k, f"size of group {number + 1:,} ≥ k")
        if end > start + 1:
            first = int(bins[start])
            several = f"Groups {first + 1:,} to {number + 1:,} are" if first < number else f"Group {number + 1:,} is"
            yield Step(state, f"{counted(end - start, 'label')} are packed: {several} full and closed.", inequality)
        else:
            yield _fallen(labels, packing, state, end, inequality)


def _fallen(labels: Labels, packing: Packing, state: object, end: int, inequality: Inequality) -> Step:
    """One label into the open bin."""
    bins, item = bins_of(packing), int(packing.order[end - 1])
    number = int(bins[end - 1])
    opens = end == 1 or bins[end - 2] != number
    full = inequality.sign == "≥"
    does = f"opens group {number + 1:,}" if opens else f"joins group {number + 1:,}"
    why = f"{named(labels, item)} {does}, which {'is full and closed' if full else 'waits for more labels'}."
    question: StepQuestion | None = None
    prompt = f"{named(labels, item)} is next."
    if not opens:
        question = StepQuestion(f"{prompt} Does this label fill group {number + 1:,} up to k?", NO_YES, (int(full),))
    elif number:
        question = which_bin(f"{prompt} Which group gets it?", packing.levels[:number], [number], new=True)
    return Step(state, why, inequality, question)


def folded_step(labels: Labels, packing: Packing, k: int) -> Step:
    """All that is left over goes into the lightest bin together, the first one if several are equally light."""
    left = len(labels) - packing.placed
    lightest = int(np.argmin(packing.levels))
    bins = np.concatenate([bins_of(packing), np.full(left, lightest)])
    rest = int(labels.counts[packing.order[packing.placed :]].sum())
    over, levels = f"{rest:,} {labels.unit} are left over", packing.levels
    return Step(
        packed_so_far(labels, packing.order, bins, len(labels), k),
        f"{over}, too few for a group; they join group {lightest + 1:,}, the lightest.",
        Inequality(rest, "<", k, f"{labels.unit} left over < k"),
        which_bin(f"{over}. Which group gets them?", levels, lightest_of(levels)),
    )


# ---------------------------------------------------------------------------------------------------------------------
# The two-approximation step by step: one packing for each number j of large labels alone, then the cheapest.
# ---------------------------------------------------------------------------------------------------------------------


MOST_CANDIDATES = 40  # candidates; if there are more, the first ones and those that are better


@steps_of_labels
def two_approximation_steps(labels: Labels, items: Labels, g: Generalization) -> Iterator[Step]:
    """One candidate after another, then the cheapest one label by label.

    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels("abcdef", [9, 9, 7, 7, 5, 4])
    >>> for step in list(two_approximation_steps(labels, kanon.generalize(labels, 10, "two-approximation")))[:3]:
    ...     print(step.why)
    6 labels: 4 are large (above k / 2 = 5), 2 are small.
    Fold, the most common labels first: the largest group holds 23 records.
    All labels in one group: the largest group holds 41 records. This packing is not better.
    """
    large = int((2 * items.counts > g.k).sum())
    small = len(items) - large
    sizes = f"{large:,} {_are(large)} large (above k / 2 = {number_text(g.k / 2)}), {small:,} {_are(small)} small"
    sentence = f"{counted(len(items), 'label')}: {sizes}."
    yield begun(items, items.descending, g.k, max(1, items.total // g.k), sentence)
    best: Candidate | None = None
    others = 0
    for tried, candidate in enumerate(candidates(items, g.k)):
        if tried < MOST_CANDIDATES or best is None or candidate.cost < best.cost:
            yield competing(items, candidate, best, g.k)
        else:
            others += 1
        if best is None or candidate.cost < best.cost:
            best = candidate
    if best is not None:
        yield from chosen(items, best, g.k, others=others)


def _are(many: int) -> str:
    return "is" if many == 1 else "are"


# ---------------------------------------------------------------------------------------------------------------------
# Five halves step by step: next fit, the cases of Theorem 9, and a comparison with Fold.
# ---------------------------------------------------------------------------------------------------------------------


CASES = {
    "1": "case 1: the label f weighs at most k / 2",
    "2.1": "case 2.1: the label f weighs more than k / 2, and the label x and the other labels left over reach k",
    "2.2": "case 2.2: the label f weighs more than k / 2, and the label x and the other labels left over stay below k",
    "oversize": "the case without x: the label f weighs more than k / 2, and each group is one label of at least k",
}
CASE_CHOICES = ("2 f ≤ k", "2 f > k, x + r ≥ k", "2 f > k, x + r < k", "2 f > k, there is no x")
CASE_QUESTION = (
    "f is the largest label left over, and r is the sum of the other labels left over. x is the largest label that is "
    "below k and in a group. Which case of Theorem 9 is this?"
)


@steps_of_labels
def five_halves_steps(labels: Labels, items: Labels, g: Generalization) -> Iterator[Step]:
    """Next fit on sorted labels; then the rest in three parts, or f and x trade places; or Fold.

    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels("abcd", [9, 9, 7, 1])
    >>> case, *rest = list(five_halves_steps(labels, kanon.generalize(labels, 10, "five-halves")))[3:]
    >>> for sentence in case.why.split(". "):
    ...     print(sentence)
    f is the largest label left over, and r is the sum of the other labels left over
    x is the largest label that is below k and in a group
    This is case 2.1: the label f weighs more than k / 2, and the label x and the other labels left over reach k.
    >>> case.inequality.text
    'x + r ≥ k: 10 ≥ 10'
    >>> for step in rest:
    ...     print(step.text)
    Labels f, c (7), and x, a (9), trade places, so both groups reach k. largest group < largest group of Fold: 16 < 26.
    The groups are numbered as in the result. largest group ≥ proven bound: 16 ≥ 16.
    """
    packing = sorted_packing(items, g.k)
    yield from next_fit_steps(items, packing, g.k, "with the most common first")
    case = case_of(items, g.k, packing)
    if case == "none":
        return
    yield _case_step(items, packing, g.k, case)
    folded = sorted_fold(items, packing)
    if case in ("2.2", "oversize"):
        yield folded_step(items, packing, g.k)
        return
    candidate = in_three_parts(items, g.k, packing) if case == "1" else with_places_changed(items, packing)
    if case == "1":
        step = _parted(items, packing, g.k, candidate)
    else:  # the largest label below k completes the bin of what is left over, whose largest label takes its place
        x, f = (named(items, int(packing.order[place])) for place in (packing.alone, packing.placed))
        state = packed_so_far(items, packing.order, candidate.bins, len(items), g.k)
        step = Step(state, f"Labels f, {f}, and x, {x}, trade places, so both groups reach k.")
    yield replace(step, inequality=either(candidate.cost, "<", folded.cost, "largest group < largest group of Fold"))
    if candidate.cost >= folded.cost:
        yield Step(
            whole(items, folded, g.k),
            "Fold costs no more, so its packing is the result: everything left over goes into the lightest group.",
            Inequality(folded.cost, "≤", candidate.cost, "largest group of Fold ≤ largest group of this packing"),
            StepQuestion("Fold puts all labels left over into the lightest group. Does this cost more?", NO_YES, (0,)),
        )


def _case_step(labels: Labels, packing: Packing, k: int, case: str) -> Step:
    """The case that applies, and for case 1 the parts of Lemma 8."""
    leftover = labels.counts[packing.order[packing.placed :]]
    state = packed_so_far(labels, packing.order, bins_of(packing), packing.placed, k)
    largest = int(leftover[0])
    inequality = Inequality(2 * largest, ">", k, "2 f > k")
    if case == "1":
        i, j = three_parts(leftover, k)
        state = replace(state, parts=(i, j - i, len(leftover) - j))
        inequality = Inequality(2 * largest, "≤", k, "2 f ≤ k")
    elif case in ("2.1", "2.2"):
        x, r = int(labels.counts[packing.order[packing.alone]]), int(leftover[1:].sum())
        inequality = either(x + r, "≥", k, "x + r ≥ k")
    more = " By Lemma 8, the labels left over can be cut into three parts of at most k / 2 each." if case == "1" else ""
    question = StepQuestion(CASE_QUESTION, CASE_CHOICES, (list(CASES).index(case),))
    x_is = (
        ", and r is the sum of the other labels left over. x is the largest label that is below k and in a group"
        if case in ("2.1", "2.2")
        else ""
    )
    why = f"f is the largest label left over{x_is}. This is {CASES[case]}.{more}"
    return Step(state, why, inequality, question)


def _parted(labels: Labels, packing: Packing, k: int, candidate: Candidate) -> Step:
    """Case 1: the three parts in the lightest bins, in the cheapest way."""
    parts = three_parts(labels.counts[packing.order[packing.placed :]], k)
    sums = [int(part.sum()) for part in np.split(labels.counts[packing.order[packing.placed :]], parts)]
    lightest = np.argsort(packing.levels, kind="stable")[:3].tolist()
    where = candidate.bins[packing.placed :]
    words = " and ".join(f"group {number + 1:,}" for number in sorted(set(where.tolist())))
    largest = int(packing.levels.max())
    levels = packing.levels[lightest]
    right = [n for n in lightest if _least(levels, lightest.index(n), sums, largest) == candidate.cost]
    prompt = "The parts go into the three lightest groups in the cheapest way. Which group may the first part join?"
    why = f"The cheapest way to put the parts into the three lightest groups is chosen: the parts join {words}."
    state = packed_so_far(labels, packing.order, candidate.bins, len(labels), k)
    return Step(state, why, None, which_bin(prompt, packing.levels, right))


def _least(levels: np.ndarray, first: int, parts: list[int], largest: int) -> int:
    """The smallest possible largest bin if the first part goes into this bin."""
    costs = []
    for second, third in product(range(len(levels)), repeat=2):
        after = levels.copy()
        np.add.at(after, [first, second, third], parts)
        costs.append(max(largest, int(after.max())))
    return min(costs)


# ---------------------------------------------------------------------------------------------------------------------
# The scheme and the relaxed scheme step by step: types of large labels, small labels added, light bins merged.
# ---------------------------------------------------------------------------------------------------------------------


MOST_NUMBERS_OF_BINS = 50  # numbers of bins whose types are shown; if there are more, those that are better


@steps_of_labels
def scheme_steps(labels: Labels, items: Labels, g: Generalization) -> Iterator[Step]:
    """For each number of bins: the type, the small labels, the merging (Theorem 10).

    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels("abcdef", [9, 9, 7, 7, 5, 4])
    >>> for step in list(scheme_steps(labels, kanon.generalize(labels, 10, "scheme")))[2:5]:
    ...     print(step.text)
    With 4 groups, the small labels cannot fill all groups, however the large labels are arranged within Fold's cost.
    With 3 groups, the cheapest arrangement of the large labels by rounded sizes uses 3 of the groups.
    The small labels are packed, each into the group that is lightest at that moment. lightest group ≥ k: 12 ≥ 10.
    """
    yield from _steps_of_plan(items, g, plan_of(g.k, float(g.options["epsilon"])), "k")


@steps_of_labels
def relaxed_scheme_steps(labels: Labels, items: Labels, g: Generalization) -> Iterator[Step]:
    """Like `scheme`, but bins below k stay if none is below (1 − ε) k (Theorem 11)."""
    yield from _steps_of_plan(items, g, relaxed_plan(g.k, float(g.options["epsilon"])), "(1 − ε) k")


def _steps_of_plan(labels: Labels, g: Generalization, plan: Plan, limit: str) -> Iterator[Step]:
    k = g.k
    large = int((labels.counts >= plan.epsilon * k).sum())
    words = f"{large:,} of {counted(len(labels), 'label')} are large (at least {float(plan.epsilon):g} × k = "
    words += f"{number_text(float(plan.epsilon * k))}). The large labels are packed by rounded sizes."
    yield begun(labels, labels.descending, plan.threshold, max(1, labels.total // k), words)
    best = sorted_fold(labels, sorted_packing(labels, k))
    yield competing(labels, best, None, plan.threshold)
    others = 0
    for number, tried in enumerate(types_tried(labels, k, Run(g.seed), plan, best.cost)):
        better = tried.made is not None and tried.made.cost < best.cost
        if number < MOST_NUMBERS_OF_BINS or better:
            yield from _tried(labels, plan, tried, large, best, limit)
        else:
            others += 1
        if tried.made is not None and better:
            best = tried.made
    left = (
        f" Other numbers of groups gave no better packing ({others:,} attempts that are not shown)." if others else ""
    )
    why = f"The cheapest packing is the result: {best.method}.{left}"
    bound = Inequality(best.cost, "≥", g.lower_bound, "largest group ≥ proven bound")
    yield Step(whole(labels, best, plan.threshold), why, bound)


def _tried(labels: Labels, plan: Plan, tried: Tried, large: int, best: Candidate, limit: str) -> Iterator[Step]:
    """One number of bins."""
    bins, floor = tried.bins, plan.threshold
    if tried.type is None:
        state = _placed(labels, tried, 0, floor)
        why = (
            f"With {counted(bins, 'group')}, the small labels cannot fill all groups, however the large labels are "
            "arranged within Fold's cost."
        )
        yield Step(state, why)
        return
    order = labels.descending
    state = _placed(labels, tried, large, floor)
    prompt = f"The large labels go into {counted(bins, 'group')} by rounded sizes. How many groups stay empty for now?"
    question = StepQuestion(prompt, answers=(bins - len(tried.type),), high=bins)
    why = (
        f"With {counted(bins, 'group')}, the cheapest arrangement of the large labels by rounded sizes uses "
        f"{len(tried.type):,} of the groups."
    )
    yield Step(state, why, None, question)
    if large < len(labels):
        levels = np.bincount(tried.places[:large], labels.counts[order[:large]], bins).astype(np.int64)
        first = int(order[large])
        prompt = f"{named(labels, first)} is the largest small label. Which group gets it?"
        lightest = int(tried.levels.min())
        yield Step(
            _placed(labels, tried, len(labels), floor),
            "The small labels are packed, each into the group that is lightest at that moment.",
            either(lightest, "≥", floor, f"lightest group ≥ {limit}"),
            which_bin(prompt, levels, lightest_of(levels)),
        )
    light = int((tried.levels < floor).sum())
    if tried.made is None:
        why = f"This packing does not count, because {counted(light, 'group')} would be below {limit}."
        yield Step(_placed(labels, tried, len(labels), floor), why)
        return
    merged = "merged as long as a group is below k" if light else f"each of at least {limit}"
    yield competing(labels, tried.made, best, floor, f"{counted(bins, 'group')}, {merged}")


def _placed(labels: Labels, tried: Tried, count: int, floor: int) -> BinsState:
    """The first labels, from the most common on, in the bins that the type gives them."""
    return packed_so_far(labels, labels.descending, tried.places, count, floor, tried.bins)
