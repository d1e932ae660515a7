"""The picture of rectangles over points: a map where the coordinates have a place on one, else the plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from plotly import graph_objects as go

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.words import counted, times_k
from kanon_engine.plot import CHANGED, Companion
from kanon_engine.plot.colors import check_colour_by, shading_of
from kanon_engine.plot.maps import (
    CAPTION,
    Atlas,
    Marks,
    add_places,
    around,
    joined,
    map_figure,
    map_line,
    plane_figure,
    whole,
)
from kanon_engine.plot.style import styled
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.plot.clip import beside, borders, clipped
from kanon_engine.rectangles.plot.drawing import first_look, lonlat, marks, on_map, outlines
from kanon_engine.rectangles.plot.overview import overview
from kanon_engine.rectangles.plot.shading import neighbour_shades

if TYPE_CHECKING:
    import geopandas
    import shapely

INK = "#1a1a1a"
SELECTED = "#D55E00"


def rectangles_figure(
    points: Points,
    g: Generalization,
    *,
    background: Atlas | geopandas.GeoDataFrame | None = None,
    selected: int | None = None,
    tiles: bool = False,
    companion: Companion | None = None,
    area: shapely.Geometry | None = None,
    exact: bool = True,
    colour_by: str = "group",
) -> go.Figure:
    """Rectangles in colours, with the points, or their density where they are many.

    Parameters
    ----------
    points : Points
    g : Generalization
    background : Atlas or GeoDataFrame, optional
        Land, water and places, or outlines of one's own, to orient by; only on a map.
    selected : int, optional
        Class with a thick border.
    tiles : bool
        Draw over street map tiles, which are loaded from the network; only on a map.
    companion : Companion, optional
        What it takes over from the picture of another result.
    area : Polygon or MultiPolygon, optional
        Cut the drawn rectangles off at a study area; see `kanon_engine.rectangles.read.study_area`.
    exact : bool
        Draw the points too. Otherwise only rectangles are in the figure: made on a grid, it is fit for a release.
    colour_by : "group" or "fullness"
        Few colours that tell neighbours apart, or shades for weight / k. Parts are always shaded.

    Returns
    -------
    Figure
        A MapLibre map, or a plane with equal scales where no coordinate system is known. `customdata` begins with the
        class number, -1 where more rectangles than a picture holds are drawn as parts of several. Hovering tells group,
        weight and number of points.
    """
    check_colour_by(colour_by)
    parts = overview(g)
    means = np.ones(1)
    if parts is not None:
        rectangles, weights, means = parts.rectangles, parts.weights, parts.classes
        classes = np.full(len(weights), -1)
        words = [
            f"{counted(number, 'group')} with {weight:,} {points.unit}<br>{times_k(weight / g.k / number)} on average"
            for number, weight in zip(parts.classes.tolist(), weights.tolist(), strict=True)
        ]
    else:
        rectangles, weights = g.details.rectangles, g.class_weights
        classes = np.arange(g.classes)
        counts = np.bincount(g.assignment, minlength=g.classes)
        words = [
            f"<b>Group {number:,}</b><br>{weight:,} {points.unit} ({times_k(weight / g.k)})<br>{counted(many, 'point')}"
            for number, (weight, many) in enumerate(zip(weights.tolist(), counts.tolist(), strict=True), 1)
        ]
    strong = [] if selected is None else outlines(points, rectangles[[selected]])
    grouped = parts is None and colour_by == "group"
    if grouped:
        shades = neighbour_shades(rectangles, companion.colours if companion else None)
    else:
        shades = shading_of(weights / means / g.k, companion.top if companion else None)
    rings = outlines(points, rectangles)
    title = "Rectangles; colours tell neighbours apart" if grouped else f"Rectangles, shaded by {points.unit} ÷ k"
    if parts is not None:
        title = f"{g.classes:,} rectangles, drawn as {len(rectangles):,} parts, shaded by mean {points.unit} ÷ k"
    drawn = whole(rings)
    if area is not None:
        ends = np.vstack(rings)
        area = beside(area, ends[:, 0].min(), ends[:, 0].max()) if on_map(points) else area
        drawn, strong = clipped(rings, area), [*strong, *borders(area)]
        title += "; cut off at the study area"
    none = Marks(np.empty((0, 2)), np.empty(0))
    dots = marks(points) if exact else none
    others = none if companion is None else marks(points, companion.changed)
    if len(others.xy):  # there is little room beside another picture
        title = f"Orange: points {CHANGED}"
    if on_map(points):
        extent = lonlat(points, points.box.reshape(2, 2)) if exact else np.vstack(rings)
        seen = lonlat(points, first_look(points)) if exact else extent
        figure = map_figure(drawn, shades, classes, words, extent, seen, background, tiles)
        figure.add_trace(_points(points, dots))
        if len(others.xy):
            figure.add_trace(_points(points, others, SELECTED))
        if isinstance(background, Atlas) and not tiles:
            add_places(figure, around(background, extent), seen)
        figure.add_trace(map_line(joined(strong), SELECTED, 3))
    else:
        figure = plane_figure(drawn, shades, classes, words, dots, strong)
        if len(others.xy):
            marker = {"size": others.sizes, "color": SELECTED}
            figure.add_scatter(x=others.xy[:, 0], y=others.xy[:, 1], mode="markers", marker=marker, hoverinfo="skip")
    return styled(
        figure,
        title,
        margin={"l": 10, "r": 10, "t": 45, "b": CAPTION if figure.layout.annotations else 10},
        showlegend=False,
        uirevision=f"points {points.digest}",  # another k keeps zoom and position
    )


def _points(points: Points, drawn: Marks, colour: str = INK) -> go.Scattermap:
    places = lonlat(points, drawn.xy)
    marker = {"size": drawn.sizes, "color": colour, "opacity": 0.55, "allowoverlap": True}
    return go.Scattermap(lon=places[:, 0], lat=places[:, 1], mode="markers", marker=marker, hoverinfo="skip")
