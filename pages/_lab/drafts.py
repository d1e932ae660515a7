"""What is drawn on the page “Beat the algorithm”, and what was drawn before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import streamlit as st

import kanon_engine as kanon
from kanon_engine.teaching.studies.beat import opponents
from kanon_engine.teaching.studies.draft import Draft, emptied
from kanon_engine.teaching.studies.instances import SMALL, TIGHT
from pages._lab.board import UNDO
from pages._lab.worst import Found
from pages._shared.wording import on_page

MOST_PAST = 60


@dataclass
class Sheet:
    """A drawing of a family, with its past.

    Attributes
    ----------
    draft : Draft
    past : list of Draft
        The last one is what an undo brings back.
    version : int
        Another one whenever the drawing changes, so that fields that show it begin anew.
    fault : str
        What is wrong with what was entered last.
    loaded : Loadable or None
        The instance of a list that is drawn; None where it was changed since.
    """

    draft: Draft
    past: list[Draft] = field(default_factory=list)
    version: int = 0
    fault: str = ""
    loaded: Loadable | None = None

    @property
    def how(self) -> str:
        """How the drawing comes about, where it is a tight instance."""
        return "" if self.loaded is None else self.loaded.how

    def how_against(self, opponent: str, k: int, seed: int) -> str:
        """The same; "" where it was loaded for another opponent, k or seed, of which it says nothing."""
        asked = None if self.loaded is None else (self.loaded.opponent, self.loaded.k, self.loaded.seed)
        return self.how if asked == (opponent, k, seed) else ""

    def put(self, draft: Draft) -> None:
        """Draw this instead."""
        self.fault = ""
        if draft != self.draft:
            self.past = [*self.past, self.draft][-MOST_PAST:]
            self.draft, self.loaded = draft, None
            self.version += 1

    def undo(self) -> None:
        """Bring back what was there before."""
        self.fault = ""
        if self.past:
            self.draft, self.loaded = self.past.pop(), None
            self.version += 1

    def enter(self, make: Callable[[], Draft]) -> None:
        """Draw what was entered, or say what is wrong with it."""
        try:
            self.put(make())
        except kanon.KanonError as error:
            self.fault = on_page(error)
            self.version += 1

    def heard(self, text: str) -> None:
        """What the board tells."""
        if text == UNDO:
            self.undo()
        else:
            self.enter(lambda: Draft.of_text(self.draft.family, text))


@dataclass(frozen=True)
class Loadable:
    """An instance of a list.

    Attributes
    ----------
    title, how : str
    opponent : str
        Against whom; "" where it says nothing.
    k, seed : int
    make : callable
    """

    title: str
    how: str
    opponent: str
    k: int
    seed: int
    make: Callable[[], Any]


def loadables(family: str) -> list[Loadable]:
    """The tight instances of a family, then small ones that prove nothing."""
    tight = [
        Loadable(one.title, one.how, one.opponent, one.k, one.seed, partial(one.instance, one.k))
        for one in TIGHT.values()
        if one.family == family
    ]
    return [*tight, *(Loadable(one.title, "", "", one.k, 0, one.make) for one in SMALL[family])]


def sheet_of(family: str) -> Sheet:
    """The drawing of a family; at first its first tight instance."""
    key = f"beat_sheet_{family}"
    if key not in st.session_state:
        first = loadables(family)[0]
        st.session_state[key] = Sheet(Draft.of_instance(first.make()), loaded=first)
        _set(family, first.opponent, first.k, first.seed)
    found: Sheet = st.session_state[key]
    return found


def load(family: str, chosen: Loadable) -> None:
    """Draw an instance of a list, with its k and its opponent."""
    _put_anew(family, Draft.of_instance(chosen.make()))
    sheet_of(family).loaded = chosen
    _set(family, chosen.opponent, chosen.k, chosen.seed)


def load_found(found: Found) -> None:
    """Draw one of the worst instances again."""
    st.session_state["beat_family"] = found.family
    _put_anew(found.family, found.draft)
    _set(found.family, found.opponent, found.k, found.seed)


def clear(family: str) -> None:
    """Begin with an empty sheet."""
    _put_anew(family, emptied(sheet_of(family).draft))


def scope_of(family: str) -> str:
    """The session's entry that tells one drawing of a family from another that took its place."""
    return f"beat_scope_{family}"


def _put_anew(family: str, draft: Draft) -> None:
    """Draw something else; what the board still tells of the drawing before is dropped."""
    sheet_of(family).put(draft)
    st.session_state[scope_of(family)] = st.session_state.get(scope_of(family), 0) + 1


def _set(family: str, opponent: str, k: int, seed: int) -> None:
    if opponent or f"beat_opponent_{family}" not in st.session_state:
        st.session_state[f"beat_opponent_{family}"] = opponent or opponents(family)[0].name
    st.session_state[f"beat_k_{family}"] = k
    st.session_state[f"beat_seed_{family}"] = seed
