"""An estimate of population uniques."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_engine.shown import Shown


@dataclass(frozen=True)
class Estimate(Shown):
    """What an estimator finds.

    Attributes
    ----------
    estimator : str
        "Zayatz", "Pitman" or "slide negative binomial".
    uniques : float or None
        People who are alone in the population with what the release would show of them; None where it finds no number.
    why : str
        Why there is none, a sentence; else empty.
    """

    estimator: str
    uniques: float | None
    why: str = ""
