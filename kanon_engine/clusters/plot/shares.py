"""What leaving records out saves: the cost against the share that may be left out."""

from __future__ import annotations

import pandas as pd
from plotly import graph_objects as go

from kanon_engine.clusters.options import objective
from kanon_engine.model.algorithm import Algorithm
from kanon_engine.plot.style import BLUE, FLOOR, styled


def shares_figure(rows: pd.DataFrame, algorithm: Algorithm, measure: str) -> go.Figure:
    """A line of costs, and the proven bound as a floor.

    Parameters
    ----------
    rows : DataFrame
        share, cost, lower_bound, in the order of shares.
    algorithm : Algorithm
    measure : str
        The unit of the cost; "" where it has none.
    """
    noun = objective(algorithm.name, {}).noun.capitalize()
    solved = rows.dropna(subset=["cost"])
    figure = go.Figure()
    figure.add_scatter(
        x=solved["share"],
        y=solved["lower_bound"].astype(float),
        mode="lines",
        name="no clustering can do better",
        line={"color": FLOOR, "width": 1.5},
        fill="tozeroy",
        fillcolor="rgba(122, 135, 148, 0.18)",
        hovertemplate="%{x:.1%} left out: never below %{y:,.5~g}<extra></extra>",
    )
    figure.add_scatter(
        x=solved["share"],
        y=solved["cost"].astype(float),
        mode="lines+markers",
        name=algorithm.title,
        line={"color": BLUE, "width": 2.5},
        marker={"size": 8},
        hovertemplate="%{x:.1%} left out: %{y:,.5~g}<extra></extra>",
    )
    return styled(
        figure,
        f"{noun} against the share of records that may be left out",
        xaxis={"title": "Share of records that may be left out", "tickformat": ".1~%", "rangemode": "tozero"},
        yaxis={"title": f"{noun} ({measure})" if measure else noun, "rangemode": "tozero", "tickformat": ",~g"},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        margin={"l": 60, "r": 10, "t": 70, "b": 50},
    )
