"""The layers of a picture of areas: classes, borders, trees; on a map, or as a network where there are no shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from kanon_engine.plot.colouring import class_colours, palette
from kanon_engine.plot.companion import CHANGED, Companion
from kanon_engine.plot.style import COLOURBAR
from kanon_engine.regions.plot.display import DisplayMap, display_map
from kanon_engine.regions.plot.network import positions
from kanon_engine.regions.plot.shades import SCALE, fullness, fullness_ticks

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization
    from kanon_engine.regions.instance import Regions

LINE = "#33373d"
THIN = "rgba(51,55,61,0.35)"
TREE = "#5b6066"
LIGHT = "#ffffff"  # seen on every shade of the fullness scale
CUT = "#d55e00"
ADDED = "#0072b2"
UNFINISHED = "#e9eaec"
FADED = 0.25
DETAILED = 3_000  # areas up to which each one has a border line of its own


def hover(regions: Regions, g: Generalization) -> dict[str, Any]:
    """What the pointer says: of the class, nothing of a single area. The first of each row is the class number."""
    numbers, sizes = np.arange(g.classes), np.bincount(g.assignment, minlength=g.classes)
    rows = np.column_stack([numbers, numbers + 1, g.class_weights, sizes])[g.assignment]
    dtype = np.int32 if rows.max() < 2**31 else np.float64
    template = (
        f"Group %{{customdata[1]}}<br>%{{customdata[2]:,}} {regions.unit}<br>areas: %{{customdata[3]:,}}<extra></extra>"
    )
    return {"customdata": rows.astype(dtype), "hovertemplate": template}


def class_fill(
    regions: Regions, g: Generalization, colour_by: str, companion: Companion | None = None
) -> dict[str, Any]:
    """z and its colour scale, one value an area: the class's colour number, or how full it is."""
    if colour_by == "fullness":
        values, top = fullness(g, companion)
        ticks = fullness_ticks(top)
        title = COLOURBAR["title"] | {"text": f"{regions.unit} ÷ k", "side": "right"}
        bar = COLOURBAR | {
            "title": title,
            "tickvals": [value for value, _ in ticks],
            "ticktext": [words for _, words in ticks],
        }
        z = values[g.assignment].astype(np.float32)
        return {"z": z, "zmin": 1, "zmax": top, "colorscale": SCALE, "colorbar": bar}
    colours = companion.colours if companion else class_colours(regions.edges, g.assignment, g.classes)
    return stepped(colours[g.assignment], palette(int(colours.max()) + 1))


def stepped(numbers: np.ndarray, colours: list[str]) -> dict[str, Any]:
    """Colour numbers as z with a scale of plain steps."""
    count = len(colours)
    scale = [[(number + side) / count, colour] for number, colour in enumerate(colours) for side in (0, 1)]
    dtype = np.uint8 if count < 256 else np.int32
    return {"z": numbers.astype(dtype), "zmin": -0.5, "zmax": count - 0.5, "colorscale": scale, "showscale": False}


def areas(regions: Regions, fill: dict[str, Any], said: dict[str, Any], chosen: np.ndarray | None) -> Any:
    """The areas themselves, filled, from west to east: the order of the file is nobody's business."""
    order = drawing_order(regions)
    fill = fill | {"z": fill["z"][order]}
    style: dict[str, Any] = {"name": "areas", "showlegend": False}
    style |= {name: one[order] if isinstance(one, np.ndarray) else one for name, one in said.items()}
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


def places(regions: Regions) -> np.ndarray:
    """(n, 2) float64: a point in each area, longitude and latitude on a map."""
    return positions(regions) if regions.geometry is None else display_map(regions).points


def class_borders(regions: Regions, assignment: np.ndarray, colour: str = LINE) -> Any:
    """Thick lines between areas of different classes and around the whole."""
    made: DisplayMap = display_map(regions)
    one, other = made.border_pairs.T
    drawn = (other < 0) | (assignment[one] != assignment[other])
    points = made.border_points[drawn]
    width = 2.2 if len(regions) <= DETAILED else 1.2
    return go.Scattermap(
        lon=points[:, 0],
        lat=points[:, 1],
        mode="lines",
        line={"color": colour, "width": width},
        hoverinfo="skip",
        name="group borders",
        showlegend=False,
    )


def changed_areas(regions: Regions, changed: np.ndarray) -> Any:
    """A dot in each area that lies in another class than in the picture beside."""
    return dots(regions, np.flatnonzero(changed), CUT, 9, CHANGED)


def dots(regions: Regions, chosen: np.ndarray, colour: str, size: float, name: str) -> Any:
    """A dot in each of these areas."""
    xy = places(regions)[chosen]
    x, y = xy[np.lexsort((xy[:, 1], xy[:, 0]))].T
    style: dict[str, Any] = {
        "mode": "markers",
        "marker": {"color": colour, "size": size},
        "hoverinfo": "skip",
        "name": name,
    }
    return go.Scatter(x=x, y=y, **style) if regions.geometry is None else go.Scattermap(lon=x, lat=y, **style)


def around(regions: Regions, inside: np.ndarray, colour: str, name: str, width: float) -> Any:
    """A line around some areas, (n,) bool; in a network a ring around each."""
    style: dict[str, Any] = {"hoverinfo": "skip", "name": name}
    if regions.geometry is None:
        xy = positions(regions)[inside]
        x, y = xy[np.lexsort((xy[:, 1], xy[:, 0]))].T
        size = node_size(regions) + 2 * width
        ring = {"size": size, "symbol": "circle-open", "color": colour, "line": {"width": width}}
        return go.Scatter(x=x, y=y, mode="markers", marker=ring, **style)
    made = display_map(regions)
    one, other = made.border_pairs.T
    points = made.border_points[inside[one] != ((other >= 0) & inside[other])]
    line = {"color": colour, "width": width}
    return go.Scattermap(lon=points[:, 0], lat=points[:, 1], mode="lines", line=line, **style)


def node_size(regions: Regions) -> float:
    """Pixels across that an area of a network has."""
    return float(np.clip(500 / np.sqrt(len(regions)) / 2, 4, 30))


def class_links(regions: Regions, assignment: np.ndarray) -> list[Any]:
    """In a network: thin lines between classes, thick ones within."""
    within = assignment[regions.edges[:, 0]] == assignment[regions.edges[:, 1]]
    return [
        lines(regions, regions.edges[~within], THIN, 1, "between groups"),
        lines(regions, regions.edges[within], LINE, 2, "within a group"),
    ]


def lines(regions: Regions, edges: np.ndarray, colour: str, width: float, name: str, dashes: int = 0) -> Any:
    """Lines between pairs of areas; dashes are drawn as short lines, for map lines know no pattern."""
    mapped = regions.geometry is not None
    start, end = places(regions)[edges].swapaxes(0, 1)
    order = np.lexsort((start[:, 1], start[:, 0]))
    start, end = start[order], end[order]
    if dashes:
        steps = np.arange(dashes)[None, :, None]
        reach = (end - start)[:, None, :] / (2 * dashes - 1)
        start, end = ((start[:, None] + reach * (2 * steps + shift)).reshape(-1, 2) for shift in (0, 1))
    points = np.stack([start, end, np.full_like(start, np.nan)], axis=1).reshape(-1, 2)
    style: dict[str, Any] = {
        "mode": "lines",
        "line": {"color": colour, "width": width},
        "hoverinfo": "skip",
        "name": name,
    }
    if mapped:
        return go.Scattermap(lon=points[:, 0].astype(np.float32), lat=points[:, 1].astype(np.float32), **style)
    return go.Scatter(x=points[:, 0], y=points[:, 1], **style)
