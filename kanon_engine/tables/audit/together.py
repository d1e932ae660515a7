"""k over the quasi-identifiers, and over all released columns together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kanon_engine.io.roles import listed
from kanon_engine.tables.audit.finding import DROP, MINOR, NOTABLE, SERIOUS, Finding, Mend
from kanon_engine.tables.audit.values import remedies
from kanon_engine.tables.audit.view import View, records, sizes_of


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
