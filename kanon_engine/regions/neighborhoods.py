"""Searches through nearly all ways to re-form some classes of a map, along a frontier."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kanon_engine.model.wishes import parts_of, sums_of
from kanon_engine.regions.frontier import classes_between, order_of, part_of
from kanon_engine.regions.neighborhoods_kernels import (
    FIRST,
    STAMP,
    Halves,
    WeightGoal,
    halve,
    room_for_subsets,
    weigh_out,
)
from kanon_engine.regions.trees_kernels import Graph

FEWEST_AREAS, MOST_AREAS = 8, 36  # most areas of a neighborhood: a number between the two is drawn
FEWEST_CLASSES, MOST_CLASSES = 2, 4  # classes of it if they have more areas; some areas are then merged into one
MOST_CONTRACTED = 400  # most areas of it in that case
STATES, ALIKE, ORDERS = 3_000, 4, 6  # of a frontier: states kept after an area, similar states kept, orders tried
EASES = 0.0, 0.25, 0.5, 1.0  # the aim: this share of the way back from the target to the current value
WORST = 0.7  # how often a neighborhood begins with a class that misses the aim
TRY = 2_000  # work of a try that ends at once


def remade(
    graph: Graph,
    k: int,
    label: np.ndarray,
    bound: int,
    work: int,
    generator: np.random.Generator,
    admits: Callable[[np.ndarray, np.ndarray], bool],
    goes_on: Callable[[float, int], bool],
) -> np.ndarray:
    """(n,) int64: classes with a smaller largest one, by neighborhoods; the same ones if none was found.

    A try takes some neighboring classes and searches for classes of their areas that weigh k to a cap below the largest
    class of the map. Any classes found replace them, whether or not the largest class was one of them, so the partition
    also moves among equals. Parameters are as in `narrowed`; the search ends at the bound.

    References: P. Shaw, "Using Constraint Programming and Local Search Methods to Solve Vehicle Routing Problems", CP
        1998: large neighborhoods.

    >>> path = Graph(np.array([0, 1, 3, 5, 6]), np.array([1, 0, 2, 1, 3, 2]), np.array([3, 1, 1, 3]))
    >>> generator, yes = np.random.default_rng(0), lambda *_: True
    >>> labels = remade(path, 3, np.zeros(4, np.int64), 4, 10**6, generator, yes, yes)
    >>> [path.weights[labels == c].sum().tolist() for c in range(2)]
    [4, 4]
    """
    classes = _Classes(graph, label)
    best, largest, spent = classes.label.copy(), classes.largest, 0
    while largest > bound and spent < work and goes_on(spent / work, largest):
        spent += TRY
        cap = min(bound + int((largest - 1 - bound) * generator.choice(EASES)), largest - 1)
        above = np.flatnonzero(classes.loads > cap)
        if len(above) and generator.random() < WORST:
            first = int(generator.choice(above))
        else:
            first = int(generator.integers(len(classes.members)))
        size = int(generator.integers(FEWEST_AREAS, MOST_AREAS + 1))
        chosen = classes.around(first, size, generator)
        loads = classes.loads[chosen]
        inside = int(loads.sum())
        if (len(chosen) < 2 and loads[0] < 2 * k) or inside // k < -(-inside // cap):
            continue
        members = np.concatenate([classes.members[c] for c in chosen])
        part = part_of(graph, members)[0]
        clump = np.arange(len(members))
        if len(members) > size:
            clump = _clumps(part, classes.label[members], size, generator)
            part = _contracted(part, clump)
        order = order_of(part, ORDERS, generator)
        answer = classes_between(
            part, k, cap, limit=STATES, beam=generator, order=order, chain=ALIKE, most=work - spent
        )
        spent += answer.states
        if answer.labels is None or not admits(members, answer.labels[clump]):
            continue
        classes.replace(chosen, members, answer.labels[clump])
        if classes.largest < largest:
            best, largest = classes.label.copy(), classes.largest
    return best


def _clumps(part: Graph, labels: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    """(n,) int64: connected sets of areas within the classes, at most `size` or one each, grown from random areas."""
    firsts = np.unique(labels, return_index=True)[1]
    others = generator.permutation(np.delete(np.arange(len(labels)), firsts))
    seeds = np.concatenate([firsts, others])[: max(size, len(firsts))]
    clump = np.full(len(labels), -1)
    clump[seeds] = np.arange(len(seeds))
    clumps, classes, start, neighbors = (each.tolist() for each in (clump, labels, part.start, part.neighbors))
    waiting = generator.permutation(seeds).tolist()
    for v in waiting:  # it grows during the loop
        for u in neighbors[start[v] : start[v + 1]]:
            if clumps[u] < 0 and classes[u] == classes[v]:
                clumps[u] = clumps[v]
                waiting.append(u)
    return np.array(clumps)


def _contracted(part: Graph, clump: np.ndarray) -> Graph:
    """The graph with each of these sets as one vertex."""
    size = int(clump.max()) + 1
    tails, heads = clump[np.repeat(np.arange(len(clump)), np.diff(part.start))], clump[part.neighbors]
    keys = np.unique((tails * size + heads)[tails != heads])
    starts = np.searchsorted(keys // size, np.arange(size + 1))
    return Graph(starts, keys % size, sums_of(part.weights, clump))


class _Classes:
    """A partition as lists of members."""

    def __init__(self, graph: Graph, label: np.ndarray) -> None:
        self.graph = graph
        self.label = np.unique(label, return_inverse=True)[1].astype(np.int64)
        order = np.argsort(self.label, kind="stable")
        self.members = np.split(order, np.flatnonzero(np.diff(self.label[order])) + 1)
        self.loads = np.array([graph.weights[members].sum() for members in self.members], dtype=np.int64)

    @property
    def largest(self) -> int:
        """Its weight."""
        return int(self.loads.max())

    def around(self, first: int, size: int, generator: np.random.Generator) -> list[int]:
        """A class and some adjacent ones, with at most the given number of areas unless two already have more."""
        start, neighbors, _ = self.graph
        if 2 * len(self.graph.weights) > size * len(self.members):
            classes = int(generator.integers(FEWEST_CLASSES, MOST_CLASSES + 1))
            size = min(MOST_CONTRACTED, len(self.graph.weights) * classes // len(self.members) + size)
        chosen, left = [first], size - len(self.members[first])
        near: set[int] = set()
        while left > 0:
            for v in self.members[chosen[-1]].tolist():
                near.update(self.label[neighbors[start[v] : start[v + 1]]].tolist())
            fitting = [c for c in sorted(near.difference(chosen)) if len(self.members[c]) <= left]
            if not fitting:
                break
            chosen.append(int(generator.choice(fitting)))
            left -= len(self.members[chosen[-1]])
        return chosen

    def replace(self, chosen: list[int], members: np.ndarray, labels: np.ndarray) -> None:
        """Replace the classes of some members; class numbers stay without gaps."""
        groups = [members[labels == number] for number in range(int(labels.max()) + 1)]
        places = sorted(chosen)
        while len(places) > len(groups):  # the last class takes the number of a removed one
            place, last = places.pop(), len(self.members) - 1
            if place != last:
                self._put(place, self.members[last])
                places = [place if c == last else c for c in places]
            self.members.pop()
            self.loads = self.loads[:last]
        self.loads = np.append(self.loads, np.zeros(len(groups) - len(places), dtype=np.int64))
        while len(places) < len(groups):
            places.append(len(self.members))
            self.members.append(members)
        for place, group in zip(places, groups, strict=True):
            self._put(place, group)

    def _put(self, place: int, members: np.ndarray) -> None:
        self.members[place] = members
        self.label[members] = place
        self.loads[place] = self.graph.weights[members].sum()


NARROW_WIDTH = 10  # the widest frontier
NARROW_AREAS = 500  # the largest part
NARROW_STATES, NARROW_ALIKE = 2_000, 4  # states kept after an area, and similar states kept
NARROW_ROUNDS = 5  # at most; each round keeps four times as many of both
NARROW_FINENESS = 1_000  # a cap that stays open is raised by this fraction


def narrowed(
    graph: Graph,
    k: int,
    label: np.ndarray,
    bound: int,
    work: int,
    generator: np.random.Generator,
    admits: Callable[[np.ndarray, np.ndarray], bool],
    goes_on: Callable[[float, int], bool],
) -> tuple[np.ndarray, int]:
    """Classes with a smaller largest one, by bisection over caps along a frontier with a beam; and a bound on it.

    Parts of the map with a frontier of more than `NARROW` areas stay as they are. A cap that is refuted without a beam
    raises the bound, as reported by the search.

    `label`: (n,) int64. Connected classes of weight >= k.
    `bound`: no largest class is below it.
    `work`: total work of all attempts, in ways to add an area to a state.
    `admits`: ``admits(members, labels)``: whether these areas may form these classes.
    `goes_on`: ``goes_on(share, largest)``: called before each attempt, with the share of work done.

    >>> path = Graph(np.array([0, 1, 3, 5, 6]), np.array([1, 0, 2, 1, 3, 2]), np.array([3, 1, 1, 4]))
    >>> generator, yes = np.random.default_rng(0), lambda *_: True
    >>> narrowed(path, 3, np.zeros(4, np.int64), 4, 10**6, generator, yes, yes)
    (array([0, 0, 1, 1]), 5)
    """
    label, spent, n = label.copy(), 0, len(label)
    part_number = parts_of(np.column_stack([np.repeat(np.arange(n), np.diff(graph.start)), graph.neighbors]), n)
    for number in range(int(part_number.max()) + 1):
        members = np.flatnonzero(part_number == number)
        part = part_of(graph, members)[0]
        if not 1 < len(members) <= NARROW_AREAS or _largest(part, label[members]) <= bound:
            continue
        order = order_of(part)
        if order.width > NARROW_WIDTH:
            continue
        part_labels, low, going = label[members], bound, True
        for more in (4**number for number in range(NARROW_ROUNDS)):
            least = low  # caps below are left for the next round
            while going and least < (largest := _largest(part, part_labels)) and spent < work:
                going = goes_on(spent / work, largest)
                if not going:
                    break
                cap = (least + largest - 1) // 2
                answer = classes_between(
                    part,
                    k,
                    cap,
                    limit=NARROW_STATES * more,
                    beam=generator,
                    order=order,
                    chain=NARROW_ALIKE * more,
                    most=work - spent,
                )
                spent += answer.states + 1
                if answer.labels is not None and admits(members, answer.labels):
                    part_labels = answer.labels
                elif answer.verdict == "impossible":
                    low = least = cap + 1
                else:
                    least = cap + max(1, cap // NARROW_FINENESS)
        label[members] = part_labels + n
        bound = max(bound, low)
    return np.unique(label, return_inverse=True)[1].astype(np.int64), bound


def _largest(part: Graph, labels: np.ndarray) -> int:
    return int(sums_of(part.weights, labels).max())


LEAF, SEARCHED = 30, 40  # most areas of a piece that is not halved again, and of one that a frontier is tried on
BEGINNINGS, STEPS_PER_AREA = 5, 200  # walks tried per cut, and their steps
HEATS = 0.2, 0.5, 1.0  # temperatures of walks, in areas
STIFF, LOOSE = 1.0, 0.5  # stiffness of walks that halve a piece, and of those that cut off a class
SHARE = 0.3  # by how much of its share of the slack a half may deviate
TIGHT, CUTS = 0.02, 10  # slack, in areas, below which classes are only cut off one by one, and how often that is tried
WALKS = 10  # walks after which a piece initially stays whole
REMADE_CLASSES = 4  # least number of pieces re-formed together
REMADE_AREAS = 1.4, 2.2  # and their areas, at least: a number drawn between these multiples of `LEAF`
MIXED = 0.5  # how often there are at least two
WORSE = 0.02  # how often fewer classes are taken
CHEAP = 8  # steps of a walk that cost as much as a state


@dataclass(frozen=True)
class Piece:
    """A connected part of the map."""

    members: np.ndarray  # (n,) int64
    count: int  # how many classes it is to have


def classes_by_halving(
    graph: Graph,
    members: np.ndarray,
    count: int,
    k: int,
    cap: int,
    work: int,
    generator: np.random.Generator,
    goes_on: Callable[[float], bool],
) -> tuple[list[np.ndarray] | None, int]:
    """A given number of classes of a connected part of the map, each of weight k to a cap, if found, and the work done.

    Guarantee: any classes found satisfy this. Proof: docs/proofs/regions/recombine.md.

    Halves of halves are searched along a frontier. If no classes are found, a piece is joined with adjacent pieces and
    halved elsewhere, as often as the work allows. So the pieces without classes move around and become fewer.

    `members`: (n,) int64. The areas of the part.
    `count`: at most their weight over k, at least their weight over the cap.
    `work`: how much to try, in ways to add an area to a state.
    `goes_on`: ``goes_on(share)``: called now and then with the share of work done.

    >>> path = Graph(np.array([0, 1, 3, 5, 6]), np.array([1, 0, 2, 1, 3, 2]), np.array([3, 1, 1, 3]))
    >>> generator = np.random.default_rng(0)
    >>> classes, _ = classes_by_halving(path, np.arange(4), 2, 4, 4, 10**5, generator, lambda _: True)
    >>> [own.tolist() for own in classes]
    [[0, 1], [2, 3]]
    """
    search = _Halving(graph, k, cap, generator)
    pieces = [part for piece in search.pieces(Piece(members, count)) for part in search.classes(piece)]
    areas_a_class = len(members) / count
    search.number(pieces)
    while any(piece.count > 1 for piece in pieces):
        if search.work >= work or not goes_on(search.work / work):
            return None, search.work
        chosen = search.neighborhood(pieces, areas_a_class)
        old = [pieces[place] for place in chosen]
        whole = Piece(np.concatenate([piece.members for piece in old]), sum(piece.count for piece in old))
        halves = search.halved(whole) if whole.count > 2 else None
        new = [part for half in halves for part in search.classes(half)] if halves else old
        search.work += TRY
        if _missing(new) > _missing(old) and generator.random() >= WORSE:
            continue
        left = set(range(len(pieces))).difference(chosen)
        pieces = [pieces[place] for place in sorted(left)] + new
        search.number(pieces)
    return [piece.members for piece in pieces], search.work


def _missing(pieces: list[Piece]) -> int:
    """How many more classes they are to have."""
    return sum(piece.count - 1 for piece in pieces)


class _Halving:
    """Walks and frontiers on pieces of a graph, and what they cost."""

    def __init__(self, graph: Graph, k: int, cap: int, generator: np.random.Generator) -> None:
        self.graph, self.k, self.cap, self.generator = graph, k, cap, generator
        self.work = 0
        numbers = np.zeros(1, dtype=STAMP).view(np.recarray)[0]
        label, best, mark, waiting = (np.zeros(len(graph.weights), dtype=np.int64) for _ in range(4))
        random = generator.integers(1, 1 << 63, 1, dtype=np.uint64)
        self._halves = Halves(label, best, mark, waiting, numbers, random)
        self._subsets = room_for_subsets()
        self._place = np.full(len(label), -1)

    def weight(self, piece: Piece) -> int:
        """Total weight of its areas."""
        return int(self.graph.weights[piece.members].sum())

    def pieces(self, whole: Piece) -> list[Piece]:
        """The piece in halves of halves, small enough to try a frontier, or with room for two classes."""
        if whole.count > 2 and len(whole.members) > LEAF:
            for _ in range(WALKS):
                halves = self.halved(whole)
                if halves:
                    return [piece for half in halves for piece in self.pieces(half)]
        return [whole]

    def halved(self, whole: Piece) -> tuple[Piece, Piece] | None:
        """Two halves that share its classes and its weight above k per class."""
        count = 1 if whole.count == 3 else (whole.count + int(self.generator.integers(2))) // 2
        slack = self.weight(whole) - whole.count * self.k
        fine = max(int(SHARE * slack * min(count, whole.count - count) / whole.count), 1)
        return self._cut(whole, count, count * self.k + slack * count // whole.count, fine, STIFF)

    def classes(self, piece: Piece) -> list[Piece]:
        """Its classes, or some of them and the rest without classes."""
        if piece.count == 1:
            return [piece]
        weight = self.weight(piece)
        slack = weight - piece.count * self.k
        if slack * len(piece.members) < TIGHT * weight:
            return self._cut_into_classes(piece)
        if len(piece.members) <= SEARCHED:
            part = part_of(self.graph, piece.members)[0]
            answer = classes_between(
                part,
                self.k,
                self.cap,
                least=piece.count,
                limit=STATES,
                beam=self.generator,
                order=order_of(part, ORDERS, self.generator),
                chain=ALIKE,
            )
            self.work += answer.states
            if answer.labels is None:
                return [piece]
            return [Piece(piece.members[answer.labels == number], 1) for number in range(int(answer.labels.max()) + 1)]
        share = slack // piece.count
        halves = self._cut(piece, 1, self.k + share, slack - share if piece.count == 2 else share // 2, LOOSE)
        return [halves[0], *self.classes(halves[1])] if halves else [piece]

    def _cut_into_classes(self, piece: Piece) -> list[Piece]:
        """Its classes, or some of them and the rest without classes, only by cuts, anywhere that leaves slack on both
        sides."""
        if piece.count == 1:
            return [piece]
        best, count, slack = [piece], piece.count // 2, self.weight(piece) - piece.count * self.k
        for _ in range(CUTS):
            halves = self._cut(piece, count, count * self.k + slack // 2, (slack + 1) // 2, LOOSE)
            candidate = [part for half in halves for part in self._cut_into_classes(half)] if halves else [piece]
            best = max(best, candidate, key=len)
            if not halves or len(best) == piece.count:
                break
        return best

    def neighborhood(self, pieces: list[Piece], areas_a_class: float) -> list[int]:
        """A piece without classes and some adjacent pieces, by position."""
        generator = self.generator
        start, neighbors, _ = self.graph
        chosen = [int(generator.choice([place for place, piece in enumerate(pieces) if piece.count > 1]))]
        target = max(REMADE_CLASSES * areas_a_class, generator.uniform(*REMADE_AREAS) * LEAF)
        size, count = len(pieces[chosen[0]].members), pieces[chosen[0]].count
        near: set[int] = set()
        more = generator.random() < MIXED
        while size < target or count < REMADE_CLASSES or (more and len(chosen) == 1):
            beyond = [neighbors[start[v] : start[v + 1]] for v in pieces[chosen[-1]].members.tolist()]
            near.update(np.unique(self._place[np.concatenate(beyond)]).tolist())
            others = sorted(near.difference([-1, *chosen]))
            fitting = [place for place in others if size + len(pieces[place].members) <= target + areas_a_class]
            if (not fitting and len(chosen) > 1) or not others:
                break
            chosen.append(int(generator.choice(fitting or others)))
            size += len(pieces[chosen[-1]].members)
            count += pieces[chosen[-1]].count
        return chosen

    def number(self, pieces: list[Piece]) -> None:
        """Record for every area which piece it is in."""
        for place, piece in enumerate(pieces):
            self._place[piece.members] = place

    def _cut(self, whole: Piece, count: int, target: int, fine: int, stiffness: float) -> tuple[Piece, Piece] | None:
        """A piece with room for the given number of classes, and the rest with room for the others, each below the
        cap."""
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
            wish = WeightGoal(low, high, target, fine, heat, stiffness, STEPS_PER_AREA * len(members))
            away, steps = weigh_out(self.graph, self._halves, self._subsets, members, wish)
            self.work += steps // CHEAP
            if away >= 0:
                break
        first = self._halves.label[members] == FIRST
        self._halves.label[members] = 0
        return (Piece(members[first], count), Piece(members[~first], others)) if away >= 0 else None
