"""The picture of labels: the bins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from plotly import graph_objects as go

from kanon_engine.labels.instance import Labels
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.words import counted, times_k
from kanon_engine.plot.colors import ASH, BLUE, BLUES, CLEAR, FLOOR, VERMILION
from kanon_engine.plot.scene import COUNT, bars, styled


def bins_figure(labels: Labels, g: Generalization, selected: int | None = None, *, exact: bool = True) -> go.Figure:
    """The classes as bars, largest first, each stacked from its most common labels, with lines at k and the largest.

    Parameters
    ----------
    selected : Class with a thick border.
    exact : Stack the most common labels one by one. Otherwise a bar shows only a group, so the figure can be released.

    Returns: `customdata` is the class number. Hovering tells group, weight and number of labels.
    """
    ranking = np.argsort(-g.class_weights, kind="stable")
    figure = go.Figure(stacked(labels, g, ranking, exact=exact))
    if selected is not None:
        place = int(np.flatnonzero(ranking == selected)[0]) + 1
        corners = {"x0": place - 0.5, "x1": place + 0.5, "y0": 0, "y1": int(g.class_weights[selected])}
        figure.add_shape(type="rect", line={"color": VERMILION, "width": 3}, **corners)
    lines = [Level(g.k, f"k = {g.k:,}", "bottom right", VERMILION, "solid")]
    if g.cost > g.k:
        lines.append(Level(g.cost, f"largest {g.cost:,}", "top right", FLOOR, "dash", filled=False))
    some = np.arange(0, g.classes, -(-g.classes // MOST_NUMBERED))
    ticks = {"tickvals": some + 1, "ticktext": [f"{number:,}" for number in (ranking[some] + 1).tolist()]}
    look = {"barmode": "stack", "bargap": 0.15 if g.classes <= MOST_STACKED else 0}
    title = "Contents of each group, largest first"
    return dressed(figure, title, labels.unit, lines, ticks, (g.classes + 0.6, g.cost * 1.12), **look)


RANKS = (
    "most common label of the group",
    *(f"{rank} most common label" for rank in ("second", "third", "fourth", "fifth")),
)
MOST_STACKED = 60  # with more bins, segments are too thin to see
MOST_NUMBERED = 15  # numbers of groups below the bins, that do not run into each other


def stacked(labels: Labels, g: Generalization, ranking: np.ndarray, *, exact: bool = True) -> list[go.Bar]:
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
        bars(np.arange(1, len(ranking) + 1), heights, color, words, ranking, name=name)
        for heights, color, name in _layers(classes, counts, ranking, totals, exact)
    ]


def _layers(
    classes: np.ndarray, counts: np.ndarray, ranking: np.ndarray, totals: np.ndarray, exact: bool
) -> list[tuple[np.ndarray, str, str]]:
    """Heights, color and name of each layer: the most common labels of every class one by one, then all others."""
    if len(ranking) > MOST_STACKED or not exact:
        return [(totals, BLUE, "group")]
    order = np.lexsort((-counts, classes))
    sorted_classes, sorted_counts = classes[order], counts[order]
    place = np.arange(len(order)) - np.searchsorted(sorted_classes, sorted_classes)
    layers, rest = [], totals.copy()
    for number, color in enumerate(BLUES):
        here = place == number
        heights = np.bincount(sorted_classes[here], sorted_counts[here], len(ranking))[ranking]
        layers.append((heights, color, RANKS[number]))
        rest = rest - heights
    return [*layers, (rest, ASH, "all other labels")]


class Level(NamedTuple):
    """A line across the bars with words at its end."""

    height: float
    words: str
    position: str  # text position, in plotly's terms
    color: str
    dash: str
    filled: bool = True  # whether the words are on the color


def dressed(
    figure: go.Figure,
    title: str,
    unit: str,
    lines: Sequence[Level],
    ticks: dict[str, Any],
    end: tuple[float, float],
    **layout: Any,
) -> go.Figure:
    """Lines across, axes up to this end, title."""
    for level in lines:
        note = {"text": level.words, "font": {"color": "white"}, "bgcolor": level.color}
        if not level.filled:
            note |= {"font": {"color": level.color}, "bgcolor": CLEAR}
        look = {"color": level.color, "dash": level.dash, "width": 2}
        figure.add_hline(y=level.height, line=look, annotation=note, annotation_position=level.position)
    plain = {"tickangle": 0, "zeroline": False, "showgrid": False}
    return styled(
        figure,
        title,
        xaxis={"title": "Groups", "range": [0.4, end[0]], **ticks, **plain},
        yaxis={"title": f"{unit.capitalize()} in a group", "range": [0, end[1]], "tickformat": COUNT},
        showlegend=False,
        margin=(60, 10, 45, 45),
        **layout,
    )
