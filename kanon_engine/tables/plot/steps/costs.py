"""The cost of a descent, step after step."""

from __future__ import annotations

from plotly import graph_objects as go

from kanon_engine.plot.style import BLUE, COUNT, FLOOR
from kanon_engine.tables.plot.steps.panels import Room, heading, on, place
from kanon_engine.tables.steps.states import CutState


def draw_costs(figure: go.Figure, room: Room, state: CutState) -> None:
    """Draw what the cuts cost so far in this descent, and the best of all descents."""
    last = max(len(state.costs) - 1, 1)
    costs = list(state.costs) or [state.cost]
    plain = {"visible": True, "showgrid": False, "zeroline": False}
    name = place(
        figure, Room(room.number, (room.across[0] + 0.06, room.across[1]), (room.up[0] + 0.1, room.up[1])),
        x=plain | {"title": "Cuts added or taken away", "range": [-0.2, last + 0.2], "dtick": 1 if last < 12 else None},
        y=plain | {"title": "Cost", "tickformat": COUNT, "rangemode": "tozero"},
    )  # fmt: skip
    figure.add_trace(
        go.Scatter(
            y=costs, mode="lines+markers", line={"color": BLUE, "width": 2.5}, marker_size=9, hoverinfo="y", **on(name)
        )
    )
    if state.best >= 0:
        figure.add_trace(
            go.Scatter(
                x=[0, last], y=[state.best] * 2, mode="lines", line={"color": FLOOR, "dash": "dash", "width": 2},
                hoverinfo="skip", **on(name),
            )
        )  # fmt: skip
    heading(figure, room, "Cost of this descent; dashed: the best so far")
