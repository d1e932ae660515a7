"""One colour for each kind of gadget, and axes without numbers."""

from __future__ import annotations

from collections.abc import Iterable

from kanon_engine.plot.style import BLUE, FLOOR, GREEN, ORANGE, PURPLE, SKY, VERMILION
from kanon_engine.reductions.model import Gadget

PLAIN = {"showticklabels": False, "showgrid": False, "zeroline": False, "ticks": ""}
COLOURS = (VERMILION, BLUE, ORANGE, GREEN, PURPLE, SKY, FLOOR)


def kind_colours(gadgets: Iterable[Gadget]) -> dict[str, str]:
    """Kind → colour, in the order in which kinds first come.

    Example
    -------
    >>> kind_colours([Gadget("tuple 1", "tuple", "", (0,)), Gadget("tuple 2", "tuple", "", (1,))])
    {'tuple': '#D55E00'}
    """
    kinds = dict.fromkeys(gadget.kind for gadget in gadgets)
    return {kind: COLOURS[number % len(COLOURS)] for number, kind in enumerate(kinds)}
