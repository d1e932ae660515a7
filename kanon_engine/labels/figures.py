"""Pictures of labels: the bins, and the packing step by step."""

from __future__ import annotations

import numpy as np
from plotly import graph_objects as go

from kanon_engine.figures import BLUE, FLOOR, VERMILION
from kanon_engine.generalization import Generalization
from kanon_engine.labels.instance import Labels
from kanon_engine.labels.steps import packing_steps

MOST_STACKED = 60  # with more bins, segments are too thin to see
MOST_NUMBERED = 30  # with more bins, their numbers run into each other
SHADES = (BLUE, "#3389BF", "#5C9FCC", "#82B5D8", "#A5CAE3")  # the most common labels of a bin, from the bottom
REST = "#A9B4BD"


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
    figure = go.Figure(_bars(labels, g, np.arange(len(labels)), ranking))
    if selected is not None:
        place = int(np.flatnonzero(ranking == selected)[0]) + 1
        corners = {"x0": place - 0.5, "x1": place + 0.5, "y0": 0, "y1": int(g.class_weights[selected])}
        figure.add_shape(type="rect", line={"color": VERMILION, "width": 3}, **corners)
    title = "1 group" if g.classes == 1 else f"{g.classes:,} groups, the largest first"
    return _dressed(figure, labels, g, title, ranking, g.cost)


def packing_figure(labels: Labels, g: Generalization, step: int) -> tuple[go.Figure, str]:
    """What there is after a step of `packing_steps`, groups from left to right as they were opened, and what happened.

    Parameters
    ----------
    labels : Labels
    g : Generalization
        Of fold or spread.
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
    figure = go.Figure(_bars(labels, g, g.details.order[: now.placed], np.arange(g.classes)))
    waiting = labels.total - int(labels.counts[g.details.order[: now.placed]].sum())
    if waiting > 0 and now.bins == g.classes and now.placed >= g.details.placed:
        figure.add_bar(
            x=[g.classes + 1],
            text=["left over"],
            textposition="outside",
            y=[waiting],
            marker={"color": REST, "pattern": {"shape": "/"}},
            hovertemplate=f"left over: {waiting:,} {labels.unit}<extra></extra>",
        )
    title = f"{now.bins:,} of {g.classes:,} groups, {waiting:,} {labels.unit} to place"
    return _dressed(figure, labels, g, title, np.arange(g.classes), None), now.sentence


def _bars(labels: Labels, g: Generalization, items: np.ndarray, ranking: np.ndarray) -> list[go.Bar]:
    """Bars of the given items, from left to right in the order of the classes in `ranking`."""
    classes, counts = g.assignment[items], labels.counts[items]
    totals = np.bincount(classes, counts, g.classes)[ranking]
    numbers = np.bincount(classes, minlength=g.classes)[ranking]
    words = [
        f"<b>Group {number + 1:,}</b><br>{total:,.0f} {labels.unit} ({total / g.k:.3g} × k)<br>{many:,} labels"
        for number, total, many in zip(ranking.tolist(), totals.tolist(), numbers.tolist(), strict=True)
    ]
    return [
        go.Bar(
            x=np.arange(1, len(ranking) + 1),
            y=heights,
            name=name,
            marker={"color": colour, "line": {"width": 0}},
            customdata=ranking,
            text=words,
            textposition="none",
            hovertemplate="%{text}<extra></extra>",
        )
        for heights, colour, name in _layers(classes, counts, ranking, totals)
    ]


def _layers(
    classes: np.ndarray, counts: np.ndarray, ranking: np.ndarray, totals: np.ndarray
) -> list[tuple[np.ndarray, str, str]]:
    """Heights, colour and name of each layer: the most common labels of every class one by one, then all others."""
    if len(ranking) > MOST_STACKED:
        return [(totals, BLUE, "group")]
    order = np.lexsort((-counts, classes))
    sorted_classes, sorted_counts = classes[order], counts[order]
    place = np.arange(len(order)) - np.searchsorted(sorted_classes, sorted_classes)
    layers, rest = [], totals.copy()
    for number, colour in enumerate(SHADES):
        here = place == number
        heights = np.bincount(sorted_classes[here], sorted_counts[here], len(ranking))[ranking]
        layers.append((heights, colour, f"label {number + 1} of the group"))
        rest = rest - heights
    return [*layers, (rest, REST, "all other labels")]


def _dressed(
    figure: go.Figure, labels: Labels, g: Generalization, title: str, ranking: np.ndarray, largest: int | None
) -> go.Figure:
    """Lines at k and at the largest bin, axes, title."""
    marks = [(g.k, f"k = {g.k:,}", "bottom right", VERMILION, "solid")]
    if largest is not None and largest > g.k:
        marks.append((largest, f"largest {largest:,}", "top right", FLOOR, "dash"))
    for height, words, position, colour, dash in marks:
        figure.add_hline(
            y=height,
            line={"color": colour, "dash": dash, "width": 2},
            annotation={"text": words, "font": {"size": 13, "color": colour}, "bgcolor": "rgba(255,255,255,0.75)"},
            annotation_position=position,
        )
    bars = len(ranking) + (largest is None)
    ticks = {"tickvals": np.arange(1, len(ranking) + 1), "ticktext": ranking + 1, "tickangle": 0}
    if len(ranking) > MOST_NUMBERED:
        ticks = {"showticklabels": False}
    return figure.update_layout(
        barmode="stack",
        bargap=0.15 if bars <= MOST_STACKED else 0,
        title={"text": title, "font_size": 16},
        xaxis={"title": "Groups", "range": [0.4, bars + 0.6], "zeroline": False, "showgrid": False, **ticks},
        yaxis={"title": f"{labels.unit.capitalize()} in a group", "range": [0, g.cost * 1.12], "tickformat": ",d"},
        showlegend=False,
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        margin={"l": 60, "r": 10, "t": 45, "b": 45},
        hoverlabel={"font_size": 14},
    )
