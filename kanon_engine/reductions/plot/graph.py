"""A graph of gadgets, and the classes in it."""

from __future__ import annotations

from typing import Any

import numpy as np
from plotly import graph_objects as go

from kanon_engine.plot.style import FLOOR, styled
from kanon_engine.reductions.model import Carried
from kanon_engine.reductions.plot.kinds import PLAIN, kind_colours


def graph_figure(source: Any, carried: Carried, assignment: np.ndarray | None = None) -> go.Figure:
    """The target of a reduction to regions: gadgets by colour, edges within a class thick.

    Parameters
    ----------
    source
        What was carried over.
    carried : Carried
    assignment : (n,) int array, optional
        Class of each vertex, -1 for none.
    """
    places, edges = carried.positions, carried.instance.edges
    if places is None:
        raise ValueError("A graph is drawn at the positions of its construction, and has none.")
    inside = np.zeros(len(edges), dtype=bool)
    if assignment is not None:
        ends = assignment[edges]
        inside = (ends[:, 0] == ends[:, 1]) & (ends[:, 0] >= 0)
    figure = go.Figure()
    for chosen, name, line in (
        (~inside, "edge", {"width": 1, "color": FLOOR}),
        (inside, "edge within a group", {"width": 6, "color": "#3A3F44"}),
    ):
        if chosen.any():
            x, y = (_broken(places[edges[chosen], axis]) for axis in range(2))
            figure.add_scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", name=name)
    for kind, colour in kind_colours(carried.gadgets).items():
        gadgets = [gadget for gadget in carried.gadgets if gadget.kind == kind]
        items = [item for gadget in gadgets for item in gadget.items]
        words = [
            f"{carried.instance.ids[item]}: {gadget.name}, {gadget.stands_for}"
            for gadget in gadgets
            for item in gadget.items
        ]
        figure.add_scatter(
            x=places[items, 0],
            y=places[items, 1],
            mode="markers",
            name=kind,
            marker={"color": colour, "size": 9 if len(places) > 150 else 14, "line": {"width": 1, "color": "white"}},
            customdata=items,
            text=words,
            hovertemplate="%{text}<extra></extra>",
        )
    return styled(figure, "", xaxis=PLAIN, yaxis=PLAIN | {"scaleanchor": "x"}, legend={"orientation": "h"})


def _broken(ends: np.ndarray) -> np.ndarray:
    """(3 e,) the ends of lines with a gap after each."""
    return np.column_stack([ends, np.full(len(ends), np.nan)]).ravel()
