"""The experiments of the K-Optimize paper: its grid of runs, and best cost over time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.generalize import generalize
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.run import Progress, ProgressCallback
from kanon_engine.tables.cuts import copied, problem_of
from kanon_engine.tables.cuts_kernels import HEAD, OUT, collapse, intervals
from kanon_engine.tables.hill_climb_kernels import weigh_cells
from kanon_engine.tables.instance import Table

KS = (1000, 500, 250, 100, 50, 25, 10, 5)
METRICS = ("DM", "CM")
LIMITS = (0, 100, None)
MOST_RESTARTS = 1_000_000_000
WEIGHED = 1_000  # sets of cuts evaluated by each search without a time limit
COLUMNS = {
    "partition": "str",
    "metric": "str",
    "limit": "Int64",
    "k": "int64",
    "seeded": "bool",
    "cost": "int64",
    "lower_bound": "int64",
    "status": "str",
    "nodes": "int64",
    "seconds": "float64",
}


def k_optimize_grid(
    tables: Mapping[str, Table],
    ks: Sequence[int] = KS,
    metrics: Sequence[str] = METRICS,
    limits: Sequence[int | None] = LIMITS,
    *,
    seconds: float | None = None,
    seed: int = 0,
    progress: ProgressCallback | None = None,
) -> pd.DataFrame:
    """K-Optimize on every table, metric, suppression limit and k.

    If records may be suppressed, it runs twice: as it is, and seeded with its result without suppression, whose time
    and nodes then count too, as in the paper.

    Parameters
    ----------
    tables : By partition of the ages: "coarse", "fine".
    ks, metrics, limits : None means no limit.
    seconds : For each run; its result at that time is a row with status "stopped".
    progress : Called with `Progress`; returns False to stop: the table holds the finished runs.

    References
    ----------
    Bayardo, Agrawal (2005), section 7, Figures 6a, 6b and 7a.
    """
    runs = [
        (name, metric, k, limit)
        for name in tables
        for metric in metrics
        for k in ks
        for limit in sorted(limits, key=lambda limit: (limit is None, limit))
    ]
    rows: list[dict[str, Any]] = []
    plain: Generalization | None = None  # the last run without suppression

    def run(name: str, metric: str, k: int, limit: int | None, seed_result: Generalization | None) -> Generalization:
        options: dict[str, Any] = {"metric": metric, "suppression_limit": limit}
        options["upper_bound"] = None if seed_result is None else seed_result.cost
        g = generalize(tables[name], k, "k-optimize", seed=seed, time_limit=seconds, **options)
        key = {"partition": name, "metric": metric, "limit": limit, "k": k, "seeded": seed_result is not None}
        both = [g] if seed_result is None else [seed_result, g]
        figures: dict[str, Any] = {"cost": g.cost, "lower_bound": g.lower_bound, "status": g.status}
        figures |= {"nodes": sum(each.details.nodes for each in both), "seconds": sum(each.seconds for each in both)}
        rows.append(key | figures)
        return g

    for number, (name, metric, k, limit) in enumerate(runs):
        g = run(name, metric, k, limit, None)
        if limit == 0:
            plain = g
        elif plain is not None and 0 in limits:
            run(name, metric, k, limit, plain)
        words = f"{name}, {metric}, k = {k:,}"
        report = Progress((number + 1) / len(runs), g.cost, g.lower_bound, words)
        if progress is not None and progress(report) is False:
            break
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def cost_over_time(table: Table, k: int = 50, *, seconds: float | None = None, seed: int = 0) -> pd.DataFrame:
    """Best cost so far of K-Optimize, the hill climber, annealing and a genetic search, without a suppression limit.

    K-Optimize first runs without suppression, and its second run is seeded with the result, as in the paper. The others
    have as much time as both runs took.

    Parameters
    ----------
    seconds : float, optional
        For each run of K-Optimize. By default, the hill climber has its own budget, and the last two evaluate
        `WEIGHED` sets of cuts.

    Returns
    -------
    DataFrame : method, seconds, cost: a row at each improvement, and one at the end.

    References
    ----------
    Bayardo, Agrawal (2005), section 7.3, Figure 7b.
    """
    rows: list[tuple[str, float, int]] = []

    def run(method: str, before: float, name: str, limit: float | None, **options: Any) -> Generalization:
        begin = time.perf_counter()

        def listen(report: Progress) -> None:
            best = min((cost for label, _, cost in rows if label == method), default=None)
            if report.best is not None and (best is None or report.best < best):
                rows.append((method, before + time.perf_counter() - begin, report.best))

        g = generalize(table, k, name, seed=seed, time_limit=limit, progress=listen, metric="DM", **options)
        best = min([g.cost, *(cost for label, _, cost in rows if label == method)])
        rows.append((method, before + g.seconds, best))
        return g

    plain = run("K-Optimize", 0.0, "k-optimize", seconds, suppression_limit=0)
    seeded = run("K-Optimize", plain.seconds, "k-optimize", seconds, suppression_limit=None, upper_bound=plain.cost)
    restarts = {} if seconds is None else {"restarts": MOST_RESTARTS}  # so that the time limit ends it
    both = plain.seconds + seeded.seconds
    run("Hill climber", 0.0, "hill-climb", both, suppression_limit=None, **restarts)
    cuts = SingleCuts(table, k)
    for method, search in (("Annealing", annealing), ("Genetic search", genetic)):
        rows += _raced(method, search, cuts, None if seconds is None else both, seed)
    return pd.DataFrame(rows, columns=["method", "seconds", "cost"])


def _raced(
    method: str, search: Callable[..., Iterator[int]], cuts: SingleCuts, seconds: float | None, seed: int
) -> list[tuple[str, float, int]]:
    """A row at each improvement of a search that yields costs, and one at its end."""
    rows: list[tuple[str, float, int]] = []
    begin, weighed = time.perf_counter(), 0

    def spent() -> float:
        return time.perf_counter() - begin

    def share() -> float:
        return weighed / WEIGHED if seconds is None else spent() / seconds

    for cost in search(cuts, np.random.default_rng(seed), share):
        weighed += 1
        if not rows or cost < rows[-1][2]:
            rows.append((method, spent(), cost))
        if share() >= 1:
            break
    return [*rows, (method, spent(), rows[-1][2])]


# ---------------------------------------------------------------------------------------------------------------------
# Randomized searches among single cuts, with which the paper compares: annealing and a genetic search.
# ---------------------------------------------------------------------------------------------------------------------


POPULATION = 40
HOTTEST, COLDEST = 1e-2, 1e-5  # share of the cost by which a step may rise, at the start and at the end
CROSSED = 0.9  # share of children that have two parents


class SingleCuts:
    """Sets of cuts of a table, and their discernibility cost if any number of records may be left out."""

    def __init__(self, table: Table, k: int) -> None:
        self._problem, self._root = problem_of(table, k, "DM", None)
        self.values = len(self._problem.columns)

    def cost(self, chosen: np.ndarray) -> int:
        """The cost of the cuts at the chosen values, (a,) bool."""
        kinds = np.where(chosen, HEAD, OUT).astype(np.int8)
        cells = collapse(self._problem, copied(self._root), intervals(self._problem, kinds)[0])
        return int(weigh_cells(self._problem, cells, kinds)[0])


def annealing(cuts: SingleCuts, rng: np.random.Generator, share: Callable[[], float]) -> Iterator[int]:
    """Change one cut at a time and accept worse costs less often over time; yields each cost.

    Winkler (2002), as described by Bayardo and Agrawal: Metropolis' rule, with temperatures that fall
    geometrically from `HOTTEST` to `COLDEST` of the cost without cuts. `share` is the elapsed share of the time.
    """
    chosen = np.zeros(cuts.values, dtype=bool)
    cost = whole = cuts.cost(chosen)
    while True:
        other = chosen.copy()
        other[rng.integers(cuts.values)] ^= True
        new_cost = cuts.cost(other)
        warmth = whole * HOTTEST * (COLDEST / HOTTEST) ** min(share(), 1.0)
        if new_cost <= cost or rng.random() < math.exp((cost - new_cost) / warmth):
            chosen, cost = other, new_cost
        yield new_cost


def genetic(cuts: SingleCuts, rng: np.random.Generator, share: Callable[[], float]) -> Iterator[int]:
    """Children take each cut from one of two parents, and cuts occasionally change; yields each cost.

    Iyengar (2002), as described by Bayardo and Agrawal: a set of cuts is a string of bits; the better one of two
    becomes a parent; the best so far stays.
    """
    population = rng.random((POPULATION, cuts.values)) < rng.random((POPULATION, 1))
    costs = np.empty(POPULATION, dtype=np.int64)
    for place in range(POPULATION):
        costs[place] = cuts.cost(population[place])
        yield int(costs[place])
    while True:
        pairs = rng.integers(POPULATION, size=(2, 2, POPULATION))
        first, second = (np.where(costs[one] <= costs[other], one, other) for one, other in pairs)
        mixed = (rng.random(population.shape) < 0.5) & (rng.random((POPULATION, 1)) < CROSSED)
        children = np.where(mixed, population[second], population[first])
        children ^= rng.random(population.shape) < 1 / cuts.values
        children[0] = population[costs.argmin()]
        best = costs.min()
        for place in range(1, POPULATION):
            costs[place] = cuts.cost(children[place])
            yield int(costs[place])
        costs[0], population = best, children
