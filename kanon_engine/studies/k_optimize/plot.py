"""Figures 6a, 6b, 7a and 7b of the K-Optimize paper."""

from __future__ import annotations

from typing import Any

import pandas as pd
from plotly import graph_objects as go
from plotly.subplots import make_subplots

from kanon_engine.plot.style import BLUE, COUNT, GREEN, LINES, ORANGE, PURPLE, SKY, VERMILION, styled

COLOURS = {"coarse": (SKY, BLUE, GREEN), "fine": (ORANGE, VERMILION, PURPLE)}
MARKS = ("circle", "square", "diamond")
FULL = {"DM": "Discernibility (DM)", "CM": "Classification (CM)"}


def figure6a(frame: pd.DataFrame) -> go.Figure:
    """Runtime of K-Optimize against k, without a seed.

    Parameters
    ----------
    frame : DataFrame
        From `k_optimize_grid`.

    Returns
    -------
    Figure
        A panel a metric, a line a partition and limit; hollow marks are runs that ended before the proof.
    """
    return _panels(frame[~frame["seeded"]], "seconds", "Runtime of K-Optimize", "Seconds")


def figure6b(frame: pd.DataFrame) -> go.Figure:
    """Cost of the best found against k; of the seeded run where there is one.

    Parameters
    ----------
    frame : DataFrame
        From `k_optimize_grid`.
    """
    ranked = frame.assign(open=frame["status"] != "optimal").sort_values(["cost", "open"])
    best = ranked.drop_duplicates(["partition", "metric", "limit", "k"]).sort_index().assign(seeded=False)
    return _panels(best, "cost", "Cost of the best anonymization", "Cost")


def figure7a(frame: pd.DataFrame) -> go.Figure:
    """Runtime with and without a seed, where records may be suppressed.

    Parameters
    ----------
    frame : DataFrame
        From `k_optimize_grid`.
    """
    return _panels(frame[(frame["limit"] != 0).fillna(True)], "seconds", "Runtime unseeded and seeded", "Seconds")


def _panels(frame: pd.DataFrame, quantity: str, title: str, axis: str) -> go.Figure:
    metrics = list(dict.fromkeys(frame["metric"]))
    names = [FULL.get(metric, metric) for metric in metrics]
    figure = make_subplots(rows=1, cols=max(1, len(metrics)), subplot_titles=names, horizontal_spacing=0.09)
    limits = sorted(set(frame["limit"].dropna().tolist())) + [None] * bool(frame["limit"].isna().any())
    shown: set[str] = set()
    groups: Any = frame.groupby(["metric", "partition", "limit", "seeded"], dropna=False, sort=False)
    for (metric, partition, limit, seeded), part in groups:
        place = limits.index(None if pd.isna(limit) else limit)
        words = "no limit" if pd.isna(limit) else f"limit {limit:,}"
        name = f"{partition}, {words}" + (", seeded" if seeded else "")
        rows = part.sort_values("k")
        symbols = [MARKS[place % 3] + ("" if status == "optimal" else "-open") for status in rows["status"]]
        colours = COLOURS.get(str(partition), COLOURS["coarse"])
        figure.add_scatter(
            x=rows["k"],
            y=rows[quantity],
            name=name,
            legendgroup=name,
            showlegend=name not in shown,
            mode="lines+markers",
            line={"color": colours[place % 3], "width": 2, "dash": "dot" if seeded else "solid"},
            marker={"symbol": symbols, "size": 9, "line": {"width": 2}},
            hovertemplate=f"{name}, k = %{{x:,}}: %{{y:,.5~g}}<extra></extra>",
            row=1,
            col=metrics.index(metric) + 1,
        )
        shown.add(name)
    figure.update_xaxes(type="log", title="k (logarithmic)", tickvals=sorted(set(frame["k"])), tickformat=COUNT)
    ticks = {"dtick": "D2", "tickformat": ",~g"} if quantity == "seconds" else {"nticks": 7, "tickformat": COUNT}
    figure.update_yaxes(type="log", title=f"{axis} (logarithmic)", **ticks)
    return _dressed(figure, title + "; hollow marks: not proven")


def figure7b(frame: pd.DataFrame) -> go.Figure:
    """Best cost over time of K-Optimize, the hill climber, annealing and a genetic search.

    Parameters
    ----------
    frame : DataFrame
        From `cost_over_time`.
    """
    figure = go.Figure()
    for (method, rows), (colour, dash) in zip(frame.groupby("method", sort=False), LINES, strict=False):
        figure.add_scatter(
            x=rows["seconds"],
            y=rows["cost"],
            name=str(method),
            mode="lines+markers",
            line={"color": colour, "dash": dash, "width": 2.5, "shape": "hv"},
            marker_size=5,
            hovertemplate=f"{method}, %{{x:.1f}} s: %{{y:,}}<extra></extra>",
        )
    figure.update_xaxes(type="log", title="Seconds (logarithmic)", dtick="D2", tickformat=",~g")
    figure.update_yaxes(title="Discernibility of the best so far", tickformat=COUNT)
    return _dressed(figure, "Cost of the best over time")


def _dressed(figure: go.Figure, title: str) -> go.Figure:
    return styled(
        figure,
        title,
        legend={"orientation": "h", "y": -0.2},
        margin={"l": 70, "r": 20, "t": 80, "b": 60},
        template="plotly_white",
        paper_bgcolor="white",
    )
