"""Two results beside each other: what differs, as a line and as tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st
from plotly import graph_objects as go

import kanon_engine as kanon
from kanon_engine.model.comparison import Comparison, compare
from kanon_engine.model.known import family_named
from kanon_engine.model.objective import Cost
from kanon_engine.model.words import counted, number_text
from pages._shared.groups import selected_class
from pages._shared.results import objective_of
from pages._shared.wording import escaped

IN_ANOTHER = "In another group"


@dataclass(frozen=True, eq=False)
class Pair:
    """Two results of the same items."""

    instance: Any  # Regions, Points, Labels, Table or MetricSpace
    results: tuple[kanon.Generalization, kanon.Generalization]
    titles: tuple[str, str]  # what stands above each, as Markdown
    found: Comparison

    def selected(self, number: int | None) -> tuple[int | None, int | None]:
        """What stands out in either picture where this class of the first does: its partner, if there is one."""
        partner = -1 if number is None else int(self.found.partners[0][number])
        return number, None if partner < 0 else partner


def sides(pair: Pair | None) -> list[tuple[kanon.Generalization, int | None]]:
    """Each of the two results, and the class that stands out in it; none where nothing is compared."""
    return [] if pair is None else list(zip(pair.results, pair.selected(selected_class(pair.results[0])), strict=True))


@st.cache_resource(scope="session", max_entries=20, show_spinner="Comparing the groups …")
def compared(
    digests: tuple[str, str], _first: kanon.Generalization, _second: kanon.Generalization, _instance: Any
) -> Comparison:
    """Which groups of two results correspond; worked out once a visit."""
    return compare(_first, _second, _instance.weights)


def title(g: kanon.Generalization) -> str:
    """Name of the algorithm, and k."""
    return f"{algorithm_title(g)}, k = {g.k:,}"


def algorithm_title(g: kanon.Generalization) -> str:
    """Name of the algorithm that found it."""
    return family_named(g.family).makers[g.algorithm].title


def difference(pair: Pair) -> str:
    """What differs, in a line: items in another group, the cost, the number of groups."""
    first, second = pair.results
    parts = [_changed(pair)]
    comparable = objective_of(first).noun == objective_of(second).noun
    if comparable:
        noun = objective_of(first).noun
        same = f"{noun} {number_text(first.cost)} in both"
        parts.append(
            same if first.cost == second.cost else f"{noun} {number_text(first.cost)} → {number_text(second.cost)}"
        )
    more = second.classes - first.classes
    words = "as many groups" if not more else f"{counted(abs(more), 'group')} {'more' if more > 0 else 'fewer'}"
    line = "; ".join([*parts, words]) + "."
    if not comparable:
        line += " The two make different things small, so their costs cannot be compared."
    return line


def _changed(pair: Pair) -> str:
    """How many items are in another group, and what they weigh where that is something else."""
    instance, changed = pair.instance, pair.found.changed
    item = family_named(pair.results[0].family).items.removesuffix("s")
    many, weight = int(changed.sum()), int(instance.weights[changed].sum())
    if not many:
        return f"No {item} is {IN_ANOTHER.lower()}"
    if (instance.weights != 1).any():
        return f"{counted(many, item)}, {weight:,} {escaped(instance.unit)} are {IN_ANOTHER.lower()}"
    return f"{counted(many, item)} {'is' if many == 1 else 'are'} {IN_ANOTHER.lower()}"


def figures_table(pair: Pair) -> pd.DataFrame:
    """The figures of both results beside each other, and what differs."""
    instance, (first, second) = pair.instance, pair.results
    items, unit = family_named(first.family).items, instance.unit
    changed = pair.found.changed
    rows: list[tuple[str, Cost | None, Cost | None, Cost]] = [("k", first.k, second.k, second.k - first.k)]
    for words, values in {
        "Groups": [g.classes for g in pair.results],
        f"Smallest group ({unit})": [int(g.class_weights.min()) for g in pair.results],
        f"Largest group ({unit})": [int(g.class_weights.max()) for g in pair.results],
    }.items():
        rows.append((words, values[0], values[1], values[1] - values[0]))
    one, other = (objective_of(g) for g in pair.results)
    if one.noun == other.noun:
        if not one.is_largest_class:
            rows.append((one.noun.capitalize(), first.cost, second.cost, second.cost - first.cost))
        bounds = first.lower_bound, second.lower_bound
        rows.append(("Never below", *bounds, bounds[1] - bounds[0]))
    rows.append((f"{IN_ANOTHER}: {items}", None, None, int(changed.sum())))
    rows.append((f"{IN_ANOTHER}: {unit}", None, None, int(instance.weights[changed].sum())))
    table = pd.DataFrame(rows, columns=["", "First", "Second", "Difference"])
    whole = all(isinstance(value, int | None) for row in rows for value in row[1:])
    return table.astype(dict.fromkeys(("First", "Second"), "Int64" if whole else "Float64"))


def pairs_table(pair: Pair) -> pd.DataFrame:
    """One row for the groups that correspond, those that moved most first; below them groups without a partner."""
    (first, second), found = pair.results, pair.found
    inside = (first.assignment >= 0) & (second.assignment >= 0) & ~found.changed
    shared = pd.Series(pair.instance.weights[inside]).groupby(first.assignment[inside]).sum()
    rows: list[tuple[Any, ...]] = [
        (own + 1, other + 1, int(first.class_weights[own]), int(second.class_weights[other]), int(shared.get(own, 0)))
        for own, other in found.pairs.tolist()
    ]
    rows.sort(key=lambda row: row[4] - max(row[2], row[3]))
    alone, new = found.partners
    rows += [(own + 1, None, int(first.class_weights[own]), None, 0) for own in (alone < 0).nonzero()[0].tolist()]
    rows += [(None, own + 1, None, int(second.class_weights[own]), 0) for own in (new < 0).nonzero()[0].tolist()]
    unit = pair.instance.unit.capitalize()
    columns = ["Group of the first", "of the second", f"{unit} in the first", "in the second", "in both"]
    return pd.DataFrame(rows, columns=columns).astype("Int64")


def same_heights(figures: Iterable[go.Figure], tallest: int) -> None:
    """Bars of all figures on one scale, so that equal heights mean equal sizes."""
    for figure in figures:
        if any(trace.type == "bar" for trace in figure.data):
            figure.update_yaxes(range=[0, 1.08 * tallest])
