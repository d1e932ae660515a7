"""Estimates, from a sample alone, of how many people are unique in the population by what the sample shows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kanon_engine.shown import Shown

__all__ = ["SMALL_SAMPLE", "ClassSizes", "Estimate", "chosen", "pitman", "slide_negative_binomial", "zayatz"]

SMALL_SAMPLE = 0.1  # share of the population up to which the decision rule takes Pitman's model


def chosen(sample: ClassSizes, population: int, zayatz: Estimate, pitman: Estimate, slide: Estimate) -> Estimate:
    """The estimate that the decision rule of Dankar and others chooses.

    Pitman's for a sample of at most a tenth of the population; for a larger one, the smaller of Zayatz' and the slide
    negative binomial. Zayatz' if the other finds none.

    References
    ----------
    F. Dankar, K. El Emam, A. Neisa, T. Roffey, "Estimating the re-identification risk of clinical data sets", BMC
    Medical Informatics and Decision Making 12:66, 2012.

    >>> found = Estimate("Zayatz", 40.0), Estimate("Pitman", 25.0), Estimate("slide negative binomial", 30.0)
    >>> sample = ClassSizes.of([1, 1, 2])
    >>> chosen(sample, 1_000, *found).estimator, chosen(sample, 8, *found).estimator
    ('Pitman', 'slide negative binomial')
    """
    if sample.records <= SMALL_SAMPLE * population:
        return zayatz if pitman.uniques is None else pitman
    usable = [estimate for estimate in (zayatz, slide) if estimate.uniques is not None]
    return min(usable, key=lambda estimate: estimate.uniques or 0.0)


@dataclass(frozen=True)
class Estimate(Shown):
    """The result of an estimator."""

    estimator: str  # "Zayatz", "Pitman" or "slide negative binomial"
    # people who are unique in the population by what the release would show of them; None if it finds no number
    uniques: float | None
    why: str = ""  # why there is none, a sentence; otherwise empty


@dataclass(frozen=True, eq=False)
class ClassSizes:
    """The classes of a sample by their size.

    >>> own = ClassSizes.of([1, 1, 3, 0])
    >>> own.records, own.classes, own.uniques, own.having(2)
    (5, 3, 2, 0)
    """

    sizes: np.ndarray  # (d,) int64: sizes that occur, ascending, each at least 1
    counts: np.ndarray  # (d,) int64: how many classes have each

    @classmethod
    def of(cls, classes: object) -> ClassSizes:
        """From the size of each class; empty ones do not count."""
        sizes = np.asarray(classes, dtype=np.int64)
        return cls(*np.unique(sizes[sizes > 0], return_counts=True))

    @cached_property
    def records(self) -> int:
        """n."""
        return int((self.sizes * self.counts).sum())

    @cached_property
    def classes(self) -> int:
        """u."""
        return int(self.counts.sum())

    @property
    def uniques(self) -> int:
        """Classes of one record."""
        return self.having(1)

    def having(self, size: int) -> int:
        """How many classes have this size."""
        return int(self.counts[self.sizes == size].sum())


PITMAN = "Pitman"
LEAST, MOST = 1e-6, 1 - 1e-9  # of alpha


def pitman(sample: ClassSizes, population: int) -> Estimate:
    """Population uniques of Pitman's sampling formula with maximum-likelihood parameters.

    θ and α solve the likelihood equations; for large N there are then Γ(θ + 1) / Γ(θ + α) Nᵅ uniques. α is 0, Ewens'
    formula, if the likelihood only falls with it.

    Parameters
    ----------
    population : N; at least the records of the sample. The sample's own uniques are those of a sample of everybody.

    References
    ----------
    N. Hoshino, "Applying Pitman's sampling formula to microdata disclosure risk assessment", Journal of Official
    Statistics 17 (2001), equations 9 to 14.

    >>> round(pitman(ClassSizes.of([1] * 20 + [2] * 5 + [3, 7]), 1_000).uniques, 1)
    104.5
    """
    if not sample.uniques:
        return Estimate(PITMAN, 0.0)
    if population == sample.records:
        return Estimate(PITMAN, float(sample.uniques))
    if sample.classes == sample.records:
        return Estimate(PITMAN, None, "No two records are identical, so Pitman's model cannot be fitted.")
    if sample.classes == 1:
        return Estimate(PITMAN, None, "There is only one group, so Pitman's model cannot be fitted.")
    theta, alpha = likeliest(sample)
    grown = math.lgamma(theta + 1) - math.lgamma(theta + alpha) + alpha * math.log(population)
    return Estimate(PITMAN, min(math.exp(grown), float(population)))


def likeliest(sample: ClassSizes) -> tuple[float, float]:
    """θ > −α and 0 ≤ α < 1 of maximum likelihood, for a sample with more than one class but fewer than records.

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
    """The θ of maximum likelihood for this α."""
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
    """The slope of the likelihood in α, each α with its best θ."""
    from scipy.special import digamma

    n, u = sample.records, sample.classes
    theta = theta_of(sample, alpha)
    harmonic = float(digamma(theta + n) - digamma(theta + 1))  # Σ 1 / (θ + i α), of i from 1 to u − 1
    repeated = float((sample.counts * (digamma(sample.sizes - alpha) - digamma(1 - alpha))).sum())
    return ((u - 1) - theta * harmonic) / alpha - repeated


SLIDE_NEGATIVE_BINOMIAL = "slide negative binomial"
ALPHAS, ODDS = (-4.0, -1.0, 1.0), (-6.0, -3.0, -1.0, 1.0)  # logarithms of α and of β / (1 − β) at which searches begin
CLOSE = 1e-7  # relative difference at which an equation counts as solved


