"""So many classes within a cap: a part of the map is halved until a search can look at nearly all ways."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kanon_engine.regions.frontier import classes_between, order_of
from kanon_engine.regions.frontier.refutation import part_of
from kanon_engine.regions.recombine.halving_kernels import FIRST, STAMP, Halves, Wish, halve, weigh_out
from kanon_engine.regions.recombine.subset_kernels import scratch
from kanon_engine.regions.trees.kernels import Graph

LEAF, MOST = 30, 40  # areas of a piece that is not halved again, and of one that a frontier is tried on, at most
STATES, ALIKE, ORDERS = 3_000, 4, 6  # of the frontier: kept after an area, of those that are alike, orders tried
BEGINNINGS, STEPS_PER_AREA = 5, 200  # walks that a cut is tried with, and their steps
HEATS = 0.2, 0.5, 1.0  # temperatures of walks, in areas
STIFF, LOOSE = 1.0, 0.5  # stiffness of walks that halve a piece, and of those that cut off a class
SHARE = 0.3  # how much of its part of the slack a half may have more or less
TIGHT, CUTS = 0.02, 10  # slack, in areas, below which classes are cut off each other only, and how often that is tried
TRIES = 10  # walks after which a piece stays whole at first
FEW, WIDE = 4, (1.4, 2.2)  # pieces made anew together: their classes, and leaves' worth of areas, at least
MIXED = 0.5  # how often they are two at least
WORSE = 0.02  # how often fewer classes are taken
TRY = 2_000  # work of a try that ends at once
CHEAP = 8  # steps of a walk that cost as much as a state


@dataclass(frozen=True)
class Piece:
    """A connected part of the map.

    Attributes
    ----------
    members : (n,) int64 array
    count : int
        How many classes it shall have.
    """

    members: np.ndarray
    count: int


def most_classes(
    graph: Graph,
    members: np.ndarray,
    count: int,
    k: int,
    cap: int,
    work: int,
    generator: np.random.Generator,
    goes_on: Callable[[float], bool],
) -> tuple[list[np.ndarray] | None, int]:
    """So many classes of a connected part of the map, each of weight k to a cap, if they are found.

    Guarantee: those that are found are so. Proof: docs/proofs/regions/recombine.md.

    The part is halved again and again, so that each half has room for its share of the classes: random moves over the
    border end as soon as the weight fits, and now and then sets of moves are looked at for one that makes it fit
    (`subset_kernels`). For pieces of some `LEAF` areas `classes_between` looks for the classes; where there is hardly
    any slack, cuts alone do. A piece without them is joined with pieces next to it, halved elsewhere and tried again,
    as often as the work allows; what was found meanwhile stays as it is elsewhere. So the pieces without classes move
    about and become fewer.

    Parameters
    ----------
    graph : Graph
    members : (n,) int64 array
        The areas of the part.
    count : int
        At most their weight over k, at least their weight over the cap.
    k, cap : int
    work : int
        How much may be tried, in ways to add an area to a state.
    generator : Generator
    goes_on : callable
        ``goes_on(share)``: asked now and then, with the share of the work that is done.

    Returns
    -------
    list of int64 arrays or None
        The areas of each class.
    int
        The work done.

    Example
    -------
    >>> path = Graph(np.array([0, 1, 3, 5, 6]), np.array([1, 0, 2, 1, 3, 2]), np.array([3, 1, 1, 3]))
    >>> generator = np.random.default_rng(0)
    >>> classes, _ = most_classes(path, np.arange(4), 2, 4, 4, 10**5, generator, lambda _: True)
    >>> [own.tolist() for own in classes]
    [[0, 1], [2, 3]]
    """
    search = _Search(graph, k, cap, generator)
    pieces = [made for piece in search.pieces(Piece(members, count)) for made in search.classes(piece)]
    areas_a_class = len(members) / count
    search.number(pieces)
    while any(piece.count > 1 for piece in pieces):
        if search.work >= work or not goes_on(search.work / work):
            return None, search.work
        chosen = search.neighbourhood(pieces, areas_a_class)
        old = [pieces[place] for place in chosen]
        whole = Piece(np.concatenate([piece.members for piece in old]), sum(piece.count for piece in old))
        halves = search.halved(whole) if whole.count > 2 else None
        new = [made for half in halves for made in search.classes(half)] if halves else old
        search.work += TRY
        if _missing(new) > _missing(old) and generator.random() >= WORSE:
            continue
        left = set(range(len(pieces))).difference(chosen)
        pieces = [pieces[place] for place in sorted(left)] + new
        search.number(pieces)
    return [piece.members for piece in pieces], search.work


def _missing(pieces: list[Piece]) -> int:
    """How many classes more they shall have."""
    return sum(piece.count - 1 for piece in pieces)


class _Search:
    """Walks and frontiers on pieces of a graph, and what they cost."""

    def __init__(self, graph: Graph, k: int, cap: int, generator: np.random.Generator) -> None:
        self.graph, self.k, self.cap, self.generator = graph, k, cap, generator
        self.work = 0
        numbers = np.zeros(1, dtype=STAMP).view(np.recarray)[0]
        label, best, mark, waiting = (np.zeros(len(graph.weights), dtype=np.int64) for _ in range(4))
        random = generator.integers(1, 1 << 63, 1, dtype=np.uint64)
        self._halves = Halves(label, best, mark, waiting, numbers, random)
        self._subsets = scratch()
        self._place = np.full(len(label), -1)

    def weight(self, piece: Piece) -> int:
        """Of all its areas."""
        return int(self.graph.weights[piece.members].sum())

    def pieces(self, whole: Piece) -> list[Piece]:
        """It in halves of halves, as small as a frontier can be tried on, or with room for two classes."""
        if whole.count > 2 and len(whole.members) > LEAF:
            for _ in range(TRIES):
                halves = self.halved(whole)
                if halves:
                    return [piece for half in halves for piece in self.pieces(half)]
        return [whole]

    def halved(self, whole: Piece) -> tuple[Piece, Piece] | None:
        """Two halves that share its classes and what it weighs above k times as many."""
        count = 1 if whole.count == 3 else (whole.count + int(self.generator.integers(2))) // 2
        slack = self.weight(whole) - whole.count * self.k
        fine = max(int(SHARE * slack * min(count, whole.count - count) / whole.count), 1)
        return self._cut(whole, count, count * self.k + slack * count // whole.count, fine, STIFF)

    def classes(self, piece: Piece) -> list[Piece]:
        """Its classes, or some of them and what has none."""
        if piece.count == 1:
            return [piece]
        weight = self.weight(piece)
        slack = weight - piece.count * self.k
        if slack * len(piece.members) < TIGHT * weight:
            return self._cut_apart(piece)
        if len(piece.members) <= MOST:
            part = part_of(self.graph, piece.members)[0]
            answer = classes_between(
                part,
                self.k,
                self.cap,
                least=piece.count,
                limit=STATES,
                beam=True,
                order=order_of(part, ORDERS, self.generator),
                generator=self.generator,
                chain=ALIKE,
            )
            self.work += answer.states
            if answer.labels is None:
                return [piece]
            return [Piece(piece.members[answer.labels == own], 1) for own in range(int(answer.labels.max()) + 1)]
        share = slack // piece.count
        halves = self._cut(piece, 1, self.k + share, slack - share if piece.count == 2 else share // 2, LOOSE)
        return [halves[0], *self.classes(halves[1])] if halves else [piece]

    def _cut_apart(self, piece: Piece) -> list[Piece]:
        """Its classes, or some of them and what has none, by cuts alone, each anywhere where both sides have slack."""
        if piece.count == 1:
            return [piece]
        best, count, slack = [piece], piece.count // 2, self.weight(piece) - piece.count * self.k
        for _ in range(CUTS):
            halves = self._cut(piece, count, count * self.k + slack // 2, (slack + 1) // 2, LOOSE)
            made = [own for half in halves for own in self._cut_apart(half)] if halves else [piece]
            best = max(best, made, key=len)
            if not halves or len(best) == piece.count:
                break
        return best

    def neighbourhood(self, pieces: list[Piece], areas_a_class: float) -> list[int]:
        """A piece that has no classes yet and some next to it, by their places."""
        generator = self.generator
        chosen = [int(generator.choice([place for place, piece in enumerate(pieces) if piece.count > 1]))]
        wanted = max(FEW * areas_a_class, generator.uniform(*WIDE) * LEAF)
        size, count = len(pieces[chosen[0]].members), pieces[chosen[0]].count
        near: set[int] = set()
        more = generator.random() < MIXED
        while size < wanted or count < FEW or (more and len(chosen) == 1):
            near.update(self._next_to(pieces[chosen[-1]]))
            others = sorted(near.difference(chosen))
            fitting = [place for place in others if size + len(pieces[place].members) <= wanted + areas_a_class]
            if (not fitting and len(chosen) > 1) or not others:
                break
            chosen.append(int(generator.choice(fitting or others)))
            size += len(pieces[chosen[-1]].members)
            count += pieces[chosen[-1]].count
        return chosen

    def number(self, pieces: list[Piece]) -> None:
        """Note of every area in which piece it lies."""
        for place, piece in enumerate(pieces):
            self._place[piece.members] = place

    def _next_to(self, piece: Piece) -> set[int]:
        start, neighbours, _ = self.graph
        near = [neighbours[start[v] : start[v + 1]] for v in piece.members.tolist()]
        return set(np.unique(self._place[np.concatenate(near)]).tolist()) - {-1}

    def _cut(self, whole: Piece, count: int, target: int, fine: int, stiffness: float) -> tuple[Piece, Piece] | None:
        """A piece with room for so many classes, and the rest with room for the others, each below the cap."""
        members, others, total = whole.members, whole.count - count, self.weight(whole)
        low = max(count * self.k, total - others * self.cap)
        high = min(count * self.cap, total - others * self.k)
        if low > high or len(members) < 2:
            return None
        mean = total / len(members)
        away = -1
        for _ in range(BEGINNINGS):
            heat = mean * float(self.generator.choice(HEATS))
            halve(self.graph, self._halves, members, target)
            wish = Wish(low, high, target, fine, heat, stiffness, STEPS_PER_AREA * len(members))
            away, made = weigh_out(self.graph, self._halves, self._subsets, members, wish)
            self.work += made // CHEAP
            if away >= 0:
                break
        first = self._halves.label[members] == FIRST
        self._halves.label[members] = 0
        return (Piece(members[first], count), Piece(members[~first], others)) if away >= 0 else None
