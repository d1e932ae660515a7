"""Pictures of tables: sizes of the groups; `histograms` has the intervals of the columns."""

from __future__ import annotations

import numpy as np
from plotly import graph_objects as go

from kanon_engine.model.generalization import Generalization
from kanon_engine.plot.style import BLUE, ORANGE, styled
from kanon_engine.tables.instance import Table


def sizes_figure(table: Table, g: Generalization) -> go.Figure:
    """Which share of the groups, and of the records, is in groups of k to 2k, 2k to 4k, … records.

    Parameters
    ----------
    table : Table
    g : Generalization

    Returns
    -------
    Figure
        Small groups tell more than large ones; most groups may be small while most records are in a few large ones.
    """
    steps = np.floor(np.log2(np.maximum(g.class_weights / g.k, 1))).astype(int)
    top = int(steps.max()) + 1
    groups = np.bincount(steps, minlength=top)
    records = np.bincount(steps, g.class_weights, top).astype(int)
    names = [f"{g.k * 2**step:,}–{g.k * 2 ** (step + 1) - 1:,}" for step in range(top)]
    figure = go.Figure()
    for counts, what, colour, pattern in ((groups, "groups", BLUE, ""), (records, table.unit, ORANGE, "/")):
        figure.add_bar(
            x=100 * counts / counts.sum(),
            y=names,
            orientation="h",
            name=f"share of {what}",
            marker={"color": colour, "pattern": {"shape": pattern}},
            customdata=np.full(top, -1),
            text=[f"{count:,} {what} in groups of {name}" for count, name in zip(counts, names, strict=True)],
            textposition="none",
            hovertemplate="%{text} (%{x:.1f} %)<extra></extra>",
        )
    return styled(
        figure,
        "Sizes of the groups",
        title_y=0.985,
        title_yanchor="top",
        xaxis={"title": "Share, %", "rangemode": "tozero", "nticks": 6},
        yaxis={"title": f"{table.unit.capitalize()} in a group", "type": "category"},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        margin={"l": 80, "r": 10, "t": 84, "b": 45},
        bargap=0.25,
    )
