"""Wishes for classes in addition to k: areas that stay together, areas kept apart, barriers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import shapely

from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import members_of
from kanon_engine.model.requirement import Minimum
from kanon_engine.model.run import Outcome
from kanon_engine.model.wishes import parts_of, sums_of
from kanon_engine.regions.instance import CrossingDetails, Regions, edge_keys
from kanon_engine.regions.trees import forest_of
from kanon_engine.validate import frozen

# the algorithms that keep areas apart, and that keep areas together even if they do not border each other
HANDLE_ALL = ("recombine", "exact")


@dataclass(frozen=True, eq=False)
class Items(Regions):
    """The areas with those that stay together and border each other merged into one, and without borders between
    blocks.

    It keeps the wishes that these borders do not ensure: sets of items that stay together, each in several pieces, and
    sets of items kept apart in one block.
    """

    source: Regions = field(kw_only=True, repr=False)  # the areas
    # (n,) int32: the item of each area, numbered by their first area
    item_of: np.ndarray = field(kw_only=True, repr=False)
    joined: np.ndarray = field(kw_only=True, repr=False)  # (j, 2) int32: see `Blocks`

    @cached_property
    def quotient(self) -> Regions:
        """The items, with those that stay together merged even if they do not border each other.

        Every class of items that satisfies the wishes is a connected class of this graph, so a lower bound here holds
        there.
        """
        if not self.together:
            return self
        return Regions(**_merged(self, self.bundles, self.edges))

    def restored(self, outcome: Outcome) -> Outcome:
        """The same outcome for the areas: the tree of items becomes one of areas, and spans each item by itself."""
        details: Any = outcome.details
        block, edges = self.components[self.item_of], self.source.edges
        edges = edges[block[edges[:, 0]] == block[edges[:, 1]]]
        ends = self.item_of[edges]
        inner = ends[:, 0] == ends[:, 1]
        within = forest_of(edges[inner], len(self.source), 1.0 + np.arange(int(inner.sum())))
        keys, first = np.unique(edge_keys(ends, len(self)), return_index=True)

        def between(pairs: np.ndarray) -> np.ndarray:
            """For each pair of neighboring items, the first border of areas between them."""
            return edges[first[np.searchsorted(keys, edge_keys(pairs, len(self)))]].reshape(-1, 2)

        result = replace(
            details,
            tree=np.unique(np.concatenate([within, between(details.tree)]), axis=0),
            cut_edges=between(details.cut_edges),
            added_edges=self.source.added_edges,
        )
        if self.source.barriers:
            result = CrossingDetails(**vars(result), joined=self.joined)
        return replace(outcome, assignment=outcome.assignment[self.item_of], details=result)


def prepared(regions: Regions, k: int, minima: Sequence[Minimum], algorithm: str) -> Regions:
    """The input of an algorithm in place of the areas: the items, or the areas themselves if there are no wishes.

    Raises `InvalidInput`: a wish that the algorithm cannot satisfy.
    """
    if not regions.wished:
        return regions
    within = blocks(regions, k, minima)
    block = within.block_of
    edges = regions.edges[block[regions.edges[:, 0]] == block[regions.edges[:, 1]]]
    item_of = parts_of(edges[regions.bundles[edges[:, 0]] == regions.bundles[edges[:, 1]]], len(regions))
    content = _merged(regions, item_of, edges)
    names = content["ids"]
    pieces: dict[int, set[int]] = {}
    for item, bundle in zip(item_of.tolist(), regions.bundles.tolist(), strict=True):
        pieces.setdefault(bundle, set()).add(item)
    together = [tuple(names[item] for item in sorted(items)) for items in pieces.values() if len(items) > 1]
    conflicts = []
    for members in regions.places(regions.apart):
        for number in np.unique(block[members]).tolist():
            items = sorted({int(item_of[place]) for place in members if block[place] == number})
            if len(items) > 1:
                conflicts.append(tuple(names[item] for item in items))
    if algorithm not in HANDLE_ALL:
        others = " or ".join(HANDLE_ALL)
        if conflicts:
            raise InvalidInput(
                f"The algorithm {algorithm} cannot keep areas apart; choose {others}, or remove that rule."
            )
        if together:
            one, other = (regions.label(regions.place_of[name]) for name in together[0][:2])
            raise InvalidInput(
                f"The algorithm {algorithm} keeps areas together only where they border each other, and no border "
                f"joins {one} to {other}; choose {others}, or add the areas between them to the set."
            )
    return Items(
        **content,
        together=tuple(together),
        apart=tuple(conflicts),
        source=regions,
        item_of=frozen(item_of),
        joined=within.joined,
    )


def items_of(instance: Regions) -> np.ndarray:
    """(n,) int: the item of each area in an algorithm's input; areas that are not merged are their own items.

    >>> line = Regions("abc", [1, 2, 3], [(0, 1), (1, 2)], together=[("a", "b")])
    >>> items_of(line).tolist(), items_of(prepared(line, 1, (), "tree-split")).tolist()
    ([0, 1, 2], [0, 0, 1])
    """
    return instance.item_of if isinstance(instance, Items) else np.arange(len(instance))


def _merged(regions: Regions, number: np.ndarray, edges: np.ndarray) -> dict[str, Any]:
    """Ids, weights, borders, shapes and second counts of the areas, with those of the same number merged."""
    firsts = np.unique(number, return_index=True)[1]
    sizes = np.bincount(number)
    names: Any = regions.names
    if sizes.max() > 1:
        others = [f" and {size - 1:,} other{'s' * (size > 2)}" if size > 1 else "" for size in sizes.tolist()]
        names = [regions.label(int(first)) + more for first, more in zip(firsts, others, strict=True)]
    pairs = number[edges]
    geometry = regions.geometry
    if geometry is not None and sizes.max() > 1:
        shapes = np.asarray(geometry, dtype=object)
        merged = shapes[firsts]
        for item in np.flatnonzero(sizes > 1).tolist():
            merged[item] = shapely.union_all(shapes[number == item])
        geometry = type(geometry)(merged, crs=geometry.crs)
    return {
        "ids": regions.ids[firsts],
        "weights": sums_of(regions.weights, number),
        "edges": pairs[pairs[:, 0] != pairs[:, 1]],
        "geometry": geometry,
        "columns": {name: sums_of(values, number) for name, values in regions.columns.items()},
        "unit": regions.unit,
        "names": names,
    }


FAR = 1 << 60


@dataclass(frozen=True)
class Blocks:
    """Connected sets of areas that no class leaves."""

    block_of: np.ndarray  # (n,) int32: the block of each area, numbered by their first area
    # (j, 2) int32: where barriers are crossed: in the order of joining, two neighbors on both sides of a barrier, the
    # first in the block that classes had to leave
    joined: np.ndarray


def blocks(regions: Regions, k: int, minima: Sequence[Minimum] = ()) -> Blocks:
    """The blocks of a map with barriers; its connected parts if there are none.

    When a block *stands*, which neighbor one that does not is joined to, and why: docs/proofs/regions/wishes.md.

    Complexity: O(e + f (f + d + n log n)) for f blocks that do not stand, of at most d neighbors each; O(f b) more for
        b blocks if areas that stay together are separated.

    A county of two areas with 3 people each, k = 5, between two others:

    >>> counties = [("a", "b"), ("c", "d"), ("e", "f")]
    >>> line = Regions("abcdef", [5, 5, 3, 1, 9, 9], [(i, i + 1) for i in range(5)], barriers=counties)
    >>> found = blocks(line, 5)
    >>> found.block_of.tolist(), found.joined.tolist()
    ([0, 0, 0, 0, 1, 1], [[2, 1]])
    """
    if not regions.barriers:
        return Blocks(regions.components, np.empty((0, 2), dtype=np.int32))
    inside: list[tuple[int, ...]] = [()] * len(regions)
    for number, members in enumerate(regions.places(regions.barriers)):
        for place in members:
            inside[place] += (number,)
    number_of = {sets: number for number, sets in enumerate(dict.fromkeys(inside))}
    side = np.array([number_of[sets] for sets in inside])
    edges = regions.edges[side[regions.edges[:, 0]] == side[regions.edges[:, 1]]]
    state = _JoinedBlocks(regions, parts_of(edges, len(regions)), k, minima)
    crossings = []
    while (failing := state.next_to_join()) is not None:
        crossings.append(state.join(failing))
    of_all = np.unique(state.block_of, return_index=True, return_inverse=True)
    rank = np.empty(len(of_all[0]), dtype=np.int32)
    rank[np.argsort(of_all[1])] = np.arange(len(rank))
    return Blocks(rank[of_all[2]], np.array(crossings, dtype=np.int32).reshape(-1, 2))


class _JoinedBlocks:
    """The blocks while they are joined; a block has the number of one of its first pieces."""

    def __init__(self, regions: Regions, piece: np.ndarray, k: int, minima: Sequence[Minimum]) -> None:
        self.block_of = piece.astype(np.int64)
        self.demands = [(regions.weights, k), *((regions.columns[each.column], each.m) for each in minima)]
        count = int(piece.max()) + 1
        self.members = dict(enumerate(members_of(piece)))
        self.sums = {
            each: [int(values[members].sum()) for values, _ in self.demands] for each, members in self.members.items()
        }
        sizes = Counter(regions.bundles.tolist())
        self.bundle_sizes = {bundle: size for bundle, size in sizes.items() if size > 1}
        self.bundles: dict[int, Counter[int]] = {each: Counter() for each in range(count)}
        for each, bundle in zip(piece.tolist(), regions.bundles.tolist(), strict=True):
            if bundle in self.bundle_sizes:
                self.bundles[each][bundle] += 1
        self.rivals: dict[int, Counter[int]] = {each: Counter() for each in range(count)}
        for number, places in enumerate(regions.places(regions.apart)):
            for place in places:
                self.rivals[int(piece[place])][number] += 1
        self.near: dict[int, dict[int, tuple[int, int]]] = {each: {} for each in range(count)}
        for u, v in regions.edges.tolist():
            a, b = int(piece[u]), int(piece[v])
            if a != b:
                self.near[a].setdefault(b, (u, v))
                self.near[b].setdefault(a, (u, v))
        self.failing = {each for each in self.members if not self.stands([each])}

    def next_to_join(self) -> int | None:
        """The lightest block that does not stand and has a neighbor."""
        left = [block for block in self.failing if self.near[block]]
        return min(left, key=self._rank) if left else None

    def _rank(self, block: int) -> tuple[int, int]:
        return self.sums[block][0], int(self.members[block][0])

    def stands(self, group: Iterable[int]) -> bool:
        """Whether these blocks, merged, could be partitioned as far as counting shows."""
        group = list(group)
        rivals: Counter[int] = sum((self.rivals[one] for one in group), Counter())
        classes = max(rivals.values(), default=1)
        enough = all(
            sum(self.sums[one][row] for one in group) >= classes * least for row, (_, least) in enumerate(self.demands)
        )
        return enough and not self._parted(group)

    def _parted(self, group: list[int]) -> list[int]:
        present: Counter[int] = sum((self.bundles[one] for one in group), Counter())
        return [bundle for bundle, size in present.items() if size < self.bundle_sizes[bundle]]

    def join(self, block: int) -> tuple[int, int]:
        """Join a block to its best neighbor; returns two areas on both sides of their border."""
        distance = self._distances(block)
        other = min(
            self.near[block],
            key=lambda one: (distance.get(one, FAR), self._whole(one), not self.stands([block, one]), *self._rank(one)),
        )
        u, v = self.near[block][other]
        crossing = (u, v) if self.block_of[u] == block else (v, u)
        self.block_of[self.members[other]] = block
        self.members[block] = np.sort(np.concatenate([self.members[block], self.members.pop(other)]))
        self.sums[block] = [one + two for one, two in zip(self.sums[block], self.sums.pop(other), strict=True)]
        self.bundles[block] += self.bundles.pop(other)
        self.rivals[block] += self.rivals.pop(other)
        for beyond, edge in self.near.pop(other).items():
            del self.near[beyond][other]
            if beyond != block:
                self.near[block][beyond] = self.near[beyond][block] = min(edge, self.near[block].get(beyond, edge))
        self.failing -= {block, other}
        if not self.stands([block]):
            self.failing.add(block)
        return crossing

    def _whole(self, block: int) -> bool:
        """Whether all areas of a block stay together, so that it is one class if it can be."""
        return len(self.members[block]) in self.bundles[block].values()

    def _distances(self, block: int) -> dict[int, int]:
        """The number of blocks between each other block and those this one must stay together with; empty if there are
        none."""
        parted = set(self._parted([block]))
        level = [one for one in self.members if one != block and parted & set(self.bundles[one])] if parted else []
        distance = dict.fromkeys(level, 0)
        while level:
            level = list(
                dict.fromkeys(two for one in level for two in self.near[one] if two != block and two not in distance)
            )
            distance |= dict.fromkeys(level, max(distance.values()) + 1)
        return distance
