"""The picture of a step of an algorithm for tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from plotly import graph_objects as go

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.step import Question, State, Step
from kanon_engine.plot.style import BLUE, FLOOR, GREEN, ORANGE, SKY, VERMILION, styled
from kanon_engine.stepping import Incumbent
from kanon_engine.tables.cuts.node_kernels import HEAD, TAIL
from kanon_engine.tables.instance import CellDetails, Table
from kanon_engine.tables.plot.steps.costs import draw_costs
from kanon_engine.tables.plot.steps.panels import ACROSS, Room, buttons
from kanon_engine.tables.plot.steps.records import draw_records
from kanon_engine.tables.plot.steps.strips import draw_strips
from kanon_engine.tables.plot.steps.tree import Mark, draw_tree
from kanon_engine.tables.steps.cut_names import cut_names, cut_numbers, set_words
from kanon_engine.tables.steps.states import DEAD, DONE, BoxState, Branch, CellState, CutState

LEFT, RIGHT, WHOLE = (0.0, 0.46), (0.54, 0.93), (0.0, 0.9)
TAILED = 18  # nodes up to which each shows its tail too
VERDICTS = {DEAD: "nothing better below it", DONE: "its tail is empty"}


def step_figure(table: Table, g: Generalization, step: Step, asked: Question | None = None) -> go.Figure:
    """What there is after a step: the tree of a search or of cuts beside the columns' cuts and the records by group.

    Parameters
    ----------
    table : Table
    g : Generalization
        The result that the steps lead to.
    step : Step
    asked : Question, optional
        Its choices are marked: columns, cut values, or buttons.

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
        words = (f"{head}" + (f"<br>{tail}" if tail else "")) if small else str(_number(numbers, branch))
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


def _number(numbers: list[int], branch: Branch) -> str:
    return "{ }" if branch.value < 0 else f"+{numbers[branch.value]}"


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
