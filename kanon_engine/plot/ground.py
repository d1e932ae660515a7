"""Maps that need no network: shapes over land, water and places, and what is seen first."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from plotly import graph_objects as go

from kanon_engine.plot.atlas import Atlas, Surroundings
from kanon_engine.plot.geojson import GeoJson
from kanon_engine.plot.paths import Outline, joined
from kanon_engine.plot.shading import Shading
from kanon_engine.plot.style import TEXT

if TYPE_CHECKING:
    import geopandas

BORDER = "#5b6770"
LAND_LINE = "#8b97a1"
WATER = "rgba(86, 156, 205, 0.3)"  # over the page's own colour, light or dark
CUT = (0.1, 0.04)  # of width and height: nearer to an edge, half a name is not seen
BEYOND = 1.0  # of the longer side: so much more is drawn on each side of the data
CAPTION = 30  # pixels below the map
LEAST = 0.1  # degrees that are drawn on each side
MERCATOR_LIMIT = 85.05  # a web map ends there


def map_figure(
    drawn: list[Outline],
    shades: Shading,
    classes: np.ndarray,
    words: list[str],
    extent: np.ndarray,
    seen: np.ndarray,
    background: Atlas | geopandas.GeoDataFrame | None,
    tiles: bool,
    opacity: float = 0.72,
) -> go.Figure:
    """Shapes on a map that shows what lies between the longitudes and latitudes `seen` first."""
    figure = go.Figure()
    if isinstance(background, Atlas) and not tiles:
        add_land(figure, around(background, extent))
    elif background is not None and not tiles:
        land = outlines_of(background)
        if len(land) and (np.nanmin(land, 0) <= extent.max(0)).all() and (np.nanmax(land, 0) >= extent.min(0)).all():
            figure.add_trace(map_line(land, LAND_LINE, 1))
    features = [
        {"type": "Feature", "id": number, "geometry": geometry(outline)}
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
        marker={"opacity": opacity, "line": {"color": BORDER, "width": 0.8 if len(drawn) <= 2_000 else 0.25}},
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


def around(atlas: Atlas, extent: np.ndarray) -> Surroundings:
    """What the atlas holds around the data, some way beyond."""
    low, high = extent.min(axis=0), extent.max(axis=0)
    beyond = max(float((high - low).max()) * BEYOND, LEAST)
    low, high = np.round(low - beyond, 3), np.round(high + beyond, 3)
    return atlas.around(float(low[0]), float(low[1]), float(high[0]), float(high[1]))


def add_land(figure: go.Figure, seen: Surroundings) -> None:
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
        figure.add_trace(map_line(joined(seen.lines), LAND_LINE, 1))


def add_places(figure: go.Figure, around: Surroundings, seen: np.ndarray) -> None:
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


def geometry(outline: Outline) -> dict[str, Any]:
    polygons = [[np.round(ring, 5).tolist() for ring in polygon] for polygon in outline]
    if len(polygons) == 1:
        return {"type": "Polygon", "coordinates": polygons[0]}
    return {"type": "MultiPolygon", "coordinates": polygons}


def map_line(path: np.ndarray, colour: str, width: float) -> go.Scattermap:
    line: dict[str, Any] = {"color": colour, "width": width}
    return go.Scattermap(lon=path[:, 0], lat=path[:, 1], mode="lines", line=line, hoverinfo="skip")


def outlines_of(shapes: geopandas.GeoDataFrame) -> np.ndarray:
    """All borders of a background as one line with gaps."""
    import shapely

    geometry = shapes.geometry if shapes.crs is None else shapes.geometry.to_crs("EPSG:4326")
    parts = shapely.get_parts(shapely.boundary(shapely.get_parts(geometry.to_numpy())))
    return joined([shapely.get_coordinates(part) for part in parts])


def view(corners: np.ndarray, width: int = 820, height: int = 460) -> tuple[float, float, float]:
    """Longitude, latitude and zoom at which a map shows all of some longitudes and latitudes, (p, 2)."""
    height_of = np.log(np.tan(np.pi / 4 + np.radians(corners[:, 1]) / 2))
    south, north = float(height_of.min()), float(height_of.max())
    west, east = float(corners[:, 0].min()), float(corners[:, 0].max())
    zooms = [math.log2(0.88 * width * 360 / (512 * max(east - west, 1e-6)))]
    zooms.append(math.log2(0.88 * height * 2 * math.pi / (512 * max(north - south, 1e-8))))
    middle = math.degrees(2 * math.atan(math.exp((south + north) / 2)) - math.pi / 2)
    return (west + east) / 2, middle, min(max(min(zooms), 0.0), 15.0)
