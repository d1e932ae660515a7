"""Pictures of areas in classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from kanon_engine.model.words import counted
from kanon_engine.plot import CHANGED, Companion
from kanon_engine.plot.colors import (
    BLUE,
    COLORBAR,
    FLOOR,
    GRAY,
    LINE,
    VERMILION,
    WHITE,
    check_color_by,
    class_colors,
    faded,
    palette,
)
from kanon_engine.plot.maps import borders_of
from kanon_engine.plot.scene import dots, polyline, segments, styled
from kanon_engine.regions.display_map import DisplayMap, display_map, positions

if TYPE_CHECKING:
    import geopandas

    from kanon_engine.model.generalization import Generalization
    from kanon_engine.regions.instance import Regions


def regions_map(
    regions: Regions,
    g: Generalization,
    *,
    color_by: str = "group",
    selected: int | None = None,
    tree: bool = False,
    outline: geopandas.GeoSeries | None = None,
    tiles: bool = False,
    companion: Companion | None = None,
) -> go.Figure:
    """The classes on a map, or as a network if the areas have no shapes.

    Parameters
    ----------
    g : A result for these areas.
    color_by : "group": few colors, neighbors differ; "fullness": class weight / k.
    selected : A class that stands out; the others fade.
    tree : Whether to draw the spanning tree with its cut edges.
    outline : Shapes in longitude and latitude whose borders are drawn for orientation, such as states.
    tiles : Whether to put a street map underneath, which reveals the view to its server; otherwise nothing is loaded.
    companion : The settings adopted from the picture of another result.

    Returns
    -------
    Figure
        The rows of `customdata` begin with the class number of each area. `layout.meta["geometry"]` names the shapes.
    """
    check_color_by(color_by)
    chosen = None if selected is None else g.assignment == selected
    fill = class_fill(regions, g, color_by, companion)
    figure = go.Figure()
    if outline is not None and regions.geometry is not None:
        points = borders_of(outline.to_numpy())[:-1].astype(np.float32)
        figure.add_trace(_line(regions, points, THIN, 1, "outline", showlegend=False))
    body = area_trace(regions, fill, hover_text(regions, g), chosen)
    if regions.geometry is None:
        figure.add_traces([*class_links(regions, g.assignment), body])
    else:
        color = LINE if color_by == "group" else WHITE  # seen on every shade of the fullness scale
        figure.add_traces([body, class_borders(regions, g.assignment, color)])
    if tree:
        cuts = np.asarray(g.details.cut_edges).reshape(-1, 2)
        figure.add_trace(line_trace(regions, without_edges(g.details.tree, cuts), GRAY, 1.5, "tree"))
        figure.add_trace(line_trace(regions, cuts, VERMILION, 3, "cut", dashes=3))
    if len(regions.added_edges):
        figure.add_trace(
            line_trace(regions, regions.added_edges, BLUE, 2, "link between areas that share no border", dashes=12)
        )
    if companion is not None and companion.changed.any():
        figure.add_trace(dot_trace(regions, np.flatnonzero(companion.changed), VERMILION, 9, CHANGED))
    return laid_out(figure, regions, tiles, map_title(regions, g, color_by))


def map_title(regions: Regions, g: Generalization, color_by: str) -> str:
    """How many classes are shown, and what the colors mean."""
    coloring = "neighbors differ in color" if color_by == "group" else f"shaded by a group's {regions.unit} ÷ k"
    return f"{counted(g.classes, 'connected group')} of areas; {coloring}"


def without_edges(edges: np.ndarray, removed: np.ndarray) -> np.ndarray:
    """Those pairs that are not among the others, in either order."""
    removed_pairs = {tuple(sorted(pair)) for pair in np.asarray(removed).tolist()}
    remaining = [pair for pair in np.asarray(edges).tolist() if tuple(sorted(pair)) not in removed_pairs]
    return np.array(remaining, dtype=np.int64).reshape(-1, 2)


def laid_out(figure: go.Figure, regions: Regions, tiles: bool, title: str) -> go.Figure:
    """Title, margins, legend and the view, which stays when only the result changes."""
    in_legend = sum(trace.showlegend is None for trace in figure.data)
    layout: dict[str, Any] = {
        "margin": (0, 0, 42, 0),
        "showlegend": in_legend > 0,
        "legend": {"x": 0.01, "y": 0.99},
        "uirevision": regions.digest,
    }
    if regions.geometry is None:
        axis = {"visible": False}
        layout |= {"xaxis": axis, "yaxis": axis | {"scaleanchor": "x"}, "hovermode": "closest"}
    else:
        display = display_map(regions)
        view = {"center": {"lon": display.center[0], "lat": display.center[1]}, "zoom": display.zoom}
        layout |= {"map": view | {"style": "open-street-map" if tiles else "white-bg"}}
        layout["legend"] |= {"bgcolor": faded(WHITE, 0.8), "font": {"color": LINE}}  # over colored areas
        layout["meta"] = {"geometry": display.geojson.digest, "bounds": list(display.bounds)}
    return styled(figure, title, **layout)


THIN = faded(LINE, 0.35)
FADED = 0.25
DETAILED = 3_000  # areas up to which each one has its own border line


def hover_text(regions: Regions, g: Generalization) -> dict[str, Any]:
    """Hover text: about the class, nothing about a single area. The first of each row is the class number."""
    numbers, sizes = np.arange(g.classes), np.bincount(g.assignment, minlength=g.classes)
    rows = np.column_stack([numbers, numbers + 1, g.class_weights, sizes])[g.assignment]
    dtype = np.int32 if rows.max() < 2**31 else np.float64
    template = (
        f"Group %{{customdata[1]}}<br>%{{customdata[2]:,}} {regions.unit}<br>areas: %{{customdata[3]:,}}<extra></extra>"
    )
    return {"customdata": rows.astype(dtype), "hovertemplate": template}


def class_fill(
    regions: Regions, g: Generalization, color_by: str, companion: Companion | None = None
) -> dict[str, Any]:
    """z and its color scale, one value per area: the class's color number, or how full it is."""
    if color_by == "fullness":
        values, top = fullness(g, companion)
        ticks = fullness_ticks(top)
        title = COLORBAR["title"] | {"text": f"{regions.unit} ÷ k", "side": "right"}
        bar = COLORBAR | {
            "title": title,
            "tickvals": [value for value, _ in ticks],
            "ticktext": [words for _, words in ticks],
        }
        z = values[g.assignment].astype(np.float32)
        return {"z": z, "zmin": 1, "zmax": top, "colorscale": SCALE, "colorbar": bar}
    colors = companion.colors if companion else class_colors(regions.edges, g.assignment, g.classes)
    return stepped_colors(colors[g.assignment], palette(int(colors.max()) + 1))


