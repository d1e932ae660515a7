"""The layers that pictures consist of, on a map or in a plane, and the common style."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from plotly import graph_objects as go

from kanon_engine.plot.colors import CLEAR, FLOOR, TEXT, TITLE, WHITE, faded

COUNT = ",d"  # 3,000 and not 3k
TITLE_ABOVE: dict[str, Any] = {"title_y": 0.985, "title_yanchor": "top"}
LEGEND_ABOVE: dict[str, Any] = {"legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0}}
ABOVE = TITLE_ABOVE | LEGEND_ABOVE
# in the upper right, next to the title
LEGEND_TOP_RIGHT = {"orientation": "h", "yref": "container", "y": 0.93, "yanchor": "top", "x": 1, "xanchor": "right"}
# Plotly's own "white-bg" style names a font server; without one, MapLibre draws names with the machine's fonts.
_PLAIN_MAP: dict[str, Any] = {
    "version": 8,
    "sources": {"none": {"type": "geojson", "data": {"type": "Point", "coordinates": [0, 0]}}},
    "layers": [{"id": "white", "type": "background", "paint": {"background-color": WHITE}}],
}


def hover(words: Any) -> dict[str, Any]:
    """The hover text of each mark of a layer, and nothing else."""
    return {"text": words, "hovertemplate": "%{text}<extra></extra>"}


def polyline(
    xy: np.ndarray, color: str | None, width: float, on_map: bool = False, *, dash: str | None = None, **more: Any
) -> Any:
    """A line along (v, 2) corners, interrupted at NaN; no hover text without a `hovertemplate`."""
    look: dict[str, Any] = {"color": color, "width": width} | ({} if dash is None else {"dash": dash})
    more = ({} if "hovertemplate" in more else {"hoverinfo": "skip"}) | {"mode": "lines"} | more
    if on_map:
        return go.Scattermap(lon=xy[:, 0], lat=xy[:, 1], line=look, **more)
    return go.Scatter(x=xy[:, 0], y=xy[:, 1], line=look, **more)


def segments(starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """A line from each of (e, 2) places to another, as one path with a gap after each."""
    return np.stack([starts, ends, np.full(np.shape(starts), np.nan)], axis=1).reshape(-1, 2)


def dots(
    xy: np.ndarray, color: Any, size: Any, on_map: bool = False, look: dict[str, Any] | None = None, **more: Any
) -> Any:
    """A mark at each of (p, 2) places; `look` holds further marker properties.

    No hover text unless `more` has a `hover`.
    """
    marker = {"color": color, "size": size} | (look or {})
    more = ({} if "hovertemplate" in more else {"hoverinfo": "skip"}) | {"mode": "markers"} | more
    if on_map:
        return go.Scattermap(lon=xy[:, 0], lat=xy[:, 1], marker=marker | {"allowoverlap": True}, **more)
    return go.Scatter(x=xy[:, 0], y=xy[:, 1], marker=marker, **more)


def texts(xy: np.ndarray, words: Sequence[str], on_map: bool = False, **more: Any) -> Any:
    """Text at (p, 2) places."""
    more = {"mode": "text", "hoverinfo": "skip", "text": words} | more
    return go.Scattermap(lon=xy[:, 0], lat=xy[:, 1], **more) if on_map else go.Scatter(x=xy[:, 0], y=xy[:, 1], **more)


def bars(x: Any, y: Any, color: Any, words: Any, classes: Any = None, **more: Any) -> go.Bar:
    """Bars without an edge, with hover text; `classes` are the classes that they represent."""
    marker = {"color": color, "line": {"width": 0}}
    bar = go.Bar(x=x, y=y, marker=marker, customdata=classes, textposition="none", **hover(words))
    return bar.update(more)


def marked_line(
    x: Any, y: Any, name: str, color: str, says: str, *, dash: str = "solid", width: float = 2.5, **more: Any
) -> Any:
    """A line with a mark at each of its points; `says` is the hover text, as a plotly template."""
    look: dict[str, Any] = {"color": color, "width": width, "dash": dash}
    return go.Scatter(x=x, y=y, mode="lines+markers", name=name, line=look, hovertemplate=says, **more)


def floor_area(xy: np.ndarray, name: str, says: str) -> Any:
    """A proven floor as a line, shaded below; `says` is the hover text."""
    look: dict[str, Any] = {"fill": "tozeroy", "fillcolor": faded(FLOOR, 0.18)}
    return polyline(xy, FLOOR, 1.5, name=name, hovertemplate=f"{says}<extra></extra>", **look)


def styled(figure: go.Figure, title: str, **layout: Any) -> go.Figure:
    """Finish a figure: title, layout and text sizes. The background is transparent.

    Parameters
    ----------
    **layout : Plotly layout; a margin may be given as left, right, top and bottom.

    >>> figure = styled(go.Figure(go.Bar(y=[1])), "One bar", xaxis={"title": "Bars"})
    >>> figure.layout.title.text, figure.layout.xaxis.title.font.size, figure.layout.xaxis.tickfont.size
    ('One bar', 14, 14)
    """
    words = {"font_size": TEXT, "hoverlabel_font_size": TEXT, "legend_font_size": TEXT, "title_font_size": TITLE}
    figure.update_layout(title_text=title, paper_bgcolor=CLEAR, plot_bgcolor=CLEAR, **words)
    if "margin" in layout:
        layout["margin"] = dict(zip("lrtb", layout["margin"], strict=True))
    figure.update_layout(layout)
    for axis in (*figure.select_xaxes(), *figure.select_yaxes()):
        axis.update(title_font_size=TEXT, tickfont_size=TEXT, automargin=True)
    return figure.update_annotations(font_size=TEXT)


def whole_axis(length: float, most: int) -> dict[str, Any]:
    """Ticks on an axis of whole numbers; on a short one, plotly would put ticks at fractions."""
    return {"tickformat": COUNT, "dtick": 1 if length <= most else None}


def asks_nobody(figure: go.Figure) -> go.Figure:
    """The figure, for a file: a map without tiles requests no fonts from a server."""
    if figure.layout.map.style != "white-bg":
        return figure
    return go.Figure(figure).update_layout(map={"style": _PLAIN_MAP})
