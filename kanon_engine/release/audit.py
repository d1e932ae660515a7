"""Audit what a release of records reveals, as its readers see it, before it is released."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.serialize import content_digest
from kanon_engine.model.words import counted, enumerated, listed
from kanon_engine.release.audit_figures import (
    DROP,
    FEW_RANGES,
    GROUP,
    MINOR,
    NOTABLE,
    NUMBER,
    PUBLIC,
    ROUND,
    SERIOUS,
    SEVERITIES,
    Finding,
    Mend,
    SensitiveFigures,
    View,
    diversity_findings,
    diversity_of,
    records,
    remedies,
    round_widths,
    too_few_ranges,
    value_findings,
)
from kanon_engine.release.released import Released
from kanon_engine.release.sets import Heard, Uniques, sets_of
from kanon_engine.shown import Shown

MOST_NAMED = 6  # columns in a sentence


@dataclass(frozen=True, repr=False)
class Audit(Shown):
    """What records reveal, released or as they are, worst first. Internal: it counts who stands out."""

    k: int  # the requested k
    records: int  # the number of audited records: those that would be released
    # quasi_identifiers, kept: the columns by which people could be found, and the others released as they are, with the
    # sensitive ones
    quasi_identifiers: tuple[str, ...]
    kept: tuple[str, ...]
    # k_reached, k_together: the smallest set of records that are identical in the quasi-identifiers, and in all columns
    k_reached: int
    k_together: int
    # alone, below: records whose values in all columns no other record has, and that fewer than k records have
    alone: int
    below: int
    # l, entropy and t of each sensitive column and of the class label, if they are released
    sensitive: tuple[SensitiveFigures, ...]
    # tuple of (columns, records): every two or three kept columns that single people out, and how many (minimal sample
    # uniques); most first
    combinations: tuple[tuple[tuple[str, ...], int], ...]
    looked_at: tuple[str, ...]  # the columns whose combinations were checked: 20 at most
    left_out: int  # the number of records that would not be released
    findings: tuple[Finding, ...]

    def _facts(self) -> dict[str, object]:
        worst = [(word, sum(finding.severity == word for finding in self.findings)) for word in SEVERITIES]
        return {
            "k": self.k_reached,
            "k if all columns are compared": self.k_together,
            "below k": self.below,
            **dict(worst),
        }

    @property
    def digest(self) -> str:
        """The digest of all figures and findings, without their words."""
        return content_digest(**self.figures())

    @property
    def sentence(self) -> str:
        """The number of findings of each severity, k over all columns, and the columns that were not judged."""
        counts = [(word, sum(finding.severity == word for finding in self.findings)) for word in SEVERITIES]
        words = enumerated([f"{count:,} {word}" for word, count in counts if count]) or "nothing"
        noun = f" finding{'s' * (len(self.findings) > 1)}" if self.findings else ""
        sentences = [
            f"The audit found {words}{noun}. By its quasi-identifiers, every record looks like at least "
            f"{counted(self.k_reached - 1, 'other')} (k = {self.k_reached:,}). By all released columns together, "
            + (
                f"{self.alone:,} {'looks' if self.alone == 1 else 'look'} like no other."
                if self.alone
                else f"it looks like at least {counted(self.k_together - 1, 'other')}."
            )
        ]
        judged = {one.column for one in self.sensitive}
        others = [name for name in self.kept if name not in judged]
        if others:
            names = listed(others) if len(others) <= MOST_NAMED else f"{len(others):,} columns"
            they = "it is" if len(others) == 1 else "they are"
            sentences.append(
                f"What groups reveal about {names} was not judged, because {they} not marked as sensitive."
            )
        if len(self.looked_at) < len(self.kept):
            sentences.append(
                f"{len(self.kept):,} columns are released as they are; only {len(self.looked_at):,} of them were "
                "examined in combination."
            )
        return " ".join(sentences)

    def figures(self) -> dict[str, Any]:
        """All of it as JSON values, without the words."""
        findings = [
            {"kind": finding.kind, "severity": finding.severity, "columns": finding.columns, "records": finding.records}
            for finding in self.findings
        ]
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self) | {"findings": findings}))
        return plain

    def to_frame(self) -> pd.DataFrame:
        """One row per finding, worst first: severity, kind, what, columns, records, reason, remedy."""
        rows = [
            (
                finding.severity,
                finding.kind,
                finding.what,
                ", ".join(finding.columns),
                finding.records,
                finding.reason,
                "; or ".join(mend.words for mend in finding.remedy),
            )
            for finding in self.findings
        ]
        return pd.DataFrame(rows, columns=["severity", "kind", "what", "columns", "records", "reason", "remedy"])


def audit_view(view: View, left_out: int, progress: Heard | None = None) -> Audit:
    """Audit what records reveal, for any family and wherever the records are."""
    quasi, retained, rows = view.quasi_identifiers, view.kept, view.rows
    diversity = [diversity_of(view, name) for name in (*view.sensitive, *([view.label] if view.label else []))]
    uniques = rows.uniques(view.looked_at, progress) if len(view.looked_at) > 1 else Uniques({})
    findings = [*joint_findings(view), *extreme_findings(view), *unique_findings(view, uniques)]
    for figures in diversity:
        findings += diversity_findings(view, figures)
    for name in retained:
        findings += value_findings(view, name)
    findings.sort(
        key=lambda finding: (SEVERITIES.index(finding.severity), finding.kind == "unchanged", -finding.records)
    )
    groups, together = rows.sizes(quasi), rows.sizes((*quasi, *retained))
    return Audit(
        k=view.k,
        records=rows.total,
        quasi_identifiers=quasi,
        kept=retained,
        k_reached=groups.smallest,
        k_together=together.smallest,
        alone=together.alone,
        below=together.below(view.k)[0],
        sensitive=tuple(diversity),
        combinations=tuple(sorted(uniques.counts.items(), key=lambda entry: (-entry[1], entry[0]))),
        looked_at=view.looked_at,
        left_out=left_out,
        findings=tuple(findings),
    )


# ---------------------------------------------------------------------------------------------------------------------
# k over the quasi-identifiers, and over all released columns together.
# ---------------------------------------------------------------------------------------------------------------------


def joint_findings(view: View) -> Iterator[Finding]:
    """Records that only more columns than the quasi-identifiers distinguish."""
    quasi, k, unit = view.quasi_identifiers, view.k, view.unit
    light, _ = view.rows.sizes(quasi).below(k)
    if light:
        yield Finding(
            "below k",
            SERIOUS,
            f"{records(light, unit)} in groups smaller than k = {k:,}.",
            quasi,
            light,
            "The release is not k-anonymous.",
        )
    for columns, severe, reason in (
        (
            view.others,
            True,
            "Anyone who also knows a person's values in these columns can narrow the person down to fewer than k "
            "records.",
        ),
        (
            view.kept,
            False,
            "These columns include sensitive columns or the class label. Only someone who already knows a person's "
            "values in them can find the record.",
        ),
    ):
        together = view.rows.sizes((*quasi, *columns))
        alone, below = together.alone, together.below(k)[0]
        if not columns or not below:
            continue
        sizes = {name: view.rows.sizes((*quasi, name)) for name in columns}
        worst = max(columns, key=lambda name: (sizes[name].below(k)[0], sizes[name].alone))
        some = "all of them are" if alone == below else f"{alone:,} of them {'is' if alone == 1 else 'are'}"
        single = f"; {'it is' if below == 1 else some} unique" if alone else ""
        yield Finding(
            "joined",
            (SERIOUS if alone else NOTABLE) if severe else MINOR,
            f"{below:,} of the {unit} {'looks' if below == 1 else 'look'} like fewer than k − 1 = {k - 1:,} others "
            f"when {listed(columns)} {'is' if len(columns) == 1 else 'are'} compared as well as the "
            f"quasi-identifiers{single}.",
            columns,
            below,
            reason,
            tuple(remedies(view, worst)) if severe else (Mend(DROP, worst),),
        )
        return


# ---------------------------------------------------------------------------------------------------------------------
# Ranges whose shown ends reveal a single record, or the least or greatest value of the table.
# ---------------------------------------------------------------------------------------------------------------------


RANGE = re.compile(rf"{NUMBER}(?:–| to ){NUMBER}(?: or missing)?")
HALF_OPEN = re.compile(rf"{NUMBER} to under {NUMBER}(?: or missing)?")
OPEN = re.compile(rf"([≤≥]) {NUMBER}(?: or missing)?")
PARTS = re.compile(r" … | or |, ")
COUNT = re.compile(r" \([\d,]+ values\)$")


def extreme_findings(view: View) -> Iterator[Finding]:
    """Findings on quasi-identifiers whose domains come from the file; an order, a hierarchy or ranges are public."""
    for name in view.quasi_identifiers:
        if name in view.public:
            continue
        column, counts = view.before.values(name)
        cells, there = view.rows.values(name)
        labels = [text for text, count in zip(cells.texts, there.tolist(), strict=False) if count]
        if column.numbers is None:
            yield from _of_words(view, name, dict(zip(column.texts, counts.tolist(), strict=False)), labels)
        elif column.numbers:  # not only missing values
            yield from _of_numbers(view, name, dict(zip(column.numbers, counts.tolist(), strict=False)), labels)


def _of_numbers(view: View, name: str, value_counts: dict[float, int], cells: list[str]) -> Iterator[Finding]:
    ends = {end for cell in cells for end in ends_of(cell)}
    single = [value for value, count in value_counts.items() if count == 1 and value in ends]
    outermost = [value for value in (min(value_counts), max(value_counts)) if value in ends and value not in single]
    spread = max(value_counts) - min(value_counts)
    target = max(spread / FEW_RANGES, 1 if all(value % 1 == 0 for value in value_counts) else 0)
    width = next(round_widths(target)) if target and math.isfinite(target) else None
    mends = (*([Mend(ROUND, name, (0, width))] if width else []), *_drop(view, name))
    if single:
        numbers = "a number" if len(single) == 1 else f"{len(single):,} numbers"
        yield Finding(
            "extremes",
            NOTABLE,
            f"Ranges of “{name}” begin or end at {numbers} that only one of the {view.unit} has.",
            (name,),
            len(single),
            "A range that ends at a record's own value reveals that value.",
            mends,
        )
    if outermost:
        which = "smallest and largest values" if len(outermost) == 2 else "smallest or largest value"
        yield Finding(
            "extremes",
            MINOR,
            f"The ranges of “{name}” end at the {which} in the table.",
            (name,),
            sum(value_counts[value] for value in outermost),
            "A range that ends at the smallest or largest value reveals an extreme of the table.",
            mends,
        )


def _of_words(view: View, name: str, value_counts: dict[str, int], cells: list[str]) -> Iterator[Finding]:
    """Words that a range lists and only one record has."""
    rare = {text for text, count in value_counts.items() if count == 1}
    words = set(cells).union(*(PARTS.split(COUNT.sub("", cell)) for cell in cells))
    total = len(rare & words)
    if total:
        yield Finding(
            "extremes",
            NOTABLE,
            f"The release shows {counted(total, 'value')} of “{name}” that only one of the {view.unit} has.",
            (name,),
            total,
            "The values come from the file, so showing one reveals that someone in the file has it, unless all the "
            "values are public.",
            (*_group(view, name), Mend(PUBLIC, name), *_drop(view, name)),
        )


def _group(view: View, name: str) -> tuple[Mend, ...]:
    return (Mend(GROUP, name, (view.groups[name],)),) if name in view.groups else ()


def _drop(view: View, name: str) -> tuple[Mend, ...]:
    """Leave a quasi-identifier out, unless it is the only one: a table needs one."""
    return (Mend(DROP, name),) if len(view.quasi_identifiers) > 1 else ()


def ends_of(cell: str) -> list[float]:
    """The numbers at which a range of a release ends; none for a single value.

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


