"""What of clusters leaves as a file: centers, sizes, radii and the values of columns that a person named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.released import MISSING, ShownCenters, shown_centers
from kanon_engine.errors import InvalidInput
from kanon_engine.io.roles import SENSITIVE, plain_name
from kanon_engine.model.generalization import Generalization, members_of
from kanon_engine.model.words import cell_text, counted
from kanon_engine.release import groups_frame
from kanon_engine.release.made import free_name, groups_released, require_no_columns
from kanon_engine.release.publication import Offered, groups_offered, shapes_offered
from kanon_engine.release.released import Released
from kanon_engine.validate import known_column

if TYPE_CHECKING:
    import geopandas
    from plotly import graph_objects as go

CENTERS = (
    "Each center was made anew from its records, rounded to a small part of its radius and kept off their places; the "
    "radius was worked out again and rounded up."
)
TYPICAL = (
    "A center has the commonest word and the middle of the numbers of each column, which can be what one record has; "
    "its radius says how far a record can be from it."
)
SCALED = " Radii are of scaled columns, centers in the unit of each column."
AT_CENTER = " Where a radius is 0, all records of the cluster are at its center."
NO_CENTERS = "A matrix of distances has no centers to tell."
AS_FOUND = (
    "Internal: the centers as they were found, which may be records of their own, and their exact radii. Keep it where "
    "the records are kept."
)

OF_SHAPES = {"geometry", "geom", "fid"}  # columns of files with shapes, in which upper and lower case are the same


def files(space: MetricSpace, g: Generalization, **surroundings: Any) -> list[Offered]:
    """The clusters with their centers, the values of columns that were named, and the centers as found."""
    told = CENTERS if space.free else TYPICAL if space.names else NO_CENTERS
    if len(space.names) and (g.details.radii == 0).any():
        told += AT_CENTER
    if (space.units != 1).any():
        told += SCALED
    contents = f"Center, radius and size of every cluster. {told}{_left_out(space, g)}{_kept_words(space)}"
    made = [groups_offered(g, contents, True, lambda: clusters_frame(space, g))]
    if space.metric == "haversine":
        words = "The circle of every cluster, with the same centers and radii."
        made.append(shapes_offered(g, words, True, lambda: circles_frame(space, g)))
    if len(space.frame.columns):
        words = f"How many records of each cluster have each value of {_named(space)}.{_left_out(space, g)}"
        made.append(Offered("values", "Values", words, "values", True, lambda: values_frame(space, g)))
    return [*made, Offered("centers", "Centers as found", AS_FOUND, "centers", False, lambda: found_frame(space, g))]


def frame(space: MetricSpace, g: Generalization, keep: Sequence[str] = ()) -> pd.DataFrame:
    """What may leave as a frame: circles on the globe, else the clusters."""
    return circles_frame(space, g) if space.metric == "haversine" else clusters_frame(space, g)


def released(
    space: MetricSpace, g: Generalization, keep: Sequence[str] | None = None, sensitive: Sequence[str] | None = None
) -> Released:
    """The clusters with their centers; where columns are kept, each point with them, and how many records it is."""
    kept = [str(name) for name in space.frame.columns] if keep is None else list(map(str, keep))
    for name in kept:
        known_column(list(map(str, space.frame.columns)), name, "columns to keep")
    shown = shown_centers(space, g)
    radius = "radius" + (f"_{space.measure}" if space.measure else "")
    apart = {radius: shown.radii} | {f"center_{name}": values for name, values in shown.columns.items()}
    groups = groups_released(space, g, apart)
    if not kept:
        require_no_columns("clusters without kept columns", (), sensitive)
        return groups
    inside = np.flatnonzero(g.assignment >= 0)
    rows = groups.frame.iloc[g.assignment[inside]].reset_index(drop=True)
    rows["weight"] = space.weights[inside]
    called = {}
    for place, name in enumerate(map(str, space.frame.columns)):
        if name in kept:
            called[name] = unused_name(name, rows)
            rows[called[name]] = [cell_text(cell) or MISSING for cell in space.frame.iloc[inside, place].astype(object)]
    told = [name for name in kept if plain_name(name) in SENSITIVE] if sensitive is None else list(map(str, sensitive))
    for name in told:
        known_column(kept, name, "sensitive columns")
    rows = rows.sort_values(["group", *called.values(), "weight"], kind="stable").reset_index(drop=True)
    return replace(groups, frame=rows, sensitive=tuple(called[name] for name in told))


def private(space: MetricSpace, g: Generalization, frame: pd.DataFrame) -> str:
    """A record of a cluster at its center, where the records are at several places; "" where none is."""
    names = [f"center_{name}" for name in space.names]
    if not space.free or not set(names) <= set(frame.columns):
        return ""
    centers = frame[names].to_numpy(dtype=np.float64)
    places = space.points * space.units
    for number, own in enumerate(members_of(g.assignment, g.classes)):
        inside = places[own]
        if (inside == centers[number]).all(axis=1).any() and (inside != inside[0]).any():
            return f"the place of a record, as the center of group {number + 1:,}"
    return ""


def picture(space: MetricSpace, g: Generalization, **surroundings: Any) -> go.Figure:
    """The circles without points, around the centers that leave."""
    from kanon_engine.clusters.plot import clusters_figure

    if not _drawn(space):
        raise InvalidInput("Distances of these columns are true in no plane: a picture would be of the records.")
    return clusters_figure(space, _as_shown(space, g), exact=False, **surroundings)


def pictured(space: MetricSpace, g: Generalization, **surroundings: Any) -> tuple[str, bool]:
    """What is in the picture, and whether it may be published."""
    if not _drawn(space):
        return "There is none: distances of these columns are true in no plane.", False
    return "Circles alone, with the same centers and radii; no point.", True


def clusters_frame(space: MetricSpace, g: Generalization) -> pd.DataFrame:
    """One row a cluster: group, weight, unit, radius, the columns of its center, and the values of columns to show.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> illness = pd.DataFrame({"illness": ["flu", "flu", "hypertension", "flu", "cold"]})
    >>> places = [(30, 10), (32, 10), (50, 23), (50, 20), (50, 17)]
    >>> space = MetricSpace(places, names=["age", "place"], frame=illness)
    >>> clusters_frame(space, kanon.generalize(space, 2)).drop(columns=["unit", "overfull_ratio"])
       group  weight  radius  center_age  center_place                  illness
    0      1       2    1.00       31.00          10.0                    flu 2
    1      2       3    3.01       50.01          20.0  cold, flu, hypertension
    """
    return _frame(space, g, shown_centers(space, g))


def _frame(space: MetricSpace, g: Generalization, shown: ShownCenters) -> pd.DataFrame:
    made = groups_frame(space, g).drop(columns="items")
    made["radius" + (f"_{space.measure}" if space.measure else "")] = shown.radii
    for name, values in shown.columns.items():
        made[f"center_{name}"] = values
    for name in space.frame.columns:
        made[unused_name(str(name), made)] = [_told(counts) for counts in _values(space, g, name)]
    return made


def unused_name(name: str, made: pd.DataFrame) -> str:
    """What a kept column is called where the release has a column of its own of that name."""
    return free_name(name, [*made.columns, *OF_SHAPES])


def circles_frame(space: MetricSpace, g: Generalization) -> geopandas.GeoDataFrame:
    """The clusters of places on the globe with their circles, in longitude and latitude."""
    import geopandas
    import shapely

    from kanon_engine.clusters.plot.circles import globe_circles

    shown = shown_centers(space, g)
    outlines = globe_circles(shown.centers, shown.radii)
    shapes = [
        shapely.MultiPolygon([shapely.Polygon(part[0], part[1:]) for part in outline]).normalize()
        for outline in outlines
    ]
    return geopandas.GeoDataFrame(_frame(space, g, shown), geometry=shapes, crs="EPSG:4326")


def values_frame(space: MetricSpace, g: Generalization) -> pd.DataFrame:
    """One row a cluster, column and value: how many records have it; sorted, so that no order of the file is in it."""
    rows = [
        (number + 1, str(name), value, count)
        for name in space.frame.columns
        for number, counts in enumerate(_values(space, g, name))
        for value, count in _sorted(counts)
    ]
    return pd.DataFrame(rows, columns=["group", "column", "value", "records"])


def found_frame(space: MetricSpace, g: Generalization) -> pd.DataFrame:
    """The centers as they were found: internal."""
    places = g.details.places.tolist()
    made = pd.DataFrame(
        {
            "group": np.arange(1, g.classes + 1),
            "center_id": [space.label(place) if place >= 0 else "" for place in places],
            "radius": g.details.radii,
        }
    )
    for column, values in enumerate(g.details.centers.T):
        made[f"center_{space.names[column]}"] = values * space.units[column]
    return made


def _drawn(space: MetricSpace) -> bool:
    return space.metric == "haversine" or (space.metric == "euclidean" and len(space.names) == 2)


def _as_shown(space: MetricSpace, g: Generalization) -> Generalization:
    shown = shown_centers(space, g)
    places = np.full(g.classes, -1, dtype=np.int64)
    return replace(g, details=replace(g.details, places=places, centers=shown.centers, radii=shown.radii))


def _values(space: MetricSpace, g: Generalization, name: Any) -> list[Counter[str]]:
    """Of each class how many records have each value of a column."""
    found: list[Counter[str]] = [Counter() for _ in range(g.classes)]
    cells = space.frame[name].astype(object).tolist()
    for own, cell, weight in zip(g.assignment.tolist(), cells, space.weights.tolist(), strict=True):
        if own >= 0:
            found[own][cell_text(cell) or MISSING] += weight
    return found


def _sorted(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _told(counts: Counter[str]) -> str:
    return ", ".join(value if count == 1 else f"{value} {count:,}" for value, count in _sorted(counts))


def _named(space: MetricSpace) -> str:
    return ", ".join(f"“{name}”" for name in space.frame.columns)


def _kept_words(space: MetricSpace) -> str:
    return f" The values of {_named(space)} stand beside, as they are." if len(space.frame.columns) else ""


def _left_out(space: MetricSpace, g: Generalization) -> str:
    out = space.total - int(g.class_weights.sum())
    return f" Left out: {counted(out, space.unit.removesuffix('s'))}." if out else ""
