"""The picture of labels: the bins."""

from __future__ import annotations

import numpy as np
from plotly import graph_objects as go

from kanon_engine.labels.instance import Labels
from kanon_engine.labels.plot.bars import bars, dressed
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
    figure = go.Figure(bars(labels, g, ranking, exact=exact))
    if selected is not None:
        place = int(np.flatnonzero(ranking == selected)[0]) + 1
        corners = {"x0": place - 0.5, "x1": place + 0.5, "y0": 0, "y1": int(g.class_weights[selected])}
        figure.add_shape(type="rect", line={"color": VERMILION, "width": 3}, **corners)
    return dressed(figure, labels, g, "What each group holds, the largest first", ranking)
