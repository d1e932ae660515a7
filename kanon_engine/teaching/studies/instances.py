"""Small instances: for following an algorithm by eye, and the worst known one for each guarantee."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from geopandas import GeoSeries
from shapely import box

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.labels.instance import Labels
from kanon_engine.model.algorithm import Lazy
from kanon_engine.rectangles.instance import Points
from kanon_engine.regions.instance import Regions
from kanon_engine.tables.instance import Table
from kanon_engine.teaching.content import sections
from kanon_engine.teaching.step import Step
from kanon_engine.teaching.studies.beat import Duel, duel

WORDS = Path(__file__).with_name("tight.md")


@dataclass(frozen=True)
class SmallInstance:
    """A small instance."""

    title: str  # a description for a person
    k: int  # an instructive k
    make: Callable[[], Any]  # ``make()`` is the instance
    # algorithm → ``told()``: steps shown instead of its own, as in a paper's figure
    told: Mapping[str, Callable[[], Iterator[Step]]] = field(default_factory=dict)


def _villages() -> Regions:
    """A grid of four rows; each area has up to four neighbors."""
    rows, columns = 4, 5
    names = np.array([f"{letter}{number}" for letter in "ABCD" for number in range(1, columns + 1)])
    numbers = np.arange(rows * columns).reshape(rows, columns)
    right = np.column_stack([numbers[:, :-1].ravel(), numbers[:, 1:].ravel()])
    down = np.column_stack([numbers[:-1].ravel(), numbers[1:].ravel()])
    weights = np.random.default_rng(3).integers(1, 10, rows * columns)
    squares = [box(x, -y - 1, x + 1, -y) for y in range(rows) for x in range(columns)]
    return Regions(names, weights, np.vstack([right, down]), GeoSeries(squares), unit="people")


def _around_a_hub() -> Regions:
    """Areas b and c have light areas around them, none of which can be cut off alone."""
    edges = np.array([(1, 0), (2, 0), (2, 1), (3, 2), (5, 1), (5, 3), (5, 4)])
    return Regions(np.array(list("abcdef")), np.full(6, 3), edges, unit="people")


def _places() -> Points:
    random = np.random.default_rng(11)
    return Points(random.integers(0, 20, (30, 2)), random.integers(1, 6, 30), unit="records")


def _pinwheel() -> Points:
    """The sample of docs/proofs/rectangles/exact.md: cuts from side to side are worse here."""
    xy = np.array([(x, y) for y in range(3) for x in range(3)])
    return Points(xy, np.array([1, 1, 1, 1, 2, 1, 1, 1, 1]), unit="records")


def _surnames() -> Labels:
    counts = {"Smith": 41, "Jones": 33, "Garcia": 28, "Lee": 25, "Brown": 19, "Khan": 17, "Silva": 14, "Novak": 12}
    counts |= {"Weber": 9, "Rossi": 8, "Sato": 6, "Kim": 5, "Diaz": 3, "Berg": 2}
    return Labels(np.array(list(counts)), np.array(list(counts.values())), unit="people")


def _patients() -> Table:
    ages = [23, 25, 27, 31, 34, 36, 41, 45, 47, 52, 58, 63]
    zips = ["061", "061", "062", "062", "061", "063", "063", "062", "063", "064", "064", "064"]
    return Table(pd.DataFrame({"age": ages, "zip": zips, "sex": list("FMFFMMFMFMFM")}), ["age", "zip", "sex"])


FIGURE_1 = ((20, 0), (22, 0), (60, 13), (60, 10), (60, 7))  # Aggarwal et al. 2006, with centers among the points


def _people() -> MetricSpace:
    random = np.random.default_rng(5)
    spots = np.repeat([(0, 0), (12, 3), (5, 12)], 6, axis=0)
    return MetricSpace(spots + random.integers(-3, 4, spots.shape))


def _figure(number: int, shows: str, k: int) -> SmallInstance:
    """A figure of Bayardo and Agrawal 2005; loaded on demand because their search is compiled."""
    sample = Lazy(f"kanon_engine.teaching.tables.k_optimize:figure_{number}")
    runs = {"k-optimize": lambda: sample().steps()}
    return SmallInstance(f"Figure {number} of K-Optimize's paper: {shows}", k, lambda: sample().table, runs)


SMALL: dict[str, tuple[SmallInstance, ...]] = {
    "regions": (
        SmallInstance("Twenty villages in a grid", 10, _villages),
        SmallInstance("Six areas that are hard to cut", 4, _around_a_hub),
    ),
    "rectangles": (
        SmallInstance("Thirty places", 12, _places),
        SmallInstance("A pinwheel of nine places", 2, _pinwheel),
    ),
    "labels": (
        SmallInstance("Fourteen surnames", 40, _surnames),
        SmallInstance("Six labels", 10, lambda: Labels(np.array(list("abcdef")), np.array([12, 6, 5, 5, 5, 3]))),
    ),
    "tables": (
        SmallInstance("Twelve patients", 2, _patients),
        _figure(1, "three columns, nine values", 2),
        _figure(2, "all sets that four cuts can form", 3),
        _figure(4, "a useless cut", 3),
    ),
    "clusters": (
        SmallInstance("Eighteen people in three places", 4, _people),
        SmallInstance("Five records of Figure 1 in Aggarwal and others", 2, lambda: MetricSpace(np.array(FIGURE_1))),
    ),
}


# ---------------------------------------------------------------------------------------------------------------------
# The worst known instance for each guarantee.
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tight:
    """An instance on which an opponent is as bad as its guarantee allows, or almost."""

    name: str  # in the registry and in tight.md
    family: str
    opponent: str  # name of an `Opponent`
    k: int  # for which it is shown
    instance: Callable[[int], Any]  # ``instance(k)``
    attained: bool = True  # whether the cost is the ceiling; otherwise it comes close for large k
    seed: int = 0

    @property
    def title(self) -> str:
        """The guarantee and the instance, in a few words."""
        return sections(WORDS)[self.name][0]

    @property
    def how(self) -> str:
        """The explanation."""
        return sections(WORDS)[self.name][1][0]

    def duel(self, k: int | None = None) -> Duel:
        """The duel on it."""
        k = self.k if k is None else k
        return duel(self.instance(k), k, self.opponent, seed=self.seed)


CROSS = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))
ARMS = ((0, -1), (0, 1), (-1, 0), (1, 0))


def _numbered(word: str, count: int) -> np.ndarray:
    return np.array([f"{word} {number}" for number in range(1, count + 1)])


def labels_of(counts: list[int]) -> Labels:
    """Labels named by numbers."""
    return Labels(_numbered("label", len(counts)), np.array(counts))


def regions_of(weights: list[int], edges: list[tuple[int, int]]) -> Regions:
    """Areas named by numbers."""
    return Regions(_numbered("area", len(weights)), np.array(weights), np.array(edges))


def thirteen(k: int) -> Points:
    """The cross of 5k − 4 that no line can cut, with eight places around it that make k possible."""
    around = ((0, 2), (0, -2), (2, 0), (-2, 0), (3, 2), (-3, -2), (3, 0), (-3, 0))
    return Points(np.array([*CROSS, *around]), np.array([k, *[k - 1] * 4, *[1] * 4, *[k] * 4]))


def arms(k: int) -> Points:
    """The cross with arms of 4, 8, 16 and 32 places of k, each as heavy as the rest when it is cut off."""
    xy, weights = [*CROSS], [k, *[k - 1] * 4]
    for (x, y), places in zip(ARMS, (4, 8, 16, 32), strict=True):
        xy += [(2 * x, 2 * y), *((x * (3 + place), y * (3 + place)) for place in range(places))]
        weights += [1, *[k] * places]
    return Points(np.array(xy), np.array(weights))


def star(k: int) -> Regions:
    """One area of k with four neighbors of k − 1 that touch nothing else."""
    return regions_of([k, *[k - 1] * 4], [(0, leaf) for leaf in range(1, 5)])


def seven(k: int) -> Regions:
    """Seven areas with twelve borders, for k = 3."""
    edges = [(2, 0), (3, 1), (4, 0), (4, 3), (5, 0), (5, 1), (5, 2), (5, 4), (6, 0), (6, 2), (6, 3), (6, 4)]
    return regions_of([2, 1, 0, 1, 2, 2, 1], edges)


def on_a_line(k: int) -> MetricSpace:
    """Seven records on a line, for k = 3."""
    return MetricSpace(np.array([(x, 0) for x in (0, 2, 4, 4, 5, 7, 7)], dtype=float))


def between_pairs(k: int) -> Table:
    """k + 1 records at a point of two columns, and k − 1 on each of four sides of it."""
    rows = [(5, 5)] * (k + 1) + [row for row in ((4, 5), (6, 5), (5, 4), (5, 6)) for _ in range(k - 1)]
    return Table(pd.DataFrame(rows, columns=["x", "y"]), ["x", "y"])


def one_column_distinct(k: int) -> Table:
    """One record and two tuples of 2k − 2 that differ from it in the first column, and a third that differs in all."""
    rows = [("a", "a", "a"), ("b", "s", "s"), ("c", "s", "s")] * (2 * k - 2) + [("d", "s", "s")]
    return Table(pd.DataFrame(rows, columns=["x", "y", "z"]), ["x", "y", "z"])


TIGHT: dict[str, Tight] = {
    one.name: one
    for one in (
        Tight("thirteen-places", "rectangles", "worst-cuts", 5, thirteen),
        Tight("four-arms", "rectangles", "kd-tree", 10, arms),
        Tight("fold", "labels", "fold", 11, lambda k: labels_of([k - 1] * (k - 1) + [1] * (k - 1))),
        Tight("spread", "labels", "spread", 10, lambda k: labels_of([k - 1] * 3)),
        Tight(
            "five-halves",
            "labels",
            "five-halves",
            21,
            lambda k: labels_of([k - 1] * ((k - 1) // 2) + [1] * (k - 1)),
            attained=False,
        ),
        Tight("two-approximation", "labels", "two-approximation", 10, lambda k: labels_of([1, k // 2, k - 1, k // 2])),
        Tight("star", "regions", "tree-split", 10, star),
        Tight("seven-areas", "regions", "rules-alone", 3, seven, seed=2),
        Tight("gather-line", "clusters", "packing-alone", 3, on_a_line),
        Tight("mondrian", "tables", "mondrian", 3, between_pairs),
        Tight("rare-records", "tables", "rare-records", 3, one_column_distinct),
    )
}
