"""The independent check of intervals: the order that the option names, its intervals, and that none are better."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.labels.instance import Labels
from kanon_engine.verification.check import Check

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization

MERGED = ", then merged as long as one fails a requirement"
WHOLE = re.compile(r"\s*[+-]?\d+\s*")


def intervals_are_best(labels: Labels, g: Generalization) -> Iterator[Check]:
    """Every claim of the algorithm `ordered` besides those of all packings."""
    by = g.options["by"]
    order = g.details.order.tolist()
    yield Check("order", order == _order(labels, by), f"all {len(order):,} labels stand in {by} order.")
    method = f"the best intervals by {by} order" + (MERGED if g.require else "")
    yield Check("method", g.details.method == method, f"the result is called “{g.details.method}”.")
    steps = np.diff(g.assignment[order])
    intervals = not labels.together and bool(((steps == 0) | (steps == 1)).all())
    yield Check("intervals", intervals, f"the {g.classes:,} classes are intervals of that order.")
    if g.require:
        return
    better = _possible(labels.counts[order].tolist(), g.k, g.cost - 1)
    found = "some" if better else "none"
    yield Check("best intervals", not better, f"of all partitions into intervals, {found} stay below {g.cost:,}.")


def _order(labels: Labels, by: str) -> list[int]:
    names = [str(name) for name in labels.names.tolist()]
    if by == "given":
        return list(range(len(names)))
    if by == "name":
        return sorted(range(len(names)), key=lambda place: names[place])
    numbers = [int(name) if WHOLE.fullmatch(name) else float(name) for name in names]
    return sorted(range(len(names)), key=lambda place: numbers[place])


def _possible(counts: list[int], k: int, cap: int) -> bool:
    """Whether intervals of k to the cap make up the whole: one pass over their ends."""
    upto = [0]
    for count in counts:
        upto.append(upto[-1] + count)
    good = [True]  # of each end, whether what is before it can be divided
    first, last, open_starts = 0, 0, 0  # good starts from `first` to before `last` make intervals of k to the cap
    for end in range(1, len(upto)):
        while upto[end] - upto[last] >= k:
            open_starts += good[last]
            last += 1
        while first < last and upto[end] - upto[first] > cap:
            open_starts -= good[first]
            first += 1
        good.append(open_starts > 0)
    return good[-1]
