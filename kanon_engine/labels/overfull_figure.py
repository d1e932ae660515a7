"""The picture of the paper's Figure 7."""

from __future__ import annotations

import numpy as np
import pandas as pd
from plotly import graph_objects as go

from kanon_engine.figures import BLUE, FLOOR, ORANGE, SKY, VERMILION
from kanon_engine.labels.figure7 import VARIANTS, sub_range_maxima

# hue tells the algorithm, dash and mark the order
LOOKS = {
    "Random Fold": (VERMILION, "dot", "circle"),
    "Random Spread": (BLUE, "dot", "square"),
    "Sorted Fold": (ORANGE, "solid", "diamond"),
    "Sorted Spread": (SKY, "solid", "triangle-up"),
}


def figure7(frame: pd.DataFrame, ranges: int = 60, unit: str = "records", k: int | None = None) -> go.Figure:
    """The paper's Figure 7: the largest overfull ratio of each variant in each sub-range of k.

    Parameters
    ----------
    frame : DataFrame
        From `overfull_ratios`.
    ranges : int
        Number of sub-ranges.
    unit : str
        What k counts.
    k : int, optional
        Marked where it lies in the range.

    Returns
    -------
    Figure
        The shaded floor is the largest proven bound / k in each sub-range: no maximum can lie below it.
    """
    maxima = sub_range_maxima(frame, ranges)
    middle = (maxima["k_from"] + maxima["k_to"]) / 2
    floor = maxima.assign(middle=middle).groupby("middle")["floor"].max()
    figure = go.Figure()
    figure.add_scatter(
        x=floor.index,
        y=floor,
        name="no grouping can do better",
        mode="lines",
        line={"color": FLOOR, "width": 1.5},
        hovertemplate="never below %{y:.3f}<extra></extra>",
    )
    for name in [name for name in VARIANTS if (maxima["variant"] == name).any()]:
        rows = maxima[maxima["variant"] == name]
        colour, dash, symbol = LOOKS[name]
        figure.add_scatter(
            x=middle[rows.index],
            y=rows["overfull_ratio"],
            name=name,
            mode="lines+markers",
            line={"color": colour, "dash": dash, "width": 2},
            marker={"symbol": symbol, "size": 6},
            customdata=np.column_stack([np.full(len(rows), -1), rows[["k_from", "k_to", "k", "classes"]]]),
            hovertemplate=f"<b>{name}</b>, k %{{customdata[1]:,}} to %{{customdata[2]:,}}:<br>"
            "at most %{y:.3f}, at k = %{customdata[3]:,} with %{customdata[4]:,} groups<extra></extra>",
        )
    if k is not None and frame["k"].min() <= k <= frame["k"].max():
        figure.add_vline(x=k, line={"color": FLOOR, "dash": "dash", "width": 2}, annotation={"text": f"k = {k:,}"})
    return figure.update_layout(
        title={"text": "Largest group ÷ k, the maximum in each sub-range of k", "font_size": 16},
        xaxis={"title": f"k ({unit})", "tickformat": ",d"},
        yaxis={"title": "Largest group ÷ k", "tickformat": ".2f"},
        legend={"orientation": "h", "y": -0.22},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        margin={"l": 60, "r": 10, "t": 45, "b": 60},
    )
