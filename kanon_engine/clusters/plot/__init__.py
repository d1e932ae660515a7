"""The picture of clusters: circles on a map or in the plane; of more columns, a view in two dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely
from plotly import graph_objects as go
from scipy.spatial import cKDTree

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.plot.circles import globe_circles, plane_circles
from kanon_engine.clusters.plot.layers import INK, SPOKE, add_centers, add_crosses, add_line, add_points
from kanon_engine.clusters.plot.view import View, view_of
from kanon_engine.model.generalization import Generalization, members_of
from kanon_engine.model.words import counted, number_text, times_k
from kanon_engine.plot import CHANGED, Companion
from kanon_engine.plot.colors import check_colour_by, class_colours, colour_shades, shading_of
from kanon_engine.plot.maps import (
    CAPTION,
    FEW_POINTS,
    Atlas,
    Marks,
    Outline,
    add_places,
    around,
    joined,
    map_figure,
    marks_of,
    most_of,
    plane_figure,
)
from kanon_engine.plot.style import VERMILION, styled

if TYPE_CHECKING:
    import geopandas

MOST_CIRCLES = 4_000  # that a browser draws while a person waits
NEAREST = 4  # other centers from which a class is told apart by its colour
SEE_THROUGH = 0.45  # circles overlap
HULLS = 0.2  # and hulls more so


def clusters_figure(
    space: MetricSpace,
    g: Generalization,
    selected: int | None = None,
    *,
    background: Atlas | geopandas.GeoDataFrame | None = None,
    tiles: bool = False,
    companion: Companion | None = None,
    exact: bool = True,
    colour_by: str = "group",
) -> go.Figure:
    """Circles with their centers, the points, or their density where they are many, and crosses for those left out.

    Distances of more than two columns, of words and of a matrix are true in no plane. There, points are put where
    classical scaling has them, hulls stand for circles, and title and axes say so.

    Parameters
    ----------
    space : MetricSpace
    g : Generalization
    selected : int, optional
        Class with a thick border and lines to its points.
    background : Atlas or GeoDataFrame, optional
        Land, water and places, or outlines of one's own, to orient by; only on a map.
    tiles : bool
        Draw over street map tiles, which are loaded from the network; only on a map.
    companion : Companion, optional
        What it takes over from the picture of another result.
    exact : bool
        Draw points, hulls, and centers that are points, too. Otherwise nothing in the figure stands for one record
        alone: circles, and centers that are no points.
    colour_by : "group" or "fullness"
        Few colours that tell neighbours apart, or shades for weight / k.

    Returns
    -------
    Figure
        A MapLibre map for haversine, else a plane with equal scales. `customdata` begins with the class number.
        Hovering tells group, weight, number of points, radius and center.
    """
    check_colour_by(colour_by)
    view = view_of(space, g.details)
    outlines = outlines_of(view, g) if exact or view.kind != "view" else [[] for _ in range(g.classes)]
    order = np.argsort(-g.details.radii, kind="stable")[:MOST_CIRCLES]  # small circles lie above wide ones
    drawn = [outlines[number] for number in order.tolist()]
    words = _words(space, g)
    texts = [words[number] for number in order.tolist()]
    if colour_by == "group":
        numbers = (
            companion.colours if companion else class_colours(neighbours(space, g), np.arange(g.classes), g.classes)
        )
        shades = colour_shades(numbers[order])
    else:
        shades = shading_of(g.class_weights[order] / g.k, companion.top if companion else None)
    inside = g.assignment >= 0
    many = len(space) > FEW_POINTS
    dots = marks_of(view.points[inside], view.box, many) if exact else Marks(np.empty((0, 2)), np.empty(0))
    extent = np.vstack([view.points if exact else np.empty((0, 2)), *(ring for part in drawn for (ring, *_) in part)])
    seen = most_of(view.points, space.weights, view.box) if exact else extent
    if view.kind == "map":
        figure = map_figure(drawn, shades, order, texts, extent, seen, background, tiles, SEE_THROUGH)
        add_points(figure, view, dots, INK)
    else:
        figure = plane_figure(
            drawn, shades, order, texts, dots, [], view.axes, HULLS if view.kind == "view" else SEE_THROUGH
        )
    figure.update_traces(showlegend=False)
    spoked = np.flatnonzero(inside if exact and not many else np.zeros(len(space), dtype=bool))
    add_line(figure, view, _spokes(view, g, spoked), SPOKE, 0.6)
    fixed = g.details.places[order] >= 0
    add_centers(figure, view, order if exact else order[~fixed], words)
    if companion is not None and exact:
        add_points(figure, view, marks_of(view.points[companion.changed], view.box, many), VERMILION)
    if exact and not inside.all():
        add_crosses(figure, space, view, g, seen)
    if isinstance(background, Atlas) and view.kind == "map" and not tiles:
        add_places(figure, around(background, extent), seen)
        figure.data[-1].showlegend = False
    strong = np.empty((0, 2))
    if selected is not None:
        members = np.flatnonzero(g.assignment == selected) if exact else np.empty(0, dtype=np.int64)
        add_line(figure, view, _spokes(view, g, members), VERMILION, 1)
        strong = joined([ring for part in outlines[selected] for ring in part])
    add_line(figure, view, strong, VERMILION, 3)
    return styled(
        figure,
        f"Orange: points {CHANGED}" if companion is not None else _title(space, g, view, colour_by),
        margin={"l": 10, "r": 10, "t": 45, "b": CAPTION if figure.layout.annotations else 10},
        showlegend=bool(exact and not inside.all()),
        legend={"x": 0.01, "y": 0.99, "xanchor": "left", "yanchor": "top", "bgcolor": "rgba(255, 255, 255, 0.7)"},
        uirevision=f"clusters {space.digest}",  # another k keeps zoom and position
    )


def neighbours(space: MetricSpace, g: Generalization) -> np.ndarray:
    """(e, 2) int64: pairs of classes whose centers are drawn beside each other, of which colours should differ."""
    centers = view_of(space, g.details).centers
    if len(centers) < 2:
        return np.zeros((0, 2), dtype=np.int64)
    near = cKDTree(centers).query(centers, min(NEAREST + 1, len(centers)))[1]
    pairs = np.column_stack([np.repeat(np.arange(len(centers)), near.shape[1]), near.ravel()])
    return np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0).astype(np.int64)


def outlines_of(view: View, g: Generalization) -> list[Outline]:
    """The circle of each class; where distances are not true, the hull of its points."""
    if view.kind == "map":
        return globe_circles(view.centers, g.details.radii)
    if view.kind == "plane":
        return plane_circles(view.centers, g.details.radii)
    members = members_of(g.assignment, g.classes)
    hulls = [shapely.convex_hull(shapely.multipoints(view.points[own])) for own in members]
    return [[[shapely.get_coordinates(hull)]] for hull in hulls]


def _spokes(view: View, g: Generalization, members: np.ndarray) -> np.ndarray:
    """A line with gaps from each of some points to its center."""
    ends = np.full((len(members), 3, 2), np.nan)
    ends[:, 0], ends[:, 1] = view.points[members], view.centers[g.assignment[members]]
    return ends.reshape(-1, 2)


def _words(space: MetricSpace, g: Generalization) -> list[str]:
    counts = np.bincount(g.assignment[g.assignment >= 0], minlength=g.classes).tolist()
    words = []
    for number, (weight, many) in enumerate(zip(g.class_weights.tolist(), counts, strict=True)):
        place = int(g.details.places[number])
        center = "the center is no point" if place < 0 else f"the center is point {space.label(place)}"
        radius = f"{number_text(float(g.details.radii[number]))} {space.measure}".strip()
        words.append(
            f"<b>Group {number + 1:,}</b><br>{weight:,} {space.unit} ({times_k(weight / g.k)})<br>"
            f"{counted(many, 'point')}<br>radius {radius}<br>{center}"
        )
    return words


def _title(space: MetricSpace, g: Generalization, view: View, colour_by: str) -> str:
    shown = f"the widest {MOST_CIRCLES:,} of {g.classes:,}" if g.classes > MOST_CIRCLES else f"{g.classes:,}"
    what = "clusters as hulls" if view.kind == "view" else "circles"
    colours = "colours tell neighbours apart" if colour_by == "group" else f"shaded by {space.unit} ÷ k"
    title = f"{shown} {what}; {colours}"
    if view.kind == "view":
        title += f"<br>A view in two dimensions: distances are not true, {view.share:.0%} of the spread is kept"
    return title[0].upper() + title[1:]
