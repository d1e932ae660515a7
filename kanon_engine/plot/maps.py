"""Coasts, borders, lakes, rivers and places of the world to orient by, from one file; drawn without a network."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from plotly import graph_objects as go
from plotly.colors import sample_colorscale
from shapely.affinity import translate

from kanon_engine.plot.colors import GRAY, INK, SILVER, SKY, TEXT, VERMILION, Shading, faded
from kanon_engine.plot.scene import dots, hover, polyline, texts

if TYPE_CHECKING:
    import geopandas


STEP = 1e-3  # degrees: a unit of the file
FINE = 1_500  # of the longer side of the view: smaller bends are left out
COARSE = 6.0  # degrees that a view must span to show lakes and rivers, which are less precise
MOST_PLACES = 250
KEPT = 16  # views in the cache, because another k asks for the same view
OUTLINES = "Outlines: Natural Earth, 1 : 10,000,000"
PLACES = "Places: GeoNames"
LIMIT = 85.05  # a web map ends there


@dataclass(frozen=True, eq=False)
class Surroundings:
    """The part of the atlas within a view."""

    water: shapely.Geometry  # Polygon or MultiPolygon: sea, and lakes where they are precise enough
    lines: list[np.ndarray]  # list of (v, 2): longitudes and latitudes along coasts, borders and rivers
    names: list[str]  # places, the largest first
    places: np.ndarray  # (p, 2) float64: their longitudes and latitudes

    @property
    def sources(self) -> str:
        """The sources of what is shown; empty if nothing is."""
        return ". ".join([OUTLINES] * bool(self.lines) + [PLACES] * bool(self.names))


class Atlas:
    """The file that sample_data/make/atlas.py writes."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as file:
            self._arrays = dict(file)
        self._layers: dict[str, shapely.STRtree] = {}
        self._looked = lru_cache(maxsize=KEPT)(self._look)

    def around(self, west: float, south: float, east: float, north: float) -> Surroundings:
        """The part within some longitudes, which may go beyond 180°, and latitudes."""
        return self._looked(west, south, east, north)

    def _look(self, west: float, south: float, east: float, north: float) -> Surroundings:
        south, north = max(south, -LIMIT), min(north, LIMIT)
        side = max(east - west, north - south)
        wide = side >= COARSE
        water, lines, names, places = [], [], [], []
        for turn in (-360, 0, 360):
            box = (max(west - turn, -180.0), south, min(east - turn, 180.0), north)
            if box[0] >= box[2] or box[1] >= box[3]:
                continue
            ground = self._within("land", box, side / FINE)
            inland = self._within("seas", box, side / FINE) + (self._within("lakes", box, side / FINE) if wide else [])
            sea = shapely.disjoint_subset_union_all(
                [shapely.box(*box).difference(shapely.disjoint_subset_union_all(ground)), *inland]
            )
            borders = self._clipped("countries", box) + self._clipped("states", box)
            borders += self._clipped("rivers", box) if wide else []
            edges = [shapely.boundary(shape) for shape in [*ground, *inland]]
            frame = shapely.box(*box).exterior
            edges = [shapely.difference(edge, frame) for edge in edges]  # the edge of the view is not a coast
            borders += [shapely.simplify(line, side / FINE) for line in edges]
            water.append(translate(sea, turn))
            for line in shapely.get_parts(shapely.simplify(borders, side / FINE)):
                if line.geom_type == "LineString" and not line.is_empty:
                    lines.append(shapely.get_coordinates(line) + [turn, 0])
            xy, texts = self._places
            inside = (xy >= box[:2]).all(axis=1) & (xy <= box[2:]).all(axis=1)
            visible = np.flatnonzero(inside)[:MOST_PLACES]
            names += [texts[place] for place in visible.tolist()]
            places.append(xy[visible] + [turn, 0])
        return Surroundings(shapely.union_all(water), lines, names, np.vstack([np.empty((0, 2)), *places]))

    def paths(self, layer: str, view: tuple[float, float, float, float]) -> list[np.ndarray]:
        """The lines of a line layer within a view, between 180° west and east, as corners."""
        side = max(view[2] - view[0], view[3] - view[1])
        lines = shapely.simplify(self._clipped(layer, view), side / FINE)
        return [shapely.get_coordinates(line) for line in lines]

    def _clipped(self, layer: str, box: tuple[float, float, float, float]) -> list[shapely.Geometry]:
        tree = self._tree(layer)
        clipped = shapely.clip_by_rect(tree.geometries[np.sort(tree.query(shapely.box(*box)))], *box)
        return [line for line in shapely.get_parts(clipped) if line.geom_type == "LineString" and not line.is_empty]

    def _within(self, layer: str, box: tuple[float, float, float, float], tolerance: float) -> list[shapely.Geometry]:
        """The polygons that the rings of a layer enclose, cut off at a box."""
        tree = self._tree(layer)
        rings = tree.geometries[np.sort(tree.query(shapely.box(*box)))]
        bounds = shapely.bounds(rings)
        rings = rings[(bounds[:, 2:] - bounds[:, :2]).max(axis=1, initial=0) > 2 * tolerance]
        shapes = shapely.simplify(shapely.polygons(rings), tolerance, preserve_topology=False)
        shapes = shapely.clip_by_rect(_valid(shapes), *box)
        parts = shapely.get_parts(shapely.get_parts(_valid(shapes)))
        return [part for part in parts if part.geom_type == "Polygon" and not part.is_empty]

    def _tree(self, layer: str) -> shapely.STRtree:
        if layer not in self._layers:
            first, count, steps = (self._arrays[f"{layer}_{name}"] for name in ("first", "count", "steps"))
            owner = np.repeat(np.arange(len(count)), count)
            begins = np.cumsum(count) - count
            xy = np.zeros((len(owner), 2), dtype=np.int64)
            xy[np.setdiff1d(np.arange(len(owner)), begins, assume_unique=True)] = steps.T
            xy[begins] = first
            sums = np.cumsum(xy, axis=0)
            xy = sums - np.repeat(sums[begins] - first, count, axis=0)
            closed = layer in ("land", "seas", "lakes")
            make = shapely.linearrings if closed else shapely.linestrings
            self._layers[layer] = shapely.STRtree(make(xy * STEP, indices=owner))
        return self._layers[layer]

    @cached_property
    def _places(self) -> tuple[np.ndarray, list[str]]:
        names = bytes(self._arrays["place_names"]).decode().split("\n")
        return self._arrays["place_xy"].T * STEP, names


