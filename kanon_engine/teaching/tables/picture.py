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
from kanon_engine.plot.colors import (
    BLUE,
    BLUES,
    FLOOR,
    GREEN,
    INK,
    ORANGE,
    PALE,
    PALE_BLUE,
    RULE,
    SKY,
    TEXT,
    VERMILION,
    faded,
)
from kanon_engine.plot.scene import COUNT, TITLE_ABOVE, styled
from kanon_engine.tables.cuts_kernels import HEAD, OUT, TAIL
from kanon_engine.tables.instance import CellDetails, Table
from kanon_engine.tables.words import interval_words
from kanon_engine.teaching.step import Incumbent, State, Step, StepQuestion
from kanon_engine.teaching.tables import DEAD, DONE, BoxState, CellState, CutState, cut_names, cut_numbers, set_words

LEAST_WIDTH = 680  # pixels; narrower, the words of columns and groups run into each other
LEFT, RIGHT, WHOLE = (0.0, 0.46), (0.54, 0.93), (0.0, 0.9)
TAILED = 18  # nodes up to which each also shows its tail
VERDICTS = {DEAD: "no set below it is better", DONE: "no cut is left in its tail"}


def step_figure(table: Table, g: Generalization, step: Step, question: StepQuestion | None = None) -> go.Figure:
    """The state after a step: the tree of a search or of cuts, next to the cuts of columns and the records by group.

    Internal: every value is shown.
    """
    figure, state = go.Figure(), step.state
    columns = question is not None and question.choices == tuple(table.quasi_identifiers)
    values = question.choices if question is not None and set(question.choices) <= set(cut_names(table)) else ()
    bottom = 0.0
    if question is not None and question.choices and not columns and not values:
        high = 0.07 if len(question.choices) <= ACROSS else 0.14
        _buttons(Panel(figure, 4, (0, 1), (0, high)), list(question.choices))
        bottom = high + 0.05
    records = Panel(figure, 3, RIGHT, (bottom, 0.84))
    if isinstance(state, CutState):
        title = _draw_cuts(figure, table, state, values, bottom)
        _draw_records(records._replace(up=(bottom, 0.42)), table, step)
    elif isinstance(state, BoxState) and state.parts:
        title = "Nested cuts"
        _draw_tree(
            Panel(figure, 1, LEFT, (bottom, 0.93)), *_parts(table, state), title="Parts, with their numbers of records"
        )
        soon = state.parts[state.after].records if state.after >= 0 else None
        _draw_records(records, table, step, following=soon, with_choices=columns)
    else:
        stars = _stars(state)
        title = "What each record shows" if stars is not None else "Groups"
        _draw_records(records._replace(across=WHOLE), table, step, stars=stars, with_choices=columns)
    look = {"margin": (10, 10, 40, 10), "barmode": "overlay", "meta": {"least": LEAST_WIDTH}}
    return styled(figure, title, **TITLE_ABOVE, showlegend=False, **look)


def _stars(state: State) -> np.ndarray | None:
    """(n, q) bool: the hidden cells, if single cells are hidden."""
    if isinstance(state, CellState):
        return state.stars
    details: Any = state.result.details if isinstance(state, Incumbent) else None
    return details.stars[state.assignment] if isinstance(details, CellDetails) else None


ACROSS = 3  # buttons per row
HEADING_LETTERS = 40
HIDDEN: dict[str, Any] = {"visible": False, "fixedrange": True}
PLAIN = {"showgrid": False, "zeroline": False}


