"""Optimum, cost and ceiling of a duel as lines on one scale."""

from __future__ import annotations

from plotly import graph_objects as go

from kanon_engine.model.bound import Cost
from kanon_engine.model.words import number_text
from kanon_engine.plot.style import BLUE, COUNT, GREEN, VERMILION, styled
from kanon_engine.studies.beat import Duel


def duel_figure(found: Duel, noun: str) -> go.Figure:
    """A bar as long as the cost, with a line at the optimum (or its bound) and one at the ceiling.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> from kanon_engine.studies.beat import duel
    >>> found = duel(kanon.Labels("abcd", [1, 5, 9, 5]), 10, "two-approximation")
    >>> figure = duel_figure(found, "largest group")
    >>> list(figure.data[0].x), [line.x0 for line in figure.layout.shapes]
    ([20], [10, 20])
    """
    figure = go.Figure(go.Bar(x=[found.cost], y=[""], orientation="h", marker_color=BLUE, width=0.6, hoverinfo="x"))
    _line(figure, found.optimum, GREEN, "best" if found.optimum_is_proven else "at least", "top")
    if found.ceiling is not None:
        _line(figure, found.ceiling, VERMILION, "ceiling", "bottom")
    end = max(found.cost, found.ceiling or 0, 1)
    axis = {"range": [0, 1.12 * end], "title": noun, "tickformat": COUNT if end >= 10 else "", "zeroline": False}
    hidden = {"visible": False, "range": [-1.1, 1.1], "fixedrange": True}
    margin = {"l": 10, "r": 10, "t": 10, "b": 10}
    return styled(figure, "", xaxis=axis | {"fixedrange": True}, yaxis=hidden, margin=margin, showlegend=False)


def _line(figure: go.Figure, at: Cost, colour: str, word: str, side: str) -> None:
    """A line across the bar with its name and number, above or below the bar."""
    figure.add_shape(type="line", x0=at, x1=at, y0=-0.6, y1=0.6, line={"color": colour, "width": 4})
    figure.add_annotation(
        x=at,
        y=0.62 if side == "top" else -0.62,
        text=f"{word} {number_text(at)}",
        showarrow=False,
        yanchor="bottom" if side == "top" else "top",
        font={"color": colour},
    )
