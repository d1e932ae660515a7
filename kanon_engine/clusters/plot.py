"""The picture of clusters: circles on a map or in the plane; of more columns, a view in two dimensions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import shapely
from plotly import graph_objects as go
from scipy.spatial import cKDTree

from kanon_engine.clusters.instance import ClusterDetails, MetricSpace
from kanon_engine.clusters.options import objective
from kanon_engine.model.algorithm import Algorithm
from kanon_engine.model.generalization import Generalization, members_of
from kanon_engine.model.weakly_cached import weakly_cached
from kanon_engine.model.words import counted, number_text, times_k
from kanon_engine.plot import CHANGED, Companion, maps
from kanon_engine.plot.colors import (
    BLUE,
    CRIMSON,
    INK,
    SILVER,
    VERMILION,
    WHITE,
    check_color_by,
    class_colors,
    color_shades,
    faded,
    shading_of,
)
from kanon_engine.plot.scene import LEGEND_ABOVE, dots, floor_area, hover, marked_line, polyline, segments, styled
from kanon_engine.verification.metric import EARTH

if TYPE_CHECKING:
    import geopandas


MOST_CIRCLES = 2_000  # circles that a browser draws without a noticeable wait
NEAREST = 4  # other centers from which a class differs in color
SEE_THROUGH = 0.45  # circles overlap
HULLS = 0.2  # and hulls more so


def clusters_figure(
    space: MetricSpace,
    g: Generalization,
    selected: int | None = None,
    *,
    background: maps.Atlas | geopandas.GeoDataFrame | None = None,
    tiles: bool = False,
    companion: Companion | None = None,
    exact: bool = True,
    color_by: str = "group",
) -> go.Figure:
    """Circles with their centers, the points, or their density where they are many, and crosses for those left out.

    No plane shows distances of more than two columns, of words or of a matrix. There, points are placed by
    classical scaling, hulls replace circles, and title and axes say so.

    Parameters
    ----------
    selected : Class with a thick border and lines to its points.
    background : Atlas or GeoDataFrame, optional
        Land, water and places, or your own outlines, for orientation; only on a map.
    tiles : Draw over street map tiles, which are loaded from the network; only on a map.
    companion : What to keep from the picture of another result.
    exact : bool
        Also draw points, hulls, and centers that are points. Otherwise nothing in the figure represents a single
        record: only circles, and centers that are not points.
    color_by : "group" or "fullness". A few colors that distinguish neighbors, or shades for weight / k.

    Returns
    -------
    Figure
        A MapLibre map for haversine, else a plane with equal scales. `customdata` begins with the class number.
        Hovering shows group, weight, number of points, radius and center.
    """
    check_color_by(color_by)
    view = view_of(space, g.details)
    outlines = outlines_of(view, g) if exact or view.kind != "view" else [[] for _ in range(g.classes)]
    order = np.argsort(-g.details.radii, kind="stable")[:MOST_CIRCLES]  # small circles lie above wide ones
    drawn = [outlines[number] for number in order.tolist()]
    words = _words(space, g)
    texts = [words[number] for number in order.tolist()]
    if color_by == "group":
        numbers = companion.colors if companion else class_colors(neighbors(space, g), np.arange(g.classes), g.classes)
        shades = color_shades(numbers[order])
    else:
        shades = shading_of(g.class_weights[order] / g.k, companion.top if companion else None)
    inside = g.assignment >= 0
    many = len(space) > maps.FEW_POINTS
    marks = maps.marks_of(view.points[inside], view.box, many) if exact else maps.Marks(np.empty((0, 2)), np.empty(0))
    extent = np.vstack([view.points if exact else np.empty((0, 2)), *(ring for part in drawn for (ring, *_) in part)])
    visible = maps.most_of(view.points, space.weights, view.box) if exact else extent
    on_map = view.kind == "map"
    if on_map and exact and companion is not None:  # whole circles: those next to it may be much smaller
        shown = ((view.centers[order] >= visible[0]) & (view.centers[order] <= visible[1])).all(axis=1)
        visible = np.vstack([visible, *(ring for n in np.flatnonzero(shown) for (ring, *_) in drawn[n])])
        visible = np.array([visible.min(axis=0), visible.max(axis=0)])
    if on_map:
        figure = maps.map_figure(drawn, shades, order, texts, extent, visible, background, tiles, SEE_THROUGH)
        figure.add_trace(dots(marks.xy, INK, marks.sizes, True, {"opacity": 0.55}))
    else:
        opacity = HULLS if view.kind == "view" else SEE_THROUGH
        figure = maps.plane_figure(drawn, shades, order, texts, marks, [], view.axes, opacity)
    figure.update_traces(showlegend=False)
    spoked = np.flatnonzero(inside if exact and not many else np.zeros(len(space), dtype=bool))
    figure.add_trace(polyline(_spokes(view, g, spoked), SILVER, 0.6, on_map, showlegend=False))
    fixed = g.details.places[order] >= 0
    figure.add_trace(centers(view, order if exact else order[~fixed], words))
    if companion is not None and exact:
        moved = maps.marks_of(view.points[companion.changed], view.box, many)
        figure.add_trace(dots(moved.xy, VERMILION, moved.sizes, on_map, {"opacity": 0.55}, showlegend=False))
    if exact and not inside.all():
        figure.add_traces(crosses(space, view, g, visible))
    if isinstance(background, maps.Atlas) and on_map and not tiles:
        maps.add_places(figure, maps.around(background, extent), visible)
    strong = np.empty((0, 2))
    if selected is not None:
        members = np.flatnonzero(g.assignment == selected) if exact else np.empty(0, dtype=np.int64)
        figure.add_trace(polyline(_spokes(view, g, members), VERMILION, 1, on_map, showlegend=False))
        strong = maps.joined([ring for part in outlines[selected] for ring in part])
    figure.add_trace(polyline(strong, VERMILION, 3, on_map, showlegend=False))
    return styled(
        figure,
        f"Orange: points {CHANGED}" if companion is not None else _title(space, g, view, color_by),
        margin=(10, 10, 45, maps.CAPTION if figure.layout.annotations else 10),
        showlegend=bool(exact and not inside.all()),
        legend={"x": 0.01, "y": 0.99, "xanchor": "left", "yanchor": "top", "bgcolor": faded(WHITE, 0.7)},
        uirevision=f"clusters {space.digest}",  # another k keeps zoom and position
    )


def neighbors(space: MetricSpace, g: Generalization) -> np.ndarray:
    """(e, 2) int64: pairs of classes whose centers are drawn next to each other and whose colors should differ."""
    centers = view_of(space, g.details).centers
    if len(centers) < 2:
        return np.zeros((0, 2), dtype=np.int64)
    near = cKDTree(centers).query(centers, min(NEAREST + 1, len(centers)))[1]
    pairs = np.column_stack([np.repeat(np.arange(len(centers)), near.shape[1]), near.ravel()])
    return np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0).astype(np.int64)


def outlines_of(view: ClustersView, g: Generalization) -> list[maps.Outline]:
    """The circle of each class, or the hull of its points where distances are not to scale."""
    if view.kind == "map":
        return globe_circles(view.centers, g.details.radii)
    if view.kind == "plane":
        return plane_circles(view.centers, g.details.radii)
    members = members_of(g.assignment, g.classes)
    hulls = [shapely.convex_hull(shapely.multipoints(view.points[group])) for group in members]
    return [[[shapely.get_coordinates(hull)]] for hull in hulls]


def _spokes(view: ClustersView, g: Generalization, members: np.ndarray) -> np.ndarray:
    """A line with gaps from each of some points to its center."""
    return segments(view.points[members], view.centers[g.assignment[members]])


def _words(space: MetricSpace, g: Generalization) -> list[str]:
    counts = np.bincount(g.assignment[g.assignment >= 0], minlength=g.classes).tolist()
    words = []
    for number, (weight, many) in enumerate(zip(g.class_weights.tolist(), counts, strict=True)):
        place = int(g.details.places[number])
        center = "the center is not a point" if place < 0 else f"the center is point {space.label(place)}"
        radius = f"{number_text(float(g.details.radii[number]))} {space.measure}".strip()
        words.append(
            f"<b>Group {number + 1:,}</b><br>{weight:,} {space.unit} ({times_k(weight / g.k)})<br>"
            f"{counted(many, 'point')}<br>radius {radius}<br>{center}"
        )
    return words


def _title(space: MetricSpace, g: Generalization, view: ClustersView, color_by: str) -> str:
    amount = f"the widest {MOST_CIRCLES:,} of {g.classes:,}" if g.classes > MOST_CIRCLES else f"{g.classes:,}"
    what = "outlines of clusters" if view.kind == "view" else "circles"
    colors = "colors distinguish neighbors" if color_by == "group" else f"shaded by {space.unit} ÷ k"
    title = f"{amount} {what}; {colors}"
    if view.kind == "view":
        title += f"<br>A view in two dimensions: distances are not to scale, {view.share:.0%} of the spread is kept"
    return title[0].upper() + title[1:]


# ---------------------------------------------------------------------------------------------------------------------
# Where points and centers are drawn: on a map, in their plane, or in a view of more columns in two dimensions.
# ---------------------------------------------------------------------------------------------------------------------


LANDMARKS = 300  # points whose distances among each other make the view
PART = 1 << 18  # distances computed at a time: they fit into a processor's cache


@dataclass(frozen=True)
class ClustersView:
    """Places of points and centers in a picture."""

    # "map", "plane" or "view": longitudes and latitudes; the columns themselves; or two dimensions made from all
    # distances, which are not to scale
    kind: str
    points: np.ndarray  # (n, 2) float64
    centers: np.ndarray  # (m, 2) float64
    share: float  # how much of the points' spread the picture keeps; 1 where distances are to scale
    axes: tuple[str, str]

    @property
    def box(self) -> np.ndarray:
        """(4,) xmin, ymin, xmax, ymax of the points."""
        return np.concatenate([self.points.min(axis=0), self.points.max(axis=0)])


def view_of(space: MetricSpace, details: ClusterDetails) -> ClustersView:
    """Where the points of a space and the centers of a result are drawn.

    >>> space = MetricSpace([("a", "x"), ("a", "y"), ("b", "y")], "hamming")
    >>> nothing = np.zeros((0, 0))
    >>> view = view_of(space, ClusterDetails(np.array([1]), nothing, np.array([1.0]), nothing, nothing))
    >>> view.kind, round(view.share, 3), bool((view.centers[0] == view.points[1]).all())
    ('view', 1.0, True)
    """
    if space.metric == "haversine":
        points = _run_on(space.points)
        west, east = points[:, 0].min(), points[:, 0].max()
        centers = np.array(details.centers)
        centers[:, 0] = (west + east) / 2 + (centers[:, 0] - (west + east) / 2 + 180) % 360 - 180
        return ClustersView("map", _on_web_map(points), _on_web_map(centers), 1.0, ("longitude", "latitude"))
    if space.metric == "euclidean" and space.points.shape[1] <= 2:
        flat = space.points.shape[1] == 1
        points, centers = space.points, details.centers
        if flat:
            points, centers = (np.column_stack([one, np.zeros(len(one))]) for one in (points, centers))
        return ClustersView("plane", points, centers, 1.0, (_axis(space, 0), "" if flat else _axis(space, 1)))
    return _scaled(space, details)


def _axis(space: MetricSpace, place: int) -> str:
    """A column and its divisor."""
    unit = float(space.units[place])
    return space.names[place] + ("" if unit == 1 else f" ÷ {unit:,.4g}")


def _run_on(points: np.ndarray) -> np.ndarray:
    """Longitudes that continue across the 180th meridian where the points do: they begin after the widest gap."""
    lon = points[:, 0] % 360
    ordered = np.unique(lon)
    gaps = np.diff(ordered, append=ordered[0] + 360)
    begin = ordered[(int(np.argmax(gaps)) + 1) % len(ordered)]
    run = begin + (lon - begin) % 360
    middle = (run.min() + run.max()) / 2
    return np.column_stack([run - 360 * np.floor((middle + 180) / 360), points[:, 1]])


def _on_web_map(places: np.ndarray) -> np.ndarray:
    return np.column_stack([places[:, 0], np.clip(places[:, 1], -maps.MERCATOR_LIMIT, maps.MERCATOR_LIMIT)])


def _scaled(space: MetricSpace, details: ClusterDetails) -> ClustersView:
    scaling = _scaling(space)
    centers = np.zeros((len(details.places), 2))
    fixed = details.places >= 0
    centers[fixed] = scaling.points[details.places[fixed]]
    for number in np.flatnonzero(~fixed).tolist():
        distances = space.from_center(details.centers[number], scaling.marks)
        centers[number] = scaling.placed(distances[None, :])[0]
    names = ("first dimension (no unit)", "second dimension (no unit)")
    return ClustersView("view", scaling.points, centers, scaling.share, names)


@dataclass(frozen=True, eq=False)
class _Scaling:
    """The points of a space in two dimensions, and what places others by their distances to the landmarks."""

    points: np.ndarray  # (n, 2) float64
    marks: np.ndarray  # (l,) int64: the landmarks
    means: np.ndarray  # (l,) float64: of their squared distances
    back: np.ndarray  # (l, 2) float64
    share: float  # of the landmarks' spread that two dimensions keep

    def placed(self, distances: np.ndarray) -> np.ndarray:
        """Rows of distances to the landmarks as places, (m, 2) float64."""
        return np.asarray((self.means - distances**2) @ self.back / 2)


@weakly_cached  # a picture and its colors use it, and every further result of the same records
def _scaling(space: MetricSpace) -> _Scaling:
    """Classical scaling of landmarks' distances, and all other points placed by their distances to the landmarks.

    O(n · landmarks) distances. Gower (1966); de Silva, Tenenbaum (2004).
    """
    count = min(len(space), LANDMARKS)
    marks = np.sort(np.random.default_rng(0).permutation(len(space))[:count])
    squares = space.between(marks, marks) ** 2
    means = squares.mean(axis=0)
    centered = -(squares - means[:, None] - means[None, :] + means.mean()) / 2
    values, vectors = np.linalg.eigh(centered)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    values[values <= 1e-12 * max(values[0], 1e-300)] = 0.0
    back = np.zeros((count, 2))
    for place in (place for place in (0, 1) if place < count and values[place] > 0):
        one = vectors[:, place] * np.sign(vectors[np.argmax(np.abs(vectors[:, place])), place])
        back[:, place] = one / np.sqrt(values[place])
    share = float(values[:2].sum() / values.sum()) if values.any() else 1.0
    scaling = _Scaling(np.empty((0, 2)), marks, means, back, share)
    step, every = max(1, PART // count), np.arange(len(space))
    parts = [every[begin : begin + step] for begin in range(0, len(space), step)]
    return replace(scaling, points=np.vstack([scaling.placed(space.between(some, marks)) for some in parts]))


CORNERS = 64  # of a circle while there are few
MOST_CORNERS = 60_000  # of all circles
FEWEST = 16  # corners of a circle where there are many


def plane_circles(centers: np.ndarray, radii: np.ndarray) -> list[maps.Outline]:
    """The outline of each circle around (m, 2) centers.

    >>> outline = plane_circles(np.array([(1.0, 2.0)]), np.array([3.0]))[0][0][0]
    >>> bool(np.allclose(np.hypot(*(outline - (1, 2)).T), 3))
    True
    """
    turns = _turns(len(centers))
    unit = np.column_stack([np.cos(turns), np.sin(turns)])
    return [[[center + radius * unit]] for center, radius in zip(centers, radii.tolist(), strict=True)]


def globe_circles(centers: np.ndarray, radii: np.ndarray) -> list[maps.Outline]:
    """The outline of all places within a distance in km of each center, as longitudes and latitudes a web map can show.

    One around a pole runs along the map's upper or lower edge, and one that holds both poles is the whole map
    except for a hole.

    >>> outline = globe_circles(np.array([(10.0, 0.0)]), np.array([EARTH * np.pi / 2 / 90]))[0][0][0]
    >>> outline.min(axis=0).round(6).tolist(), outline.max(axis=0).round(6).tolist()
    ([9.0, -1.0], [11.0, 1.0])
    """
    turns = _turns(len(centers))
    spots = zip(centers[:, 0].tolist(), centers[:, 1].tolist(), radii.tolist(), strict=True)
    return [_globe_circle(lon, lat, radius, turns) for lon, lat, radius in spots]


def _globe_circle(lon: float, lat: float, radius: float, turns: np.ndarray) -> maps.Outline:
    angle = radius / EARTH
    north, south = np.radians(90 - lat) <= angle, np.radians(90 + lat) <= angle
    if north and south:
        west, east, low, high = lon - 180, lon + 180, -maps.MERCATOR_LIMIT, maps.MERCATOR_LIMIT
        whole = np.array([(west, low), (east, low), (east, high), (west, high), (west, low)])
        rest = max(np.pi - angle, 0.0)
        return [[whole, _ring(lon + 180 if lon <= 0 else lon - 180, -lat, rest, turns)]] if rest else [[whole]]
    ring = _ring(lon, lat, angle, turns)
    if not (north or south):
        return [[ring]]
    edge = maps.MERCATOR_LIMIT if north else -maps.MERCATOR_LIMIT
    ring = ring[:-1][np.argsort(ring[:-1, 0], kind="stable")]  # once around the pole, from west to east
    ends = np.array([ring[-1] - (360, 0), ring[0] + (360, 0)])
    ring = np.vstack([ends[:1], ring, ends[1:]])
    return [[np.vstack([ring, [(ring[-1, 0], edge), (ring[0, 0], edge)], ring[:1]])]]


def _ring(lon: float, lat: float, angle: float, turns: np.ndarray) -> np.ndarray:
    """(v, 2) degrees at an angle from a place, one for each bearing."""
    height = np.radians(lat)
    sine = np.sin(height) * np.cos(angle) + np.cos(height) * np.sin(angle) * np.cos(turns)
    aside = np.arctan2(np.sin(turns) * np.sin(angle) * np.cos(height), np.cos(angle) - np.sin(height) * sine)
    latitudes = np.clip(np.degrees(np.arcsin(np.clip(sine, -1, 1))), -maps.MERCATOR_LIMIT, maps.MERCATOR_LIMIT)
    return np.column_stack([lon + np.degrees(aside), latitudes])


def _turns(circles: int) -> np.ndarray:
    """Bearings all around, with the first repeated at the end."""
    corners = max(FEWEST, min(CORNERS, MOST_CORNERS // max(circles, 1)))
    return np.linspace(0, 2 * np.pi, corners + 1) % (2 * np.pi)


# ---------------------------------------------------------------------------------------------------------------------
# What is drawn above circles, on a map or in a plane: lines, points, centers, and crosses for those left out.
# ---------------------------------------------------------------------------------------------------------------------


ARM = 0.006  # of the longer side of the first view: half a cross on a map, where symbols would need a server
MANY_CENTERS = 500  # more are drawn smaller


def centers(view: ClustersView, classes: np.ndarray, words: list[str]) -> Any:
    """The centers of some classes, with the words about the classes."""
    more = {"customdata": classes, "showlegend": False, **hover([words[number] for number in classes.tolist()])}
    size = 8.0 if len(classes) <= MANY_CENTERS else 4.0
    return dots(view.centers[classes], BLUE, size, view.kind == "map", {"opacity": 0.9}, **more)


def crosses(space: MetricSpace, view: ClustersView, g: Generalization, visible: np.ndarray) -> list[Any]:
    """Records that are left out, with their number in the legend: each one, or where many are, their places."""
    out = np.flatnonzero(g.assignment < 0)
    many, on_map = len(out) > maps.FEW_POINTS, view.kind == "map"
    drawn = maps.marks_of(view.points[out], view.box, many)
    name = f"left out: {int(space.weights[out].sum()):,} {space.unit}{'; a cross can mark several records' * many}"
    hover_style = {} if many else hover(_left_out(space, out, view, drawn))
    if not on_map:
        look = {"opacity": 1.0, "symbol": "x-thin", "line": {"color": CRIMSON, "width": 2}}
        return [dots(drawn.xy, CRIMSON, 8, look=look, name=name, showlegend=True, **hover_style)]
    arm = ARM * float((visible.max(axis=0) - visible.min(axis=0)).max() or 1.0)
    tall = arm * np.cos(np.radians(drawn.xy[:, 1]))
    arms = np.full((len(drawn.xy), 6, 2), np.nan)
    for place, (east, north) in enumerate(((-1, -1), (1, 1), (np.nan, np.nan), (-1, 1), (1, -1))):
        arms[:, place] = drawn.xy + np.column_stack([np.full(len(tall), east * arm), north * tall])
    pointed = dots(drawn.xy, CRIMSON, 12, True, {"opacity": 0.0}, showlegend=False, **hover_style)
    return [polyline(arms.reshape(-1, 2), CRIMSON, 2, True, name=f"✕ {name}", showlegend=True), pointed]


def _left_out(space: MetricSpace, out: np.ndarray, view: ClustersView, drawn: maps.Marks) -> list[str]:
    """Which points lie at each mark."""
    at: dict[tuple[float, ...], list[int]] = {}
    for place, spot in zip(out.tolist(), view.points[out].tolist(), strict=True):
        at.setdefault(tuple(spot), []).append(place)
    return [
        f"left out: {', '.join(space.label(place) for place in at[tuple(spot)][:5])}{' …' * (len(at[tuple(spot)]) > 5)}"
        for spot in drawn.xy.tolist()
    ]


def shares_figure(rows: pd.DataFrame, algorithm: Algorithm, measure: str) -> go.Figure:
    """What leaving out records saves: a line of costs, with the proven bound as a floor.

    Parameters
    ----------
    rows : share, cost, lower_bound, in the order of shares.
    measure : The unit of the cost; "" where it has none.
    """
    noun = objective(algorithm.name, {}).noun.capitalize()
    solved = rows.dropna(subset=["cost"])
    proven = solved[["share", "lower_bound"]].to_numpy(dtype=float)
    figure = go.Figure(floor_area(proven, "no clustering can do better", "%{x:.1%} left out: never below %{y:,.5~g}"))
    says, costs = "%{x:.1%} left out: %{y:,.5~g}<extra></extra>", solved["cost"].astype(float)
    figure.add_trace(marked_line(solved["share"], costs, algorithm.title, BLUE, says, marker_size=8))
    return styled(
        figure,
        f"{noun} for each share of records that may be left out",
        xaxis={"title": "Share of records that may be left out", "tickformat": ".1~%", "rangemode": "tozero"},
        yaxis={"title": f"{noun} ({measure})" if measure else noun, "rangemode": "tozero", "tickformat": ",~g"},
        **LEGEND_ABOVE,
        margin=(60, 10, 70, 50),
    )
