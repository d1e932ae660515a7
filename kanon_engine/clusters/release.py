"""Export clusters: centers, sizes, radii and the values of columns that a person chose."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import shapely

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.errors import InvalidInput
from kanon_engine.io.coordinates import numbers_of
from kanon_engine.io.names import SENSITIVE, plain_name
from kanon_engine.model.generalization import Generalization, members_of
from kanon_engine.model.measure import Measure, short
from kanon_engine.model.words import cell_text, counted, free_name, number_text
from kanon_engine.plot.colors import GRAY, INK
from kanon_engine.plot.drawing import WORDS, draw_bars, drawable, explain, shades, shape_axes, true_to_scale
from kanon_engine.release import groups_frame
from kanon_engine.release.made import groups_released
from kanon_engine.release.placing import BLANK, Placed
from kanon_engine.release.publication import Offered, groups_offered, shapes_offered
from kanon_engine.release.released import Released
from kanon_engine.validate import require_known_name
from kanon_engine.verification.metric import rounded_up

if TYPE_CHECKING:
    import geopandas
    from matplotlib.figure import Figure
    from plotly import graph_objects as go

CENTERS = (
    "Each center was recomputed from its records, rounded to a grid much finer than its radius, and kept off the "
    "locations of these records; the radius was recomputed and rounded up."
)
TYPICAL = (
    "A center has the most common word or the median number of each column; together these may happen to be the values "
    "of a record. The radius is how far a record of the cluster can be from the center."
)
SCALED = " Radii are measured in the scaled columns, centers in the unit of each column."
AT_CENTER = " Where a radius is 0, all records of the cluster are at its center."
NO_CENTERS = "A matrix of distances has no centers to show."
INTERNAL_CENTERS = (
    "Internal: the centers as they were found, which may be records, and their exact radii. Keep this file where the "
    "records are kept."
)

OF_SHAPES = {"geometry", "geom", "fid"}  # reserved columns of files with shapes, not for kept columns


def files(space: MetricSpace, g: Generalization, **surroundings: Any) -> list[Offered]:
    """The clusters with their centers, the values of chosen columns, and the centers as found."""
    description = CENTERS if space.free else TYPICAL if space.names else NO_CENTERS
    if len(space.names) and (g.details.radii == 0).any():
        description += AT_CENTER
    if (space.units != 1).any():
        description += SCALED
    columns = ", ".join(f"“{name}”" for name in space.frame.columns)
    unchanged = f" The values of {columns} are included unchanged." if columns else ""
    contents = f"Center, radius and size of every cluster. {description}{_left_out(space, g)}{unchanged}"
    offers = [groups_offered(g, contents, True, lambda: clusters_frame(space, g))]
    if space.metric == "haversine":
        words = "The circle of every cluster, with the released center and radius."
        offers.append(shapes_offered(g, words, True, lambda: circles_frame(space, g)))
    if len(space.frame.columns):
        words = f"How many records of each cluster have each value of {columns}.{_left_out(space, g)}"
        offers.append(Offered("values", "Values", words, "values", True, lambda: values_frame(space, g)))
    return [
        *offers,
        Offered(
            "centers", "Exact centers", INTERNAL_CENTERS, "centers", False, lambda: internal_centers_frame(space, g)
        ),
    ]


def frame(space: MetricSpace, g: Generalization, keep: Sequence[str] = ()) -> pd.DataFrame:
    """The releasable frame: circles on the globe, else the clusters."""
    return circles_frame(space, g) if space.metric == "haversine" else clusters_frame(space, g)


def released(
    space: MetricSpace, g: Generalization, keep: Sequence[str] | None = None, sensitive: Sequence[str] | None = None
) -> Released:
    """The clusters with their centers; where columns are kept, each point with them, and how many records it is."""
    columns = [str(name) for name in space.frame.columns] if keep is None else list(map(str, keep))
    for name in columns:
        require_known_name(list(map(str, space.frame.columns)), name, "columns to keep")
    centers = released_centers(space, g)
    radius = "radius" + (f"_{space.measure}" if space.measure else "")
    extra = {radius: centers.radii} | {f"center_{name}": values for name, values in centers.columns.items()}
    groups = groups_released(space, g, extra)
    if not columns:
        if sensitive:
            raise InvalidInput(
                f"The sensitive column {sensitive[0]!r} is not among the columns to keep; add it there or leave it out."
            )
        return groups
    inside = np.flatnonzero(g.assignment >= 0)
    rows = groups.frame.iloc[g.assignment[inside]].reset_index(drop=True)
    rows["weight"] = space.weights[inside]
    called = {}
    for place, name in enumerate(map(str, space.frame.columns)):
        if name in columns:
            called[name] = free_name(name, [*rows.columns, *OF_SHAPES])
            rows[called[name]] = [cell_text(cell) or MISSING for cell in space.frame.iloc[inside, place].astype(object)]
    sensitive_columns = (
        [name for name in columns if plain_name(name) in SENSITIVE] if sensitive is None else list(map(str, sensitive))
    )
    for name in sensitive_columns:
        require_known_name(columns, name, "sensitive columns")
    rows = rows.sort_values(["group", *called.values(), "weight"], kind="stable").reset_index(drop=True)
    return replace(groups, frame=rows, sensitive=tuple(called[name] for name in sensitive_columns))


def private(space: MetricSpace, g: Generalization, frame: pd.DataFrame) -> str:
    """A record of a cluster at its center, if the records are at several places; "" where there is none."""
    names = [f"center_{name}" for name in space.names]
    if not space.free or not set(names) <= set(frame.columns):
        return ""
    centers = frame[names].to_numpy(dtype=np.float64)
    places = space.points * space.units
    for number, members in enumerate(members_of(g.assignment, g.classes)):
        inside = places[members]
        if (inside == centers[number]).all(axis=1).any() and (inside != inside[0]).any():
            return f"the place of a record, as the center of group {number + 1:,}"
    return ""


def picture(space: MetricSpace, g: Generalization, **surroundings: Any) -> go.Figure:
    """The circles without points, around the released centers."""
    from kanon_engine.clusters.plot import clusters_figure

    if not _drawn(space):
        raise InvalidInput(
            "The distances between these columns' values cannot be drawn in a plane, so a picture would have to show "
            "the records themselves."
        )
    centers = released_centers(space, g)
    places = np.full(g.classes, -1, dtype=np.int64)
    details = replace(g.details, places=places, centers=centers.centers, radii=centers.radii)
    return clusters_figure(space, replace(g, details=details), exact=False, **surroundings)


def pictured(space: MetricSpace, g: Generalization, **surroundings: Any) -> tuple[str, bool]:
    """What the picture shows, and whether it may be published."""
    if not _drawn(space):
        return (
            "There is no picture because the distances between these columns' values cannot be drawn in a plane.",
            False,
        )
    return "Only circles, with the released centers and radii; no points.", True


def clusters_frame(space: MetricSpace, g: Generalization) -> pd.DataFrame:
    """One row per cluster: group, weight, unit, radius, the columns of its center, and the values of columns to show.

    >>> import kanon_engine as kanon
    >>> illness = pd.DataFrame({"illness": ["flu", "flu", "hypertension", "flu", "cold"]})
    >>> places = [(30, 10), (32, 10), (50, 23), (50, 20), (50, 17)]
    >>> space = MetricSpace(places, names=["age", "place"], frame=illness)
    >>> clusters_frame(space, kanon.generalize(space, 2)).drop(columns=["unit", "overfull_ratio"])
       group  weight  radius  center_age  center_place                  illness
    0      1       2    1.00       31.00          10.0                    flu 2
    1      2       3    3.01       50.01          20.0  cold, flu, hypertension
    """
    return _frame(space, g, released_centers(space, g))


def _frame(space: MetricSpace, g: Generalization, centers: ReleasedCenters) -> pd.DataFrame:
    table = groups_frame(space, g).drop(columns="items")
    table["radius" + (f"_{space.measure}" if space.measure else "")] = centers.radii
    for name, values in centers.columns.items():
        table[f"center_{name}"] = values
    for name in space.frame.columns:
        table[free_name(str(name), [*table.columns, *OF_SHAPES])] = [
            _told(counts) for counts in _values(space, g, name)
        ]
    return table


def circles_frame(space: MetricSpace, g: Generalization) -> geopandas.GeoDataFrame:
    """The clusters of places on the globe with their circles, in longitude and latitude."""
    import geopandas
    import shapely

    from kanon_engine.clusters.plot import globe_circles

    centers = released_centers(space, g)
    outlines = globe_circles(centers.centers, centers.radii)
    shapes = [
        shapely.MultiPolygon([shapely.Polygon(part[0], part[1:]) for part in outline]).normalize()
        for outline in outlines
    ]
    return geopandas.GeoDataFrame(_frame(space, g, centers), geometry=shapes, crs="EPSG:4326")


def values_frame(space: MetricSpace, g: Generalization) -> pd.DataFrame:
    """One row per cluster, column and value: how many records have it; sorted to hide the order of the file."""
    rows = [
        (number + 1, str(name), value, count)
        for name in space.frame.columns
        for number, counts in enumerate(_values(space, g, name))
        for value, count in _sorted(counts)
    ]
    return pd.DataFrame(rows, columns=["group", "column", "value", "records"])


def internal_centers_frame(space: MetricSpace, g: Generalization) -> pd.DataFrame:
    """The centers as they were found: internal."""
    ids = [space.label(place) if place >= 0 else "" for place in g.details.places.tolist()]
    table = pd.DataFrame({"group": np.arange(1, g.classes + 1), "center_id": ids, "radius": g.details.radii})
    for column, values in enumerate(g.details.centers.T):
        table[f"center_{space.names[column]}"] = values * space.units[column]
    return table


def _drawn(space: MetricSpace) -> bool:
    return space.metric == "haversine" or (space.metric == "euclidean" and len(space.names) == 2)


def _values(space: MetricSpace, g: Generalization, name: Any) -> list[Counter[str]]:
    """For each class, how many records have each value of a column."""
    counts: list[Counter[str]] = [Counter() for _ in range(g.classes)]
    cells = space.frame[name].astype(object).tolist()
    for number, cell, weight in zip(g.assignment.tolist(), cells, space.weights.tolist(), strict=True):
        if number >= 0:
            counts[number][cell_text(cell) or MISSING] += weight
    return counts


def _sorted(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _told(counts: Counter[str]) -> str:
    return ", ".join(value if count == 1 else f"{value} {count:,}" for value, count in _sorted(counts))


def _left_out(space: MetricSpace, g: Generalization) -> str:
    out = space.total - int(g.class_weights.sum())
    return f" Left out: {counted(out, space.unit.removesuffix('s'))}." if out else ""


# ---------------------------------------------------------------------------------------------------------------------
# Centers and radii as they may be released: no record's own coordinates, rounded to a small part of the radius.
#
# A center that is a point is a record; a smallest circle passes through records, and with its exact center and radius
# their coordinates could be computed where few define it. So every published center is that of the smallest circle
# (or the mean, for squared distances), rounded to a decimal step of at most a fiftieth of the radius, and moved by a
# step where it would be a member's own place; it is such a place only where all members share it. Its radius is
# recomputed and rounded up to three digits. Among words and mixed columns there is no such circle: there the center has
# the most common word or the middle number of each column.
# ---------------------------------------------------------------------------------------------------------------------


DIGITS = 3  # of a radius
FINENESS = 50  # steps of the grid of a center in a radius, at least
DEGREE = 111.0  # km, at most, on the ground
NEAREST = 7  # digits of a degree: places on the globe differ from about 6 mm on
MISSING = "missing"


@dataclass(frozen=True)
class ReleasedCenters:
    """What is released of the centers."""

    # the values of the centers in each column, in the unit of the file; no columns for a matrix
    columns: dict[str, list[Any]]
    # (m, d) float64: the same in the form of `MetricSpace.points`, in a space with free centers; (m, 0) in others
    centers: np.ndarray
    radii: np.ndarray  # (m,) float64: largest distance of a member from what is shown, rounded up to three digits


def released_centers(space: MetricSpace, g: Generalization) -> ReleasedCenters:
    """The centers of a result as they may be released.

    >>> import kanon_engine as kanon
    >>> space = MetricSpace([(30, 10), (32, 10), (50, 23), (50, 20), (50, 17)], names=["age", "place"])
    >>> shown = released_centers(space, kanon.generalize(space, 2))
    >>> shown.columns, shown.radii.tolist()
    ({'age': [31.0, 50.01], 'place': [10.0, 20.0]}, [1.0, 3.01])
    """
    members = members_of(g.assignment, g.classes)
    if space.free:
        return _places(space, g, members)
    if space.metric == "precomputed":
        radii = [rounded_up(radius, DIGITS) for radius in g.details.radii.tolist()]
        return ReleasedCenters({}, np.zeros((g.classes, 0)), np.array(radii))
    return _typical(space, members)


def _places(space: MetricSpace, g: Generalization, members: list[np.ndarray]) -> ReleasedCenters:
    centers = g.details.centers
    if (g.details.places >= 0).any():
        from kanon_engine.clusters.centers import ball_centers

        centers = ball_centers(space, g.assignment)
    rounded = np.empty_like(centers)
    radii = []
    for number, points in enumerate(members):
        exact = float(space.from_center(centers[number], points).max())
        rounded[number] = _off_members(space, centers[number], exact, points)
        radii.append(rounded_up(float(space.from_center(rounded[number] / space.units, points).max()), DIGITS))
    columns = {name: rounded[:, place].tolist() for place, name in enumerate(space.names)}
    return ReleasedCenters(columns, rounded / space.units, np.array(radii))


def _off_members(space: MetricSpace, center: np.ndarray, radius: float, members: np.ndarray) -> np.ndarray:
    """The center on a grid, in the unit of the file, at no member's place unless all are there."""
    units = space.units.tolist()
    if radius == 0:
        return np.array(list(map(_written, space.points[members[0]].tolist(), units)))
    across = radius / DEGREE if space.metric == "haversine" else radius
    values = [value * unit for value, unit in zip(center.tolist(), units, strict=True)]
    digits = [_digits(across * unit, value) for value, unit in zip(values, units, strict=True)]
    if space.metric == "haversine":
        digits = [min(places, NEAREST) for places in digits]
    rounded = np.array(list(map(round, values, digits)))
    moved = len(rounded) - 1 if space.metric == "haversine" else 0  # on the globe toward the equator
    step = 10.0 ** -digits[moved] * (-1 if space.metric == "haversine" and rounded[moved] > 0 else 1)
    while (space.from_center(rounded / space.units, members) == 0).any():
        rounded[moved] = round(float(rounded[moved]) + step, digits[moved])
    return rounded


