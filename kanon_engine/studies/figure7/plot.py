"""The paper's Figure 7 as a picture, with what is proven to be best possible beside it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from plotly import graph_objects as go

from kanon_engine.plot.style import BLUE, COUNT, FLOOR, GREEN, ORANGE, SKY, VERMILION, styled
from kanon_engine.studies.figure7 import NEAR_OPTIMAL, VARIANTS
from kanon_engine.studies.figure7.summary import sub_range_maxima, thresholds

# hue tells the algorithm, dash and mark the order
LOOKS = {
    "Random Fold": (VERMILION, "dot", "circle"),
    "Random Spread": (BLUE, "dot", "square"),
    "Sorted Fold": (ORANGE, "solid", "diamond"),
    "Sorted Spread": (SKY, "solid", "triangle-up"),
    NEAR_OPTIMAL: (GREEN, "solid", "circle-open"),
}
SHADE = "rgba(122, 135, 148, 0.22)"
APART = 0.02  # of the width of the picture; numbers of groups closer to each other than that would overlap


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
        Of several random orders the line is their median and the band reaches from the least to the greatest. No
        maximum can lie in the shaded area: it ends at the largest proven bound / k in each sub-range. Thin upright
        lines mark `thresholds`.
    """
    maxima = sub_range_maxima(frame, ranges)
    maxima["middle"] = (maxima["k_from"] + maxima["k_to"]) / 2
    figure = go.Figure()
    _shade(figure, maxima)
    names = [name for name in LOOKS if (maxima["variant"] == name).any()]
    orders = frame["seed"].nunique()
    for name in names:
        if orders > 1 and name in VARIANTS and VARIANTS[name][1] == "random":
            _band(figure, maxima[maxima["variant"] == name], LOOKS[name][0])
    for name in names:
        _line(figure, maxima[maxima["variant"] == name], name, orders)
    _mark_thresholds(figure, frame)
    if k is not None and frame["k"].min() <= k <= frame["k"].max():
        mark = {"text": f"k = {k:,}", "yanchor": "bottom", "yref": "y domain", "y": 0.9}
        figure.add_vline(x=k, line={"color": VERMILION, "dash": "dash", "width": 2}, annotation=mark)
    return styled(
        figure,
        "Largest group ÷ k, the maximum in each sub-range of k",
        xaxis={"title": f"k ({unit})", "tickformat": COUNT, "showgrid": False},
        yaxis={"title": "Largest group ÷ k", "tickformat": ".2f", "range": [1, maxima["overfull_ratio"].max() * 1.06]},
        legend={"orientation": "h", "y": -0.24},
        margin={"l": 60, "r": 15, "t": 70, "b": 60},
    )


def _shade(figure: go.Figure, maxima: pd.DataFrame) -> None:
    """What no grouping can reach."""
    floor = maxima.groupby("middle")["floor"].max()
    line = {"color": FLOOR, "width": 1}
    figure.add_scatter(
        x=floor.index, y=np.ones(len(floor)), mode="lines", line=line, showlegend=False, hoverinfo="skip"
    )
    figure.add_scatter(
        x=floor.index,
        y=floor,
        name="proven impossible",
        mode="lines",
        line=line,
        fill="tonexty",
        fillcolor=SHADE,
        hovertemplate="no grouping can stay below %{y:.4f}<extra></extra>",
    )


def _band(figure: go.Figure, rows: pd.DataFrame, colour: str) -> None:
    """From the least to the greatest of the random orders."""
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    figure.add_scatter(
        x=pd.concat([rows["middle"], rows["middle"][::-1]]),
        y=pd.concat([rows["overfull_ratio"], rows["lowest_order"][::-1]]),
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=f"rgba({red}, {green}, {blue}, 0.2)",
        showlegend=False,
        hoverinfo="skip",
    )


def _line(figure: go.Figure, rows: pd.DataFrame, name: str, orders: int) -> None:
    colour, dash, symbol = LOOKS[name]
    several = orders > 1 and name in VARIANTS and VARIANTS[name][1] == "random"
    spread = f"<br>{orders} random orders: %{{customdata[5]:.3f}} to %{{customdata[6]:.3f}}" if several else ""
    what = "median " if several else "at most "
    place = ", the largest" if several else ""
    columns = ["k_from", "k_to", "k", "classes", "lowest_order", "overfull_ratio"]
    figure.add_scatter(
        x=rows["middle"],
        y=rows["median_order"],
        name=f"{name}, median of {orders}" if several else name,
        mode="lines+markers",
        line={"color": colour, "dash": dash, "width": 3 if name == NEAR_OPTIMAL else 2},
        marker={"symbol": symbol, "size": 6},
        customdata=np.column_stack([np.full(len(rows), -1), rows[columns]]),
        hovertemplate=f"<b>{name}</b>, k %{{customdata[1]:,}} to %{{customdata[2]:,}}:<br>"
        f"{what}%{{y:.3f}}{place} at k = %{{customdata[3]:,}} with %{{customdata[4]:,}} groups{spread}<extra></extra>",
    )


def _mark_thresholds(figure: go.Figure, frame: pd.DataFrame) -> None:
    """A thin line where the number of groups drops, with the number that is possible up to there."""
    width = float(frame["k"].max() - frame["k"].min()) * APART
    free = np.inf
    rows = thresholds(frame)
    font = {"color": FLOOR}
    for k, classes in zip(rows["k"].tolist()[::-1], rows["classes"].tolist()[::-1], strict=True):
        figure.add_vline(x=k, line={"color": FLOOR, "dash": "dot", "width": 1}, layer="below")
        if free - k > width:
            free = k
            figure.add_annotation(
                x=k, text=f"{classes:,}", yref="y domain", y=1, yanchor="bottom", showarrow=False, font=font
            )
    if free < np.inf:
        words = "groups possible up to here"
        figure.add_annotation(
            x=0,
            xref="x domain",
            y=1,
            yref="y domain",
            yanchor="bottom",
            xanchor="left",
            text=words,
            showarrow=False,
            font=font,
        )
