"""The boxes of groups, as they lie over two columns of a table."""

from __future__ import annotations

import numpy as np
from plotly import graph_objects as go

from kanon_engine.model.generalization import Generalization
from kanon_engine.plot.style import BLUE, ORANGE, styled
from kanon_engine.tables.domain import value_words
from kanon_engine.tables.instance import BoxDetails, Table
from kanon_engine.tables.words import BoxWords

MOST_BOXES = 400  # drawn; with more a picture is slow and nobody can tell them apart
MOST_TICKS = 8
LETTERS = 12
STEPS = (2, 10)  # times k: what parts the shades
SHADES = ("rgba(86,180,233,0.16)", "rgba(0,114,178,0.22)", "rgba(0,60,110,0.34)")


def boxes_figure(table: Table, g: Generalization, columns: tuple[str, str], selected: int | None = None) -> go.Figure:
    """What groups show in two columns, as rectangles over the records.

    Parameters
    ----------
    table : Table
    g : Generalization
        With `BoxDetails`.
    columns : pair of str
        The quasi-identifiers across and up.
    selected : int, optional
        A class that stands out.

    Returns
    -------
    Figure
        A rectangle for each pair of ranges that groups show, the darker the more records show it; dots are values that
        records have. Internal: single values stand in it. Of many rectangles those that most records show.
    """
    details: BoxDetails = g.details
    x, y = (table.quasi_identifiers.index(name) for name in columns)
    ends = np.column_stack([details.low[:, [x, y]], details.high[:, [x, y]]])
    shown, number = np.unique(ends, axis=0, return_inverse=True)
    records = np.bincount(number.reshape(-1), g.class_weights).astype(np.int64)
    drawn = np.argsort(-records, kind="stable")[:MOST_BOXES]
    figure = go.Figure()
    limits = (0, STEPS[0] * g.k, STEPS[1] * g.k, np.inf)
    names = (f"below {limits[1]:,}", f"{limits[1]:,} to {limits[2] - 1:,}", f"{limits[2]:,} or more")
    for shade, name, least, most in zip(SHADES, names, limits, limits[1:], strict=False):
        own = [place for place in drawn if least <= records[place] < most]
        if own:
            figure.add_trace(_rectangles(shown[own], shade, f"{name} {table.unit}"))
    figure.add_trace(_dots(table, (x, y)))
    figure.add_trace(_centres(table, columns, shown[drawn], records[drawn]))
    if selected is not None:
        chosen = _rectangles(ends[[selected]], "rgba(230,159,0,0.35)", f"group {selected + 1:,}")
        figure.add_trace(chosen.update(line={"color": ORANGE, "width": 3}))
    part = "" if len(drawn) == len(shown) else f": {len(drawn):,} of {len(shown):,} pairs of ranges, the most frequent"
    return styled(
        figure,
        f"What groups show in two columns: the darker, the more {table.unit}{part}",
        title_y=0.985,
        title_yanchor="top",
        xaxis={"title": columns[0], **_axis(table, x)},
        yaxis={"title": columns[1], **_axis(table, y)},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        margin={"l": 60, "r": 10, "t": 90, "b": 45},
    )


def _rectangles(ends: np.ndarray, fill: str, name: str) -> go.Scatter:
    """Rectangles from half a position before their first value to half a position behind their last."""
    left, bottom, right, top = (ends[:, 0] - 0.5, ends[:, 1] - 0.5, ends[:, 2] + 0.5, ends[:, 3] + 0.5)
    gap = np.full(len(ends), np.nan)
    across = np.column_stack([left, right, right, left, left, gap]).ravel()
    up = np.column_stack([bottom, bottom, top, top, bottom, gap]).ravel()
    return go.Scatter(
        x=across, y=up, fill="toself", fillcolor=fill, mode="lines", line={"color": BLUE, "width": 1}, name=name,
        hoverinfo="skip",
    )  # fmt: skip


def _dots(table: Table, places: tuple[int, int]) -> go.Scatter:
    """A dot for each pair of values that records have, the larger the more."""
    pairs, number = np.unique(table.codes[:, places], axis=0, return_inverse=True)
    counts = np.bincount(number.reshape(-1), table.weights)
    return go.Scatter(
        x=pairs[:, 0],
        y=pairs[:, 1],
        mode="markers",
        name=f"{table.unit} (larger: more)",
        marker={"color": "#444444", "size": 2 + 6 * np.sqrt(counts / counts.max()), "line": {"width": 0}},
        hoverinfo="skip",
    )


def _centres(table: Table, columns: tuple[str, str], ends: np.ndarray, records: np.ndarray) -> go.Scatter:
    """In the middle of each rectangle what it stands for, to point at."""
    across, up = (BoxWords(table, name) for name in columns)
    text = [
        f"<b>{columns[0]}</b>: {across(left, right)}<br><b>{columns[1]}</b>: {up(bottom, top)}<br>"
        f"{count:,} {table.unit}"
        for (left, bottom, right, top), count in zip(ends.tolist(), records.tolist(), strict=True)
    ]
    return go.Scatter(
        x=(ends[:, 0] + ends[:, 2]) / 2,
        y=(ends[:, 1] + ends[:, 3]) / 2,
        mode="markers",
        marker={"size": 12, "opacity": 0},
        text=text,
        hovertemplate="%{text}<extra></extra>",
        showlegend=False,
    )


def _axis(table: Table, place: int) -> dict[str, object]:
    """Ticks at some values of the domain, with their words."""
    domain = table.domains[place]
    ticks = np.unique(np.linspace(0, len(domain) - 1, min(MOST_TICKS, len(domain))).round().astype(int)).tolist()
    words = [value_words(domain[tick]) for tick in ticks]
    short = [word if len(word) <= LETTERS else f"{word[: LETTERS - 1]}…" for word in words]
    return {
        "tickvals": ticks,
        "ticktext": short,
        "range": [-0.8, len(domain) - 0.2],
        "showgrid": False,
        "zeroline": False,
    }
