"""A list on the page that a person puts in order by dragging."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import streamlit as st
from streamlit import runtime

_FOLDER = Path(__file__).parent / "order_component"

_component = st.components.v2.component(
    "kanon_order",
    js=(_FOLDER / "order.js").read_text(encoding="utf-8"),
    css=(_FOLDER / "order.css").read_text(encoding="utf-8"),
)


def order_list(
    lines: Iterable[tuple[str, str]], *, key: str, height: int, label: str, moved: Callable[[list[str]], None]
) -> None:
    """Show lines, all different, that can be dragged; by keyboard: Alt and an arrow.

    Parameters
    ----------
    lines : iterable of pairs
        A line, and a few letters to stand at its end.
    key : str
    height : int
        Most pixels.
    label : str
        What the list is, for who does not see it.
    moved : callable
        Called with the new order before the page is run again.
    """
    if not runtime.exists():  # a page that is run as a plain script has nobody to show it to
        return

    def take() -> None:
        event = st.session_state[key].order
        if event is not None:
            moved(list(event["lines"]))

    _component(key=key, data={"lines": list(lines), "height": height, "label": label}, on_order_change=take)
