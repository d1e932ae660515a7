"""Five halves step by step: next fit, the cases of Theorem 9, and Fold beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from kanon_engine.labels.five_halves import case_of, in_three_parts, with_places_changed
from kanon_engine.labels.five_halves.lemma8 import three_parts
from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing import Packing
from kanon_engine.labels.packing.candidate import Candidate, sorted_fold, sorted_packing
from kanon_engine.labels.steps import NOTHING, named, packed_so_far, steps_of_labels, which_bin
from kanon_engine.labels.steps.candidates import whole
from kanon_engine.labels.steps.filling import bins_of, folded_step, next_fit_steps
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.step import NO_YES, Inequality, Question, Step

CASES = {
    "1": "case 1: f weighs at most k / 2",
    "2.1": "case 2.1: f weighs more than k / 2, and x with all small ones left over reaches k",
    "2.2": "case 2.2: f weighs more than k / 2, and x with all small ones left over stays below k",
    "oversize": "f weighs more than k / 2, and every group is one label of at least k",
}
CHOICES = ("2 f ≤ k", "2 f > k, x + r ≥ k", "2 f > k, x + r < k", "2 f > k, no x")
ASKED = (
    "Of those left over f is the largest and r the sum of the others; x is the largest label below k in a group. Which "
    "case of Theorem 9 is this?"
)


@steps_of_labels
def five_halves(labels: Labels, items: Labels, g: Generalization) -> Iterator[Step]:
    """Next fit on sorted labels; then what is left over: in three parts, or f and x change places; or Fold.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels("abcd", [9, 9, 7, 1])
    >>> for step in list(five_halves(labels, kanon.generalize(labels, 10, "five-halves")))[3:]:
    ...     print(step.text)
    This is case 2.1: f weighs more than k / 2, and x with all small ones left over reaches k. x + r ≥ k: 10 ≥ 10.
    f, c (7), and x, a (9), change places: both groups reach k. largest group < largest group of Fold: 16 < 26.
    The groups are numbered as they are in the result. largest group ≥ proven bound: 16 ≥ 16.
    """
    packing = sorted_packing(items, g.k)
    yield from next_fit_steps(items, packing, g.k, "from the most common on")
    case = case_of(items, g.k, packing)
    if case == "none":
        return
    yield _case_step(items, packing, g.k, case)
    folded = sorted_fold(items, packing)
    if case in ("2.2", "oversize"):
        yield folded_step(items, packing, g.k)
        return
    made = in_three_parts(items, g.k, packing) if case == "1" else with_places_changed(items, packing)
    step = _parted(items, packing, g.k, made) if case == "1" else _changed(items, packing, g.k, made)
    sign = "<" if made.cost < folded.cost else "≥"
    yield replace(
        step, inequality=Inequality(made.cost, sign, folded.cost, f"largest group {sign} largest group of Fold")
    )
    if made.cost >= folded.cost:
        yield Step(
            whole(items, folded, g.k),
            NOTHING,
            "Fold costs no more than that, so its packing is the result: all that is left over in the lightest group.",
            Inequality(folded.cost, "≤", made.cost, "largest group of Fold ≤ largest group of this packing"),
            Question("Does Fold, with all that is left over in the lightest group, cost more?", NO_YES, (0,)),
        )


def _case_step(labels: Labels, packing: Packing, k: int, case: str) -> Step:
    """Which case it is, and of case 1 the parts of Lemma 8."""
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
        sign = "≥" if case == "2.1" else "<"
        inequality = Inequality(x + r, sign, k, f"x + r {sign} k")
    more = " Lemma 8 cuts what is left over into three parts of at most k / 2 each." if case == "1" else ""
    question = Question(ASKED, CHOICES, (list(CASES).index(case),))
    return Step(state, NOTHING, f"This is {CASES[case]}.{more}", inequality, question)


def _parted(labels: Labels, packing: Packing, k: int, made: Candidate) -> Step:
    """Case 1: the three parts on the lightest bins, the cheapest way."""
    parts = three_parts(labels.counts[packing.order[packing.placed :]], k)
    sums = [int(part.sum()) for part in np.split(labels.counts[packing.order[packing.placed :]], parts)]
    lightest = np.argsort(packing.levels, kind="stable")[:3].tolist()
    where = made.bins[packing.placed :]
    words = " and ".join(f"group {number + 1:,}" for number in sorted(set(where.tolist())))
    largest = int(packing.levels.max())
    right = [
        number
        for number in lightest
        if _least(packing.levels[lightest], lightest.index(number), sums, largest) == made.cost
    ]
    prompt = "The parts join the three lightest groups so that the largest stays smallest. Where may the first part go?"
    return Step(
        packed_so_far(labels, packing.order, made.bins, len(labels), k),
        NOTHING,
        f"Of all ways to put the parts onto the three lightest groups the cheapest is taken: they join {words}.",
        None,
        which_bin(prompt, packing.levels, right),
    )


def _least(levels: np.ndarray, first: int, parts: list[int], largest: int) -> int:
    """The largest bin at best when the first part goes to this one of some bins."""
    costs = []
    for second, third in product(range(len(levels)), repeat=2):
        after = levels.copy()
        np.add.at(after, [first, second, third], parts)
        costs.append(max(largest, int(after.max())))
    return min(costs)


def _changed(labels: Labels, packing: Packing, k: int, made: Candidate) -> Step:
    """Case 2.1: the largest label below k fills the bin of what is left over, whose largest takes its place."""
    x, f = int(packing.order[packing.alone]), int(packing.order[packing.placed])
    why = f"f, {named(labels, f)}, and x, {named(labels, x)}, change places: both groups reach k."
    state = packed_so_far(labels, packing.order, made.bins, len(labels), k)
    return Step(state, NOTHING, why)