def _digits(radius: float, value: float) -> int:
    """Digits after the decimal point: a step is at most a fiftieth of a radius, and not lost in the value."""
    fine = math.floor(math.log10(max(radius / FINENESS, 5e-324)))
    return -max(fine, math.ceil(math.log10(2 * math.ulp(value))))


def _written(coordinate: float, unit: float) -> float:
    """The number that a coordinate was in the file: the one with the fewest digits that gives the same coordinate."""
    value = coordinate * unit
    near = [value, math.nextafter(value, math.inf), math.nextafter(value, -math.inf)]
    candidates = [*(float(f"{value:.{digits}g}") for digits in range(12, 18)), *near]
    return next((number for number in candidates if number / unit == coordinate), value)


def _typical(space: MetricSpace, members: list[np.ndarray]) -> ReleasedCenters:
    """The most common word or the middle number of each column."""
    rows = np.array([[_middle(space, place, points) for place in range(len(space.names))] for points in members])
    columns: dict[str, list[Any]] = {}
    for place, (name, levels) in enumerate(zip(space.names, space.levels, strict=True)):
        values = rows[:, place].tolist()
        if levels is None:
            columns[name] = [MISSING if math.isnan(value) else value for value in values]
        else:
            columns[name] = [MISSING if math.isnan(value) else levels[int(value)] for value in values]
    radii = [
        rounded_up(float(space.from_values(row, points).max()), DIGITS)
        for row, points in zip(rows, members, strict=True)
    ]
    return ReleasedCenters(columns, np.zeros((len(members), 0)), np.array(radii))