# ---------------------------------------------------------------------------------------------------------------------
# Special uniques: the smallest combinations of columns that single a record out.
# ---------------------------------------------------------------------------------------------------------------------


def unique_findings(view: View, uniques: Uniques) -> Iterator[Finding]:
    """The combination of two or three columns that singles out most people, and the number for all combinations."""
    by_others = {columns: count for columns, count in uniques.counts.items() if set(columns) & set(view.others)}
    for counts, severity in ((by_others, SERIOUS), ({} if by_others else uniques.counts, MINOR)):
        if not counts:
            continue
        everybody, or_more = uniques.together(list(counts))
        worst = max(counts, key=counts.__getitem__)
        weight = {name: sum(count for columns, count in counts.items() if name in columns) for name in view.looked_at}
        able = [name for name in worst if name in view.others] or list(worst)
        verb = "is" if everybody == 1 else "are"
        others = f", {counts[worst]:,} of them by {listed(worst)}" if len(counts) > 1 else f": {listed(worst)}"
        mends = tuple(remedies(view, max(able, key=weight.__getitem__)))
        yield Finding(
            "special uniques",
            severity,
            f"{'At least ' * or_more}{everybody:,} of the {view.unit} {verb} singled out by two or three columns that "
            f"are not quasi-identifiers{others}.",
            worst,
            everybody,
            (
                "Anyone who knows these few values of a person can find the record, whatever the quasi-identifiers "
                "hide."
                if severity == SERIOUS
                else "These columns are sensitive or the class label; only someone who already knows a person's "
                "values in them can find the record."
            )
            + too_few_ranges(view, mends),
            mends,
        )


