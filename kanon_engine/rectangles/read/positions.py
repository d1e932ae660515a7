"""The position of each row of a table or of a file with shapes, and which rows have none that is possible."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput, Remedy
from kanon_engine.io.coordinates import coordinate_columns, crs_name, in_degrees, is_degrees, numbers_of

if TYPE_CHECKING:
    import geopandas

LISTED = 5  # bad rows that a message names
LIMITS = (180.0, 90.0)  # degrees of longitude and latitude


@dataclass(frozen=True)
class Positions:
    """Coordinates of each row, and how to speak of them.

    Attributes
    ----------
    xy : (n, 2) float64 array
        NaN where there are none.
    crs : str or None
    names : (str, str)
        What x and y are called.
    cells : pair of Series, or None
        What stands in the two columns.
    notes : tuple of str
    """

    xy: np.ndarray
    crs: str | None
    names: tuple[str, str]
    cells: tuple[pd.Series, pd.Series] | None
    notes: tuple[str, ...]

    @cached_property
    def beyond(self) -> np.ndarray:
        """(n, 2) bool: degrees that are no longitude or no latitude."""
        if not is_degrees(self.crs):
            return np.zeros(self.xy.shape, dtype=bool)
        return np.abs(self.xy) > LIMITS

    @cached_property
    def bad(self) -> np.ndarray:
        """(n, 2) bool: what is no possible coordinate."""
        return np.isnan(self.xy) | self.beyond


def positions_of(
    frame: pd.DataFrame, columns: list[str], x: str | None, y: str | None, crs: str | None, source_name: str
) -> Positions:
    """Positions from the points of a frame with shapes, or from two columns.

    Raises
    ------
    InvalidInput
        Unknown columns or coordinate system, shapes that are no points.
    """
    given = crs_name(crs)
    if geometry_name(frame) is not None and x is None and y is None:
        xy = _point_coordinates(frame)  # type: ignore[arg-type]
        if not np.isnan(xy).all():
            known = given or crs_name(frame.crs)  # type: ignore[attr-defined]
            return _around_greenwich(Positions(xy, known, ("x", "y"), None, _crs_notes(known)))
        try:
            coordinate_columns(columns, x, y, source_name)
        except InvalidInput as error:
            kinds = ", ".join(sorted(frame.geometry.geom_type.dropna().unique())) or "nothing"  # type: ignore[attr-defined]
            raise InvalidInput(
                f"{source_name} holds shapes of kind {kinds} and no points; load points, or choose the columns x and y."
            ) from error
    across, up = coordinate_columns(columns, x, y, source_name)
    xs, commas_in_x = numbers_of(frame[across])
    ys, commas_in_y = numbers_of(frame[up])
    known = given or ("EPSG:4326" if in_degrees(across, up) else None)
    notes = ("Commas in the coordinates were read as decimal points.",) if commas_in_x or commas_in_y else ()
    cells = (frame[across], frame[up])
    xy = np.column_stack([xs, ys])
    return _around_greenwich(Positions(xy, known, (across, up), cells, notes + _crs_notes(known)))


def westward(longitudes: np.ndarray) -> np.ndarray:
    """Longitudes beyond 180° and up to 360° as those west of Greenwich; exact, as a float64.

    Example
    -------
    >>> westward(np.array([-170.0, 180.0, 190.0, 360.0, 361.0])).tolist()
    [-170.0, 180.0, -170.0, 0.0, 361.0]
    """
    return np.where((longitudes > 180) & (longitudes <= 360), longitudes - 360, longitudes)


def _around_greenwich(positions: Positions) -> Positions:
    """Positions with longitudes from -180° to 180°, where those of the file run from 0° to 360°.

    They do where none is negative and some lie beyond 180°; where some are negative, those beyond are mistakes.
    """
    possible = (np.abs(positions.xy[:, 1]) <= LIMITS[1]) & (positions.xy[:, 0] <= 360)
    longitudes = positions.xy[possible, 0]
    if not is_degrees(positions.crs) or not (longitudes > 180).any() or longitudes.min() < 0:
        return positions
    moved = np.column_stack([np.where(possible, westward(positions.xy[:, 0]), positions.xy[:, 0]), positions.xy[:, 1]])
    beyond = int((longitudes > 180).sum())
    note = f"Longitudes run from 0° to 360°: {beyond:,} beyond 180° are west of Greenwich (190° is −170°)."
    return replace(positions, xy=moved, notes=(*positions.notes, note))


def bad_rows(positions: Positions, source_name: str, drop: bool) -> str:
    """A note on the rows that are left out, or `InvalidInput`; both name the first of them and what is wrong."""
    rows = np.flatnonzero(positions.bad.any(axis=1))
    count = len(positions.xy)
    listing = "; ".join(f"row {row + 1}: {_reason(positions, row)}" for row in rows[:LISTED].tolist())
    if len(rows) > LISTED:
        listing += "; …"
    if drop and len(rows) < count:
        return f"Left out because they have no possible position: {len(rows):,} of {count:,} rows ({listing})."
    if positions.beyond.any() and not (np.abs(positions.xy[:, ::-1]) > LIMITS).any():
        ways = [Remedy("choose x and y the other way round, for they seem to be swapped")]
    else:
        ways = [Remedy("correct them"), *([] if drop else [Remedy("leave them out", "drop_bad", True)])]
    what = f"{source_name} has no possible position in {len(rows):,} of {count:,} rows"
    raise InvalidInput(f"{what} ({listing})", remedy=ways)


def _reason(positions: Positions, row: int) -> str:
    axis = int(np.argmax(positions.bad[row]))
    name = positions.names[axis]
    if positions.beyond[row, axis]:
        return f"{name} is {positions.xy[row, axis]:.10g}, beyond ±{LIMITS[axis]:.0f}"
    if positions.cells is None:
        return "no point"
    cell = positions.cells[axis].iloc[row]
    if pd.isna(cell) or not str(cell).strip():
        return f"{name} is missing"
    return f"{name} is {str(cell)[:30]!r}, no number"


def geometry_name(frame: pd.DataFrame) -> str | None:
    """The column with the shapes, None in a table without."""
    return getattr(frame, "active_geometry_name", None)


def _point_coordinates(frame: geopandas.GeoDataFrame) -> np.ndarray:
    """(n, 2), NaN where a shape is missing, empty or no point; a set of one point is that point."""
    import shapely

    shapes = frame.geometry.to_numpy()
    sets = shapely.get_type_id(shapes) == shapely.GeometryType.MULTIPOINT
    single = sets & (shapely.get_num_geometries(shapes) == 1)
    shapes = np.where(single, shapely.get_geometry(shapes, 0), shapes)
    return np.column_stack([shapely.get_x(shapes), shapely.get_y(shapes)])


def _crs_notes(crs: str | None) -> tuple[str, ...]:
    from pyproj import CRS

    if crs is None:
        return ("No coordinate system is stated: the coordinates are taken as lengths in the plane.",)
    if is_degrees(crs):
        return ()
    return (f"The coordinates are in {CRS.from_user_input(crs).name} ({crs}); the rectangles follow its axes.",)
