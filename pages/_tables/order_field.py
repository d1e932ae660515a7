"""Values in an order, as a list to drag and as lines to write: one text on the page."""

# Our own: streamlit-dnd 0.2.0, the one kept component for dragging that was found, is tested with Streamlit 1.58 to
# 1.63 only, and drags containers of the page, one a value, where a list has hundreds.

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from streamlit import runtime

from pages._shared.entered import component, hearing, listener

MOST_DRAGGED = 500
HEIGHT = 230

_component = component("order", Path(__file__).parent / "order_component")


def order_field(
    text: str, counts: Mapping[str, str], *, key: str, label: str, entered: Callable[[str], None], scope: str
) -> None:
    """Show lines that can be dragged (by keyboard: Alt and an arrow) or written.

    Parameters
    ----------
    text : str
        One value a line.
    counts : mapping of line to a few letters
        What stands at its end in the list.
    key : str
    label : str
        What the list is, for who does not see it.
    entered : callable
        Called with the new text before the page is run again.
    scope : str
        As in `hearing`.
    """
    if not runtime.exists():  # a page that is run as a plain script has nobody to show it to
        return
    data = {"text": text, "counts": dict(counts), "label": label, "height": HEIGHT, "most": MOST_DRAGGED}
    _component(key=key, data=data | hearing(key, scope), on_entered_change=listener(key, entered, scope))
