"""Zayatz' estimator: which sample uniques come from a class of one."""

from __future__ import annotations

import numpy as np

from kanon_engine.risk.population_uniques.class_sizes import ClassSizes
from kanon_engine.risk.population_uniques.estimate import Estimate

NAME = "Zayatz"


def zayatz(sample: ClassSizes, population: int) -> Estimate:
    """Population uniques, where sizes of classes are as frequent in the population as in the sample.

    By Bayes' rule a sample unique is a population unique with the probability p₁ h(1) / Σⱼ pⱼ h(j), where pⱼ is the
    share of classes of the size j and h(j) the probability that a sample of n of N has one record of a class of j.

    Parameters
    ----------
    sample : ClassSizes
    population : int
        N; at least the records of the sample.

    References
    ----------
    L. Zayatz, "Estimation of the Percent of Unique Population Elements on a Microdata File Using the Sample", Bureau of
    the Census, Statistical Research Division RR-91/08, 1991.

    Example
    -------
    >>> round(zayatz(ClassSizes.of([1, 1, 1, 2]), 10).uniques, 3)
    4.378
    """
    if not sample.uniques:
        return Estimate(NAME, 0.0)
    shares = sample.counts / sample.classes
    one = one_record(sample.sizes, population, sample.records)
    alone = shares[0] * one[0] / float((shares * one).sum())
    return Estimate(NAME, float(sample.uniques * alone * population / sample.records))


def one_record(sizes: np.ndarray, population: int, records: int) -> np.ndarray:
    """(d,) The probability that a sample without replacement has one record of a class of each size, hypergeometric.

    Example
    -------
    >>> one_record(np.array([1, 2, 3]), 4, 2).tolist()  # of 2 of 4: 1/2; 2 × 2 / 6; 3 × 1 / 6
    [0.5, 0.6666666666666666, 0.5]
    """
    drawn = np.arange(1, int(sizes.max()))
    left = np.maximum(population - records - drawn + 1, 0) / np.maximum(population - drawn, 1)
    with np.errstate(divide="ignore"):
        logarithms = np.concatenate([[0.0], np.cumsum(np.log(left))])
    found: np.ndarray = sizes * (records / population) * np.exp(logarithms[sizes - 1])
    return found
