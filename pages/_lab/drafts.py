"""The drawing on the page “Beat the algorithm”, and its history."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from streamlit import runtime

import kanon_engine as kanon
from kanon_engine.model.generalization import Generalization
from kanon_engine.plot.colors import palette
from kanon_engine.teaching.studies.beat import MOST, Duel, opponents
from kanon_engine.teaching.studies.draft import Draft, emptied
from kanon_engine.teaching.studies.instances import SMALL, TIGHT
from pages._shared.widgets import component, hearing, listener
from pages._shared.wording import on_page

MOST_PAST = 60


@dataclass
class DraftSheet:
    """A drawing of a family, with its history."""

    draft: Draft
    past: list[Draft] = field(default_factory=list)  # an undo restores the last one
    version: int = 0  # changes with the drawing, so that fields that show it are reset
    fault: str = ""  # error in the last entry
    loaded: Loadable | None = None  # the listed instance that is drawn; None if it was changed since

    @property
    def how(self) -> str:
        """How the instance was constructed, if it is a tight one."""
        return "" if self.loaded is None else self.loaded.how

    def how_against(self, opponent: str, k: int, seed: int) -> str:
        """The same; "" if it was loaded for another opponent, k or seed, about which it says nothing."""
        opposition = None if self.loaded is None else (self.loaded.opponent, self.loaded.k, self.loaded.seed)
        return self.how if opposition == (opponent, k, seed) else ""

    def put(self, draft: Draft) -> None:
        """Draw this instead."""
        self.fault = ""
        if draft != self.draft:
            self.past = [*self.past, self.draft][-MOST_PAST:]
            self.draft, self.loaded = draft, None
            self.version += 1

    def undo(self) -> None:
        """Restore the previous drawing."""
        self.fault = ""
        if self.past:
            self.draft, self.loaded = self.past.pop(), None
            self.version += 1

    def enter(self, make: Callable[[], Draft]) -> None:
        """Draw the entry, or set the error."""
        try:
            self.put(make())
        except kanon.KanonError as error:
            self.fault = on_page(error)
            self.version += 1

    def heard(self, text: str) -> None:
        """Handle a message of the board."""
        if text == UNDO:
            self.undo()
        else:
            self.enter(lambda: Draft.of_text(self.draft.family, text))


@dataclass(frozen=True)
class Loadable:
    """An instance of a list."""

    title: str
    how: str
    opponent: str  # opponent; "" if it is about none
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


def sheet_of(family: str) -> DraftSheet:
    """The drawing of a family; initially the instance of the link, or its first tight one."""
    key = f"beat_sheet_{family}"
    if key not in st.session_state:
        first = loadables(family)[st.session_state.get(first_of(family), 0)]
        st.session_state[key] = DraftSheet(Draft.of_instance(first.make()), loaded=first)
        if f"beat_k_{family}" not in st.session_state:
            _set(family, first.opponent, first.k, first.seed)
    sheet: DraftSheet = st.session_state[key]
    return sheet


def first_of(family: str) -> str:
    """The session key of the number of the instance with which the drawing of a family begins."""
    return f"beat_first_{family}"


def load(family: str, chosen: Loadable) -> None:
    """Draw an instance of a list, with its k and its opponent."""
    _replace_draft(family, Draft.of_instance(chosen.make()))
    sheet_of(family).loaded = chosen
    _set(family, chosen.opponent, chosen.k, chosen.seed)


def load_result(result: DraftResult) -> None:
    """Draw one of the worst instances again."""
    st.session_state["beat_family"] = result.family
    _replace_draft(result.family, result.draft)
    _set(result.family, result.opponent, result.k, result.seed)


def clear(family: str) -> None:
    """Begin with an empty sheet."""
    _replace_draft(family, emptied(sheet_of(family).draft))


def scope_of(family: str) -> str:
    """The session key that distinguishes a drawing of a family from one that replaced it."""
    return f"beat_scope_{family}"


def _replace_draft(family: str, draft: Draft) -> None:
    """Draw something else; late messages of the board about the previous drawing are dropped."""
    sheet_of(family).put(draft)
    st.session_state[scope_of(family)] = st.session_state.get(scope_of(family), 0) + 1


def _set(family: str, opponent: str, k: int, seed: int) -> None:
    if opponent or f"beat_opponent_{family}" not in st.session_state:
        st.session_state[f"beat_opponent_{family}"] = opponent or opponents(family)[0].name
    st.session_state[f"beat_k_{family}"] = k
    st.session_state[f"beat_seed_{family}"] = seed


# ---------------------------------------------------------------------------------------------------------------------
# Points, areas or labels to draw by hand, with their groups.
# ---------------------------------------------------------------------------------------------------------------------


UNDO = "undo"  # sent by the browser in place of a drawing
KINDS = {"regions": "graph", "rectangles": "points", "clusters": "points", "labels": "bars"}
NOUNS = {"regions": "Area", "rectangles": "Point", "clusters": "Record", "labels": "Label"}
UNITS = {"regions": "people", "rectangles": "records", "clusters": "records", "labels": "records"}
COLORS = 12

_component = component("board", Path(__file__).parent / "board_component")


def board(
    draft: Draft,
    g: Generalization | None,
    k: int,
    *,
    key: str,
    height: int,
    past: bool,
    entered: Callable[[str], None],
    scope: str,
) -> None:
    """Show an editable drawing, colored by the groups of a result.

    Parameters
    ----------
    draft : Not of a table.
    g : Result of this drawing, or None.
    height : Pixels.
    past : Whether an undo is possible.
    entered : Called with the new drawing as `Draft.text`, or with `UNDO`, before the page is run again.
    scope : As in `hearing`.
    """
    if not runtime.exists():  # a page that is run as a plain script has nobody to show it to
        return
    data = {
        "kind": KINDS[draft.family],
        "noun": NOUNS[draft.family],
        "unit": UNITS[draft.family],
        "label": "A drawing. Pick an item to move it with the arrow keys, change it with plus and minus, or delete it.",
        "text": draft.text,
        "least": 0 if draft.family == "regions" else 1,
        "most": MOST,
        "k": k,
        "height": height,
        "past": past,
        "palette": palette(MOST),
        **drawn_groups(g),
    }
    _component(key=key, data=data | hearing(key, scope), on_entered_change=listener(key, entered, scope))


def drawn_groups(g: Generalization | None) -> dict[str, list[list[float]] | list[int]]:
    """The group of each item, rectangles and circles, as the browser draws them."""
    if g is None:
        return {"groups": [], "boxes": [], "circles": []}
    numbers = np.arange(g.classes)
    boxes = np.column_stack([g.details.rectangles, numbers]).tolist() if g.family == "rectangles" else []
    circles = []
    if g.family == "clusters":
        circles = np.column_stack([g.details.centers, g.details.radii, numbers]).tolist()
    return {"groups": g.assignment.tolist(), "boxes": boxes, "circles": circles}


# ---------------------------------------------------------------------------------------------------------------------
# The worst instances found in a visit.
# ---------------------------------------------------------------------------------------------------------------------


KEPT = 5  # of each opponent
_KEY = "beat_worst"


@dataclass(frozen=True)
class DraftResult:
    """An instance that was drawn or loaded."""

    family: str
    opponent: str
    k: int
    seed: int
    draft: Draft
    ratio: float  # cost / optimum, which is proven
    cost: float
    optimum: float


def note(draft: Draft, opponent: str, k: int, seed: int, result: Duel) -> None:
    """Keep it if it is among the worst for this opponent; a ratio to a bound does not count."""
    if not result.optimum_is_proven or not 1 < result.ratio < float("inf"):
        return
    new = DraftResult(draft.family, opponent, k, seed, draft, result.ratio, result.cost, result.optimum)
    same_opponent = [one for one in worst() if (one.family, one.opponent) == (new.family, new.opponent)]
    others = [one for one in worst() if one not in same_opponent]
    hardest = sorted({new, *same_opponent}, key=lambda one: (-one.ratio, len(one.draft.items) + len(one.draft.rows)))[
        :KEPT
    ]
    st.session_state[_KEY] = sorted([*others, *hardest], key=lambda one: -one.ratio)


def worst() -> list[DraftResult]:
    """All kept instances, the worst first."""
    results: list[DraftResult] = st.session_state.get(_KEY, [])
    return results
