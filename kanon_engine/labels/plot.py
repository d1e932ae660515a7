"""The picture of labels: the bins."""

from __future__ import annotations

import numpy as np
from plotly import graph_objects as go

from kanon_engine.labels.instance import Labels
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.words import counted, times_k
from kanon_engine.plot.colors import ASH, BLUE, BLUES, CLEAR, FLOOR, VERMILION
from kanon_engine.plot.scene import COUNT, styled


def bins_figure(labels: Labels, g: Generalization, selected: int | None = None, *, exact: bool = True) -> go.Figure:
    """The classes as bars, largest first, each stacked from its most common labels, with lines at k and the largest.

    Parameters
    ----------
    selected : Class with a thick border.
    exact : Stack the most common labels one by one. Otherwise a bar is a group, no more: fit for a release.

    Returns: `customdata` is the class number. Hovering tells group, weight and number of labels.
    """
    ranking = np.argsort(-g.class_weights, kind="stable")
    figure = go.Figure(bars(labels, g, ranking, exact=exact))
    if selected is not None:
        place = int(np.flatnonzero(ranking == selected)[0]) + 1
        corners = {"x0": place - 0.5, "x1": place + 0.5, "y0": 0, "y1": int(g.class_weights[selected])}
        figure.add_shape(type="rect", line={"color": VERMILION, "width": 3}, **corners)
    return dressed(figure, labels, g, "What each group holds, the largest first", ranking)


MOST_STACKED = 60  # with more bins, segments are too thin to see
MOST_NUMBERED = 15  # numbers of groups below the bins, that do not run into each other


def bars(labels: Labels, g: Generalization, ranking: np.ndarray, *, exact: bool = True) -> list[go.Bar]:
    """Bars of the classes, from left to right in the order of `ranking`; stacked when `exact`."""
    classes, counts = g.assignment, labels.counts
    totals = np.bincount(classes, counts, g.classes)[ranking]
    numbers = np.bincount(classes, minlength=g.classes)[ranking]
    titles = labels.named_classes(g.assignment) or [f"Group {number + 1:,}" for number in range(g.classes)]
    words = [
        f"<b>{titles[number]}</b><br>{total:,.0f} {labels.unit} ({times_k(total / g.k)})<br>{counted(many, 'label')}"
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
        for heights, colour, name in _layers(classes, counts, ranking, totals, exact)
    ]


def _layers(
    classes: np.ndarray, counts: np.ndarray, ranking: np.ndarray, totals: np.ndarray, exact: bool
) -> list[tuple[np.ndarray, str, str]]:
    """Heights, colour and name of each layer: the most common labels of every class one by one, then all others."""
    if len(ranking) > MOST_STACKED or not exact:
        return [(totals, BLUE, "group")]
    order = np.lexsort((-counts, classes))
    sorted_classes, sorted_counts = classes[order], counts[order]
    place = np.arange(len(order)) - np.searchsorted(sorted_classes, sorted_classes)
    layers, rest = [], totals.copy()
    for number, colour in enumerate(BLUES):
        here = place == number
        heights = np.bincount(sorted_classes[here], sorted_counts[here], len(ranking))[ranking]
        layers.append((heights, colour, f"label {number + 1} of the group"))
        rest = rest - heights
    return [*layers, (rest, ASH, "all other labels")]


def dressed(figure: go.Figure, labels: Labels, g: Generalization, title: str, ranking: np.ndarray) -> go.Figure:
    """Lines at k and at the largest bin, axes, title."""
    marks = [(g.k, f"k = {g.k:,}", "bottom right", VERMILION, "solid")]
    if g.cost > g.k:
        marks.append((g.cost, f"largest {g.cost:,}", "top right", FLOOR, "dash"))
    for height, words, position, colour, dash in marks:
        over_bars = height == g.k
        figure.add_hline(
            y=height,
            line={"color": colour, "dash": dash, "width": 2},
            annotation={
                "text": words,
                "font": {"color": "white" if over_bars else colour},
                "bgcolor": colour if over_bars else CLEAR,
            },
            annotation_position=position,
        )
    some = np.arange(0, len(ranking), -(-len(ranking) // MOST_NUMBERED))
    ticks = {
        "tickvals": some + 1,
        "ticktext": [f"{number:,}" for number in (ranking[some] + 1).tolist()],
        "tickangle": 0,
    }
    return styled(
        figure,
        title,
        barmode="stack",
        bargap=0.15 if len(ranking) <= MOST_STACKED else 0,
        xaxis={"title": "Groups", "range": [0.4, len(ranking) + 0.6], "zeroline": False, "showgrid": False, **ticks},
        yaxis={"title": f"{labels.unit.capitalize()} in a group", "range": [0, g.cost * 1.12], "tickformat": COUNT},
        showlegend=False,
        margin={"l": 60, "r": 10, "t": 45, "b": 45},
    )
