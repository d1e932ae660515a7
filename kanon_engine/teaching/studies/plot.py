"""The papers' figures with kanon's additions, and the picture of a duel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from plotly import graph_objects as go
from plotly.subplots import make_subplots

from kanon_engine.model.words import number_text
from kanon_engine.plot.colors import BLUE, FLOOR, GREEN, LINES, ORANGE, PURPLE, SKY, VERMILION, faded
from kanon_engine.plot.scene import COUNT, marked_line, polyline, styled
from kanon_engine.teaching.studies.beat import Duel
from kanon_engine.teaching.studies.figure7 import EPSILON, NEAR_OPTIMAL, VARIANTS, limits, sub_range_maxima, thresholds

# color shows the algorithm, dash and symbol the order
LOOKS = {
    "Random Fold": (VERMILION, "dot", "circle"),
    "Random Spread": (BLUE, "dot", "square"),
    "Sorted Fold": (ORANGE, "solid", "diamond"),
    "Sorted Spread": (SKY, "solid", "triangle-up"),
    NEAR_OPTIMAL: (GREEN, "solid", "circle-open"),
}
APART = 0.02  # of the width of the picture; numbers of groups that are closer would overlap


def figure7(frame: pd.DataFrame, ranges: int = 60, unit: str = "records", k: int | None = None) -> go.Figure:
    """The paper's Figure 7: the largest overfull ratio of each variant in each sub-range of k.

    Parameters
    ----------
    frame : From `overfull_ratios`.
    ranges : Number of sub-ranges.
    unit : What k counts.
    k : Marked if it is in the range.

    Returns
    -------
    Figure
        With several random orders, the line is their median and the band reaches from the least to the greatest. No
        maximum can be in the shaded area, which ends at the largest proven bound / k in each sub-range. Thin vertical
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
        _ratio_line(figure, maxima[maxima["variant"] == name], name, orders)
    _mark_thresholds(figure, frame)
    if k is not None and frame["k"].min() <= k <= frame["k"].max():
        mark = {"text": f"k = {k:,}", "yanchor": "bottom", "yref": "y domain", "y": 0.9}
        figure.add_vline(x=k, line={"color": VERMILION, "dash": "dash", "width": 2}, annotation=mark)
    return styled(
        figure,
        "Largest group ÷ k: the maximum in each range of k",
        xaxis={"title": f"k ({unit})", "tickformat": COUNT, "showgrid": False},
        yaxis={"title": "Largest group ÷ k", "tickformat": ".2f", "range": [1, maxima["overfull_ratio"].max() * 1.06]},
        legend={"orientation": "h", "y": -0.24},
        margin=(60, 15, 70, 60),
    )


def _shade(figure: go.Figure, maxima: pd.DataFrame) -> None:
    """The area that no grouping can reach."""
    floor = maxima.groupby("middle")["floor"].max()
    figure.add_trace(polyline(np.column_stack([floor.index, np.ones(len(floor))]), FLOOR, 1, showlegend=False))
    shaded: dict[str, Any] = {"fill": "tonexty", "fillcolor": faded(FLOOR, 0.22), "name": "ratios proven impossible"}
    template = "no grouping can stay below %{y:.4f}<extra></extra>"
    figure.add_trace(polyline(np.column_stack([floor.index, floor]), FLOOR, 1, hovertemplate=template, **shaded))


def _band(figure: go.Figure, rows: pd.DataFrame, color: str) -> None:
    """A band from the least to the greatest of the random orders."""
    there, back = rows[["middle", "overfull_ratio"]].to_numpy(), rows[["middle", "lowest_order"]].to_numpy()[::-1]
    filled: dict[str, Any] = {"fill": "toself", "fillcolor": faded(color, 0.2), "showlegend": False}
    figure.add_trace(polyline(np.vstack([there, back]), None, 0, **filled))


