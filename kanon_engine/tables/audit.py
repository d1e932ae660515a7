"""What a release of records tells: looked at as its readers see it, before it leaves."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.serialize import content_digest
from kanon_engine.model.words import listed
from kanon_engine.release import require_releasable
from kanon_engine.tables.audit_figures import (
    DROP,
    FEW_RANGES,
    MINOR,
    NOTABLE,
    PUBLIC,
    ROUND,
    SERIOUS,
    SEVERITIES,
    AuditFigures,
    Finding,
    Mend,
    SensitiveFigures,
    View,
    dense,
    diversity_findings,
    diversity_of,
    records,
    remedies,
    round_widths,
    sizes_of,
    value_findings,
)
from kanon_engine.tables.instance import Table, expanded, too_many
from kanon_engine.tables.release import kept_columns, released_frame, sensitive_columns

__all__ = ["Audit", "AuditFigures", "Finding", "Mend", "SensitiveFigures", "audit", "audit_view"]


@dataclass(frozen=True, repr=False)
class Audit(AuditFigures):
    """What a release of records would tell, worst first. Internal: it counts who stands out."""

    left_out: int  # how many records would not be released
    findings: tuple[Finding, ...]

    def _facts(self) -> dict[str, object]:
        worst = [(word, sum(found.severity == word for found in self.findings)) for word in SEVERITIES]
        return {"k": self.k_reached, "k of all columns": self.k_together, "below k": self.below, **dict(worst)}

    @property
    def digest(self) -> str:
        """Over all figures and findings; not over their words."""
        return content_digest(**self.figures())

    @property
    def sentence(self) -> str:
        """How many findings there are of each severity, and k over all released columns."""
        counts = [(word, sum(found.severity == word for found in self.findings)) for word in SEVERITIES]
        told = ", ".join(f"{count:,} {word}" for word, count in counts if count) or "nothing"
        return (
            f"The audit found {told}. k is {self.k_reached:,} over the quasi-identifiers and {self.k_together:,} over "
            f"all released columns together.{self.not_judged}"
            + (
                f" Of the {len(self.kept):,} columns that are released as they are, combinations of "
                f"{len(self.looked_at):,} were looked at."
                if len(self.looked_at) < len(self.kept)
                else ""
            )
        )

    def _content(self) -> dict[str, Any]:
        findings = [
            {"kind": found.kind, "severity": found.severity, "columns": found.columns, "records": found.records}
            for found in self.findings
        ]
        return super()._content() | {"findings": findings}

    def to_frame(self) -> pd.DataFrame:
        """One row a finding, worst first: severity, kind, what, columns, records, reason, remedy."""
        rows = [
            (
                found.severity,
                found.kind,
                found.what,
                ", ".join(found.columns),
                found.records,
                found.reason,
                "; or ".join(mend.words for mend in found.remedy),
            )
            for found in self.findings
        ]
        return pd.DataFrame(rows, columns=["severity", "kind", "what", "columns", "records", "reason", "remedy"])


def audit(
    table: Table,
    g: Generalization,
    keep: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    progress: Callable[[float], object] | None = None,
) -> Audit:
    """Look at what would be released as a reader of it does, who also knows something of people.

    It reads the released records and the table alone, and shares nothing with the search.

    Parameters
    ----------
    table : Table
    g : Made from this table.
    keep : Columns that are released as they are; those that were named when the table was read where it is None.
    sensitive : sequence of str, optional
        Which of them tell something about a person. Where it is None: those that were named when the table was read,
        and of columns that were not named to be kept then those that are called so, as “illness” is. Others are taken
        for what people know of each other; the sentence names them.
    progress : Told which share of the combinations of columns has been looked at.

    Returns
    -------
    Audit

    Raises
    ------
    InvalidInput
        A result of other data, or a column that cannot be released as it is.

    Complexity
    ----------
    Passes over the records, one for each two and three of at most 20 kept columns.

    References
    ----------
    Machanavajjhala et al. 2007 (l-diversity); Li, Li, Venkatasubramanian 2007 (t-closeness); Elliot, Manning, Ford
    2002 (special uniques).

    Example
    -------
    >>> import kanon_engine as kanon
    >>> people = pd.DataFrame({"age": [30, 30, 41, 41], "illness": ["flu", "flu", "flu", "cold"]})
    >>> table = kanon.Table(people, ["age"])
    >>> found = kanon.audit(table, kanon.generalize(table, 2), keep=["illness"])
    >>> found.k_reached, found.k_together, found.alone, found.sensitive[0].l
    (2, 1, 2, 1)
    >>> [(one.severity, one.kind, one.records) for one in found.findings][:2]
    [('serious', 'constant groups', 2), ('notable', 'single values', 1)]
    """
    if g.instance_digest != table.digest or len(g.assignment) != len(table):
        raise InvalidInput("The result was made of other data than this table, or of the same read in another way.")
    require_releasable(g)
    kept = tuple(kept_columns(table) if keep is None else map(str, keep))
    frame = released_frame(table, g, kept)
    own = sensitive_columns(table, kept, sensitive)
    return audit_view(View(expanded(table), g.k, frame, kept, own), table.total - len(frame), progress)


def audit_of(table: Table, g: Generalization) -> Audit | None:
    """`audit`, or None for a counted table of more records than are looked at one by one."""
    return None if too_many(table) else audit(table, g)


def audit_view(view: View, left_out: int, progress: Callable[[float], object] | None = None) -> Audit:
    """Look at released records, of whatever family.

    Parameters
    ----------
    left_out : Records that are not released.
    progress : As in `audit`.
    """
    kept, own = view.kept, view.sensitive
    told = [diversity_of(view, name) for name in (*own, *([view.label] if view.label else []))]
    names = looked_at(view)
    uniques = special_uniques([view.codes[name] for name in names], progress)
    findings = [*joined_findings(view), *extreme_findings(view), *unique_findings(view, names, uniques)]
    for diversity in told:
        findings += diversity_findings(view, diversity)
    for name in kept:
        findings += value_findings(view, name)
    findings.sort(key=lambda found: (SEVERITIES.index(found.severity), found.kind == "unchanged", -found.records))
    counts = [(tuple(names[at] for at in places), int(own.sum())) for places, own in uniques.items() if len(places) > 1]
    quasi = tuple(view.table.quasi_identifiers)
    released = (*quasi, *kept)
    alone, below = alone_and_below(view, released)
    return Audit(
        k=view.k,
        records=len(view),
        quasi_identifiers=quasi,
        kept=kept,
        k_reached=smallest(view, quasi),
        k_together=smallest(view, released),
        alone=alone,
        below=below,
        sensitive=tuple(told),
        combinations=tuple(sorted(counts, key=lambda entry: (-entry[1], entry[0]))),
        looked_at=names,
        left_out=left_out,
        findings=tuple(findings),
    )


# ---------------------------------------------------------------------------------------------------------------------
# k over the quasi-identifiers, and over all released columns together.
# ---------------------------------------------------------------------------------------------------------------------


def alone_and_below(view: View, columns: Sequence[str]) -> tuple[int, int]:
    """How many records show in these columns what no other does, and what fewer than k do."""
    sizes = sizes_of(view.sets(columns))
    return int((sizes == 1).sum()), int((sizes < view.k).sum())


def joined_findings(view: View) -> Iterator[Finding]:
    """Records that the quasi-identifiers do not tell apart, and more columns do."""
    quasi, k, unit = view.table.quasi_identifiers, view.k, view.table.unit
    _, light = alone_and_below(view, quasi)
    if light:
        yield Finding(
            "below k",
            SERIOUS,
            f"{records(light, unit)} in groups smaller than k = {k:,}.",
            tuple(quasi),
            light,
            "The release is not k-anonymous.",
        )
    for columns, severe, reason in (
        (view.others, True, "Who knows these columns of a person as well finds fewer than k records."),
        (view.kept, False, "Sensitive columns and the class label count; only who knows these finds the record."),
    ):
        alone, below = alone_and_below(view, [*quasi, *columns]) if columns else (0, 0)
        if not below:
            continue
        worst = max(columns, key=lambda name: alone_and_below(view, [*quasi, name])[::-1])
        single = f", {'all' if alone == below else f'{alone:,}'} of them alone" if alone else ""
        yield Finding(
            "joined",
            (SERIOUS if alone else NOTABLE) if severe else MINOR,
            f"{records(below, unit)} in sets below k = {k:,} when {listed(columns)} "
            f"{'is' if len(columns) == 1 else 'are'} added to the quasi-identifiers{single}.",
            tuple(columns),
            below,
            reason,
            tuple(remedies(view, worst)) if severe else (Mend(DROP, worst),),
        )
        return


def smallest(view: View, columns: Sequence[str]) -> int:
    """The smallest set of records that show the same in these columns."""
    return int(np.bincount(view.sets(columns)).min())


# ---------------------------------------------------------------------------------------------------------------------
# Ranges whose shown ends tell of one record, or of the least or greatest value of the table.
# ---------------------------------------------------------------------------------------------------------------------


NUMBER = r"(−?\d[\d.]*(?:e[+−-]?\d+)?)"
RANGE = re.compile(rf"{NUMBER}(?:–| to ){NUMBER}(?: or missing)?")
HALF_OPEN = re.compile(rf"{NUMBER} to under {NUMBER}(?: or missing)?")
OPEN = re.compile(rf"([≤≥]) {NUMBER}(?: or missing)?")
PARTS = re.compile(r" … | or |, ")
COUNT = re.compile(r" \([\d,]+ values\)$")


def extreme_findings(view: View) -> Iterator[Finding]:
    """Of the quasi-identifiers whose domains come from the file; an order, a hierarchy or ranges are public."""
    for place, name in enumerate(view.table.quasi_identifiers):
        if view.table.is_ordered(name):
            continue
        domain = view.table.domains[place]
        counts = np.bincount(view.table.codes[:, place], minlength=len(domain)).tolist()
        known = {value: count for value, count in zip(domain, counts, strict=True) if value is not None and count}
        cells = [str(cell) for cell in view.frame[name].dropna().unique().tolist()]
        if not known:  # nothing but missing values
            continue
        if all(_is_number(value) for value in known):
            yield from _of_numbers(view, name, known, cells)
        else:
            yield from _of_words(view, name, known, cells)


def _of_numbers(view: View, name: str, known: dict[Any, int], cells: list[str]) -> Iterator[Finding]:
    ends = {end for cell in cells for end in ends_of(cell)}
    single = [value for value, count in known.items() if count == 1 and value in ends]
    outermost = [value for value in (min(known), max(known)) if value in ends and value not in single]
    spread = max(known) - min(known)
    wanted = max(spread / FEW_RANGES, 1 if all(isinstance(value, int) for value in known) else 0)
    width = next(round_widths(wanted)) if wanted and math.isfinite(wanted) else None
    mends = (*([Mend(ROUND, name, (0, width))] if width else []), Mend(DROP, name))
    if single:
        verb = "end is" if len(single) == 1 else "ends are"
        yield Finding(
            "extremes",
            NOTABLE,
            f"{len(single):,} {verb} shown in “{name}” that one of the {view.table.unit} only has as value.",
            (name,),
            len(single),
            "A range that ends at a record's own value tells that value.",
            mends,
        )
    if outermost:
        which = "least and greatest values" if len(outermost) == 2 else "outermost value"
        yield Finding(
            "extremes",
            MINOR,
            f"The ranges of “{name}” end at the table's {which}.",
            (name,),
            sum(known[value] for value in outermost),
            "A range that ends at the least or greatest value tells an extreme of the table.",
            mends,
        )


def _of_words(view: View, name: str, known: dict[Any, int], cells: list[str]) -> Iterator[Finding]:
    """Words that a range names and one record has."""
    rare = {str(value) for value, count in known.items() if count == 1}
    named = set(cells).union(*(PARTS.split(COUNT.sub("", cell)) for cell in cells))
    found = len(rare & named)
    if found:
        yield Finding(
            "extremes",
            NOTABLE,
            f"{found:,} value{'s' * (found > 1)} of “{name}” {'are' if found > 1 else 'is'} named that one of the "
            f"{view.table.unit} only has.",
            (name,),
            found,
            "Its values come from the file, so naming one tells that somebody has it, unless all of them are public.",
            (Mend(PUBLIC, name), Mend(DROP, name)),
        )


def ends_of(cell: str) -> list[float]:
    """The numbers at which a range of a release ends; none of a single value.

    Example
    -------
    >>> ends_of("17–25"), ends_of("−4 to 0.5 or missing"), ends_of("≥ 90"), ends_of("1 to under 2"), ends_of("17")
    ([17.0, 25.0], [-4.0, 0.5], [90.0], [1.0], [])
    """
    half = HALF_OPEN.fullmatch(cell)
    if half is not None:
        return [_number(half[1])]
    whole = RANGE.fullmatch(cell)
    if whole is not None:
        return [_number(whole[1]), _number(whole[2])]
    open_end = OPEN.fullmatch(cell)
    return [] if open_end is None else [_number(open_end[2])]


def _number(text: str) -> float:
    return float(text.replace("−", "-"))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# ---------------------------------------------------------------------------------------------------------------------
# Special uniques: the smallest combinations of columns that single a record out.
#
# A record is a minimal sample unique on a set of columns if no other record shows the same in these columns, and it is
# none on any part of the set (Elliot, Manning, Ford 2002: SUDA).
# ---------------------------------------------------------------------------------------------------------------------


MOST_COLUMNS = 20
Heard = Callable[[float], object]  # told which share of the work is done
Uniques = dict[tuple[int, ...], np.ndarray]


def special_uniques(columns: Sequence[np.ndarray], heard: Heard | None = None) -> Uniques:
    """The records that are minimal sample uniques on one, two or three columns.

    Parameters
    ----------
    columns : sequence of (n,) int64. Numbers from 0, equal where values are.

    Returns
    -------
    mapping of columns, by their places in ascending order, to (n,) bool array
        Only those that single a record out.

    Complexity
    ----------
    A count over the records for each pair and each triple of columns that can still tell somebody.

    Example
    -------
    >>> {place: own.nonzero()[0].tolist() for place, own in
    ...  special_uniques([np.array([0, 0, 1, 1, 2]), np.array([0, 1, 0, 1, 1])]).items()}
    {(0,): [4], (0, 1): [0, 1, 2, 3]}
    """
    alone = [_once(column) for column in columns]
    found: Uniques = {(place,): own for place, own in enumerate(alone) if own.any()}
    pairs: dict[tuple[int, int], np.ndarray] = {}
    told: dict[tuple[int, int], np.ndarray] = {}  # unique on the pair or on one of its columns
    for one, other in combinations(range(len(columns)), 2):
        pairs[one, other] = dense(columns[one] * (int(columns[other].max(initial=0)) + 1) + columns[other])
        unique = _once(pairs[one, other])
        told[one, other] = unique
        own = unique & ~alone[one] & ~alone[other]
        if own.any():
            found[one, other] = own
    triples = list(combinations(range(len(columns)), 3))
    for number, (first, second, third) in enumerate(triples):
        if heard is not None and number % 20 == 0:
            heard(number / len(triples))
        before = told[first, second] | told[first, third] | told[second, third]
        if before.all():
            continue
        base = columns[third]
        own = _once(dense(pairs[first, second] * (int(base.max(initial=0)) + 1) + base)) & ~before
        if own.any():
            found[first, second, third] = own
    return found


def _once(numbers: np.ndarray) -> np.ndarray:
    """Whether a record's number is its own."""
    alone: np.ndarray = (np.bincount(numbers) == 1)[numbers]
    return alone


