"""Choices of a question that have no place in a picture of their own: a row of marks below it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from plotly import graph_objects as go

from kanon_engine.plot.style import BLUE, TEXT

ROOM = 0.12  # of the picture's height
BELOW_WORDS = 0.26  # where the axis has words of its own


def add_choices(figure: go.Figure, choices: Sequence[str]) -> go.Figure:
    """Mark each choice below a map or a plane; `customdata` is its position among the choices.

    Example
    -------
    >>> figure = add_choices(go.Figure(go.Scatter(x=[0], y=[0])), ("no", "yes"))
    >>> figure.data[-1].customdata.tolist(), list(figure.data[-1].text)
    ([0, 1], ['no', 'yes'])
    """
    count = len(choices)
    bottom = BELOW_WORDS if figure.layout.xaxis.title.text else ROOM
    figure.update_layout(
        xaxis9={"domain": [0, 1], "range": [0, 1], "anchor": "y9", "visible": False, "fixedrange": True},
        yaxis9={"domain": [0, ROOM], "range": [-1, 1], "anchor": "x9", "visible": False, "fixedrange": True},
    )
    if any(trace.type.endswith("map") for trace in figure.data):
        figure.update_layout(map={"domain": {"y": [ROOM, 1]}})
    else:
        figure.update_layout(yaxis={"domain": [bottom, 1]})
    return figure.add_scatter(
        x=(np.arange(count) + 0.3) / count,
        y=np.zeros(count),
        xaxis="x9",
        yaxis="y9",
        mode="markers+text",
        marker={"size": 15, "color": BLUE, "opacity": 0.85},
        text=list(choices),
        textposition="middle right",
        textfont={"size": TEXT},
        customdata=np.arange(count),
        hovertemplate="%{text}<extra></extra>",
        name="choices",
        showlegend=False,
    )
