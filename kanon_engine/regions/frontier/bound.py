"""A lower bound on the largest class: no classes below it exist round those that are heaviest."""

from __future__ import annotations

import numpy as np

from kanon_engine.model.bound import Bound
from kanon_engine.regions.frontier.refutation import Refutation, Surroundings, ball, surroundings
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.trees.kernels import Graph
from kanon_engine.regions.trees.spanning_tree import neighbour_lists
from kanon_engine.regions.wishes.items import Items
from kanon_engine.search.parts import sums_of

NAME = "no way round"
WITNESS_WORK, WITNESS_STEP = 8_000_000, 1 << 17  # what the check does at most; it counts as `refuted` does
ALL_WORK = 60_000_000  # for an effort of 1: what all attempts do
LEVELS = ((300, 20), (1_000, 28), (3_000, 36), (8_000, 45), (16_000, 45))  # states that are kept; areas round a class
CENTRES = (24, 12, 6, 4, 3)  # how many classes are tried, the heaviest first
WHOLE = 200  # areas of a part that is tried as a whole, at most
ATTEMPT = 50  # what an attempt costs besides, for each pair of its areas
FINENESS = 1_000  # caps are not told apart by less than this part of the cost


def refutation_bound(
    regions: Regions, k: int, low: int, high: int, label: np.ndarray, effort: float = 1.0
) -> Bound | None:
    """The highest cap that some areas refute, of those from `low` to below `high`.

    First the cap one below `high` is tried, which would prove that no largest class is smaller, round the heaviest
    classes and for whole parts that are small; then lower ones, by halving. Then again with more states and more areas.
    Definition and proof: docs/proofs/regions/frontier.md.

    Parameters
    ----------
    regions : Regions
        Of `Items` that stay together the bound is one of `Items.quotient`, to which the witness refers.
    k : int
    low : int
        A lower bound, at least k.
    high : int
        The largest class that is known.
    label : (n,) int array
        The class of each area.
    effort : float
        How much is tried, as a multiple of the usual work; what is checked later does not depend on it.

    Returns
    -------
    Bound or None
        Above `low`, named "no way round"; the witness is the cap, one below the value, how many states are kept, and
        the positions of the areas in their order. None where there is none.

    Complexity
    ----------
    `ALL_WORK` times the effort, in ways to add an area to a state.

    Example
    -------
    A path of 5, 3, 3, 5 with k = 6 has two classes of 8, or one of 16.

    >>> path = Regions(range(4), [5, 3, 3, 5], [(0, 1), (1, 2), (2, 3)])
    >>> refutation_bound(path, 6, 6, 8, np.array([0, 0, 1, 1]))
    Bound(value=8, name='no way round', kind='checked', witness=(7, 300, 0, 1, 2, 3))
    """
    if isinstance(regions, Items) and regions.together:
        label = label[np.unique(regions.bundles, return_index=True)[1]]
        regions = regions.quotient
    search = _Search(regions, k, label, effort)
    best: Refutation | None = None
    for level in range(len(LEVELS)):
        top = high  # no cap from here on is tried with so many states
        cap = high - 1
        while low < top and (top == high or top - low > high // FINENESS) and search.left > 0:
            found = search.refuted(cap, level)
            if found is None:
                top = cap
            else:
                best, low = found, cap + 1
            cap = (low + top) // 2
    return None if best is None else Bound(best.cap + 1, NAME, witness=(best.cap, best.limit, *best.areas))


class _Search:
    """Attempts to refute a cap, round heavy classes and for small parts as a whole."""

    def __init__(self, regions: Regions, k: int, label: np.ndarray, effort: float) -> None:
        self.k = k
        self.graph = Graph(*neighbour_lists(regions.edges, len(regions)), regions.weights)
        self.part, self.totals = regions.components, regions.component_weights
        label = np.unique(label, return_inverse=True)[1]
        heaviest = np.argsort(-sums_of(regions.weights, label), kind="stable")[: max(CENTRES)]
        self.members = [np.flatnonzero(label == c) for c in heaviest.tolist()]
        self.left = round(ALL_WORK * effort)
        self.known: dict[tuple[int, int], Surroundings] = {}  # by class and size; whole parts by their number
        self.first = 0  # the class round which a cap was refuted last

    def refuted(self, cap: int, level: int) -> Refutation | None:
        """The first proof that is found with so many states and areas."""
        limit, size = LEVELS[level]
        count = min(CENTRES[level], len(self.members))
        centres = sorted(range(count), key=lambda c: (c != self.first, c))
        for c in centres:
            found = self._tried(c, size, cap, limit)
            if found is not None:
                self.first = c
                return found
        for part in dict.fromkeys(int(self.part[self.members[c][0]]) for c in centres):
            if size < int((self.part == part).sum()) <= WHOLE:
                found = self._tried(part, WHOLE, cap, limit)
                if found is not None:
                    return found
        return None

    def _tried(self, number: int, size: int, cap: int, limit: int) -> Refutation | None:
        """What the areas round a class prove, or a part as a whole."""
        if self.left <= 0:
            return None
        if (number, size) not in self.known:
            whole = size == WHOLE
            areas = np.flatnonzero(self.part == number) if whole else ball(self.graph, self._connected(number), size)
            self.known[number, size] = surroundings(self.graph, areas)
            self.left -= ATTEMPT * len(areas) ** 2
        places = self.known[number, size]
        total = int(self.totals[self.part[places.areas[0]]])
        spare = total - -(-total // cap) * self.k
        most = min(self.left, WITNESS_WORK)
        spare = spare if 0 <= spare < self.k else -1
        found, work = places.tried(self.k, cap, limit, spare, most, WITNESS_STEP)
        self.left -= work
        return found

    def _connected(self, number: int) -> np.ndarray:
        """The areas of a class that lie in one part with its first, which are all of them where it is connected."""
        members = self.members[number]
        return members[self.part[members] == self.part[members[0]]]
