"""Classes of suppressed cells made one, as long as one of them fails what is required."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import members_of
from kanon_engine.model.requirement import Holds
from kanon_engine.model.run import Outcome
from kanon_engine.tables.cell_suppression.classes import shown_classes
from kanon_engine.tables.instance import CellDetails, Table

MOST_TRIED = 40  # partners of a class, the cheapest first, that are asked whether both satisfy what is required


def merge(table: Table, outcome: Outcome, algorithm: str, holds: Holds) -> Outcome:
    """Every class satisfying what is required.

    The smallest class that fails takes in another: of the `MOST_TRIED` for which fewest cells more are suppressed the
    first with which it satisfies what is required, or where none does, the first of all. Each step makes one class
    fewer, so the steps end, at worst with all records in one, which satisfies what is required, or
    `checked_requirements` would have refused it.

    Parameters
    ----------
    table : Table
    outcome : Outcome
        Of suppressed cells; the others look after requirements themselves.
    algorithm : str
        What made it.
    holds : callable
        Whether the records of the rows at these positions, as one class, satisfy what is required.

    Complexity
    ----------
    O(m q) for each class that fails, and at most `MOST_TRIED` looks at what it would be.
    """
    details: Any = outcome.details
    if not isinstance(details, CellDetails):
        message = f"Classes of {algorithm} cannot be merged for what is required; choose another algorithm."
        raise InvalidInput(message, parameter="algorithm", value=algorithm)
    members = members_of(outcome.assignment)
    shown = np.where(details.stars, -1, table.codes[[own[0] for own in members]])
    sizes = np.array([int(table.weights[own].sum()) for own in members])
    failing = {number for number, own in enumerate(members) if not holds(own)}
    while failing:
        number = min(failing, key=lambda one: (sizes[one], one))
        joint = np.where(shown == shown[number], shown, -1)
        stars = (joint < 0).sum(axis=1)
        more = sizes * (stars - (shown < 0).sum(axis=1)) + sizes[number] * (stars - (shown[number] < 0).sum())
        more[sizes == 0] = more.max() + 1  # classes that are gone
        more[number] = more.max() + 1
        partners = np.argsort(more, kind="stable")[: min(MOST_TRIED, np.count_nonzero(sizes) - 1)].tolist()
        good = (one for one in partners if holds(np.concatenate([members[number], members[one]])))
        partner = next(good, None)
        failing -= {number, partner}
        if partner is None:
            partner = partners[0]
            failing = failing - {number} | {partner}
        members[partner] = np.concatenate([members[number], members[partner]])
        shown[partner] = joint[partner]
        sizes[partner] += sizes[number]
        sizes[number] = 0
    group = np.empty(len(table), dtype=np.int64)
    for number in np.flatnonzero(sizes).tolist():
        group[members[number]] = number
    assignment, stars = shown_classes(table, group)
    suppressed = int((stars.sum(axis=1)[assignment] * table.weights).sum())
    return replace(
        outcome,
        assignment=assignment,
        details=CellDetails(stars=stars, suppressed=suppressed, nodes=details.nodes),
        cost=suppressed,
    )