def stepped_colors(numbers: np.ndarray, colors: list[str]) -> dict[str, Any]:
    """Color numbers as z with a stepped scale."""
    count = len(colors)
    scale = [[(number + side) / count, color] for number, color in enumerate(colors) for side in (0, 1)]
    dtype = np.uint8 if count < 256 else np.int32
    return {"z": numbers.astype(dtype), "zmin": -0.5, "zmax": count - 0.5, "colorscale": scale, "showscale": False}


def area_trace(regions: Regions, fill: dict[str, Any], hover_style: dict[str, Any], chosen: np.ndarray | None) -> Any:
    """The areas themselves, filled, from west to east, so that the order of the file is not revealed."""
    order = drawing_order(regions)
    fill = fill | {"z": fill["z"][order]}
    style: dict[str, Any] = {"name": "areas", "showlegend": False}
    style |= {name: one[order] if isinstance(one, np.ndarray) else one for name, one in hover_style.items()}
    if chosen is not None:
        style |= {"selectedpoints": np.flatnonzero(chosen[order])}
    if regions.geometry is None:
        xy = positions(regions)[order]
        names = {"z": "color", "zmin": "cmin", "zmax": "cmax", "colorscale": "colorscale", "colorbar": "colorbar"}
        marker = {names[name]: value for name, value in fill.items() if name in names}
        marker |= {"size": node_size(regions), "line": {"color": LINE, "width": 1}, "showscale": "colorbar" in fill}
        faded = {"marker": {"opacity": FADED}}
        return go.Scatter(x=xy[:, 0], y=xy[:, 1], mode="markers", marker=marker, unselected=faded, **style)
    width = 0.6 if len(regions) <= DETAILED else 0.0
    return go.Choroplethmap(
        geojson=display_map(regions).geojson,
        featureidkey="id",
        locations=np.arange(len(regions), dtype=np.int32),
        marker={"line": {"color": THIN, "width": width}},
        unselected={"marker": {"opacity": FADED}},
        **fill,
        **style,
    )


def drawing_order(regions: Regions) -> np.ndarray:
    """Positions of the areas in the order in which they are drawn."""
    if regions.geometry is not None:
        return display_map(regions).order
    xy = positions(regions)
    return np.lexsort((xy[:, 1], xy[:, 0]))


def area_points(regions: Regions) -> np.ndarray:
    """(n, 2) float64: a point in each area, longitude and latitude on a map."""
    return positions(regions) if regions.geometry is None else display_map(regions).points


def _line(regions: Regions, xy: np.ndarray, color: str, width: float, name: str, **more: Any) -> Any:
    """A line on the map, or in the network."""
    return polyline(xy, color, width, regions.geometry is not None, name=name, **more)


