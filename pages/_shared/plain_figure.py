"""The picture of a result on a page without a picture of its own."""

from __future__ import annotations

from typing import Any

from plotly import graph_objects as go

import kanon_engine as kanon
from kanon_engine.model.family import Family
from kanon_engine.plot import class_sizes_figure


def plain_figure(family: Family, instance: Any, g: kanon.Generalization, selected: int | None = None) -> go.Figure:
    """The family's own picture, or the sizes of the groups where it has none."""
    if family.picture is None:
        return class_sizes_figure(instance, g)
    return family.picture(instance, g, selected=selected)
