"""What two releases of the same items tell together, though each alone is k-anonymous.

A release gives the weight of each of its classes. Two releases cut the items into cells, one for each pair of classes
that share items, and who holds both knows the sums of cells along every class of either. Some cells follow from that:
see docs/proofs/release/intersection.md, whose names are used here.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import Generalization
from kanon_engine.registry import family_named
from kanon_engine.release import require_releasable
from kanon_engine.shown import Shown


@dataclass(frozen=True, eq=False, repr=False)
class Intersection(Shown):
    """What two releases of the same items tell together.

    Attributes
    ----------
    k : int
        The lesser k of the two: what both promise.
    unit : str
    cells : DataFrame
        One row for each pair of classes that share items: group and other_group (from 1, missing where a release
        leaves these items out), items, weight, low and high (the least and the most that the cell can weigh, as far as
        both releases together tell; missing where it may weigh k or more), exposed (together they show that it weighs
        less than k) and exact (and how much). Internal: it holds the very counts that would be exposed.
    digests : pair of str
        Of the two results.
    """

    k: int
    unit: str
    cells: pd.DataFrame
    digests: tuple[str, str]

    def _facts(self) -> dict[str, object]:
        return {"k": self.k, "parts": len(self.cells), "exposed": self.exposed, "exact": self.exact}

    @property
    def exposed(self) -> int:
        """How many cells are shown to weigh less than k."""
        return int(self.cells["exposed"].sum())

    @property
    def exact(self) -> int:
        """How many of these are told exactly."""
        return int(self.cells["exact"].sum())

    @property
    def single(self) -> int:
        """How many of these exact ones are single items."""
        return int((self.cells["exact"] & (self.cells["items"] == 1)).sum())

    @property
    def sentence(self) -> str:
        """What a person should know before both are published.

        Example
        -------
        >>> import kanon_engine as kanon
        >>> line = kanon.Regions(list("abc"), [3, 2, 3], [(0, 1), (1, 2)])
        >>> g = kanon.generalize(line, 5, "tree-split")
        >>> intersect(line, g, g).sentence
        'Both releases have the same groups: together their counts tell no more than one.'
        """
        if self.cells["group"].is_unique and self.cells["other_group"].is_unique:
            return "Both releases have the same groups: together their counts tell no more than one."
        least = f"k = {self.k:,}"
        if not self.exposed:
            return f"Together the two releases show no set of {self.unit} smaller than {least}."
        parts = "1 part" if self.exposed == 1 else f"{self.exposed:,} parts"
        have = "has" if self.exposed == 1 else "have"
        single = f", {self.single:,} of them single items" if self.single else ""
        return (
            f"Together the two releases show that {parts} of their groups {have} fewer {self.unit} than {least}: "
            f"{self.exact:,} of {self.exposed:,} exactly{single}. Only one of the two may be published."
        )


def intersect(instance: Any, g: Generalization, other: Generalization) -> Intersection:
    """What two releases of the same items tell together.

    It is assumed that people know which items lie in a class: areas and labels are public, rectangles have places on a
    map, records have values that others know. Counts of cells are then bounded by all that the two lists of class
    weights allow, and a cell is exposed when its greatest possible count is below the lesser k. The records of a table
    are looked up one by one, so that each cell of fewer than k is exposed.

    Parameters
    ----------
    instance : Regions, Points, Labels, Table or MetricSpace
    g, other : Generalization
        Made from this instance.

    Returns
    -------
    Intersection

    Raises
    ------
    InvalidInput
        A result of other data, or one that is not k-anonymous.

    Complexity
    ----------
    A search for bridges, and for each light cell on a cycle a maximum flow that ends at k.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> line = kanon.Regions(list("abcde"), [4, 2, 3, 2, 4], [(0, 1), (1, 2), (2, 3), (3, 4)])
    >>> one, two = (kanon.generalize(line, 5, name) for name in ("tree-split", "exact"))
    >>> one.assignment.tolist(), two.assignment.tolist()
    ([1, 1, 0, 0, 0], [0, 0, 0, 1, 1])
    >>> told = intersect(line, one, two).cells
    >>> told[told["exact"]].values.tolist()  # the area in the middle
    [[1, 1, 1, 3, 3, 3, True, True]]
    """
    for result in (g, other):
        if result.instance_digest != instance.digest or len(result.assignment) != len(instance):
            raise InvalidInput("The two releases must be of the same data, read in the same way; one is of other data.")
        require_releasable(result)
    k = min(g.k, other.k)
    pairs, numbers = np.unique(np.column_stack([g.assignment, other.assignment]), axis=0, return_inverse=True)
    numbers = numbers.reshape(-1)
    items = np.bincount(numbers, minlength=len(pairs))
    weights = np.zeros(len(pairs), dtype=np.int64)
    np.add.at(weights, numbers, instance.weights)
    if family_named(g.family).releases_records:
        bounds = {place: (weight, weight) for place, weight in enumerate(weights.tolist()) if weight < k}
    else:
        bounds = _bounds(pairs, weights, k)
    shown = (pairs >= 0).any(axis=1)  # what both leave out is in neither
    ends = [bounds.get(place) for place in np.flatnonzero(shown).tolist()]
    group, other_group = (pd.Series(side[shown] + 1).astype("Int64") for side in pairs.T)
    frame = pd.DataFrame(
        {
            "group": group.mask(group == 0),
            "other_group": other_group.mask(other_group == 0),
            "items": items[shown],
            "weight": weights[shown],
            "low": pd.array([None if end is None else end[0] for end in ends], dtype="Int64"),
            "high": pd.array([None if end is None else end[1] for end in ends], dtype="Int64"),
            "exposed": [end is not None for end in ends],
            "exact": [end is not None and end[0] == end[1] for end in ends],
        }
    )
    return Intersection(k, instance.unit, frame, (g.digest, other.digest))


def _bounds(pairs: np.ndarray, weights: np.ndarray, k: int) -> dict[int, tuple[int, int]]:
    """Least and greatest possible weight of each cell whose greatest is below k."""
    light = np.flatnonzero(weights < k).tolist()
    if not light:
        return {}
    import networkx as nx

    graph: nx.Graph = nx.Graph()
    graph.add_edges_from(((0, one), (1, two), {"cell": cell}) for cell, (one, two) in enumerate(pairs.tolist()))
    bridges = {graph.edges[edge]["cell"] for edge in nx.bridges(graph)}
    network = _Network(pairs, weights)
    found = {}
    for cell in light:
        weight = int(weights[cell])
        if cell in bridges:  # Theorem 1
            found[cell] = weight, weight
            continue
        more = network.largest_change(cell, up=True, enough=k - weight)
        if weight + more < k:
            found[cell] = weight - network.largest_change(cell, up=False, enough=weight), weight + more
    return found


class _Network:
    """Cells as edges between classes of one release and of the other, with weights that can be moved along cycles."""

    def __init__(self, pairs: np.ndarray, weights: np.ndarray) -> None:
        self.ends = [((0, one), (1, two)) for one, two in pairs.tolist()]
        self.weights: list[int] = weights.tolist()
        self.cells: dict[tuple[int, int], list[int]] = {}
        for cell, ends in enumerate(self.ends):
            for end in ends:
                self.cells.setdefault(end, []).append(cell)

    def largest_change(self, cell: int, up: bool, enough: int) -> int:
        """How much a cell can grow (or shrink) while all class weights stay and no cell becomes negative; to `enough`.

        Maximum flow by shortest augmenting paths (Theorem 2): along a path cells shrink and grow in turn, and the one
        that is asked about closes the cycle.
        """
        if enough == 0:
            return 0
        weights = self.weights.copy()
        start, goal = self.ends[cell][::-1] if up else self.ends[cell]
        moved = 0
        while moved < enough:
            path = self._path(start, goal, cell, weights)
            if path is None:
                break
            shrinking = path[0 if up else 1 :: 2]
            step = min([enough - moved, *(weights[one] for one in shrinking)])
            for one in path:
                weights[one] += step
            for one in shrinking:
                weights[one] -= 2 * step
            moved += step
        return moved

    def _path(self, start: Any, goal: Any, without: int, weights: list[int]) -> list[int] | None:
        """Cells of a shortest path on which those that are left from the other release's classes can shrink."""
        reached: dict[Any, int] = {start: -1}
        queue = deque([start])
        while queue:
            node = queue.popleft()
            for cell in self.cells[node]:
                if cell == without or (node[0] == 1 and weights[cell] == 0):
                    continue
                one, two = self.ends[cell]
                after = two if node == one else one
                if after in reached:
                    continue
                reached[after] = cell
                if after == goal:
                    return self._back(reached, start, goal)
                queue.append(after)
        return None

    def _back(self, reached: dict[Any, int], start: Any, goal: Any) -> list[int]:
        path, node = [], goal
        while node != start:
            path.append(reached[node])
            one, two = self.ends[path[-1]]
            node = two if node == one else one
        return path[::-1]
