"""Pictures of labels: the bins, and the packing step by step."""

from __future__ import annotations

import numpy as np
from plotly import graph_objects as go

from kanon_engine.labels.constrained import item_view
from kanon_engine.labels.instance import LabelDetails, Labels
from kanon_engine.labels.plot.bars import REST, bars, dressed
from kanon_engine.labels.plot.steps import packing_steps
from kanon_engine.model.generalization import Generalization
from kanon_engine.plot.style import VERMILION


def bins_figure(labels: Labels, g: Generalization, selected: int | None = None, *, exact: bool = True) -> go.Figure:
    """The classes as bars, largest first, each stacked from its most common labels, with lines at k and the largest.

    Parameters
    ----------
    labels : Labels
    g : Generalization
    selected : int, optional
        Class with a thick border.
    exact : bool
        Stack the most common labels one by one. Otherwise a bar is a group, no more: fit for a release.

    Returns
    -------
    Figure
        `customdata` is the class number. Hovering tells group, weight and number of labels.
    """
    ranking = np.argsort(-g.class_weights, kind="stable")
    figure = go.Figure(bars(labels, g, np.arange(len(labels)), ranking, exact=exact))
    if selected is not None:
        place = int(np.flatnonzero(ranking == selected)[0]) + 1
        corners = {"x0": place - 0.5, "x1": place + 0.5, "y0": 0, "y1": int(g.class_weights[selected])}
        figure.add_shape(type="rect", line={"color": VERMILION, "width": 3}, **corners)
    return dressed(figure, labels, g, "What each group holds, the largest first", ranking, g.cost)


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
    labels, g = item_view(labels, g)
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