class Panel(NamedTuple):
    """A part of a picture with its own axes, and its place, 0 to 1 across and up."""

    figure: go.Figure
    number: int  # the number of its axes
    across: tuple[float, float]
    up: tuple[float, float]

    @property
    def name(self) -> str:
        """The suffix of x and y in the names of its axes."""
        return "" if self.number == 1 else str(self.number)

    def place(self, x: dict[str, Any], y: dict[str, Any]) -> None:
        """Make its axes."""
        layout, name = self.figure.layout, self.name
        layout[f"xaxis{name}"] = HIDDEN | {"domain": self.across, "anchor": f"y{name}"} | x
        layout[f"yaxis{name}"] = HIDDEN | {"domain": self.up, "anchor": f"x{name}"} | y

    def draw(self, kind: type[Any] = go.Scatter, **look: Any) -> None:
        """Add a trace, without hover text by default."""
        hover_info = {} if look.keys() & {"hovertext", "hoverinfo"} else {"hoverinfo": "skip"}
        if "hovertext" in look and "hoverinfo" not in look:
            hover_info = {"hoverinfo": "text"}
        self.figure.add_trace(kind(**look, **hover_info, xaxis=f"x{self.name}", yaxis=f"y{self.name}"))

    def lines(self, ends: Sequence[tuple[float, float, float, float]], **look: Any) -> None:
        """Add lines between pairs of x and pairs of y."""
        xs = [x for a, b, _, _ in ends for x in (a, b, None)]
        ys = [y for _, _, c, d in ends for y in (c, d, None)]
        self.draw(x=xs, y=ys, mode="lines", **look)

    def choices(self, xs: list[float], ys: list[float], words: list[str], **look: Any) -> None:
        """Add marks that can be picked as answers, in the order of the choices."""
        marker = {"size": 20, "color": faded(ORANGE, 0.35), "line": {"color": ORANGE, "width": 2.5}} | look
        self.draw(x=xs, y=ys, customdata=[*range(len(xs))], hovertext=words, mode="markers", marker=marker)

    def heading(self, words: str, above: float = 0.01) -> None:
        """Write a heading above it."""
        self.figure.add_annotation(
            x=self.across[0], y=self.up[1] + above, xref="paper", yref="paper", xanchor="left", yanchor="bottom",
            text=words, showarrow=False, font_size=TEXT,
        )  # fmt: skip