def slide_negative_binomial(sample: ClassSizes, population: int) -> Estimate:
    """Population uniques of K classes whose sizes are P(F = j) = Γ(α + j − 1) / (Γ(j) Γ(α)) (1 − β)^(j − 1) β^α.

    K is Shlosser's estimate. α and β make the expected numbers of classes of one and of two records those of the
    sample; of several pairs, the one whose K classes hold closest to N people. K β^α classes are uniques.

    Parameters
    ----------
    population : N; at least the records of the sample. The sample's own uniques are those of a sample of everybody.

    References
    ----------
    G. Chen, S. Keller-McNulty, "Estimation of identification disclosure risk in microdata", Journal of Official
    Statistics 14 (1998).

    >>> round(slide_negative_binomial(ClassSizes.of([1] * 20 + [2] * 5 + [3, 7]), 100).uniques, 1)
    29.9
    """
    if not sample.uniques:
        return Estimate(SLIDE_NEGATIVE_BINOMIAL, 0.0)
    if population == sample.records:
        return Estimate(SLIDE_NEGATIVE_BINOMIAL, float(sample.uniques))
    if not sample.having(2):
        return Estimate(
            SLIDE_NEGATIVE_BINOMIAL,
            None,
            "No group has exactly two records, so one equation of the model is missing.",
        )
    share = sample.records / population
    classes = population_classes(sample, share)
    pairs = solutions(sample, classes, share)
    if not pairs:
        return Estimate(
            SLIDE_NEGATIVE_BINOMIAL, None, "The model cannot reproduce the numbers of groups of one and of two records."
        )
    alpha, beta = min(pairs, key=lambda pair: abs(classes * (1 + pair[0] * (1 - pair[1]) / pair[1]) - population))
    return Estimate(SLIDE_NEGATIVE_BINOMIAL, min(classes * beta**alpha, float(population)))


def population_classes(sample: ClassSizes, share: float) -> float:
    """K: how many classes the population has, by Shlosser's estimator as Haas and Stokes modified it.

    References
    ----------
    P. Haas, L. Stokes, "Estimating the number of classes in a finite population", JASA 93 (1998), equation 26.

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
    """Expected numbers of classes of one and of two records in a sample that has each person with probability `share`.

    >>> [round(number, 3) for number in expected(100, 0.5, 1.0, 0.5)]  # sizes are geometric: 1/2, 1/4, 1/8, …
    [44.444, 14.815]
    """
    passed = (1 - share) * (1 - beta)
    common = classes * share * math.exp(alpha * (math.log(beta) - math.log1p(-passed)))
    one = common * (1 + alpha * passed / (1 - passed))
    return one, common * alpha * share * (1 - beta) * (2 - (1 - alpha) * passed) / (2 * (1 - passed) ** 2)


def solutions(sample: ClassSizes, classes: float, share: float) -> list[tuple[float, float]]:
    """Pairs of α and β for which the expected numbers of classes of one and of two records are those of the sample."""
    from scipy.optimize import least_squares

    target = np.log([sample.uniques, sample.having(2)])

    def parameters(place: np.ndarray) -> tuple[float, float]:
        return math.exp(place[0]), 1 / (1 + math.exp(-place[1]))

    def apart(place: np.ndarray) -> np.ndarray:
        return np.log(np.maximum(expected(classes, share, *parameters(place)), 1e-300)) - target

    pairs: list[tuple[float, float]] = []
    for start in np.array(np.meshgrid(ALPHAS, ODDS)).T.reshape(-1, 2):
        best = least_squares(apart, start, bounds=((-14, -25), (12, 25)), xtol=1e-14, ftol=1e-14, gtol=1e-14)
        pair = parameters(best.x)
        if np.abs(best.fun).max() < CLOSE and not any(np.allclose(pair, other, rtol=1e-4) for other in pairs):
            pairs.append(pair)
    return pairs


ZAYATZ = "Zayatz"


def zayatz(sample: ClassSizes, population: int) -> Estimate:
    """Population uniques, if class sizes are as frequent in the population as in the sample.

    By Bayes' rule a sample unique is a population unique with the probability p₁ h(1) / Σⱼ pⱼ h(j), where pⱼ is the
    share of classes of the size j and h(j) the probability that a sample of n of N has one record of a class of j.

    Parameters
    ----------
    population : N; at least the records of the sample.

    References
    ----------
    L. Zayatz, "Estimation of the Percent of Unique Population Elements on a Microdata File Using the Sample", Bureau of
    the Census, Statistical Research Division RR-91/08, 1991.

    >>> round(zayatz(ClassSizes.of([1, 1, 1, 2]), 10).uniques, 3)
    4.378
    """
    if not sample.uniques:
        return Estimate(ZAYATZ, 0.0)
    shares = sample.counts / sample.classes
    one = one_record(sample.sizes, population, sample.records)
    alone = shares[0] * one[0] / float((shares * one).sum())
    return Estimate(ZAYATZ, float(sample.uniques * alone * population / sample.records))


def one_record(sizes: np.ndarray, population: int, records: int) -> np.ndarray:
    """(d,) The probability that a sample without replacement has one record of a class of each size, hypergeometric.

    >>> one_record(np.array([1, 2, 3]), 4, 2).tolist()  # of 2 of 4: 1/2; 2 × 2 / 6; 3 × 1 / 6
    [0.5, 0.6666666666666666, 0.5]
    """
    drawn = np.arange(1, int(sizes.max()))
    left = np.maximum(population - records - drawn + 1, 0) / np.maximum(population - drawn, 1)
    with np.errstate(divide="ignore"):
        logarithms = np.concatenate([[0.0], np.cumsum(np.log(left))])
    probabilities: np.ndarray = sizes * (records / population) * np.exp(logarithms[sizes - 1])
    return probabilities
