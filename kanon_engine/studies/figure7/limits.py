"""What is proven of ratios beside those of Figure 7: what algorithms guarantee, and below what none can."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
from plotly import graph_objects as go

from kanon_engine.generalize import generalize
from kanon_engine.labels.instance import Labels
from kanon_engine.plot.style import FLOOR
from kanon_engine.reductions import reduction_named

EPSILON = 0.5  # of the scheme
HARD = ("partition-to-labels", "3-partition-to-raised-labels")
ALGORITHMS = ("fold", "spread", "five-halves", "two-approximation", "scheme")


@dataclass(frozen=True)
class Limit:
    """A ratio to the least possible cost that a theorem names.

    Attributes
    ----------
    ratio : float
    words : str
        What holds at it.
    """

    ratio: float
    words: str


def limits(epsilon: float = EPSILON) -> tuple[Limit, ...]:
    """The ratios of Theorems 6, 7, 9 and 10, ascending; epsilon is the scheme's.

    Example
    -------
    >>> [round(limit.ratio, 2) for limit in limits(0.25)]
    [1.33, 2, 2.5, 2.5, 3]
    """
    every = (
        Limit(4 / 3, "none guarantees less, counts in unary (Theorem 6)"),
        Limit(2, "none guarantees less (Theorem 6)"),
        Limit(2.5, "five-halves (Theorem 9)"),
        Limit(2 * (1 + epsilon), f"scheme, ε = {epsilon:g} (Theorem 10)"),
        Limit(3, "Fold (Theorem 7)"),
    )
    return tuple(sorted(every, key=lambda limit: limit.ratio))


def with_limits(figure: go.Figure, epsilon: float = EPSILON) -> go.Figure:
    """The figure with a line at each limit, and an axis that reaches up to them."""
    heights: dict[float, list[str]] = {}
    for limit in limits(epsilon):
        heights.setdefault(limit.ratio, []).append(limit.words)
    for height, words in heights.items():
        line = {"color": FLOOR, "dash": "longdash", "width": 1}
        figure.add_hline(height, line=line, annotation_text="; ".join(words), annotation_position="bottom right")
    top = max(float(figure.layout.yaxis.range[1]), 1.04 * max(heights))
    return figure.update_yaxes(range=[1, top])


@dataclass(frozen=True)
class Remark:
    """A run of the scheme, against Theorem 10 and the remark after it.

    Attributes
    ----------
    cost, optimum : int
        Of the run, and the least possible.
    theorem : float
        (1 + ε)(Opt + k), which Theorem 10 allows.
    remark : float
        2 (1 + ε) Opt, which follows from it, as Opt is at least k.
    """

    cost: int
    optimum: int
    theorem: float
    remark: float

    @property
    def holds(self) -> bool:
        """Whether the cost is within both, and the remark no sharper than the theorem."""
        return self.cost <= self.theorem <= self.remark


def remark(labels: Labels, k: int, epsilon: float = EPSILON) -> Remark:
    """The scheme beside the least possible cost.

    Example
    -------
    >>> found = remark(Labels("abcdef", [9, 7, 5, 4, 4, 3]), 16)
    >>> found.cost, found.optimum, found.theorem, found.remark
    (16, 16, 48.0, 48.0)
    """
    cost = int(generalize(labels, k, "scheme", epsilon=epsilon).cost)
    optimum = int(generalize(labels, k, "exact").cost)
    return Remark(cost, optimum, (1 + epsilon) * (optimum + k), 2 * (1 + epsilon) * optimum)


def on_hard_instances(epsilon: float = EPSILON) -> pd.DataFrame:
    """The largest ratio to the least possible cost that each algorithm reaches on all tiny targets of the reductions.

    Returns
    -------
    DataFrame
        A row a reduction and algorithm: reduction, algorithm, instances, wrong (at how many it misses an answer
        “yes”), largest_ratio.
    """
    rows: list[dict[str, Any]] = []
    for name in HARD:
        reduction = reduction_named(name)
        targets = [reduction.build(source) for source in reduction.source.tiny()]
        best = [int(generalize(one.instance, one.k, "exact").cost) for one in targets]
        for algorithm in ALGORITHMS:
            options: dict[str, Any] = {"epsilon": epsilon} if algorithm == "scheme" else {}
            costs = [int(generalize(one.instance, one.k, algorithm, **options).cost) for one in targets]
            both = list(zip(targets, costs, best, strict=True))
            rows.append(
                {
                    "reduction": name,
                    "algorithm": algorithm,
                    "instances": len(targets),
                    "wrong": sum(optimum <= one.threshold < cost for one, cost, optimum in both),
                    "largest_ratio": max(cost / optimum for _, cost, optimum in both),
                }
            )
    return pd.DataFrame(rows)
