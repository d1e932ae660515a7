"""What a release of records tells: looked at as its readers see it, before it leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.serialize import content_digest
from kanon_engine.release import require_releasable
from kanon_engine.tables.audit.diversity import SensitiveFigures, diversity_findings, diversity_of
from kanon_engine.tables.audit.extremes import extreme_findings
from kanon_engine.tables.audit.figures import AuditFigures
from kanon_engine.tables.audit.finding import SEVERITIES, Finding, Mend
from kanon_engine.tables.audit.together import alone_and_below, joined_findings, smallest
from kanon_engine.tables.audit.uniques import looked_at, special_uniques, unique_findings
from kanon_engine.tables.audit.values import value_findings
from kanon_engine.tables.audit.view import View
from kanon_engine.tables.instance import Table
from kanon_engine.tables.one_by_one import expanded, too_many
from kanon_engine.tables.release import kept_columns, released_frame, sensitive_columns

__all__ = ["Audit", "AuditFigures", "Finding", "Mend", "SensitiveFigures", "audit", "audit_view"]


@dataclass(frozen=True, repr=False)
class Audit(AuditFigures):
    """What a release of records would tell, worst first. Internal: it counts who stands out.

    Attributes
    ----------
    left_out : int
        How many records would not be released.
    findings : tuple of Finding
    """

    left_out: int
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
    g : Generalization
        Made from this table.
    keep : sequence of str, optional
        Columns that are released as they are; those that were named when the table was read where it is None.
    sensitive : sequence of str, optional
        Which of them tell something about a person. Where it is None: those that were named when the table was read,
        and of columns that were not named to be kept then those that are called so, as “illness” is. Others are taken
        for what people know of each other; the sentence names them.
    progress : callable, optional
        Told which share of the combinations of columns has been looked at.

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
    view : View
    left_out : int
        Records that are not released.
    progress : callable, optional
        As in `audit`.
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
