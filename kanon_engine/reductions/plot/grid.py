"""Locations on a grid, and rectangles around them."""

from __future__ import annotations

from typing import Any

import numpy as np
from plotly import graph_objects as go

from kanon_engine.model.classes import members_of
from kanon_engine.plot.style import FLOOR, styled
from kanon_engine.reductions.corridors.grid import WALL
from kanon_engine.reductions.model import Carried
from kanon_engine.reductions.plot.graph import JOINED
from kanon_engine.reductions.plot.kinds import PLAIN, kind_colours
from kanon_engine.reductions.plot.names import add_names

MARGIN = 0.35  # of a rectangle around its points


def grid_figure(source: Any, carried: Carried, assignment: np.ndarray | None = None) -> go.Figure:
    """The target of a reduction to rectangles: gadgets by colour, pairs larger than single records, walls as squares.

    Parameters
    ----------
    source
        What was carried over.
    carried : Carried
    assignment : (n,) int array, optional
        Class of each location, -1 for none; a rectangle is drawn around each class of two locations or more.
    """
    points, figure = carried.instance, go.Figure()
    if assignment is not None:
        corners: list[np.ndarray] = []
        for members in members_of(assignment):
            if len(members) > 1:
                (west, south), (east, north) = points.xy[members].min(axis=0), points.xy[members].max(axis=0)
                x, y = np.array([west, east, east, west, west]), np.array([south, south, north, north, south])
                out = np.array([[-1, 1, 1, -1, -1], [-1, -1, 1, 1, -1]]) * MARGIN
                corners += [np.array([x, y]) + out, np.full((2, 1), np.nan)]
        if corners:
            lines = np.hstack(corners)
            line = JOINED | {"width": 2}
            figure.add_scatter(x=lines[0], y=lines[1], mode="lines", line=line, hoverinfo="skip", name="group")
    for kind, colour in kind_colours(carried.gadgets).items():
        gadgets = [gadget for gadget in carried.gadgets if gadget.kind == kind]
        items = np.array([item for gadget in gadgets for item in gadget.items])
        told = [f"{gadget.name}, {gadget.stands_for}" for gadget in gadgets for _ in gadget.items]
        weights = points.weights[items]
        wall = kind == "wall"
        figure.add_scatter(
            x=points.xy[items, 0],
            y=points.xy[items, 1],
            mode="markers",
            name=kind,
            marker={
                "color": "#E3E6E8" if wall else colour,
                "symbol": "square" if wall else "circle",
                "size": np.where(weights >= WALL, 8, 4 + 4 * weights),
                "line": {"width": 0 if wall else 1, "color": FLOOR},
            },
            customdata=items,
            text=[f"{weight} at {told_of}" for weight, told_of in zip(weights.tolist(), told, strict=True)],
            hovertemplate="%{text}<extra></extra>",
        )
    add_names(figure, carried.gadgets, points.xy)
    return styled(figure, "", xaxis=PLAIN, yaxis=PLAIN | {"scaleanchor": "x"}, legend={"orientation": "h"})
