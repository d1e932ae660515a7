"""Merges bins as long as one of them fails a requirement."""

from __future__ import annotations

import heapq
from dataclasses import replace
from typing import Any

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.labels.instance import LabelDetails, Labels
from kanon_engine.labels.packing import bin_outcome
from kanon_engine.model.generalization import members_of
from kanon_engine.model.requirement import MERGED, Holds
from kanon_engine.model.run import Outcome


def merge(labels: Labels, outcome: Outcome, algorithm: str, holds: Holds) -> Outcome:
    """A packing in which every bin satisfies the requirements; labels kept apart stay apart, intervals stay intervals.

    The lightest bin that fails is merged with the lightest other one; for intervals of an order, with the lighter
    neighbor. Each step leaves one bin fewer, so the steps end, at worst with one bin of all labels. That bin satisfies
    the requirements, or `checked_requirements` would have refused them. If labels are kept apart, the lightest bin that
    may join is taken.

    Raises
    ------
    InvalidInput
        Rules that keep labels apart leave a failing bin none to join. Whether another packing would work is unknown.

    Complexity: O(n + m log m) for m bins and one requirement; O(m n) where labels are kept apart or bins are intervals.
    """
    details: Any = outcome.details
    bins = dict(enumerate(members_of(outcome.assignment)))
    if algorithm == "ordered":
        groups = _merge_neighbors(labels, list(bins.values()), holds)
    elif labels.conflicts:
        groups = _merge_without_conflicts(labels, bins, holds)
    else:
        groups = _joined(labels, bins, holds)
    assignment = np.empty(len(labels), dtype=np.int32)
    for number, members in enumerate(groups):
        assignment[members] = number
    # details are about items; labels that stay together share a bin, so any of them says which
    items = np.empty(len(labels.items), dtype=np.int32)
    items[labels.item_of] = assignment
    method = f"{algorithm}{MERGED}" if isinstance(details, LabelDetails) else f"{details.method}{MERGED}"
    merged = bin_outcome(details.order, items[details.order], details.threshold, method)
    return replace(outcome, assignment=merged.assignment[labels.item_of], details=merged.details)


def _joined(labels: Labels, bins: dict[int, np.ndarray], holds: Holds) -> list[np.ndarray]:
    parts = {number: [current] for number, current in bins.items()}
    weight = {number: int(labels.counts[current].sum()) for number, current in bins.items()}
    good = {number: holds(current) for number, current in bins.items()}
    queue = [(weight[number], number) for number in bins]
    failing = [entry for entry in queue if not good[entry[1]]]
    heapq.heapify(queue)
    heapq.heapify(failing)
    while failing:
        heavy, light = heapq.heappop(failing)
        # outdated: the bin was merged or has grown since it was queued, or it holds by now
        if light not in parts or weight[light] != heavy or good[light]:
            continue
        current, other = (heavy, light), (heavy, light)
        # the lightest other bin, past the bin itself and outdated entries
        while other == current or other[1] not in parts or weight[other[1]] != other[0]:
            other = heapq.heappop(queue)
        parts[light] += parts.pop(other[1])
        weight[light] += other[0]
        good[light] = holds(np.concatenate(parts[light]))
        heapq.heappush(queue, (weight[light], light))
        # also if it holds now: then it is skipped when its turn comes
        heapq.heappush(failing, (weight[light], light))
    return [np.concatenate(current) for current in parts.values()]


def _merge_without_conflicts(labels: Labels, bins: dict[int, np.ndarray], holds: Holds) -> list[np.ndarray]:
    enemies: dict[int, set[int]] = {}
    for one, other in labels.conflicts:
        enemies.setdefault(one, set()).add(other)
        enemies.setdefault(other, set()).add(one)
    groups = sorted(bins.values(), key=lambda own: int(labels.counts[own].sum()))
    while True:
        # sorted by weight: the first that fails is the lightest, and so is the first that may join it
        place = next((place for place, own in enumerate(groups) if not holds(own)), None)
        if place is None:
            return groups
        own = groups.pop(place)
        barred = set().union(*(enemies.get(item, set()) for item in own.tolist()))
        free = next((place for place, other in enumerate(groups) if not barred & set(other.tolist())), None)
        if free is None:
            raise InvalidInput(
                f"The group of {labels.label(int(own[0]))} fails a requirement, and the rules that keep labels apart "
                "leave no group for it to join; remove rules, or require less.",
                parameter="require",
            )
        groups.append(np.concatenate([own, groups.pop(free)]))
        groups.sort(key=lambda own: int(labels.counts[own].sum()))


def _merge_neighbors(labels: Labels, intervals: list[np.ndarray], holds: Holds) -> list[np.ndarray]:
    weights = [int(labels.counts[interval].sum()) for interval in intervals]
    good = [holds(interval) for interval in intervals]
    while not all(good):
        place = min((place for place, fine in enumerate(good) if not fine), key=lambda place: (weights[place], place))
        adjacent = [other for other in (place - 1, place + 1) if 0 <= other < len(intervals)]
        first = min(place, min(adjacent, key=lambda other: (weights[other], other)))
        intervals[first : first + 2] = [np.concatenate(intervals[first : first + 2])]
        weights[first : first + 2] = [sum(weights[first : first + 2])]
        good[first : first + 2] = [holds(intervals[first])]
    return intervals
