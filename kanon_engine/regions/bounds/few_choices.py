"""Areas that have so few possible classes below a cap that they exclude each other."""

from __future__ import annotations

import numpy as np

from kanon_engine.model.bound import Bound
from kanon_engine.regions.bounds import few_choices_kernels as kernels
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.trees.kernels import Graph
from kanon_engine.regions.trees.spanning_tree import neighbour_lists

SETS = 64  # possible classes that an area may have to be counted among those with few
STEPS = 5_000  # areas and borders that may be looked at to list them
ALL_STEPS = 5_000_000  # the same for all areas together
COMPARED = 10_000_000  # members of possible classes that are compared in one attempt
WITNESS_STEPS = 100_000  # of the areas of a witness: the check does all of this again, in its own and slower way
WITNESS_COMPARED = 300_000
FIRST = 128  # the first step is this part of the bound
FINENESS = 1_000  # and the last one this part


def few_choices_bound(regions: Regions, k: int, low: int) -> Bound | None:
    """A cap below which some areas cannot all have a class: the largest class weighs more.

    When the possible sets of some areas exclude each other under a cap, the largest class is above it. What is
    possible, what excludes, and the proof: docs/proofs/regions/bounds.md, few choices; pieces of at most `REST` areas
    are looked at.

    The search tries caps above `low`, in steps that double while they succeed; then halves them. What an attempt needed
    is found by going back from the area without sets over those that struck its sets out; these areas alone are then
    tried with higher caps.

    Parameters
    ----------
    regions : Regions
        Every connected part weighs at least k.
    k : int
    low : int
        A lower bound, at least k; the search begins here.

    Returns
    -------
    Bound or None
        Above `low`, named "few choices"; the witness is T, one below the value, followed by the positions A in
        ascending order. None where there is none.

    Complexity
    ----------
    An attempt looks at most at about `ALL_STEPS` areas and borders and compares about `COMPARED` members of sets; there
    are O(log(`FINENESS` W / low)) attempts. Once areas with few sets are known, only these are looked at again.

    Example
    -------
    A town of 13 and three villages of 10 in a ring, k = 11, the villages 1 and 3 on either side of the town and
    neighbours themselves. Without the town each could only be with the village 0, as it must not be left alone.

    >>> ring = Regions(range(4), [10, 10, 13, 10], [(0, 1), (1, 2), (2, 3), (0, 3), (1, 3)])
    >>> few_choices_bound(ring, 11, 15)
    Bound(value=23, name='few choices', kind='checked', witness=(22, 1, 3))
    """
    search = _Search(regions, k)
    areas = np.arange(len(regions))
    high = regions.total  # no attempt is made from here on
    step = max(1, low // FIRST)
    best: tuple[int, np.ndarray] | None = None
    while step >= max(1, low // FINENESS) and low < high and len(areas):
        cap = min(low + step, high) - 1
        chosen, few = search.refuted(cap, areas, COMPARED)
        if chosen is None or search.refuted(cap, chosen)[0] is None:
            high = cap
            step //= 2
            areas = few if best is None else areas
        else:
            areas = few
            cap = search.highest(cap, high, chosen)
            best = cap, chosen
            low = cap + 1
            step = min(2 * step, max(1, (high - low) // 2))
    if best is None:
        return None
    cap, chosen = best
    for v in chosen.tolist():
        fewer = chosen[chosen != v]
        if search.refuted(cap, fewer)[0] is not None:
            chosen = fewer
    return Bound(cap + 1, "few choices", witness=(cap, *chosen.tolist()))


class _Search:
    """Attempts to refute a cap."""

    def __init__(self, regions: Regions, k: int) -> None:
        self.k = k
        self.graph = Graph(*neighbour_lists(regions.edges, len(regions)), regions.weights)
        self.steps = min(STEPS, ALL_STEPS // len(regions))
        self.keys = np.random.default_rng(0).integers(1 << 62, size=len(regions))

    def refuted(
        self, cap: int, areas: np.ndarray, compared: int = WITNESS_COMPARED
    ) -> tuple[np.ndarray | None, np.ndarray]:
        """Those of the areas whose possible sets exclude each other, None if no such were found; and who has few."""
        limits = kernels.Limits(self.k, cap, SETS, self.steps)
        members, ends, counted, spent = kernels.classes_around(self.graph, areas, limits)
        few = areas[counted >= 0]
        if (counted == 0).any():
            return areas[[int(np.argmax(counted == 0))]], few
        if len(few) == 0:
            return None, few
        sets = self._distinct(members, ends)
        choosers = few[np.argsort(counted[counted >= 0], kind="stable")]
        last, killer, time = kernels.exclude(sets, choosers, compared)
        if last < 0:
            return None, few
        chosen = _reasons(last, sets, killer, time)
        cheap = spent[np.isin(areas, chosen)].sum() <= WITNESS_STEPS
        return (chosen if cheap else None), few

    def highest(self, cap: int, high: int, chosen: np.ndarray) -> int:
        """The highest cap below `high` that these areas alone refute, searched from one that they do."""
        step = 1
        while step:
            higher = cap + step
            if higher < high and self.refuted(higher, chosen)[0] is not None:
                cap = higher
                step *= 2
            else:
                high = min(high, higher)
                step = min(step, high - cap) // 2
        return cap

    def _distinct(self, members: np.ndarray, ends: np.ndarray) -> kernels.Sets:
        """Each set once; sets are told apart by the sum of random keys, which wraps around."""
        sizes = np.diff(ends, prepend=0)
        once = np.sort(np.unique(np.add.reduceat(self.keys[members], ends - sizes), return_index=True)[1])
        kept = np.zeros(len(ends), dtype=np.bool_)
        kept[once] = True
        members, ends = members[np.repeat(kept, sizes)], np.cumsum(sizes[once])
        order = np.argsort(members, kind="stable")
        first = np.searchsorted(members[order], np.arange(len(self.keys) + 1))
        return kernels.Sets(members, ends, first, np.repeat(np.arange(len(ends)), sizes[once])[order])


def _reasons(last: int, sets: kernels.Sets, killer: np.ndarray, time: np.ndarray) -> np.ndarray:
    """The areas by which all sets of `last` were struck out: those that did it, what struck out theirs before, ..."""
    until = {int(last): len(time)}
    waiting = [int(last)]
    while waiting:
        v = waiting.pop()
        own = sets.slots[sets.first[v] : sets.first[v + 1]]
        for s in own[(killer[own] >= 0) & (time[own] < until[v])].tolist():
            u = int(killer[s])
            if until.get(u, -1) < time[s]:
                until[u] = int(time[s])
                waiting.append(u)
    return np.array(sorted(until), dtype=np.int64)
