"""What algorithms are given of a map on which people have wishes, and what becomes of their results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import shapely

from kanon_engine.errors import InvalidInput
from kanon_engine.model.requirement import Minimum
from kanon_engine.model.run import Outcome
from kanon_engine.regions.instance import CrossingDetails, Regions, edge_keys
from kanon_engine.regions.trees.forest import forest_of
from kanon_engine.regions.wishes.blocks import blocks
from kanon_engine.search.parts import parts_of, sums_of
from kanon_engine.validate import frozen

HANDLE_ALL = (
    "recombine",
    "exact",
)  # the algorithms that keep areas apart, and areas together that border no other of them


@dataclass(frozen=True, eq=False)
class Items(Regions):
    """Areas that stay together and border each other as one area, and no borders between blocks.

    Of the wishes what these borders do not grant: sets of items that stay together, each in several pieces, and sets of
    items kept apart in one block.

    Attributes
    ----------
    source : Regions
        The areas.
    item_of : (n,) int32 array
        The item of each area, numbered by their first area.
    joined : (j, 2) int32 array
        See `Blocks`.
    """

    source: Regions = field(kw_only=True, repr=False)
    item_of: np.ndarray = field(kw_only=True, repr=False)
    joined: np.ndarray = field(kw_only=True, repr=False)

    @cached_property
    def quotient(self) -> Regions:
        """The items, with those that stay together as one even where they do not border each other.

        Every class of items that keeps the wishes is a connected class of this graph, so that a lower bound here is
        one there.
        """
        if not self.together:
            return self
        return Regions(**_merged(self, self.bundles, self.edges))

    def restored(self, outcome: Outcome) -> Outcome:
        """The same outcome of the areas: the tree of items becomes one of areas, and spans each item by itself."""
        details: Any = outcome.details
        edges = self._edges_within
        ends = self.item_of[edges]
        inner = ends[:, 0] == ends[:, 1]
        within = forest_of(edges[inner], len(self.source), 1.0 + np.arange(int(inner.sum())))
        found = replace(
            details,
            tree=np.unique(np.concatenate([within, self._between(details.tree)]), axis=0),
            cut_edges=self._between(details.cut_edges),
            added_edges=self.source.added_edges,
        )
        if self.source.barriers:
            found = CrossingDetails(**vars(found), joined=self.joined)
        return replace(outcome, assignment=outcome.assignment[self.item_of], details=found)

    @property
    def _edges_within(self) -> np.ndarray:
        """The borders of the areas that lie in one block: both ends in one component of the items."""
        block = self.components[self.item_of]
        edges = self.source.edges
        return edges[block[edges[:, 0]] == block[edges[:, 1]]]

    def _between(self, pairs: np.ndarray) -> np.ndarray:
        """For each pair of neighbouring items the first border of areas between them."""
        edges = self._edges_within
        keys = edge_keys(self.item_of[edges], len(self))
        first = np.unique(keys, return_index=True)
        return edges[first[1][np.searchsorted(first[0], edge_keys(pairs, len(self)))]].reshape(-1, 2)


def prepared(regions: Regions, k: int, minima: Sequence[Minimum], algorithm: str) -> Regions:
    """What an algorithm is given in place of the areas: the items; the areas themselves where there are no wishes.

    Raises
    ------
    InvalidInput
        A wish that the algorithm cannot keep.
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
    together = [tuple(names[item] for item in sorted(own)) for own in pieces.values() if len(own) > 1]
    apart = []
    for members in regions.places(regions.apart):
        for number in np.unique(block[members]).tolist():
            own = sorted({int(item_of[place]) for place in members if block[place] == number})
            if len(own) > 1:
                apart.append(tuple(names[item] for item in own))
    if algorithm not in HANDLE_ALL:
        _require_simple(regions, algorithm, together, apart)
    return Items(
        **content,
        together=tuple(together),
        apart=tuple(apart),
        source=regions,
        item_of=frozen(item_of),
        joined=within.joined,
    )


def items_of(given: Regions) -> np.ndarray:
    """(n,) int: the item of each area of what an algorithm is given; areas that are no items are their own.

    Example
    -------
    >>> line = Regions("abc", [1, 2, 3], [(0, 1), (1, 2)], together=[("a", "b")])
    >>> items_of(line).tolist(), items_of(prepared(line, 1, (), "tree-split")).tolist()
    ([0, 1, 2], [0, 0, 1])
    """
    return given.item_of if isinstance(given, Items) else np.arange(len(given))


def _require_simple(regions: Regions, algorithm: str, together: list[Any], apart: list[Any]) -> None:
    others = " or ".join(HANDLE_ALL)
    if apart:
        raise InvalidInput(
            f"The algorithm {algorithm} cannot keep areas apart; choose {others}, or take that rule out."
        )
    if together:
        one, other = (regions.label(regions.place_of[name]) for name in together[0][:2])
        raise InvalidInput(
            f"The algorithm {algorithm} keeps areas together only where they border each other, and no border joins "
            f"{one} to {other}; choose {others}, or put the areas between them into the set as well."
        )


def _merged(regions: Regions, number: np.ndarray, edges: np.ndarray) -> dict[str, Any]:
    """Ids, weights, borders, shapes and second counts of the areas where those of one number are one."""
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
        for own in np.flatnonzero(sizes > 1).tolist():
            merged[own] = shapely.union_all(shapes[number == own])
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
