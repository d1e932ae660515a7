"""The headline of a clustering: how many clusters, how far records are from their centers, and how good that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from plotly import graph_objects as go

import kanon_engine as kanon
from kanon_engine.clusters.left_out import most_left_out
from kanon_engine.clusters.plot import clusters_figure, neighbours
from kanon_engine.clusters.release import OF_SHAPES, clusters_frame
from kanon_engine.clusters.squares import information_loss
from kanon_engine.model.requirement import UNKNOWN, best_possible, by_word, percent_up, within_words
from kanon_engine.model.words import free_name, number_text
from kanon_engine.plot import companions
from kanon_engine.plot.colors import shading_of
from kanon_engine.verification.clusters import cost_of
from pages._shared.compare import Pair, sides
from pages._shared.files import atlas
from pages._shared.groups import group_table
from pages._shared.records import Data
from pages._shared.results import objective_of
from pages._shared.widgets import pick_colours, pick_tiles
from pages._shared.wording import escaped


def cluster_headline(space: kanon.MetricSpace, g: kanon.Generalization, proof: str) -> str:
    """What was found and how good it is, as Markdown; for verified results, with their certificate's `proof`."""
    sizes, unit = g.class_weights, escaped(space.unit)
    least, most = int(sizes.min()), int(sizes.max())
    clusters = f"{g.classes:,} cluster{'s' * (g.classes != 1)}"
    found = f"{clusters} of {least:,} {unit}." if least == most else f"{clusters} of {least:,} to {most:,} {unit}."
    out = space.total - int(sizes.sum())
    left_out = f" {out:,} {unit} are left out ({percent_up(out / space.total)})." if out else ""
    return f"{found}{left_out} {cost_words(space, g)} {nearness(space, g, proof)}"


def cost_words(space: kanon.MetricSpace, g: kanon.Generalization) -> str:
    """What the cost says."""
    measure, cost = f" {space.measure}".rstrip(), cost_of(g.algorithm, g.options)
    if cost == "radius":
        return f"No record is farther than {above(g.cost)}{measure} from its center."
    if cost == "squares":
        lost = above(information_loss(space, g))
        return f"Squared distances to the means sum to {above(g.cost)}, an information loss of {lost} %."
    apart = above(math.fsum((g.details.radii * g.class_weights).tolist()) / int(g.class_weights.sum()))
    with_setup = ", set-up costs included" if g.options.get("facility_cost") else ""
    return (
        f"A record's cluster has a radius of {apart}{measure} on average (cellular cost {above(g.cost)}{with_setup})."
    )


def above(value: float) -> str:
    """A distance that is not told smaller than it is, to four digits.

    Example
    -------
    >>> above(1.07384), below(0.897219), above(23456.7), above(3.0)
    ('1.074', '0.8972', '23,460', '3')
    """
    return _rounded(value, ROUND_CEILING)


def below(value: float) -> str:
    """A bound that is not told larger than it is, to four digits."""
    return _rounded(value, ROUND_FLOOR)


def _rounded(value: float, way: str) -> str:
    return number_text(float(Context(4, way).create_decimal(Decimal(f"{value:.12g}"))))


def nearness(space: kanon.MetricSpace, g: kanon.Generalization, proof: str) -> str:
    """How close the cost is to the best possible, and on whose word."""
    objective = objective_of(g)
    solution = f"{objective.solution}{_limits(space, g)}"
    if g.status == "optimal":
        return f"No {solution} {objective.less}: {best_possible(proof)}."
    if math.isinf(g.gap):
        return UNKNOWN
    measure = f" {space.measure}".rstrip() if cost_of(g.algorithm, g.options) == "radius" else ""
    bound = f"{below(g.lower_bound)}{measure}"
    return f"No {solution} can do better than {bound}: {within_words(g.gap)} the best possible{by_word(proof)}."


def _limits(space: kanon.MetricSpace, g: kanon.Generalization) -> str:
    """Among which clusterings it is the best, where options leave some out."""
    limits = []
    if space.free and g.options.get("centers") == "input":
        limits.append("around points of the file")
    if g.options.get("max_clusters") is not None:
        limits.append(f"of at most {g.options['max_clusters']:,} clusters")
    if "epsilon" in g.options:
        most = most_left_out(space, g.options["epsilon"])
        limits.append(f"that leaves out at most {most:,}" if most else "of all records")
    return "".join(f" {words}" for words in limits)


# ---------------------------------------------------------------------------------------------------------------------
# The table of clusters: centers and radii as they leave, with what a person asked to be shown of each.
# ---------------------------------------------------------------------------------------------------------------------


CONTENTS = "Center"


def cluster_table(data: Data, g: kanon.Generalization, members: Sequence[np.ndarray]) -> pd.DataFrame:
    """One row a cluster: size, radius, center, and the values of columns that are shown."""
    space = data.instance
    released = _released(g.digest, space, g)
    table = group_table(data, g, members, [""] * g.classes).drop(columns="Contents")
    radius = next(name for name in released.columns if name.startswith("radius"))
    table[f"Radius ({space.measure})" if space.measure else "Radius"] = released[radius]
    shown = released.iloc[:, list(released.columns).index(radius) + 1 :]
    labels = [*(f"{CONTENTS}: {name}" for name in space.names), *map(str, shown.columns[len(space.names) :])]
    for place, label in enumerate(labels):
        table[free_name(label, [*table.columns, *OF_SHAPES])] = shown.iloc[:, place]
    return table


@st.cache_data(scope="session", max_entries=4, show_spinner=False)
def _released(digest: str, _space: kanon.MetricSpace, _g: kanon.Generalization) -> pd.DataFrame:
    return clusters_frame(_space, _g)


# ---------------------------------------------------------------------------------------------------------------------
# What the picture of clusters shows.
# ---------------------------------------------------------------------------------------------------------------------


def choose_layers(space: kanon.MetricSpace) -> dict[str, Any]:
    """Widgets for arguments of `clusters_figure`."""
    with st.expander("Picture"):
        layers: dict[str, Any] = {"colour_by": pick_colours("clusters")}
        if space.metric == "haversine":
            layers |= {"tiles": pick_tiles("clusters"), "background": atlas()}
    return layers


def compared_clusters(pair: Pair | None, **layers: Any) -> list[go.Figure]:
    """The pictures of two results beside each other, with the arguments of `clusters_figure`."""
    if pair is None:
        return []
    space = pair.instance
    top = shading_of(np.concatenate([g.class_weights / g.k for g in pair.results])).top
    first, second = (neighbours(space, g) for g in pair.results)
    both = companions(pair.results, pair.found, (first, second), top)
    return [
        clusters_figure(space, g, number, companion=own, **layers)
        for (g, number), own in zip(sides(pair), both, strict=True)
    ]
