"""Reductions: a source problem, its target instance, and mutations that break it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_engine.errors import Infeasible, InvalidInput, KanonError
from kanon_engine.generalize import generalize
from kanon_engine.model.algorithm import Lazy
from kanon_engine.teaching.content import sections

if TYPE_CHECKING:
    from plotly import graph_objects as go

WORDS = Path(__file__).with_name("words.md")


@dataclass(frozen=True)
class SourceProblem:
    """A problem known to be hard, with instances that a person can read and change."""

    # name, title: for the registry and for a person
    name: str
    title: str
    asks: str  # the question, as a sentence
    # ``tiny()`` yields instances, smallest first, without symmetric copies if that is cheap
    tiny: Callable[[], Iterator[Any]]
    # ``solve(instance)`` is a solution, or None if there is none; exact, and independent of the reduction
    solve: Callable[[Any], Any]
    check: Callable[[Any, Any], bool]  # ``check(instance, solution)`` says whether it is a solution
    # parse, text: ``parse(text)`` makes an instance from a line or raises `InvalidInput`; ``text(instance)`` is the
    # line
    parse: Callable[[str], Any]
    text: Callable[[Any], str]
    example: str  # a first instance, as a line
    picture: Callable[..., go.Figure]  # ``picture(instance, solution=None)`` draws it

    @classmethod
    def of(cls, name: str, figure: str, **functions: Any) -> SourceProblem:
        """The object with its words, and the figure of this name in `plot`."""
        title, (asks, example) = sections(WORDS)[name]
        return cls(name, title, asks, example=example, picture=figure_by_name(figure), **functions)


@dataclass(frozen=True)
class Gadget:
    """A part of the target that represents a part of the source."""

    name: str  # as in "triple (x1, y2, z1)"; unique within an instance
    kind: str  # as in "triple"; gadgets of one kind have one color
    stands_for: str  # its purpose, in words
    items: tuple[int, ...]  # positions of its items


Part = tuple[str, str, str]  # name, kind and meaning of a gadget whose items are not known yet


def gadgets_of(parts: Iterable[Part]) -> tuple[Gadget, ...]:
    """The gadgets, given the part of each item, in order of first appearance."""
    items: dict[Part, list[int]] = {}
    for item, part in enumerate(parts):
        items.setdefault(part, []).append(item)
    return tuple(Gadget(*part, tuple(members)) for part, members in items.items())


@dataclass(frozen=True, eq=False)
class Carried:
    """A source as an instance of the target."""

    instance: Any  # Regions, Points, Labels, Table or MetricSpace
    k: int  # minimum weight of a class
    threshold: float  # the cost that a solution must not exceed, as K in the paper
    gadgets: tuple[Gadget, ...]  # the purpose of the items
    # (n, 2) float or None: positions of the items in pictures, if the instance has none
    positions: np.ndarray | None = None
    most: int | None = None  # maximum number of classes; None for any number

    @property
    def asked(self) -> str:
        """The allowed weights of a class if K is a weight, as in "3" or "3 to 4"."""
        return f"{self.k}" if self.k == self.threshold else f"{self.k} to {self.threshold:g}"

    def gadget_of(self, item: int) -> Gadget:
        """The first gadget that an item belongs to; `InvalidInput` if there is none."""
        for gadget in self.gadgets:
            if item in gadget.items:
                return gadget
        raise InvalidInput(f"Item {item} is in no part of the construction.")

    def unassigned(self, assignment: np.ndarray) -> str:
        """The gadget of the first item that is in no class; "" if all have one."""
        loose = np.flatnonzero(assignment < 0)
        return self.gadget_of(int(loose[0])).name if len(loose) else ""


@dataclass(frozen=True)
class Mutation:
    """One change of a construction that makes it wrong."""

    name: str
    sentence: str  # the change, in words


@dataclass(frozen=True)
class Reduction:
    """A source problem solved by grouping records."""

    # name, title: for the registry and for a person
    name: str
    title: str
    source: SourceProblem
    family: str  # of the target instances
    theorem: str  # its source, as in "Du et al. 2009, section 2.1"
    claim: str  # what it shows, in words
    how: str  # the construction in a few sentences
    # ``build(source, mutation=None)`` is the source `Carried` over; a mutation is given by name
    build: Callable[..., Carried]
    # each of these takes the result of `build`: a `Carried` or a subclass
    # ``forth(source, carried, solution)`` is a solution of the source as (n,) int32 classes
    forth: Callable[[Any, Any, Any], np.ndarray]
    # ``read(source, carried, assignment)`` is the solution of the source that valid classes represent
    read: Callable[[Any, Any, np.ndarray], Any]
    # ``decide(carried)`` is an assignment that meets k and the threshold, or None if there is none; exact
    decide: Callable[[Any], np.ndarray | None]
    # ``fault(carried, assignment)`` says in one sentence why classes do not meet k and the threshold, "" if they do;
    # from the instance alone, independent of the code that decides
    fault: Callable[[Any, np.ndarray], str]
    mutations: tuple[Mutation, ...]  # each is refuted by some source; see `broken`
    # ``picture(source, carried, assignment=None)`` draws the target with distinct gadgets; `customdata` of a point is
    # the position of its item
    picture: Callable[..., go.Figure]

    @classmethod
    def of(cls, name: str, figure: str, **attributes: Any) -> Reduction:
        """The object with its words, and the figure of this name in `plot`."""
        return cls(name=name, picture=figure_by_name(figure), **_words_of(name), **attributes)

    def variant(self, name: str, **changes: Any) -> Reduction:
        """A variant of this reduction with its own words and the given changes."""
        return replace(self, name=name, **_words_of(name), **changes)

    def back(self, source: Any, carried: Any, assignment: np.ndarray) -> Any:
        """The solution of the source that classes represent; `InvalidInput` with their fault if they have one."""
        if reason := self.fault(carried, assignment):
            raise InvalidInput(reason)
        return self.read(source, carried, assignment)


def figure_by_name(name: str) -> Lazy:
    """A function of `plot`, loaded when it is called."""
    return Lazy(f"kanon_engine.teaching.reductions.plot:{name}")


def _words_of(name: str) -> dict[str, Any]:
    """The section of words.md on a reduction, as fields of `Reduction`."""
    title, (theorem, claim, how, changes) = sections(WORDS)[name]
    return {"title": title, "theorem": theorem, "claim": claim, "how": how, "mutations": tuple(_mutations(changes))}


def _mutations(listed: str) -> Iterator[Mutation]:
    """A list of mutations, including those from shared lists."""
    for line in listed.split("\n"):
        name, _, words = line.removeprefix("- ").partition(": ")
        if name == "changes of":
            for shared in words.split(", "):
                yield from _mutations(sections(WORDS)[f"changes of {shared}"][1][0])
        else:
            yield Mutation(name, words)


@dataclass(frozen=True, eq=False)
class WrongAnswer:
    """A source that a reduction, or a mutation of it, answers wrongly."""

    source: Any
    mutation: Mutation | None
    # of_source, of_target: whether the source and its target have a solution
    of_source: bool
    of_target: bool
    solution: Any  # of the source; None if there is none
    carried: Carried  # the target
    # (n,) int32 or None: classes that meet k and the threshold; None if there are none
    assignment: np.ndarray | None


SOURCES = 1000  # that are tried before a construction counts as right


def broken(reduction: Reduction, mutation: str | None, limit: int = SOURCES) -> WrongAnswer | None:
    """The first tiny instance of the source for which source and target differ.

    Every answer “yes” is checked: the solution by the source problem, the classes against k and the threshold.

    Raises
    ------
    InvalidInput : There is no mutation of this name.

    >>> from kanon_engine.teaching.reductions import reduction_named
    >>> reduction = reduction_named("matching-to-paths")
    >>> found = broken(reduction, "vertices are joined by single edges instead of connectors")
    >>> reduction.source.text(found.source), found.of_source, found.of_target
    ('1: 1 1 1', True, False)
    >>> broken(reduction, None, limit=10) is None
    True
    """
    change = None if mutation is None else mutation_by_name(reduction, mutation)
    for source in islice(reduction.source.tiny(), limit):
        difference = difference_at(reduction, source, change)
        if difference is not None:
            return difference
    return None


def difference_at(reduction: Reduction, source: Any, mutation: Mutation | None) -> WrongAnswer | None:
    """How this source is answered wrongly, if it is."""
    carried = reduction.build(source, None if mutation is None else mutation.name)
    solution, assignment = reduction.source.solve(source), reduction.decide(carried)
    if solution is not None and not reduction.source.check(source, solution):
        raise InvalidInput(
            f"{solution} does not solve {reduction.source.text(source)}; the search that found this solution is wrong."
        )
    if assignment is not None and (fault := reduction.fault(carried, assignment)):
        raise InvalidInput(f"The groups found for {reduction.source.text(source)} are wrong: {fault}")
    if (solution is None) == (assignment is None):
        return None
    return WrongAnswer(source, mutation, solution is not None, assignment is not None, solution, carried, assignment)


def mutation_by_name(reduction: Reduction, name: str) -> Mutation:
    """The mutation of this name, or `InvalidInput` with a list."""
    for mutation in reduction.mutations:
        if mutation.name == name:
            return mutation
    names = ", ".join(mutation.name for mutation in reduction.mutations)
    raise InvalidInput(f"The reduction “{reduction.title}” has no change called {name!r}; choose one of {names}.")


def decided(carried: Carried, algorithm: str, **options: Any) -> np.ndarray | None:
    """Certified classes that cost at most the threshold, as (n,) int32; None if a search proves that there are none.

    Raises
    ------
    KanonError : The search stopped without either answer.

    >>> from kanon_engine.labels.instance import Labels
    >>> decided(Carried(Labels("abcd", [4, 2, 3, 1]), 5, 5, ()), "exact").tolist()
    [0, 1, 1, 0]
    >>> decided(Carried(Labels("abc", [4, 2, 4]), 5, 5, ()), "exact") is None
    True
    """
    try:
        result = generalize(carried.instance, carried.k, algorithm, **options)
    except Infeasible:
        return None
    if result.cost <= carried.threshold:
        return result.assignment
    if result.lower_bound <= carried.threshold:
        raise KanonError(
            f"The search stopped too early to say whether a cost of {carried.threshold:g} is possible. The lowest cost "
            f"found is {result.cost:g}, and the lower bound is {result.lower_bound:g}. Choose a smaller instance."
        )
    return None


def up_to_names(
    every: Iterable[Any], images: Sequence[Mapping[Any, Any]], most: int, may: Callable[[tuple[Any, ...]], bool]
) -> Iterator[list[tuple[Any, ...]]]:
    """Sorted collections of 0, 1 … `most` of some things, if they `may` be.

    Of collections that differ only in names, the smallest is given; each of `images` renames the things.

    >>> list(up_to_names("ab", [{"a": "a", "b": "b"}, {"a": "b", "b": "a"}], 2, lambda held: True))
    [[()], [('a',)], [('a', 'a'), ('a', 'b')]]
    """
    level: set[tuple[Any, ...]] = {()}
    for count in range(most + 1):
        yield sorted(level)
        if count < most:
            grown = {tuple(sorted((*collection, one))) for collection in level for one in every}
            level = {
                min(tuple(sorted(new[one] for one in collection)) for new in images)
                for collection in filter(may, grown)
            }


def whole_numbers(text: str) -> tuple[int, ...]:
    """The numbers in a line, separated by spaces or commas; `InvalidInput` quotes the first word that is not one.

    >>> whole_numbers("3 1, 4"), whole_numbers(" ")
    ((3, 1, 4), ())
    """
    words = [word for word in re.split(r"[\s,]+", text) if word]
    for word in words:
        if not re.fullmatch(r"[0-9]{1,9}", word):
            raise InvalidInput(f"“{word}” is not a whole number of at most nine digits.")
    return tuple(int(word) for word in words)
