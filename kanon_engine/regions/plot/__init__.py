"""Pictures of areas in classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
import shapely

from kanon_engine.model.words import counted
from kanon_engine.plot.style import styled
from kanon_engine.regions.plot import layers
from kanon_engine.regions.plot.display import display_map
from kanon_engine.regions.plot.shades import check_colour_by

if TYPE_CHECKING:
    import geopandas

    from kanon_engine.model.generalization import Generalization
    from kanon_engine.plot.companion import Companion
    from kanon_engine.regions.instance import Regions


def regions_map(
    regions: Regions,
    g: Generalization,
    *,
    colour_by: str = "group",
    selected: int | None = None,
    tree: bool = False,
    outline: geopandas.GeoSeries | None = None,
    tiles: bool = False,
    companion: Companion | None = None,
) -> go.Figure:
    """The classes on a map, or as a network where the areas have no shapes.

    Parameters
    ----------
    regions : Regions
    g : Generalization
        A result for these areas.
    colour_by : str
        "group": few colours, neighbours differ; "fullness": class weight / k.
    selected : int, optional
        A class that stands out; the others fade.
    tree : bool
        Whether to draw the spanning tree with its cut edges.
    outline : GeoSeries, optional
        Shapes in longitude and latitude whose borders are drawn for orientation, such as states.
    tiles : bool
        Whether to lay a street map below, which tells its server what is looked at; else nothing is loaded.
    companion : Companion, optional
        What it takes over from the picture of another result.

    Returns
    -------
    Figure
        The rows of `customdata` begin with the class number of each area. `layout.meta["geometry"]` names the shapes.
    """
    check_colour_by(colour_by)
    chosen = None if selected is None else g.assignment == selected
    fill = layers.class_fill(regions, g, colour_by, companion)
    figure = go.Figure()
    if outline is not None and regions.geometry is not None:
        figure.add_trace(_outline(regions, outline))
    body = layers.areas(regions, fill, layers.hover(regions, g), chosen)
    if regions.geometry is None:
        figure.add_traces([*layers.class_links(regions, g.assignment), body])
    else:
        colour = layers.LINE if colour_by == "group" else layers.LIGHT
        figure.add_traces([body, layers.class_borders(regions, g.assignment, colour)])
    if tree:
        figure.add_traces(tree_traces(regions, g))
    if len(regions.added_edges):
        figure.add_trace(
            layers.lines(regions, regions.added_edges, layers.ADDED, 2, "joined, no common border", dashes=12)
        )
    if companion is not None and companion.changed.any():
        figure.add_trace(layers.changed_areas(regions, companion.changed))
    return laid_out(figure, regions, tiles, map_title(regions, g, colour_by))


def map_title(regions: Regions, g: Generalization, colour_by: str) -> str:
    """How many classes are to be seen, and what the colours say."""
    told = "colours tell neighbours apart" if colour_by == "group" else f"shaded by {regions.unit} ÷ k"
    return f"{counted(g.classes, 'connected group')} of areas; {told}"


def tree_traces(regions: Regions, g: Generalization) -> list[Any]:
    """The tree: what is kept, and what is cut."""
    cuts = np.asarray(g.details.cut_edges).reshape(-1, 2)
    return [
        layers.lines(regions, without_edges(g.details.tree, cuts), layers.TREE, 1.5, "tree"),
        layers.lines(regions, cuts, layers.CUT, 3, "cut", dashes=3),
    ]


def without_edges(edges: np.ndarray, gone: np.ndarray) -> np.ndarray:
    """Those pairs that are not among the others, in either order."""
    taken = {tuple(sorted(pair)) for pair in np.asarray(gone).tolist()}
    kept = [pair for pair in np.asarray(edges).tolist() if tuple(sorted(pair)) not in taken]
    return np.array(kept, dtype=np.int64).reshape(-1, 2)


def _outline(regions: Regions, outline: geopandas.GeoSeries) -> Any:
    lines = shapely.get_parts(shapely.boundary(outline.to_numpy()))
    points, line = shapely.get_coordinates(lines, return_index=True)
    points = np.insert(points, np.flatnonzero(np.diff(line)) + 1, np.nan, axis=0).astype(np.float32)
    style = {"color": layers.THIN, "width": 1}
    return go.Scattermap(
        lon=points[:, 0], lat=points[:, 1], mode="lines", line=style, hoverinfo="skip", name="outline", showlegend=False
    )


def laid_out(figure: go.Figure, regions: Regions, tiles: bool, title: str) -> go.Figure:
    """Title, margins, legend and the view, which stays when only the result changes."""
    shown = sum(trace.showlegend is None for trace in figure.data)
    layout: dict[str, Any] = {
        "margin": {"l": 0, "r": 0, "t": 42, "b": 0},
        "showlegend": shown > 0,
        "legend": {"x": 0.01, "y": 0.99, "bgcolor": "rgba(255,255,255,0.8)", "font": {"color": layers.LINE}},
        "uirevision": regions.digest,
    }
    if regions.geometry is None:
        axis = {"visible": False}
        layout |= {"xaxis": axis, "yaxis": axis | {"scaleanchor": "x"}, "hovermode": "closest"}
    else:
        made = display_map(regions)
        view = {"center": {"lon": made.centre[0], "lat": made.centre[1]}, "zoom": made.zoom}
        layout |= {"map": view | {"style": "open-street-map" if tiles else "white-bg"}}
        layout["meta"] = {"geometry": made.geojson.digest, "bounds": list(made.bounds)}
    return styled(figure, title, **layout)
