"""Clusters that are too wide are dissolved together with those around them, and their points given out anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from kanon_engine.clusters.ceilings import metric_holds
from kanon_engine.clusters.gather.cover import NOTHING, Answer, cover
from kanon_engine.clusters.gather.discs import canonical
from kanon_engine.clusters.gather.solution import Solution, around_balls, around_points, replaced
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.nearest import within

SIZES = (4, 8, 16, 32)  # how many times k records are dissolved, one after another
MOST_POINTS = 1_500  # that are given out together
CORES = (3, 10, 30, 100)  # points that are asked for together
MORE = 1e-3  # km on the globe, more than places are off
EFFORT = 2.0  # CP-SAT's deterministic time for one question


@dataclass
class Repair:
    """Repairs of one run, with what is left of their effort.

    Attributes
    ----------
    space : MetricSpace
    k : int
    fixed : bool
        Whether centers are points.
    seed : int
    goes_on : callable
    left : float
        CP-SAT's deterministic time that is left.
    effort : float
        The most of it for one question.
    stuck : (s,) list of int
        Of the last repair: the points that could not be brought within the width, the worst of their clusters.
    """

    space: MetricSpace
    k: int
    fixed: bool
    seed: int
    goes_on: Callable[[], bool]
    left: float
    effort: float = EFFORT
    stuck: list[int] = field(default_factory=list)

    def within(self, solution: Solution, width: float) -> Solution:
        """The clustering with as many clusters as could be brought within a radius; it never becomes wider.

        A cluster that is wider is dissolved with those around its farthest point; their points are given to new centers
        within the width, so that each has k records: `cover`.
        """
        self.stuck = []
        skipped: set[int] = set()
        while self.left > 0 and self.goes_on():
            wide = np.flatnonzero(solution.details.radii > width).tolist()
            worst = [
                (float(solution.details.radii[number]), point)
                for number in wide
                if (point := self._farthest(solution, number)) not in skipped
            ]
            if not worst:
                break
            point = max(worst)[1]
            better = self._around(solution, point, width)
            if better is None:
                skipped.add(point)
                self.stuck.append(point)
            else:
                solution = better
        return solution

    def _farthest(self, solution: Solution, number: int) -> int:
        members = np.flatnonzero(solution.assignment == number)
        place = int(solution.details.places[number])
        apart = (
            self.space.distances(place, members)
            if place >= 0
            else self.space.from_center(solution.details.centers[number], members)
        )
        return int(members[apart.argmax()])

    def _around(self, solution: Solution, point: int, width: float) -> Solution | None:
        """The clustering without wide clusters near a point, if that can be had."""
        sizes = np.bincount(solution.assignment, weights=self.space.weights)
        before = 0
        for size in SIZES:
            near = self._nearest(point, 4 * size * self.k)
            chosen: list[int] = []
            held = 0.0
            for number in dict.fromkeys(solution.assignment[near].tolist()):
                chosen.append(number)
                held += sizes[number]
                if held >= size * self.k:
                    break
            dissolved = np.flatnonzero(np.isin(solution.assignment, chosen))
            if len(chosen) == before:
                continue
            before = len(chosen)
            if len(dissolved) > MOST_POINTS:
                return None
            every = np.ones(len(dissolved), dtype=bool)
            answer, spots = self.ask(dissolved, every, width)
            if answer.verdict == "found":
                better = replaced(solution, dissolved, self.given(dissolved, answer.owner, spots))
                new = int(better.assignment[dissolved].min())
                return better if better.details.radii[new:].max() <= width else None
            if self.left <= 0 or not self.goes_on():
                return None
        return None

    def _nearest(self, point: int, most: int) -> np.ndarray:
        most = min(most, len(self.space))
        if self.space.tree is None:
            return np.argsort(self.space.distances(point), kind="stable")[:most]
        spot = self.space.tree.data[point]
        return np.atleast_1d(self.space.tree.query(spot, most, p=self.space.norm)[1])

    def refuted(self, width: float) -> bool:
        """Whether CP-SAT proves that some points near one that was stuck cannot all be in clusters within the width.

        Points outside may be used or not: what serves all points serves these. Docs/proofs/clusters/gather.md, bound C.
        """
        for point in self.stuck[:2]:
            for size in CORES:
                if size > len(self.space) or self.left <= 0:
                    break
                core = self._nearest(point, size)
                reached = [within(self.space, place, 2 * width * (1 + 1e-6) + MORE) for place in core.tolist()]
                points = np.unique(np.concatenate(reached)) if metric_holds(self.space) else np.arange(len(self.space))
                if len(points) > 2 * MOST_POINTS:
                    break
                if self.ask(points, np.isin(points, core), width, proof=True)[0].verdict == "impossible":
                    return True
        return False

    def ask(self, points: np.ndarray, must: np.ndarray, width: float, proof: bool = False) -> tuple[Answer, np.ndarray]:
        """Can the points that must be in a cluster within the width be so? And the places of the balls asked for.

        For a proof that they cannot, free balls are larger by what rounding may amount to.
        """
        if self.fixed:
            spots = points
            inside = self.space.between(points, points) <= width
        else:
            spots, inside = canonical(self.space, points, width, proof)
            if len(spots) == 0:
                return Answer("open", NOTHING, 0.0), spots
        answer = cover(
            inside, self.space.weights[points], self.k, must, self.seed, min(self.effort, self.left), self.goes_on
        )
        self.left -= answer.spent + 1e-3
        return answer, spots

    def given(self, points: np.ndarray, owner: np.ndarray, spots: np.ndarray) -> Solution:
        """The clustering of some points that an answer gives."""
        apart = np.full(len(self.space), -1, dtype=np.int64)
        if self.fixed:
            apart[points] = spots[owner]
            return around_points(self.space, apart)
        apart[points] = np.unique(owner, return_inverse=True)[1]
        return around_balls(self.space, apart)
