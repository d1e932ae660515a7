"""Downcoding: values that a release hides and that follow from its hiding no more than it must (Cohen 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd

from kanon_engine.model.generalization import Generalization, members_of
from kanon_engine.release import require_result_of
from kanon_engine.risk.attacks.attacked import BROKEN, SURVIVES, Attacked, not_run, of_everybody
from kanon_engine.risk.attacks.downcoding import fewest
from kanon_engine.risk.attacks.downcoding.tight import Certain, tight
from kanon_engine.tables.instance import IntervalDetails, Table
from kanon_engine.tables.one_by_one import one_by_one
from kanon_engine.tables.shown_ranges import shown_ranges
from kanon_engine.tables.words import class_rows, interval_words

TITLE = "Downcoding"
KNOWLEDGE = (
    "Somebody has the release alone, and knows the values and the hierarchies of its columns, and that a group hides "
    "no more than it must."
)
SOURCE = (
    "A. Cohen, Attacks on Deidentification's Defenses, USENIX Security 2022, sections 4 and 5; "
    "docs/proofs/release/downcoding.md"
)
_attacked = partial(of_everybody, "downcoding", TITLE, KNOWLEDGE, SOURCE)


def downcoding(instance: Any, g: Generalization) -> Attacked:
    """Records of which a value is certain that the release does not show.

    Guarantee: what is found is so in every original with this release. Of releases with the fewest stars that have up
    to 10 records, and 20,000 originals, all that is the same in each of these originals is found
    (docs/proofs/release/downcoding.md).

    Parameters
    ----------
    instance : Table
        Of other families there are no hierarchies to climb down: the attack is not run.
    g : Generalization
        Made from it.

    Returns
    -------
    Attacked
        found: records of which one more value can be told for certain, of which group is known, and not whose. A group
        counts with the column that tells of most of its records. The evidence has a row for each part of a column.

    Raises
    ------
    InvalidInput
        A result of other data, or one that is not k-anonymous.

    Example
    -------
    A star in a column of two values: one record of the group at least has each.

    >>> import kanon_engine as kanon
    >>> people = pd.DataFrame({"sex": list("ffmm"), "city": list("ABAB")})
    >>> table = kanon.Table(people, ["sex", "city"])
    >>> found = downcoding(table, kanon.generalize(table, 2, "cell-suppression"))
    >>> found.verdict, found.found, found.of
    ('does not survive', 4, 4)
    >>> found.evidence[["group", "column", "shown", "certain", "records"]].values.tolist()[:2]
    [[1, 'city', '*', 'A', 1], [1, 'city', '*', 'B', 1]]
    """
    require_result_of(instance, g)
    if not isinstance(instance, Table):
        why = "Groups of this kind show no values of hierarchies; not run."
        return not_run("downcoding", TITLE, KNOWLEDGE, why, SOURCE)
    instance, g = one_by_one(instance, g)
    records = int((g.assignment >= 0).sum())
    if isinstance(g.details, IntervalDetails) and not tight(instance, g):
        words = (
            "All groups show the same intervals, which may hold values that a group has not: of no record more follows "
            "for certain. That the cuts are of least cost is not used."
        )
        return _attacked(SURVIVES, 0, records, instance.unit, words, {"looked at": "how tightly groups are shown"})
    full: list[int] = []
    in_full = fewest.fits(instance, g)
    if in_full:
        told, full = fewest.certain(instance, g)
    else:
        told = tight(instance, g)
    evidence = _evidence(instance, g, told)
    cells = int(evidence["records"].sum())
    by_column = evidence.groupby(["group", "column"])["records"].sum()
    found = int(by_column.groupby("group").max().sum()) if len(evidence) else 0
    figures = {
        "looked at": "all originals of a release with the fewest stars" if in_full else "how tightly groups are shown",
        "cells": f"{cells:,} of {_hidden(instance, g):,} that are not shown exactly",
        "groups with certain values": f"{evidence['group'].nunique():,} of {g.classes:,}",
    }
    if in_full:
        figures["groups that can have one set of records only"] = f"{len(full):,}"
    if not found:
        words = f"Of none of {records:,} {instance.unit} a value follows that the release does not show."
        return _attacked(SURVIVES, 0, records, instance.unit, words, figures)
    words = (
        f"{found:,} of {records:,} {instance.unit} have a value that the release hides and that is certain: so many "
        f"records of their groups have it, or one in a narrower range, as the groups would show less otherwise."
    )
    return _attacked(BROKEN, found, records, instance.unit, words, figures, evidence)


def _hidden(table: Table, g: Generalization) -> int:
    """Cells that do not show one value."""
    shown = shown_ranges(table, g)
    return int((g.class_weights[:, None] * (shown[:, :, 0] < shown[:, :, 1])).sum())


def _evidence(table: Table, g: Generalization, told: Sequence[Certain]) -> pd.DataFrame:
    """One row for each part: group, column, shown, certain, records, size, and how many have it in truth."""
    shown = class_rows(table, g)
    true = _true_counts(table, g, told)
    rows = [
        (
            one.group + 1,
            table.quasi_identifiers[one.column],
            shown[one.group][0][one.column],
            _words(table, one),
            one.records,
            int(g.class_weights[one.group]),
            have,
        )
        for one, have in zip(told, true, strict=True)
    ]
    return pd.DataFrame(rows, columns=["group", "column", "shown", "certain", "records", "of", "in truth"])


def _true_counts(table: Table, g: Generalization, told: Sequence[Certain]) -> list[int]:
    members, counts = members_of(g.assignment, g.classes), []
    for one in told:
        codes = table.codes[members[one.group], one.column]
        counts.append(int(((codes >= one.low) & (codes <= one.high)).sum()))
    return counts


def _words(table: Table, one: Certain) -> str:
    name = table.quasi_identifiers[one.column]
    tree = table.tree(name)
    label = None if tree is None else tree.label(one.low, one.high)
    return label or interval_words(table.domains[one.column][one.low : one.high + 1])