def _valid(shapes: np.ndarray) -> np.ndarray:
    """Most are valid already, and a check costs less than a repair."""
    wrong = ~shapely.is_valid(shapes)
    shapes[wrong] = shapely.make_valid(shapes[wrong])
    return shapes


# ---------------------------------------------------------------------------------------------------------------------
# Shapes in a plane whose location on earth is unknown.
# ---------------------------------------------------------------------------------------------------------------------


LEVELS = 32  # one trace per shade, because Plotly fills all shapes of a trace the same


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
    outlines : An empty one where nothing of a class is drawn.
    shades : One value per outline.
    classes, words : Class number and hover text of each outline.
    strong : list of (v, 2). Lines to emphasize.
    axes : Names of the axes.
    opacity : Of the filled shapes.
    """
    figure = go.Figure()
    levels, colors = _levels(shades)
    for level in np.unique(levels).tolist():
        path = joined(
            [ring for place in np.flatnonzero(levels == level).tolist() for part in outlines[place] for ring in part]
        )
        filled = {"fill": "toself", "fillcolor": colors[level], "opacity": opacity}
        figure.add_trace(polyline(path, GRAY, 0.8, **filled))
    figure.add_trace(dots(drawn.xy, INK, drawn.sizes, look={"opacity": 0.6, "line": {"width": 0}}))
    middles = np.array([_middle(outline) for outline in outlines])
    scale = {"cmin": shades.bottom, "cmax": shades.top, "colorscale": shades.scale, **shades.bar}
    pointed = dots(middles, shades.values, 18, look={"opacity": 0} | scale, customdata=classes, **hover(words))
    figure.add_traces([pointed, polyline(joined(strong), VERMILION, 3)])
    plain = {"zeroline": False, "showgrid": False}
    return figure.update_layout(
        hovermode="closest",
        xaxis={"title": axes[0]} | plain,
        yaxis={"title": axes[1], "scaleanchor": "x"} | plain,
    )


def _levels(shades: Shading) -> tuple[np.ndarray, list[str]]:
    """The place of each value in a list of colors, and the colors."""
    if not isinstance(shades.scale, str):  # a color twice, where it begins and where it ends
        return shades.values.astype(int), [color for _, color in shades.scale[::2]]
    share = np.clip((shades.values - shades.bottom) / (shades.top - shades.bottom), 0, 1)
    colors = sample_colorscale(shades.scale, ((np.arange(LEVELS) + 0.5) / LEVELS).tolist())
    return np.minimum((share * LEVELS).astype(int), LEVELS - 1), colors


def _middle(outline: Outline) -> np.ndarray:
    """Center of the box around an outline; NaN for an empty one."""
    if not outline:
        return np.full(2, np.nan)
    ends = np.vstack([polygon[0] for polygon in outline])
    return (ends.min(axis=0) + ends.max(axis=0)) / 2


# ---------------------------------------------------------------------------------------------------------------------
# Maps that need no network: shapes over land, water and places, and the initial view.
# ---------------------------------------------------------------------------------------------------------------------


WATER = faded(SKY, 0.3)  # over the page's own color, light or dark
CUT = (0.1, 0.04)  # of width and height: closer to an edge, a name would be cut off
BEYOND = 1.0  # of the longer side: how much is drawn beyond the data on each side
CAPTION = 30  # pixels below the map
LEAST = 0.1  # degrees drawn on each side at least
MERCATOR_LIMIT = 85.05  # a web map ends there


def map_figure(
    drawn: list[Outline],
    shades: Shading,
    classes: np.ndarray,
    words: list[str],
    extent: np.ndarray,
    focus: np.ndarray,
    background: Atlas | geopandas.GeoDataFrame | None,
    tiles: bool,
    opacity: float = 0.72,
) -> go.Figure:
    """Shapes on a map whose initial view spans the longitudes and latitudes `seen`."""
    figure = go.Figure()
    if isinstance(background, Atlas) and not tiles:
        add_land(figure, around(background, extent))
    elif background is not None and not isinstance(background, Atlas) and not tiles:
        outlined = background.geometry if background.crs is None else background.geometry.to_crs("EPSG:4326")
        land = borders_of(outlined.to_numpy())
        if len(land) and (np.nanmin(land, 0) <= extent.max(0)).all() and (np.nanmax(land, 0) >= extent.min(0)).all():
            figure.add_trace(polyline(land, SILVER, 1, on_map=True))
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
        marker={"opacity": opacity, "line": {"color": GRAY, "width": 0.8 if len(drawn) <= 2_000 else 0.25}},
        customdata=classes,
        **hover(words),
    )
    longitude, latitude, zoom = view(focus)
    return figure.update_layout(
        map={
            "style": "open-street-map" if tiles else "white-bg",
            "center": {"lon": longitude, "lat": latitude},
            "zoom": zoom,
        },
        meta={"bounds": [*focus.min(axis=0).tolist(), *focus.max(axis=0).tolist()]},
    )


def around(atlas: Atlas, extent: np.ndarray) -> Surroundings:
    """The part of the atlas around the data and some way beyond."""
    low, high = extent.min(axis=0), extent.max(axis=0)
    beyond = max(float((high - low).max()) * BEYOND, LEAST)
    low, high = np.round(low - beyond, 3), np.round(high + beyond, 3)
    return atlas.around(float(low[0]), float(low[1]), float(high[0]), float(high[1]))


def add_land(figure: go.Figure, surroundings: Surroundings) -> None:
    """Water and lines, below everything else."""
    if not surroundings.water.is_empty:
        feature = {"type": "Feature", "id": 0, "geometry": json.loads(shapely.to_geojson(surroundings.water))}
        figure.add_choroplethmap(
            geojson=GeoJson({"type": "FeatureCollection", "features": [feature]}),
            locations=[0],
            z=[0],
            colorscale=[[0, WATER], [1, WATER]],
            showscale=False,
            marker={"line": {"width": 0}},
            hoverinfo="skip",
        )
    if surroundings.lines:
        figure.add_trace(polyline(joined(surroundings.lines), SILVER, 1, on_map=True))


def add_places(figure: go.Figure, around: Surroundings, focus: np.ndarray) -> None:
    """Names above the data, as many as do not overlap, the largest places first, and the sources.

    Names that the edge of the initial view would cut are left out.
    """
    low, high = focus.min(axis=0), focus.max(axis=0)
    edge = np.array(CUT) * (high - low)
    near = (np.abs(around.places - low) < edge) | (np.abs(around.places - high) < edge)
    whole = np.flatnonzero(~near.any(axis=1))
    names = [around.names[place] for place in whole.tolist()]
    figure.add_trace(texts(around.places[whole], names, on_map=True, textfont={"size": TEXT}, showlegend=False))
    corner = {"x": 0, "y": 0, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top"}
    figure.add_annotation(text=around.sources, showarrow=False, **corner)


def geometry(outline: Outline) -> dict[str, Any]:
    polygons = [[np.round(ring, 5).tolist() for ring in polygon] for polygon in outline]
    if len(polygons) == 1:
        return {"type": "Polygon", "coordinates": polygons[0]}
    return {"type": "MultiPolygon", "coordinates": polygons}


def borders_of(shapes: np.ndarray) -> np.ndarray:
    """All borders of some shapes as one line with gaps."""
    parts = shapely.get_parts(shapely.boundary(shapely.get_parts(shapes)))
    return joined([shapely.get_coordinates(part) for part in parts])


def view(corners: np.ndarray, width: int = 820, height: int = 460) -> tuple[float, float, float]:
    """Longitude, latitude and zoom at which a map shows all of some (p, 2) longitudes and latitudes."""
    height_of = np.log(np.tan(np.pi / 4 + np.radians(corners[:, 1]) / 2))
    south, north = float(height_of.min()), float(height_of.max())
    west, east = float(corners[:, 0].min()), float(corners[:, 0].max())
    zooms = [math.log2(0.88 * width * 360 / (512 * max(east - west, 1e-6)))]
    zooms.append(math.log2(0.88 * height * 2 * math.pi / (512 * max(north - south, 1e-8))))
    middle = math.degrees(2 * math.atan(math.exp((south + north) / 2)) - math.pi / 2)
    return (west + east) / 2, middle, min(max(min(zooms), 0.0), 15.0)


def show_same_part(figures: Sequence[go.Figure]) -> None:
    """Let all these maps, or all these planes, initially show one part: all that any of them would show alone."""
    if all(figure.layout.meta for figure in figures):
        bounds = np.array([figure.layout.meta["bounds"] for figure in figures])
        whole = [*bounds[:, :2].min(axis=0).tolist(), *bounds[:, 2:].max(axis=0).tolist()]
        for figure in figures:
            figure.layout.meta = figure.layout.meta | {"bounds": whole}
    elif all(figure.layout.yaxis.scaleanchor for figure in figures):
        for axis in "xy":
            drawn = np.hstack([np.asarray(trace[axis], float) for figure in figures for trace in figure.data])
            low, high = float(np.nanmin(drawn)), float(np.nanmax(drawn))
            beyond = 0.05 * (high - low)
            for figure in figures:
                figure.layout[f"{axis}axis"].range = [low - beyond, high + beyond]


# ---------------------------------------------------------------------------------------------------------------------
# GeoJSON that many figures share.
# ---------------------------------------------------------------------------------------------------------------------


class GeoJson(dict[str, Any]):
    """A GeoJSON object that is built once and never changed.

    Plotly copies a figure's content repeatedly; a copy of this object is the object itself. Its digest identifies
    it, so that a page sends the same geometry to a browser only once.

    Parameters
    ----------
    content : The GeoJSON object.
    digest : Identifies the content; computed from it by default.
    """

    def __init__(self, content: Mapping[str, Any], digest: str | None = None) -> None:
        super().__init__(content)
        self.digest = digest or hashlib.sha256(json.dumps(self).encode()).hexdigest()

    def __deepcopy__(self, memo: dict[int, Any]) -> GeoJson:
        return self


# ---------------------------------------------------------------------------------------------------------------------
# Outlines and lines as the pictures draw them.
# ---------------------------------------------------------------------------------------------------------------------


Outline = list[list[np.ndarray]]  # polygons, each its outer ring and the rings of its holes


def whole(rings: list[np.ndarray]) -> list[Outline]:
    """Outlines that are not clipped."""
    return [[[ring]] for ring in rings]


def joined(lines: list[np.ndarray]) -> np.ndarray:
    """Several lines as one, with a gap (NaN) after each."""
    gap = np.full((1, 2), np.nan)
    return np.vstack([part for line in lines for part in (line, gap)]) if lines else np.empty((0, 2))


# ---------------------------------------------------------------------------------------------------------------------
# Points as the pictures draw them: each one, or their density where there are many.
# ---------------------------------------------------------------------------------------------------------------------


FEW_POINTS = 3_000  # up to here every point is drawn
DENSITY_CELLS = 160  # along the longer side
ENOUGH = 50_000  # points that are enough to show where most of them are


@dataclass(frozen=True)
class Marks:
    """Points, or cells of a grid that represent many."""

    xy: np.ndarray  # (p, 2) float64
    sizes: np.ndarray  # (p,) float64: diameters in pixels


def marks_of(xy: np.ndarray, box: np.ndarray, many: bool) -> Marks:
    """Every place, or if there are many points the non-empty cells of a grid, drawn larger where there are more."""
    if not many or not len(xy):
        places = np.unique(xy, axis=0)
        return Marks(places, np.full(len(places), 4.0))
    sides = np.maximum(box[2:] - box[:2], 0)
    cell = (sides.max() or 1.0) / DENSITY_CELLS
    columns, rows = ((xy - box[:2]) // cell).astype(np.int64).T
    keys, counts = np.unique(columns * (DENSITY_CELLS + 2) + rows, return_counts=True)
    middles = box[:2] + cell * (np.column_stack(np.divmod(keys, DENSITY_CELLS + 2)) + 0.5)
    return Marks(middles, 1.2 + 3.3 * np.sqrt(counts / counts.max()))


def most_of(xy: np.ndarray, weights: np.ndarray, box: np.ndarray) -> np.ndarray:
    """(2, 2) lower left and upper right corner of a map's initial view.

    Everything, unless a few distant places would make the rest small: then all but 2 % of the weight, and a margin.
    """
    low, high = box[:2], box[2:]
    some = slice(None, None, -(-len(xy) // ENOUGH))
    xy, weights = xy[some], weights[some]
    most = []
    for axis in range(2):
        order = np.argsort(xy[:, axis], kind="stable")
        sums = np.cumsum(weights[order]) / weights.sum()
        most.append(xy[order[np.searchsorted(sums, [0.01, 0.99])], axis])
    inner_low, inner_high = np.array(most).T
    margin = 0.08 * (inner_high - inner_low)
    inner_low, inner_high = np.maximum(inner_low - margin, low), np.minimum(inner_high + margin, high)
    if np.prod(inner_high - inner_low) < 0.4 * np.prod(high - low):
        low, high = inner_low, inner_high
    return np.array([low, high])
