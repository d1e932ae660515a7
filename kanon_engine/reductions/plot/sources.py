"""Graphs, formulas and sets as sources."""

from __future__ import annotations

import networkx
import numpy as np
from plotly import graph_objects as go

from kanon_engine.plot.style import FLOOR, SKY, VERMILION, styled
from kanon_engine.reductions.plot.kinds import PLAIN
from kanon_engine.reductions.plot.marks import add_lines
from kanon_engine.reductions.problems.vertex_cover import CubicGraph


def cover_figure(instance: CubicGraph, solution: tuple[int, ...] | None = None) -> go.Figure:
    """Vertices on a circle and edges; those of a cover stand out, and `customdata` is the vertex.

    Parameters
    ----------
    instance : CubicGraph
    solution : tuple of int, optional
    """
    layout = networkx.circular_layout(range(instance.size))
    places = np.array([layout[vertex] for vertex in range(instance.size)])
    figure = go.Figure()
    add_lines(figure, places, np.array(instance.edges), "edge", {"color": FLOOR, "width": 2})
    for name, colour, chosen in (("vertex", SKY, False), ("in the cover", VERMILION, True)):
        vertices = [vertex for vertex in range(instance.size) if (vertex in (solution or ())) == chosen]
        if vertices:
            figure.add_scatter(
                x=places[vertices, 0],
                y=places[vertices, 1],
                mode="markers+text",
                text=[f"{vertex + 1}" for vertex in vertices],
                marker={"color": colour, "size": 30},
                customdata=vertices,
                hoverinfo="skip",
                name=name,
            )
    return styled(figure, "", xaxis=PLAIN, yaxis=PLAIN | {"scaleanchor": "x"}, legend={"orientation": "h"})
