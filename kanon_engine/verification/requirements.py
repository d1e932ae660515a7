"""The independent check of requirements: what every class must satisfy, counted again from the instance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from kanon_engine.model.requirement import Minimum
from kanon_engine.verification.check import Check

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization


def requirements_met(instance: Any, g: Generalization) -> Iterator[Check]:
    """A check for each requirement that the result says to meet."""
    for requirement in g.require:
        yield _minimum(instance, g, requirement)


def _minimum(instance: Any, g: Generalization, required: Minimum) -> Check:
    """Add the column up, item by item."""
    if required.column not in instance.columns:
        return Check("requirement", False, f"the instance has no second count {required.column!r}.")
    sums = [0] * g.classes
    for own, value in zip(g.assignment.tolist(), instance.columns[required.column].tolist(), strict=True):
        if own >= 0:
            sums[own] += value
    found = f"the least of {required.column} in a class is {min(sums):,}, required are {required.m:,}."
    return Check("requirement", min(sums) >= required.m, found)
