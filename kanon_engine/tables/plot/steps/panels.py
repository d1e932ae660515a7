"""Where the parts of a picture of a step stand."""

from __future__ import annotations

from typing import Any, NamedTuple

from plotly import graph_objects as go

from kanon_engine.model.words import cut
from kanon_engine.plot.style import BLUE, ORANGE, TEXT

ACROSS = 3  # buttons in a row
LETTERS = 40
HIDDEN: dict[str, Any] = {"visible": False, "fixedrange": True}


class Room(NamedTuple):
    """A part of the picture: the number of its axes, and where it lies, 0 to 1 across and up."""

    number: int
    across: tuple[float, float]
    up: tuple[float, float]


def place(figure: go.Figure, room: Room, **axes: Any) -> str:
    """Make axes for a part of the picture; what its traces name as their axes' number."""
    name = "" if room.number == 1 else str(room.number)
    figure.layout[f"xaxis{name}"] = HIDDEN | {"domain": room.across, "anchor": f"y{name}"} | axes.get("x", {})
    figure.layout[f"yaxis{name}"] = HIDDEN | {"domain": room.up, "anchor": f"x{name}"} | axes.get("y", {})
    return name


def on(name: str) -> dict[str, str]:
    """The axes of a trace in such a room."""
    return {"xaxis": f"x{name}", "yaxis": f"y{name}"}


def heading(figure: go.Figure, room: Room, words: str, above: float = 0.01) -> None:
    """Words above a part of the picture."""
    figure.add_annotation(
        x=room.across[0], y=room.up[1] + above, xref="paper", yref="paper", xanchor="left", yanchor="bottom",
        text=words, showarrow=False, font_size=TEXT,
    )  # fmt: skip


def choices(
    xs: list[float], ys: list[float], numbers: list[int], words: list[str], name: str, **look: Any
) -> go.Scatter:
    """Marks that are picked as answers: `numbers` are the positions of the choices."""
    marker = {"size": 20, "color": "rgba(230,159,0,0.35)", "line": {"color": ORANGE, "width": 2.5}} | look
    return go.Scatter(
        x=xs, y=ys, customdata=numbers, hovertext=words, hoverinfo="text", mode="markers", marker=marker, **on(name)
    )


def buttons(figure: go.Figure, room: Room, words: list[str]) -> None:
    """Choices that have no place in the picture, as buttons in rows of three."""
    rows = -(-len(words) // ACROSS)
    name = place(figure, room, x={"range": [-0.1, ACROSS]}, y={"range": [rows - 0.5, -0.5]})
    xs, ys = [float(at % ACROSS) for at in range(len(words))], [float(at // ACROSS) for at in range(len(words))]
    figure.add_trace(choices(xs, ys, list(range(len(words))), words, name, size=22, symbol="square"))
    for x, y, text in zip(xs, ys, words, strict=True):
        figure.add_annotation(
            x=x, y=y, xref=f"x{name}", yref=f"y{name}", text=cut(text, LETTERS), showarrow=False, xanchor="left",
            xshift=18, font={"size": TEXT, "color": BLUE},
        )  # fmt: skip
