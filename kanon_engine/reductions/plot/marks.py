"""Marks of the items of a target, by the kind of their gadget, and lines between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from plotly import graph_objects as go

from kanon_engine.reductions.model import Carried
from kanon_engine.reductions.plot.kinds import kind_colours

MANY = 80  # items, above which marks are smaller


def add_lines(figure: go.Figure, places: np.ndarray, pairs: np.ndarray, name: str, line: dict[str, Any]) -> None:
    """Draw a line between the places of each pair of positions, where there are any."""
    if len(pairs):
        gap = np.full(len(pairs), np.nan)
        x, y = (np.column_stack([places[pairs, axis], gap]).ravel() for axis in range(2))
        figure.add_scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", name=name)


def add_marks(figure: go.Figure, carried: Carried, called: Callable[[int], str]) -> None:
    """Draw each item with the name and the sense of its gadget; `customdata` is the item's position."""
    places = np.asarray(carried.positions)
    for kind, colour in kind_colours(carried.gadgets).items():
        both = [(item, gadget) for gadget in carried.gadgets if gadget.kind == kind for item in gadget.items]
        items = [item for item, _ in both]
        figure.add_scatter(
            x=places[items, 0],
            y=places[items, 1],
            mode="markers",
            name=kind,
            marker={"color": colour, "size": 9 if len(places) > MANY else 14, "line": {"width": 1, "color": "white"}},
            customdata=items,
            text=[f"{called(item)}: {gadget.name}, {gadget.stands_for}" for item, gadget in both],
            hovertemplate="%{text}<extra></extra>",
        )
