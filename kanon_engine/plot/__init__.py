"""Pictures that every family shares: sizes of the classes, cost against k, and how a search went."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from plotly import graph_objects as go

from kanon_engine.model.comparison import Comparison
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import get_family
from kanon_engine.model.objective import Objective
from kanon_engine.model.words import counted
from kanon_engine.plot.colors import BLUE, FLOOR, LINES, TEXT, VERMILION, joint_colors
from kanon_engine.plot.scene import (
    ABOVE,
    COUNT,
    bars,
    dots,
    floor_area,
    hover,
    marked_line,
    polyline,
    styled,
    whole_axis,
)

STEEP = 10  # overfull ratios above this take a logarithmic axis
FEW_KS = 12  # up to this range of k, every k is marked


def class_sizes_figure(instance: Any, g: Generalization) -> go.Figure:
    """How many classes have each weight, with k marked, and the proven bound if it is a bound on weights.

    Parameters
    ----------
    instance : Regions, Points, Labels, Table or MetricSpace. Knows the unit.

    Returns
    -------
    Figure : A histogram from k (or the lightest class) to the largest class or the bound.
    """
    bound = g.lower_bound if get_family(g.family).objective(g.algorithm, g.options).is_largest_class else 0
    lowest = min(g.k, int(g.class_weights.min()))
    highest = max(int(g.class_weights.max()), bound) + 1
    width = max(1, -(-(highest - lowest) // 20))
    edges = np.arange(lowest, highest + width, width)
    counts, _ = np.histogram(g.class_weights, edges)
    words = [
        f"{counted(many, 'group')} of {low:,} to {high - 1:,} {instance.unit}"
        for many, (low, high) in zip(counts.tolist(), pairwise(edges.tolist()), strict=True)
    ]
    middles, look = (edges[:-1] + edges[1:] - 1) / 2, {"width": width * 0.92, "showlegend": False}
    figure = go.Figure(bars(middles, counts, BLUE, words, np.full(len(counts), -1), name="groups", **look))
    marks = [(g.k, f"k: {g.k:,}", VERMILION, "solid")]
    if bound > g.k:
        marks.append((bound, f"lower bound of the largest group: {bound:,}", FLOOR, "dash"))
    top = int(counts.max()) * 1.08
    for value, name, color, dash in marks:
        upright = np.array([(value, 0), (value, top)])
        figure.add_trace(polyline(upright, color, 2.5, dash=dash, name=name, hoverinfo=None))
    return styled(
        figure,
        "Sizes of the groups",
        xaxis={"title": instance.unit.capitalize(), "tickangle": 0, "nticks": 5} | whole_axis(highest - lowest, 5),
        yaxis={"title": "Groups", "range": [0, top], "nticks": 8} | whole_axis(top, 8),
        **ABOVE,
        margin=(45, 10, 84, 45),
        bargap=0,
    )


def what_if_figure(table: pd.DataFrame, quantity: str, k: int, unit: str, objective: Objective) -> go.Figure:
    """Cost, overfull ratio or number of classes against k, one line per algorithm.

    Parameters
    ----------
    table : DataFrame
        From `sweep` or `served`; rows without figures are left out. Points from another algorithm or a
        larger k are open and say where they come from.
    quantity : "cost", "overfull_ratio" or "classes".
    k : Marked in the figure.
    objective : What the costs count.

    Returns
    -------
    Figure : With the proven lower bound as a floor line, where the quantity has one.
    """
    noun, cost_unit = objective.noun.capitalize(), objective.unit(unit)
    title, axis = {
        "cost": (f"{noun} for each k", f"{noun} ({cost_unit})" if cost_unit else noun),
        "overfull_ratio": ("Largest group ÷ k, for each k", "Largest group ÷ k"),
        "classes": ("Number of groups for each k", "Groups"),
    }[quantity]
    solved = table[table["cost"].notna()].sort_values("k")
    figure = go.Figure()
    floored = quantity == "cost" or (quantity == "overfull_ratio" and objective.is_largest_class)
    if floored and len(solved):
        floor = solved.groupby("k", as_index=False)["lower_bound"].max()
        height = floor["lower_bound"] / (floor["k"] if quantity == "overfull_ratio" else 1)
        proven = np.column_stack([floor["k"], height.astype(float)])
        figure.add_trace(floor_area(proven, "no grouping can do better", "k = %{x:,}: never below %{y:,.5~g}"))
    for (name, rows), (color, dash) in zip(solved.groupby("algorithm", sort=False), LINES * 4, strict=False):
        makers = _makers(rows)
        marker = {"size": 8, "symbol": ["circle" if direct else "circle-open" for direct, _ in makers]}
        more: dict[str, Any] = {"dash": dash, "marker": marker, "text": [words for _, words in makers]}
        says = "k = %{x:,}: %{y:,.5~g}<br>%{text}<extra></extra>"
        figure.add_trace(marked_line(rows["k"], rows[quantity].astype(float), str(name), color, says, **more))
    top = max((max(trace.y, default=0) for trace in figure.data), default=1)
    figure.add_trace(polyline(np.array([(k, 0), (k, top)]), VERMILION, 2, name=f"k = {k:,}"))
    ks = [value for trace in figure.data for value in trace.x]
    heights = [value for trace in figure.data[:-1] for value in trace.y if value > 0]
    if quantity == "overfull_ratio" and max(heights, default=1) > STEEP:
        figure.data[-1].y = [1, top]
        low, high = (math.log10(value) for value in (min(1, *heights), top))
        upright = {"type": "log", "range": [low, high + 0.05 * (high - low)], "dtick": "D2"}
        axis += " (logarithmic)"
    else:
        upright = {"rangemode": "tozero"}
    marks: dict[str, Any] = {"dtick": "D2"} if max(ks) >= 5 * min(ks) else {}  # 1, 2, 5, 10 …
    if max(ks) - min(ks) <= FEW_KS:  # otherwise a tick between two k would show the number of one of them
        marks = {"tickvals": list(range(int(min(ks)), int(max(ks)) + 1))}
    return styled(
        figure,
        title,
        xaxis={"title": f"k ({unit}, logarithmic)", "type": "log", "tickformat": COUNT} | marks,
        yaxis={"title": axis, "tickformat": COUNT if quantity == "cost" and objective.whole else ",~g"} | upright,
        **ABOVE,
        margin=(60, 10, 70, 50),
    )


def _makers(rows: pd.DataFrame) -> list[tuple[bool, str]]:
    """For each point: whether the line's own algorithm made it for this k, and which algorithm made it for which k."""
    if "made_by" not in rows:
        return [(True, f"by {name}") for name in rows["algorithm"]]
    points = zip(rows["algorithm"], rows["k"], rows["made_by"], rows["made_for"], strict=True)
    return [
        (maker == name and least == k, f"by {maker}" if least == k else f"by {maker} for k = {least:,}")
        for name, k, maker, least in points
    ]


