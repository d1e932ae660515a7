"""A graph of gadgets, and the classes in it."""

from __future__ import annotations

from typing import Any

import numpy as np
from plotly import graph_objects as go

from kanon_engine.plot.style import FLOOR, styled
from kanon_engine.reductions.model import Carried
from kanon_engine.reductions.plot.kinds import PLAIN
from kanon_engine.reductions.plot.marks import add_lines, add_marks
from kanon_engine.reductions.plot.names import add_names

JOINED = {"width": 6, "color": "#3A3F44"}


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
    add_lines(figure, places, edges[~inside], "edge", {"width": 1, "color": FLOOR})
    add_lines(figure, places, edges[inside], "edge within a group", JOINED)
    add_marks(figure, carried, lambda item: str(carried.instance.ids[item]))
    add_names(figure, carried.gadgets, places)
    return styled(figure, "", xaxis=PLAIN, yaxis=PLAIN | {"scaleanchor": "x"}, legend={"orientation": "h"})
