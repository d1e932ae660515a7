"""The picture of rectangles over points: a map where the coordinates have a place on one, else the plane."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from plotly import graph_objects as go

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.words import counted
from kanon_engine.plot.atlas import Atlas, Surroundings
from kanon_engine.plot.colouring import check_colour_by
from kanon_engine.plot.companion import CHANGED, Companion
from kanon_engine.plot.geojson import GeoJson
from kanon_engine.plot.style import TEXT, styled
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.plot.clip import Outline, beside, borders, clipped, whole
from kanon_engine.rectangles.plot.drawing import Marks, first_look, joined, lonlat, marks, on_map, outlines, view
from kanon_engine.rectangles.plot.overview import overview
from kanon_engine.rectangles.plot.plane import plane_figure
from kanon_engine.rectangles.plot.shading import Shading, doubling_shades, neighbour_shades, shading_of
from kanon_engine.rectangles.plot.steps import step_of

if TYPE_CHECKING:
    import geopandas
    import shapely

INK = "#1a1a1a"
BORDER = "#5b6770"
SELECTED = "#D55E00"
LAND_LINE = "#8b97a1"
WATER = "rgba(86, 156, 205, 0.3)"  # over the page's own colour, light or dark
CUT = (0.1, 0.04)  # of width and height: nearer to an edge, half a name is not seen
BEYOND = 1.0  # of the longer side: so much more is drawn on each side of the data
CAPTION = 30  # pixels below the map
LEAST = 0.1  # degrees that are drawn on each side


def rectangles_figure(
    points: Points,
    g: Generalization,
    *,
    background: Atlas | geopandas.GeoDataFrame | None = None,
    selected: int | None = None,
    tiles: bool = False,
    step: int | None = None,
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
    step : int, optional
        Draw what there was after so many cuts, in shades that lighten by the same step whenever a part is halved.
    companion : Companion, optional
        What it takes over from the picture of another result. Not for steps.
    area : Polygon or MultiPolygon, optional
        Cut the drawn rectangles off at a study area; see `kanon_engine.rectangles.read.study_area`.
    exact : bool
        Draw the points too. Otherwise only rectangles are in the figure: made on a grid, it is fit for a release.
    colour_by : "group" or "fullness"
        Few colours that tell neighbours apart, or shades for weight / k. Parts and steps are always shaded.

    Returns
    -------
    Figure
        A MapLibre map, or a plane with equal scales where no coordinate system is known. `customdata` begins with the
        class number, -1 for parts at an earlier step and where more rectangles than a picture holds are drawn as parts
        of several. Hovering tells group, weight and number of points.
    """
    check_colour_by(colour_by)
    parts = overview(g) if step is None else None
    means = np.ones(1)
    if parts is not None:
        rectangles, weights, line, means = parts.rectangles, parts.weights, None, parts.classes
        classes = np.full(len(weights), -1)
        words = [
            f"{counted(number, 'group')} with {weight:,} {points.unit}<br>{weight / g.k / number:.3g} × k on average"
            for number, weight in zip(parts.classes.tolist(), weights.tolist(), strict=True)
        ]
    elif step is None:
        rectangles, weights, line = g.details.rectangles, g.class_weights, None
        classes = np.arange(g.classes)
        counts = np.bincount(g.assignment, minlength=g.classes)
        words = [
            f"<b>Group {number:,}</b><br>{weight:,} {points.unit} ({weight / g.k:.3g} × k)<br>{counted(many, 'point')}"
            for number, (weight, many) in enumerate(zip(weights.tolist(), counts.tolist(), strict=True), 1)
        ]
    else:
        state = step_of(points, g, step)
        rectangles, weights, line = state.rectangles, state.weights, state.line
        classes = np.full(len(weights), -1)
        words = [f"{weight:,} {points.unit} ({weight / g.k:.3g} × k)" for weight in weights.tolist()]
    chosen = [] if selected is None or step is not None else outlines(points, rectangles[[selected]])
    strong = chosen if line is None else [_drawn_line(points, line)]
    grouped = step is None and parts is None and colour_by == "group"
    if grouped:
        shades = neighbour_shades(rectangles, companion.colours if companion else None)
    elif step is None:
        shades = shading_of(weights / means / g.k, companion.top if companion else None)
    else:
        shades = doubling_shades(weights / g.k, points.total / g.k)
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
        figure = _map_figure(drawn, shades, classes, words, extent, seen, background, tiles)
        figure.add_trace(_points(points, dots))
        if len(others.xy):
            figure.add_trace(_points(points, others, SELECTED))
        if isinstance(background, Atlas) and not tiles:
            _add_places(figure, _around(background, extent), seen)
        figure.add_trace(_line(joined(strong), SELECTED, 3))
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


