"""One claim of a result, and whether it holds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
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
