"""The columns' domains as strips with their cuts."""

from __future__ import annotations

import numpy as np
from plotly import graph_objects as go

from kanon_engine.model.words import cut
from kanon_engine.plot.style import BLUE, FLOOR, ORANGE, TEXT
from kanon_engine.tables.cuts.node_kernels import HEAD, OUT, TAIL
from kanon_engine.tables.domain import value_words
from kanon_engine.tables.instance import Table
from kanon_engine.tables.plot.steps.panels import Room, choices, heading, on, place
from kanon_engine.tables.steps.cut_names import cut_names, cut_numbers

MOST_CELLS = 400  # of a column; with more it is one cell
WORDED = 8  # values of a column whose words are drawn
LETTERS = 8
NUMBERED = 40  # cuts whose numbers are drawn
LOOKS = {  # of each kind of cut value: its name, colour, dash and width
    HEAD: ("in the head", "#222222", "solid", 4),
    TAIL: ("in the tail", BLUE, "dash", 2),
    OUT: ("out", FLOOR, "dot", 1),
}
SCALE = ((0, "#EEF2F5"), (1, "#9CC3DF"))


def draw_strips(
    figure: go.Figure,
    room: Room,
    table: Table,
    kinds: np.ndarray,
    touched: tuple[int, ...],
    asked: tuple[str, ...],
) -> None:
    """Draw each column's values in order, the darker the more records have them, with the cuts by their kinds.

    Parameters
    ----------
    figure : Figure
    room : Room
    table : Table
    kinds : (a,) int
        Of each cut value.
    touched : tuple of int
        Cut values that stand out.
    asked : tuple of str
        Choices: names of cut values.
    """
    q = len(table.quasi_identifiers)
    ticks = {
        "visible": True,
        "tickvals": list(range(q)),
        "ticktext": [cut(name, 12) for name in table.quasi_identifiers],
        "range": [q - 0.3, -0.75],
    }
    plain = {"showgrid": False, "zeroline": False}
    name = place(figure, room, x={"range": [-0.01, 1.01]}, y=ticks | plain)
    figure.add_trace(_cells(table, name))
    cuts = table.cut_values
    widths = np.array([len(domain) for domain in table.domains])
    where = cuts[:, 1] / widths[cuts[:, 0]]
    numbers, names = cut_numbers(table), cut_names(table)
    for kind, (words, colour, dash, width) in LOOKS.items():
        own = [value for value in np.flatnonzero(kinds == kind).tolist() if value not in touched]
        figure.add_trace(_lines(where, cuts[:, 0], own, name, {"color": colour, "dash": dash, "width": width}, words))
    figure.add_trace(
        _lines(where, cuts[:, 0], list(touched), name, {"color": ORANGE, "width": 5}, "decided in this step")
    )
    worded = np.flatnonzero(kinds != OUT) if len(cuts) > NUMBERED else np.arange(len(cuts))
    if len(worded) <= NUMBERED:
        figure.add_trace(
            go.Scatter(
                x=where[worded],
                y=cuts[worded, 0] - 0.53,
                mode="text",
                text=[f"{numbers[value]}" for value in worded.tolist()],
                textfont={"size": TEXT - 1},
                hovertext=[names[value] for value in worded.tolist()],
                hoverinfo="text",
                **on(name),
            )
        )
    if asked:
        own = [names.index(choice) for choice in asked]
        figure.add_trace(
            choices(where[own].tolist(), cuts[own, 0].tolist(), [*range(len(own))], list(asked), name, size=18)
        )
    heading(figure, room, "Cuts: <b>—</b> in the head, ┄ in the tail, ⋯ out; orange: this step")


def _cells(table: Table, name: str) -> go.Bar:
    cells: list[tuple[float, float, int, float, str]] = []  # width, where it begins, column, shade, words
    for column, domain in enumerate(table.domains):
        count = len(domain)
        own = np.bincount(table.codes[:, column], table.weights, count)
        if count > MOST_CELLS:
            cells.append((1.0, 0.0, column, 0.5, ""))
            continue
        words = [cut(value_words(value), LETTERS) if count <= WORDED else "" for value in domain]
        cells += [(1 / count, at / count, column, own[at] / own.max(), words[at]) for at in range(count)]
    widths, bases, rows, shades, texts = zip(*cells, strict=True)
    return go.Bar(
        x=widths, base=bases, y=rows, orientation="h", width=0.72, text=texts, textposition="inside",
        insidetextanchor="middle", textangle=0, textfont={"color": "#222222", "size": TEXT - 2},
        marker={"color": shades, "colorscale": SCALE, "cmin": 0, "cmax": 1, "line": {"color": "white", "width": 0.5}},
        hoverinfo="skip", **on(name),
    )  # fmt: skip


def _lines(
    where: np.ndarray, columns: np.ndarray, values: list[int], name: str, line: dict[str, object], words: str
) -> go.Scatter:
    return go.Scatter(
        x=[x for value in values for x in (where[value], where[value], None)],
        y=[y for value in values for y in (columns[value] - 0.42, columns[value] + 0.42, None)],
        mode="lines",
        line=line,
        name=words,
        hoverinfo="skip",
        **on(name),
    )
