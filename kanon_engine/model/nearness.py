"""How near a cost is to the best possible, in words that never make it better than it is."""

from __future__ import annotations

import math

UNKNOWN = "How far this is from the best possible is not known."


def within_words(gap: float) -> str:
    """How far a cost is from its bound, as words before "the best possible".

    Example
    -------
    >>> within_words(0.0241), within_words(1.5)
    ('within 2.5 % of', 'at most 2.5 times')
    """
    return f"within {percent(gap)} of" if gap < 1 else f"at most {math.ceil(10 * gap + 10 - 1e-9) / 10:,.1f} times"


def best_possible(proof: str) -> str:
    """What may be said of an optimum.

    Example
    -------
    >>> best_possible("checked"), best_possible("solver")
    ('proven best possible', 'best possible by the search’s word')
    """
    return "proven best possible" if proof == "checked" else f"best possible{by_word(proof)}"


def by_word(proof: str) -> str:
    """Nothing where the claim was checked."""
    return "" if proof == "checked" else " by the search’s word"


def percent(share: float) -> str:
    """A share in words, never rounded down to nothing and never made better than it is.

    Example
    -------
    >>> percent(0.0241), percent(0.00001), percent(1.5)
    ('2.5 %', '0.1 %', '150 %')
    """
    tenths = -(-share * 1000 // 1)
    return f"{tenths / 10:.1f} %" if tenths < 200 else f"{-(-share * 100 // 1):.0f} %"
