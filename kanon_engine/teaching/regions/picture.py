"""A step of an algorithm on areas: the classes, the tree and its cuts, the changes, and where to click."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.wishes import sums_of
from kanon_engine.model.words import counted
from kanon_engine.plot import add_choices
from kanon_engine.plot.colors import (
    BLUE,
    GRAY,
    LINE,
    PALE,
    PURPLE,
    TEXT,
    VERMILION,
    class_colors,
    palette,
    stable_colors,
)
from kanon_engine.plot.scene import dots, hover, texts
from kanon_engine.regions import plot as layers
from kanon_engine.regions.plot import laid_out, without_edges
from kanon_engine.teaching.regions import FEW_AREAS, GraphState
from kanon_engine.teaching.step import Step, StepQuestion

if TYPE_CHECKING:
    from kanon_engine.regions.instance import Regions

SHORT = 8  # letters of a name that fit above a point
FITS = 3  # letters of a weight that fit inside one


def step_figure(regions: Regions, g: Generalization, step: Step, question: StepQuestion | None = None) -> go.Figure:
    """The areas after a step, on a map or as a network if they have no shapes; areas without a class are pale."""
    state = step.state
    if not isinstance(state, GraphState):  # it is a better solution of a search; show its classes
        state = GraphState(state.assignment, state.assignment)
    figure, sums = go.Figure(), sums_of(regions.weights, state.pieces)
    sizes = np.bincount(state.pieces)
    words = [f"{weight:,} {regions.unit}<br>areas: {size:,}" for weight, size in zip(sums, sizes, strict=True)]
    hover_texts = hover(np.array(words, dtype=object)[state.pieces])
    body = layers.area_trace(regions, _fill(regions, g, state), hover_texts, None)
    if regions.geometry is not None:
        figure.add_traces([body, layers.class_borders(regions, state.pieces), *_tree(regions, state)])
    elif len(state.tree) == 0:  # borders between areas: without a tree, thick within a piece
        figure.add_traces([*layers.class_links(regions, state.pieces), body])
    else:
        borders = layers.line_trace(regions, regions.edges, layers.THIN, 1, "border")
        figure.add_traces([borders, *_tree(regions, state), body])
    heavy = np.isin(state.pieces, state.pieces[list(state.heavy)])
    if heavy.any():
        figure.add_trace(layers.line_around(regions, heavy, PURPLE, "group above the limit", 5))
    if 0 < len(step.changed) < len(regions):
        changed = np.isin(np.arange(len(regions)), step.changed)
        figure.add_trace(layers.line_around(regions, changed, VERMILION, "changed", 3))
    if state.centers:
        figure.add_trace(layers.dot_trace(regions, np.array(state.centers), LINE, 12, "center of a star"))
    if len(regions) <= FEW_AREAS:
        figure.add_traces(_words(regions))
    if question is not None and question.places:
        figure.add_trace(_choices(regions, question))
    pieces, groups = len(np.unique(state.pieces)), len(np.unique(state.assignment[state.assignment >= 0]))
    title = counted(groups, "group")
    if groups != pieces:
        title = f"{counted(pieces, 'piece')}, {groups:,} of them {'a group' if groups == 1 else 'groups'}"
    laid_out(figure, regions, False, f"{title}; largest {int(sums.max()):,} {regions.unit}")
    if question is not None and question.choices and not question.places:
        add_choices(figure, question.choices)
    return figure


def _fill(regions: Regions, g: Generalization, state: GraphState) -> dict[str, Any]:
    """Pale for an area without a class; a class has its color from the result unless an adjacent class has it."""
    preferred = class_colors(regions.edges, g.assignment, g.classes)
    assignment = state.assignment
    ends = assignment[regions.edges]
    pairs = np.unique(ends[(ends >= 0).all(axis=1) & (ends[:, 0] != ends[:, 1])], axis=0)
    classes = np.unique(assignment[assignment >= 0]).tolist()
    color_of = stable_colors(
        pairs, {number: int(preferred[number]) if number < len(preferred) else None for number in classes}
    )
    colors = np.zeros(max(int(assignment.max()) + 1, 1), dtype=np.int64)
    colors[classes] = list(color_of.values())
    numbers = np.where(assignment >= 0, colors[assignment] + 1, 0)
    return layers.stepped_colors(numbers, [PALE, *palette(int(colors.max()) + 1)])


def _tree(regions: Regions, state: GraphState) -> list[Any]:
    """The trees: edges that remain, those cut before, and those cut in this step."""
    if len(state.tree) == 0:
        return []
    before, now = np.split(state.cut_edges, [len(state.cut_edges) - state.latest])
    width = 3 if len(regions) <= FEW_AREAS else 1.5
    return [
        layers.line_trace(regions, without_edges(state.tree, state.cut_edges), GRAY, width, "tree"),
        layers.line_trace(regions, before, layers.THIN, 1.5, "edge cut earlier", dashes=3),
        layers.line_trace(regions, now, VERMILION, 4, "edge cut now", dashes=3 if regions.geometry is not None else 6),
    ]


def _words(regions: Regions) -> list[Any]:
    """The weight of each area at its place, with a short name above."""
    order = layers.drawing_order(regions)
    weights = [f"{weight:,}" for weight in regions.weights[order].tolist()]
    names = [regions.label(place) for place in order.tolist()]
    names = names if max(map(len, names)) <= SHORT else [""] * len(names)
    both = [f"{name} {weight}".strip() for name, weight in zip(names, weights, strict=True)]
    xy, on_map = layers.area_points(regions)[order], regions.geometry is not None
    style: dict[str, Any] = {"showlegend": False, "textfont": {"size": TEXT, "color": LINE}}
    if on_map:
        return [texts(xy, both, on_map, name="weights", **style)]
    fits = max(map(len, weights)) <= FITS
    # text keeps a distance from a marker of its own trace
    room: dict[str, Any] = {"mode": "markers+text", "text": names if fits else both, "textposition": "top center"}
    traces = [dots(xy, None, layers.node_size(regions), look={"opacity": 0}, name="names", **room, **style)]
    return [*traces, texts(xy, weights, name="weights", **style)] if fits else traces


def _choices(regions: Regions, question: StepQuestion) -> Any:
    """A dot for each choice: in the middle of an edge, or at an area."""
    xy = layers.area_points(regions)[np.array(question.places)].mean(axis=1)
    look: dict[str, Any] = {"opacity": [0.35 if u == v else 0.85 for u, v in question.places]}
    more: dict[str, Any] = {"customdata": np.arange(len(question.choices)), "name": "choices", "showlegend": False}
    return dots(xy, BLUE, 15, regions.geometry is not None, look, **more, **hover(list(question.choices)))
