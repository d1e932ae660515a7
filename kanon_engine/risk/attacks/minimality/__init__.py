"""Minimality: what follows from an algorithm that would have released more, had the sensitive values allowed it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.model.generalization import Generalization, members_of
from kanon_engine.release import require_result_of
from kanon_engine.risk.attacks.attacked import BROKEN, SURVIVES, Attacked, not_run, of_everybody
from kanon_engine.risk.attacks.minimality.demands import AtMost, Demand, limit, question
from kanon_engine.risk.attacks.minimality.finer import class_cuts, cut_one_by_one, shared_cuts
from kanon_engine.risk.attacks.minimality.worlds import People, TooMany, Vector, allowed, beliefs
from kanon_engine.tables.domain import value_words
from kanon_engine.tables.instance import BoxDetails, IntervalDetails, Table
from kanon_engine.tables.one_by_one import one_by_one

TITLE = "Minimality"
KNOWLEDGE = (
    "Somebody knows the quasi-identifiers of everybody in the release, what was required of it, and that the algorithm "
    "cuts groups as long as every part satisfies that."
)
SOURCE = (
    "R. Wong, A. Fu, K. Wang, J. Pei, Minimality Attack in Privacy Preserving Data Publishing, VLDB 2007; "
    "docs/proofs/release/minimality.md"
)
MOST_OF_ONE = 5_000  # worlds of the classes that are cut together
MOST = 60_000  # of all classes: some 5 s
COLUMNS = ["group", "known", "column", "value", "people", "belief by the group", "belief", "certain"]

Class = tuple[np.ndarray, np.ndarray, np.ndarray]

_attacked = partial(of_everybody, "minimality", TITLE, KNOWLEDGE, SOURCE)
_not_run = partial(not_run, "minimality", TITLE, KNOWLEDGE, source=SOURCE)


def minimality(
    instance: Any, g: Generalization, *, demands: Sequence[Demand] | None = None, k: int | None = None
) -> Attacked:
    """People of whom belief in a sensitive value rises above what was promised, by what the algorithm did not do.

    Guarantee: beliefs are exact shares of all ways in which people can have the values of their groups and no cut that
    the algorithm looks at is possible (docs/proofs/release/minimality.md).

    Parameters
    ----------
    instance : Table
        Of other families, which look at no sensitive values, the attack is not run.
    g : Generalization
        Made from it.
    demands : sequence of Diversity, Closeness and AtMost, optional
        What was required of sensitive columns; those of the result if it is not given.
    k : int, optional
        The least records of a group; that of the result if it is not given.

    Returns
    -------
    Attacked
        found: people whose belief in some value rises above 1 / l (of closeness to certainty) and above its share of
        their group. Not run where nobody's group could be looked at in full and nobody was found.

    Raises
    ------
    InvalidInput
        A result of other data, or one that is not k-anonymous; a column that is not there.

    Example
    -------
    The paper's first example: two people q1 and five q2, at most half of a group may have HIV. Had the two not both
    had it, q1 and q2 would have been shown.

    >>> import kanon_engine as kanon
    >>> from kanon_engine.risk.attacks.minimality.demands import AtMost
    >>> people = pd.DataFrame({"q": ["q1"] * 2 + ["q2"] * 5, "ill": ["HIV"] * 2 + ["none"] * 5})
    >>> table = kanon.Table(people, ["q"])
    >>> found = minimality(table, kanon.generalize(table, 7, "k-optimize"), demands=[AtMost("ill", "HIV", 0.5)], k=2)
    >>> found.verdict, found.found, found.evidence[["known", "value", "belief", "certain"]].values.tolist()
    ('does not survive', 2, [['q1', 'HIV', 1.0, True]])
    """
    require_result_of(instance, g)
    if not isinstance(instance, Table):
        return _not_run("Groups of this kind have no sensitive values of single people, so the attack is not run.")
    instance, g = one_by_one(instance, g)
    least = g.k if k is None else k
    required = [one for one in (g.require if demands is None else demands) if isinstance(one, Demand)]
    records = int((g.assignment >= 0).sum())
    if not required:
        if g.options.get("metric") == "CM":
            return _not_run("The metric CM looks at the class label in a way that is not looked at here; not run.")
        words = (
            f"The algorithm looks at no sensitive value: who knows it learns of {records:,} {instance.unit} no more "
            "than their groups tell."
        )
        nothing = {"required of sensitive columns": "nothing"}
        return _attacked(SURVIVES, 0, records, instance.unit, words, nothing, pd.DataFrame(columns=COLUMNS))
    if not isinstance(g.details, BoxDetails | IntervalDetails):
        return _not_run("What cell suppression leaves undone for a requirement is not looked at; not run.")
    if records < len(instance):
        left = len(instance) - records
        return _not_run(f"{left:,} {instance.unit} are left out, and any values they may have; not run.")
    rows, seen, skipped = [], 0, 0
    for column in dict.fromkeys(one.column for one in required):
        own = [one for one in required if one.column == column]
        told, looked, broken = _of_column(instance, g, column, own, least)
        rows += told
        seen, skipped = seen + looked, skipped + broken
    return _judged(
        instance, g, pd.DataFrame(rows, columns=COLUMNS), seen, skipped, len({one.column for one in required})
    )


def _of_column(
    table: Table, g: Generalization, column: str, demands: Sequence[Demand], k: int
) -> tuple[list[tuple[Any, ...]], int, int]:
    """Rows of evidence; groups that were looked at in full; groups of which the algorithm's rule is not true."""
    codes, domain = table.sensitive(column)
    whole = np.bincount(codes, minlength=len(domain)).tolist()
    questions = [question(one, domain, whole) for one in demands]
    cache: dict[Vector, bool] = {}

    def holds(own: Vector) -> bool:
        if own not in cache:
            cache[own] = all(asked(own) for asked in questions)
        return cache[own]

    classes = [_class(table, members, codes, len(domain)) for members in members_of(g.assignment, g.classes)]
    rows: list[tuple[Any, ...]] = []
    full, untrue, left = 0, 0, MOST
    for block, sides in _blocks(table, g, classes, k):
        people = [_people(classes[group], own) for group, own in zip(block, sides, strict=True)]
        if not people[0].sides:
            full += len(block)
            continue
        true = -1
        for group, one in zip(block, people, strict=True):
            true &= allowed(one, [tuple(row) for row in classes[group][2].tolist()], holds)
        if true:
            untrue += len(block)
            continue
        most = min(MOST_OF_ONE, left)
        try:
            found, looked = beliefs(people, holds, most)
        except TooMany:
            left -= most
            continue
        left -= looked
        full += len(block)
        for group, one, belief in zip(block, people, found, strict=True):
            rows += _exposed(table, group, classes[group], one, belief, column, domain, demands)
    return rows, full, untrue


