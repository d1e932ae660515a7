"""Which columns hold coordinates, and text as coordinates."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.io.column_names import words_of
from kanon_engine.validate import known_column

# plain lower-case names as people write them in English, German, French and Spanish
LONGITUDE = {"lon", "long", "lng", "longitude", "longitud", "intptlon", "intptlong"}
LONGITUDE |= {"laenge", "lange", "laengengrad", "langengrad"}
LATITUDE = {"lat", "latitude", "latitud", "intptlat", "breite", "breitengrad"}
X = {"x", "xcoord", "xcoordinate", "easting", "eastings", "rechtswert", "ostwert", "abscisse", "este"}
Y = {"y", "ycoord", "ycoordinate", "northing", "northings", "hochwert", "nordwert", "ordonnee", "norte"}


def coordinate_columns(columns: Iterable[str], x: str | None, y: str | None, source_name: str) -> tuple[str, str]:
    """The columns of x (longitude) and y (latitude): those chosen, or those with a usual name.

    Raises
    ------
    InvalidInput
        No such column, none recognised, several candidates; the text lists the columns.

    Example
    -------
    >>> coordinate_columns(["id", "centroid_lat", "centroid_lon"], None, None, "a.csv")
    ('centroid_lon', 'centroid_lat')
    """
    columns = list(columns)
    if x is not None:
        x = known_column(columns, x, "x coordinate or longitude")
    if y is not None:
        y = known_column(columns, y, "y coordinate or latitude")
    if x is not None and y is not None:
        if x == y:
            raise InvalidInput(f"Column {x!r} was chosen both for x and for y; choose two columns.")
        return x, y
    for across, up in ((LONGITUDE, LATITUDE), (X, Y)):
        for fits in (_is_called, _ends_or_begins_with):
            xs = [x] if x is not None else [column for column in columns if fits(column, across) and column != y]
            ys = [y] if y is not None else [column for column in columns if fits(column, up) and column != x]
            if len(xs) == len(ys) == 1:
                return xs[0], ys[0]
            if xs and ys:
                listing = ", ".join([*xs, *ys])
                raise InvalidInput(f"{source_name} has several columns that may be x and y ({listing}); choose them.")
    listing = ", ".join(columns) or "none"
    raise InvalidInput(f"{source_name} has no columns with a usual name for x and y; choose them among: {listing}.")


def in_degrees(x: str, y: str) -> bool:
    """Whether the names say longitude and latitude."""
    return any(fits(x, LONGITUDE) and fits(y, LATITUDE) for fits in (_is_called, _ends_or_begins_with))


def _is_called(name: str, names: set[str]) -> bool:
    return "".join(words_of(name)) in names


def _ends_or_begins_with(name: str, names: set[str]) -> bool:
    words = words_of(name)
    return bool(words) and (words[-1] in names or words[0] in names)


def numbers_of(column: pd.Series) -> tuple[np.ndarray, bool]:
    """A column as numbers, NaN where it holds none, and whether decimal commas were understood.

    Example
    -------
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