def curve_figure(curve: np.ndarray, along: str, cost: str) -> go.Figure:
    """The best cost and the proven bound over the course of a search.

    Parameters
    ----------
    curve : (p, 3). Nodes or seconds, best cost and lower bound; NaN where there was none yet.
    along, cost : What the first column counts; the name of the cost.

    Returns
    -------
    Figure : Two step lines that approach each other; where they meet, the best is proven optimal.
    """
    rows = np.array(curve, dtype=float).reshape(-1, 3)
    positive = rows[rows[:, 0] > 0, 0]
    wide = len(positive) > 1 and positive[-1] > 50 * positive[0]
    if wide:  # a logarithmic axis has no place for 0
        rows[:, 0] = np.maximum(rows[:, 0], positive[0])
    figure = go.Figure()
    looks = ((1, "best so far", BLUE, "solid"), (2, "proven lower bound", FLOOR, "dash"))
    for place, name, color, dash in looks:
        says = f"{along} %{{x:,.4~g}}: %{{y:,.0f}}<extra>{name}</extra>"
        steps: dict[str, Any] = {"dash": dash, "line_shape": "hv", "marker_size": 5}
        figure.add_trace(marked_line(rows[:, 0], rows[:, place], name, color, says, **steps))
    axis = {"title": along.capitalize(), "type": "linear"}
    if wide:
        ticks = {"dtick": "D2", "tickformat": COUNT if along == "nodes" else ",~g"}
        axis = {"title": f"{along.capitalize()} (logarithmic)", "type": "log"} | ticks
    return styled(
        figure,
        f"{cost}: best so far and proven lower bound",
        xaxis=axis,
        yaxis={"title": cost, "tickformat": COUNT, "rangemode": "tozero"},
        **ABOVE,
        margin=(70, 10, 84, 50),
    )