def _middle(space: MetricSpace, place: int, members: np.ndarray) -> float:
    """The same for one column of a class; NaN where most of its values are missing."""
    column, weights = space.points[members, place], space.weights[members]
    there = ~np.isnan(column)
    if 2 * weights[there].sum() < weights.sum():
        return math.nan
    if space.levels[place] is None:
        low, high = float(column[there].min()), float(column[there].max())
        middle = low / 2 + high / 2
        return round(middle, _digits(high - low, middle)) if high > low else low
    return float(np.bincount(column[there].astype(np.int64), weights=weights[there]).argmax())


def placed(space: MetricSpace, g: Generalization, records: pd.DataFrame, by: Sequence[str]) -> Placed:
    """Replace coordinates with the center, radius and count of the nearest cluster whose circle holds a record.

    Centers and radii are the released ones, so everybody finds the same cluster.
    """
    if not space.free:
        raise InvalidInput(
            f"With the metric {space.metric}, the released centers do not show which cluster a new record belongs to; "
            "cluster the records themselves, or use columns of numbers or places."
        )
    if len(by) != len(space.names):
        raise InvalidInput(f"Give the columns of the records that hold {', '.join(space.names)}, in this order.")
    values = np.column_stack([numbers_of(records[name])[0] for name in by])
    there = np.isfinite(values).all(axis=1)
    reasons = np.where(there, "outside of all clusters", BLANK).astype(object)
    if space.metric == "haversine":
        on_globe = there & (np.abs(values) <= (180, 90)).all(axis=1)
        reasons[there & ~on_globe] = "not a longitude and latitude"
        there = on_globe
    centers = released_centers(space, g)
    classes = np.full(len(values), -1, dtype=np.int64)
    if there.any():
        locations = MetricSpace(values[there] / space.units, space.metric)
        best = np.full(len(locations), np.inf)
        nearest = np.full(len(locations), -1, dtype=np.int64)
        for number, (center, radius) in enumerate(zip(centers.centers, centers.radii.tolist(), strict=True)):
            distances = locations.from_center(center)
            closer = (distances <= radius) & (distances < best)
            best[closer], nearest[closer] = distances[closer], number
        classes[there] = nearest
    reasons[classes >= 0] = ""
    radius_name = "radius" + (f"_{space.measure}" if space.measure else "")
    columns = {"group": list(range(1, g.classes + 1)), radius_name: centers.radii.tolist()}
    columns |= {f"center_{name}": list(coordinates) for name, coordinates in centers.columns.items()}
    return Placed(classes, reasons, tuple(by), columns | {"count": g.class_weights.tolist()})


