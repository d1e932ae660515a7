"""The independent check of wishes: areas that stay together, areas kept apart, barriers and where they are crossed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_engine.regions.instance import CrossingDetails, Regions
from kanon_engine.verification.check import Check
from kanon_engine.verification.sets import sets_kept

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization


class Ground:
    """The map as wishes leave it, worked out anew: which borders classes may cross, and what counts as one area.

    Attributes
    ----------
    block : list of int
        Of each area the first area of its block.
    joined : list of pairs
        Neighbours on both sides of a barrier that may be crossed.
    """

    def __init__(self, regions: Regions, g: Generalization) -> None:
        self.regions = regions
        self.near: list[list[int]] = [[] for _ in range(len(regions))]
        for a, b in regions.edges.tolist():
            self.near[a].append(b)
            self.near[b].append(a)
        place = {name: number for number, name in enumerate(regions.ids.tolist())}
        self.together = _joint([[place[name] for name in own] for own in regions.together])
        self.apart = [[place[name] for name in own] for own in regions.apart]
        counts = [(regions.weights.tolist(), g.k)]
        self.counts = counts + [(regions.columns[one.column].tolist(), one.m) for one in g.require]
        signs: list[tuple[int, ...]] = [()] * len(regions)
        for number, own in enumerate(regions.barriers):
            for name in own:
                signs[place[name]] += (number,)
        self.block, self.joined = self._blocks(signs)

    def _blocks(self, signs: list[tuple[int, ...]]) -> tuple[list[int], list[tuple[int, int]]]:
        pieces = dict(enumerate(_parts(self.near, lambda a, b: signs[a] == signs[b])))
        block = [0] * len(signs)
        for number, own in pieces.items():
            for v in own:
                block[v] = number
        around = {number: {block[u] for v in own for u in self.near[v]} - {number} for number, own in pieces.items()}
        weak = {number for number, own in pieces.items() if not self._stands(own)}
        joined = []
        while left := [number for number in weak if around[number]]:
            one = min(left, key=lambda number: self._rank(pieces[number]))
            other = self._partner(pieces, around, one)
            across = ((u, v) for u in pieces[one] for v in self.near[u] if block[v] == other)
            joined.append(min(across, key=sorted))
            for v in pieces[other]:
                block[v] = one
            pieces[one] |= pieces.pop(other)
            around[one] = (around[one] | around.pop(other)) - {one, other}
            for beside in around[one]:
                around[beside] = around[beside] - {other} | {one}
            weak = weak - {one, other} | (set() if self._stands(pieces[one]) else {one})
        for own in pieces.values():
            for v in own:
                block[v] = min(own)
        return block, joined

    def _partner(self, pieces: dict[int, set[int]], around: dict[int, set[int]], one: int) -> int:
        """The neighbour that a block which does not stand is joined to."""
        missing = {v for own in self.together if own & pieces[one] for v in own - pieces[one]}
        goals = [number for number, own in pieces.items() if missing & own] if missing else []
        steps = dict.fromkeys(goals, 0)
        for number in goals:  # it grows while it is read: nearer blocks come first
            for beside in around[number]:
                if beside != one and beside not in steps:
                    steps[beside] = steps[number] + 1
                    goals.append(beside)

        def merit(number: int) -> tuple[Any, ...]:
            whole = any(pieces[number] <= own for own in self.together)
            stands = self._stands(pieces[one] | pieces[number])
            return steps.get(number, len(pieces)), whole, not stands, self._rank(pieces[number])

        return min(around[one], key=merit)

    def _rank(self, own: set[int]) -> tuple[int, int]:
        return sum(self.counts[0][0][v] for v in own), min(own)

    def _stands(self, own: set[int]) -> bool:
        """Whether counting leaves room for a partition of these areas by themselves."""
        classes = max([1, *(len(own & set(rivals)) for rivals in self.apart)])
        enough = all(sum(values[v] for v in own) >= classes * least for values, least in self.counts)
        return enough and all(held <= own or not held & own for held in self.together)

    def edges(self) -> np.ndarray:
        """The borders within blocks."""
        edges = self.regions.edges
        block = np.array(self.block)
        return edges[block[edges[:, 0]] == block[edges[:, 1]]]

    def items(self, apart_too: bool) -> tuple[Regions, list[int]]:
        """Areas that stay together as one, where they border each other or everywhere; and the item of each area.

        Items are numbered by their first area.
        """
        held = {v: number for number, own in enumerate(self.together) for v in own}
        pieces = _parts(self.near, lambda a, b: a in held and held[a] == held.get(b))
        if apart_too:
            pieces = [own for own in pieces if not own & held.keys()] + self.together
        pieces.sort(key=min)
        item = [0] * len(self.regions)
        for number, own in enumerate(pieces):
            for v in own:
                item[v] = number
        weights = [sum(int(self.regions.weights[v]) for v in own) for own in pieces]
        columns = {
            name: [sum(int(values[v]) for v in own) for own in pieces] for name, values in self.regions.columns.items()
        }
        edges = [(item[a], item[b]) for a, b in self.edges().tolist() if item[a] != item[b]]
        return Regions(range(len(pieces)), weights, edges, columns=columns), item  # type: ignore[arg-type]


def kept(regions: Regions, g: Generalization, ground: Ground) -> Iterator[Check]:
    """A check for each kind of wish that there is."""
    classes = dict(zip(regions.ids.tolist(), g.assignment.tolist(), strict=True))
    yield from sets_kept(classes, regions.together, regions.apart, "areas")
    if regions.barriers:
        pairs = set(zip(ground.block, g.assignment.tolist(), strict=True))
        over = len(pairs) - g.classes
        found = f"sets with a barrier around: {len(regions.barriers):,}; crossings that need not be: {over:,}."
        yield Check("barriers", over == 0, found)


def crossings(g: Generalization, ground: Ground) -> Check:
    """The places where barriers may be crossed are those that the result records."""
    told = g.details.joined if isinstance(g.details, CrossingDetails) else np.empty(0)
    shape = told.dtype == np.int32 and told.shape == (len(ground.joined), 2)
    found = f"places at which barriers must be crossed: {len(ground.joined):,}."
    return Check("crossings", shape and told.tolist() == [list(pair) for pair in ground.joined], found)


def of_items(g: Generalization, item: Sequence[int]) -> Generalization:
    """The result as one of the items: what a class holds of an item it holds whole."""
    numbers = np.array(item)
    firsts = np.unique(numbers, return_index=True)[1]

    def between(pairs: np.ndarray) -> np.ndarray:
        ends = numbers[pairs].reshape(-1, 2)
        return ends[ends[:, 0] != ends[:, 1]].astype(np.int32)

    details = replace(g.details, tree=between(g.details.tree), cut_edges=between(g.details.cut_edges))
    return replace(g, assignment=np.ascontiguousarray(g.assignment[firsts]), details=details)


def _joint(sets: Iterable[Iterable[int]]) -> list[set[int]]:
    """Sets that share an element as one."""
    found: list[set[int]] = []
    for own in map(set, sets):
        near = [other for other in found if other & own]
        found = [other for other in found if not other & own] + [own.union(*near)]
    return found


def _parts(near: list[list[int]], passes: Any) -> list[set[int]]:
    """The sets of areas that are joined by borders which may be passed, by their first areas."""
    left, parts = set(range(len(near))), []
    for first in range(len(near)):
        if first in left:
            part, waiting = {first}, [first]
            while waiting:
                v = waiting.pop()
                fresh = [u for u in near[v] if u not in part and passes(v, u)]
                part.update(fresh)
                waiting += fresh
            left -= part
            parts.append(part)
    return parts