def looked_at(view: View) -> tuple[str, ...]:
    """The kept columns whose combinations are looked at: those that others may know first."""
    return (*view.others, *(name for name in view.kept if name not in view.others))[:MOST_COLUMNS]


def unique_findings(view: View, names: Sequence[str], found: Uniques) -> Iterator[Finding]:
    """The combination of two or three columns that singles most people out, and how many all of them do."""
    more = {tuple(names[place] for place in places): own for places, own in found.items() if len(places) > 1}
    known = {own: who for own, who in more.items() if set(own) & set(view.others)}
    for part, severity in ((known, SERIOUS), ({} if known else more, MINOR)):
        if not part:
            continue
        everybody = int(np.logical_or.reduce(list(part.values())).sum())
        counts = {own: int(who.sum()) for own, who in part.items()}
        worst = max(counts, key=counts.__getitem__)
        weight = {name: sum(count for own, count in counts.items() if name in own) for name in names}
        able = [name for name in worst if name in view.others] or list(worst)
        verb = "is" if everybody == 1 else "are"
        others = f", {counts[worst]:,} by {listed(worst)}" if len(counts) > 1 else f": {listed(worst)}"
        yield Finding(
            "special uniques",
            severity,
            f"{everybody:,} of the {view.table.unit} {verb} singled out by two or three columns that are no "
            f"quasi-identifiers{others}.",
            worst,
            everybody,
            "Who knows these few values of a person finds the record, whatever the quasi-identifiers hide."
            if severity == SERIOUS
            else "All of these columns are sensitive; only who knows them already finds the record.",
            tuple(remedies(view, max(able, key=weight.__getitem__))),
        )