def utility(space: MetricSpace, g: Generalization) -> tuple[Measure, ...]:
    """Radii, distances to centers, and the share of squares that is lost."""
    radii, weights = g.details.radii, g.class_weights
    mean = float(radii @ weights / weights.sum())
    mean_distance = float(_distances(space, g) @ space.weights[g.assignment >= 0] / weights.sum())
    unit = f" {space.measure}" if space.measure else ""
    return (
        Measure(
            "radius-largest",
            "Largest radius",
            float(radii.max()),
            f"{short(float(radii.max()))}{unit}",
            "No record is farther from its center than this.",
            "Largest distance of a record from the center that the search found for its cluster.",
        ),
        Measure(
            "radius-of-record",
            f"Cluster radius, averaged over {space.unit}",
            mean,
            f"{short(mean)}{unit}",
            "How large a record's cluster is, on average.",
            f"Radii weighted by {space.unit}.",
        ),
        Measure(
            "distance-mean",
            "Distance to the center",
            mean_distance,
            f"{short(mean_distance)}{unit} on average",
            "How far the center is from a record that it represents, on average.",
            f"Distances weighted by {space.unit}.",
        ),
        _squares(space, g),
    )


def _distances(space: MetricSpace, g: Generalization) -> np.ndarray:
    """(r,) float64: the distance of each point that is not left out from its center as it was found."""
    distances = np.zeros(len(space))
    for members, place, center in zip(
        members_of(g.assignment, g.classes), g.details.places.tolist(), g.details.centers, strict=True
    ):
        distances[members] = space.between(members, [place])[:, 0] if place >= 0 else space.from_center(center, members)
    return distances[g.assignment >= 0]


