"""The position of each row of a table or of a file with shapes, and which rows have none that is possible."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput, Remedy
from kanon_engine.io.coordinates import coordinate_columns, in_degrees, numbers_of
from kanon_engine.io.crs import crs_name, is_degrees

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
            return Positions(xy, known, ("x", "y"), None, _crs_notes(known))
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
    return Positions(np.column_stack([xs, ys]), known, (across, up), cells, notes + _crs_notes(known))


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
