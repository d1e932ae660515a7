"""Pitman's model: a population that goes on as its sample began."""

from __future__ import annotations

import math

from kanon_engine.risk.population_uniques.class_sizes import ClassSizes
from kanon_engine.risk.population_uniques.estimate import Estimate

NAME = "Pitman"
LEAST, MOST = 1e-6, 1 - 1e-9  # of alpha


def pitman(sample: ClassSizes, population: int) -> Estimate:
    """Population uniques of Pitman's sampling formula with the parameters that make the sample likeliest.

    θ and α solve the likelihood equations; N then has Γ(θ + 1) / Γ(θ + α) Nᵅ uniques, N being large. α is 0, Ewens'
    formula, where the likelihood only falls with it.

    Parameters
    ----------
    sample : ClassSizes
    population : int
        N; at least the records of the sample. The sample's own uniques are those of a sample of everybody.

    References
    ----------
    N. Hoshino, "Applying Pitman's sampling formula to microdata disclosure risk assessment", Journal of Official
    Statistics 17 (2001), equations 9 to 14.

    Example
    -------
    >>> round(pitman(ClassSizes.of([1] * 20 + [2] * 5 + [3, 7]), 1_000).uniques, 1)
    104.5
    """
    if not sample.uniques:
        return Estimate(NAME, 0.0)
    if population == sample.records:
        return Estimate(NAME, float(sample.uniques))
    if sample.classes == sample.records:
        return Estimate(NAME, None, "No two records are alike, so that Pitman's model has no likeliest parameters.")
    if sample.classes == 1:
        return Estimate(NAME, None, "There is one class alone, so that Pitman's model has no likeliest parameters.")
    theta, alpha = likeliest(sample)
    grown = math.lgamma(theta + 1) - math.lgamma(theta + alpha) + alpha * math.log(population)
    return Estimate(NAME, min(math.exp(grown), float(population)))


def likeliest(sample: ClassSizes) -> tuple[float, float]:
    """θ > −α and 0 ≤ α < 1 that maximize the likelihood of a sample with fewer classes than records, and more than one.

    Example
    -------
    >>> theta, alpha = likeliest(ClassSizes.of([1] * 20 + [2] * 5 + [3, 7]))
    >>> round(theta, 2), round(alpha, 2)
    (15.24, 0.46)
    """
    from scipy.optimize import brentq

    if alpha_slope(sample, LEAST) <= 0:
        return theta_of(sample, LEAST), 0.0
    alpha = float(brentq(lambda some: alpha_slope(sample, some), LEAST, MOST, xtol=1e-13, rtol=1e-13))
    return theta_of(sample, alpha), alpha


def theta_of(sample: ClassSizes, alpha: float) -> float:
    """The θ that is likeliest with this α."""
    from scipy.optimize import brentq
    from scipy.special import digamma

    n, u = sample.records, sample.classes

    def slope(theta: float) -> float:
        ratio = theta / alpha
        return float((digamma(ratio + u) - digamma(ratio + 1)) / alpha - (digamma(theta + n) - digamma(theta + 1)))

    low, high = -alpha * (1 - 1e-9), 1.0
    while slope(high) > 0:
        high *= 2
    return float(brentq(slope, low, high, xtol=1e-12, rtol=1e-13))


def alpha_slope(sample: ClassSizes, alpha: float) -> float:
    """How the likelihood rises with α, each α with its likeliest θ."""
    from scipy.special import digamma

    n, u = sample.records, sample.classes
    theta = theta_of(sample, alpha)
    joined = float(digamma(theta + n) - digamma(theta + 1))  # Σ 1 / (θ + i α), of i from 1 to u − 1
    repeated = float((sample.counts * (digamma(sample.sizes - alpha) - digamma(1 - alpha))).sum())
    return ((u - 1) - theta * joined) / alpha - repeated
