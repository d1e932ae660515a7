"""Pictures of tables: sizes of the groups, and how a search went; `histograms` has the intervals of the columns."""

from __future__ import annotations

import numpy as np
from plotly import graph_objects as go

from kanon_engine.model.generalization import Generalization
from kanon_engine.plot.style import BLUE, COUNT, FLOOR, ORANGE, styled
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


def curve_figure(curve: np.ndarray, along: str, cost: str) -> go.Figure:
    """The best cost and the proven bound while a search went on.

    Parameters
    ----------
    curve : (p, 3) array
        Nodes or seconds, best cost and lower bound; NaN where there was none yet.
    along, cost : str
        What the first column counts, and what the cost is.

    Returns
    -------
    Figure
        Two steps that come together; where they meet, the best is proven.
    """
    rows = np.array(curve, dtype=float).reshape(-1, 3)
    positive = rows[rows[:, 0] > 0, 0]
    wide = len(positive) > 1 and positive[-1] > 50 * positive[0]
    if wide:  # a logarithmic axis has no place for 0
        rows[:, 0] = np.maximum(rows[:, 0], positive[0])
    figure = go.Figure()
    looks = ((1, "best so far", BLUE, "solid"), (2, "proven: no choice costs less", FLOOR, "dash"))
    for place, name, colour, dash in looks:
        figure.add_scatter(
            x=rows[:, 0],
            y=rows[:, place],
            mode="lines+markers",
            name=name,
            line={"color": colour, "width": 2.5, "dash": dash, "shape": "hv"},
            marker_size=5,
            hovertemplate=f"{along} %{{x:,.4~g}}: %{{y:,.0f}}<extra>{name}</extra>",
        )
    return styled(
        figure,
        f"{cost} of the best so far, and what is proven",
        title_y=0.985,
        title_yanchor="top",
        xaxis={
            "title": f"{along.capitalize()} (logarithmic)",
            "type": "log",
            "dtick": "D2",
            "tickformat": COUNT if along == "nodes" else ",~g",
        }
        if wide
        else {"title": along.capitalize(), "type": "linear"},
        yaxis={"title": cost, "tickformat": COUNT, "rangemode": "tozero"},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        margin={"l": 70, "r": 10, "t": 84, "b": 50},
    )
