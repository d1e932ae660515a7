"""The worst instances that a visit has found."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from kanon_engine.teaching.studies.beat import Duel
from kanon_engine.teaching.studies.draft import Draft

KEPT = 5  # of each opponent
_KEY = "beat_worst"


@dataclass(frozen=True)
class Found:
    """An instance that somebody drew or loaded.

    Attributes
    ----------
    family, opponent : str
    k, seed : int
    draft : Draft
    ratio : float
        Cost / optimum, which is proven.
    cost, optimum : float
    """

    family: str
    opponent: str
    k: int
    seed: int
    draft: Draft
    ratio: float
    cost: float
    optimum: float


def note(draft: Draft, opponent: str, k: int, seed: int, found: Duel) -> None:
    """Keep it if it is among the worst of this opponent; a ratio to a mere bound does not count."""
    if not found.optimum_is_proven or not 1 < found.ratio < float("inf"):
        return
    new = Found(draft.family, opponent, k, seed, draft, found.ratio, found.cost, found.optimum)
    own = [one for one in worst() if (one.family, one.opponent) == (new.family, new.opponent)]
    others = [one for one in worst() if one not in own]
    kept = sorted({new, *own}, key=lambda one: (-one.ratio, len(one.draft.items) + len(one.draft.rows)))[:KEPT]
    st.session_state[_KEY] = sorted([*others, *kept], key=lambda one: -one.ratio)


def worst() -> list[Found]:
    """All that is kept, the worst first."""
    found: list[Found] = st.session_state.get(_KEY, [])
    return found