def _ratio_line(figure: go.Figure, rows: pd.DataFrame, name: str, orders: int) -> None:
    color, dash, symbol = LOOKS[name]
    several = orders > 1 and name in VARIANTS and VARIANTS[name][1] == "random"
    spread = f"<br>{orders} random orders: %{{customdata[5]:.3f}} to %{{customdata[6]:.3f}}" if several else ""
    what, place = ("median ", "; largest ratio") if several else ("at most ", "")
    columns = ["k_from", "k_to", "k", "classes", "lowest_order", "overfull_ratio"]
    says = (
        f"<b>{name}</b>, k %{{customdata[1]:,}} to %{{customdata[2]:,}}:<br>{what}%{{y:.3f}}{place} at "
        f"k = %{{customdata[3]:,}} with %{{customdata[4]:,}} groups{spread}<extra></extra>"
    )
    look: dict[str, Any] = {"dash": dash, "width": 3 if name == NEAR_OPTIMAL else 2}
    called = f"{name}, median of {orders} orders" if several else name
    look |= {"marker": {"symbol": symbol, "size": 6}}
    look["customdata"] = np.column_stack([np.full(len(rows), -1), rows[columns]])
    figure.add_trace(marked_line(rows["middle"], rows["median_order"], called, color, says, **look))


def _mark_thresholds(figure: go.Figure, frame: pd.DataFrame) -> None:
    """A thin line where the number of groups drops, with the number up to there."""
    width = float(frame["k"].max() - frame["k"].min()) * APART
    free = np.inf
    rows = thresholds(frame)
    words = {"yref": "y domain", "y": 1, "yanchor": "bottom", "showarrow": False, "font": {"color": FLOOR}}
    for k, classes in zip(rows["k"].tolist()[::-1], rows["classes"].tolist()[::-1], strict=True):
        figure.add_vline(x=k, line={"color": FLOOR, "dash": "dot", "width": 1}, layer="below")
        if free - k > width:
            free = k
            figure.add_annotation(x=k, text=f"{classes:,}", **words)
    if free < np.inf:
        text = "number of groups that Near-optimal makes for k up to the dotted line"
        figure.add_annotation(x=0, xref="x domain", xanchor="left", text=text, **words)


def with_limits(figure: go.Figure, epsilon: float = EPSILON) -> go.Figure:
    """The figure with a line at each limit, and an axis that reaches up to them."""
    heights: dict[float, list[str]] = {}
    for limit in limits(epsilon):
        heights.setdefault(limit.ratio, []).append(limit.words)
    for height, words in heights.items():
        line = {"color": FLOOR, "dash": "longdash", "width": 1}
        figure.add_hline(height, line=line, annotation_text="; ".join(words), annotation_position="bottom right")
    top = max(float(figure.layout.yaxis.range[1]), 1.04 * max(heights))
    return figure.update_yaxes(range=[1, top])


# ---------------------------------------------------------------------------------------------------------------------
# Figures 6a, 6b, 7a and 7b of the K-Optimize paper.
# ---------------------------------------------------------------------------------------------------------------------


COLORS = {"coarse": (SKY, BLUE, GREEN), "fine": (ORANGE, VERMILION, PURPLE)}
MARKS = ("circle", "square", "diamond")
METRIC_TITLES = {"DM": "Discernibility (DM)", "CM": "Classification (CM)"}


def figure6a(frame: pd.DataFrame) -> go.Figure:
    """Runtime of K-Optimize against k, without a seed.

    Returns
    -------
    Figure : A panel per metric, a line per partition and limit; hollow marks are runs that ended before the proof.
    """
    return _panels(frame[~frame["seeded"]], "seconds", "Runtime of K-Optimize", "Seconds")


def figure6b(frame: pd.DataFrame) -> go.Figure:
    """Cost of the best result against k, from the seeded run if there is one."""
    ranked = frame.assign(open=frame["status"] != "optimal").sort_values(["cost", "open"])
    best = ranked.drop_duplicates(["partition", "metric", "limit", "k"]).sort_index().assign(seeded=False)
    return _panels(best, "cost", "Cost of the best anonymization", "Cost")


def figure7a(frame: pd.DataFrame) -> go.Figure:
    """Runtime with and without a seed, for runs that may suppress records."""
    return _panels(
        frame[(frame["limit"] != 0).fillna(True)], "seconds", "Runtime without and with a known cost", "Seconds"
    )


