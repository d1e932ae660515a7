"""Centers and radii as they may leave: no record's own coordinates, rounded to a small part of the radius.

A center that is a point is a record; a smallest circle passes through records, and with its exact center and radius
their coordinates could be worked out where few hold it up. So every published center is that of the smallest circle (of
squared distances the mean), rounded to a decimal step of at most a fiftieth of the radius, and moved by a step where it
would be a member's own place. Its radius is worked out again and rounded up to three digits. Among words and mixed
columns there is no such circle: there the center has the commonest word and the middle of the numbers of each column.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.radii import rounded_up
from kanon_engine.model.generalization import Generalization

DIGITS = 3  # of a radius
FINENESS = 50  # steps of the grid of a center in a radius, at least
DEGREE = 111.0  # km, at most, on the ground
MISSING = "missing"


@dataclass(frozen=True)
class Shown:
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


def shown_centers(space: MetricSpace, g: Generalization) -> Shown:
    """The centers of a result as they may leave.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> space = MetricSpace([(30, 10), (32, 10), (50, 23), (50, 20), (50, 17)], names=["age", "place"])
    >>> shown = shown_centers(space, kanon.generalize(space, 2))
    >>> shown.columns, shown.radii.tolist()
    ({'age': [31.0, 50.01], 'place': [10.0, 20.0]}, [1.0, 3.01])
    """
    order = np.argsort(g.assignment, kind="stable")
    starts = np.searchsorted(g.assignment[order], np.arange(g.classes + 1)).tolist()
    members = [order[begin:end] for begin, end in pairwise(starts)]
    if space.free:
        return _places(space, g, members)
    if space.metric == "precomputed":
        radii = [rounded_up(radius, DIGITS) for radius in g.details.radii.tolist()]
        return Shown({}, np.zeros((g.classes, 0)), np.array(radii))
    return _typical(space, members)


def _places(space: MetricSpace, g: Generalization, members: list[np.ndarray]) -> Shown:
    centers = g.details.centers
    if (g.details.places >= 0).any():
        from kanon_engine.clusters.balls import ball_centers

        centers = ball_centers(space, g.assignment)
    rounded = np.empty_like(centers)
    radii = []
    for number, own in enumerate(members):
        exact = float(space.from_center(centers[number], own).max())
        rounded[number] = _off_members(space, centers[number], exact, own)
        radii.append(rounded_up(float(space.from_center(rounded[number], own).max()), DIGITS))
    columns = {
        name: [_plain(value) for value in (rounded[:, place] * unit).tolist()]
        for place, (name, unit) in enumerate(zip(space.names, space.units.tolist(), strict=True))
    }
    return Shown(columns, rounded, np.array(radii))


def _off_members(space: MetricSpace, center: np.ndarray, radius: float, members: np.ndarray) -> np.ndarray:
    """The center on a grid, not at the place of a member; where all members are at one place, that place."""
    if radius == 0:
        return np.asarray(space.points[members[0]])
    across = radius / DEGREE if space.metric == "haversine" else radius
    steps = 10.0 ** np.floor(np.log10(across * space.units / FINENESS))
    spot = np.round(center * space.units / steps) * steps / space.units
    taken = {tuple(row) for row in space.points[members].tolist()}
    while tuple(spot.tolist()) in taken:
        spot = spot + np.eye(len(spot))[0] * steps[0] / space.units[0]
    return np.asarray(spot)


def _typical(space: MetricSpace, members: list[np.ndarray]) -> Shown:
    """The commonest word and the middle of the numbers of each column."""
    rows = np.array([[_middle(space, place, own) for place in range(len(space.names))] for own in members])
    columns: dict[str, list[Any]] = {}
    for place, (name, levels) in enumerate(zip(space.names, space.levels, strict=True)):
        values = rows[:, place].tolist()
        if levels is None:
            columns[name] = [MISSING if math.isnan(value) else _plain(value) for value in values]
        else:
            columns[name] = [MISSING if math.isnan(value) else levels[int(value)] for value in values]
    radii = [
        rounded_up(float(space.from_values(row, own).max()), DIGITS) for row, own in zip(rows, members, strict=True)
    ]
    return Shown(columns, np.zeros((len(members), 0)), np.array(radii))


def _middle(space: MetricSpace, place: int, members: np.ndarray) -> float:
    """Of one column of a class; NaN where most of its values are missing."""
    column, weights = space.points[members, place], space.weights[members]
    there = ~np.isnan(column)
    if 2 * weights[there].sum() < weights.sum():
        return math.nan
    if space.levels[place] is None:
        low, high = float(column[there].min()), float(column[there].max())
        step = 10.0 ** math.floor(math.log10((high - low) / FINENESS)) if high > low else 1.0
        return round((low + high) / 2 / step) * step if high > low else low
    return float(np.bincount(column[there].astype(np.int64), weights=weights[there]).argmax())


def _plain(value: float) -> float:
    """Without the last digits that only rounding left there."""
    return float(f"{value:.12g}")
