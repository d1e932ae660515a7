"""A release and what is known about it, as every rule sees it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.disclosure.equations import PEOPLE
from kanon_engine.disclosure.figures import (
    COUNT,
    MEASURE,
    PART,
    UNPUBLISHED,
    Figures,
    Meaning,
    carried,
    figures_of,
    meaning_of,
    rate_meaning,
    shows_numbers,
)
from kanon_engine.disclosure.small_counts import Small, possible_parts, small_counts
from kanon_engine.errors import InvalidInput
from kanon_engine.model.attacked import NOT_RUN, Attacked
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import get_family
from kanon_engine.model.words import enumerated
from kanon_engine.release.released import Released
from kanon_engine.risk.rules.facts import Facts
from kanon_engine.risk.words import decimal, percent

MOST_NAMED = 6  # columns in a sentence


@dataclass(frozen=True, eq=False)
class Case:
    """The input of a rule."""

    released: Released
    g: Generalization | None  # what made it, if kanon did
    instance: Any  # Regions, Points, Labels, Table, MetricSpace or None
    facts: Facts
    attacks: tuple[Attacked, ...]
    earlier: tuple[Figures, ...] = ()  # what other releases publish about the same items

    def __post_init__(self) -> None:
        population = self.facts.population_sizes
        if population is None:
            return
        sizes = self.released.sizes
        if len(population) != len(sizes):
            raise InvalidInput(
                f"There are {len(population):,} population sizes for {len(sizes):,} groups; give one per group.",
                parameter="population_sizes",
            )
        if (np.asarray(population) < sizes).any():
            raise InvalidInput(
                "A group has fewer people in the population than in the release; count the whole population.",
                parameter="population_sizes",
            )

    @cached_property
    def beside(self) -> tuple[str, ...]:
        """Columns that are released as they are and that nobody marked sensitive: others may know a person's values.

        If groups are released, such columns describe a whole group.
        """
        if self.released.groups_leave:
            return ()
        return tuple(name for name in self.released.kept if name not in self.released.sensitive)

    @property
    def linking(self) -> tuple[str, ...]:
        """The columns by which someone may find a person."""
        return (*self.released.quasi_identifiers, *self.beside)

    @cached_property
    def classes(self) -> np.ndarray:
        """(rows,) int64: rows that show the same in these columns."""
        return self.released.sets(self.linking) if self.beside else self.released.classes

    @cached_property
    def sizes(self) -> np.ndarray:
        """(m,) int64: their numbers of records; empty sets, such as a group without people, are left out."""
        sizes = self.released.sizes_of(self.classes)
        return sizes[sizes > 0]

    @cached_property
    def alone(self) -> int:
        """How many records are unique in all released columns."""
        if self.released.groups_leave:
            return int((self.sizes == 1).sum())
        return int((self.equal == 1).sum())

    @cached_property
    def equal(self) -> np.ndarray:
        """(c,) int64: how many records are identical in everything that the release shows."""
        numbers = {self.released.counts, *self.released.sums}
        columns = [name for name in self.released.frame.columns if name not in numbers]
        sizes = self.released.sizes_of(self.released.sets(columns))
        return sizes[sizes > 0]

    @property
    def smallest(self) -> int:
        """The fewest records of a class."""
        return int(self.sizes.min())

    @property
    def over(self) -> str:
        """The columns that distinguish classes, if these are not only the quasi-identifiers."""
        if not self.beside:
            return ""
        role, they_are = ("a quasi-identifier", "it is") if len(self.beside) == 1 else ("quasi-identifiers", "they are")
        return (
            f" (counting {columns_text(self.beside)} as {role}, because {they_are} released unchanged and not marked "
            "sensitive)"
        )

    @property
    def fewer_columns(self) -> str:
        """The next step by which only the quasi-identifiers distinguish classes; "" if only they do."""
        if not self.beside:
            return ""
        them, role = ("it", "a quasi-identifier") if len(self.beside) == 1 else ("them", "quasi-identifiers")
        return (
            f"Leave out {columns_text(self.beside)}, or make {them} {role}. If outsiders cannot know the values of a "
            "column, mark it as sensitive instead."
        )

    def larger_groups(self, fewest: int) -> str:
        """The next step by which every group has at least `fewest` records; "" if all have."""
        k, reached = self.released.k, int(self.released.sizes.min())
        if reached >= fewest:
            return ""
        if k <= reached:
            return f"Raise k to {fewest:,}."
        # groups of a person's own records may be below k, whatever k is
        return f"Generalize more, until every group has at least {fewest:,} {self.released.unit}."

    def larger_classes(self, fewest: int) -> str:
        """The next step by which every class has at least `fewest` records, or why none can."""
        if fewest > self.released.records:
            return (
                f"No change is enough, because the rule requires groups of at least {fewest:,}, and the release has "
                f"only {self.number(self.released.records)}."
            )
        return f"{self.fewer_columns} {self.larger_groups(fewest)}".strip()

    @cached_property
    def by_population(self) -> bool:
        """Whether the risk of a record is 1 / its group in the population, instead of 1 / its group in the release."""
        facts = self.facts
        return facts.membership_unknown and facts.population_sizes is not None and not self.beside

    @cached_property
    def hidden_among(self) -> np.ndarray:
        """(m,) int64: the number of people among whom each record of a class is hidden."""
        if not self.by_population:
            return self.sizes
        return np.asarray(self.facts.population_sizes, dtype=np.int64)[self.released.sizes > 0]

    @property
    def highest(self) -> Fraction:
        """The highest risk of a record, exactly: 1 / smallest class (prosecutor; journalist by the population)."""
        return Fraction(1, int(self.hidden_among.min()))

    def average_within(self, limit: Fraction) -> bool:
        """Whether the average risk of the records is at most a limit, exactly.

        In the release this is classes / records. In the population it is a sum of fractions, which is added up exactly
        only if rounding could decide.
        """
        records = int(self.sizes.sum())
        if not self.by_population:
            return len(self.sizes) * limit.denominator <= records * limit.numerator
        near = self.average - float(limit)
        # far from the limit, rounding cannot decide, and a sum of many fractions is slow
        if abs(near) > 1e-9:
            return near < 0
        whole = sum(
            (Fraction(int(size), int(among)) for size, among in zip(self.sizes, self.hidden_among, strict=True)),
            Fraction(0),
        )
        return whole <= limit * records

    @property
    def average(self) -> float:
        """The average risk of the records."""
        return math.fsum((self.sizes / self.hidden_among).tolist()) / int(self.sizes.sum())

    def at_risk(self, limit: Fraction) -> int:
        """How many records have a risk above a limit."""
        fewer = min((limit.denominator - 1) // limit.numerator, 2**62)  # 1 / n > limit up to this n
        above = self.hidden_among <= fewer
        return int(self.sizes[above].sum())

    @property
    def on_the_ground(self) -> bool:
        """Whether the groups of the release are areas."""
        return self.g is not None and get_family(self.g.family).places(self.instance)

    @cached_property
    def data(self) -> str:
        """What the data are, as a person stated; areas with nothing but counts of people are a census."""
        counts_only = self.released.groups_leave and not self.second_counts and self.on_the_ground
        return self.facts.data or ("census" if counts_only and self.released.unit == "people" else "")

    @cached_property
    def published(self) -> tuple[Figures, ...]:
        """The numbers of this release and of others; none for a release of records."""
        if not self.released.groups_leave:
            return ()
        names = [name for name, text in self.facts.columns.items() if meaning_of(text).kind != UNPUBLISHED]
        sums = {} if self.g is None or self.released.sums else carried(self.instance, self.g, names)
        current = figures_of(replace(self.released, name="this release"), self.instance, self.g, sums)
        return (current, *self.earlier)

    @cached_property
    def meanings(self) -> dict[str, Meaning]:
        """What each numeric column is, as far as known."""
        result: dict[str, Meaning] = {}
        counts = {*self.released.sums, PEOPLE, self.released.unit, self.released.counts}
        for name in dict.fromkeys(name for one in self.published for name in one.numbers):
            rate = rate_meaning(name)
            if name in self.facts.columns:
                result[name] = meaning_of(self.facts.columns[name])
            elif name in self.released.sums:
                result[name] = Meaning(PART, PEOPLE) if self.facts.parts else Meaning(COUNT)
            elif rate is not None and {rate.top, rate.whole} <= counts:
                result[name] = rate
            elif self._is_of_groups(name):
                result[name] = Meaning(MEASURE)
        return result

    def _is_of_groups(self, name: str) -> bool:
        """Whether a column counts the items of each group, not people."""
        if self.g is None or name not in ("areas", "items") or len(self.released.frame) != self.g.classes:
            return False
        items = np.bincount(self.g.assignment[self.g.assignment >= 0], minlength=self.g.classes)
        return name in self.released.frame and bool((self.released.frame[name].to_numpy() == items).all())

    @cached_property
    def undeclared(self) -> tuple[str, ...]:
        """Numeric columns that nobody described, if rows represent several records."""
        if self.released.counts is None:
            return ()
        if not self.published:
            declared = {*self.released.sums, *self.facts.columns}
            return tuple(
                str(name)
                for name in self.released.kept
                if name not in declared and shows_numbers(self.released.frame[name])
            )
        visible = [str(name) for name in self.published[0].numbers]
        return tuple(name for name in visible if name not in self.meanings)

    @cached_property
    def second_counts(self) -> tuple[str, ...]:
        """Second counts that the release shows, or that may be published with it because nobody stated otherwise."""
        kinds = {name: meaning_of(text).kind for name, text in self.facts.columns.items()}
        declared = [name for name, kind in kinds.items() if kind in (COUNT, PART)]
        sums = (*self.released.sums, *self.unsaid_sums, *declared)
        return tuple(name for name in dict.fromkeys(sums) if kinds.get(name) != UNPUBLISHED)

    @cached_property
    def unsaid_sums(self) -> tuple[str, ...]:
        """Second counts of the data that the release does not show and nobody stated to be published or not."""
        if self.g is None or self.instance is None or not self.published or self.released.sums:
            return ()
        elsewhere = {name for one in self.earlier for name in one.numbers if name in self.instance.columns}
        may = {*carried(self.instance, self.g), *elsewhere}
        return tuple(name for name in self.instance.columns if name in may and name not in self.facts.columns)

    def small(self, least: int) -> Small:
        """Counts from 1 to `least` - 1 that follow from everything that is published."""
        return small_counts(self.published, self.meanings, least, people=not self.attack_ran)

    def small_if_parts(self, least: int) -> tuple[str, str] | None:
        """A count and another that it may be a part of, if fewer than `least` would then be in it, or not in it."""
        counts = [PEOPLE, *(name for name, meaning in self.meanings.items() if meaning.kind in (COUNT, PART))]
        unsaid = [name for name in counts if name in self.released.sums and name not in self.facts.columns]
        if self.facts.parts is False:
            counts.remove(PEOPLE)
        parts = possible_parts(self.published, counts, unsaid)
        result = small_counts(self.published, self.meanings, least, parts=parts, people=False) if parts else None
        # declarations that contradict each other together are tried one by one
        tries = [parts] if result is not None and not result.contradiction else [{one: parts[one]} for one in parts]
        for some in tries:
            result = small_counts(self.published, self.meanings, least, parts=some, people=False)
            if len(result.evidence):
                names = [str(name) for row in result.evidence[["without", "count"]].to_numpy().tolist() for name in row]
                part = next((name for name in names if name in some), next(iter(some)))
                return part, some[part]
        return None

    @property
    def attack_ran(self) -> bool:
        """Whether the differencing attack examined the first count."""
        return self.g is not None and any(attacked.verdict != NOT_RUN for attacked in self.attack("differencing"))

    def attack(self, name: str) -> tuple[Attacked, ...]:
        """The attacks of this name, whether run or not."""
        return tuple(attacked for attacked in self.attacks if attacked.attack == name)

    def texts(self, name: str) -> list[str]:
        """What a column shows, each text once."""
        column = self.released.frame[name]
        return [str(value) for value in pd.unique(column.dropna().astype(object))]

    def number(self, count: int) -> str:
        """A number of what the release counts, in words."""
        unit = self.released.unit
        if count == 1:
            unit = "person" if unit == "people" else unit.removesuffix("s")
        return f"{count:,} {unit}"


def columns_text(names: Sequence[str]) -> str:
    """Columns for a sentence, the first by name.

    >>> columns_text(["age", "sex"]), columns_text(list("abcdefgh"))
    ('“age” and “sex”', '“a”, “b”, “c”, “d”, “e”, “f” and 2 more')
    """
    more = len(names) - MOST_NAMED
    return enumerated([f"“{name}”" for name in names[:MOST_NAMED]] + [f"{more:,} more"] * (more > 0))


def limit_words(limit: Fraction) -> str:
    """A limit as its rule states it, and in percent.

    >>> limit_words(Fraction(9, 100)), limit_words(Fraction(1, 100_000))
    ('0.09 (9 %)', '0.00001 (0.001 %)')
    """
    return f"{decimal(float(limit))} ({percent(float(limit))})"
