"""Find columns with coordinates, and read text as coordinates."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import shapely

from kanon_engine.errors import InvalidInput
from kanon_engine.io.names import words_of
from kanon_engine.validate import require_known_name

# plain lower-case names that people use in English, German, French and Spanish
LONGITUDE = {"lon", "long", "lng", "longitude", "longitud", "intptlon", "intptlong"}
LONGITUDE |= {"laenge", "lange", "laengengrad", "langengrad"}
LATITUDE = {"lat", "latitude", "latitud", "intptlat", "breite", "breitengrad"}
X = {"x", "xcoord", "xcoordinate", "easting", "eastings", "rechtswert", "ostwert", "abscisse", "este"}
Y = {"y", "ycoord", "ycoordinate", "northing", "northings", "hochwert", "nordwert", "ordonnee", "norte"}


def coordinate_columns(columns: Iterable[str], x: str | None, y: str | None, source_name: str) -> tuple[str, str]:
    """The columns of x (longitude) and y (latitude): the chosen ones, or those with a usual name.

    Raises `InvalidInput`: no such column, none recognized, several candidates; the text lists the columns.

    >>> coordinate_columns(["id", "centroid_lat", "centroid_lon"], None, None, "a.csv")
    ('centroid_lon', 'centroid_lat')
    """
    columns = list(columns)
    if x is not None:
        x = require_known_name(columns, x, "x coordinate or longitude")
    if y is not None:
        y = require_known_name(columns, y, "y coordinate or latitude")
    if x is not None and y is not None:
        if x == y:
            raise InvalidInput(f"Column {x!r} was chosen for both x and y; choose two columns.")
        return x, y
    for across, up in ((LONGITUDE, LATITUDE), (X, Y)):
        for fits in (_is_called, _ends_or_begins_with):
            xs = [x] if x is not None else [column for column in columns if fits(column, across) and column != y]
            ys = [y] if y is not None else [column for column in columns if fits(column, up) and column != x]
            if len(xs) == len(ys) == 1:
                return xs[0], ys[0]
            if xs and ys:
                listing = ", ".join([*xs, *ys])
                raise InvalidInput(f"{source_name} has several columns that may be x and y ({listing}); choose two.")
    listing = ", ".join(columns) or "none"
    raise InvalidInput(f"{source_name} has no columns with a usual name for x and y; choose them from: {listing}.")


def in_degrees(x: str, y: str) -> bool:
    return any(fits(x, LONGITUDE) and fits(y, LATITUDE) for fits in (_is_called, _ends_or_begins_with))


def _is_called(name: str, names: set[str]) -> bool:
    return "".join(words_of(name)) in names


def _ends_or_begins_with(name: str, names: set[str]) -> bool:
    words = words_of(name)
    return bool(words) and (words[-1] in names or words[0] in names)


def numbers_of(column: pd.Series) -> tuple[np.ndarray, bool]:
    """A column as numbers, NaN if a cell is not a number, and whether decimal commas were read.

    >>> numbers_of(pd.Series(["48,5", " 7.25", "1,234.5", "n/a"]))
    (array([  48.5 ,    7.25, 1234.5 ,     nan]), True)
    """
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        values = column.to_numpy(dtype="float64", na_value=np.nan)
        return np.where(np.isfinite(values), values, np.nan), False
    text = column.astype("string").str.strip().str.replace("\u2212", "-")
    grouped = text.str.fullmatch(r"[+-]?\d{1,3}(,\d{3})+\.\d*").fillna(False).astype(bool)
    text = text.where(~grouped, text.str.replace(",", ""))
    continental = text.str.fullmatch(r"[+-]?(\d{1,3}(\.\d{3})+|\d*),\d+").fillna(False).astype(bool)
    text = text.where(~continental, text.str.replace(".", "", regex=False).str.replace(",", "."))
    values = pd.to_numeric(text, errors="coerce").to_numpy(dtype="float64", na_value=np.nan)
    return np.where(np.isfinite(values), values, np.nan), bool(continental.any())


# ---------------------------------------------------------------------------------------------------------------------
# Coordinate systems: one name for each, and whether its unit is degrees.
# ---------------------------------------------------------------------------------------------------------------------


ELSEWHERE = re.compile(r"grids|init\s*=|parameterfile|://|^\s*[/\\~.{]", re.IGNORECASE)  # what PROJ would open


def crs_name(crs: Any) -> str | None:
    """Authority and code, as "EPSG:4326", or the text that defines it; None for None."""
    from pyproj import CRS
    from pyproj.exceptions import CRSError

    if crs is None:
        return None
    try:
        system = CRS.from_user_input(crs)
    except CRSError as error:
        raise InvalidInput(f"The coordinate system {crs!r} is not known; give one such as “EPSG:4326”.") from error
    authority = system.to_authority()
    return ":".join(authority) if authority else system.to_string()


def is_degrees(crs: str | None) -> bool:
    """Whether coordinates are longitude and latitude."""
    from pyproj import CRS

    return crs is not None and bool(CRS.from_user_input(crs).is_geographic)


def names_a_file(crs: Any) -> str:
    """The problem with an untrusted name of a system, because reading it could open a file; "" if there is none.

    >>> names_a_file("EPSG:4326"), names_a_file("+proj=utm +nadgrids=/etc/passwd")
    ('', 'refers to a file, so it is not a coordinate system by itself')
    """
    fine = crs is None or (isinstance(crs, str | int) and not ELSEWHERE.search(str(crs)))
    return "" if fine else "refers to a file, so it is not a coordinate system by itself"


EQUAL_AREA = "EPSG:6933"  # cylindrical, for the whole ellipsoid: areas are true everywhere
SQUARE_KM = 1e6


def meters(lines: np.ndarray, crs: Any) -> np.ndarray | None:
    """The length of each line, on the ellipsoid if coordinates are degrees; None without a coordinate system.

    Parameters
    ----------
    lines : (n,) array of lines, or of collections with lines
    crs : pyproj.CRS or None

    >>> from pyproj import CRS
    >>> meters(shapely.linestrings([[(0, 0), (0, 1)]]), CRS("EPSG:4326")).round().tolist()
    [110574.0]
    """
    if crs is None:
        return None
    if not is_degrees(crs):
        return shapely.length(lines) * crs.axis_info[0].unit_conversion_factor
    pieces, owner = shapely.get_parts(lines, return_index=True)
    strings = shapely.get_type_id(pieces) == shapely.GeometryType.LINESTRING
    points, string = shapely.get_coordinates(pieces[strings], return_index=True)
    steps = string[1:] == string[:-1]  # not from the end of one line to the start of the next
    start, end = points[:-1][steps], points[1:][steps]
    lengths = crs.get_geod().inv(start[:, 0], start[:, 1], end[:, 0], end[:, 1])[2]
    return np.bincount(owner[strings][string[1:][steps]], lengths, minlength=len(lines))


def square_kilometers(shapes: np.ndarray, crs: Any) -> np.ndarray | None:
    """(n,) float64: the area of each shape in an equal-area projection; None without a coordinate system.

    Parameters
    ----------
    shapes : (n,) array of polygons and multipolygons. Longitudes from -180 to 180.
    crs : pyproj.CRS, text, or None

    >>> from pyproj import Geod
    >>> box = shapely.box(10, 50, 11, 51)
    >>> whole = abs(Geod(ellps="WGS84").geometry_area_perimeter(shapely.segmentize(box, 0.001))[0]) / 1e6
    >>> float(round(square_kilometers(np.array([box]), "EPSG:4326")[0] / whole, 4))
    1.0
    """
    if crs is None:
        return None
    from pyproj import Transformer

    change = Transformer.from_crs(crs, EQUAL_AREA, always_xy=True)
    flat = shapely.transform(shapes, lambda places: np.column_stack(change.transform(*places.T)))
    return np.asarray(shapely.area(flat)) / SQUARE_KM
