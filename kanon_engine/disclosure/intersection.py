"""What several releases of the same items reveal together, although each alone is k-anonymous.

A release gives the weight of each of its classes. Releases cut the items into cells, one for each choice of a class
from each that share items, and anyone with all releases knows the sums of cells along every class. Some cells follow
from that: for two releases see docs/proofs/release/intersection.md, for more docs/proofs/release/sums.md, whose names
are used here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.disclosure.figures import COUNT, Meaning, carried, figures_of
from kanon_engine.disclosure.small_counts import COLUMNS, Small, small_counts
from kanon_engine.disclosure.sums import atoms_of, class_rows, told
from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import get_family
from kanon_engine.model.words import listed
from kanon_engine.release import require_releasable
from kanon_engine.release.made import groups_released
from kanon_engine.release.released import LEAST
from kanon_engine.shown import Shown


@dataclass(frozen=True, eq=False, repr=False)
class Intersection(Shown):
    """What releases of the same items reveal together."""

    k: int  # the least k of them: what all promise
    unit: str
    # one row for each choice of classes that share items: group and other_group (from 1, missing if a release leaves
    # these items out), for more than two releases also group_3, group_4, …; items, weight, low and high (the least and
    # the most that the cell can weigh, as far as all releases together reveal; missing if it may weigh k or more),
    # exposed (together they show that it weighs less than k) and exact (and how much). Internal: it contains the very
    # counts that would be exposed
    cells: pd.DataFrame
    digests: tuple[str, ...]  # of the results
    left: int = 0  # cells of more than two releases that were not examined in full, because they are too many
    # one row for each second count from 1 to 10 (or below a smaller k) that together they show: count, without, where,
    # low, high, exact. Internal
    counts: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(COLUMNS)))
    counts_left: int = 0  # second counts of cells that were not examined in full, because they are too many

    def _facts(self) -> dict[str, object]:
        return {"k": self.k, "parts": len(self.cells), "exposed": self.exposed, "exact": self.exact}

    @property
    def exposed(self) -> int:
        """How many cells are shown to weigh less than k."""
        return int(self.cells["exposed"].sum())

    @property
    def exact(self) -> int:
        """How many of these are shown exactly."""
        return int(self.cells["exact"].sum())

    @property
    def single(self) -> int:
        """How many of these exact ones are single items."""
        return int((self.cells["exact"] & (self.cells["items"] == 1)).sum())

    @property
    def sentence(self) -> str:
        """What a person should know before both are published.

        >>> import kanon_engine as kanon
        >>> line = kanon.Regions(list("abc"), [3, 2, 3], [(0, 1), (1, 2)])
        >>> g = kanon.generalize(line, 5, "tree-split")
        >>> intersect(line, g, g).sentence
        'Both releases have the same groups: together their counts reveal no more than one release does.'
        """
        both, releases = (
            ("Both", "two releases") if len(self.digests) == 2 else ("All", f"{len(self.digests)} releases")
        )
        counts_sentence = f" {self._counts}" if len(self.counts) else ""
        if self.counts_left:
            counts_sentence += (
                f" {self.counts_left:,} values of second counts were not examined in full, because too many of them "
                "are linked."
            )
        if not counts_sentence and all(self.cells[name].is_unique for name in group_columns(len(self.digests))):
            return f"{both} releases have the same groups: together their counts reveal no more than one release does."
        least = f"k = {self.k:,}"
        left = (
            f" {self.left:,} parts of groups were not examined in full, because too many of them are linked."
            if self.left
            else ""
        )
        if not self.exposed:
            return f"Together the {releases} show no set of {self.unit} smaller than {least}.{counts_sentence}{left}"
        parts = "1 part" if self.exposed == 1 else f"{self.exposed:,} parts"
        have = "has" if self.exposed == 1 else "have"
        single = f" ({self.single:,} single {'item' if self.single == 1 else 'items'})" if self.single else ""
        one = (
            "Only one of the two may be published."
            if len(self.digests) == 2
            else "These releases must not all be published."
        )
        return (
            f"Together the {releases} show that {parts} of their groups {have} fewer than {least} {self.unit}; the "
            f"exact number is shown for {self.exact:,} of {self.exposed:,}{single}. {one}{counts_sentence}{left}"
        )

    @property
    def _counts(self) -> str:
        """What they show about second counts, if their sums are published."""
        names = list(dict.fromkeys(self.counts["count"]))
        many = "1 count" if len(self.counts) == 1 else f"{len(self.counts):,} counts"
        first = Small(self.counts, 0, False).sentence
        link = ":" if len(self.counts) == 1 else "; for example,"
        return (
            f"If the sums of {listed(names)} are published with the groups, they show {many} from 1 to "
            f"{min(self.k, LEAST) - 1}{link} {first}. These sums must not all be published."
        )


def group_columns(releases: int) -> list[str]:
    """The names of the cell columns with the groups of each release.

    >>> group_columns(2), group_columns(4)
    (['group', 'other_group'], ['group', 'other_group', 'group_3', 'group_4'])
    """
    return ["group", "other_group", *(f"group_{number}" for number in range(3, releases + 1))]


def intersect(
    instance: Any,
    g: Generalization,
    other: Generalization,
    *others: Generalization,
    carry: Sequence[str] | None = None,
) -> Intersection:
    """What two or more releases of the same items reveal together.

    It is assumed that people know which items are in a class: areas and labels are public, rectangles have places on a
    map, records have values that others know. The lists of class weights then bound the counts of cells, and a cell is
    exposed if its greatest possible count is below the least k. The records of a table are looked up one by one, so
    each cell of fewer than k is exposed.

    Guarantee: for two releases low and high are attained. For more they are valid, and a cell is exact if a combination
    of the releases' counts gives it (docs/proofs/release/sums.md).

    Parameters
    ----------
    instance : Regions, Points, Labels, Table or MetricSpace
    g, other, *others : Made from this instance.
    carry : sequence of str, optional
        Second counts of areas whose sums are published with each release; if None, all that were read and may be
        released with it.

    Raises
    ------
    InvalidInput : A result from different data, or one that is not k-anonymous.

    Complexity
    ----------
    For two releases a search for bridges, and for each light cell on a cycle a maximum flow that ends at k. For more
    an elimination and two linear programs for each light cell.

    >>> import kanon_engine as kanon
    >>> line = kanon.Regions(list("abcde"), [4, 2, 3, 2, 4], [(0, 1), (1, 2), (2, 3), (3, 4)])
    >>> one, two = (kanon.generalize(line, 5, name) for name in ("tree-split", "exact"))
    >>> one.assignment.tolist(), two.assignment.tolist()
    ([1, 1, 0, 0, 0], [0, 0, 0, 1, 1])
    >>> told = intersect(line, one, two).cells
    >>> told[told["exact"]].values.tolist()  # the area in the middle
    [[1, 1, 1, 3, 3, 3, True, True]]
    """
    results = (g, other, *others)
    for result in results:
        if result.instance_digest != instance.digest or len(result.assignment) != len(instance):
            raise InvalidInput(
                f"The {'two ' if len(results) == 2 else ''}releases must come from the same data, read in the same "
                "way; one comes from different data."
            )
        require_releasable(result)
    k = min(result.k for result in results)
    choices, numbers = atoms_of([result.assignment for result in results])
    weights = np.zeros(len(choices), dtype=np.int64)
    np.add.at(weights, numbers, instance.weights)
    countable = get_family(g.family).releases_records
    items = weights if countable else np.bincount(numbers, minlength=len(choices))  # a row may be several records
    intersection = cells_intersection(
        choices, items, weights, k, instance.unit, tuple(one.digest for one in results), countable
    )
    counts = _second_counts(instance, results, carry, min(k, LEAST))
    return intersection if counts is None else replace(intersection, counts=counts.evidence, counts_left=counts.left)


def _second_counts(
    instance: Any, results: Sequence[Generalization], carry: Sequence[str] | None, least: int
) -> Small | None:
    """The second counts from 1 to `least` - 1 that the sums of all releases show."""
    lacking = [name for name in carry or () if name not in instance.columns]
    if lacking:
        raise InvalidInput(
            f"There is no second count {lacking[0]!r}; the second counts are: {', '.join(instance.columns) or 'none'}."
        )
    sums = [carried(instance, g, carry) for g in results]
    names = dict.fromkeys(name for release_sums in sums for name in release_sums)
    if not names or least < 2:
        return None
    published = [
        figures_of(replace(groups_released(instance, g), name=f"release {number}"), instance, g, release_sums)
        for number, (g, release_sums) in enumerate(zip(results, sums, strict=True), start=1)
    ]
    return small_counts(published, {name: Meaning(COUNT) for name in names}, least, people=False)


def cells_intersection(
    choices: np.ndarray,
    items: np.ndarray,
    weights: np.ndarray,
    k: int,
    unit: str,
    digests: tuple[str, ...],
    countable: bool,
) -> Intersection:
    """What releases reveal about the cells into which they cut their items.

    Parameters
    ----------
    choices : (m, releases) int array
        The class of each release that a cell is in, -1 for what a release leaves out; each row once.
    items, weights : (m,) int64. How many items a cell has, and what they weigh.
    k, unit, digests : As in `Intersection`.
    looked_up : Whether records are released, so that readers can count cells and not only bound them.
    """
    left = 0
    if countable:
        bounds = {place: (weight, weight) for place, weight in enumerate(weights.tolist()) if weight < k}
    elif choices.shape[1] == 2:
        bounds = _bounds(choices, weights, k)
    else:
        atom_bounds = told(class_rows(choices), weights, k)
        low, high = atom_bounds.low.tolist(), atom_bounds.high.tolist()
        bounds = {place: (low[place], high[place]) for place in range(len(weights)) if 0 <= high[place] < k}
        left = atom_bounds.left
    visible = (choices >= 0).any(axis=1)  # what all leave out is in none
    ends = [bounds.get(place) for place in np.flatnonzero(visible).tolist()]
    groups = [pd.Series(side[visible] + 1).astype("Int64") for side in choices.T]
    frame = pd.DataFrame(
        {
            **{
                name: column.mask(column == 0)
                for name, column in zip(group_columns(choices.shape[1]), groups, strict=True)
            },
            "items": items[visible],
            "weight": weights[visible],
            "low": pd.array([None if end is None else end[0] for end in ends], dtype="Int64"),
            "high": pd.array([None if end is None else end[1] for end in ends], dtype="Int64"),
            "exposed": [end is not None for end in ends],
            "exact": [end is not None and end[0] == end[1] for end in ends],
        }
    )
    return Intersection(k, unit, frame, digests, left)


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
    bounds = {}
    for cell in light:
        weight = int(weights[cell])
        if cell in bridges:  # Theorem 1
            bounds[cell] = weight, weight
            continue
        more = network.largest_change(cell, up=True, enough=k - weight)
        if weight + more < k:
            bounds[cell] = weight - network.largest_change(cell, up=False, enough=weight), weight + more
    return bounds


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
            # the loop above raised them too, so twice the step lowers them by one step
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
                # the cell in question closes the cycle; a cell of weight 0 cannot shrink
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
