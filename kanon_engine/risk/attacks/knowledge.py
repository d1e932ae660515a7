"""What attackers have, besides the release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from kanon_engine.model.generalization import Generalization
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.limits import Limits
from kanon_engine.risk.attacks.matching import Match
from kanon_engine.risk.attacks.published import Published
from kanon_engine.shown import Shown
from kanon_engine.tables.tree import Tree


@dataclass(frozen=True, eq=False, repr=False)
class Knowledge(Shown):
    """What attackers have, besides the release.

    Attributes
    ----------
    outside : DataFrame, optional
        A table of people with their names, one row a person. Where there is none and the records are known
        (`instance`), a made-up voter list takes its place.
    name : str, optional
        The column of the names.
    match : tuple of Match
        Columns of the release and of the outside table that tell the same under different names.
    everybody : bool
        Whether the outside table holds everybody who can be in the release: then a record that only one of them can
        have is that person's.
    year : int, optional
        The year that the ages of the release, or of the outside table, are of; estimated where the other has years of
        birth and it is None.
    others : tuple of Released
        Other releases that hold some of the same people.
    instance, result
        What the release was made from, and the Generalization that made it: of the house that publishes, for attacks
        that use the algorithm, and to measure what attackers would find.
    other_results : tuple of pairs
        The same of other releases: instance and Generalization.
    person : str, optional
        The column of tables that tells people apart, where releases are of different data.
    crosswalk : DataFrame, optional
        Which records are the same person's, where no column tells: one row a person, one column a release in their
        order, with the row that is the person's in the table or release, from 1; missing where there is none.
    totals : tuple of Published
        Groupings of the items of `instance` whose sums are known from elsewhere.
    limits : Limits
        From where on a group tells too much of a sensitive value.
    trees : mapping of str to Tree
        Sensitive column → which of its values mean the like.
    seed : int
    """

    outside: pd.DataFrame | None = None
    name: str | None = None
    match: tuple[Match, ...] = ()
    everybody: bool = False
    year: int | None = None
    others: tuple[Released, ...] = ()
    instance: Any = None
    result: Generalization | None = None
    other_results: tuple[tuple[Any, Generalization], ...] = ()
    person: str | None = None
    crosswalk: pd.DataFrame | None = None
    totals: tuple[Published, ...] = ()
    limits: Limits = field(default_factory=Limits)
    trees: Mapping[str, Tree] = field(default_factory=dict)
    seed: int = 0

    def _facts(self) -> dict[str, object]:
        return {
            "people outside": 0 if self.outside is None else len(self.outside),
            "other releases": len(self.others) + len(self.other_results),
            "certificate": "yes" if self.result is not None else "no",
        }
