"""What the groups of a person in several releases make likely together, where no value is certain."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from scipy.special import gammaln

LARGEST = 1_000  # people who can be in all groups, where it is not known how many are


def joint_beliefs(counts: np.ndarray, sizes: Sequence[int], prior: np.ndarray, shared: int | None) -> np.ndarray:
    """How likely each value is for a person who is in all of these groups.

    The values of all people are drawn from `prior`, one by one. Of the groups it is known how many of their records
    have each value, and that `shared` people are in all of them; where that is None, each number from 1 on is equally
    likely beforehand. What other groups tell of these people is not looked at.

    Guarantee: exact but for rounding.

    Parameters
    ----------
    counts : (releases, v) int64
        How many records of the person's group have each value.
    sizes : (releases,) ints
        How many records each group has, those of other values among them.
    prior : (v,) float64
        The share of each value, above 0.
    shared : int or None
        How many people are in all of these groups, the person among them.

    Returns
    -------
    (v,) float64
        0 everywhere where the groups cannot have so many people in common.

    Complexity
    ----------
    v² times the square of the number of people who can be in all groups.

    References
    ----------
    S. Ganta, S. Kasiviswanathan, A. Smith, "Composition Attacks and Auxiliary Information in Data Privacy", KDD 2008,
    for the attack; the belief is Bayes' rule.

    Example
    -------
    >>> groups = np.array([[4, 2], [4, 2]])  # of flu and cold; each of the groups has four others
    >>> joint_beliefs(groups, [10, 10], np.array([0.4, 0.4]), 1)
    array([0.8, 0.2])
    """
    least = counts.min(axis=0)
    most = int(min(least.sum(), *sizes)) if shared is None else shared
    if not 0 < most <= least.sum():
        return np.zeros(len(prior))
    terms = [_term(counts[:, at], prior[at], most) for at in range(len(prior))]
    before = list(accumulate(terms, lambda one, other: _product(one, other, most), initial=np.zeros(1)))
    after = list(accumulate(terms[::-1], lambda one, other: _product(one, other, most), initial=np.zeros(1)))[::-1]
    many = np.arange(1, most + 1)
    ways = _filled(before[-1], most)[1:]
    weights = ways + gammaln(many + 1) + sum(gammaln(size - many + 1) for size in sizes)
    weights = weights if shared is None else np.where(many == shared, weights, -np.inf)
    weights = np.exp(weights - weights.max())
    found = np.zeros(len(prior))
    for at, term in enumerate(terms):
        with np.errstate(divide="ignore"):
            own = np.log(np.arange(len(term))) + term
        people = _filled(_product(_product(before[at], own, most), after[at + 1], most), most)[1:]
        found[at] = (weights * np.exp(people - ways, where=weights > 0, out=np.zeros(most)) / many).sum()
    return found / weights.sum()


def _term(counts: np.ndarray, prior: float, most: int) -> np.ndarray:
    """(x + 1,) float64: the logarithm of in how many ways x of the shared people have a value, weighed by its share."""
    people = np.arange(min(int(counts.min()), most) + 1)
    others = gammaln(counts[:, None] - people + 1).sum(axis=0)
    return -(len(counts) - 1) * np.log(prior) * people - gammaln(people + 1) - others


def _product(one: np.ndarray, other: np.ndarray, most: int) -> np.ndarray:
    """The product of two polynomials, up to the power `most`, of whose coefficients the logarithms are known."""
    one, other = (one, other) if len(one) >= len(other) else (other, one)
    found = np.full(min(len(one) + len(other) - 1, most + 1), -np.inf)
    for power, value in enumerate(other[: most + 1].tolist()):
        if value > -np.inf:
            rest = found[power : power + len(one)]
            np.logaddexp(rest, one[: len(rest)] + value, out=rest)
    return found


def _filled(one: np.ndarray, most: int) -> np.ndarray:
    return np.concatenate([one, np.full(most + 1 - len(one), -np.inf)])
