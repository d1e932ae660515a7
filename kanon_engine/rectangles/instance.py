"""Points in the plane with record counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.io.coordinates import crs_name, is_degrees
from kanon_engine.io.counts import Counted
from kanon_engine.model.serialize import content_digest
from kanon_engine.shown import Shown
from kanon_engine.validate import frozen, ids_or_positions, length_of, require_total, second_counts, whole_numbers


@dataclass(frozen=True)
class RectangleDetails:
    """Rectangles that tile the bounding box, and how they were cut.

    A rectangle holds the points with xmin <= x < xmax and ymin <= y < ymax; at the upper sides of the bounding box
    also those on the side itself.
    """

    rectangles: np.ndarray  # (m, 4) float64: xmin, ymin, xmax, ymax of each class, in the unit of the coordinates
    # (m - 1, 3) float64: the cuts in their order: which rectangle (0 is the bounding box; cut number i, from 0, makes
    # rectangles 2 i + 1 on the low and 2 i + 2 on the high side), across which axis (0: at an x, 1: at a y), and where.
    # A point on the line belongs to the high side. None, (0, 3), for a tiling that no cuts from side to side make
    splits: np.ndarray
    cut: str  # the rule that chose the cuts; the algorithm's name if it has none


@dataclass(frozen=True, eq=False, repr=False)
class Points(Shown):
    """Points with whole, positive weights (Du et al. 2009, section 3).

    Parameters
    ----------
    xy : (n, 2) finite float64. Longitude and latitude, or x and y in any unit.
    weights : (n,) whole numbers > 0, optional. Records at each point; 1 each when None.
    ids : (n,) text or whole numbers, unique, optional. Positions when None.
    crs : str, optional. The coordinate system, as "EPSG:4326" for longitude and latitude.
    columns : mapping of str to (n,) whole numbers >= 0, optional
        Other counts at each point, such as households, for `Minimum`.
    unit : str. What the weights count.
    notes : tuple of str. How the data was read, and anything unusual.
    reading : mapping. How the data was read, to read it again.
    counted : Counted, optional. What a reader took for the weights.

    Raises
    ------
    InvalidInput : Empty, coordinates missing or infinite, weights below 1, fractional or missing, ids twice or missing.

    >>> points = Points([(0, 0), (1, 0), (1, 0)], [2, 1, 4], unit="people")
    >>> points.total, points.locations.tolist(), points.location_weights.tolist()
    (7, [0, 1, 1], [2, 5])
    """

    xy: np.ndarray
    weights: np.ndarray = None  # type: ignore[assignment]
    ids: np.ndarray = None  # type: ignore[assignment]
    crs: str | None = None
    columns: Mapping[str, np.ndarray] = field(default_factory=dict, kw_only=True, repr=False)
    unit: str = field(default="records", kw_only=True)
    notes: tuple[str, ...] = field(default=(), kw_only=True)
    reading: Mapping[str, Any] = field(default_factory=dict, kw_only=True, repr=False)
    counted: Counted | None = field(default=None, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        xy = _coordinates(self.xy)
        count = len(xy)
        ids = ids_or_positions(self.ids, count)
        weights = np.ones(count, dtype=np.int64) if self.weights is None else self.weights
        if length_of(weights, "weights") != count:
            raise InvalidInput(f"There are {len(weights)} weights for {count} points; give one weight per point.")
        good = isinstance(weights, np.ndarray) and weights.dtype.kind in "iu" and bool((weights >= 1).all())
        places = None if good or self.ids is None else [f"point {name}" for name in ids]
        if self.crs is not None:
            object.__setattr__(self, "crs", crs_name(self.crs))
        object.__setattr__(self, "xy", xy)
        object.__setattr__(self, "weights", whole_numbers(weights, "weights", 1, places))
        object.__setattr__(self, "ids", ids)
        columns = second_counts(self.columns, [f"point {name}" for name in ids]) if self.columns else {}
        object.__setattr__(self, "columns", columns)

    def _facts(self) -> dict[str, object]:
        return {"points": len(self), self.unit: self.total, "crs": self.crs or "none"}

    def __len__(self) -> int:
        return len(self.xy)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over `parts`."""
        return content_digest(**self.parts)

    @property
    def parts(self) -> dict[str, Any]:
        """Coordinates, weights, ids, coordinate system, unit, and columns, where there are any; not the file."""
        more = {"columns": self.columns} if self.columns else {}
        return {name: getattr(self, name) for name in ("xy", "weights", "ids", "crs", "unit")} | more

    @cached_property
    def total(self) -> int:
        """Sum of all weights."""
        return int(self.weights.sum())

    @cached_property
    def box(self) -> np.ndarray:
        """(4,) float64: xmin, ymin, xmax, ymax of the bounding box that the rectangles tile.

        The smallest that holds all points; only if the largest coordinate is the very next floating-point number after
        another point's, the side moves out by one such step to leave room for a line between the two.
        """
        low, high = self.xy.min(axis=0), self.xy.max(axis=0)
        for axis in range(2):
            if (self.xy[:, axis] == np.nextafter(high[axis], -np.inf)).any():
                high[axis] = np.nextafter(high[axis], np.inf)
        return frozen(np.concatenate([low, high]))

    @cached_property
    def locations(self) -> np.ndarray:
        """(n,) int64: points with equal coordinates share a number, numbered from low to high x, then y."""
        x, y = self.xy.T
        order = along_lines(x, y)
        numbers = np.empty(len(self), dtype=np.int64)
        numbers[order[0]] = 0
        numbers[order[1:]] = np.cumsum((x[order[1:]] != x[order[:-1]]) | (y[order[1:]] != y[order[:-1]]))
        numbers.setflags(write=False)
        return numbers

    @cached_property
    def location_weights(self) -> np.ndarray:
        """(locations,) int64: total weight of the points at each location."""
        return frozen(np.bincount(self.locations, weights=self.weights).astype(np.int64))  # exact below 2^53

    @cached_property
    def geographic(self) -> bool:
        """Whether the coordinates are longitude and latitude in degrees."""
        return is_degrees(self.crs)

    def label(self, position: int) -> str:
        """What a person calls the point at a position."""
        return str(self.ids[position])

    def require_feasible(self, k: int) -> None:
        """Raise `Infeasible` unless all points together weigh at least k; then one rectangle holds them all."""
        require_total(self.total, k, self.unit)


