"""The picture of a step of an algorithm for tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from plotly import graph_objects as go

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.values import value_words
from kanon_engine.model.words import cut
from kanon_engine.plot import tree_places
from kanon_engine.plot.style import BLUE, COUNT, FLOOR, GREEN, ORANGE, SKY, TEXT, VERMILION, styled
from kanon_engine.tables.cuts_kernels import HEAD, OUT, TAIL
from kanon_engine.tables.instance import CellDetails, Table
from kanon_engine.tables.words import interval_words
from kanon_engine.teaching.step import Incumbent, Question, State, Step
from kanon_engine.teaching.tables import (
    DEAD,
    DONE,
    BoxState,
    CellState,
    CutState,
    cut_names,
    cut_numbers,
    set_words,
)

LEFT, RIGHT, WHOLE = (0.0, 0.46), (0.54, 0.93), (0.0, 0.9)
TAILED = 18  # nodes up to which each shows its tail too
VERDICTS = {DEAD: "nothing better below it", DONE: "its tail is empty"}


def step_figure(table: Table, g: Generalization, step: Step, asked: Question | None = None) -> go.Figure:
    """What there is after a step: the tree of a search or of cuts beside the columns' cuts and the records by group.

    Parameters
    ----------
    g : The result that the steps lead to.
    asked : Its choices are marked: columns, cut values, or buttons.

    Returns
    -------
    Figure
        Internal: every value is shown.
    """
    figure, state = go.Figure(), step.state
    columns = asked is not None and asked.choices == tuple(table.quasi_identifiers)
    values = asked.choices if asked is not None and set(asked.choices) <= set(cut_names(table)) else ()
    bottom = 0.0
    if asked is not None and asked.choices and not columns and not values:
        high = 0.07 if len(asked.choices) <= ACROSS else 0.14
        buttons(figure, Room(4, (0, 1), (0, high)), list(asked.choices))
        bottom = high + 0.05
    if isinstance(state, CutState):
        title = _draw_cuts(figure, table, state, values, bottom)
        draw_records(figure, Room(3, RIGHT, (bottom, 0.42)), table, state.assignment, step.changed)
    elif isinstance(state, BoxState) and state.parts:
        title = "Cuts within cuts"
        draw_tree(figure, Room(1, LEFT, (bottom, 0.93)), *_parts(table, state), title="Parts, with their records")
        soon = state.parts[state.after].records if state.after >= 0 else None
        draw_records(
            figure, Room(3, RIGHT, (bottom, 0.84)), table, state.assignment, step.changed, following=soon, asked=columns
        )
    else:
        stars = _stars(state)
        title = "What each record shows" if stars is not None else "Groups"
        room = Room(3, WHOLE, (bottom, 0.84))
        draw_records(figure, room, table, state.assignment, step.changed, stars=stars, asked=columns)
    margin = {"l": 10, "r": 10, "t": 40, "b": 10}
    return styled(figure, title, title_y=0.985, title_yanchor="top", showlegend=False, margin=margin, barmode="overlay")


def _draw_cuts(figure: go.Figure, table: Table, state: CutState, values: tuple[str, ...], bottom: float) -> str:
    draw_strips(figure, Room(2, RIGHT, (0.56, 0.93)), table, state.kinds, state.touched, values)
    head = set_words(table, np.flatnonzero(state.kinds == HEAD).tolist())
    best = "none yet" if state.best < 0 else f"{state.best:,}"
    room = Room(1, LEFT, (bottom, 0.93))
    below = f", below it at least {state.nodes[state.at].bound:,}" if state.at >= 0 else ""
    if state.nodes:
        draw_tree(figure, room, *_branches(table, state), title="Sets of cuts that were weighed")
    else:
        draw_costs(figure, room, state)
    return f"Cuts {head}: cost {state.cost:,}{below}; best so far: {best}"


def _branches(table: Table, state: CutState) -> tuple[list[int], list[Mark], dict[int, str]]:
    numbers = cut_numbers(table)
    marks = []
    for branch in state.nodes:
        head = set_words(table, np.flatnonzero(branch.kinds == HEAD).tolist())
        tail = ", ".join(str(numbers[value]) for value in np.flatnonzero(branch.kinds == TAIL).tolist())
        small = len(state.nodes) <= TAILED
        short = "{ }" if branch.value < 0 else f"+{numbers[branch.value]}"
        words = (f"{head}" + (f"<br>{tail}" if tail else "")) if small else short
        verdict = VERDICTS.get(branch.verdict, "open")
        hover = (
            f"head {head}, tail {{{tail}}}<br>cost {branch.cost:,}, left out {branch.suppressed:,}<br>"
            f"below it at least {branch.bound:,}; {verdict}"
        )
        colour, symbol = SKY, "circle"
        if branch.verdict == DEAD:
            colour, symbol = VERMILION, "x"
        elif branch.verdict == DONE:
            colour = FLOOR
        if branch.cost == state.best:
            colour, symbol = GREEN, "star"
        marks.append(Mark(words, hover, colour, symbol))
    ringed = {state.at: ORANGE} if state.at >= 0 else {}
    return [branch.parent for branch in state.nodes], marks, ringed


def _parts(table: Table, state: BoxState) -> tuple[list[int], list[Mark], dict[int, str]]:
    names = table.quasi_identifiers
    marks = []
    for part in state.parts:
        words = f"{part.size:,}" + (f"<br>{names[part.column]}" if part.column >= 0 else "")
        done = "a group" if part.closed else "cut" if part.column >= 0 else "open"
        colour = GREEN if part.closed else FLOOR if part.column >= 0 else SKY
        marks.append(Mark(words, f"{part.size:,} {table.unit}: {done}", colour, "square" if part.closed else "circle"))
    ringed = {state.after: BLUE, state.at: ORANGE}
    ringed.pop(-1, None)
    return [part.parent for part in state.parts], marks, ringed


def _stars(state: State) -> np.ndarray | None:
    """(n, q) bool: the cells that are hidden, where single ones are."""
    if isinstance(state, CellState):
        return state.stars
    details: Any = state.result.details if isinstance(state, Incumbent) else None
    return details.stars[state.assignment] if isinstance(details, CellDetails) else None


# ---------------------------------------------------------------------------------------------------------------------
# Where the parts of a picture of a step stand.
# ---------------------------------------------------------------------------------------------------------------------


ACROSS = 3  # buttons in a row
HEADING_LETTERS = 40
HIDDEN: dict[str, Any] = {"visible": False, "fixedrange": True}


class Room(NamedTuple):
    """A part of the picture: the number of its axes, and where it lies, 0 to 1 across and up."""

    number: int
    across: tuple[float, float]
    up: tuple[float, float]


def place(figure: go.Figure, room: Room, **axes: Any) -> str:
    """Make axes for a part of the picture; what its traces name as their axes' number."""
    name = "" if room.number == 1 else str(room.number)
    figure.layout[f"xaxis{name}"] = HIDDEN | {"domain": room.across, "anchor": f"y{name}"} | axes.get("x", {})
    figure.layout[f"yaxis{name}"] = HIDDEN | {"domain": room.up, "anchor": f"x{name}"} | axes.get("y", {})
    return name


