"""A step of an algorithm on areas: what is in a class, the tree and its cuts, what changed, and where one may click."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.wishes import sums_of
from kanon_engine.model.words import counted
from kanon_engine.plot import add_choices
from kanon_engine.plot.colors import class_colours, kept_colours, palette
from kanon_engine.plot.style import BLUE, PURPLE, TEXT
from kanon_engine.regions import plot as layers
from kanon_engine.regions.plot import laid_out, without_edges
from kanon_engine.teaching.regions import NAMED_ALONE, GraphState, PlacedQuestion
from kanon_engine.teaching.step import Question, State, Step

if TYPE_CHECKING:
    from kanon_engine.regions.instance import Regions

SHORT = 8  # letters of a name that has room above a point
FITS = 3  # letters of a weight that has room within one


def step_figure(regions: Regions, g: Generalization, step: Step, asked: Question | None = None) -> go.Figure:
    """The areas after a step, on a map or as a network where they have no shapes.

    Parameters
    ----------
    g : The result that the step leads to.
    step : Of `teaching.steps`.
    asked : Its choices are marked.

    Returns
    -------
    Figure
        Areas in no class are pale. `customdata` is the position of each choice. Of few areas the weights are written,
        and short names.
    """
    state = drawn(step.state)
    figure = go.Figure()
    body = layers.area_trace(regions, _fill(regions, g, state), _hover(regions, state), None)
    if regions.geometry is None:
        figure.add_traces([*_links(regions, state), *_tree(regions, state), body])
    else:
        figure.add_traces([body, layers.class_borders(regions, state.pieces), *_tree(regions, state)])
    heavy = np.isin(state.pieces, state.pieces[list(state.heavy)])
    if heavy.any():
        figure.add_trace(layers.line_around(regions, heavy, PURPLE, "above the limit", 5))
    if 0 < len(step.changed) < len(regions):
        changed = np.isin(np.arange(len(regions)), step.changed)
        figure.add_trace(layers.line_around(regions, changed, layers.CUT, "changed", 3))
    if state.centers:
        figure.add_trace(layers.dot_trace(regions, np.array(state.centers), layers.LINE, 12, "center of a star"))
    if len(regions) <= NAMED_ALONE:
        figure.add_traces(_words(regions))
    if isinstance(asked, PlacedQuestion):
        figure.add_trace(_choices(regions, asked))
    laid_out(figure, regions, False, _title(regions, state))
    if asked is not None and asked.choices and not isinstance(asked, PlacedQuestion):
        add_choices(figure, asked.choices)
    return figure


def drawn(state: State) -> GraphState:
    """What is drawn of a state: of a better solution of a search its classes."""
    return state if isinstance(state, GraphState) else GraphState(state.assignment, state.assignment)


def _title(regions: Regions, state: GraphState) -> str:
    pieces, groups = len(np.unique(state.pieces)), len(np.unique(state.assignment[state.assignment >= 0]))
    largest = f"largest {int(sums_of(regions.weights, state.pieces).max()):,} {regions.unit}"
    if groups == pieces:
        return f"{counted(groups, 'group')}; {largest}"
    return f"{counted(pieces, 'piece')}, {groups:,} of them {'a group' if groups == 1 else 'groups'}; {largest}"


def _fill(regions: Regions, g: Generalization, state: GraphState) -> dict[str, Any]:
    """Pale where an area is in no class; a class that is one of the result has its colour there, if it can be."""
    wanted = class_colours(regions.edges, g.assignment, g.classes)
    colours = _coloured(regions, state.assignment, wanted)
    numbers = np.where(state.assignment >= 0, colours[state.assignment] + 1, 0)
    return layers.stepped_colours(numbers, [layers.UNFINISHED, *palette(int(colours.max()) + 1)])


def _coloured(regions: Regions, assignment: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """A colour for each class that no class beside it has: the one wanted, where none of them has it."""
    ends = assignment[regions.edges]
    pairs = np.unique(ends[(ends >= 0).all(axis=1) & (ends[:, 0] != ends[:, 1])], axis=0)
    numbers = np.unique(assignment[assignment >= 0]).tolist()
    given = kept_colours(pairs, {number: int(wanted[number]) if number < len(wanted) else None for number in numbers})
    colours = np.zeros(max(int(assignment.max()) + 1, 1), dtype=np.int64)
    colours[numbers] = list(given.values())
    return colours


def _hover(regions: Regions, state: GraphState) -> dict[str, Any]:
    sums, sizes = sums_of(regions.weights, state.pieces), np.bincount(state.pieces)
    words = [f"{weight:,} {regions.unit}<br>areas: {size:,}" for weight, size in zip(sums, sizes, strict=True)]
    return {"text": np.array(words, dtype=object)[state.pieces], "hovertemplate": "%{text}<extra></extra>"}


def _links(regions: Regions, state: GraphState) -> list[Any]:
    """Who borders whom; where there is no tree, thick within a piece."""
    if len(state.tree) == 0:
        return layers.class_links(regions, state.pieces)
    return [layers.line_trace(regions, regions.edges, layers.THIN, 1, "border")]


def _tree(regions: Regions, state: GraphState) -> list[Any]:
    """The trees: what is kept, what was cut before, and what the step cut."""
    if len(state.tree) == 0:
        return []
    before, now = np.split(state.cut_edges, [len(state.cut_edges) - state.latest])
    width = 3 if len(regions) <= NAMED_ALONE else 1.5
    return [
        layers.line_trace(regions, without_edges(state.tree, state.cut_edges), layers.TREE, width, "tree"),
        layers.line_trace(regions, before, layers.THIN, 1.5, "cut before", dashes=3),
        layers.line_trace(regions, now, layers.CUT, 4, "cut now", dashes=3 if regions.geometry is not None else 6),
    ]


def _words(regions: Regions) -> list[Any]:
    """The weight of each area in its place, and above it a short name."""
    order = layers.drawing_order(regions)
    weights = [f"{weight:,}" for weight in regions.weights[order].tolist()]
    names = [regions.label(place) for place in order.tolist()]
    names = names if max(map(len, names)) <= SHORT else [""] * len(names)
    x, y = layers.area_points(regions)[order].T
    style: dict[str, Any] = {"hoverinfo": "skip", "showlegend": False, "textfont": {"size": TEXT, "color": layers.LINE}}
    if regions.geometry is not None:
        words = [f"{name} {weight}".strip() for name, weight in zip(names, weights, strict=True)]
        return [go.Scattermap(lon=x, lat=y, mode="text", text=words, name="weights", **style)]
    size = layers.node_size(regions)
    fits = max(map(len, weights)) <= FITS
    above = names if fits else [f"{name} {weight}".strip() for name, weight in zip(names, weights, strict=True)]
    room = {"size": size, "opacity": 0}  # words stand clear of a marker of their own trace
    beside = {"mode": "markers+text", "marker": room, "textposition": "top center"}
    told = [go.Scatter(x=x, y=y, text=above, name="names", **beside, **style)]
    return [*told, go.Scatter(x=x, y=y, mode="text", text=weights, name="weights", **style)] if fits else told


def _choices(regions: Regions, asked: PlacedQuestion) -> Any:
    """A dot for each choice: in the middle of its edge, or at its area."""
    x, y = layers.area_points(regions)[np.array(asked.places)].mean(axis=1).T
    style: dict[str, Any] = {
        "mode": "markers",
        "marker": {"size": 15, "color": BLUE, "opacity": [0.35 if u == v else 0.85 for u, v in asked.places]},
        "text": list(asked.choices),
        "customdata": np.arange(len(asked.choices)),
        "hovertemplate": "%{text}<extra></extra>",
        "name": "choices",
        "showlegend": False,
    }
    return go.Scatter(x=x, y=y, **style) if regions.geometry is None else go.Scattermap(lon=x, lat=y, **style)
