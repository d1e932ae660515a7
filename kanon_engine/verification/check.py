"""One claim of a result, and whether it holds."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_engine.shown import Shown

COST = "cost"  # the check that works the cost out again, which no certificate is without


@dataclass(frozen=True)
class Check(Shown):
    """One claim and whether it holds.

    Attributes
    ----------
    name : str
    passed : bool
    detail : str
        What was found, in words, with the numbers.
    """

    name: str
    passed: bool
    detail: str
