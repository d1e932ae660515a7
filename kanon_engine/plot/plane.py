"""Shapes in a plane whose place on earth is unknown."""

from __future__ import annotations

import numpy as np
from plotly import graph_objects as go
from plotly.colors import sample_colorscale

from kanon_engine.plot.marks import Marks
from kanon_engine.plot.paths import Outline, joined
from kanon_engine.plot.shading import Shading

LEVELS = 32  # a trace a shade: Plotly fills all shapes of a trace alike


def plane_figure(
    outlines: list[Outline],
    shades: Shading,
    classes: np.ndarray,
    words: list[str],
    drawn: Marks,
    strong: list[np.ndarray],
    axes: tuple[str, str] = ("x", "y"),
    opacity: float = 0.72,
) -> go.Figure:
    """Filled shapes, points and one strong line, with equal scales on both axes.

    Parameters
    ----------
    outlines : list of Outline
        Empty where nothing of a class is drawn.
    shades : Shading
        A value an outline.
    classes, words
        Class number and hover text of each outline.
    drawn : Marks
    strong : list of (v, 2) arrays
        Lines to stand out.
    axes : pair of str
        What the axes are called.
    opacity : float
        Of the filled shapes.
    """
    figure = go.Figure()
    levels, colours = _levels(shades)
    for level in np.unique(levels).tolist():
        path = joined(
            [ring for place in np.flatnonzero(levels == level).tolist() for part in outlines[place] for ring in part]
        )
        figure.add_scatter(
            x=path[:, 0],
            y=path[:, 1],
            mode="lines",
            fill="toself",
            fillcolor=colours[level],
            line={"color": "#5b6770", "width": 0.8},
            opacity=opacity,
            hoverinfo="skip",
        )
    figure.add_scatter(
        x=drawn.xy[:, 0],
        y=drawn.xy[:, 1],
        mode="markers",
        marker={"size": drawn.sizes, "color": "#1a1a1a", "opacity": 0.6, "line": {"width": 0}},
        hoverinfo="skip",
    )
    middles = np.array([_middle(outline) for outline in outlines])
    figure.add_scatter(
        x=middles[:, 0],
        y=middles[:, 1],
        mode="markers",
        marker={
            "size": 18,
            "opacity": 0,
            "color": shades.values,
            "cmin": shades.bottom,
            "cmax": shades.top,
            "colorscale": shades.scale,
            **shades.bar,
        },
        customdata=classes,
        text=words,
        hovertemplate="%{text}<extra></extra>",
    )
    path = joined(strong)
    strongly = {"color": "#D55E00", "width": 3}
    figure.add_scatter(x=path[:, 0], y=path[:, 1], mode="lines", line=strongly, hoverinfo="skip")
    return figure.update_layout(
        hovermode="closest",
        xaxis={"title": axes[0], "zeroline": False, "showgrid": False},
        yaxis={"title": axes[1], "zeroline": False, "showgrid": False, "scaleanchor": "x"},
    )


def _levels(shades: Shading) -> tuple[np.ndarray, list[str]]:
    """The place of each value among these colours."""
    if not isinstance(shades.scale, str):  # a colour twice, where it begins and where it ends
        return shades.values.astype(int), [colour for _, colour in shades.scale[::2]]
    share = np.clip((shades.values - shades.bottom) / (shades.top - shades.bottom), 0, 1)
    colours = sample_colorscale(shades.scale, ((np.arange(LEVELS) + 0.5) / LEVELS).tolist())
    return np.minimum((share * LEVELS).astype(int), LEVELS - 1), colours


def _middle(outline: Outline) -> np.ndarray:
    """Of the box around an outline; nowhere for an empty one."""
    if not outline:
        return np.full(2, np.nan)
    ends = np.vstack([polygon[0] for polygon in outline])
    return (ends.min(axis=0) + ends.max(axis=0)) / 2
