"""A release and what is known of it, as every rule looks at it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.io.roles import listed
from kanon_engine.model.generalization import Generalization
from kanon_engine.registry import family_named
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.attacked import Attacked
from kanon_engine.risk.rules.facts import Facts
from kanon_engine.risk.words import decimal, percent

NOBODY = "The release has no records."


@dataclass(frozen=True, eq=False)
class Case:
    """What a rule is told.

    Attributes
    ----------
    released : Released
    g : Generalization or None
        What made it, where kanon did.
    instance : Regions, Points, Labels, Table, MetricSpace or None
    facts : Facts
    attacks : tuple of Attacked
    """

    released: Released
    g: Generalization | None
    instance: Any
    facts: Facts
    attacks: tuple[Attacked, ...]

    def __post_init__(self) -> None:
        known = self.facts.population_sizes
        if known is None:
            return
        sizes = self.released.sizes
        if len(known) != len(sizes):
            raise InvalidInput(
                f"There are {len(known):,} sizes of the population for {len(sizes):,} groups; give one a group.",
                parameter="population_sizes",
            )
        if (np.asarray(known) < sizes).any():
            raise InvalidInput(
                "A group of the population has fewer people than the release has there; count the whole population.",
                parameter="population_sizes",
            )

    @cached_property
    def beside(self) -> tuple[str, ...]:
        """Columns that leave as they are and that nobody called sensitive: others may know them of a person.

        Where groups leave, such columns tell of a whole group.
        """
        if self.released.groups_leave:
            return ()
        return tuple(name for name in self.released.kept if name not in self.released.sensitive)

    @property
    def linking(self) -> tuple[str, ...]:
        """The columns by which somebody may find a person."""
        return (*self.released.quasi_identifiers, *self.beside)

    @cached_property
    def classes(self) -> np.ndarray:
        """(rows,) int64: rows that show the same in these columns."""
        return self.released.sets(self.linking) if self.beside else self.released.classes

    @cached_property
    def sizes(self) -> np.ndarray:
        """(m,) int64: how many records they are; sets without any, as of a group without people, are left out."""
        sizes = self.released.sizes_of(self.classes)
        return sizes[sizes > 0]

    @cached_property
    def alone(self) -> int:
        """How many records show in all released columns what no other record does."""
        if self.released.groups_leave:
            return int((self.sizes == 1).sum())
        return int((self.equal == 1).sum())

    @cached_property
    def equal(self) -> np.ndarray:
        """(c,) int64: how many records are equal in everything that the release shows of them."""
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
        """By which columns classes are told apart, where these are not the quasi-identifiers alone."""
        if not self.beside:
            return ""
        are = "released as it is" if len(self.beside) == 1 else "released as they are"
        return f" (with {listed(self.beside[:6])}, {are} and not named sensitive)"

    @cached_property
    def by_population(self) -> bool:
        """Whether the risk of a record is one in its group of the population, and not one in that of the release."""
        facts = self.facts
        return facts.membership_unknown and facts.population_sizes is not None and not self.beside

    @cached_property
    def hidden_among(self) -> np.ndarray:
        """(m,) int64: among how many each record of a class may be anyone."""
        if not self.by_population:
            return self.sizes
        return np.asarray(self.facts.population_sizes, dtype=np.int64)[self.released.sizes > 0]

    @property
    def highest(self) -> Fraction:
        """The highest risk of a record, exactly: 1 / smallest class (prosecutor; journalist by the population)."""
        return Fraction(1, int(self.hidden_among.min()))

    def average_within(self, limit: Fraction) -> bool:
        """Whether the average risk of the records is at most a limit, exactly.

        In the release alone that is classes / records. By the population it is a sum of fractions, which is added up
        exactly only where rounding could decide.
        """
        records = int(self.sizes.sum())
        if not self.by_population:
            return len(self.sizes) * limit.denominator <= records * limit.numerator
        near = self.average - float(limit)
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
        return self.g is not None and family_named(self.g.family).places(self.instance)

    @property
    def data(self) -> str:
        """What the data are, as a person says; areas in which people are counted, and nothing else, are a census."""
        counted = self.released.groups_leave and not self.released.sums and self.on_the_ground
        return self.facts.data or ("census" if counted and self.released.unit == "people" else "")

    def attack(self, name: str) -> tuple[Attacked, ...]:
        """The attacks of this name that were run, or not."""
        return tuple(attacked for attacked in self.attacks if attacked.attack == name)

    def texts(self, name: str) -> list[str]:
        """What a column shows, each text once."""
        shown = self.released.frame[name]
        return [str(value) for value in pd.unique(shown.dropna().astype(object))]

    def number(self, count: int) -> str:
        """So many of what the release counts."""
        unit = self.released.unit
        if count == 1:
            unit = "person" if unit == "people" else unit.removesuffix("s")
        return f"{count:,} {unit}"


def limit_words(limit: Fraction) -> str:
    """A limit as its rule has it, and in percent.

    Example
    -------
    >>> limit_words(Fraction(9, 100)), limit_words(Fraction(1, 100_000))
    ('0.09 (9 %)', '0.00001 (0.001 %)')
    """
    return f"{decimal(float(limit))} ({percent(float(limit))})"
