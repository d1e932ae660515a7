"""General graph: the limits that are tried, heavy groups that split or are stars, branches pushed, and the stall."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from kanon_engine.model.bound import Cost
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.run import Run
from kanon_engine.model.step import Inequality, Step, changed_between
from kanon_engine.model.words import counted
from kanon_engine.regions.general_graph import by_rules
from kanon_engine.regions.general_graph.stars import Stars
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.steps import GraphState, PlacedQuestion
from kanon_engine.regions.wishes.items import items_of, prepared
from kanon_engine.search.parts import sums_of
from kanon_engine.stepping import carried_back

MOST = 150  # steps of the rules; what comes after them is told at once
CHOICES = 30  # areas that a question offers
LARGE = 40_000  # areas up to which the rules are applied again


@dataclass(frozen=True)
class _Event:
    """What one rule did."""

    owner: np.ndarray
    why: str
    inequality: Inequality | None
    centers: tuple[int, ...]
    heavy: tuple[int, ...]
    question: PlacedQuestion | None = None


BEGIN = "It begins with the pieces of a tree of few branches"
AGAIN = "The groups from before are taken again."


class _Enough(Exception):
    """So many steps are told."""


def steps(regions: Regions, g: Generalization) -> Iterator[Step]:
    """Limit after limit: splits, stars, branches that are pushed; how each ends; and what an annealing improved then.

    The rules are applied again. With more than 40,000 areas, or after 150 steps, what is left is told at once.

    Parameters
    ----------
    regions : Regions
    g : Generalization
        A result of `general-graph`.

    Example
    -------
    Eight leaves of 3 on two centers of 1, k = 4: two stars, and no group can do with fewer than four leaves.

    >>> import kanon_engine as kanon
    >>> edges = [(center, leaf) for center in (0, 1) for leaf in range(2, 10)]
    >>> stars = Regions(range(10), [1, 1] + [3] * 8, edges)
    >>> *_, last = steps(stars, kanon.generalize(stars, 4, "general-graph"))
    >>> last.inequality.text
    'largest group ≥ proven bound: 13 ≥ 13'
    """
    given = prepared(regions, g.k, g.require, g.algorithm)
    item_of = items_of(given)
    first = np.unique(item_of, return_index=True)[1]
    events, ended = _events(given, g)
    partitions = carried_back([*(event.owner[item_of] for event in events), g.assignment])
    before: np.ndarray | None = None
    for event, assignment in zip(events, partitions, strict=False):
        centers, heavy = (tuple(first[list(own)].tolist()) for own in (event.centers, event.heavy))
        state = GraphState(assignment, assignment, centers=centers, heavy=heavy)
        asked = event.question if given is regions else None
        yield Step(state, changed_between(before, assignment), event.why, event.inequality, asked)
        before = assignment
    changed = changed_between(before, g.assignment)
    decided = Inequality(g.cost, "≥", g.lower_bound, "largest group ≥ proven bound")
    yield Step(GraphState(g.assignment, g.assignment), changed, _of_rest(g, ended, len(changed)), decided)


def _events(regions: Regions, g: Generalization) -> tuple[list[_Event], bool]:
    """What the rules did, and whether this is all of it."""
    events: list[_Event] = []
    if len(regions) > LARGE:
        return events, False
    listener = _Listener(regions, g.k, events)
    try:
        best, bound = by_rules(regions, g.k, Run(g.seed), partial(_Told, listener), listener.ended)
    except _Enough:
        return events, False
    if not events:
        listener.begin(best.tolist(), int(bound.value))
    return events, True


def _of_rest(g: Generalization, ended: bool, changed: int) -> str:
    if not ended:
        return f"What the rules and a short annealing did from here on is told at once: {counted(g.classes, 'group')}."
    if g.require:
        return (
            f"A short annealing, and groups joined where one missed what is required of each, are told at once: "
            f"{counted(g.classes, 'group')}."
        )
    if changed:
        return f"A short annealing recombined neighbours: {counted(changed, 'area')} changed the group."
    return f"Nothing better than these {counted(g.classes, 'group')} was found by recombining neighbours."


class _Listener:
    """Keeps what is told of the rules."""

    def __init__(self, regions: Regions, k: int, events: list[_Event]) -> None:
        self.regions, self.k, self.events = regions, k, events
        self.best: list[int] = []
        self.stars: Stars | None = None

    def tell(
        self,
        owner: Sequence[int],
        why: str,
        inequality: Inequality | None,
        centers: Iterable[int] = (),
        limit: int | None = None,
        question: PlacedQuestion | None = None,
    ) -> None:
        """Keep one event."""
        if len(self.events) == MOST:
            raise _Enough
        classes = np.unique(owner, return_inverse=True)[1]
        above = sums_of(self.regions.weights, classes) > (self.regions.total if limit is None else limit)
        first = np.unique(classes, return_index=True)[1]
        heavy = tuple(sorted(first[above].tolist()))
        self.events.append(_Event(np.array(owner), why, inequality, tuple(sorted(set(centers))), heavy, question))

    def begin(self, owner: list[int], bound: int) -> None:
        """The classes of a tree, where no limit is tried."""
        largest = Inequality(self.largest(owner), "≥", bound, "largest group ≥ proven bound")
        self.tell(owner, f"{BEGIN}: {counted(len(set(owner)), 'group')}.", largest)

    def begin_limit(self, stars: Stars, owner: list[int], limit: int) -> None:
        """The limit X that is tried next, and the classes that it begins with."""
        self.stars, self.best = stars, owner
        told = f"{BEGIN}. " if not self.events else ""
        why = f"{told}X = {limit:,} is tried: no group shall weigh more."
        self.tell(owner, why, Inequality(self.largest(owner), ">", limit, "largest group > X"), (), limit)

    def largest(self, owner: list[int]) -> int:
        """The largest class."""
        return int(sums_of(self.regions.weights, np.unique(owner, return_inverse=True)[1]).max())

    def ended(self, limit: int, separator: list[int] | None, bound: Cost) -> None:
        """How a limit went; where it failed, the classes before it count."""
        if separator is None:
            why = f"The next step would leave a group below k or above X = {limit:,}: this X counts as failed."
            self.tell(self.best, f"{why} {AGAIN}", None)
        elif separator:
            why = (
                f"A stall: no branch on {self.regions.listing(separator)} can leave the groups of these areas. However "
                f"they share them, one weighs X − k + 2 or more. {AGAIN}"
            )
            least = Inequality(int(bound), "≥", limit - self.k + 2, "proven bound ≥ X − k + 2")
            self.tell(self.best, why, least, separator)
        elif self.stars is not None:
            owner = self.stars.owner
            done = Inequality(self.largest(owner), "≤", limit, "largest group ≤ X")
            self.tell(owner, f"No group weighs more than X = {limit:,}.", done)


class _Told(Stars):
    """Classes whose every change is told."""

    def __init__(
        self,
        listener: _Listener,
        neighbours: Sequence[Sequence[int]],
        weights: Sequence[int],
        owner: np.ndarray,
        k: int,
        limit: int,
    ) -> None:
        self._listener = listener
        listener.begin_limit(self, owner.tolist(), limit)
        super().__init__(neighbours, weights, owner, k, limit)

    def _tell(self, why: str, inequality: Inequality, question: PlacedQuestion | None = None) -> None:
        centers = [center for center in self.center if center >= 0]
        self._listener.tell(self.owner, why, inequality, centers, self.limit, question)

    def settle(self, number: int) -> None:
        """As the rule has it; what it closes is told."""
        known = dict(enumerate(self.center))
        super().settle(number)
        for own, center in enumerate(self.center):
            if center < 0 or known.get(own, -1) >= 0:
                continue
            heaviest = max(self.weight[atom] for atom in self.atoms[own])
            name = self._listener.regions.label(center)
            why = (
                f"The group of {self.load[own]:,} around {name} is above X and cannot be split: it is a star of one "
                f"area and {len(self.atoms[own]):,} light branches."
            )
            light = Inequality(heaviest, "<", self.k, "heaviest branch < k")
            self._tell(why, light, self._asked(own))

    def separate(self, piece: Iterable[int], *donors: int) -> int:
        """As the rule has it: a piece of a heavy class, or branches of two that reach k together."""
        whole = self.load[donors[0]]
        number = super().separate(piece, *donors)
        load = self.load[number]
        if len(donors) == 1:
            why = f"The group of {whole:,} is above X and splits: a piece of {load:,} becomes a group."
            self._tell(why, Inequality(load, "≥", self.k, "weight of the piece ≥ k"))
        else:
            why = f"Branches of two groups touch each other and together weigh {load:,}: they become a group."
            self._tell(why, Inequality(load, "≥", self.k, "branches together ≥ k"))
        return number

    def move(self, number: int, atom: int, other: int) -> None:
        """As the rule has it: a branch goes to another class."""
        weight, old, new = self.weight[atom], self.load[number], self.load[other]
        names = self._listener.regions.listing(self.content[atom])
        super().move(number, atom, other)
        why = f"The branch {names} of {weight:,} is pushed from the group of {old:,} to one of {new:,} that it touches."
        self._tell(why, Inequality(old, ">", self.limit, "weight of the group > X"))

    def _asked(self, own: int) -> PlacedQuestion | None:
        """On which area the branches of a star hang; others from which only light branches hang are as right."""
        members = list(self.members[own])
        if not 1 < len(members) <= CHOICES:
            return None
        right = [v for v in members if self._heaviest_without(members, v) < self.k]
        words = tuple(self._listener.regions.label(v) for v in members)
        answers = tuple(place for place, v in enumerate(members) if v in right)
        prompt = "One group above X cannot be split. On which of its areas do only branches below k hang?"
        if len(right) == len(members) or len(set(words)) < len(words):
            return None
        return PlacedQuestion(prompt, words, answers, places=tuple((v, v) for v in members))

    def _heaviest_without(self, members: list[int], gone: int) -> int:
        """The heaviest part of a class without one area."""
        left, heaviest = set(members) - {gone}, 0
        while left:
            waiting, load = [left.pop()], 0
            while waiting:
                v = waiting.pop()
                load += self.weights[v]
                near = left.intersection(self.neighbours[v])
                left -= near
                waiting += near
            heaviest = max(heaviest, load)
        return heaviest
