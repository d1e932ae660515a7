"""Points as cells of a small grid: all that a search for tilings needs to know."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kanon_engine.rectangles.instance import Points


@dataclass(frozen=True)
class TilingGrid:
    """Columns and rows between the lines that a tiling may use."""

    sides: tuple[np.ndarray, np.ndarray]  # along x and y: the low side of the bounding box, the lines, the high side
    places: np.ndarray  # (n, 2) int64: column and row of each point
    weights: np.ndarray  # (n,) int64: of the points
    whole: bool  # whether no line is left out that a tiling could use

    @property
    def shape(self) -> tuple[int, int]:
        """How many columns and rows there are."""
        return len(self.sides[0]) - 1, len(self.sides[1]) - 1

    @cached_property
    def sums(self) -> np.ndarray:
        """(columns + 1, rows + 1) int64: weight of the first columns and rows."""
        table = np.zeros((self.shape[0] + 1, self.shape[1] + 1), dtype=np.int64)
        np.add.at(table, (self.places[:, 0] + 1, self.places[:, 1] + 1), self.weights)
        return table.cumsum(axis=0).cumsum(axis=1)

    @cached_property
    def cells(self) -> np.ndarray:
        """(c, 2) int64: column and row of every cell with points."""
        return np.unique(self.places, axis=0)

    def weights_of(self, tiles: np.ndarray) -> np.ndarray:
        """(m,) int64: weight of tiles given as (m, 4) first column, first row, end column, end row."""
        west, south, east, north = tiles.T
        return self.sums[east, north] - self.sums[west, north] - self.sums[east, south] + self.sums[west, south]

    def rectangles(self, tiles: np.ndarray) -> np.ndarray:
        """(m, 4) float64: the tiles in coordinates."""
        return np.column_stack([self.sides[side % 2][tiles[:, side]] for side in range(4)])

    def tiles_of(self, rectangles: np.ndarray, points: Points) -> np.ndarray:
        """(m, 4) int64: the tiles that hold the same points as rectangles of a tiling; for a grid that is whole."""
        tiles = np.empty(rectangles.shape, dtype=np.int64)
        for axis in range(2):
            coordinates, first = np.unique(points.xy[:, axis], return_index=True)
            after = np.concatenate([[0], self.places[first, axis] + 1])
            for side in (axis, axis + 2):
                tiles[:, side] = after[np.searchsorted(coordinates, rectangles[:, side])]
            tiles[rectangles[:, axis + 2] >= self.sides[axis][-1], axis + 2] = self.shape[axis]
        return tiles

    def classes(self, tiles: np.ndarray) -> np.ndarray:
        """(n,) int32: number of the tile that holds each point."""
        owner = np.empty(self.shape, dtype=np.int32)
        for number, (west, south, east, north) in enumerate(tiles.tolist()):
            owner[west:east, south:north] = number
        return owner[self.places[:, 0], self.places[:, 1]]


def inner_span(values: np.ndarray, weights: np.ndarray, k: int) -> tuple[float, float] | None:
    """The coordinates between which a line leaves weight >= k on both sides; None if no line does.

    Parameters
    ----------
    values : (n,) float64. Coordinates along one axis.
    weights : (n,) int64. At least 1 each and k together.

    Returns
    -------
    (float, float) or None : The first coordinate up to which the points weigh k and the last from which on they do.

    Complexity
    ----------
    O(n + k log k): weights are at least 1, so the k lowest and the k highest points suffice.
    """
    n = len(values)
    few = min(k, n)
    order = np.partition(values, [few - 1, n - few])
    low, high = values <= order[few - 1], values >= order[n - few]
    first = _reaches(values[low], weights[low], k)
    last = -_reaches(-values[high], weights[high], k)
    return (first, last) if first < last else None


def _reaches(values: np.ndarray, weights: np.ndarray, k: int) -> float:
    order = np.argsort(values, kind="stable")
    return float(values[order[np.searchsorted(np.cumsum(weights[order]), k)]])


def useful_lines(values: np.ndarray, weights: np.ndarray, k: int) -> np.ndarray:
    """Halfway between neighboring coordinates, every line with weight >= k on both sides.

    >>> useful_lines(np.array([0.0, 1, 2, 3]), np.array([1, 1, 1, 1]), 2).tolist()
    [1.5]
    """
    span = inner_span(values, weights, k)
    if span is None:
        return np.empty(0)
    inner = np.unique(np.clip(values, *span))
    middle = 0.5 * inner[:-1] + 0.5 * inner[1:]
    return np.where((inner[:-1] < middle) & (middle < inner[1:]), middle, inner[1:])


def grid_of(points: Points, k: int, most: int | None) -> TilingGrid:
    """The grid of all useful lines; if there are too many, of some that split the weight evenly.

    Parameters
    ----------
    most : Largest product of the numbers of intervals of columns and of rows; None for any.
    """
    lines = [useful_lines(points.xy[:, axis], points.weights, k) for axis in range(2)]
    whole = most is None or intervals(len(lines[0]) + 1) * intervals(len(lines[1]) + 1) <= most
    if most is not None and not whole:
        few = int((4 * most) ** 0.25) - 2  # of either axis, with about equal weight between them
        for axis, line in enumerate(lines):
            if len(line) > few:
                columns = np.searchsorted(line, points.xy[:, axis], side="right")
                below = np.cumsum(np.bincount(columns, weights=points.weights))[:-1]
                lines[axis] = line[np.unique(np.searchsorted(below, np.linspace(below[0], below[-1], few)))]
    places = np.column_stack([np.searchsorted(lines[axis], points.xy[:, axis], side="right") for axis in range(2)])
    sides = [np.concatenate([[points.box[axis]], lines[axis], [points.box[axis + 2]]]) for axis in range(2)]
    return TilingGrid((sides[0], sides[1]), places, points.weights, whole)


def intervals(count: int) -> int:
    """How many runs of neighbors there are among this many in a row."""
    return count * (count + 1) // 2
