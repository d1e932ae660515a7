"""Some neighbouring classes made anew by a search that looks at nearly all ways to do so."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kanon_engine.regions.frontier import classes_between, order_of
from kanon_engine.regions.frontier.refutation import part_of
from kanon_engine.regions.trees.kernels import Graph
from kanon_engine.search.parts import sums_of

FEWEST, MOST = 8, 36  # areas of a neighbourhood, at most: a number between the two is drawn
FEW, MANY = 2, 4  # classes of it, where they have more areas; some of these become one then
LARGE = 400  # areas of it then, at most
STATES, ALIKE = 3_000, 4  # kept after an area, and of those that are alike
ORDERS = 6  # that are tried
EASES = 0.0, 0.25, 0.5, 1.0  # what is aimed at: this share of the way back from what is wanted to what there is
WORST = 0.7  # how often a neighbourhood begins with a class that misses the aim
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
    """Classes with a smaller largest one, by neighbourhoods; the same ones where none was found.

    A try takes some neighbouring classes and asks for classes of their areas that weigh k to a cap below the largest
    class of the map (`frontier.classes_between`, with a beam). What is found takes their place, whether or not the
    largest class was one of them: so the partition moves on among equals. Nothing that is remade ends above the cap, so
    the largest class never grows. Of classes with many areas, connected sets of these within a class are taken as one
    area, by chance, so that at most `MOST` remain.

    Parameters
    ----------
    graph, k, label, bound, work, generator, admits, goes_on
        As in `narrowed`; the search ends at the bound.

    Returns
    -------
    (n,) int64 array

    References
    ----------
    P. Shaw, "Using Constraint Programming and Local Search Methods to Solve Vehicle Routing Problems", CP 1998: large
    neighbourhoods.

    Example
    -------
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
        size = int(generator.integers(FEWEST, MOST + 1))
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
            part, k, cap, limit=STATES, beam=True, order=order, generator=generator, chain=ALIKE, most=work - spent
        )
        spent += answer.states
        if answer.labels is None or not admits(members, answer.labels[clump]):
            continue
        classes.replace(chosen, members, answer.labels[clump])
        if classes.largest < largest:
            best, largest = classes.label.copy(), classes.largest
    return best


def _clumps(part: Graph, own: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    """(n,) int64: connected sets of areas within the classes, at most `size` or one each, grown from random areas."""
    firsts = np.unique(own, return_index=True)[1]
    others = generator.permutation(np.delete(np.arange(len(own)), firsts))
    seeds = np.concatenate([firsts, others])[: max(size, len(firsts))]
    clump = np.full(len(own), -1)
    clump[seeds] = np.arange(len(seeds))
    clumps, classes, start, neighbours = (each.tolist() for each in (clump, own, part.start, part.neighbours))
    waiting = generator.permutation(seeds).tolist()
    for v in waiting:  # it grows meanwhile
        for u in neighbours[start[v] : start[v + 1]]:
            if clumps[u] < 0 and classes[u] == classes[v]:
                clumps[u] = clumps[v]
                waiting.append(u)
    return np.array(clumps)


def _contracted(part: Graph, clump: np.ndarray) -> Graph:
    """The graph with each of these sets as one vertex."""
    size = int(clump.max()) + 1
    tails, heads = clump[np.repeat(np.arange(len(clump)), np.diff(part.start))], clump[part.neighbours]
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
        self.loads = np.array([graph.weights[own].sum() for own in self.members], dtype=np.int64)

    @property
    def largest(self) -> int:
        """Its weight."""
        return int(self.loads.max())

    def around(self, first: int, size: int, generator: np.random.Generator) -> list[int]:
        """A class and some next to it, with at most so many areas where two have not more."""
        start, neighbours, _ = self.graph
        if 2 * len(self.graph.weights) > size * len(self.members):
            classes = int(generator.integers(FEW, MANY + 1))
            size = min(LARGE, len(self.graph.weights) * classes // len(self.members) + size)
        chosen, left = [first], size - len(self.members[first])
        near: set[int] = set()
        while left > 0:
            for v in self.members[chosen[-1]].tolist():
                near.update(self.label[neighbours[start[v] : start[v + 1]]].tolist())
            fitting = [c for c in sorted(near.difference(chosen)) if len(self.members[c]) <= left]
            if not fitting:
                break
            chosen.append(int(generator.choice(fitting)))
            left -= len(self.members[chosen[-1]])
        return chosen

    def replace(self, chosen: list[int], members: np.ndarray, labels: np.ndarray) -> None:
        """Other classes of the members of some; the numbers of classes stay without gaps."""
        made = [members[labels == number] for number in range(int(labels.max()) + 1)]
        places = sorted(chosen)
        while len(places) > len(made):  # the last class takes the place of one that is left out
            place, last = places.pop(), len(self.members) - 1
            if place != last:
                self._put(place, self.members[last])
                places = [place if c == last else c for c in places]
            self.members.pop()
            self.loads = self.loads[:last]
        self.loads = np.append(self.loads, np.zeros(len(made) - len(places), dtype=np.int64))
        while len(places) < len(made):
            places.append(len(self.members))
            self.members.append(members)
        for place, own in zip(places, made, strict=True):
            self._put(place, own)

    def _put(self, place: int, members: np.ndarray) -> None:
        self.members[place] = members
        self.label[members] = place
        self.loads[place] = self.graph.weights[members].sum()