def _buttons(panel: Panel, words: list[str]) -> None:
    """Choices without a place in the picture, as buttons in rows of three."""
    rows = -(-len(words) // ACROSS)
    panel.place(x={"range": [-0.1, ACROSS]}, y={"range": [rows - 0.5, -0.5]})
    xs, ys = [float(at % ACROSS) for at in range(len(words))], [float(at // ACROSS) for at in range(len(words))]
    panel.choices(xs, ys, words, size=22, symbol="square")
    for x, y, text in zip(xs, ys, words, strict=True):
        panel.figure.add_annotation(
            x=x, y=y, xref=f"x{panel.name}", yref=f"y{panel.name}", text=cut(text, HEADING_LETTERS), showarrow=False,
            xanchor="left", xshift=18, font={"size": TEXT, "color": BLUE},
        )  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------------
# Trees of sets of cuts, and of parts that are cut.
# ---------------------------------------------------------------------------------------------------------------------


WORDED_NODES = 40  # nodes up to which their words are drawn


@dataclass(frozen=True)
class Mark:
    """The style of a node."""

    words: str
    hover: str
    color: str
    symbol: str = "circle"


Tree = tuple[list[int], list[Mark], dict[int, str]]  # parents (-1 for the root), marks, and ring colors of nodes


def _branches(table: Table, state: CutState) -> Tree:
    """The sets of cuts that were evaluated."""
    numbers = cut_numbers(table)
    marks = []
    for branch in state.nodes:
        head = set_words(table, np.flatnonzero(branch.kinds == HEAD).tolist())
        tail = ", ".join(str(numbers[value]) for value in np.flatnonzero(branch.kinds == TAIL).tolist())
        words = "{ }" if branch.value < 0 else f"+{numbers[branch.value]}"
        if len(state.nodes) <= TAILED:
            words = head + (f"<br>{tail}" if tail else "")
        hover = (
            f"cuts {head}, tail {{{tail}}}<br>cost {branch.cost:,}, left out {branch.suppressed:,}<br>"
            f"below it at least {branch.bound:,}; {VERDICTS.get(branch.verdict, 'open')}"
        )
        color, symbol = {DEAD: (VERMILION, "x"), DONE: (FLOOR, "circle")}.get(branch.verdict, (SKY, "circle"))
        if branch.cost == state.best:
            color, symbol = GREEN, "star"
        marks.append(Mark(words, hover, color, symbol))
    return [branch.parent for branch in state.nodes], marks, {state.at: ORANGE} if state.at >= 0 else {}


def _parts(table: Table, state: BoxState) -> Tree:
    """The nested parts."""
    names = table.quasi_identifiers
    marks = []
    for part in state.parts:
        words = f"{part.size:,}" + (f"<br>{names[part.column]}" if part.column >= 0 else "")
        done = "a group" if part.closed else "cut" if part.column >= 0 else "open"
        color = GREEN if part.closed else FLOOR if part.column >= 0 else SKY
        marks.append(Mark(words, f"{part.size:,} {table.unit}: {done}", color, "square" if part.closed else "circle"))
    ringed = {state.after: BLUE, state.at: ORANGE}
    ringed.pop(-1, None)
    return [part.parent for part in state.parts], marks, ringed


def _draw_tree(panel: Panel, parents: list[int], marks: list[Mark], ringed: dict[int, str], title: str) -> None:
    """Draw nodes below their parents."""
    xs, ys = tree_places(parents)
    wide = max(max(xs) - min(xs), 1)
    panel.place(x={"range": [min(xs) - 0.12 * wide, max(xs) + 0.2 * wide]}, y={"range": [min(ys) - 0.7, 0.5]})
    lines = [(xs[parent], xs[node], ys[parent], ys[node]) for node, parent in enumerate(parents) if parent >= 0]
    panel.lines(lines, line={"color": FLOOR, "width": 1.2})
    worded = len(marks) <= WORDED_NODES
    size, nodes = 15 if worded else 8, range(len(marks))
    panel.draw(
        x=xs,
        y=ys,
        mode="markers+text",
        text=[mark.words if worded or node in ringed else "" for node, mark in enumerate(marks)],
        textposition=["middle right" if node in parents else "bottom center" for node in nodes],
        textfont={"size": TEXT if len(marks) <= WORDED_NODES // 4 else TEXT - 3},
        marker={
            "size": [size + 9 * (node in ringed) for node in nodes],
            "color": [mark.color for mark in marks],
            "symbol": [mark.symbol for mark in marks],
            "opacity": 1,
            "line": {
                "width": [4 if node in ringed else 1 for node in nodes],
                "color": [ringed.get(node, FLOOR) for node in nodes],
            },
        },
        hovertext=[mark.hover for mark in marks],
    )
    panel.heading(title)


# ---------------------------------------------------------------------------------------------------------------------
# The domains of the columns as strips with their cuts, next to the tree of a search or the cost of a descent.
# ---------------------------------------------------------------------------------------------------------------------


MOST_CELLS = 400  # of a column; a column with more is one cell
WORDED_VALUES = 8  # values of a column up to which their words are drawn
VALUE_LETTERS = 8
NUMBERED = 40  # cuts up to which their numbers are drawn
CUT_LOOKS = {  # of each kind of cut value: its name, color, dash and width
    HEAD: ("made", INK, "solid", 4),
    TAIL: ("in the tail", BLUE, "dash", 2),
    OUT: ("out", FLOOR, "dot", 1),
}
STRIP_SCALE = ((0, PALE), (1, BLUES[4]))


def _draw_cuts(figure: go.Figure, table: Table, state: CutState, values: tuple[str, ...], bottom: float) -> str:
    _draw_strips(Panel(figure, 2, RIGHT, (0.56, 0.93)), table, state.kinds, state.touched, values)
    head = set_words(table, np.flatnonzero(state.kinds == HEAD).tolist())
    best = "none yet" if state.best < 0 else f"{state.best:,}"
    panel = Panel(figure, 1, LEFT, (bottom, 0.93))
    below = f", at least {state.nodes[state.at].bound:,} for all sets below" if state.at >= 0 else ""
    if state.nodes:
        _draw_tree(panel, *_branches(table, state), title="Sets of cuts that were evaluated")
    else:
        _draw_costs(panel, state)
    return f"Cuts {head}: cost {state.cost:,}{below}; best so far: {best}"


def _draw_strips(
    panel: Panel, table: Table, kinds: np.ndarray, touched: tuple[int, ...], choices: tuple[str, ...]
) -> None:
    """Draw each column's values in order, the darker the more records have them, with the cuts by their kinds."""
    q = len(table.quasi_identifiers)
    names = [cut(name, 12) for name in table.quasi_identifiers]
    ticks = {"visible": True, "tickvals": list(range(q)), "ticktext": names, "range": [q - 0.3, -0.75]}
    panel.place(x={"range": [-0.01, 1.01]}, y=ticks | PLAIN)
    cells: list[tuple[float, float, int, float, str]] = []  # width, start, column, shade, words
    for column, domain in enumerate(table.domains):
        count = len(domain)
        counts = np.bincount(table.codes[:, column], table.weights, count)
        if count > MOST_CELLS:
            cells.append((1.0, 0.0, column, 0.5, ""))
            continue
        words = [cut(value_words(value), VALUE_LETTERS) if count <= WORDED_VALUES else "" for value in domain]
        cells += [(1 / count, at / count, column, counts[at] / counts.max(), words[at]) for at in range(count)]
    widths, bases, rows, shades, texts = zip(*cells, strict=True)
    panel.draw(
        go.Bar, x=widths, base=bases, y=rows, orientation="h", width=0.72, text=texts, textposition="inside",
        insidetextanchor="middle", textangle=0, textfont={"color": INK, "size": TEXT - 2},
        marker={
            "color": shades, "colorscale": STRIP_SCALE, "cmin": 0, "cmax": 1, "line": {"color": "white", "width": 0.5},
        },
    )  # fmt: skip
    cuts = table.cut_values
    where = cuts[:, 1] / np.array([len(domain) for domain in table.domains])[cuts[:, 0]]

    def upright(values: list[int], line: dict[str, Any], words: str) -> None:
        ends = [(where[value], where[value], cuts[value, 0] - 0.42, cuts[value, 0] + 0.42) for value in values]
        panel.lines(ends, line=line, name=words)

    for kind, (name, color, dash, width) in CUT_LOOKS.items():
        positions = [value for value in np.flatnonzero(kinds == kind).tolist() if value not in touched]
        upright(positions, {"color": color, "dash": dash, "width": width}, name)
    upright(list(touched), {"color": ORANGE, "width": 5}, "decided in this step")
    numbers, names = cut_numbers(table), cut_names(table)
    worded = np.flatnonzero(kinds != OUT) if len(cuts) > NUMBERED else np.arange(len(cuts))
    if len(worded) <= NUMBERED:
        panel.draw(
            x=where[worded], y=cuts[worded, 0] - 0.53, mode="text", textfont={"size": TEXT - 1},
            text=[f"{numbers[value]}" for value in worded.tolist()], hovertext=[names[v] for v in worded.tolist()],
        )  # fmt: skip
    if choices:
        positions = [names.index(choice) for choice in choices]
        panel.choices(where[positions].tolist(), cuts[positions, 0].tolist(), list(choices), size=18)
    panel.heading("Cuts: <b>—</b> made, ┄ may be added (tail), ⋯ not; orange: this step")


def _draw_costs(panel: Panel, state: CutState) -> None:
    """Draw the costs so far in this descent, and the best of all descents."""
    last = max(len(state.costs) - 1, 1)
    costs = list(state.costs) or [state.cost]
    inner = panel._replace(across=(panel.across[0] + 0.06, panel.across[1]), up=(panel.up[0] + 0.1, panel.up[1]))
    axis = PLAIN | {"visible": True}
    ticks = {"range": [-0.2, last + 0.2], "dtick": 1 if last < 12 else None}
    inner.place(
        x=axis | {"title": "Cuts added or removed"} | ticks,
        y=axis | {"title": "Cost", "tickformat": COUNT, "rangemode": "tozero"},
    )
    inner.draw(y=costs, mode="lines+markers", line={"color": BLUE, "width": 2.5}, marker_size=9, hoverinfo="y")
    if state.best >= 0:
        inner.draw(x=[0, last], y=[state.best] * 2, mode="lines", line={"color": FLOOR, "dash": "dash", "width": 2})
    panel.heading("Cost of this descent; dashed: the best cost so far")


# ---------------------------------------------------------------------------------------------------------------------
# The records by group as a table whose cells are shaded by their values.
# ---------------------------------------------------------------------------------------------------------------------


MOST_RECORDS, MOST_GROUPS = 40, 40  # rows: records one by one, otherwise groups
WORDED_ROWS = 36  # rows in the whole height up to which cells hold words
LABELED = 18  # groups up to which they are named at the side
CELL_LETTERS = 9
LEVEL_LETTERS = 45  # of all column names, in letters of the longest, up to which they fit side by side
RECORD_SCALE = ((0, RULE), (0.499, RULE), (0.5, PALE_BLUE), (1, BLUE))  # from -1, a hidden cell, through 0 to 1


def _draw_records(
    panel: Panel,
    table: Table,
    step: Step,
    *,
    stars: np.ndarray | None = None,
    following: np.ndarray | None = None,
    with_choices: bool = False,
) -> None:
    """Draw each row of the table, or each group if there are many; `with_choices`: the columns are choices."""
    one_by_one, assignment = len(table) <= MOST_RECORDS, step.state.assignment
    codes = np.where(stars, -1, table.codes) if stars is not None else table.codes
    order = np.lexsort((*codes.T[::-1], np.where(assignment < 0, np.iinfo(np.int32).max, assignment)))
    groups = assignment[order]
    begins = np.flatnonzero(np.append(True, np.diff(groups) != 0))
    rows = [order[[i]] for i in range(len(order))] if one_by_one else np.split(order, begins[1:])
    of = groups if one_by_one else groups[begins]
    hit = np.isin(np.arange(len(table)), step.changed)
    if len(rows) > MOST_GROUPS:
        first = np.argsort([not hit[row].any() for row in rows], kind="stable")[:MOST_GROUPS]
        rows, of = [rows[i] for i in sorted(first)], of[np.sort(first)]
    shades, words = _record_cells(table, rows, stars)
    count, q = shades.shape
    slanted = q * min(max(map(len, table.quasi_identifiers)), CELL_LETTERS + 3) > LEVEL_LETTERS
    names = [cut(name, CELL_LETTERS if slanted else CELL_LETTERS + 3) for name in table.quasi_identifiers]
    columns = {"visible": True, "tickvals": list(range(q)), "ticktext": names, "side": "top"}
    columns["range"] = [-0.5 - 0.13 * q, q - 0.5]
    starts = np.flatnonzero(np.append(True, np.diff(of) != 0))
    ends = np.append(starts[1:], count)
    sizes = [int(table.weights[assignment == of[start]].sum()) for start in starts]
    names = ["no group" if group < 0 else f"group {group + 1:,}" for group in of[starts].tolist()]
    ticks: dict[str, Any] = {}
    if len(names) <= LABELED:
        tick_texts = [f"{name}: {size:,}" for name, size in zip(names, sizes, strict=True)]
        ticks = {"visible": True, "tickvals": ((starts + ends - 1) / 2).tolist(), "ticktext": tick_texts}
    plain = PLAIN | {"tickangle": 0}
    columns |= PLAIN | {"tickangle": -40 if slanted else 0}
    down = [count - 0.4, -0.6 - with_choices * count / 12]
    panel.place(x=columns, y=ticks | plain | {"range": down, "side": "right"})
    fits = count <= WORDED_ROWS * (panel.up[1] - panel.up[0])
    panel.draw(
        go.Heatmap, z=shades, text=words, texttemplate="%{text}" if fits else None, zmin=-1, zmax=1,
        colorscale=RECORD_SCALE, showscale=False, xgap=2, ygap=1, hovertext=words,
    )  # fmt: skip
    panel.lines(
        [(-0.5, q - 0.5, edge, edge) for edge in (starts[1:] - 0.5).tolist()], line={"color": FLOOR, "width": 2.5}
    )
    what = "orange: the group changed"
    marked = [(0.04, hit, ORANGE, "group changed")]
    if following is not None:
        marked.append((0.09, np.isin(np.arange(len(table)), following), SKY, "looked at next"))
        what += ", blue: looked at next"
    for aside, mask, color, hover_text in marked:
        places = [i for i, row in enumerate(rows) if mask[row].any()]
        look = {"color": color, "symbol": "square", "size": 9}
        panel.draw(x=[-0.5 - aside * q] * len(places), y=places, mode="markers", marker=look, hovertext=hover_text)
    if with_choices:
        panel.choices([*range(q)], [-0.5 - count / 24] * q, list(table.quasi_identifiers))
    title = "Groups and their ranges"
    if one_by_one:
        title = f"{'Rows' if table.weighted else table.unit.capitalize()} by group"
    panel.heading(f"{title}; {what}", above=0.2 if slanted else 0.07)


def _record_cells(table: Table, rows: list[np.ndarray], stars: np.ndarray | None) -> tuple[np.ndarray, list[list[str]]]:
    """The shade of each cell, 0 to 1 along its domain, and its words; hidden cells are -1 and a star."""
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