def class_borders(regions: Regions, assignment: np.ndarray, color: str = LINE) -> Any:
    """Thick lines between areas of different classes and around the whole."""
    display: DisplayMap = display_map(regions)
    one, other = display.border_pairs.T
    points = display.border_points[(other < 0) | (assignment[one] != assignment[other])]
    width = 2.2 if len(regions) <= DETAILED else 1.2
    return _line(regions, points, color, width, "group borders", showlegend=False)


def dot_trace(regions: Regions, chosen: np.ndarray, color: str, size: float, name: str) -> Any:
    """A dot in each of these areas."""
    xy = area_points(regions)[chosen]
    xy = xy[np.lexsort((xy[:, 1], xy[:, 0]))]
    return dots(xy, color, size, regions.geometry is not None, name=name)


def line_around(regions: Regions, inside: np.ndarray, color: str, name: str, width: float) -> Any:
    """A line around some areas, (n,) bool; in a network a ring around each."""
    if regions.geometry is None:
        xy = positions(regions)[inside]
        xy = xy[np.lexsort((xy[:, 1], xy[:, 0]))]
        ring = {"symbol": "circle-open", "line": {"width": width}}
        return dots(xy, color, node_size(regions) + 2 * width, look=ring, name=name)
    display = display_map(regions)
    one, other = display.border_pairs.T
    points = display.border_points[inside[one] != ((other >= 0) & inside[other])]
    return _line(regions, points, color, width, name)


def node_size(regions: Regions) -> float:
    """Pixels across that an area of a network has."""
    return float(np.clip(500 / np.sqrt(len(regions)) / 2, 4, 30))


def class_links(regions: Regions, assignment: np.ndarray) -> list[Any]:
    """In a network: thin lines between classes, thick ones within."""
    within = assignment[regions.edges[:, 0]] == assignment[regions.edges[:, 1]]
    return [
        line_trace(regions, regions.edges[~within], faded(FLOOR, 0.6), 1, "between groups"),
        line_trace(regions, regions.edges[within], FLOOR, 2, "within a group"),
    ]


def line_trace(regions: Regions, edges: np.ndarray, color: str, width: float, name: str, dashes: int = 0) -> Any:
    """Lines between pairs of areas; dashes are drawn as short lines because map lines have no patterns."""
    start, end = area_points(regions)[edges].swapaxes(0, 1)
    order = np.lexsort((start[:, 1], start[:, 0]))
    start, end = start[order], end[order]
    if dashes:
        steps = np.arange(dashes)[None, :, None]
        reach = (end - start)[:, None, :] / (2 * dashes - 1)
        start, end = ((start[:, None] + reach * (2 * steps + shift)).reshape(-1, 2) for shift in (0, 1))
    points = segments(start, end)
    points = points if regions.geometry is None else points.astype(np.float32)
    return _line(regions, points, color, width, name)


SCALE = "Cividis"
SHADES = 64  # of the scale of fullness


@dataclass(frozen=True, eq=False)
class Shades:
    """A color for each class."""

    numbers: np.ndarray  # (classes,) uint8 or int64: the class's color: its place in the palette
    palette: list[str]  # as #rrggbb
    # if the colors are a scale: positions on it from 0 to 1, and their labels
    ticks: tuple[tuple[float, str], ...] = ()


def class_shades(
    regions: Regions, g: Generalization, color_by: str = "group", companion: Companion | None = None
) -> Shades:
    """Colors in which neighboring classes differ ("group"), or that show class weight / k ("fullness")."""
    check_color_by(color_by)
    if color_by == "group":
        numbers = companion.colors if companion else class_colors(regions.edges, g.assignment, g.classes)
        return Shades(numbers, palette(int(numbers.max()) + 1))
    from plotly.colors import sample_colorscale, unlabel_rgb

    values, top = fullness(g, companion)
    numbers = np.rint((values - 1) / (top - 1) * (SHADES - 1)).clip(0, SHADES - 1).astype(np.uint8)
    shades = [unlabel_rgb(shade) for shade in sample_colorscale(SCALE, SHADES)]
    colors = ["#" + "".join(f"{round(part):02x}" for part in shade) for shade in shades]
    return Shades(numbers, colors, tuple(((value - 1) / (top - 1), words) for value, words in fullness_ticks(top)))


def fullness(g: Generalization, companion: Companion | None = None) -> tuple[np.ndarray, float]:
    """Class weight / k of each class, and where its scale ends, which begins at 1."""
    values = np.asarray(g.class_weights) / g.k
    return values, max(companion.top if companion else float(values.max()), 1.01)


def fullness_ticks(top: float) -> list[tuple[float, str]]:
    """Marks on the scale of fullness."""
    return [(1.0, "1 = k"), *((float(value), f"{value:.3g}") for value in np.linspace(1, top, 5)[1:])]
