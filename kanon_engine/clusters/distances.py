"""The metrics, how they read columns of points, and how far apart points are: `kanon_engine.verification.metric`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.validate import frozen, told

METRICS = {
    "euclidean": "straight lines between points, in the unit of the columns",
    "haversine": "great circles between longitudes and latitudes, in km",
    "hamming": "the number of columns that differ",
    "gower": "the average of the differences in all columns (numbers or words), each scaled to the range from 0 to 1",
    "precomputed": "a matrix of distances",
}
LARGEST, LEAST = 1e60, 1e-60  # of numbers, and of differences above 0: squares of squares are still floats


@dataclass(frozen=True)
class PointColumns:
    # (n, d) float64: numbers as they are; words as positions in their levels. NaN where a value is missing
    points: np.ndarray
    levels: tuple[tuple[str, ...] | None, ...]  # the words of each column, None for one of numbers
    names: tuple[str, ...]


def columns_of(values: Any, metric: str, names: Any = None) -> PointColumns:
    """The columns of points as the metric uses them, or `InvalidInput` with the first bad value."""
    frame = values if isinstance(values, pd.DataFrame) else pd.DataFrame(_rows(values))
    if names is not None and len(names) != frame.shape[1]:
        raise InvalidInput(f"There are {len(names)} names for {frame.shape[1]} columns; give one name per column.")
    column_names = tuple(str(name) for name in (frame.columns if names is None else names))
    if frame.shape[0] == 0 or frame.shape[1] == 0:
        raise InvalidInput("There are no points; give at least one, with at least one column.")
    if metric == "haversine" and frame.shape[1] != 2:
        raise InvalidInput(f"There are {frame.shape[1]} columns; haversine takes two, longitude and latitude.")
    columns = [_column(frame.iloc[:, place], name, metric) for place, name in enumerate(column_names)]
    points = np.column_stack([column for column, _ in columns]) + 0.0  # -0.0 becomes 0.0: equal points, equal bytes
    good = (np.abs(points) <= (360, 90)).all(axis=1) if metric == "haversine" else np.ones(len(points), dtype=bool)
    if not good.all():
        place = int(np.argmin(good))
        lon, lat = points[place].tolist()
        raise InvalidInput(
            f"Point {place + 1} lies at longitude {lon:g}, latitude {lat:g}, which is not on the globe; check which "
            f"column is which, or choose the metric euclidean."
        )
    return PointColumns(frozen(points), tuple(levels for _, levels in columns), column_names)


def numbered_columns(points: Any, names: Any, levels: Sequence[Sequence[str] | None]) -> PointColumns:
    """Columns that are numbers already, with the words that some of the numbers represent."""
    array = np.array(points, dtype=np.float64)
    words = tuple(None if vocabulary is None else tuple(str(word) for word in vocabulary) for vocabulary in levels)
    if array.ndim != 2 or array.shape[1] != len(words) or names is None or len(names) != len(words):
        raise InvalidInput(
            "The points must be a table with a name and a list of words for each column; an array of shape "
            f"{array.shape} was given."
        )
    for place, vocabulary in enumerate(words):
        if (
            vocabulary is not None
            and not np.isin(array[~np.isnan(array[:, place]), place], np.arange(len(vocabulary))).all()
        ):
            raise InvalidInput(
                f"The numbers in column {names[place]!r} stand for words, so they must be below {len(vocabulary)}, the "
                "number of words in its list; renumber them."
            )
    if (np.abs(array) > LARGEST).any():
        raise InvalidInput(f"The points hold numbers beyond ±{LARGEST:g}; correct them.")
    return PointColumns(frozen(array + 0.0), words, tuple(str(name) for name in names))


def _rows(values: Any) -> list[Any]:
    try:
        rows = values.tolist() if isinstance(values, np.ndarray) else [list(row) for row in values]
    except TypeError as error:
        raise InvalidInput("The points must be rows of values, one row per point.") from error
    if isinstance(values, np.ndarray) and values.ndim != 2:
        raise InvalidInput(
            f"The points are an array of shape {values.shape}; they must be rows of values, one row per point."
        )
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        odd = next(place for place, row in enumerate(rows) if len(row) != len(rows[0]))
        raise InvalidInput(
            f"Point {odd + 1} has {len(rows[odd])} values, but the first point has {len(rows[0])}; all need the same "
            "number."
        )
    return list(rows)


def _column(values: pd.Series, name: str, metric: str) -> tuple[np.ndarray, tuple[str, ...] | None]:
    """Numbers, or positions of words and the words."""
    if metric == "hamming" or (metric == "gower" and not _numeric(values)):
        words = [None if pd.isna(value) else str(value) for value in values.tolist()]
        levels = tuple(sorted({word for word in words if word is not None}))
        numbered = {word: float(number) for number, word in enumerate(levels)}
        return np.array([np.nan if word is None else numbered[word] for word in words]), levels
    try:
        numbers = pd.to_numeric(values).to_numpy(np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        wrong = next((value for value in values.tolist() if not _is_number(value)), None)
        raise InvalidInput(
            f"Column {name!r} holds {told(wrong)}, which is not a number; leave it out or choose the metric gower."
        ) from error
    good = np.abs(numbers) <= LARGEST
    if metric == "gower":
        good |= np.isnan(numbers)
    if not good.all():
        place = int(np.argmin(good))
        flaw = f"is beyond ±{LARGEST:g}; correct it, or divide the whole column by a constant"
        if np.isnan(numbers[place]):
            flaw = "is missing; leave the row out or choose the metric gower"
        raise InvalidInput(f"The value of column {name!r} at point {place + 1} {flaw}.")
    return numbers, None


def _numeric(values: pd.Series) -> bool:
    if pd.api.types.is_bool_dtype(values):
        return False
    return pd.api.types.is_numeric_dtype(values) or all(_is_number(value) for value in values.dropna().tolist())


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool | np.bool_)


def require_distinguishable(points: np.ndarray, names: Sequence[str]) -> None:
    """Raise `InvalidInput` where two numbers of a column differ by so little that the square is lost."""
    for column, name in zip(points.T, names, strict=True):
        near = np.unique(column[np.abs(column) < LEAST * 2**53])  # other floats differ by more
        close = np.flatnonzero(np.diff(near) < LEAST)
        if len(close):
            low, high = near[close[0] : close[0] + 2].tolist()
            raise InvalidInput(
                f"Column {name!r} holds {low:g} and {high:g}, which are too close to measure the distance between "
                f"them; round the column, or multiply it so that no two values are closer than {LEAST:g}."
            )


def checked_matrix(values: Any, triangle: bool) -> np.ndarray:
    """(n, n) float64 distances, or `InvalidInput` with the first invalid entry."""
    try:
        matrix = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            "The distances must be a square matrix of numbers; at least one entry is not a number."
        ) from error
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) == 0:
        raise InvalidInput(
            f"The distances are an array of shape {matrix.shape}; give a square matrix with one row per point."
        )
    wrong = ~np.isfinite(matrix) | (matrix < 0) | (matrix != matrix.T)
    wrong[np.diag_indices(len(matrix))] |= np.diag(matrix) != 0
    if wrong.any():
        i, j = (int(place) for place in np.unravel_index(np.argmax(wrong), wrong.shape))
        raise InvalidInput(
            f"The distance from point {i + 1} to point {j + 1} is {matrix[i, j]:g} and in the other direction "
            f"{matrix[j, i]:g}; distances must be at least 0, the same in both directions, and 0 from a point to "
            "itself."
        )
    beyond = (matrix > LARGEST) | ((matrix > 0) & (matrix < LEAST))
    if beyond.any():
        i, j = (int(place) for place in np.unravel_index(np.argmax(beyond), beyond.shape))
        raise InvalidInput(
            f"The distance from point {i + 1} to point {j + 1} is {matrix[i, j]:g}; distances above 0 must be between "
            f"{LEAST:g} and {LARGEST:g}; choose another unit or correct it."
        )
    forgiven = 1e-12 * float(matrix.max())  # as rounding
    for middle in range(len(matrix) if triangle else 0):
        longer = matrix > matrix[:, middle, None] + matrix[middle] + forgiven
        if longer.any():
            i, j = (int(place) for place in np.unravel_index(np.argmax(longer), longer.shape))
            raise InvalidInput(
                f"The distance from point {i + 1} to point {j + 1} is {matrix[i, j]:g}, but only "
                f"{matrix[i, middle] + matrix[middle, j]:g} through point {middle + 1}, so the matrix is not a metric. "
                f"Use shortest paths instead."
            )
    return frozen(matrix + 0.0)
