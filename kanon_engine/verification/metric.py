"""How far apart two points of a clustering are, and what rounding does to that.

Every distance is computed in one way only, column by column, with operations that IEEE 754 rounds the same everywhere.
Places on the globe are rounded to about 6 mm, and distances between them to the millimeter. Where the last digit of a
sine would decide the rounding, more digits are computed, so that all machines round the same way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal, localcontext
from functools import cached_property, partial, reduce
from operator import add
from typing import Any

from . import arrays
from .codec import Array

EARTH = 6371.0088  # km, mean radius
GRID = 2**30  # steps of a unit vector's coordinates, about 6 mm on the ground
MILLIMETERS = 1e6  # in a km
DIGITS = 6  # of a radius around a free center
ROUNDING, LAST_DIGIT, MOST_FORGIVEN = 1e-12, 1e-15, 5e-10  # shares that are forgiven; see `Space.free_radius`
GROUND = 1e-4  # km of error in sums of distances on the globe, away from its far side
FAR = 19_000.0  # km; from here on an error of millimeters in a chord is one of hundreds of meters in an arc
AROUND = 1.0  # km
LEAF = 32  # points of a leaf
EVERY = slice(None)


class Space:
    """The points of a clustering with their distances.

    Parameters
    ----------
    parts : mapping
        What the digest of a `MetricSpace` covers.
    counts : Array
        How many records each point represents.
    """

    def __init__(self, parts: Mapping[str, Any], counts: Array) -> None:
        points: Array = parts["points"]
        self.metric: str = parts["metric"]
        self.counts, self.size, self.total = counts.column, points.shape[0], arrays.total(counts.column)
        self.single = self.total == self.size  # every point is one record
        self.free = self.metric in ("euclidean", "haversine")  # centers may be anywhere
        self.matrix = points.flat if self.metric == "precomputed" else None
        self.points: list[Any] = []
        if self.metric != "precomputed":
            self.points = [arrays.floats(column) for column in points.columns]  # each by itself: faster to iterate over
        self.plane = self.metric == "haversine" or (self.metric == "euclidean" and len(self.points) <= 2)
        self.is_metric = self.metric != "precomputed" or bool(parts["triangle"])
        self.levels, self.column_weights = parts["levels"], parts["column_weights"].numbers

    @cached_property
    def spots(self) -> list[Any]:
        """The columns that differences are taken of."""
        return self.on_scale(self.points)

    def on_scale(self, columns: Sequence[Any]) -> list[Any]:
        """Values, given like the points' columns, in the form that differences are taken of.

        Places on the globe become vectors, numbers of gower lie from 0 to 1 as the points' do, and -1 is a
        missing value.
        """
        if self.metric == "haversine":
            return on_grid(*columns)
        if self.metric == "euclidean":
            return list(columns)
        scaled = []
        for column, coordinates, levels in zip(columns, self.points, self.levels):
            missing, present = column != column, coordinates[coordinates == coordinates] if levels is None else ()
            if len(present):
                low, high = arrays.least(present), arrays.greatest(present)
                column = (column - low) / (high - low) if high > low else column - low
            scaled.append(arrays.where(missing, -1.0, column))
        return scaled

    @cached_property
    def reach(self) -> float:
        """The largest coordinate, by which centers are rounded; of a matrix the longest distance."""
        if self.matrix is not None:
            return self.longest
        return max(abs(float(end(column))) for column in self.points for end in (arrays.least, arrays.greatest))

    @cached_property
    def longest(self) -> float:
        """The longest distance of a matrix."""
        return float(arrays.greatest(self.matrix))

    @cached_property
    def weight_of_columns(self) -> float:
        """What all columns of gower count together, added up in the order in which NumPy does."""
        return _pairwise_sum(self.column_weights)

    def distances(self, place: int, others: Any = EVERY) -> Any:
        """From a point to others."""
        if self.matrix is not None:
            return self.matrix[place * self.size : (place + 1) * self.size][others]
        return self.measured(column[others] - column[place] for column in self.spots)

    def paired(self, left: Any, right: Any) -> Any:
        """Between two equally long lists of points, pair by pair."""
        if self.matrix is not None:
            return self.matrix[left * self.size + right]
        return self.measured(column[left] - column[right] for column in self.spots)

    def between(self, left: Any, right: Any = EVERY) -> Any:
        """From some points to others, row after row."""
        if self.matrix is not None:
            return arrays.concatenated([self.distances(place, right) for place in left.tolist()])
        return self.measured(arrays.differences(column[left], column[right]) for column in self.spots)

    def from_centers(self, centers: Sequence[Any], center_rows: Any, others: Any) -> Any:
        """From centers, given like the points' columns, to points, pair by pair; `center_rows` says which center."""
        return self.measured(
            here[center_rows] - column[others] for here, column in zip(self.on_scale(centers), self.spots)
        )

    def measured(self, steps: Iterable[Any]) -> Any:
        """Distances from the differences in each column."""
        if self.free:
            squares = squared(steps)
            return arcs(squares) if self.metric == "haversine" else arrays.square_root(squares)
        parts = (
            (arrays.minimum(abs(step), 1.0) if levels is None else step != 0) * weight  # 1: a value is missing
            for step, levels, weight in zip(steps, self.levels, self.column_weights)
            if weight
        )
        distances = arrays.added(parts)
        return distances if self.metric == "hamming" else distances / self.weight_of_columns

    def pairs(self, rows: Any, width: float) -> Iterator[tuple[Any, Any, Any]]:
        """Some points and all points within a width of them, pair by pair, with distances; a few points at a time."""
        if self.matrix is not None:
            blocks = iter([(rows, arrays.places(self.size))])
        else:
            leaves = Leaves(self.spots, self.measured)
            blocks = ((leaf_rows, leaves.inside(gaps <= width)) for leaf_rows, gaps in leaves.apart(rows))
        for leaf_rows, others in blocks:
            distances = self.between(leaf_rows, others)
            near = arrays.rows_where(distances <= width)
            yield leaf_rows[near // len(others)], others[near % len(others)], distances[near]

    def least_with(self, distances: Any, k: int, counts: Any) -> float:
        """The least of some distances within which there are k records; infinite where there is none."""
        if self.single:
            return float(arrays.least_but(distances, k)) if k <= self.total else math.inf
        rows = arrays.order([distances])
        cumulative = arrays.running_sums(counts[rows])
        first = arrays.total(cumulative < k)
        return float(distances[rows[first]]) if first < len(cumulative) else math.inf

    # -----------------------------------------------------------------------------------------------------------------
    # What rounding may do
    # -----------------------------------------------------------------------------------------------------------------

    def forgiven(self, radii: Any) -> Any:
        """What rounding a center to floats may add to each radius; nothing on the globe, where millimeters count."""
        if self.metric == "haversine":
            return radii * 0.0
        return arrays.minimum(radii * ROUNDING + LAST_DIGIT * self.reach, radii * MOST_FORGIVEN)

    def free_radius(self, radius: float) -> float:
        """The radius of a cluster around a free center, six digits, of the largest distance of a record from it.

        What rounding the center to floats may have added is first taken off, so points 0.3 apart have the radius 0.15
        wherever they are. The result never falls as the radius grows, so a lower bound on radii gives one on these.
        """
        return rounded_up(radius - float(self.forgiven(arrays.floats([radius]))[0]))

    def is_free_radius(self, claimed: float, radius: float) -> bool:
        """Whether a result may state this: `free_radius`, or one without that allowance, as in older results."""
        return claimed in (self.free_radius(radius), rounded_up(radius))

    def half(self, distance: float) -> float:
        """The least radius of a cluster that holds two points this far apart.

        Half the distance, minus what rounding may have done to the triangle inequality.
        """
        if not self.is_metric:
            return 0.0
        if self.metric == "hamming" and all(weight % 1 == 0 for weight in self.column_weights):
            return distance / 2
        less = ROUNDING * distance
        if self.metric == "haversine":
            less += GROUND if distance < FAR else AROUND
        if self.metric == "precomputed":
            less += ROUNDING * self.longest
        return max(0.0, distance / 2 - less)

    def halved(self, distances: Any) -> Any:
        """`half` for columns of distances, where centers may be anywhere.

        Where it falls at the far side of the globe it is kept level, so that the order is kept.
        """
        half = distances / 2 - distances * ROUNDING
        if self.metric == "haversine":
            half = arrays.where(distances < FAR, arrays.minimum(half - GROUND, FAR / 2 - AROUND), half - AROUND)
        return arrays.maximum(half, 0.0)

    def ceiling(self, ratio: float, bound: float, k: int | None = None) -> float:
        """The largest radius that a ratio to a lower bound allows, six digits, in spite of rounding.

        Where k is given, the largest cellular cost of clusters of k records or more.
        """
        records, radius, far = 1, ratio * bound, FAR - 10 * AROUND
        if k is not None:
            records, radius, far = self.total, ratio * bound / k, FAR
        more = 2 * ratio * ROUNDING * bound
        if self.metric == "haversine":
            more += ratio * records * (GROUND if radius < far else AROUND)
        if self.metric == "precomputed":
            more += 2 * ratio * records * ROUNDING * self.longest
        return rounded_up(ratio * bound + more)


class Leaves:
    """Points in small boxes, repeatedly halved across the column in which they spread widest.

    Operations that round keep the order, so a distance computed from the gaps between two boxes is at most that of any
    two points in them.

    Parameters
    ----------
    spots : sequence of columns
        Coordinates of points.
    measured : function
        Of differences in each column, the distances or their squares.
    """

    def __init__(self, spots: Sequence[Any], measured: Callable[[Iterable[Any]], Any]) -> None:
        self.spots, self.measured = spots, measured
        self.rows: list[Any] = []  # of each leaf
        waiting = [arrays.places(len(spots[0]))]
        while waiting:
            rows = waiting.pop()
            if len(rows) <= LEAF:
                self.rows.append(rows)
                continue
            mine = [column[rows] for column in spots]
            rows = rows[arrays.order([max(mine, key=lambda column: arrays.greatest(column) - arrays.least(column))])]
            waiting += [rows[: len(rows) // 2], rows[len(rows) // 2 :]]
        every = arrays.concatenated(self.rows)
        number = arrays.column([leaf for leaf, rows in enumerate(self.rows) for _ in range(len(rows))])
        self.leaf_of, starts = arrays.replaced(number, every, number), arrays.changes([number])
        self.low = [arrays.run_least(starts, column[every]) for column in spots]
        self.high = [arrays.run_greatest(starts, column[every]) for column in spots]

    def apart(self, rows: Any) -> Iterator[tuple[Any, Any]]:
        """Some points, leaf by leaf, with the least that the points of each leaf are from all of these."""
        rows = rows[arrays.order([self.leaf_of[rows]])]
        firsts = arrays.rows_where(arrays.changes([self.leaf_of[rows]])).tolist() if len(rows) else []
        for first, end in zip(firsts, [*firsts[1:], len(rows)]):
            gaps = []
            for column, low, high in zip(self.spots, self.low, self.high):
                coordinates = column[rows[first:end]]
                gaps.append(
                    arrays.maximum(
                        arrays.maximum(low - arrays.greatest(coordinates), arrays.least(coordinates) - high), 0
                    )
                )
            yield rows[first:end], self.measured(gaps)

    def inside(self, mask: Any) -> Any:
        """The points in some leaves."""
        return arrays.concatenated([self.rows[leaf] for leaf in arrays.rows_where(mask).tolist()])

    def nearest(self, leaf_rows: Any, gaps: Any, count: int) -> tuple[Any, Any, Any]:
        """For some points that `apart` gives, the `count` nearest of each, itself included, and their distances."""
        fewest = -(-count // min(map(len, self.rows)))  # leaves that hold that many
        mask = gaps <= arrays.least_but(gaps, min(fewest, len(self.rows)))
        while True:
            others = self.inside(mask)
            distances = self.measured(arrays.differences(column[leaf_rows], column[others]) for column in self.spots)
            chosen = arrays.smallest(distances, len(others), count)
            wider = gaps <= arrays.greatest(distances[chosen])
            if arrays.equal(wider & mask, wider):
                return leaf_rows[chosen // len(others)], others[chosen % len(others)], distances[chosen]
            mask = wider


def squared(steps: Iterable[Any]) -> Any:
    """Sums of squares, column by column."""
    return arrays.added(step * step for step in steps)


def _pairwise_sum(values: Sequence[float]) -> float:
    """Sum as NumPy does: eight sums side by side, and more than 128 numbers in two halves."""
    if len(values) < 8:
        return reduce(add, values, 0.0)  # not `sum`, which rounds differently from Python 3.12 on
    if len(values) > 128:
        half = len(values) // 2 - len(values) // 2 % 8
        return _pairwise_sum(values[:half]) + _pairwise_sum(values[half:])
    whole = len(values) - len(values) % 8
    side = [reduce(add, values[place:whole:8]) for place in range(8)]
    result = ((side[0] + side[1]) + (side[2] + side[3])) + ((side[4] + side[5]) + (side[6] + side[7]))
    return reduce(add, values[whole:], result)


# ---------------------------------------------------------------------------------------------------------------------
# The globe
# ---------------------------------------------------------------------------------------------------------------------

SINES_MAY_DIFFER, ARCS_MAY_DIFFER = 2.0**-16, 2.0**-48  # steps of the grid; share of a distance


def on_grid(longitudes: Any, latitudes: Any) -> list[Any]:
    """Three columns of whole numbers: unit vectors of places in degrees, in steps of 2^-30."""
    lon, lat = longitudes * (math.pi / 180), latitudes * (math.pi / 180)
    around, result = arrays.cosine(lat), []
    for axis, part in enumerate((around * arrays.cosine(lon), around * arrays.sine(lon), arrays.sine(lat))):
        steps = _nearest_whole(part * float(GRID), SINES_MAY_DIFFER, partial(_coordinate, axis), lon, lat)
        result.append(arrays.floored(steps))
    return result


def arcs(squares: Any) -> Any:
    """Distances on the ground in km, to the millimeter, from squared chords in steps of the grid."""
    chords = arrays.minimum(arrays.square_root(squares) / float(2 * GRID), 1.0)
    millimeters = arrays.arcsine(chords) * (2 * EARTH) * MILLIMETERS
    return _nearest_whole(millimeters, millimeters * ARCS_MAY_DIFFER, _arc, chords, millimeters) / MILLIMETERS


def _nearest_whole(values: Any, wrong: Any, exact: Callable[..., int], *columns: Any) -> Any:
    """The whole number nearest to each value, which has a known error; rows in doubt get what `exact` gives."""
    whole = arrays.nearest_whole(values)
    doubtful = arrays.rows_where(abs(values - whole) >= 0.5 - wrong)
    if len(doubtful) == 0:
        return whole
    rows = zip(*(column[doubtful].tolist() for column in columns))
    return arrays.replaced(whole, doubtful, arrays.floats([exact(*row) for row in rows]))


def _coordinate(axis: int, lon: float, lat: float) -> int:
    """A coordinate of a unit vector in steps of the grid, of angles in radians."""
    with localcontext() as context:
        context.prec = 60
        around, up = _series(Decimal(lat), 0), _series(Decimal(lat), 1)
        return round((around * _series(Decimal(lon), 0), around * _series(Decimal(lon), 1), up)[axis] * GRID)


def _arc(chord: float, millimeters: float) -> int:
    """The millimeters of an arc, about the given number and a half.

    An arc is longer than another where half its chord is. The longest, half around the globe, is not among them: it
    has 20,015,114,442.03 millimeters.
    """
    with localcontext() as context:
        context.prec = 60
        less = math.floor(millimeters)
        middle = (Decimal(less) + Decimal("0.5")) / Decimal(2 * EARTH * MILLIMETERS)
        return less + (Decimal(chord) > _series(middle, 1))


def _series(angle: Decimal, place: int) -> Decimal:
    """The power series of the sine, where the place is 1, or of the cosine, where it is 0."""
    term, result = (angle if place else Decimal(1)), Decimal(0)
    while result + term != result:
        result += term
        place += 2
        term *= -angle * angle / (place * (place - 1))
    return result


# ---------------------------------------------------------------------------------------------------------------------
# Six digits
# ---------------------------------------------------------------------------------------------------------------------


def rounded_up(radius: float, digits: int = DIGITS) -> float:
    """The least float that is not below a radius and is the nearest one to a number with this many digits.

    It never falls as the radius grows, and a second call changes nothing. So the radius of the best solution,
    rounded up, is the least among all radii that are rounded up, and a bound on radii, rounded up, is one on these.

    >>> rounded_up(1.0), rounded_up(358.7683241), rounded_up(0.0)
    (1.0, 358.769, 0.0)
    """
    if radius == 0:
        return 0.0
    exact = Decimal(radius)
    down = float(Context(digits, ROUND_FLOOR).create_decimal(exact))
    return down if down >= radius else float(Context(digits, ROUND_CEILING).create_decimal(exact))


def six_digits_below(radius: float) -> float:
    """The largest float that is the nearest one to a number of six digits and below one of that kind above 0.

    >>> six_digits_below(1.0), six_digits_below(358.769)
    (0.999999, 358.768)
    """
    exact = Context(DIGITS, ROUND_HALF_EVEN).create_decimal(Decimal(radius))
    return float(exact.next_minus(Context(DIGITS)))