# ---------------------------------------------------------------------------------------------------------------------
# The audit of released records of any family, also of a person's own records with areas, places, labels or clusters.
# ---------------------------------------------------------------------------------------------------------------------


def audit_released(released: Released, original: pd.DataFrame | None = None, progress: Heard | None = None) -> Audit:
    """Audit released records as a reader sees them, as `kanon.audit` does for a table.

    Parameters
    ----------
    released : Released
        Records; the columns that are released as they are have the same names in it as in `original`.
    original : DataFrame, optional
        The records that it was made from, including those left out. Without them, ranges that end at someone's value
        are not found, and shares are compared with those of the release.
    progress : Gets the share of column combinations that have been checked.

    Returns
    -------
    Audit

    Raises
    ------
    InvalidInput : A release of groups with nothing else about their records; an empty release.

    >>> shown = pd.DataFrame({"zip": ["north", "north", "south", "south"], "illness": ["flu", "flu", "flu", "cold"]})
    >>> found = audit_released(Released(shown, ("zip",), ("illness",), k=2))
    >>> found.k_reached, found.k_together, [one.kind for one in found.findings][0]
    (2, 1, 'constant groups')
    """
    quasi, retained = released.quasi_identifiers, released.kept
    if released.counts is not None and not retained:
        raise InvalidInput("An audit needs records; this release has only groups, so measure its risk instead.")
    if not released.records:
        raise InvalidInput("The release has no records, so there is nothing to audit.")
    if not quasi:
        raise InvalidInput("The release has no quasi-identifier; say which columns others know about people.")
    rows = sets_of(released.frame[[*quasi, *retained]], released.weights)
    if not rows.total:
        raise InvalidInput("All rows of the release are empty, so there is nothing to audit.")
    there = {} if original is None else {str(name): original[name] for name in original.columns}
    before = sets_of(pd.DataFrame(there)) if there and {*retained} <= {*there} else rows
    view = View(
        rows,
        before,
        quasi,
        retained,
        released.sensitive,
        released.k,
        released.unit,
        public=tuple(name for name in quasi if name not in before.columns or before is rows),  # as a group is
    )
    return audit_view(view, released.left_out, progress)
