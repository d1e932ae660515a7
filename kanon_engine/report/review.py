"""Everything that was found about a release, for an officer: what a report shows and a bundle contains."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kanon_engine.disclosure.figures import Figures
from kanon_engine.generalize import Certificate
from kanon_engine.model.attacked import Attacked
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.measure import Measure
from kanon_engine.model.words import listed
from kanon_engine.project.context import Context, Decision
from kanon_engine.release.released import Released
from kanon_engine.risk.rules.rule import Ruling
from kanon_engine.shown import Shown


@dataclass(frozen=True)
class Role:
    """What a column of the data is, and what happens to it."""

    column: str
    role: str  # "quasi-identifier", "sensitive", "kept", "left out", "count", "shape", …
    released: str  # what is released of it, in words: "in ranges", "as it is", "nothing"


@dataclass(frozen=True)
class ChecklistLine:
    """One line of the checklist."""

    heading: str  # "Context", "Data", "Risk", "Controls" or "Governance"
    question: str  # what an officer must be able to answer
    answer: str  # what was stated or found
    done: bool  # whether it is answered


@dataclass(frozen=True, eq=False, repr=False)
class Review(Shown):
    """A release, examined in full."""

    context: Context  # Context
    instance: Any  # Regions, Points, Labels, Table or MetricSpace
    g: Generalization
    certificate: Certificate
    released: Released  # what is released
    roles: tuple[Role, ...]
    # before, after: the risk of the records as they are, and of the release; the same keys if both have them
    before: tuple[Measure, ...]
    after: tuple[Measure, ...]
    rulings: tuple[Ruling, ...]
    attacks: tuple[Attacked, ...]
    utility: tuple[Measure, ...]
    checklist: tuple[ChecklistLine, ...]
    # name of a file → its SHA-256: what was read, each file of the release under release/, the certificate under
    # internal/
    digests: Mapping[str, str]
    versions: Mapping[str, str]  # name of a package → its version
    picture: bytes | None = None  # released map or plot, an SVG without scripts; None if only a table is released
    files: Mapping[str, bytes] = field(default_factory=dict)  # name → content of each file that may be released
    # (m,) tuple of int, or None: how many people of the population each class of `released` represents
    population_sizes: tuple[int, ...] | None = None
    # whether a person's own records are released in place of the groups: groups then hold k of the people that they
    # were made from, and any number of the records
    own: bool = False
    decision: Decision | None = None  # what was decided; None if nobody decided
    earlier: tuple[Figures, ...] = ()  # the numbers of other releases of the same items
    # files of a package that is reviewed as it is, which this kanon would write with different bytes
    other_bytes: tuple[str, ...] = ()

    @property
    def inputs(self) -> dict[str, str]:
        """Name → SHA-256 of each file that was read; none where the data came from memory."""
        return {name: digest for name, digest in self.digests.items() if not name.startswith(("release/", "internal/"))}

    def _facts(self) -> dict[str, object]:
        return {"family": self.g.family, "k": self.g.k, "rules": len(self.rulings), "attacks": len(self.attacks)}


# ---------------------------------------------------------------------------------------------------------------------
# What each column of the data is, and what happens to it in a release.
# ---------------------------------------------------------------------------------------------------------------------


KINDS = GENERALIZED, IN_RANGES, AS_IS, NOTHING = "generalized", "in ranges", "as it is", "nothing"


def roles_of(instance: Any, g: Generalization, released: Released) -> tuple[Role, ...]:
    """One line per column: for a table all its columns, for other data what the release shows.

    >>> import pandas as pd
    >>> import kanon_engine as kanon
    >>> from kanon_engine.release.made import released_of
    >>> table = kanon.Table(pd.DataFrame({"age": [30, 30, 41, 41], "name": list("abcd")}), ["age"])
    >>> g = kanon.generalize(table, 2)
    >>> [(role.column, role.role, role.released) for role in roles_of(table, g, released_of(table, g))]
    [('age', 'quasi-identifier', 'generalized'), ('name', 'other', 'nothing')]
    >>> people = pd.DataFrame({"name": list("ab"), "age": [30, 30], "pay": [1, 9], "city": list("xy")})
    >>> table = kanon.read_table(people, ["age"], identifiers=["name"], keep=["pay"], bins={"pay": 5})
    >>> g = kanon.generalize(table, 2)
    >>> [(role.column, role.role, role.released) for role in roles_of(table, g, released_of(table, g))][1:]
    [('pay', 'other', 'in ranges'), ('name', 'identifier', 'nothing'), ('city', 'other', 'nothing')]
    """
    reading = getattr(instance, "reading", {})
    identifiers, sensitive = reading.get("identifiers") or (), reading.get("sensitive") or ()
    ranged = set(reading.get("bins") or ()) - set(released.quasi_identifiers)
    released_names = [str(name) for name in released.frame.columns]
    frame = getattr(instance, "frame", None)
    input_names = [str(name) for name in frame.columns] if frame is not None else []
    left_out = getattr(instance, "left_out", ())
    columns = dict.fromkeys([*input_names, *map(str, identifiers), *released_names, *map(str, left_out)])
    return tuple(
        Role(
            name,
            "identifier" if name in identifiers else _role(name, released, sensitive),
            NOTHING if name not in released_names
            else GENERALIZED if name in released.quasi_identifiers
            else IN_RANGES if name in ranged
            else AS_IS,
        )
        for name in columns
    )  # fmt: skip


def columns_measure(roles: Sequence[Role]) -> tuple[Measure, ...]:
    """What happens to the columns, as a figure of what a release loses; none where no column is left out or in ranges.

    >>> columns_measure([Role("age", "quasi-identifier", GENERALIZED), Role("name", "identifier", NOTHING)])[0].words
    '1 of 2 released (generalized: “age”); left out: “name”'
    """
    by_kind = {kind: [role.column for role in roles if role.released == kind] for kind in KINDS}
    left_out = by_kind.pop(NOTHING)
    if not left_out and not by_kind[IN_RANGES]:
        return ()
    parts = "; ".join(f"{kind}: {listed(names)}" for kind, names in by_kind.items() if names)
    words = f"{len(roles) - len(left_out):,} of {len(roles):,} released ({parts})"
    return (
        Measure(
            "columns",
            "Columns in the release",
            (len(roles) - len(left_out)) / len(roles),
            f"{words}; left out: {listed(left_out)}" if left_out else words,
            "The other figures do not count what is lost with columns that are left out or were put into ranges.",
            "Counted.",
        ),
    )


def _role(name: str, released: Released, sensitive: Collection[str]) -> str:
    if name in released.quasi_identifiers:
        return "quasi-identifier"
    if name in released.sensitive or name in sensitive:
        return "sensitive"
    if name == released.counts or name in released.sums:
        return "count"
    return "derived" if name in released.derived else "other"
