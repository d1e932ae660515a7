"""Several groupings that a person named, as one table of figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import family_named
from kanon_engine.model.requirement import Minimum, demand_text, demands_in
from kanon_engine.release.publication import CSV, Output
from kanon_engine.release.spreadsheet import csv_text

WISHES = ("together", "apart", "barriers")
CONTENTS = (
    "What was asked for in each scenario, and its figures; no item, and no group but the sizes of the smallest and the "
    "largest. Internal: figures of several groupings of the same data can tell more than those of one."
)


@dataclass(frozen=True, eq=False)
class Named:
    """A result under a name.

    Attributes
    ----------
    name, data : str
        Its own, and that of what it was made from.
    instance : Regions, Points, Labels, Table or MetricSpace
        With all that was asked of its classes.
    g : Generalization
    proof : str
        Of its certificate: "checked" or "solver".
    """

    name: str
    data: str
    instance: Any
    g: Generalization
    proof: str


def scenarios_frame(scenarios: Sequence[Named]) -> pd.DataFrame:
    """One row a scenario: what was asked for, what it cost, and on whose word.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels("abc", [5, 4, 1])
    >>> found = scenarios_frame([Named("First", "letters.csv", labels, kanon.generalize(labels, 5, "fold"), "checked")])
    >>> found[["scenario", "k", "algorithm", "groups", "largest", "lower_bound", "gap"]].values.tolist()
    [['First', 5, 'fold', 2, 5, 5, 0.0]]
    """
    return pd.DataFrame([_row(one) for one in scenarios])


def _row(one: Named) -> dict[str, Any]:
    g, family = one.g, family_named(one.g.family)
    known = family.makers[g.algorithm].options
    chosen = {option.name: g.options[option.name] for option in known if g.options[option.name] != option.default}
    minima = [f"{own.column} {own.m}" for own in g.require if isinstance(own, Minimum)]
    return {
        "scenario": one.name,
        "data": one.data,
        "k": g.k,
        "algorithm": g.algorithm,
        "options": "; ".join(f"{name} {value}" for name, value in chosen.items()),
        "seed": g.seed,
        "minima": "; ".join(minima),
        "demands": "; ".join(f"{own.column} {demand_text(own)}" for own in demands_in(g.require)),
        **{f"sets_{name}": len(getattr(one.instance, name, ())) for name in WISHES},
        "groups": g.classes,
        "smallest": int(g.class_weights.min()),
        "largest": int(g.class_weights.max()),
        "unit": one.instance.unit,
        "cost": g.cost,
        "cost_is": family.objective(g.algorithm, g.options).noun,
        "lower_bound": g.lower_bound,
        "gap": None if math.isinf(g.gap) else g.gap,
        "status": g.status,
        "proof": one.proof,
    }


def scenarios_file(scenarios: Sequence[Named], formulas: str = "escape") -> Output:
    """That table as a file."""
    return Output(
        "scenarios",
        "Scenarios (CSV)",
        CONTENTS,
        "scenarios.csv",
        CSV,
        False,
        lambda: csv_text(scenarios_frame(scenarios), formulas),
    )
