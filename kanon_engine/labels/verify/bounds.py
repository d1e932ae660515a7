"""The independent check of what a bound's witness proves about labels."""

from __future__ import annotations

import math
from bisect import bisect_left
from itertools import accumulate

import numpy as np

from kanon_engine.labels.instance import Labels
from kanon_engine.labels.verify.cover import refuted

LISTED = 16  # labels of which every sum is looked at
HALVED = 40  # labels of whose halves every sum is looked at, where bits would be too many
MOST_BITS = 1 << 26  # of a table of sums, 8 MB
MOST_WORK = 1 << 33  # bits written


def proven(labels: Labels, k: int, name: str, witness: tuple[int, ...]) -> int | None:
    """What the witness proves under this name; None where the name is unknown or the witness is no witness."""
    counts = labels.counts.tolist()
    if any(type(place) is not int or place < 0 for place in witness):
        return None
    if name == "k" and witness == ():
        return k
    if name in ("heaviest label", "class of a label") and len(witness) == 1 and witness[0] < len(counts):
        if name == "heaviest label":
            return counts[witness[0]]
        others = counts[: witness[0]] + counts[witness[0] + 1 :]
        least = _least_sum(others, max(k - counts[witness[0]], 0))
        return None if least is None else counts[witness[0]] + least
    known = {"average class": 2, "crowded class": 3, "sum of labels": 2, "exact cover": 3}
    if known.get(name) != len(witness):
        return None
    most = _most(counts, k, *witness[-2:])
    if most is None:
        return None
    if name == "average class":
        return -(-sum(counts) // most)
    if name == "crowded class":
        return _crowded(counts, most, witness[0])
    if name == "exact cover":
        return witness[0] + 1 if refuted(counts, k, witness[0], most) else None
    least = _least_sum(counts, k)
    if least is None:
        return None
    most = min(most, sum(counts) // least)
    return _least_sum(counts, max(k, *counts, -(-sum(counts) // most)))


def _most(counts: list[int], k: int, excluded: int, middle: int) -> int | None:
    """The most classes: one for each label excluded; the others lack weight, or labels up to the middle."""
    if not excluded <= middle <= len(counts):
        return None
    descending = sorted(counts, reverse=True)
    dealt, after = descending[excluded:middle], sum(descending[middle:])
    left = sum(dealt) + after
    fewest = _fewest(dealt, k - after)
    return excluded + (left // k if fewest == 0 else min(left // k, len(dealt) // fewest))


def _crowded(counts: list[int], most: int, dealt: int) -> int | None:
    """The lightest labels that must come together when the heaviest are dealt out to so many classes."""
    if not 0 < dealt <= len(counts):
        return None
    return sum(sorted(counts, reverse=True)[dealt - -(-dealt // most) : dealt])


def _fewest(descending: list[int], missing: int) -> int:
    """How many of the labels it takes at least to reach what is missing."""
    return 0 if missing <= 0 else bisect_left(list(accumulate(descending)), missing) + 1


def _least_sum(counts: list[int], value: int) -> int | None:
    """The least sum of some of the counts that is at least `value`; None if there is none, or too much to look at.

    Either it is one count, or a sum of counts below `value`, in which every sum stays below twice the value.
    """
    if value <= 0:
        return 0
    light = [count for count in counts if count < value]
    found = [count for count in counts if count >= value]
    if len(light) <= LISTED:
        sums = {0}
        for count in light:
            sums |= {other + count for other in sums}
        return min([*found, *(other for other in sums if other >= value)], default=None)
    unit = math.gcd(*light)
    aim = -(-value // unit)
    if aim > MOST_BITS or aim * len(light) > MOST_WORK:
        return min([*found, *_least_of_halves(light, value)], default=None) if len(light) <= HALVED else None
    below, bits = (1 << aim) - 1, 1
    for count in light:
        bits |= bits << count // unit
        above = bits >> aim
        if above:
            found.append((aim + (above & -above).bit_length() - 1) * unit)
            bits &= below
    return min(found, default=None)


def _least_of_halves(counts: list[int], value: int) -> list[int]:
    """The least sum of some counts that is at least `value`, if there is one: each sum of one half, the least other."""
    halves = []
    for own in counts[::2], counts[1::2]:
        sums = np.zeros(1, dtype=np.int64)
        for count in own:
            sums = np.concatenate([sums, sums + count])
        halves.append(np.sort(sums))
    one, other = halves
    places = np.searchsorted(other, value - one)
    enough = places < len(other)
    found = one[enough] + other[places[enough]]
    return [int(found.min())] if len(found) else []
