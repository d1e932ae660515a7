"""The slide negative binomial model: sizes of population classes are 1 and a negative binomial number more."""

from __future__ import annotations

import math

import numpy as np

from kanon_engine.risk.population_uniques.class_sizes import ClassSizes
from kanon_engine.risk.population_uniques.estimate import Estimate

NAME = "slide negative binomial"
ALPHAS, ODDS = (-4.0, -1.0, 1.0), (-6.0, -3.0, -1.0, 1.0)  # logarithms of α and of β / (1 − β) at which searches begin
CLOSE = 1e-7  # relative difference at which an equation counts as solved


def slide_negative_binomial(sample: ClassSizes, population: int) -> Estimate:
    """Population uniques of K classes whose sizes are P(F = j) = Γ(α + j − 1) / (Γ(j) Γ(α)) (1 − β)^(j − 1) β^α.

    K is Shlosser's estimate. α and β are such that classes of one and of two records are expected as often as the
    sample has them, of several pairs those whose K classes hold nearest to N people. K β^α classes are uniques.

    Parameters
    ----------
    sample : ClassSizes
    population : int
        N; at least the records of the sample. The sample's own uniques are those of a sample of everybody.

    References
    ----------
    G. Chen, S. Keller-McNulty, "Estimation of identification disclosure risk in microdata", Journal of Official
    Statistics 14 (1998).

    Example
    -------
    >>> round(slide_negative_binomial(ClassSizes.of([1] * 20 + [2] * 5 + [3, 7]), 100).uniques, 1)
    29.9
    """
    if not sample.uniques:
        return Estimate(NAME, 0.0)
    if population == sample.records:
        return Estimate(NAME, float(sample.uniques))
    if not sample.having(2):
        return Estimate(NAME, None, "No two records are alike and no third like them, so that one equation is missing.")
    share = sample.records / population
    classes = population_classes(sample, share)
    found = solutions(sample, classes, share)
    if not found:
        return Estimate(NAME, None, "No parameters give as many classes of one and of two records as there are.")
    alpha, beta = min(found, key=lambda pair: abs(classes * (1 + pair[0] * (1 - pair[1]) / pair[1]) - population))
    return Estimate(NAME, min(classes * beta**alpha, float(population)))


def population_classes(sample: ClassSizes, share: float) -> float:
    """K: how many classes the population has, by Shlosser's estimator as Haas and Stokes modified it.

    References
    ----------
    P. Haas, L. Stokes, "Estimating the number of classes in a finite population", JASA 93 (1998), equation 26.

    Example
    -------
    >>> round(population_classes(ClassSizes.of([1] * 20 + [2] * 5 + [3, 7]), 0.48), 1)
    45.1
    """
    size, count = sample.sizes.astype(float), sample.counts
    missed = (1 - share) ** size
    one = float((size * share**2 * (1 - share**2) ** (size - 1) * count).sum())
    other = float((missed * np.expm1(size * math.log1p(share)) * count).sum())
    ratio = float((missed * count).sum()) / float((size * share * (1 - share) ** (size - 1) * count).sum())
    return sample.classes + sample.uniques * one / other * ratio**2


def expected(classes: float, share: float, alpha: float, beta: float) -> tuple[float, float]:
    """How many classes of one and of two records a sample is expected to have, each person being in it with `share`.

    Example
    -------
    >>> [round(number, 3) for number in expected(100, 0.5, 1.0, 0.5)]  # sizes are geometric: 1/2, 1/4, 1/8, …
    [44.444, 14.815]
    """
    passed = (1 - share) * (1 - beta)
    common = classes * share * math.exp(alpha * (math.log(beta) - math.log1p(-passed)))
    one = common * (1 + alpha * passed / (1 - passed))
    return one, common * alpha * share * (1 - beta) * (2 - (1 - alpha) * passed) / (2 * (1 - passed) ** 2)


def solutions(sample: ClassSizes, classes: float, share: float) -> list[tuple[float, float]]:
    """Pairs of α and β by which classes of one and two records are expected as often as the sample has them."""
    from scipy.optimize import least_squares

    wanted = np.log([sample.uniques, sample.having(2)])

    def parameters(place: np.ndarray) -> tuple[float, float]:
        return math.exp(place[0]), 1 / (1 + math.exp(-place[1]))

    def apart(place: np.ndarray) -> np.ndarray:
        return np.log(np.maximum(expected(classes, share, *parameters(place)), 1e-300)) - wanted

    found: list[tuple[float, float]] = []
    for start in np.array(np.meshgrid(ALPHAS, ODDS)).T.reshape(-1, 2):
        best = least_squares(apart, start, bounds=((-14, -25), (12, 25)), xtol=1e-14, ftol=1e-14, gtol=1e-14)
        pair = parameters(best.x)
        if np.abs(best.fun).max() < CLOSE and not any(np.allclose(pair, other, rtol=1e-4) for other in found):
            found.append(pair)
    return found
