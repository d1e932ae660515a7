"""Pictures of labels: the bins, the packing step by step, and the paper's Figure 7."""

from __future__ import annotations

import numpy as np
import pandas as pd
from plotly import graph_objects as go

from kanon_engine.figures import BLUE, FLOOR, ORANGE, SKY, VERMILION
from kanon_engine.generalization import Generalization
from kanon_engine.labels.bars import REST, bars, dressed
from kanon_engine.labels.figure7 import VARIANTS, sub_range_maxima
from kanon_engine.labels.instance import LabelDetails, Labels
from kanon_engine.labels.steps import packing_steps

# hue tells the algorithm, dash and mark the order
LOOKS = {
    "Random Fold": (VERMILION, "dot", "circle"),
    "Random Spread": (BLUE, "dot", "square"),
    "Sorted Fold": (ORANGE, "solid", "diamond"),
    "Sorted Spread": (SKY, "solid", "triangle-up"),
}


def bins_figure(labels: Labels, g: Generalization, selected: int | None = None) -> go.Figure:
    """The classes as bars, largest first, each stacked from its most common labels, with lines at k and the largest.

    Parameters
    ----------
    labels : Labels
    g : Generalization
    selected : int, optional
        Class with a thick border.

    Returns
    -------
    Figure
        `customdata` is the class number. Hovering tells group, weight and number of labels.
    """
    ranking = np.argsort(-g.class_weights, kind="stable")
    figure = go.Figure(bars(labels, g, np.arange(len(labels)), ranking))
    if selected is not None:
        place = int(np.flatnonzero(ranking == selected)[0]) + 1
        corners = {"x0": place - 0.5, "x1": place + 0.5, "y0": 0, "y1": int(g.class_weights[selected])}
        figure.add_shape(type="rect", line={"color": VERMILION, "width": 3}, **corners)
    title = "1 group" if g.classes == 1 else f"{g.classes:,} groups, the largest first"
    return dressed(figure, labels, g, title, ranking, g.cost)


def packing_figure(labels: Labels, g: Generalization, step: int) -> tuple[go.Figure, str]:
    """What there is after a step of `packing_steps`, groups from left to right as they were opened, and what happened.

    Parameters
    ----------
    labels : Labels
    g : Generalization
    step : int
        0 … number of steps - 1; a larger one is the last.

    Returns
    -------
    figure : Figure
        What is not yet placed is one bar on the right.
    sentence : str
    """
    steps = packing_steps(labels, g)
    now = steps[min(step, len(steps) - 1)]
    figure = go.Figure(bars(labels, g, g.details.order[: now.placed], np.arange(g.classes)))
    waiting = labels.total - int(labels.counts[g.details.order[: now.placed]].sum())
    next_fit_ended = isinstance(g.details, LabelDetails) and now.placed >= g.details.placed
    if waiting > 0 and now.bins == g.classes and next_fit_ended:
        figure.add_bar(
            x=[g.classes + 1],
            text=["left over"],
            textposition="outside",
            y=[waiting],
            marker={"color": REST, "pattern": {"shape": "/"}},
            hovertemplate=f"left over: {waiting:,} {labels.unit}<extra></extra>",
        )
    title = f"{now.bins:,} of {g.classes:,} groups, {waiting:,} {labels.unit} to place"
    return dressed(figure, labels, g, title, np.arange(g.classes), None), now.sentence


def figure7(frame: pd.DataFrame, ranges: int = 60, unit: str = "records", k: int | None = None) -> go.Figure:
    """The paper's Figure 7: the largest overfull ratio of each variant in each sub-range of k.

    Parameters
    ----------
    frame : DataFrame
        From `overfull_ratios`.
    ranges : int
        Number of sub-ranges.
    unit : str
        What k counts.
    k : int, optional
        Marked where it lies in the range.

    Returns
    -------
    Figure
        The shaded floor is the largest proven bound / k in each sub-range: no maximum can lie below it.
    """
    maxima = sub_range_maxima(frame, ranges)
    middle = (maxima["k_from"] + maxima["k_to"]) / 2
    floor = maxima.assign(middle=middle).groupby("middle")["floor"].max()
    figure = go.Figure()
    figure.add_scatter(
        x=floor.index,
        y=floor,
        name="no grouping can do better",
        mode="lines",
        line={"color": FLOOR, "width": 1.5},
        hovertemplate="never below %{y:.3f}<extra></extra>",
    )
    for name in [name for name in VARIANTS if (maxima["variant"] == name).any()]:
        rows = maxima[maxima["variant"] == name]
        colour, dash, symbol = LOOKS[name]
        figure.add_scatter(
            x=middle[rows.index],
            y=rows["overfull_ratio"],
            name=name,
            mode="lines+markers",
            line={"color": colour, "dash": dash, "width": 2},
            marker={"symbol": symbol, "size": 6},
            customdata=np.column_stack([np.full(len(rows), -1), rows[["k_from", "k_to", "k", "classes"]]]),
            hovertemplate=f"<b>{name}</b>, k %{{customdata[1]:,}} to %{{customdata[2]:,}}:<br>"
            "at most %{y:.3f}, at k = %{customdata[3]:,} with %{customdata[4]:,} groups<extra></extra>",
        )
    if k is not None and frame["k"].min() <= k <= frame["k"].max():
        figure.add_vline(x=k, line={"color": FLOOR, "dash": "dash", "width": 2}, annotation={"text": f"k = {k:,}"})
    return figure.update_layout(
        title={"text": "Largest group ÷ k, the maximum in each sub-range of k", "font_size": 16},
        xaxis={"title": f"k ({unit})", "tickformat": ",d"},
        yaxis={"title": "Largest group ÷ k", "tickformat": ".2f"},
        legend={"orientation": "h", "y": -0.22},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        margin={"l": 60, "r": 10, "t": 45, "b": 60},
    )