def _map_figure(
    drawn: list[Outline],
    shades: Shading,
    classes: np.ndarray,
    words: list[str],
    extent: np.ndarray,
    seen: np.ndarray,
    background: Atlas | geopandas.GeoDataFrame | None,
    tiles: bool,
) -> go.Figure:
    """Rectangles on a map that shows what lies between the longitudes and latitudes `seen` first."""
    figure = go.Figure()
    if isinstance(background, Atlas) and not tiles:
        _add_land(figure, _around(background, extent))
    elif background is not None and not tiles:
        land = _outlines_of(background)
        if len(land) and (np.nanmin(land, 0) <= extent.max(0)).all() and (np.nanmax(land, 0) >= extent.min(0)).all():
            figure.add_trace(_line(land, LAND_LINE, 1))
    features = [
        {"type": "Feature", "id": number, "geometry": _geometry(outline)}
        for number, outline in enumerate(drawn)
        if outline
    ]
    figure.add_choroplethmap(
        geojson=GeoJson({"type": "FeatureCollection", "features": features}),
        locations=np.arange(len(drawn)),
        z=shades.values,
        zmin=shades.bottom,
        zmax=shades.top,
        colorscale=shades.scale,
        **shades.bar,
        marker={"opacity": 0.72, "line": {"color": BORDER, "width": 0.8 if len(drawn) <= 2_000 else 0.25}},
        customdata=classes,
        text=words,
        hovertemplate="%{text}<extra></extra>",
    )
    longitude, latitude, zoom = view(seen)
    return figure.update_layout(
        map={
            "style": "open-street-map" if tiles else "white-bg",
            "center": {"lon": longitude, "lat": latitude},
            "zoom": zoom,
        },
        meta={"bounds": [*seen.min(axis=0).tolist(), *seen.max(axis=0).tolist()]},
    )


def _around(atlas: Atlas, extent: np.ndarray) -> Surroundings:
    """What the atlas holds around the data, some way beyond."""
    low, high = extent.min(axis=0), extent.max(axis=0)
    beyond = max(float((high - low).max()) * BEYOND, LEAST)
    low, high = np.round(low - beyond, 3), np.round(high + beyond, 3)
    return atlas.around(float(low[0]), float(low[1]), float(high[0]), float(high[1]))


def _add_land(figure: go.Figure, seen: Surroundings) -> None:
    """Water and lines below all else."""
    import shapely

    if not seen.water.is_empty:
        feature = {"type": "Feature", "id": 0, "geometry": json.loads(shapely.to_geojson(seen.water))}
        figure.add_choroplethmap(
            geojson=GeoJson({"type": "FeatureCollection", "features": [feature]}),
            locations=[0],
            z=[0],
            colorscale=[[0, WATER], [1, WATER]],
            showscale=False,
            marker={"line": {"width": 0}},
            hoverinfo="skip",
        )
    if seen.lines:
        figure.add_trace(_line(joined(seen.lines), LAND_LINE, 1))


def _add_places(figure: go.Figure, around: Surroundings, seen: np.ndarray) -> None:
    """Names above the data, as many as do not overlap, the largest first, and whose all of this is.

    Those that the edge of the first look would cut in two are left out.
    """
    low, high = seen.min(axis=0), seen.max(axis=0)
    edge = np.array(CUT) * (high - low)
    near = (np.abs(around.places - low) < edge) | (np.abs(around.places - high) < edge)
    whole = np.flatnonzero(~near.any(axis=1))
    figure.add_scattermap(
        lon=around.places[whole, 0],
        lat=around.places[whole, 1],
        text=[around.names[place] for place in whole.tolist()],
        mode="text",
        textfont={"size": TEXT},
        hoverinfo="skip",
    )
    corner = {"x": 0, "y": 0, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top"}
    figure.add_annotation(text=around.sources, showarrow=False, **corner)


def _geometry(outline: Outline) -> dict[str, Any]:
    polygons = [[np.round(ring, 5).tolist() for ring in polygon] for polygon in outline]
    if len(polygons) == 1:
        return {"type": "Polygon", "coordinates": polygons[0]}
    return {"type": "MultiPolygon", "coordinates": polygons}


def _points(points: Points, drawn: Marks, colour: str = INK) -> go.Scattermap:
    places = lonlat(points, drawn.xy)
    marker = {"size": drawn.sizes, "color": colour, "opacity": 0.55, "allowoverlap": True}
    return go.Scattermap(lon=places[:, 0], lat=places[:, 1], mode="markers", marker=marker, hoverinfo="skip")


def _line(path: np.ndarray, colour: str, width: float) -> go.Scattermap:
    line: dict[str, Any] = {"color": colour, "width": width}
    return go.Scattermap(lon=path[:, 0], lat=path[:, 1], mode="lines", line=line, hoverinfo="skip")


def _drawn_line(points: Points, ends: np.ndarray) -> np.ndarray:
    """A cut, with the vertices it needs where it bends on the map."""
    path = ends[0] + np.linspace(0, 1, 9)[:, None] * (ends[1] - ends[0])
    return lonlat(points, path) if on_map(points) else path


def _outlines_of(shapes: geopandas.GeoDataFrame) -> np.ndarray:
    """All borders of a background as one line with gaps."""
    import shapely

    geometry = shapes.geometry if shapes.crs is None else shapes.geometry.to_crs("EPSG:4326")
    parts = shapely.get_parts(shapely.boundary(shapely.get_parts(geometry.to_numpy())))
    return joined([shapely.get_coordinates(part) for part in parts])
