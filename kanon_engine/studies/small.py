"""Instances that are small enough to follow an algorithm by eye, of every family."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from geopandas import GeoSeries
from shapely import box

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.labels.instance import Labels
from kanon_engine.model.lazy import Lazy
from kanon_engine.model.step import Step
from kanon_engine.rectangles.instance import Points
from kanon_engine.regions.instance import Regions
from kanon_engine.tables.instance import Table


@dataclass(frozen=True)
class Small:
    """A small instance.

    Attributes
    ----------
    title : str
        What it is, for a person.
    k : int
        One that shows something.
    make : callable
        ``make()`` is the instance.
    told : mapping
        By the name of an algorithm, ``told()``: steps that are told in place of its own, as a paper's figure shows.
    """

    title: str
    k: int
    make: Callable[[], Any]
    told: Mapping[str, Callable[[], Iterator[Step]]] = field(default_factory=dict)


def _villages() -> Regions:
    """A grid of four rows, each area beside up to four others."""
    rows, columns = 4, 5
    names = np.array([f"{letter}{number}" for letter in "ABCD" for number in range(1, columns + 1)])
    numbers = np.arange(rows * columns).reshape(rows, columns)
    right = np.column_stack([numbers[:, :-1].ravel(), numbers[:, 1:].ravel()])
    down = np.column_stack([numbers[:-1].ravel(), numbers[1:].ravel()])
    weights = np.random.default_rng(3).integers(1, 10, rows * columns)
    squares = [box(x, -y - 1, x + 1, -y) for y in range(rows) for x in range(columns)]
    return Regions(names, weights, np.vstack([right, down]), GeoSeries(squares), unit="people")


def _around_a_hub() -> Regions:
    """Around b and c hang light areas, of which no cut parts one alone."""
    edges = np.array([(1, 0), (2, 0), (2, 1), (3, 2), (5, 1), (5, 3), (5, 4)])
    return Regions(np.array(list("abcdef")), np.full(6, 3), edges, unit="people")


def _places() -> Points:
    random = np.random.default_rng(11)
    return Points(random.integers(0, 20, (30, 2)), random.integers(1, 6, 30), unit="records")


def _pinwheel() -> Points:
    """The sample of docs/proofs/rectangles/exact.md: cuts from side to side lose here."""
    xy = np.array([(x, y) for y in range(3) for x in range(3)])
    return Points(xy, np.array([1, 1, 1, 1, 2, 1, 1, 1, 1]), unit="records")


def _names() -> Labels:
    counts = {"Smith": 41, "Jones": 33, "Garcia": 28, "Lee": 25, "Brown": 19, "Khan": 17, "Silva": 14, "Novak": 12}
    counts |= {"Weber": 9, "Rossi": 8, "Sato": 6, "Kim": 5, "Diaz": 3, "Berg": 2}
    return Labels(np.array(list(counts)), np.array(list(counts.values())), unit="people")


def _six() -> Labels:
    """Few enough to pack by hand."""
    return Labels(np.array(list("abcdef")), np.array([12, 6, 5, 5, 5, 3]))


def _patients() -> Table:
    frame = pd.DataFrame(
        {
            "age": [23, 25, 27, 31, 34, 36, 41, 45, 47, 52, 58, 63],
            "zip": ["061", "061", "062", "062", "061", "063", "063", "062", "063", "064", "064", "064"],
            "sex": list("FMFFMMFMFMFM"),
        }
    )
    return Table(frame, ["age", "zip", "sex"])


def _five() -> MetricSpace:
    """Figure 1 of Aggarwal et al. 2006, with centers among the points."""
    return MetricSpace(np.array([(20, 0), (22, 0), (60, 13), (60, 10), (60, 7)]))


def _people() -> MetricSpace:
    random = np.random.default_rng(5)
    spots = np.repeat([(0, 0), (12, 3), (5, 12)], 6, axis=0)
    return MetricSpace(spots + random.integers(-3, 4, spots.shape))


def _figure(number: int, shows: str, k: int) -> Small:
    """A figure of Bayardo and Agrawal 2005; loaded when it is asked for, as their search is compiled."""
    sample = Lazy(f"kanon_engine.tables.steps.samples:figure_{number}")
    told = {"k-optimize": lambda: sample().steps()}
    return Small(f"Figure {number} of K-Optimize's paper: {shows}", k, lambda: sample().table, told)


SMALL: dict[str, tuple[Small, ...]] = {
    "regions": (
        Small("Twenty villages in a grid", 10, _villages),
        Small("Six areas, hard for cuts", 4, _around_a_hub),
    ),
    "rectangles": (
        Small("Thirty places", 12, _places),
        Small("A pinwheel of nine places", 2, _pinwheel),
    ),
    "labels": (
        Small("Fourteen surnames", 40, _names),
        Small("Six labels", 10, _six),
    ),
    "tables": (
        Small("Twelve patients", 2, _patients),
        _figure(1, "three columns, nine values", 2),
        _figure(2, "all sets of four cuts", 3),
        _figure(4, "a cut that is useless", 3),
    ),
    "clusters": (
        Small("Eighteen people in three places", 4, _people),
        Small("Five records of the paper's Figure 1", 2, _five),
    ),
}
