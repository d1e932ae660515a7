"""Points from a file: the only parser of the family."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import shapely

from kanon_engine.errors import InvalidInput, Remedy
from kanon_engine.io.cells import describe_bad_cell, describe_bad_rows
from kanon_engine.io.confined import confined
from kanon_engine.io.coordinates import coordinate_columns, crs_name, in_degrees, is_degrees, numbers_of
from kanon_engine.io.geofile import SHAPES, read_rows, read_shapes
from kanon_engine.io.roles import Column, Counts, Roles, resolve
from kanon_engine.io.source import TABLES, Source
from kanon_engine.io.workbook import lists_sheets, with_sheet
from kanon_engine.io.worker import Scene
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.projection import pole_notes, projected, recentered

if TYPE_CHECKING:
    import geopandas


ROLES: Roles = {
    "x": Column(),
    "y": Column(),
    "weight": Counts(
        worst=3, item="point", certain=True, note="The counts were taken from column {}, based on its name."
    ),
    "id": Column(),
}


@confined("file")
@lists_sheets(file="sheet")
def read_points(
    file: Any,
    x: str | None = None,
    y: str | None = None,
    weight: str | None = None,
    *,
    id: str | None = None,
    filename: str | None = None,
    layer: str | None = None,
    drop_bad: bool = False,
    per_record: bool | None = None,
    unit: str | None = None,
    crs: str | None = None,
    project: str | None = None,
    sheet: str | int | None = None,
) -> Points:
    """Points from CSV, Parquet, Excel, GeoJSON, GeoPackage, GeoParquet, FlatGeobuf or a zipped shapefile.

    Parameters
    ----------
    file : path, bytes, readable object or DataFrame
    x, y : str, optional
        Columns of longitude or x, and of latitude or y; columns with a usual name when None. In a file with shapes, its
        points are taken unless columns are chosen or its shapes are not points.
    weight : str, optional
        Column of counts. When None, a column whose name clearly suggests counts (population, count, …) is used; without
        one, every row is one record.
    id : Column of unique ids; the number of the row, from 1, when None.
    filename : How sentences refer to the file.
    layer : Layer of a file with several.
    drop_bad : Leave out rows without a possible position, and say how many, instead of refusing the file.
    per_record : True: every row is one record, whatever the columns are called.
    unit : What the weights count; when None, what the column's name says, or "records" if rows are counted.
    crs : The coordinate system of the coordinates, if the file does not state it.
    project : str, optional
        The coordinate system to cut in, such as "EPSG:5070", or "utm" for the best zone of Universal Transverse
        Mercator. The points are kept in it, and sides are in its meters; downloaded shapes are in longitude and
        latitude again.
    sheet : Which sheet of a workbook, by its name or its number from 1; if None, the first that fits, with a note.

    Returns
    -------
    Points
        `notes` say how the file was read and what was left out. Coordinates stay as in the file unless they are
        projected. Longitudes from 0° to 360° are understood as -180° to 180°; if points lie on both sides of the 180th
        meridian, those beyond it continue from 180° to 360°.

    Raises
    ------
    InvalidInput
        An unsupported kind of file, an unknown column, impossible positions, weights that are not counts, duplicate
        ids, or an unsuitable coordinate system.
    """
    source = with_sheet(Source.open(file, filename), sheet, (x, y, weight, id))
    if source.kind not in (*SHAPES, *TABLES):
        raise source.refuse("a CSV, Parquet, Excel, GeoJSON or GeoPackage file")
    frame, notes = read_rows(source, layer)
    columns = [str(column) for column in frame.columns if column != geometry_name(frame)]
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise InvalidInput(f"{source.name} has two columns named {twice[0]!r}; rename one of them.")
    requested = {"weight": weight, "x": x, "y": y, "id": id}
    roles = resolve(frame[columns], ROLES, requested, source.name, per_record=per_record)
    weight = roles.columns["weight"]
    notes += roles.notes
    places = positions_of(frame, columns, x, y, crs, source.name)
    bad = np.asarray(places.bad.any(axis=1))
    notes += places.notes
    if bad.any():
        notes += (bad_rows(places, source.name, drop_bad),)
    weights, unit, weight_notes = roles.weights(bad, unit, "points")
    notes += weight_notes
    mask = ~bad & (weights > 0)
    if not mask.any():
        raise InvalidInput(f"No point of {source.name} has both a position and {unit}; check column {weight}.")
    ids = roles.ids(mask)
    xy, system = places.xy[mask], places.crs
    oddities: list[str] = []
    # complex numbers are sorted by x, then y, so that equal points are next to each other
    shared = int((np.diff(np.sort(xy[:, 0] + 1j * xy[:, 1])) == 0).sum())
    if shared:
        oddities.append(f"Points at the coordinates of another point: {shared:,}. They stay together.")
    origin = int((xy == 0).all(axis=1).sum())
    if origin and is_degrees(system):
        oddities.append(f"Points at 0°, 0°, where missing positions often end up: {origin:,}.")
    whereabouts: tuple[str, ...] = ()
    if project is not None:
        xy, system, whereabouts = projected(xy, system, project)
    elif is_degrees(system):
        poles = pole_notes(xy)
        xy, whereabouts = recentered(xy)
        whereabouts += poles
    return Points(
        xy,
        weights[mask],
        ids,
        system,
        unit=unit,
        notes=(_summary(xy, weights[mask], weight, unit, places.names, source.counts), *notes, *whereabouts, *oddities),
        reading={"reader": "read_points", "x": x, "y": y, "weight": weight, "id": id, "layer": layer}
        | {"drop_bad": drop_bad, "per_record": weight is None, "unit": unit, "crs": crs, "project": project}
        | source.sheet_read(),
        counted=roles.counted(x, y, id, *places.names),
    )


def _summary(
    xy: np.ndarray, weights: np.ndarray, weight: str | None, unit: str, names: tuple[str, str], counts: str
) -> str:
    whence = "were counted" if weight == counts else f"from column {weight}"
    total = f"{int(weights.sum()):,} {unit} {whence}" if weight else f"each point represents one of the {unit}"
    return f"{len(xy):,} points with coordinates {names[0]}, {names[1]}; {total}."


LIMITS = (180.0, 90.0)  # degrees of longitude and latitude


@dataclass(frozen=True)
class Positions:
    """Coordinates of each row, and how to refer to them."""

    xy: np.ndarray  # (n, 2) float64: NaN if there are none
    crs: str | None
    names: tuple[str, str]  # what x and y are called
    cells: tuple[pd.Series, pd.Series] | None  # the cells of the two columns
    notes: tuple[str, ...]

    @cached_property
    def beyond(self) -> np.ndarray:
        """(n, 2) bool: degrees that are not a longitude or not a latitude."""
        if not is_degrees(self.crs):
            return np.zeros(self.xy.shape, dtype=bool)
        beyond: np.ndarray = np.abs(self.xy) > LIMITS
        return beyond

    @cached_property
    def bad(self) -> np.ndarray:
        """(n, 2) bool: values that are not possible coordinates."""
        bad: np.ndarray = np.isnan(self.xy) | self.beyond
        return bad


def positions_of(
    frame: pd.DataFrame, columns: list[str], x: str | None, y: str | None, crs: str | None, source_name: str
) -> Positions:
    """Positions from the points of a frame with shapes, or from two columns.

    Raises
    ------
    InvalidInput : Unknown columns or coordinate system, or shapes that are not points.
    """
    requested = crs_name(crs)
    if geometry_name(frame) is not None and x is None and y is None:
        xy = _point_coordinates(frame)  # type: ignore[arg-type]
        if not np.isnan(xy).all():
            system = requested or crs_name(frame.crs)  # type: ignore[attr-defined]
            return _around_greenwich(Positions(xy, system, ("x", "y"), None, _crs_notes(system)))
        try:
            coordinate_columns(columns, x, y, source_name)
        except InvalidInput as error:
            kinds = ", ".join(sorted(frame.geometry.geom_type.dropna().unique())) or "nothing"  # type: ignore[attr-defined]
            raise InvalidInput(
                f"{source_name} holds shapes of type {kinds} but no points; load points, or choose the columns x and y."
            ) from error
    across, up = coordinate_columns(columns, x, y, source_name)
    xs, commas_in_x = numbers_of(frame[across])
    ys, commas_in_y = numbers_of(frame[up])
    system = requested or ("EPSG:4326" if in_degrees(across, up) else None)
    notes = ("Commas in the coordinates were read as decimal points.",) if commas_in_x or commas_in_y else ()
    cells = (frame[across], frame[up])
    xy = np.column_stack([xs, ys])
    return _around_greenwich(Positions(xy, system, (across, up), cells, notes + _crs_notes(system)))


def westward(longitudes: np.ndarray) -> np.ndarray:
    """Longitudes beyond 180° and up to 360° as those west of Greenwich; exact, as a float64.

    >>> westward(np.array([-170.0, 180.0, 190.0, 360.0, 361.0])).tolist()
    [-170.0, 180.0, -170.0, 0.0, 361.0]
    """
    return np.where((longitudes > 180) & (longitudes <= 360), longitudes - 360, longitudes)


def _around_greenwich(positions: Positions) -> Positions:
    """Positions with longitudes from -180° to 180°, if those of the file run from 0° to 360°.

    They do if none is negative and some lie beyond 180°. If some are negative, those beyond 180° are mistakes.
    """
    possible = (np.abs(positions.xy[:, 1]) <= LIMITS[1]) & (positions.xy[:, 0] <= 360)
    longitudes = positions.xy[possible, 0]
    if not is_degrees(positions.crs) or not (longitudes > 180).any() or longitudes.min() < 0:
        return positions
    moved = np.column_stack([np.where(possible, westward(positions.xy[:, 0]), positions.xy[:, 0]), positions.xy[:, 1]])
    beyond = int((longitudes > 180).sum())
    note = f"Longitudes run from 0° to 360°: the {beyond:,} beyond 180° are west of Greenwich (190° is −170°)."
    return replace(positions, xy=moved, notes=(*positions.notes, note))


def bad_rows(positions: Positions, source_name: str, drop: bool) -> str:
    """A note on the rows that are left out, or `InvalidInput`; both give the first of them and what is wrong."""
    bad = np.asarray(positions.bad.any(axis=1))
    count, out = len(positions.xy), int(bad.sum())
    listing = describe_bad_rows(bad, partial(_reason, positions))
    if drop and out < count:
        return f"Left out because they have no valid position: {out:,} of {count:,} rows ({listing})."
    if positions.beyond.any() and not (np.abs(positions.xy[:, ::-1]) > LIMITS).any():
        ways = [Remedy("swap x and y, because they seem to be reversed")]
    else:
        ways = [Remedy("correct them"), *([] if drop else [Remedy("leave them out", "drop_bad", True)])]
    what = f"{source_name} has no valid position in {out:,} of {count:,} rows"
    raise InvalidInput(f"{what} ({listing})", remedy=ways)


def _reason(positions: Positions, row: int) -> str:
    axis = int(np.argmax(positions.bad[row]))
    name = positions.names[axis]
    if positions.beyond[row, axis]:
        return f"{name} is {positions.xy[row, axis]:.10g}, beyond ±{LIMITS[axis]:.0f}"
    if positions.cells is None:
        return "not a point"
    return describe_bad_cell(name, positions.cells[axis].iloc[row], "not a number")


def geometry_name(frame: pd.DataFrame) -> str | None:
    """The column with the shapes; None in a table without shapes."""
    return getattr(frame, "active_geometry_name", None)


def _point_coordinates(frame: geopandas.GeoDataFrame) -> np.ndarray:
    """(n, 2), NaN if a shape is missing, empty or not a point; a set of one point is that point."""
    import shapely

    shapes = frame.geometry.to_numpy()
    sets = shapely.get_type_id(shapes) == shapely.GeometryType.MULTIPOINT
    single = sets & (shapely.get_num_geometries(shapes) == 1)
    shapes = np.where(single, shapely.get_geometry(shapes, 0), shapes)
    return np.column_stack([shapely.get_x(shapes), shapely.get_y(shapes)])


def _crs_notes(crs: str | None) -> tuple[str, ...]:
    from pyproj import CRS

    if crs is None:
        return ("No coordinate system is stated, so the coordinates are read as lengths in a plane.",)
    if is_degrees(crs):
        return ()
    return (f"The coordinates are in {CRS.from_user_input(crs).name} ({crs}); the rectangles follow its axes.",)


@confined("file")
def study_area(
    file: Any, filename: str | None = None, *, on_map: bool = True, layer: str | None = None
) -> shapely.Geometry:
    """The union of all areas in a file.

    Parameters
    ----------
    file : path, bytes or readable object
        Areas as GeoJSON, GeoPackage, FlatGeobuf, TopoJSON, GeoParquet or a zipped shapefile.
    filename : How sentences refer to it.
    on_map : Whether the points have a location on Earth; the area is then converted to longitude and latitude.
    layer : The one of a file with several.

    Returns
    -------
    Polygon or MultiPolygon

    Raises
    ------
    InvalidInput : An unsupported kind of file, no areas, or areas without a coordinate system that are not in degrees.
    """
    source = Source.open(file, filename)
    frame, _ = read_shapes(source, layer)
    shapes = frame.geometry
    if on_map and shapes.crs is not None and not is_degrees(shapes.crs):
        shapes = shapes.to_crs("EPSG:4326")
    parts = shapely.get_parts(shapely.make_valid(shapes.to_numpy()[~shapes.isna().to_numpy()]))
    parts = shapely.get_parts(parts)
    parts = parts[(shapely.get_dimensions(parts) == 2) & ~shapely.is_empty(parts)]
    if not len(parts):
        raise InvalidInput(f"{source.name} holds no areas; load the study area as a polygon.")
    area = shapely.union_all(parts)
    west, south, east, north = area.bounds
    if on_map and not (west >= -360 and east <= 360 and south >= -90 and north <= 90):
        raise InvalidInput(
            f"{source.name} does not state its coordinate system and is not in degrees; save it with a coordinate "
            "system, or in longitude and latitude."
        )
    return area


def rehearsal(shapes: Sequence[bytes], tables: Sequence[bytes]) -> Iterator[Scene]:
    """What a worker tries before it reads other people's files, see `kanon_engine.io.worker`: readers with
    arguments."""
    yield study_area, (shapes[0],), {}
    yield read_points, (shapes[0],), {}  # no points: it says so
    for project in (None, "utm", "EPSG:5070"):
        yield read_points, (tables[0], "lon", "lat"), {"project": project, "drop_bad": True, "per_record": True}