def _blocks(
    table: Table, g: Generalization, classes: Sequence[Class], k: int
) -> list[tuple[list[int], list[list[tuple[tuple[int, ...], ...]]]]]:
    """Classes that are cut together, and for each the sides of all finer releases; those of few people first."""
    if not cut_one_by_one(g):
        cuts = shared_cuts(table, g, [(codes, sizes) for codes, sizes, _ in classes], k)
        return [(list(range(len(classes))), [[cut[group] for cut in cuts] for group in range(len(classes))])]
    order = sorted(range(len(classes)), key=lambda group: int(classes[group][1].sum()))
    return [([group], [class_cuts(table, g, classes[group][0], classes[group][1], k)]) for group in order]


def _class(table: Table, members: np.ndarray, codes: np.ndarray, values: int) -> Class:
    """The different tuples of a class, how many have each, and how many of these each sensitive value in truth."""
    tuples, numbers, sizes = np.unique(table.codes[members], axis=0, return_inverse=True, return_counts=True)
    true = np.zeros((len(tuples), values), dtype=np.int64)
    np.add.at(true, (numbers.reshape(-1), codes[members]), 1)
    return tuples, sizes, true


def _people(own: Class, sides: list[tuple[tuple[int, ...], ...]]) -> People:
    _, sizes, true = own
    return People(tuple(sizes.tolist()), tuple(true.sum(axis=0).tolist()), tuple(sides))


def _exposed(
    table: Table,
    group: int,
    own: Class,
    people: People,
    belief: list[list[Fraction]],
    column: str,
    domain: Sequence[Any],
    demands: Sequence[Demand],
) -> list[tuple[Any, ...]]:
    size = sum(people.sizes)
    found = []
    for at, shares in enumerate(belief):
        known = ", ".join(
            value_words(values[code]) for values, code in zip(table.domains, own[0][at].tolist(), strict=True)
        )
        for value, share in enumerate(shares):
            before = Fraction(people.counts[value], size)
            if share > before and any(_above(share, one, domain[value]) for one in demands):
                row = group + 1, known, column, value_words(domain[value]), people.sizes[at]
                found.append((*row, float(before), float(share), share == 1))
    return found


def _above(share: Fraction, demand: Demand, value: Any) -> bool:
    watched = not isinstance(demand, AtMost) or value == demand.value
    return watched and (share > limit(demand) or share == 1)


def _judged(table: Table, g: Generalization, evidence: pd.DataFrame, seen: int, untrue: int, columns: int) -> Attacked:
    groups = g.classes * columns
    people = evidence.drop_duplicates(["group", "known"])["people"].sum()
    found, of = int(people), len(table)
    certain = int(evidence[evidence["certain"].astype(bool)].drop_duplicates(["group", "known"])["people"].sum())
    figures = {
        "groups looked at in full": f"{seen:,} of {groups:,}",
        "groups that the algorithm could have cut": f"{untrue:,}",
        "value certain": f"{certain:,}",
    }
    if found:
        words = (
            f"Of {found:,} of {of:,} {table.unit} belief in a sensitive value rises above what was required, by what "
            f"the algorithm did not do; of {certain:,} it becomes certain."
        )
        return _attacked(BROKEN, found, of, table.unit, words, figures, evidence)
    if seen + untrue < groups:
        left = groups - seen - untrue
        return _not_run(
            f"{left:,} of {groups:,} groups were not looked at in full: people can have their values in too many ways "
            "there. Of the others nobody is exposed."
        )
    words = f"Of none of {of:,} {table.unit} belief in a sensitive value rises above what was required."
    return _attacked(SURVIVES, 0, of, table.unit, words, figures, evidence)
