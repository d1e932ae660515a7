"""Records in a metric space: points, the distances between them, and how many records each represents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from kanon_engine.clusters.distances import (
    LARGEST,
    LEAST,
    METRICS,
    checked_matrix,
    columns_of,
    numbered_columns,
    require_distinguishable,
)
from kanon_engine.errors import InvalidInput
from kanon_engine.io.counts import Counted
from kanon_engine.model.serialize import content_digest
from kanon_engine.shown import Shown
from kanon_engine.validate import frozen, ids_or_positions, length_of, require_total, told, whole_numbers
from kanon_engine.verification.codec import from_memory
from kanon_engine.verification.metric import EVERY, GRID, Space

if TYPE_CHECKING:
    from scipy.spatial import cKDTree


@dataclass(frozen=True)
class ClusterDetails:
    """Centers and radii of the classes, and the course of the search."""

    # (m,) int64: position of each class's center among the points; -1 for a center that is not a point
    places: np.ndarray
    # (m, d) float64: coordinates of the centers, as in `MetricSpace.points`; (m, 0) in a space without free centers
    centers: np.ndarray
    # (m,) float64: largest distance of a member from the center; rounded up to six digits where the center is none of
    # the points
    radii: np.ndarray
    # (p, q) float64: what the witness of the bound needs besides positions; its meaning depends on the bound's name
    prices: np.ndarray
    # (s, 3) float64: the course of the search: steps, best cost and proven lower bound after these. The last row is
    # the result
    curve: np.ndarray


@dataclass(frozen=True, eq=False, repr=False, init=False)
class MetricSpace(Shown):
    """Points with distances (Aggarwal et al., sections 1 and 2).

    Parameters
    ----------
    points : (n, d) array-like, DataFrame, or (n, n) matrix
        One row per point. Numbers for "euclidean"; longitude and latitude in degrees for "haversine"; any values
        for "hamming"; numbers and words for "gower"; for "precomputed" the distances themselves.
    metric : str
        "euclidean"; "haversine": km on the globe, to the millimeter, of places to about 6 mm; "hamming": how many
        columns differ; "gower": the mean over columns of 0 to 1, for numbers the difference divided by the column's
        range, for words 0 or 1, where a missing value is as far as possible from every other value; "precomputed".
    weights : (d,) numbers >= 0, optional
        The weight of each column in hamming and gower; 1 each when None. Scale the columns of other metrics beforehand.
        Kept as `column_weights`, which is also accepted, because `weights` is what a point weighs.
    units : (d,) numbers > 0, optional
        What the columns of a euclidean space were divided by, to show centers in the data's units; 1 each when None.
    counts : (n,) whole numbers > 0, optional
        Records at each point; 1 each when None. All records of a point are in one class.
    ids : (n,) text or whole numbers, unique, optional. Positions when None.
    names : Names of the columns.
    levels : sequence of (sequence of str or None), optional
        The words of each column of hamming and gower, None for numbers. If given, points hold positions of words.
    frame : One row per point: further columns, such as an illness, which a release can show for each class.
    triangle : bool
        Whether to refuse a precomputed matrix in which a detour is shorter than the direct distance. Without the
        triangle inequality the stated cost and bound hold, but no ratio is proven in advance.
    unit, notes, reading, counted : As in every instance.

    Raises
    ------
    InvalidInput
        No points, values that the metric cannot use, counts below 1, repeated ids, a matrix that is not a metric;
        numbers beyond 1e60, and coordinates or distances that differ by less than 1e-60, whose squares are lost.

    >>> space = MetricSpace([(0, 0), (3, 4), (3, 0)])
    >>> space.distances(0).tolist(), space.between([0, 1], [2]).tolist()
    ([0.0, 5.0, 3.0], [[3.0], [4.0]])
    >>> mixed = MetricSpace(pd.DataFrame({"age": [20, 40, None], "sex": ["f", "f", "m"]}), "gower", weights=[3, 1])
    >>> mixed.distances(0).tolist()
    [0.0, 0.75, 1.0]
    """

    points: np.ndarray
    metric: str
    column_weights: np.ndarray
    units: np.ndarray
    counts: np.ndarray
    ids: np.ndarray
    names: tuple[str, ...]
    levels: tuple[tuple[str, ...] | None, ...]
    frame: pd.DataFrame
    triangle: bool
    unit: str
    notes: tuple[str, ...]
    reading: Mapping[str, Any]
    counted: Counted | None

    def __init__(
        self,
        points: Any,
        metric: str = "euclidean",
        *,
        weights: Any = None,
        column_weights: Any = None,
        units: Any = None,
        counts: Any = None,
        ids: Any = None,
        names: Sequence[str] | None = None,
        levels: Sequence[Sequence[str] | None] | None = None,
        frame: pd.DataFrame | None = None,
        triangle: bool = False,
        unit: str = "records",
        notes: tuple[str, ...] = (),
        reading: Mapping[str, Any] | None = None,
        counted: Counted | None = None,
    ) -> None:
        if metric not in METRICS:
            raise InvalidInput(f"There is no metric {told(metric)}; choose one of {', '.join(METRICS)}.")
        length_of(points, "points")
        if metric == "precomputed":
            matrix = checked_matrix(points, triangle)
            values: dict[str, Any] = {"points": matrix, "levels": (), "names": ()}
        else:
            columns = columns_of(points, metric, names) if not levels else numbered_columns(points, names, levels)
            values = {"points": columns.points, "levels": columns.levels, "names": columns.names}
            if metric == "euclidean":
                require_distinguishable(columns.points, columns.names)
        count, width = len(values["points"]), len(values["names"])
        point_ids = ids_or_positions(ids, count)
        weighed = np.ones(count, dtype=np.int64) if counts is None else counts
        if length_of(weighed, "counts") != count:
            raise InvalidInput(f"There are {len(weighed)} counts for {count} points; give one per point.")
        further = pd.DataFrame(index=range(count)) if frame is None else frame.reset_index(drop=True)
        if len(further) != count:
            raise InvalidInput(f"The frame has {len(further)} rows for {count} points; give one per point.")
        values |= {
            "metric": metric,
            "column_weights": _of_columns(weights if column_weights is None else column_weights, metric, width, False),
            "units": _of_columns(units, metric, width, True),
            "counts": whole_numbers(
                weighed, "counts", 1, None if ids is None else [f"point {name}" for name in point_ids]
            ),
            "ids": point_ids,
            "frame": further,
            "triangle": bool(triangle),
            "unit": unit,
            "notes": notes,
            "reading": {} if reading is None else reading,
            "counted": counted,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _facts(self) -> dict[str, object]:
        return {"points": len(self), self.unit: self.total, "metric": self.metric, "columns": self.names}

    def __len__(self) -> int:
        return len(self.points)

    @property
    def weights(self) -> np.ndarray:
        return self.counts

    @property
    def columns(self) -> Mapping[str, np.ndarray]:
        return {}

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The columns that distances are computed from."""
        return self.names

    @cached_property
    def digest(self) -> str:
        return content_digest(**self.parts)

    @property
    def parts(self) -> dict[str, Any]:
        further = {str(name): [str(value) for value in column] for name, column in self.frame.items()}
        attributes = (
            "points",
            "metric",
            "column_weights",
            "units",
            "levels",
            "triangle",
            "counts",
            "ids",
            "names",
            "unit",
        )
        return {"frame": further} | {name: getattr(self, name) for name in attributes}

    @cached_property
    def total(self) -> int:
        return int(self.counts.sum())

    @property
    def free(self) -> bool:
        """Whether centers need not be points: anywhere in the plane, in space and on the globe."""
        return self.metric in ("euclidean", "haversine")

    @cached_property
    def definitions(self) -> Space:
        """The verifier's distances and radii, and how it treats rounding."""
        names = ("points", "metric", "levels", "triangle", "column_weights")
        parts = {name: getattr(self, name) for name in names}
        return Space(from_memory(parts), from_memory(self.counts))

    @property
    def measure(self) -> str:
        """The unit of distances; "" where they have none."""
        return "km" if self.metric == "haversine" else ""

    def distances(self, place: int, others: Any = None) -> np.ndarray:
        """(m,) float64: distances from the point at a position to others, to all points when None."""
        return np.array(self.definitions.distances(int(place), _picked(others)))

    def between(self, rows: Any, others: Any = None) -> np.ndarray:
        """(r, m) float64: distances of the points at some positions to others, to all points when None."""
        rows = np.asarray(rows, dtype=np.int64)
        if self.metric == "precomputed":
            return np.asarray(self.points[rows][:, _picked(others)])
        width = len(self) if others is None else len(others)
        return np.asarray(self.definitions.between(rows, _picked(others))).reshape(len(rows), width)

    def paired(self, left: Any, right: Any) -> np.ndarray:
        """(m,) float64: distances between the points at as many positions each, pair by pair."""
        left, right = np.asarray(left, dtype=np.int64), np.asarray(right, dtype=np.int64)
        return np.asarray(self.definitions.paired(left, right))

    def from_center(self, center: Any, others: Any = None) -> np.ndarray:
        """(m,) float64: distances from a free center, in the coordinates of points, to points; to all when None."""
        if not self.free:
            raise InvalidInput(f"With the metric {self.metric}, centers must be points.")
        return self.from_values(center, others)

    def from_values(self, values: Any, others: Any = None) -> np.ndarray:
        """(m,) float64: distances from a row of values, as in `points`, to points; not for precomputed."""
        columns = [*np.asarray(values, dtype=np.float64)[:, None]]
        return np.asarray(self.definitions.from_centers(columns, EVERY, _picked(others)))

    @property
    def norm(self) -> int:
        """The norm of the distances of `embedding`."""
        return 1 if self.metric in ("gower", "hamming") else 2

    @cached_property
    def embedding(self) -> np.ndarray | None:
        """(n, D) float64: coordinates whose distances by `norm` rank as the metric does, up to rounding.

        None for a matrix. For a k-d tree, whose answers are then recomputed by `distances`. A column of words has one
        coordinate per word, half its weight; one of numbers with missing values has three, so that a missing value is 1
        from all others.
        """
        if self.metric == "precomputed":
            return None
        if self.metric == "haversine":
            return frozen(np.column_stack(self.definitions.spots) / GRID)
        if self.metric == "euclidean":
            return self.points
        parts = []
        for place, (levels, weight) in enumerate(zip(self.levels, self.column_weights.tolist(), strict=True)):
            column = self.definitions.spots[place]
            if levels is not None:
                codes = range(-1, len(levels)) if (column < 0).any() else range(len(levels))
                parts += [np.where(column == level, weight / 2, 0.0) for level in codes]
            elif (column < 0).any():
                missing = column < 0
                parts += [
                    np.where(missing, 0.0, weight * column / 2),
                    np.where(missing, 0.0, weight * (1 - column) / 2),
                ]
                parts.append(np.where(missing, weight / 2, 0.0))
            else:
                parts.append(weight * column)
        return frozen(np.column_stack(parts) if parts else np.zeros((len(self), 1)))

    @cached_property
    def tree(self) -> cKDTree | None:
        """A k-d tree of the embedding; None where there is none."""
        from scipy.spatial import cKDTree  # imported here to keep the start fast

        return None if self.embedding is None else cKDTree(self.embedding)

    def label(self, position: int) -> str:
        return str(self.ids[position])

    def require_feasible(self, k: int) -> None:
        """Raise `Infeasible` unless all points together hold k records; then one cluster holds them all."""
        require_total(self.total, k, self.unit)


def _of_columns(numbers: Any, metric: str, count: int, units: bool) -> np.ndarray:
    """Units or weights of columns, 1 each when None."""
    if numbers is None or np.array_equal(numbers, np.ones(count)):
        return frozen(np.ones(count))
    array = np.asarray(numbers, dtype=np.float64)
    if units:
        if metric != "euclidean" or array.shape != (count,) or not np.isfinite(array).all() or (array <= 0).any():
            raise InvalidInput(
                f"Give a unit, a number above 0, for each of the {count} columns, and choose the metric euclidean."
            )
        return frozen(array)
    if metric not in ("gower", "hamming"):
        raise InvalidInput(
            f"Weights of columns apply only to the metrics gower and hamming; with {metric}, scale the columns instead."
        )
    if array.shape != (count,) or not ((array >= 0) & (array <= LARGEST)).all() or array.max() < LEAST:
        raise InvalidInput(
            f"The weights must be {count} numbers from 0 to {LARGEST:g}, one per column and not all below {LEAST:g}."
        )
    return frozen(array)


def _picked(others: Any) -> Any:
    return EVERY if others is None else np.asarray(others, dtype=np.int64)
