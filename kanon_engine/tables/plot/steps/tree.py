"""Trees: of sets of cuts, and of parts that are cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plotly import graph_objects as go

from kanon_engine.plot.style import FLOOR, TEXT
from kanon_engine.plot.tree import tree_places
from kanon_engine.tables.plot.steps.panels import Room, heading, on, place

WORDED = 40  # nodes whose words are drawn


@dataclass(frozen=True)
class Mark:
    """How a node looks."""

    words: str
    hover: str
    colour: str
    symbol: str = "circle"


def draw_tree(
    figure: go.Figure,
    room: Room,
    parents: Sequence[int],
    marks: Sequence[Mark],
    ringed: dict[int, str],
    title: str,
) -> None:
    """Draw nodes below their parents.

    Parameters
    ----------
    figure : Figure
    room : Room
    parents : sequence of int
        Each before its children; -1 of the root.
    marks : sequence of Mark
    ringed : dict
        Nodes that stand out, with the colour of their ring.
    title : str
    """
    xs, ys = tree_places(parents)
    wide = max(max(xs) - min(xs), 1)
    name = place(
        figure,
        room,
        x={"range": [min(xs) - 0.12 * wide, max(xs) + 0.2 * wide]},
        y={"range": [min(ys) - 0.7, 0.5]},
    )
    lines = [(xs[parent], xs[node], ys[parent], ys[node]) for node, parent in enumerate(parents) if parent >= 0]
    figure.add_trace(
        go.Scatter(
            x=[x for a, b, _, _ in lines for x in (a, b, None)],
            y=[y for _, _, c, d in lines for y in (c, d, None)],
            mode="lines",
            line={"color": FLOOR, "width": 1.2},
            hoverinfo="skip",
            **on(name),
        )
    )
    worded = len(marks) <= WORDED
    size = 15 if worded else 8
    figure.add_trace(
        go.Scatter(
            x=xs,
            y=ys,
            mode="markers+text",
            text=[mark.words if worded or node in ringed else "" for node, mark in enumerate(marks)],
            textposition=["middle right" if node in parents else "bottom center" for node in range(len(marks))],
            textfont={"size": TEXT if len(marks) <= WORDED // 4 else TEXT - 3},
            marker={
                "size": [size + 9 * (node in ringed) for node in range(len(marks))],
                "color": [mark.colour for mark in marks],
                "symbol": [mark.symbol for mark in marks],
                "opacity": 1,
                "line": {
                    "width": [4 if node in ringed else 1 for node in range(len(marks))],
                    "color": [ringed.get(node, FLOOR) for node in range(len(marks))],
                },
            },
            hovertext=[mark.hover for mark in marks],
            hoverinfo="text",
            **on(name),
        )
    )
    heading(figure, room, title)
