"""The least possible cost, proven; or as much of a proof as the effort allows."""

from __future__ import annotations

from dataclasses import replace

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.model.algorithm import Lazy
from kanon_engine.model.run import Outcome, Run

LEAST = {
    "radius": Lazy("kanon_engine.clusters.exact.radius:least_radius"),
    "cellular": Lazy("kanon_engine.clusters.exact.cellular:exact_cellular"),
}


def exact(space: MetricSpace, k: int, run: Run, *, cost: str, centers: str) -> Outcome:
    """Clusters of at least k records of the least cost, and the proof that there is no lower one.

    No guarantee but the lower bound that it proves: docs/proofs/clusters/exact.md. A search that is stopped, or has
    used up its effort, returns the best clustering and the best bound.

    Parameters
    ----------
    space : MetricSpace
        At least k records.
    k : int
    run : Run
    cost : str
        One of `LEAST`.
    centers : str
        "any" or "input".

    Returns
    -------
    Outcome
        Where the search proves more than a bound with a witness, `bound` is of kind "solver".

    Example
    -------
    >>> made = exact(MetricSpace([[0], [3], [5], [8], [9]]), 2, Run(), cost="radius", centers="input")
    >>> made.cost, made.bound.value, made.assignment.tolist()
    (3.0, 3.0, [0, 0, 0, 1, 1])
    """
    made: Outcome = LEAST[cost](space, k, run, centers=centers)
    return replace(made, guarantee=None)