def _panels(frame: pd.DataFrame, quantity: str, title: str, axis: str) -> go.Figure:
    metrics = list(dict.fromkeys(frame["metric"]))
    names = [METRIC_TITLES.get(metric, metric) for metric in metrics]
    figure = make_subplots(rows=1, cols=max(1, len(metrics)), subplot_titles=names, horizontal_spacing=0.09)
    limits = sorted(set(frame["limit"].dropna().tolist())) + [None] * bool(frame["limit"].isna().any())
    listed: set[str] = set()
    groups: Any = frame.groupby(["metric", "partition", "limit", "seeded"], dropna=False, sort=False)
    for (metric, partition, limit, seeded), part in groups:
        place = limits.index(None if pd.isna(limit) else limit)
        words = "no limit" if pd.isna(limit) else f"limit {limit:,}"
        name = f"{partition}, {words}" + (", known cost" if seeded else "")
        rows = part.sort_values("k")
        symbols = [MARKS[place % 3] + ("" if status == "optimal" else "-open") for status in rows["status"]]
        colors = COLORS.get(str(partition), COLORS["coarse"])
        marker = {"symbol": symbols, "size": 9, "line": {"width": 2}}
        look: dict[str, Any] = {"width": 2, "dash": "dot" if seeded else "solid", "marker": marker}
        look |= {"legendgroup": name, "showlegend": name not in listed}
        says = f"{name}, k = %{{x:,}}: %{{y:,.5~g}}<extra></extra>"
        line = marked_line(rows["k"], rows[quantity], name, colors[place % 3], says, **look)
        figure.add_trace(line, row=1, col=metrics.index(metric) + 1)
        listed.add(name)
    figure.update_xaxes(type="log", title="k (logarithmic)", tickvals=sorted(set(frame["k"])), tickformat=COUNT)
    ticks = {"dtick": "D2", "tickformat": ",~g"} if quantity == "seconds" else {"nticks": 7, "tickformat": COUNT}
    figure.update_yaxes(type="log", title=f"{axis} (logarithmic)", **ticks)
    return _dressed(figure, title + "; hollow marks: runs that stopped before a proof")


def figure7b(frame: pd.DataFrame) -> go.Figure:
    """Best cost over time of K-Optimize, the hill climber, annealing and a genetic search."""
    figure = go.Figure()
    for (method, rows), (color, dash) in zip(frame.groupby("method", sort=False), LINES, strict=False):
        says = f"{method}, %{{x:.1f}} s: %{{y:,}}<extra></extra>"
        look: dict[str, Any] = {"dash": dash, "line_shape": "hv", "marker_size": 5}
        figure.add_trace(marked_line(rows["seconds"], rows["cost"], str(method), color, says, **look))
    figure.update_xaxes(type="log", title="Seconds (logarithmic)", dtick="D2", tickformat=",~g")
    figure.update_yaxes(title="Lowest discernibility so far", tickformat=COUNT)
    return _dressed(figure, "Lowest cost over time")


def _dressed(figure: go.Figure, title: str) -> go.Figure:
    return styled(
        figure,
        title,
        legend={"orientation": "h", "y": -0.2},
        margin=(70, 20, 80, 60),
        template="plotly_white",
        paper_bgcolor="white",
    )


def duel_figure(duel: Duel, noun: str) -> go.Figure:
    """A bar as long as the cost, with a line at the optimum (or its bound) and one at the ceiling.

    >>> import kanon_engine as kanon
    >>> from kanon_engine.teaching.studies.beat import duel
    >>> found = duel(kanon.Labels("abcd", [1, 5, 9, 5]), 10, "two-approximation")
    >>> figure = duel_figure(found, "largest group")
    >>> list(figure.data[0].x), [line.x0 for line in figure.layout.shapes]
    ([20], [10, 20])
    """
    figure = go.Figure(go.Bar(x=[duel.cost], y=[""], orientation="h", marker_color=BLUE, width=0.6, hoverinfo="x"))
    lines = [(duel.optimum, GREEN, "best" if duel.optimum_is_proven else "at least", "bottom")]
    if duel.ceiling is not None:
        lines.append((duel.ceiling, VERMILION, "guarantee", "top"))
    for at, color, word, side in lines:  # across the bar, with name and number above or below it
        figure.add_shape(type="line", x0=at, x1=at, y0=-0.6, y1=0.6, line={"color": color, "width": 4})
        y, text = 0.62 if side == "bottom" else -0.62, f"{word} {number_text(at)}"
        figure.add_annotation(x=at, y=y, text=text, showarrow=False, yanchor=side, font={"color": color})
    end = max(duel.cost, duel.ceiling or 0, 1)
    axis = {"range": [0, 1.12 * end], "title": noun, "tickformat": COUNT if end >= 10 else "", "zeroline": False}
    hidden = {"visible": False, "range": [-1.1, 1.1], "fixedrange": True}
    layout = {"xaxis": axis | {"fixedrange": True}, "yaxis": hidden, "margin": (10, 10, 10, 10)}
    return styled(figure, "", **layout, showlegend=False)