def along_lines(lines: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Positions in the order of lines, then of places on a line; fast where few points share a line."""
    order = np.argsort(lines)
    same = lines[order[1:]] == lines[order[:-1]]
    shared = np.flatnonzero(np.append(same, False) | np.append(False, same))
    members = order[shared]
    order[shared] = members[np.lexsort((places[members], lines[members]))]
    return order


def _coordinates(values: Any) -> np.ndarray:
    """Read-only (n, 2) float64, row after row; -0.0 becomes 0.0, so that equal coordinates have equal bytes."""
    try:
        xy = np.array(values if len(values) else np.empty((0, 2)), dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InvalidInput("The coordinates must be pairs of numbers x, y; at least one is not.") from error
    if xy.ndim != 2 or xy.shape[1] != 2:
        raise InvalidInput(f"The coordinates are an array of shape {xy.shape}; they must be pairs x, y, one per point.")
    if len(xy) == 0:
        raise InvalidInput("There are no points; give at least one.")
    xy += 0.0
    with np.errstate(over="ignore"):
        good = np.isfinite(np.nextafter(xy, np.copysign(np.inf, xy))).all(axis=1)
    if not good.all():
        place = int(np.argmin(good))
        x, y = xy[place].tolist()
        raise InvalidInput(f"The coordinates of point {place + 1} are {x}, {y}; they must be finite numbers.")
    xy.setflags(write=False)
    return xy