def _squares(space: MetricSpace, g: Generalization) -> Measure:
    """SSE / SST, around means; for places on the globe by chords."""
    title, meaning = (
        "Information lost",
        "0 % means that clusters reveal each record's exact location, 100 % that their means reveal no more "
        "than the mean of all records.",
    )
    source = (
        "SSE / SST: squared distances to the cluster means, divided by those to the mean of all records "
        "(Domingo-Ferrer, Mateo-Sanz 2002); on the globe, distances are chords."
    )
    spots = space.embedding if space.free else None
    if spots is None:
        words = f"not computed: the metric {space.metric} defines no averages"
        return Measure("squares-lost", title, None, words, meaning, source)
    inside = g.assignment >= 0
    within = sum(_around(spots[members], space.weights[members]) for members in members_of(g.assignment, g.classes))
    total = _around(spots[inside], space.weights[inside])
    share = within / total if total > 0 else 0.0
    return Measure("squares-lost", title, share, f"{number_text(round(100 * share, 9), 4)} %", meaning, source)


def _around(spots: np.ndarray, weights: np.ndarray) -> float:
    if not len(spots):
        return 0.0
    mean = weights @ spots / weights.sum()
    return float(weights @ ((spots - mean) ** 2).sum(axis=1))


# ---------------------------------------------------------------------------------------------------------------------
# Clusters as circles around the released centers; as bars where no plane shows the distances.
# ---------------------------------------------------------------------------------------------------------------------


