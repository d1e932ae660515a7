"""The independent check that some areas, in an order, leave no way to keep all classes below a cap.

The states, what becomes of them and why nothing possible is lost: docs/proofs/regions/frontier.md. A state is a row of
several arrays; all states take a step at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

WORK = 8_000_000  # steps of states, above which a witness is refused
MOST_A_STEP = 1 << 17  # the same for one area
MOST_KEPT = 16_000  # states that may be kept, so that they stay within some 100 MB
STEP = 64  # what a step costs besides
ALIKE = 100  # states that are alike and none as good as another, above which a witness is refused
FINENESS = 2_000
WIDEST = 15  # areas that may wait for neighbours


class States(NamedTuple):
    """Of each state and each waiting area the part that it lies in, and the loads of that part."""

    part: np.ndarray  # (s, f) int8: the first waiting area of the same part
    most: np.ndarray  # (s, f) int64
    least: np.ndarray  # (s, f) int64
    excess: np.ndarray  # (s,) int64

    def at(self, rows: np.ndarray) -> States:
        """Some of the states."""
        return States(*(field[rows] for field in self))


class Question(NamedTuple):
    """What classes may weigh; `spare` is the most that all of them weigh above k, negative where that is not used."""

    k: int
    cap: int
    limit: int
    spare: int


def leave_no_way(weights: Sequence[int], near: list[list[int]], areas: tuple[int, ...], question: Question) -> bool:
    """Whether no state is left after one of the areas, within the work."""
    k, cap, limit, _ = question
    if not 0 < limit <= MOST_KEPT:
        return False
    come = {v: t for t, v in enumerate(areas)}
    last = [max([t, *(come[u] for u in near[v] if u in come)]) for t, v in enumerate(areas)]
    blank = np.zeros((1, 0), dtype=np.int64)
    states = States(blank.astype(np.int8), blank, blank, np.zeros(1, dtype=np.int64))
    waiting: list[int] = []
    work = WORK
    for t, v in enumerate(areas):
        around = [place for place, u in enumerate(waiting) if u in near[v]]
        steps = (len(states.part) + STEP) << len(around)
        work -= steps
        if work < 0 or steps > MOST_A_STEP or len(waiting) > WIDEST:
            return False
        stays = np.array([last[come[u]] > t for u in [*waiting, v]])
        rim = any(u not in come for u in near[v])
        found = list(_followers(states, weights[v], rim, around, stays, question))
        best = _best(States(*(np.concatenate(fields) for fields in zip(*found, strict=True))))
        if best is None:
            return False
        if not len(best.part):
            return True
        states = best
        waiting = [u for u, stay in zip([*waiting, v], stays, strict=True) if stay]
        grain = max(1, k // FINENESS)
        while len(states.part) > limit:
            work -= len(states.part)
            merged = _merged(states, grain)
            if len(merged.part) <= limit:
                states = merged
            elif work < 0 or grain > cap:
                return False
            grain *= 2
    return False


def _followers(
    states: States, weight: int, rim: bool, around: list[int], stays: np.ndarray, question: Question
) -> Iterator[States]:
    """The states after an area came, for each choice of the waiting areas around it whose parts it joins."""
    k, cap, _, spare = question
    count = len(states.part)
    first = states.part == np.arange(states.part.shape[1])  # one area of each part, so that loads count once
    over = np.maximum(states.least - k, 0)
    for which in range(1 << len(around)):
        chosen = [place for bit, place in enumerate(around) if which >> bit & 1]
        joined = np.zeros(states.part.shape, dtype=np.bool_)
        for place in chosen:
            joined |= states.part == states.part[:, place : place + 1]
        apart = [place for bit, place in enumerate(around) if not which >> bit & 1]
        once = joined & first
        least = weight + np.where(once, states.least, 0).sum(axis=1)
        most = np.full(count, k)
        if not rim:
            most = np.minimum(weight + np.where(once, states.most, 0).sum(axis=1), k)
        excess = states.excess
        if spare >= 0:
            excess = excess - np.where(once, over, 0).sum(axis=1) + np.maximum(least - k, 0)
        rows = np.flatnonzero(~joined[:, apart].any(axis=1) & (least <= cap) & ((spare < 0) | (excess <= spare)))
        new = np.int8(len(stays) - 1)
        part = np.column_stack([np.where(joined, new, states.part), np.full(count, new)])[rows]
        mosts = np.column_stack([np.where(joined, most[:, None], states.most), most])[rows]
        leasts = np.column_stack([np.where(joined, least[:, None], states.least), least])[rows]
        good = np.ones(len(rows), dtype=np.bool_)
        for place in np.flatnonzero(~stays).tolist():
            ended = ~(part[:, stays] == part[:, place : place + 1]).any(axis=1)
            good &= ~ended | (mosts[:, place] >= k)
        left = part[good][:, stays]
        for place in range(left.shape[1] - 1, -1, -1):
            left[:, place] = (left == left[:, place : place + 1]).argmax(axis=1)
        yield States(left, mosts[good][:, stays], leasts[good][:, stays], excess[rows][good])


def _best(states: States) -> States | None:
    """Of states that are alike, with equal parts and `most`, those to which no other is as good; None if too many.

    In the order of their loads the first of the alike is one of these. What it is as good as goes, and so on.
    """
    alike = np.column_stack([states.part, states.most])
    loads = np.column_stack([states.least, states.excess])
    order = np.lexsort([*loads.T[::-1], *alike.T])
    alike, loads = alike[order], loads[order]
    group = np.cumsum(np.concatenate([[0], (alike[1:] != alike[:-1]).any(axis=1)])) if len(order) else order
    left, kept = np.arange(len(order)), [order[:0]]
    while len(left):
        if len(kept) > ALIKE:
            return None
        new = np.concatenate([[True], group[left[1:]] != group[left[:-1]]])
        kept.append(left[new])
        leader = left[new][np.cumsum(new) - 1]
        left = left[~(loads[left] >= loads[leader]).all(axis=1)]
    return states.at(order[np.concatenate(kept)])


def _merged(states: States, grain: int) -> States:
    """One state for those with equal parts and loads in the same cells, which holds them all."""
    cells = np.column_stack([states.part, (states.least + states.most) // (2 * grain)])
    order = np.lexsort(cells.T)
    cells = cells[order]
    firsts = np.flatnonzero(np.concatenate([[True], (cells[1:] != cells[:-1]).any(axis=1)]))
    sorted_ = states.at(order)
    return States(
        sorted_.part[firsts],
        np.maximum.reduceat(sorted_.most, firsts),
        np.minimum.reduceat(sorted_.least, firsts),
        np.minimum.reduceat(sorted_.excess, firsts),
    )
