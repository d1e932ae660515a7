"""What the sizes of released classes reveal by themselves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from kanon_engine.model.measure import Measure
from kanon_engine.model.words import counted
from kanon_engine.release.audit_figures import MOST_COLUMNS
from kanon_engine.release.released import Released
from kanon_engine.release.sets import special_uniques
from kanon_engine.risk.words import average_chance, chance, decimal, of_all

EL_EMAM = "K. El Emam, F. Dankar, “Protecting Privacy Using k-Anonymity”, JAMIA 15, 2008"
NOTHING = "nothing is released"


def fewest_safe(threshold: float) -> int:
    """The size from which on the risk of a group, 1 / size, is not above a threshold.

    >>> [fewest_safe(threshold) for threshold in (1, 0.2, 0.09, 1 / 3)]
    [1, 5, 12, 3]
    """
    fewest = math.ceil(1 / Fraction(float(threshold)))
    # 1 / size is rounded where risks are computed, so it can equal a threshold that is a little below the exact value
    return fewest - 1 if fewest > 1 and 1 / (fewest - 1) <= threshold else fewest


def sample_measures(released: Released, threshold: float) -> Iterator[Measure]:
    """Class sizes, prosecutor risk, and uniques.

    Parameters
    ----------
    threshold : Risk above which a record counts as at risk.
    """
    sizes, unit, n = released.sizes[released.sizes > 0], released.unit, released.records
    yield Measure(
        "records",
        "Released",
        n,
        f"{n:,} {unit}",
        f"The number of {unit} in the release.",
        "n = Σ fⱼ over all groups j, fⱼ: size of group j",
    )
    smallest = int(sizes.min()) if n else None
    yield Measure(
        "k-reached",
        "Smallest group",
        smallest,
        NOTHING if smallest is None else f"{smallest:,}",
        f"The smallest number of {unit} that share the same values in all quasi-identifiers: the k that the release "
        "reaches.",
        "min fⱼ. L. Sweeney, “k-Anonymity”, IJUFKS 10, 2002",
    )
    average = n / len(sizes) if n else None
    yield Measure(
        "average-class",
        "Average group",
        average,
        NOTHING if average is None else f"{decimal(average)} in {counted(len(sizes), 'group')}",
        f"How many {unit} share the same values, on average.",
        "n / m, m groups. K. LeFevre, D. DeWitt, R. Ramakrishnan, “Mondrian”, ICDE 2006 (before dividing by k)",
    )
    yield from _prosecutor(sizes, n, unit, threshold)
    yield from _uniques(released, sizes)


def _prosecutor(sizes: np.ndarray, n: int, unit: str, threshold: float) -> Iterator[Measure]:
    """Risk from someone who knows that a person is in the release."""
    highest = 1 / int(sizes.min()) if n else None
    yield Measure(
        "prosecutor-highest",
        "Highest prosecutor risk",
        highest,
        NOTHING if highest is None else chance(int(sizes.min())),
        "Largest chance of picking the record of a person who is known to be in the release.",
        f"max 1 / fⱼ. {EL_EMAM}; ARX: “highest risk”",
    )
    average = len(sizes) / n if n else None
    yield Measure(
        "prosecutor-average",
        "Average prosecutor risk",
        average,
        NOTHING if average is None else average_chance(average),
        "The same chance as in “Highest prosecutor risk”, averaged over the released records.",
        f"m / n. {EL_EMAM}; ARX: “average prosecutor risk”",
    )
    at_risk = int(sizes[1 / sizes > threshold].sum())
    yield Measure(
        "prosecutor-above",
        f"Records with a prosecutor risk above {decimal(threshold)}",
        at_risk / n if n else None,
        of_all(at_risk, n, unit) if n else NOTHING,
        f"Share of {unit} in groups of fewer than {fewest_safe(threshold):,} {unit}.",
        f"Σ fⱼ over groups with 1 / fⱼ > {decimal(threshold)}, divided by n. {EL_EMAM}; ARX: “records at risk”",
    )


def _uniques(released: Released, sizes: np.ndarray) -> Iterator[Measure]:
    """Uniques, and by how few columns."""
    n, unit = released.records, released.unit
    alone = int((sizes == 1).sum())
    yield Measure(
        "sample-uniques",
        "Sample uniques",
        alone,
        of_all(alone, n, unit),
        f"{unit.capitalize()} with a combination of quasi-identifier values that occurs only once.",
        "number of groups that have only one record (groups j with fⱼ = 1)",
    )
    title, meaning = (
        "Singled out by at most three quasi-identifiers",
        "Anyone who knows these few values of a person can find the person's record.",
    )
    source = "Minimal sample uniques of up to 3 columns. M. Elliot, A. Manning, R. Ford, IJUFKS 10, 2002 (SUDA)"
    names = released.quasi_identifiers
    why = ""
    if released.counts is not None:
        why = "not computed: groups are released, not records"
    elif len(names) > MOST_COLUMNS:
        why = f"not computed: {len(names):,} quasi-identifiers have too many combinations"
    elif not n:
        why = NOTHING
    if why:
        yield Measure("minimal-uniques", title, None, why, meaning, source)
        return
    uniques = special_uniques([released.sets([name]) for name in names], released.weights)
    singled = int(np.logical_or.reduce(list(uniques.values())).sum()) if uniques else 0
    yield Measure("minimal-uniques", title, singled, of_all(singled, n, unit), meaning, source)


# ---------------------------------------------------------------------------------------------------------------------
# The risk of individual records of a weighted sample, as mu-Argus and sdcMicro estimate it.
# ---------------------------------------------------------------------------------------------------------------------


RECURSION = 30  # class sizes up to which the recursion is used; above, the series converges quickly
TERMS = 80


def individual_risk(sizes: np.ndarray, population_sizes: np.ndarray) -> np.ndarray:
    """The expected 1 / F of each class, where F is its unknown size in the population.

    F of a class of f records is assumed negative binomial with the success probability p = f / F̂, F̂ being the sum of
    its records' sampling weights. E(1 / F) = ∫ yᶠ⁻¹ p / (p + (1 − p) y) dy over 0 to 1.

    Parameters
    ----------
    sizes : (m,) whole numbers of at least 1. f.
    population_sizes : (m,) numbers, at least `sizes`. F̂.

    Returns
    -------
    (m,) float64 : Between 1 / F̂ and 1 / f; exact but for rounding.

    References
    ----------
    R. Benedetti, L. Franconi, "Statistical and technological solutions for controlled data dissemination", NTTS 1998;
    S. Polettini, G. Seri, "Guidelines for the protection of social micro-data using individual risk methodology",
    CASC 2003.

    Two of the classes of sdcMicro's own test of `indivRisk`: 1 record of weight 45.5, 3 records that weigh 108.

    >>> individual_risk(np.array([1, 3]), np.array([45.5, 108])).round(8).tolist()
    [0.08579129, 0.01355297]
    """
    size = np.asarray(sizes, dtype=float)
    chance = np.minimum(size / np.asarray(population_sizes, dtype=float), 1.0)
    risks = _series(size, chance)
    low = (chance < 0.5) & (size <= RECURSION)
    if low.any():
        risks[low] = _recursion(size[low].astype(np.int64), chance[low])
    return risks


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
    risk = odds * -np.log(chance)
    risks = risk.copy()
    for number in range(1, int(size.max())):
        risk = odds * (1 / number - risk)
        risks = np.where(size == number + 1, risk, risks)
    return risks
