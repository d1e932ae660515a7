"""Centers and radii as they may leave: no record's own coordinates, rounded to a small part of the radius.

A center that is a point is a record; a smallest circle passes through records, and with its exact center and radius
their coordinates could be worked out where few hold it up. So every published center is that of the smallest circle (of
squared distances the mean), rounded to a decimal step of at most a fiftieth of the radius, and moved by a step where it
would be a member's own place; only where all members are at one place is it that. Its radius is worked out again and
rounded up to three digits. Among words and mixed columns there is no such circle: there the center has the commonest
word and the middle of the numbers of each column.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.model.generalization import Generalization, members_of
from kanon_engine.verification.metric import rounded_up

DIGITS = 3  # of a radius
FINENESS = 50  # steps of the grid of a center in a radius, at least
DEGREE = 111.0  # km, at most, on the ground
NEAREST = 7  # digits of a degree: places on the globe are told apart from about 6 mm on
MISSING = "missing"


@dataclass(frozen=True)
class ShownCenters:
    """What is told of the centers.

    Attributes
    ----------
    columns : mapping of str to list
        Of each column the values of the centers, in the unit of the file; no columns for a matrix.
    centers : (m, d) float64 array
        The same as `MetricSpace.points` are, in a space with free centers; (m, 0) in others.
    radii : (m,) float64 array
        Largest distance of a member from what is shown, rounded up to three digits.
    """

    columns: dict[str, list[Any]]
    centers: np.ndarray
    radii: np.ndarray


def shown_centers(space: MetricSpace, g: Generalization) -> ShownCenters:
    """The centers of a result as they may leave.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> space = MetricSpace([(30, 10), (32, 10), (50, 23), (50, 20), (50, 17)], names=["age", "place"])
    >>> shown = shown_centers(space, kanon.generalize(space, 2))
    >>> shown.columns, shown.radii.tolist()
    ({'age': [31.0, 50.01], 'place': [10.0, 20.0]}, [1.0, 3.01])
    """
    members = members_of(g.assignment, g.classes)
    if space.free:
        return _places(space, g, members)
    if space.metric == "precomputed":
        radii = [rounded_up(radius, DIGITS) for radius in g.details.radii.tolist()]
        return ShownCenters({}, np.zeros((g.classes, 0)), np.array(radii))
    return _typical(space, members)


def _places(space: MetricSpace, g: Generalization, members: list[np.ndarray]) -> ShownCenters:
    centers = g.details.centers
    if (g.details.places >= 0).any():
        from kanon_engine.clusters.balls import ball_centers

        centers = ball_centers(space, g.assignment)
    told = np.empty_like(centers)
    radii = []
    for number, own in enumerate(members):
        exact = float(space.from_center(centers[number], own).max())
        told[number] = _off_members(space, centers[number], exact, own)
        radii.append(rounded_up(float(space.from_center(told[number] / space.units, own).max()), DIGITS))
    columns = {name: told[:, place].tolist() for place, name in enumerate(space.names)}
    return ShownCenters(columns, told / space.units, np.array(radii))


def _off_members(space: MetricSpace, center: np.ndarray, radius: float, members: np.ndarray) -> np.ndarray:
    """The center on a grid, in the unit of the file, at no member's place unless all are there."""
    units = space.units.tolist()
    if radius == 0:
        return np.array(list(map(_written, space.points[members[0]].tolist(), units)))
    across = radius / DEGREE if space.metric == "haversine" else radius
    values = [value * unit for value, unit in zip(center.tolist(), units, strict=True)]
    digits = [_digits(across * unit, value) for value, unit in zip(values, units, strict=True)]
    if space.metric == "haversine":
        digits = [min(known, NEAREST) for known in digits]
    told = np.array(list(map(round, values, digits)))
    moved = len(told) - 1 if space.metric == "haversine" else 0  # on the globe towards the equator
    step = 10.0 ** -digits[moved] * (-1 if space.metric == "haversine" and told[moved] > 0 else 1)
    while (space.from_center(told / space.units, members) == 0).any():
        told[moved] = round(float(told[moved]) + step, digits[moved])
    return told


def _digits(radius: float, value: float) -> int:
    """After the decimal point, so that a step is at most a fiftieth of a radius, and not lost in so large a value."""
    fine = math.floor(math.log10(max(radius / FINENESS, 5e-324)))
    return -max(fine, math.ceil(math.log10(2 * math.ulp(value))))


def _written(coordinate: float, unit: float) -> float:
    """The number that a coordinate was in the file: what has the fewest digits and leads to the same coordinate."""
    value = coordinate * unit
    near = [value, math.nextafter(value, math.inf), math.nextafter(value, -math.inf)]
    written = [*(float(f"{value:.{digits}g}") for digits in range(12, 18)), *near]
    return next((number for number in written if number / unit == coordinate), value)


def _typical(space: MetricSpace, members: list[np.ndarray]) -> ShownCenters:
    """The commonest word and the middle of the numbers of each column."""
    rows = np.array([[_middle(space, place, own) for place in range(len(space.names))] for own in members])
    columns: dict[str, list[Any]] = {}
    for place, (name, levels) in enumerate(zip(space.names, space.levels, strict=True)):
        values = rows[:, place].tolist()
        if levels is None:
            columns[name] = [MISSING if math.isnan(value) else value for value in values]
        else:
            columns[name] = [MISSING if math.isnan(value) else levels[int(value)] for value in values]
    radii = [
        rounded_up(float(space.from_values(row, own).max()), DIGITS) for row, own in zip(rows, members, strict=True)
    ]
    return ShownCenters(columns, np.zeros((len(members), 0)), np.array(radii))


def _middle(space: MetricSpace, place: int, members: np.ndarray) -> float:
    """Of one column of a class; NaN where most of its values are missing."""
    column, weights = space.points[members, place], space.weights[members]
    there = ~np.isnan(column)
    if 2 * weights[there].sum() < weights.sum():
        return math.nan
    if space.levels[place] is None:
        low, high = float(column[there].min()), float(column[there].max())
        middle = low / 2 + high / 2
        return round(middle, _digits(high - low, middle)) if high > low else low
    return float(np.bincount(column[there].astype(np.int64), weights=weights[there]).argmax())