# ---------------------------------------------------------------------------------------------------------------------
# Two results as pictures side by side: what they share.
# ---------------------------------------------------------------------------------------------------------------------


CHANGED = "in another group"


@dataclass(frozen=True, eq=False)
class Companion:
    """What the picture of a result shares with the picture next to it."""

    # (m,) int64: place of each class in the palette, shared with the corresponding class
    colors: np.ndarray
    top: float  # weight / k where the scale of fullness ends in both pictures
    changed: np.ndarray  # (n,) bool: the items to mark, which are in another class


def companions(
    results: tuple[Generalization, Generalization],
    comparison: Comparison,
    borders: tuple[np.ndarray, np.ndarray],
    top: float | None = None,
) -> tuple[Companion, Companion]:
    """What two pictures share, for each of them.

    Parameters
    ----------
    found : The comparison of the two results.
    borders : pair of (e, 2) int arrays
        For each result, the pairs of its classes that border each other; pairs with -1 do not count.
    top : Weight / k where the scale of fullness ends; by default that of the largest class of both results.
    """
    end = max(float(g.overfull_ratio) for g in results) if top is None else top
    one, other = (Companion(colors, end, comparison.changed) for colors in joint_colors(comparison, *borders))
    return one, other


# ---------------------------------------------------------------------------------------------------------------------
# Positions of the nodes of a tree in a picture.
# ---------------------------------------------------------------------------------------------------------------------


def tree_places(parents: Sequence[int]) -> tuple[list[float], list[float]]:
    """Positions of nodes: leaves side by side, parents above the middle of their children.

    >>> tree_places([-1, 0, 0])
    ([0.5, 0.0, 1.0], [0, -1, -1])
    """
    children: list[list[int]] = [[] for _ in parents]
    depth = [0] * len(parents)
    for node, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(node)
            depth[node] = depth[parent] + 1
    xs = np.zeros(len(parents))
    leaves, stack = 0, [0]
    order = []
    while stack:
        node = stack.pop()
        order.append(node)
        stack += reversed(children[node])
    for node in order:
        if not children[node]:
            xs[node] = leaves
            leaves += 1
    for node in reversed(order):
        if children[node]:
            xs[node] = (xs[children[node][0]] + xs[children[node][-1]]) / 2
    return xs.tolist(), [-level for level in depth]


# ---------------------------------------------------------------------------------------------------------------------
# Choices of a question that have no place of their own in a picture: a row of marks below it.
# ---------------------------------------------------------------------------------------------------------------------


ROOM = 0.12  # of the picture's height
BELOW_WORDS = 0.26  # where the axis has labels of its own


def add_choices(figure: go.Figure, choices: Sequence[str]) -> go.Figure:
    """Mark each choice below a map or a plane; `customdata` is its position among the choices.

    >>> figure = add_choices(go.Figure(go.Scatter(x=[0], y=[0])), ("no", "yes"))
    >>> figure.data[-1].customdata.tolist(), list(figure.data[-1].text)
    ([0, 1], ['no', 'yes'])
    """
    count = len(choices)
    bottom = BELOW_WORDS if figure.layout.xaxis.title.text else ROOM
    side = {"visible": False, "fixedrange": True}
    figure.update_layout(
        xaxis9={"domain": [0, 1], "range": [0, 1], "anchor": "y9"} | side,
        yaxis9={"domain": [0, ROOM], "range": [-1, 1], "anchor": "x9"} | side,
    )
    if any(trace.type.endswith("map") for trace in figure.data):
        figure.update_layout(map={"domain": {"y": [ROOM, 1]}})
    else:
        figure.update_layout(yaxis={"domain": [bottom, 1]})
    places = np.column_stack([(np.arange(count) + 0.3) / count, np.zeros(count)])
    words = {"mode": "markers+text", "textposition": "middle right", "textfont": {"size": TEXT}, **hover(list(choices))}
    more = words | {
        "customdata": np.arange(count),
        "name": "choices",
        "showlegend": False,
        "xaxis": "x9",
        "yaxis": "y9",
    }
    return figure.add_trace(dots(places, BLUE, 15, look={"opacity": 0.85}, **more))
