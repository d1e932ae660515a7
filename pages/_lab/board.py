"""Points, areas or labels to draw by hand, with the groups that somebody made of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from streamlit import runtime

from kanon_engine.model.generalization import Generalization
from kanon_engine.plot.colors import palette
from kanon_engine.teaching.studies.beat import MOST
from kanon_engine.teaching.studies.draft import Draft
from pages._shared.entered import component, hearing, listener

UNDO = "undo"  # what the browser tells in place of a drawing
KINDS = {"regions": "graph", "rectangles": "points", "clusters": "points", "labels": "bars"}
NOUNS = {"regions": "Area", "rectangles": "Point", "clusters": "Record", "labels": "Label"}
UNITS = {"regions": "people", "rectangles": "records", "clusters": "records", "labels": "records"}
COLOURS = 12

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
    """Show a drawing that can be changed, coloured by the groups of a result.

    Parameters
    ----------
    draft : Draft
        Of no table.
    g : Generalization or None
        Of this drawing; None where there is none.
    k : int
    key : str
    height : int
        Pixels.
    past : bool
        Whether something can be undone.
    entered : callable
        Called with the new drawing as `Draft.text`, or with `UNDO`, before the page is run again.
    scope : str
        As in `hearing`.
    """
    if not runtime.exists():  # a page that is run as a plain script has nobody to show it to
        return
    data = {
        "kind": KINDS[draft.family],
        "noun": NOUNS[draft.family],
        "unit": UNITS[draft.family],
        "label": "A drawing. Items can be picked, moved with the arrows, changed with plus and minus, and deleted.",
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