def on(name: str) -> dict[str, str]:
    """The axes of a trace in such a room."""
    return {"xaxis": f"x{name}", "yaxis": f"y{name}"}


def heading(figure: go.Figure, room: Room, words: str, above: float = 0.01) -> None:
    """Words above a part of the picture."""
    figure.add_annotation(
        x=room.across[0], y=room.up[1] + above, xref="paper", yref="paper", xanchor="left", yanchor="bottom",
        text=words, showarrow=False, font_size=TEXT,
    )  # fmt: skip


def choices(
    xs: list[float], ys: list[float], numbers: list[int], words: list[str], name: str, **look: Any
) -> go.Scatter:
    """Marks that are picked as answers: `numbers` are the positions of the choices."""
    marker = {"size": 20, "color": "rgba(230,159,0,0.35)", "line": {"color": ORANGE, "width": 2.5}} | look
    return go.Scatter(
        x=xs, y=ys, customdata=numbers, hovertext=words, hoverinfo="text", mode="markers", marker=marker, **on(name)
    )


def buttons(figure: go.Figure, room: Room, words: list[str]) -> None:
    """Choices that have no place in the picture, as buttons in rows of three."""
    rows = -(-len(words) // ACROSS)
    name = place(figure, room, x={"range": [-0.1, ACROSS]}, y={"range": [rows - 0.5, -0.5]})
    xs, ys = [float(at % ACROSS) for at in range(len(words))], [float(at // ACROSS) for at in range(len(words))]
    figure.add_trace(choices(xs, ys, list(range(len(words))), words, name, size=22, symbol="square"))
    for x, y, text in zip(xs, ys, words, strict=True):
        figure.add_annotation(
            x=x, y=y, xref=f"x{name}", yref=f"y{name}", text=cut(text, HEADING_LETTERS), showarrow=False,
            xanchor="left", xshift=18, font={"size": TEXT, "color": BLUE},
        )  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------------
# Trees: of sets of cuts, and of parts that are cut.
# ---------------------------------------------------------------------------------------------------------------------


WORDED_NODES = 40  # nodes whose words are drawn


@dataclass(frozen=True)
class Mark:
    """How a node looks."""

    words: str
    hover: str
    colour: str
    symbol: str = "circle"


def draw_tree(
    figure: go.Figure,
    room: Room,
    parents: Sequence[int],
    marks: Sequence[Mark],
    ringed: dict[int, str],
    title: str,
) -> None:
    """Draw nodes below their parents.

    Parameters
    ----------
    parents : Each before its children; -1 of the root.
    ringed : Nodes that stand out, with the colour of their ring.
    """
    xs, ys = tree_places(parents)
    wide = max(max(xs) - min(xs), 1)
    name = place(
        figure,
        room,
        x={"range": [min(xs) - 0.12 * wide, max(xs) + 0.2 * wide]},
        y={"range": [min(ys) - 0.7, 0.5]},
    )
    lines = [(xs[parent], xs[node], ys[parent], ys[node]) for node, parent in enumerate(parents) if parent >= 0]
    figure.add_trace(
        go.Scatter(
            x=[x for a, b, _, _ in lines for x in (a, b, None)],
            y=[y for _, _, c, d in lines for y in (c, d, None)],
            mode="lines",
            line={"color": FLOOR, "width": 1.2},
            hoverinfo="skip",
            **on(name),
        )
    )
    worded = len(marks) <= WORDED_NODES
    size = 15 if worded else 8
    figure.add_trace(
        go.Scatter(
            x=xs,
            y=ys,
            mode="markers+text",
            text=[mark.words if worded or node in ringed else "" for node, mark in enumerate(marks)],
            textposition=["middle right" if node in parents else "bottom center" for node in range(len(marks))],
            textfont={"size": TEXT if len(marks) <= WORDED_NODES // 4 else TEXT - 3},
            marker={
                "size": [size + 9 * (node in ringed) for node in range(len(marks))],
                "color": [mark.colour for mark in marks],
                "symbol": [mark.symbol for mark in marks],
                "opacity": 1,
                "line": {
                    "width": [4 if node in ringed else 1 for node in range(len(marks))],
                    "color": [ringed.get(node, FLOOR) for node in range(len(marks))],
                },
            },
            hovertext=[mark.hover for mark in marks],
            hoverinfo="text",
            **on(name),
        )
    )
    heading(figure, room, title)


# ---------------------------------------------------------------------------------------------------------------------
# The columns' domains as strips with their cuts.
# ---------------------------------------------------------------------------------------------------------------------


MOST_CELLS = 400  # of a column; with more it is one cell
WORDED_VALUES = 8  # values of a column whose words are drawn
VALUE_LETTERS = 8
NUMBERED = 40  # cuts whose numbers are drawn
CUT_LOOKS = {  # of each kind of cut value: its name, colour, dash and width
    HEAD: ("in the head", "#222222", "solid", 4),
    TAIL: ("in the tail", BLUE, "dash", 2),
    OUT: ("out", FLOOR, "dot", 1),
}
STRIP_SCALE = ((0, "#EEF2F5"), (1, "#9CC3DF"))


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
    kinds : (a,) int. Of each cut value.
    touched : Cut values that stand out.
    asked : Choices: names of cut values.
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
    figure.add_trace(_strip_cells(table, name))
    cuts = table.cut_values
    widths = np.array([len(domain) for domain in table.domains])
    where = cuts[:, 1] / widths[cuts[:, 0]]
    numbers, names = cut_numbers(table), cut_names(table)
    for kind, (words, colour, dash, width) in CUT_LOOKS.items():
        own = [value for value in np.flatnonzero(kinds == kind).tolist() if value not in touched]
        figure.add_trace(
            _cut_lines(where, cuts[:, 0], own, name, {"color": colour, "dash": dash, "width": width}, words)
        )
    figure.add_trace(
        _cut_lines(where, cuts[:, 0], list(touched), name, {"color": ORANGE, "width": 5}, "decided in this step")
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


def _strip_cells(table: Table, name: str) -> go.Bar:
    cells: list[tuple[float, float, int, float, str]] = []  # width, where it begins, column, shade, words
    for column, domain in enumerate(table.domains):
        count = len(domain)
        own = np.bincount(table.codes[:, column], table.weights, count)
        if count > MOST_CELLS:
            cells.append((1.0, 0.0, column, 0.5, ""))
            continue
        words = [cut(value_words(value), VALUE_LETTERS) if count <= WORDED_VALUES else "" for value in domain]
        cells += [(1 / count, at / count, column, own[at] / own.max(), words[at]) for at in range(count)]
    widths, bases, rows, shades, texts = zip(*cells, strict=True)
    return go.Bar(
        x=widths, base=bases, y=rows, orientation="h", width=0.72, text=texts, textposition="inside",
        insidetextanchor="middle", textangle=0, textfont={"color": "#222222", "size": TEXT - 2},
        marker={
            "color": shades, "colorscale": STRIP_SCALE, "cmin": 0, "cmax": 1, "line": {"color": "white", "width": 0.5},
        },
        hoverinfo="skip", **on(name),
    )  # fmt: skip


def _cut_lines(
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


# ---------------------------------------------------------------------------------------------------------------------
# The records by group as a table whose cells are shaded by their values.
# ---------------------------------------------------------------------------------------------------------------------


MOST_RECORDS, MOST_GROUPS = 40, 40  # rows: records one by one, else groups
WORDED_ROWS = 36  # rows in the whole height whose cells hold words
LABELLED = 18  # groups that are named at the side
CELL_LETTERS = 9
STAR = "#D5D9DD"
RECORD_SCALE = ((0, STAR), (0.499, STAR), (0.5, "#E8F1F8"), (1, BLUE))  # from -1, a hidden cell, over 0 to 1


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
    assignment : (n,) int
    changed : (c,) int. Records that are marked as changed.
    stars : (n, q) bool, optional. Cells that are hidden.
    following : (f,) int, optional. Records of what is looked at next.
    asked : Whether the columns are choices.
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
    shades, words = _record_cells(table, rows, stars)
    count, q = shades.shape
    names = [cut(name, CELL_LETTERS + 3) for name in table.quasi_identifiers]
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
    names = ["no group" if group < 0 else f"group {group + 1:,}" for group in of[starts].tolist()]
    told = [f"{name}: {size:,}" for name, size in zip(names, sizes, strict=True)]
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
    fits = count <= WORDED_ROWS * (room.up[1] - room.up[0])
    figure.add_trace(
        go.Heatmap(
            z=shades, text=words, texttemplate="%{text}" if fits else None, zmin=-1, zmax=1, colorscale=RECORD_SCALE,
            showscale=False, xgap=2, ygap=1, hoverinfo="text", hovertext=words, **on(name),
        )
    )  # fmt: skip
    edges = (starts[1:] - 0.5).tolist()
    figure.add_trace(_group_lines(edges, q, name))
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


def _record_cells(table: Table, rows: list[np.ndarray], stars: np.ndarray | None) -> tuple[np.ndarray, list[list[str]]]:
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
            line.append(cut(text, CELL_LETTERS))
        words.append(line)
    return shades, words


def _group_lines(edges: list[float], q: int, name: str) -> go.Scatter:
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


# ---------------------------------------------------------------------------------------------------------------------
# The cost of a descent, step after step.
# ---------------------------------------------------------------------------------------------------------------------


def draw_costs(figure: go.Figure, room: Room, state: CutState) -> None:
    """Draw what the cuts cost so far in this descent, and the best of all descents."""
    last = max(len(state.costs) - 1, 1)
    costs = list(state.costs) or [state.cost]
    plain = {"visible": True, "showgrid": False, "zeroline": False}
    name = place(
        figure, Room(room.number, (room.across[0] + 0.06, room.across[1]), (room.up[0] + 0.1, room.up[1])),
        x=plain | {"title": "Cuts added or taken away", "range": [-0.2, last + 0.2], "dtick": 1 if last < 12 else None},
        y=plain | {"title": "Cost", "tickformat": COUNT, "rangemode": "tozero"},
    )  # fmt: skip
    figure.add_trace(
        go.Scatter(
            y=costs, mode="lines+markers", line={"color": BLUE, "width": 2.5}, marker_size=9, hoverinfo="y", **on(name)
        )
    )
    if state.best >= 0:
        figure.add_trace(
            go.Scatter(
                x=[0, last], y=[state.best] * 2, mode="lines", line={"color": FLOOR, "dash": "dash", "width": 2},
                hoverinfo="skip", **on(name),
            )
        )  # fmt: skip
    heading(figure, room, "Cost of this descent; dashed: the best so far")
