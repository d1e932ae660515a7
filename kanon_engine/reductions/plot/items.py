"""The items of a target at the places of its construction, and the classes as trees that join them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from plotly import graph_objects as go
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

from kanon_engine.model.classes import members_of
from kanon_engine.plot.style import FLOOR, styled
from kanon_engine.reductions.model import Carried
from kanon_engine.reductions.plot.graph import JOINED
from kanon_engine.reductions.plot.kinds import PLAIN
from kanon_engine.reductions.plot.marks import add_lines, add_marks
from kanon_engine.tables.instance import Table


def items_figure(source: Any, carried: Carried, assignment: np.ndarray | None = None) -> go.Figure:
    """Rows or points by the kind of their gadget; `customdata` of a mark is the item's position.

    Parameters
    ----------
    source
        What was carried over.
    carried : Carried
        With positions.
    assignment : (n,) int array, optional
        Class of each item, -1 for none; lines join the items of a class.
    """
    places = np.asarray(carried.positions, dtype=float)
    figure = go.Figure()
    add_lines(figure, places, _near(carried), "at distance 1", {"width": 1, "color": FLOOR})
    if assignment is not None:
        add_lines(figure, places, _trees(places, assignment), "in one group", JOINED)
    add_marks(figure, carried, _called(carried))
    return styled(figure, "", xaxis=PLAIN, yaxis=PLAIN, legend={"orientation": "h"})


def _near(carried: Carried) -> np.ndarray:
    """(e, 2) pairs of points at distance 1; none of rows."""
    if isinstance(carried.instance, Table):
        return np.empty((0, 2), dtype=np.int64)
    apart = carried.instance.between(np.arange(len(carried.instance)))
    return np.argwhere(np.triu(apart == 1))


def _trees(places: np.ndarray, assignment: np.ndarray) -> np.ndarray:
    """(e, 2) the shortest lines that join the items of each class."""
    found = [np.empty((0, 2), dtype=np.int64)]
    for members in members_of(assignment):
        apart = cdist(places[members], places[members]) + 1e-6  # 0 would be no line
        found.append(members[np.argwhere(minimum_spanning_tree(apart).toarray() > 0)])
    return np.concatenate(found)


def _called(carried: Carried) -> Callable[[int], str]:
    """What each item is called: a row by its cells, a point by its name."""
    instance = carried.instance
    if isinstance(instance, Table):
        cells = instance.frame[list(instance.quasi_identifiers)].to_numpy()
        return lambda item: " ".join(cells[item])
    return lambda item: str(instance.ids[item])
