"""The records by group as a table whose cells are shaded by their values."""

from __future__ import annotations

import numpy as np
from plotly import graph_objects as go

from kanon_engine.model.words import cut
from kanon_engine.plot.style import BLUE, FLOOR, ORANGE, SKY
from kanon_engine.tables.domain import value_words
from kanon_engine.tables.instance import Table
from kanon_engine.tables.plot.steps.panels import Room, choices, heading, on, place
from kanon_engine.tables.words import interval_words

MOST_RECORDS, MOST_GROUPS = 40, 40  # rows: records one by one, else groups
WORDED = 36  # rows in the whole height whose cells hold words
LABELLED = 18  # groups that are named at the side
LETTERS = 9
STAR = "#D5D9DD"
SCALE = ((0, STAR), (0.499, STAR), (0.5, "#E8F1F8"), (1, BLUE))  # from -1, a hidden cell, over 0 to 1


def draw_records(
    figure: go.Figure,
    room: Room,
    table: Table,
    assignment: np.ndarray,
    changed: np.ndarray,
    *,
    stars: np.ndarray | None = None,
    following: np.ndarray | None = None,
    asked: bool = False,
) -> None:
    """Draw each row of the table, or each group where they are many, as a row.

    Parameters
    ----------
    figure : Figure
    room : Room
    table : Table
    assignment : (n,) int
    changed : (c,) int
        Records that are marked as changed.
    stars : (n, q) bool, optional
        Cells that are hidden.
    following : (f,) int, optional
        Records of what is looked at next.
    asked : bool
        Whether the columns are choices.
    """
    one_by_one = len(table) <= MOST_RECORDS
    codes = np.where(stars, -1, table.codes) if stars is not None else table.codes
    order = np.lexsort((*codes.T[::-1], np.where(assignment < 0, np.iinfo(np.int32).max, assignment)))
    groups = assignment[order]
    begins = np.flatnonzero(np.append(True, np.diff(groups) != 0))
    rows = [order[[i]] for i in range(len(order))] if one_by_one else np.split(order, begins[1:])
    of = groups if one_by_one else groups[begins]
    hit = np.isin(np.arange(len(table)), changed)
    if len(rows) > MOST_GROUPS:
        first = np.argsort([not hit[row].any() for row in rows], kind="stable")[:MOST_GROUPS]
        rows, of = [rows[i] for i in sorted(first)], of[np.sort(first)]
    shades, words = _cells(table, rows, stars)
    count, q = shades.shape
    names = [cut(name, LETTERS + 3) for name in table.quasi_identifiers]
    columns = {
        "visible": True,
        "tickvals": list(range(q)),
        "ticktext": names,
        "side": "top",
        "range": [-0.5 - 0.13 * q, q - 0.5],
    }
    starts = np.flatnonzero(np.append(True, np.diff(of) != 0))
    ends = np.append(starts[1:], count)
    sizes = [int(table.weights[assignment == of[start]].sum()) for start in starts]
    told = [f"{_name(int(of[start]))}: {size:,}" for start, size in zip(starts.tolist(), sizes, strict=True)]
    ticks = (
        {"visible": True, "tickvals": ((starts + ends - 1) / 2).tolist(), "ticktext": told}
        if len(told) <= LABELLED
        else {}
    )
    plain = {"showgrid": False, "zeroline": False, "tickangle": 0}
    name = place(
        figure,
        room,
        x=columns | plain,
        y=ticks | plain | {"range": [count - 0.4, -0.6 - asked * count / 12], "side": "right"},
    )
    fits = count <= WORDED * (room.up[1] - room.up[0])
    figure.add_trace(
        go.Heatmap(
            z=shades, text=words, texttemplate="%{text}" if fits else None, zmin=-1, zmax=1, colorscale=SCALE,
            showscale=False, xgap=2, ygap=1, hoverinfo="text", hovertext=words, **on(name),
        )
    )  # fmt: skip
    edges = (starts[1:] - 0.5).tolist()
    figure.add_trace(_lines(edges, q, name))
    marked = [i for i, row in enumerate(rows) if hit[row].any()]
    figure.add_trace(_marks(marked, -0.5 - 0.04 * q, ORANGE, "group has changed", name))
    what = "marked: changed"
    if following is not None:
        soon = np.isin(np.arange(len(table)), following)
        nearby = [i for i, row in enumerate(rows) if soon[row].any()]
        figure.add_trace(_marks(nearby, -0.5 - 0.09 * q, SKY, "looked at next", name))
        what += " (orange), next (blue)"
    if asked:
        figure.add_trace(
            choices([*range(q)], [-0.5 - count / 24] * q, [*range(q)], list(table.quasi_identifiers), name)
        )
    left = "" if one_by_one else " and what they span"
    title = f"{'Rows' if table.weighted else table.unit.capitalize()} by group" if one_by_one else f"Groups{left}"
    heading(figure, room, f"{title}; {what}", above=0.07)


def _cells(table: Table, rows: list[np.ndarray], stars: np.ndarray | None) -> tuple[np.ndarray, list[list[str]]]:
    """How dark each cell is, 0 to 1 along its domain, and its words; hidden ones are -1 and a star."""
    shades = np.empty((len(rows), table.codes.shape[1]))
    words = []
    for i, row in enumerate(rows):
        line = []
        for j, domain in enumerate(table.domains):
            if stars is not None and stars[row[0], j]:
                shades[i, j] = -1
                line.append("*")
                continue
            low, high = int(table.codes[row, j].min()), int(table.codes[row, j].max())
            shades[i, j] = (low + high) / 2 / max(len(domain) - 1, 1)
            whole = low == 0 and high == len(domain) - 1
            text = value_words(domain[low]) if low == high else interval_words(domain[low : high + 1], whole)
            line.append(cut(text, LETTERS))
        words.append(line)
    return shades, words


def _name(group: int) -> str:
    return "no group" if group < 0 else f"group {group + 1:,}"


def _lines(edges: list[float], q: int, name: str) -> go.Scatter:
    return go.Scatter(
        x=[x for _ in edges for x in (-0.5, q - 0.5, None)],
        y=[y for edge in edges for y in (edge, edge, None)],
        mode="lines",
        line={"color": FLOOR, "width": 2.5},
        hoverinfo="skip",
        **on(name),
    )


def _marks(rows: list[int], x: float, colour: str, words: str, name: str) -> go.Scatter:
    return go.Scatter(
        x=[x] * len(rows), y=rows, mode="markers", marker={"color": colour, "symbol": "square", "size": 9},
        hovertext=words, hoverinfo="text", **on(name),
    )  # fmt: skip
