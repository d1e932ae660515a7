"""What is drawn above circles, on a map or in a plane: lines, points, centers, and crosses for those left out."""

from __future__ import annotations

from typing import Any

import numpy as np
from plotly import graph_objects as go

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.plot.view import View
from kanon_engine.model.generalization import Generalization
from kanon_engine.plot.maps import FEW_POINTS, Marks, map_line, marks_of
from kanon_engine.plot.style import BLUE

INK = "#1a1a1a"
SPOKE = "#8b97a1"
CROSS = "#b0003a"
ARM = 0.006  # of the longer side of what is seen first: half a cross on a map, where symbols would ask a server
MANY_CENTERS = 500  # more are drawn smaller


def add_line(figure: go.Figure, view: View, path: np.ndarray, colour: str, width: float, **more: Any) -> None:
    """A line with gaps; it has no place in the legend unless `more` says so."""
    more = {"showlegend": False} | more
    if view.kind == "map":
        figure.add_trace(map_line(path, colour, width).update(more))
    else:
        line = {"color": colour, "width": width}
        figure.add_scatter(x=path[:, 0], y=path[:, 1], mode="lines", line=line, hoverinfo="skip", **more)


def add_points(
    figure: go.Figure, view: View, drawn: Marks, colour: str, marker: dict[str, Any] | None = None, **more: Any
) -> None:
    """Round marks; they tell nothing unless `more` says so."""
    xy = drawn.xy
    look: dict[str, Any] = (
        {"size": drawn.sizes, "color": colour, "opacity": 0.55} if marker is None else {"color": colour} | marker
    )
    more = {"hoverinfo": "skip", "showlegend": False, "mode": "markers"} | more
    if view.kind == "map":
        look["allowoverlap"] = True
        figure.add_scattermap(lon=xy[:, 0], lat=xy[:, 1], marker=look, **more)
    else:
        figure.add_scatter(x=xy[:, 0], y=xy[:, 1], marker=look, **more)


def add_centers(figure: go.Figure, view: View, classes: np.ndarray, words: list[str]) -> None:
    """The centers of some classes, that tell what the classes are."""
    size = 8.0 if len(classes) <= MANY_CENTERS else 4.0
    add_points(
        figure,
        view,
        Marks(view.centers[classes], np.empty(0)),
        BLUE,
        marker={"opacity": 0.9, "size": size},
        customdata=classes,
        text=[words[number] for number in classes.tolist()],
        hovertemplate="%{text}<extra></extra>",
        hoverinfo=None,
    )


def add_crosses(figure: go.Figure, space: MetricSpace, view: View, g: Generalization, seen: np.ndarray) -> None:
    """Those that are left out, with their number in the legend: each, or where they are many, where they lie."""
    out = np.flatnonzero(g.assignment < 0)
    many = len(out) > FEW_POINTS
    drawn = marks_of(view.points[out], view.box, many)
    name = f"left out: {int(space.weights[out].sum()):,} {space.unit}{', crosses for several' * many}"
    if view.kind == "map":
        arm = ARM * float((seen.max(axis=0) - seen.min(axis=0)).max() or 1.0)
        tall = arm * np.cos(np.radians(drawn.xy[:, 1]))
        arms = np.full((len(drawn.xy), 6, 2), np.nan)
        for place, (east, north) in enumerate(((-1, -1), (1, 1), (np.nan, np.nan), (-1, 1), (1, -1))):
            arms[:, place] = drawn.xy + np.column_stack([np.full(len(tall), east * arm), north * tall])
        add_line(figure, view, arms.reshape(-1, 2), CROSS, 2, name=f"✕ {name}", showlegend=True)
        look: dict[str, Any] = {"opacity": 0.0, "size": 12}
        more: dict[str, Any] = {}
    else:
        look = {"opacity": 1.0, "size": 8, "symbol": "x-thin", "line": {"color": CROSS, "width": 2}}
        more = {"name": name, "showlegend": True}
    if not many:
        more |= {
            "text": _left_out(space, out, view, drawn),
            "hovertemplate": "%{text}<extra></extra>",
            "hoverinfo": None,
        }
    add_points(figure, view, drawn, CROSS, marker=look, **more)


def _left_out(space: MetricSpace, out: np.ndarray, view: View, drawn: Marks) -> list[str]:
    """Which points lie at each mark."""
    at: dict[tuple[float, ...], list[int]] = {}
    for place, spot in zip(out.tolist(), view.points[out].tolist(), strict=True):
        at.setdefault(tuple(spot), []).append(place)
    return [
        f"left out: {', '.join(space.label(place) for place in at[tuple(spot)][:5])}{' …' * (len(at[tuple(spot)]) > 5)}"
        for spot in drawn.xy.tolist()
    ]
