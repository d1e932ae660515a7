"""The share of people that an attack exposes, for those that it was not run on."""

from __future__ import annotations

LEVEL = 0.95


def exact_interval(found: int, of: int, level: float = LEVEL) -> tuple[float, float]:
    """Exact binomial interval of a share; (0, 1) of nobody.

    Each end is the share at which what was found, or anything farther off, has half of what the level leaves.

    References
    ----------
    C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial",
    Biometrika 1934.

    Example
    -------
    >>> low, high = exact_interval(0, 10)  # none of ten: 1 - (1 - 0.95) / 2 = 0.975 = 1 - (1 - p)^10
    >>> low, round(high, 4)
    (0.0, 0.3085)
    """
    from scipy.stats import beta

    rest = (1 - level) / 2
    low = 0.0 if found == 0 else float(beta.ppf(rest, found, of - found + 1))
    high = 1.0 if found == of else float(beta.ppf(1 - rest, found + 1, of - found))
    return low, high
