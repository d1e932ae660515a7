"""The names of elements and tuples beside them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from plotly import graph_objects as go

from kanon_engine.reductions.model import Gadget

NAMED = ("element", "tuple")
BESIDE = 18  # pixels


def add_names(figure: go.Figure, gadgets: Iterable[Gadget], places: np.ndarray) -> None:
    """Write the name of each element and tuple above it, or below where it stands below the tuples.

    Parameters
    ----------
    figure : plotly Figure
    gadgets : iterable of Gadget
    places : (n, 2) float array
        Of the items; tuples stand at a height of about 0.
    """
    for gadget in gadgets:
        if gadget.kind in NAMED:
            own = places[list(gadget.items)]
            x, y = float(own[:, 0].mean()), float(own[:, 1].max())
            above = gadget.kind == "tuple" or y >= 0
            name = gadget.name.removeprefix(f"{gadget.kind} ")
            figure.add_annotation(x=x, y=y, text=name, showarrow=False, yshift=BESIDE if above else -BESIDE)
