"""Guarantees that are a ratio to an optimum: what they allow once it is known."""

from __future__ import annotations

from fractions import Fraction

from kanon_engine.model.bound import Cost
from kanon_engine.model.generalization import Generalization

# (family, algorithm) → times the best possible; those of clusters stand in the run's own guarantee
RATIOS = {
    ("labels", "five-halves"): Fraction(5, 2),
    ("labels", "two-approximation"): Fraction(2),
    ("labels", "near-optimal"): Fraction(2),
}


def ratio_ceiling(g: Generalization, optimum: Cost | None) -> tuple[Cost, str] | None:
    """The largest whole cost within the ratio, and the ratio in words; None without a ratio or an optimum.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> ratio_ceiling(kanon.generalize(kanon.Labels("abc", [7, 6, 5]), 6, "five-halves"), 7)
    (17, '5/2 times the best possible')
    """
    ratio = RATIOS.get((g.family, g.algorithm))
    if ratio is None or optimum is None:
        return None
    return ratio * optimum // 1, f"{ratio} times the best possible"