MOST_CIRCLES = 5_000  # circles that are drawn


def draw_circles(figure: Figure, space: MetricSpace, g: Generalization) -> bool:
    """Outlines of clusters, shaded by how full they are; no record."""
    from matplotlib.collections import PolyCollection

    in_plane = space.metric == "haversine" or (space.metric == "euclidean" and len(space.names) == 2)
    if g.classes > MOST_CIRCLES or not in_plane:
        return draw_bars(figure, space, g)
    rings, owners = _rings(space, g)
    full = g.class_weights / g.k
    corners = np.vstack(rings)
    low, high = corners.min(axis=0), corners.max(axis=0)
    globe = space.metric == "haversine"
    shapes = PolyCollection(rings, facecolors=shades(full)[owners], edgecolor=INK, linewidth=0.6, alpha=0.75)
    edge = 0.02 * np.maximum(high - low, 1e-12)
    axes = shape_axes(figure, shapes, low - edge, high + edge)
    if globe or (space.units == space.units[0]).all():
        true_to_scale(axes, low, high, globe)
    names = ("Longitude", "Latitude") if globe else [drawable(name, 40) for name in space.names]
    axes.set_xlabel(names[0], size=WORDS, color=GRAY)
    axes.set_ylabel(names[1], size=WORDS, color=GRAY)
    title = f"{counted(g.classes, 'cluster')} with at least {g.k:,} {drawable(space.unit, 40)} each"
    caption = "Each circle reaches from the released center to the farthest record; no record is drawn."
    explain(figure, title, caption, full, space.unit)
    return True


def _rings(space: MetricSpace, g: Generalization) -> tuple[list[np.ndarray], np.ndarray]:
    """The outlines of the released circles, and the cluster of each."""
    if space.metric == "haversine":
        parts, owners = shapely.get_parts(circles_frame(space, g).geometry.to_numpy(), return_index=True)
        return [shapely.get_coordinates(shapely.get_exterior_ring(part)) for part in parts], owners
    centers = released_centers(space, g)
    turn = np.linspace(0, 2 * np.pi, 61)
    unit = np.column_stack([np.cos(turn), np.sin(turn)])
    rings = [
        (center + radius * unit) * space.units
        for center, radius in zip(centers.centers, centers.radii.tolist(), strict=True)
    ]
    return rings, np.arange(g.classes)
