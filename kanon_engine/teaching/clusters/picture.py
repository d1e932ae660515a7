"""A step on records as a picture: circles, points with what they pay, the flow, and the points left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from plotly import graph_objects as go

from kanon_engine.clusters.gather_flow import Attempt
from kanon_engine.clusters.instance import ClusterDetails, MetricSpace
from kanon_engine.clusters.nearest import Nearest
from kanon_engine.clusters.plot import (
    ClustersView,
    centers,
    globe_circles,
    plane_circles,
    view_of,
)
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.words import counted, number_text
from kanon_engine.plot import add_choices, maps
from kanon_engine.plot.colors import CRIMSON, FLOOR, ORANGE, PALETTE, PURPLE, SILVER, TEXT, VERMILION, Shading
from kanon_engine.plot.scene import dots, hover, polyline, segments, styled
from kanon_engine.teaching.clusters import ClustersState, state_of
from kanon_engine.teaching.step import Step, StepQuestion

if TYPE_CHECKING:
    import geopandas


MOST_CIRCLES = 2_000
ENOUGH, SHORT = PALETTE[0], PALETTE[7]
SEE_THROUGH = 0.3
NAMED = 40  # points up to which names are shown
ROOM = 0.2  # of the longer side, around the points
LEAST, MOST = 7.0, 26.0  # pixels of a point that pays nothing, and of one that pays the most


def step_figure(
    space: MetricSpace,
    g: Generalization,
    step: Step,
    question: StepQuestion | None = None,
    *,
    background: maps.Atlas | geopandas.GeoDataFrame | None = None,
    tiles: bool = False,
    **_: Any,
) -> go.Figure:
    """The circles after a step: orange where they lack records, thick lines for the flow, changed points in orange."""
    state: ClustersState = step.state
    view = view_of_state(space, state)
    figure = circles_figure(space, view, state, _words(space, state), background=background, tiles=tiles)
    if len(space) <= maps.FEW_POINTS:
        _add_points(figure, space, view, state, step.changed)
    return _finished(figure, space, view, state, question)


def circles_figure(
    space: MetricSpace,
    view: ClustersView,
    state: ClustersState,
    words: list[str],
    *,
    background: maps.Atlas | geopandas.GeoDataFrame | None = None,
    tiles: bool = False,
) -> go.Figure:
    """Circles around the centers of a state, orange for those that lack records, and lines to their points.

    If no plane shows true distances, there are no circles.
    """
    lacks = np.isin(np.arange(len(state.places)), state.short)
    order = np.argsort(lacks, kind="stable")[-MOST_CIRCLES:]  # those that lack records are always drawn, on top
    outlines: list[maps.Outline] = [[] for _ in order]
    if view.kind != "view" and len(order):
        draw = globe_circles if view.kind == "map" else plane_circles
        outlines = draw(view.centers[order], state.radii[order])
    values = lacks[order].astype(float)
    texts = [words[number] for number in order.tolist()]
    if not len(order):
        outlines, values, texts = [[]], np.zeros(1), [""]
    shades = Shading(values, -0.5, 1.5, [(0, ENOUGH), (0.5, ENOUGH), (0.5, SHORT), (1, SHORT)], None)
    marks = maps.marks_of(view.points, view.box, len(space) > maps.FEW_POINTS)
    classes = np.full(len(outlines), -1)
    extent = np.vstack([view.points, *(ring for outline in outlines for (ring, *_) in outline)])
    focus = np.vstack([maps.most_of(view.points, space.weights, view.box), view.centers[lacks]])
    on_map = view.kind == "map"
    if on_map:
        figure = maps.map_figure(outlines, shades, classes, texts, extent, focus, background, tiles, SEE_THROUGH)
        figure.add_trace(dots(marks.xy, FLOOR, marks.sizes, True, {"opacity": 0.85}))
    else:
        figure = maps.plane_figure(outlines, shades, classes, texts, marks, [], view.axes, SEE_THROUGH)
    figure.update_traces(showlegend=False)
    if len(space) <= maps.FEW_POINTS:
        _add_lines(figure, view, state)
    figure.add_trace(centers(view, order, words))
    short = [ring for at in np.flatnonzero(lacks[order]) for part in outlines[at] for ring in part]
    figure.add_trace(polyline(maps.joined(short), VERMILION, 2, on_map, showlegend=False))
    if isinstance(background, maps.Atlas) and on_map and not tiles:
        maps.add_places(figure, maps.around(background, extent), focus)
    return figure.update_layout(
        margin={"l": 10, "r": 10, "t": 45, "b": maps.CAPTION if figure.layout.annotations else 10}, showlegend=False
    )


def view_of_state(space: MetricSpace, state: ClustersState) -> ClustersView:
    """The positions of the points of a space and the centers of a state."""
    nothing = np.zeros((0, 0))
    return view_of(space, ClusterDetails(state.places, state.centers, state.radii, nothing, np.zeros((0, 3))))


def _add_lines(figure: go.Figure, view: ClustersView, state: ClustersState) -> None:
    """Thin lines from members to their centers, thick ones for what a flow gives."""
    inside = np.flatnonzero((state.assignment >= 0) & (state.assignment < len(state.places)))
    members = np.column_stack([state.assignment[inside], inside])
    served = {tuple(pair) for pair in state.edges.tolist()}
    members = np.array([pair for pair in members.tolist() if tuple(pair) not in served], dtype=np.int64).reshape(-1, 2)
    for pairs, color, width in ((members, SILVER, 0.7), (state.edges, FLOOR, 1.5)):
        path = segments(view.points[pairs[:, 1]], view.centers[pairs[:, 0]])
        figure.add_trace(polyline(path, color, width, view.kind == "map", showlegend=False))


def _add_points(
    figure: go.Figure, space: MetricSpace, view: ClustersView, state: ClustersState, changed: np.ndarray
) -> None:
    """Every point with its name and what it pays; changed ones in orange, left-out ones as crosses."""
    colors = np.full(len(space), FLOOR, dtype=object)
    if len(changed) not in (0, len(space)):
        colors[changed] = ORANGE
    sizes = np.full(len(space), LEAST)
    if len(state.prices) and state.prices.max() > 0:
        sizes = LEAST + (MOST - LEAST) * np.sqrt(state.prices / state.prices.max())
    words = [f"<b>point {space.label(place)}</b>" for place in range(len(space))]
    for place, number in enumerate(state.assignment.tolist()):
        words[place] += f"<br>in group {number + 1:,}" if number >= 0 else "<br>in no group"
        if len(state.prices):
            words[place] += f"<br>price {number_text(float(f'{state.prices[place]:.7g}'))}"
    stays = np.setdiff1d(np.arange(len(space)), state.out)
    names: dict[str, Any] = {"showlegend": False}
    if len(space) <= NAMED:
        names |= {"mode": "markers+text", "textposition": "top center"}
        names |= {"textfont": {"size": TEXT}} if view.kind == "map" else {}
    for places, out in ((stays, False), (state.out, True)):
        if len(places) == 0:
            continue
        look: dict[str, Any] = {"opacity": 0.85} | ({} if view.kind == "map" else {"symbol": "x" if out else "circle"})
        names |= {
            "text": [space.label(place) for place in places.tolist()],
            "hovertext": [words[place] + "<br>left out" * out for place in places.tolist()],
            "hovertemplate": "%{hovertext}<extra></extra>",
        }
        color = CRIMSON if out else colors[places].tolist()
        figure.add_trace(dots(view.points[places], color, sizes[places], view.kind == "map", look, **names))


def _words(space: MetricSpace, state: ClustersState) -> list[str]:
    inside = state.assignment >= 0
    most = max(len(state.places), int(state.assignment.max(initial=-1)) + 1)
    weights = np.bincount(state.assignment[inside], weights=space.weights[inside], minlength=most)
    words = []
    for number, (place, radius) in enumerate(zip(state.places.tolist(), state.radii.tolist(), strict=True)):
        center = "its center is not a point" if place < 0 else f"around point {space.label(place)}"
        length = f"{number_text(float(f'{radius:.7g}'))} {space.measure}".strip()
        words.append(
            f"<b>Circle {number + 1:,}</b>, {center}<br>radius {length}<br>{weights[number]:,.0f} {space.unit}"
        )
    return words


def _finished(
    figure: go.Figure, space: MetricSpace, view: ClustersView, state: ClustersState, question: StepQuestion | None
) -> go.Figure:
    figure.update_traces(customdata=None)
    if question is not None and question.places:
        ring: dict[str, Any] = {"opacity": 0.9, "symbol": "circle-open", "line": {"width": 3}}
        ring = {"opacity": 0.45} if view.kind == "map" else ring
        more = {"customdata": list(range(len(question.choices))), "showlegend": False, **hover(list(question.choices))}
        figure.add_trace(dots(view.points[list(question.places)], PURPLE, 22, view.kind == "map", ring, **more))
    groups = len(np.unique(state.assignment[state.assignment >= 0]))
    title = f"{counted(groups, 'group')}, {counted(len(state.places), 'circle')}"
    if len(state.out):
        title += f", {int(space.weights[state.out].sum()):,} {space.unit} left out"
    if len(state.prices):
        title += "; larger points have higher prices"
    if view.kind == "view":
        title += "<br>A view in two dimensions, without true distances or circles"
    styled(figure, title, uirevision=f"steps {space.digest}")
    if view.kind != "map":  # the same frame for all steps
        low, high = view.box[:2], view.box[2:]
        room = ROOM * float((high - low).max() or 1.0)
        figure.update_xaxes(range=[low[0] - room, high[0] + room])
        figure.update_yaxes(range=[low[1] - room, high[1] + room])
    if question is not None and question.choices and not question.places:
        add_choices(figure, question.choices)
    return figure


# ---------------------------------------------------------------------------------------------------------------------
# The picture of one width of section 2.2: greedy centers, circles of that width, the flow, and why it fails.
# ---------------------------------------------------------------------------------------------------------------------


STEPS = 40


def widths_to_try(balls: Nearest, count: int = STEPS) -> list[float]:
    """Widths for a slider, of six digits: from where half of the points have k records nearby to twice where all do.

    >>> from kanon_engine.clusters.nearest import nearest
    >>> widths_to_try(nearest(MetricSpace([[0], [1], [2], [8], [9]]), 2), 3)
    [1.0, 1.41421, 2.0]
    """
    high = 2 * float(balls.rho.max())
    low = max(float(np.median(balls.rho)), high / 1_000)
    if high == 0:
        return [0.0]
    return list(dict.fromkeys(float(f"{width:.6g}") for width in np.geomspace(low, high, count)))


def attempt_figure(
    balls: Nearest,
    attempt: Attempt,
    *,
    background: maps.Atlas | geopandas.GeoDataFrame | None = None,
    tiles: bool = False,
) -> go.Figure:
    """Circles of the width around the greedy centers; orange if they lack records together.

    If there are few points, a thick line leads from each center to the points that the flow assigns to it, a thin one
    to those that it marked. If no plane shows true distances, there are no circles.
    """
    space = balls.space
    state = state_of(space, attempt)
    words = []
    for place in state.places.tolist():
        weight = int(space.weights[np.isin(attempt.sent, np.flatnonzero(attempt.centers == place))].sum())
        words.append(f"point {space.label(place)}<br>it is assigned points with {weight:,} {space.unit}")
    view = view_of_state(space, state)
    figure = circles_figure(space, view, state, words, background=background, tiles=tiles)
    many, width = (
        counted(len(attempt.centers), "center"),
        f"{number_text(attempt.width)} {space.measure}".rstrip(),
    )
    drawn = f"; {min(len(words), MOST_CIRCLES):,} drawn" * (len(attempt.centers) > MOST_CIRCLES)
    title = f"{many}, more than {width} apart from each other{drawn}"
    if view.kind == "view":
        title += "<br>A view in two dimensions, without true distances or circles"
    else:
        title += (
            "; radius of each circle: "
            f"{width}{'; orange circles hold too few ' + space.unit if not attempt.succeeded else ''}"
        )
    return styled(figure, title, uirevision=f"attempt {space.digest}")  # so that another width keeps zoom and position
