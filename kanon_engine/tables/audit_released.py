"""The audit of released records of any family: areas, places, labels or clusters put on a person's own records too."""

from __future__ import annotations

import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.release.released import Released
from kanon_engine.release.sets import Heard, sets_of
from kanon_engine.tables.audit import Audit, audit_view
from kanon_engine.tables.audit_figures import View


def audit_released(released: Released, original: pd.DataFrame | None = None, progress: Heard | None = None) -> Audit:
    """Look at released records as a reader of them does, as `kanon.audit` does at those of a table.

    Parameters
    ----------
    released : Released
        Records; the columns that are released as they are stand in it under the names that they have in `original`.
    original : DataFrame, optional
        The records that it was made from, those that are left out among them. Without them ranges that end at
        somebody's value are not found, and shares are compared with those of the release.
    progress : Told which share of the combinations of columns has been looked at.

    Returns
    -------
    Audit

    Raises
    ------
    InvalidInput : A release of groups about whose records nothing else is released; a release of nothing.

    >>> shown = pd.DataFrame({"zip": ["north", "north", "south", "south"], "illness": ["flu", "flu", "flu", "cold"]})
    >>> found = audit_released(Released(shown, ("zip",), ("illness",), k=2))
    >>> found.k_reached, found.k_together, [one.kind for one in found.findings][0]
    (2, 1, 'constant groups')
    """
    quasi, kept = released.quasi_identifiers, released.kept
    if released.counts is not None and not kept:
        raise InvalidInput("An audit looks at records; this release is of groups and nothing else, so measure it.")
    if not released.records:
        raise InvalidInput("The release has no records, so there is nothing to look at.")
    if not quasi:
        raise InvalidInput("The release has no quasi-identifier; say which columns others know of people.")
    rows = sets_of(released.frame[[*quasi, *kept]], released.weights)
    if not rows.total:
        raise InvalidInput("All rows of the release are empty, so there is nothing to look at.")
    there = {} if original is None else {str(name): original[name] for name in original.columns}
    before = sets_of(pd.DataFrame(there)) if there and {*kept} <= {*there} else rows
    view = View(
        rows,
        before,
        quasi,
        kept,
        released.sensitive,
        released.k,
        released.unit,
        public=tuple(name for name in quasi if name not in before.columns or before is rows),  # as a group is
    )
    return audit_view(view, released.left_out, progress)
