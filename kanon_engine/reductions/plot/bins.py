"""Labels of a reduction as blocks, and classes as stacks of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from plotly import graph_objects as go

from kanon_engine.reductions.model import Carried
from kanon_engine.reductions.plot.kinds import kind_colours
from kanon_engine.reductions.plot.stacks import stacks_figure


def bins_figure(source: Any, carried: Carried, assignment: np.ndarray | None = None) -> go.Figure:
    """Each label, or of classes each group, with k and K as lines; `customdata` of a block is the label's position.

    Parameters
    ----------
    source
        What was carried over.
    carried : Carried
    assignment : (n,) int array, optional
        Class of each label, -1 for none.
    """
    labels = carried.instance
    columns = [labels.label(item) for item in range(len(labels))]
    if assignment is not None:
        columns = [
            f"group {number + 1}" if number >= 0 else name
            for name, number in zip(columns, assignment.tolist(), strict=True)
        ]
    words = [f"{carried.gadget_of(item).name}: {carried.gadget_of(item).stands_for}" for item in range(len(labels))]
    (colour,) = kind_colours(carried.gadgets).values()
    return stacks_figure(columns, labels.counts.tolist(), words, {"k": carried.k, "K": carried.threshold}, colour)
