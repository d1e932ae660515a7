"""Differencing: small cells that follow from groups, totals and other releases together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.disclosure.figures import float_of
from kanon_engine.disclosure.sums import atoms_of, told
from kanon_engine.errors import InvalidInput
from kanon_engine.model.attacked import BROKEN, NOT_RUN, Attack, Attacked
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import get_family
from kanon_engine.release import require_releasable
from kanon_engine.risk.attacks.published import Published, any_table, hidden_cells

DIFFERENCING = Attack(
    "differencing",
    "Differencing",
    "Someone has everything that is published (counts of groups, totals, other releases), subtracts the counts from "
    "each other in every way, and knows which areas or people each group contains.",
    "D. Denning, P. Denning, M. Schwartz, The Tracker, TODS 1979; L. Cox, Network Models for Complementary Cell "
    "Suppression, JASA 1995; docs/proofs/release/sums.md",
)


def differencing(
    published: Sequence[Published], *, k: int, weights: np.ndarray, unit: str = "records", looked_up: bool = False
) -> Attacked:
    """Parts of published groups that are shown to have some, and fewer than k.

    Guarantee: what is found has fewer than k in every table with these sums; no set of parts that the sums show to
    have some and fewer than k is missed, unless `figures` says how many parts were too many
    (docs/proofs/release/sums.md).

    Parameters
    ----------
    published : Groupings and totals of the same n items.
    k : Counts from 1 to k - 1 must stay unknown.
    weights : (n,) int. Weight of each item.
    looked_up : Whether a reader looks items up one by one, like records of a table: then every part below k is found.

    Raises
    ------
    InvalidInput : Nothing is published, or the items differ.

    Counts by town and, a year later, by district: the second part of the first town is the difference.

    >>> towns, districts = Published("towns", [0, 0, 1, 1]), Published("districts", [0, 1, 1, 1])
    >>> found = differencing([towns, districts], k=11, weights=np.array([40, 3, 20, 20]), unit="people")
    >>> found.verdict, found.sentence
    ('does not survive', '1 of 3 parts of the data has fewer than 11 people, and the published counts show it; \
the exact number is shown for 1 of 1.')
    >>> found.evidence[["towns", "districts", "items", "weight", "low", "high"]].values.tolist()
    [[1, 2, 1, 3, 3, 3]]
    """
    weights = np.asarray(weights, dtype=np.int64)
    if not published or any(len(one.classes) != len(weights) for one in published):
        raise InvalidInput("Give one or more groupings of the same items, with one class and one weight per item.")
    choices, numbers = atoms_of([one.classes for one in published])
    rows = [
        np.flatnonzero(side == number)
        for one, side in zip(published, choices.T, strict=True)
        for number in np.unique(side).tolist()
        if number >= 0 or one.rest
    ]
    items = np.bincount(numbers, minlength=len(choices))
    atom_weights = np.zeros(len(choices), dtype=np.int64)
    np.add.at(atom_weights, numbers, weights)
    visible = (choices >= 0).any(axis=1)
    if looked_up:
        low, high, left = atom_weights, atom_weights, 0
    else:
        bounds = told(rows, atom_weights, k)
        low, high, left = bounds.low, bounds.high, bounds.left
    # -1 in `high`: not computed, because the part can have k or more, or is in no sum
    exposed = visible & (atom_weights > 0) & (atom_weights < k) & (high >= 0) & (high < k)
    frame = pd.DataFrame(
        {
            **{
                one.name: pd.Series(side[exposed] + 1).astype("Int64").mask(side[exposed] < 0)
                for one, side in zip(published, choices.T, strict=True)
            },
            "items": items[exposed],
            "weight": atom_weights[exposed],
            "low": low[exposed],
            "high": high[exposed],
            "exact": low[exposed] == high[exposed],
        }
    )
    light = int((visible & (atom_weights > 0) & (atom_weights < k)).sum())
    figures = {"groupings and totals": f"{len(published):,}", f"parts below {k:,}": f"{light:,}"}
    evidence = frame.sort_values("weight", kind="stable", ignore_index=True)
    return _attacked(evidence, int(visible.sum()), k, unit, left, figures)


def differencing_of(
    instance: Any, *results: Generalization, totals: Sequence[Published] = (), k: int | None = None
) -> Attacked:
    """Differencing of results of the same data, and totals of its items.

    Parameters
    ----------
    instance : Regions, Points, Labels, Table or MetricSpace
    *results : Generalization
        Made from it. With several, or with totals, the weight of what each leaves out is also known.
        k : The least k of the results if not given.

    >>> import kanon_engine as kanon
    >>> line = kanon.Regions(list("abcde"), [4, 2, 3, 2, 4], [(0, 1), (1, 2), (2, 3), (3, 4)])
    >>> one, two = (kanon.generalize(line, 5, name) for name in ("tree-split", "exact"))
    >>> differencing_of(line, one).verdict, differencing_of(line, one, two).verdict
    ('survives', 'does not survive')
    """
    for result in results:
        if result.instance_digest != instance.digest or len(result.assignment) != len(instance):
            raise InvalidInput(
                "The releases must come from the same data, read in the same way; one comes from different data."
            )
        require_releasable(result)
    if not results:
        raise InvalidInput("Give at least one result.")
    several = len(results) + len(totals) > 1
    published = [Published(f"group {number}", one.assignment, several) for number, one in enumerate(results, start=1)]
    return differencing(
        [*published, *totals],
        k=min(result.k for result in results) if k is None else k,
        weights=instance.weights,
        unit=instance.unit,
        looked_up=get_family(results[0].family).releases_records,
    )


def differencing_counts(
    frame: pd.DataFrame, by: Sequence[str], counts: str, k: int, *, unit: str = "records"
) -> Attacked:
    """Cells of a table of counts with totals that are from 1 to k - 1, reported or derivable.

    A hidden cell is found if the totals prove that it has at least 1.

    Parameters
    ----------
    frame, by, counts : As `hidden_cells` takes them.
    k : 11 for the cell size of CMS.

    A single hidden cell in a row and a column is the difference from the total:

    >>> sex, age = ["f", "m", "Total"] * 3, ["young"] * 3 + ["old"] * 3 + ["Total"] * 3
    >>> frame = pd.DataFrame({"sex": sex, "age": age, "cases": [None, 30, 34, 20, 25, 45, 24, 55, 79]})
    >>> found = differencing_counts(frame, ["sex", "age"], "cases", 11)
    >>> found.verdict, found.evidence[["sex", "age", "low", "high"]].values.tolist()
    ('does not survive', [['f', 'young', 4, 4]])

    A row that is left out is a hidden cell too:

    >>> found = differencing_counts(frame.drop(0), ["sex", "age"], "cases", 11)
    >>> found.evidence[["sex", "age", "reported", "low", "high"]].values.tolist()
    [['f', 'young', False, 4, 4]]

    Four hidden cells in a square protect each other:

    >>> frame.loc[[1, 3, 4], "cases"] = None
    >>> differencing_counts(frame, ["sex", "age"], "cases", 11).verdict
    'survives'
    """
    hidden = hidden_cells(frame, by, counts)
    values = frame[counts].astype(object).map(float_of).to_numpy(dtype=float)
    # cells without a row are hidden too: their totals include them
    values = np.append(values, np.full(len(hidden.left_out), np.nan))
    low = np.where(np.isnan(values), 0, values).astype(np.int64)
    high = np.where(np.isnan(values), -1, low).astype(np.int64)
    bounds = told(hidden.rows, any_table(hidden), k, exact=False)
    low[hidden.cells], high[hidden.cells] = bounds.low, bounds.high
    exposed = (high >= 0) & (high < k) & (low > 0)
    left_out = pd.DataFrame(list(hidden.left_out), columns=list(by))
    evidence = pd.concat([frame[list(by)], left_out], ignore_index=True)[exposed].reset_index(drop=True)
    evidence["reported"] = ~np.isnan(values[exposed])
    evidence["low"], evidence["high"] = low[exposed], high[exposed]
    evidence["exact"] = evidence["low"] == evidence["high"]
    figures = {"hidden cells": f"{len(hidden.cells):,}", "reported": f"{int(evidence['reported'].sum()):,}"}
    if len(left_out):
        figures["hidden cells without a row in the table"] = f"{len(left_out):,}"
    return _attacked(evidence, len(values), k, unit, bounds.left, figures)


def _attacked(evidence: pd.DataFrame, of: int, k: int, unit: str, left: int, figures: dict[str, str]) -> Attacked:
    count, exact = len(evidence), int(evidence["exact"].sum())
    parts = f"{count:,} of {of:,} parts of the data {'has' if count == 1 else 'have'}"
    if count:
        words = (
            f"{parts} fewer than {k:,} {unit}, and the published counts show it; the exact number is shown for "
            f"{exact:,} of {count:,}."
        )
    elif left:
        words = (
            f"{left:,} of {of:,} parts of the data were not examined in full, because shared counts link them with too "
            f"many other parts. For the rest of the data, the published counts do not show that any part has fewer "
            f"than {k:,} {unit}."
        )
    else:
        words = (
            f"No subtraction of published counts shows that any of the {of:,} parts of the data has fewer than "
            f"{k:,} {unit}."
        )
    details = {"shown exactly": f"{exact:,}"} | figures | ({"not examined in full": f"{left:,}"} if left else {})
    attacked = DIFFERENCING.ran(count, of, "parts", words, details, evidence)
    if not left:
        return attacked
    # each part that was not looked at in full may be exposed
    interval = (attacked.share, min(1.0, (count + left) / of))
    return replace(attacked, verdict=BROKEN if count else NOT_RUN, interval=interval)
