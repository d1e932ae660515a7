"""The risk of single records of a weighted sample, as mu-Argus and sdcMicro estimate it."""

from __future__ import annotations

import numpy as np

RECURSION = 30  # class sizes up to which the recursion is used; above, the series converges quickly
TERMS = 80


def individual_risk(sizes: np.ndarray, population_sizes: np.ndarray) -> np.ndarray:
    """The expected 1 / F of each class, where F is its unknown size in the population.

    F of a class of f records is taken for negative binomial with the success probability p = f / F̂, F̂ being the sum of
    its records' sampling weights. E(1 / F) = ∫ yᶠ⁻¹ p / (p + (1 − p) y) dy over 0 to 1.

    Parameters
    ----------
    sizes : (m,) whole numbers of at least 1
        f.
    population_sizes : (m,) numbers, at least `sizes`
        F̂.

    Returns
    -------
    (m,) float64
        Between 1 / F̂ and 1 / f; exact but for rounding.

    References
    ----------
    R. Benedetti, L. Franconi, "Statistical and technological solutions for controlled data dissemination", NTTS 1998;
    S. Polettini, G. Seri, "Guidelines for the protection of social micro-data using individual risk methodology",
    CASC 2003.

    Example
    -------
    Two of the classes of sdcMicro's own test of `indivRisk`: 1 record of weight 45.5, 3 records that weigh 108.

    >>> individual_risk(np.array([1, 3]), np.array([45.5, 108])).round(8).tolist()
    [0.08579129, 0.01355297]
    """
    size = np.asarray(sizes, dtype=float)
    chance = np.minimum(size / np.asarray(population_sizes, dtype=float), 1.0)
    found = _series(size, chance)
    low = (chance < 0.5) & (size <= RECURSION)
    if low.any():
        found[low] = _recursion(size[low].astype(np.int64), chance[low])
    return found


def _series(size: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """p / f (1 + (1 − p) / (f + 1) + 2 (1 − p)² / ((f + 1) (f + 2)) + …); each term is at most 1 − p of the last."""
    term, total = np.ones_like(chance), np.ones_like(chance)
    for number in range(1, TERMS):
        term = term * number * (1 - chance) / (size + number)
        total += term
    return chance / size * total


def _recursion(size: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """I₁ = p / (1 − p) log(1 / p), I of f + 1 = p / (1 − p) (1 / f − I of f); errors shrink where p is below 1/2."""
    odds = chance / (1 - chance)
    own = odds * -np.log(chance)
    found = own.copy()
    for number in range(1, int(size.max())):
        own = odds * (1 / number - own)
        found = np.where(size == number + 1, own, found)
    return found
