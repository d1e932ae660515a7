"""What attackers have, besides the release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.tree import Tree
from kanon_engine.release.audit_figures import CLOSE
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.matching import Match
from kanon_engine.risk.attacks.published import Published
from kanon_engine.shown import Shown


@dataclass(frozen=True, repr=False)
class Limits(Shown):
    """Limits above which a group reveals too much.

    >>> Limits.read(["t=0.2", "times=4"])
    <Limits: t 0.2, rise 0.3, reach 0.3, times 4, apart 0.01, absent 0.5, belief 0.9>
    """

    # the distance of the values of a group from those of all records may be at most this (Li, Li, Venkatasubramanian,
    # t-Closeness, ICDE 2007)
    t: float = CLOSE
    rise: float = 0.3  # belief in a value rises by less than this (the skewness attack of the same paper)
    # reach, times: belief that is `times` as high as before stays below `reach` (the relative change that β-likeness
    # limits: Cao, Karras, Publishing Microdata with a Robust Privacy Guarantee, PVLDB 2012)
    reach: float = 0.3
    times: float = 5.0
    # numbers of a group span more than this share of the range of their column (the similarity attack of Li and others;
    # (k, e)-anonymity: Zhang, Koudas, Srivastava, Yu, ICDE 2007)
    apart: float = 0.01
    # a value that this share of all records has occurs in each group (negative disclosure: Machanavajjhala and others,
    # l-Diversity, TKDD 2007, section 3)
    absent: float = 0.5
    # what several releases together make likely is at most this likely, unless one alone does so (Ganta,
    # Kasiviswanathan, Smith, Composition Attacks, KDD 2008, count values that are certain)
    belief: float = 0.9

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            least, most = (1.0, float("inf")) if one.name == "times" else (0.0, 1.0)
            if not least <= value <= most:
                form = "a number of at least 1" if one.name == "times" else "a number between 0 and 1"
                raise InvalidInput(f"The limit “{one.name}” is {value:g}; give {form}.")

    @classmethod
    def read(cls, texts: Iterable[str]) -> Limits:
        """From texts such as "t=0.2"; limits that are not listed keep their defaults."""
        names = [one.name for one in fields(cls)]
        limits: dict[str, float] = {}
        for text in texts:
            name, _, number = (part.strip() for part in text.partition("="))
            if name not in names:
                raise InvalidInput(f"There is no limit called {name!r}; choose from {', '.join(names)}, such as t=0.2.")
            try:
                limits[name] = float(number)
            except ValueError as error:
                raise InvalidInput(f"The limit {text!r} is not a number; write it as {name}=0.2.") from error
        return cls(**limits)

    @property
    def texts(self) -> tuple[str, ...]:
        """Those that differ from the defaults, in the form that `read` takes.

        >>> Limits(t=0.2).texts
        ('t=0.2',)
        """
        return tuple(f"{one.name}={getattr(self, one.name)}" for one in fields(self)
                     if getattr(self, one.name) != one.default)  # fmt: skip

    def written(self) -> str:
        """Those of one group, as written in a verdict."""
        return (
            "The release survives if no group makes a value certain, the distance t of a group's values from those of "
            f"all records is at most {self.t:g} (small groups may exceed this limit by as much as groups of randomly "
            f"chosen records would), and no belief in a value rises by {self.rise:g} or more. If belief in a value "
            f"rises to at least {self.times:g} times what it was, it must still be below {self.reach:g}. Every group "
            f"must have each value that at least {self.absent:.0%} of all records have. Within a group, numbers must "
            f"span more than {self.apart:.2%} of the range of their column, and values must not all be in one branch "
            "of their tree."
        )

    def _facts(self) -> dict[str, object]:
        return {one.name: f"{getattr(self, one.name):g}" for one in fields(self)}


@dataclass(frozen=True, eq=False, repr=False)
class Knowledge(Shown):
    """What attackers have, besides the release."""

    # a table of people with their names, one row per person. Without one, a synthetic voter list is used if the records
    # are known (`instance`)
    outside: pd.DataFrame | None = None
    name: str | None = None  # the column of the names
    # columns of the release and of the outside table that correspond under different names
    match: tuple[Match, ...] = ()
    # whether the outside table contains everyone who can be in the release: then a record that only one of them can
    # have is that person's
    everybody: bool = False
    # the year in which the ages of the release, or of the outside table, were recorded; if None and the other has years
    # of birth, it is estimated
    year: int | None = None
    others: tuple[Released, ...] = ()  # other releases that contain some of the same people
    # instance, result: what the release was made from, and the Generalization that made it: known to the publisher, for
    # attacks that use the algorithm, and to measure what attackers would find
    instance: Any = None
    result: Generalization | None = None
    # the same of other releases: instance and Generalization
    other_results: tuple[tuple[Any, Generalization], ...] = ()
    person: str | None = None  # the column that identifies people, if releases come from different tables
    # which records belong to the same person, if no column says so: one row per person, one column per release in
    # order, with the person's row in that table or release, from 1; missing if there is none
    crosswalk: pd.DataFrame | None = None
    totals: tuple[Published, ...] = ()  # groupings of the items of `instance` whose sums are known from elsewhere
    limits: Limits = field(default_factory=Limits)  # above which a group reveals too much about a sensitive value
    trees: Mapping[str, Tree] = field(
        default_factory=dict
    )  # sensitive column → which of its values are similar in meaning
    seed: int = 0

    def _facts(self) -> dict[str, object]:
        return {
            "people in the outside table": 0 if self.outside is None else len(self.outside),
            "other releases": len(self.others) + len(self.other_results),
            "certificate": "yes" if self.result is not None else "no",
        }
