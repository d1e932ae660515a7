"""Classes of areas, the heavy ones known as stars, between which light branches move."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from kanon_engine.regions.general_graph.star_or_split import star_or_split


class Stuck(Exception):
    """A step that could leave a class below k or above the limit; from max(3k - 3, heaviest area) on there is none."""


class Stars:
    """A partition into connected classes of weight >= k, changed by moving branches of overloaded classes.

    An *open* class weighs at most limit. One that passes it is split or, being a star, *closed*: a center and *atoms*,
    the components of the class without its center, each lighter than k; it stays so while it weighs at least limit - k
    + 2. Atoms of different classes may touch. The anchors of an atom are the centers and the open classes that it
    touches; to a class with such an anchor it can be moved.

    Attributes
    ----------
    owner : list of int
        Class of each area.
    load, center : list of int
        Of each class; the center is -1 where the class is open.
    atoms : list of dict
        The atoms of each closed class (keys, in order of arrival).
    fresh : list of dict
        Those atoms of each class whose surroundings are unknown or have changed since they were looked at.
    anchors : dict of int to tuple
        The classes that an atom can be moved to, for every atom that is not fresh.
    changes : int
        Counts the events after which anchors may differ: a class was closed, opened or made, or atoms were joined.
    swallowers : set of int
        Open classes that have swallowed an atom since they were made or split.
    """

    def __init__(
        self, neighbours: Sequence[Sequence[int]], weights: Sequence[int], owner: np.ndarray, k: int, limit: int
    ) -> None:
        self.neighbours, self.weights, self.k, self.limit = neighbours, weights, k, limit
        self.owner: list[int] = owner.tolist()
        count = max(self.owner) + 1
        self.members: list[dict[int, None]] = [{} for _ in range(count)]
        for v, own in enumerate(self.owner):
            self.members[own][v] = None
        self.load = [sum(weights[v] for v in group) for group in self.members]
        self.center = [-1] * count
        self.atoms: list[dict[int, None]] = [{} for _ in range(count)]
        self.fresh: list[dict[int, None]] = [{} for _ in range(count)]
        self.atom = [-1] * len(weights)  # -1: a center, or in an open class
        self.content: dict[int, list[int]] = {}
        self.weight: dict[int, int] = {}
        self.anchors: dict[int, tuple[int, ...]] = {}
        self.made = self.changes = 0
        self.swallowers: set[int] = set()
        for number in range(count):
            self.settle(number)

    def settle(self, number: int) -> None:
        """Open, split or close a class according to its load."""
        waiting = [number]
        while waiting:
            number = waiting.pop()
            if self.load[number] <= self.limit:
                continue
            pieces, center, branches = star_or_split([*self.members[number]], self.neighbours, self.weights, self.k)
            waiting += [self.separate(piece, number) for piece in pieces]
            if pieces:
                self.swallowers.discard(number)
            if self.load[number] <= self.limit:
                continue
            if center < 0 or number in self.swallowers:
                raise Stuck
            self.changes += 1
            self.center[number] = center
            for branch in branches:
                self.new_atom(number, branch)
            self.forget(self.members[number])

    def separate(self, piece: Iterable[int], *donors: int) -> int:
        """A new open class of areas taken from the donors; donors that became light are opened."""
        number = len(self.load)
        self.changes += 1
        self.members.append(dict.fromkeys(piece))
        self.load.append(sum(self.weights[v] for v in self.members[number]))
        self.center.append(-1)
        self.atoms.append({})
        self.fresh.append({})
        for v in self.members[number]:
            donor = self.owner[v]
            del self.members[donor][v]
            self.load[donor] -= self.weights[v]
            self.owner[v] = number
            self.atom[v] = -1
        for donor in donors:
            if self.center[donor] >= 0 and self.load[donor] <= self.limit - self.k + 1:
                for atom in [*self.atoms[donor]]:
                    self.drop_atom(donor, atom)
                self.center[donor] = -1
                self.forget(self.members[donor])
        self.forget(self.members[number])
        return number

    def new_atom(self, number: int, areas: list[int]) -> None:
        """Make areas of a closed class one of its atoms."""
        atom, self.made = self.made, self.made + 1
        self.content[atom] = areas
        self.weight[atom] = sum(self.weights[v] for v in areas)
        self.atoms[number][atom] = self.fresh[number][atom] = None
        for v in areas:
            self.atom[v] = atom

    def drop_atom(self, number: int, atom: int) -> list[int]:
        """Forget an atom of a class and return its areas, which stay in the class."""
        del self.atoms[number][atom], self.weight[atom]
        self.fresh[number].pop(atom, None)
        self.anchors.pop(atom, None)
        areas = self.content.pop(atom)
        for v in areas:
            self.atom[v] = -1
        return areas

    def forget(self, areas: Iterable[int]) -> None:
        """The atoms that touch these areas must be looked at again."""
        for v in areas:
            for u in self.neighbours[v]:
                atom = self.atom[u]
                if atom >= 0 and self.anchors.pop(atom, None) is not None:
                    self.fresh[self.owner[u]][atom] = None

    def touched_by(self, number: int, atom: int) -> set[int]:
        """The atoms of other classes that an atom touches; if there are none, its anchors are kept."""
        touched: set[int] = set()
        around: dict[int, None] = {}
        for v in self.content[atom]:
            for u in self.neighbours[v]:
                if self.atom[u] < 0:
                    around[self.owner[u]] = None
                elif self.atom[u] != atom:
                    touched.add(self.atom[u])
        if not touched:
            self.anchors[atom] = tuple(around)
            del self.fresh[number][atom]
        return touched

    def clean(self, number: int) -> None:
        """Join atoms of an overloaded class to the atoms of other classes that they touch, while it is overloaded."""
        while self.fresh[number] and self.load[number] > self.limit:
            atom = next(iter(self.fresh[number]))
            touched = self.touched_by(number, atom)
            if touched:
                self.join(number, atom, touched)

    def join(self, number: int, atom: int, touched: set[int]) -> None:
        """Move an atom to a class whose atoms it touches: they become one atom or, if they reach k, a class.

        Where that class would leave too little behind, the other class swallows the atom.
        """
        other = min((self.owner[self.content[each][0]] for each in touched), key=lambda own: (self.load[own], own))
        areas, weight, joined = list(self.content[atom]), self.weight[atom], []
        for each in sorted(touched & self.atoms[other].keys()):
            joined.append(each)
            weight += self.weight[each]
            areas += self.content[each]
            if weight >= self.k:
                break
        if weight >= self.k:
            if self.load[other] - weight + self.weight[atom] < self.k:
                self.swallow(number, atom, other)
                return
            if self.load[number] - self.weight[atom] < self.k:
                raise Stuck
            self.drop_atom(number, atom)
            for each in joined:
                self.drop_atom(other, each)
            self.settle(self.separate(areas, number, other))
            return
        self.changes += 1
        self.move(number, atom, other)
        for each in [*joined, atom]:
            self.drop_atom(other, each)
        self.new_atom(other, areas)
        self.forget(areas)

    def swallow(self, number: int, atom: int, other: int) -> None:
        """A closed class takes in an atom that would leave it too light as a class of its own, and opens."""
        if self.load[other] + self.weight[atom] > self.limit:
            raise Stuck
        self.changes += 1
        self.move(number, atom, other)
        for each in [*self.atoms[other]]:
            self.drop_atom(other, each)
        self.center[other] = -1
        self.swallowers.add(other)
        self.forget(self.members[other])

    def move(self, number: int, atom: int, other: int) -> None:
        """Move an atom to another class, as one of its atoms."""
        if self.load[number] - self.weight[atom] < self.k:
            raise Stuck
        for v in self.content[atom]:
            del self.members[number][v]
            self.members[other][v] = None
            self.owner[v] = other
        self.load[number] -= self.weight[atom]
        self.load[other] += self.weight[atom]
        del self.atoms[number][atom]
        self.atoms[other][atom] = None
        self.fresh[number].pop(atom, None)

    def push(self, number: int, atom: int, other: int) -> None:
        """Move an atom that touches no atom of another class to a class with an anchor of it."""
        self.move(number, atom, other)
        if self.center[other] < 0:
            self.drop_atom(other, atom)
            self.settle(other)
