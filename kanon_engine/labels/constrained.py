"""Constraints around any algorithm: labels that stay together become one item before it, and labels again after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.labels.instance import Labels
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.run import Outcome, Run

HANDLE_CONFLICTS = ("near-optimal", "exact")  # the algorithms that can keep labels apart


def constrained(name: str, algorithm: Callable[..., Outcome]) -> Callable[..., Outcome]:
    """The algorithm for labels with constraints; without any, it is called as it is.

    What it returns is of the items that it was given: positions in `details` and in the witness of a bound are those of
    `labels.items`. Keeping labels together makes every lower bound on the items one on the labels, and every ratio to
    the optimum one to the optimum that keeps them together.

    Raises
    ------
    InvalidInput : The algorithm cannot keep labels apart; or it cuts an order, and labels shall stay together.
    """

    @wraps(algorithm)
    def run_it(labels: Labels, k: int, run: Run, **options: Any) -> Outcome:
        if labels.together and name == "ordered":
            raise InvalidInput(
                "The algorithm ordered makes intervals of an order and cannot keep chosen labels together; choose "
                "another algorithm, or take that rule out."
            )
        items = labels.items
        if items.conflicts and name not in HANDLE_CONFLICTS:
            raise InvalidInput(
                f"The algorithm {name} cannot keep labels apart; choose {' or '.join(HANDLE_CONFLICTS)}, or take that "
                f"rule out."
            )
        outcome = algorithm(items, k, run, **options)
        if items is labels:
            return outcome
        return replace(outcome, assignment=outcome.assignment[labels.item_of])

    return run_it


def item_view(labels: Labels, g: Generalization) -> tuple[Labels, Generalization]:
    """The items and the classes that they have, for what reads `details`."""
    items = labels.items
    if items is labels:
        return labels, g
    assignment = np.zeros(len(items), dtype=np.int32)
    assignment[labels.item_of] = g.assignment
    return items, replace(g, assignment=assignment)
