"""Some points of a space as a space of their own, with the distances that they have in the whole one."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from kanon_engine.clusters.gather.solution import Solution
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.radii import details_of
from kanon_engine.validate import frozen


def part_of(space: MetricSpace, kept: np.ndarray) -> MetricSpace:
    """The points at some positions.

    Example
    -------
    >>> import pandas as pd
    >>> whole = MetricSpace(pd.DataFrame({"age": [20, 30, 60]}), "gower")
    >>> part_of(whole, np.array([0, 1])).distances(0).tolist()
    [0.0, 0.25]
    """
    part = object.__new__(MetricSpace)
    for field in fields(space):
        object.__setattr__(part, field.name, getattr(space, field.name))
    points = space.points[kept][:, kept] if space.metric == "precomputed" else space.points[kept]
    own = {"points": frozen(points), "counts": frozen(space.counts[kept]), "ids": frozen(space.ids[kept])}
    for name, value in (own | {"frame": space.frame.iloc[kept].reset_index(drop=True), "counted": None}).items():
        object.__setattr__(part, name, value)
    if space.metric in ("gower", "hamming"):
        part.definitions.spots = [column[kept] for column in space.definitions.spots]  # ranges stay those of the whole
    return part


def of_whole(space: MetricSpace, kept: np.ndarray, solution: Solution) -> Solution:
    """A clustering of a part as one of the whole, in which all others are left out."""
    assignment = np.full(len(space), -1, dtype=np.int64)
    assignment[kept] = solution.assignment
    places = np.where(solution.details.places >= 0, kept[solution.details.places], -1)
    centers = solution.details.centers if space.free else None
    return Solution(assignment, details_of(space, assignment, places=places, centers=centers))
