"""A step of an algorithm on points: the rectangles, and next to them the tree of their cuts."""

from __future__ import annotations

from typing import Any

import numpy as np
from plotly import graph_objects as go

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.words import counted, times_k
from kanon_engine.plot import add_choices, tree_places
from kanon_engine.plot.colors import (
    BLUE,
    FLOOR,
    LINE,
    PALE,
    TEXT,
    VERMILION,
    WHITE,
    Shading,
    color_shades,
    palette,
    stable_colors,
)
from kanon_engine.plot.maps import FEW_POINTS as MARKED_SINGLY
from kanon_engine.plot.maps import joined, marks_of, plane_figure, whole
from kanon_engine.plot.scene import dots, hover, polyline, styled, texts
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.kd_tree import stretch
from kanon_engine.rectangles.plot import neighbor_shades, neighbors
from kanon_engine.teaching.rectangles import FEW_POINTS, RectanglesState, result_state
from kanon_engine.teaching.step import Step, StepQuestion

WORDED = 40  # rectangles up to which their weights are shown
TREE = (0.66, 1.0)  # of the picture's width


def step_figure(points: Points, g: Generalization, step: Step, question: StepQuestion | None = None) -> go.Figure:
    """The rectangles after a step in the plane, and the tree of cuts that made them.

    Unfinished rectangles are gray. Scales are equal on the ground. The rectangle in question is outlined.
    """
    state = step.state
    if not isinstance(state, RectanglesState):  # it is a better solution of a search
        state = result_state(points, step.state.result)
    shades, boxes = _shades(g, state), _seen(points, state.boxes)
    words = [f"{weight:,} {points.unit} ({times_k(weight / g.k)})" for weight in state.weights.tolist()]
    names = ("longitude", "latitude") if points.geographic else ("x", "y")
    latest = []  # the latest cuts, from side to side of their rectangles
    for number in range(len(state.splits) - state.latest, len(state.splits)):
        low, high = (state.nodes == 2 * number + 1), (state.nodes == 2 * number + 2)
        if low.any() and high.any():
            latest.append(np.array([boxes[high][0][:2], boxes[low][0][2:]]))
    rings = whole([_ring(box) for box in boxes])
    marks = marks_of(points.xy, points.box, len(points) > MARKED_SINGLY)
    figure = plane_figure(rings, shades, state.classes, words, marks, latest, names)
    figure.update_traces(customdata=None)
    figure.update_layout(yaxis={"scaleratio": 1 / max(stretch(points), 0.01)})
    if len(state.boxes) <= WORDED:
        text = [f"<b>{weight:,}</b>" for weight in state.weights.tolist()]
        middles, font = (boxes[:, :2] + boxes[:, 2:]) / 2, {"size": TEXT, "color": LINE}
        figure.add_trace(texts(middles, text, textfont=font, name="weights"))
    if len(points) <= FEW_POINTS:  # the weight at each place, next to it
        xy, first = np.unique(points.xy, axis=0, return_index=True)
        text = [f"{weight:,}" for weight in points.location_weights[points.locations[first]].tolist()]
        font = {"size": 12, "color": LINE}
        figure.add_trace(texts(xy, text, textposition="top right", textfont=font, name="weights of points"))
    if 0 < len(step.changed) < min(len(points), 500):
        ring = {"symbol": "circle-open", "line": {"width": 2}}
        figure.add_trace(dots(np.unique(points.xy[step.changed], axis=0), VERMILION, 9, look=ring, name="changed"))
    if len(state.splits):
        figure.update_layout(xaxis={"domain": [0, TREE[0] - 0.06]})
        _add_tree(figure, state, shades)
    if question is not None and question.places:
        _add_lines(figure, points, question)
    done = int((state.classes >= 0).sum())
    left = f", {len(boxes) - done:,} of them not finished" if 0 < done < len(boxes) else ""
    title = f"{counted(len(boxes), 'rectangle')}{left}; largest {int(state.weights.max()):,} {points.unit}"
    styled(figure, title, margin=(10, 10, 45, 10), showlegend=False)
    if question is not None and question.choices and not question.places:
        add_choices(figure, question.choices)
    return figure.update_layout(uirevision=f"points {points.digest}")


def _shades(g: Generalization, state: RectanglesState) -> Shading:
    """Gray for unfinished rectangles; a class of the result keeps its color there if possible."""
    preferred = neighbor_shades(g.details.rectangles).values.astype(int)
    classes = enumerate(state.classes.tolist())
    color_of = stable_colors(
        neighbors(state.boxes),
        {
            place: int(preferred[number]) if number < len(preferred) else None
            for place, number in classes
            if number >= 0
        },
    )
    numbers = np.array([color_of.get(place, -1) + 1 for place in range(len(state.boxes))])
    colors = [PALE, *palette(int(numbers.max()))]
    return color_shades(numbers, colors)


def _seen(points: Points, boxes: np.ndarray) -> np.ndarray:
    """Boxes with some width and height even if the bounding box has none."""
    extent = points.box[2:] - points.box[:2]
    breadth = np.where(extent > 0, 0, 0.02 * extent.max() if extent.max() > 0 else 1e-3)
    return boxes + np.concatenate([-breadth, breadth])


def _ring(box: np.ndarray) -> np.ndarray:
    west, south, east, north = box.tolist()
    return np.array([(west, south), (east, south), (east, north), (west, north), (west, south)])


def _add_tree(figure: go.Figure, state: RectanglesState, shades: Shading) -> None:
    """The cuts from the top down: one node per rectangle in its color, the current ones at the bottom."""
    parents = state.splits[:, 0].astype(np.int64)
    count = 2 * len(parents) + 1
    places = np.column_stack(tree_places([-1, *np.repeat(parents, 2).tolist()]))
    scale: Any = shades.scale
    colors = [color for _, color in scale[::2]]
    fill = dict(zip(state.nodes.tolist(), (colors[int(value)] for value in shades.values), strict=True))
    loads = dict(zip(state.nodes.tolist(), state.weights.tolist(), strict=True))
    for number in range(len(parents) - 1, -1, -1):
        loads[int(parents[number])] = loads[2 * number + 1] + loads[2 * number + 2]
    axes: dict[str, Any] = {"xaxis": "x2", "yaxis": "y2", "showlegend": False}
    children = np.arange(1, count)
    lines = [places[[parents[(child - 1) // 2], child]] for child in children.tolist()]
    latest = children > 2 * (len(parents) - state.latest)
    for mask, color, width in ((~latest, FLOOR, 1), (latest, VERMILION, 3)):
        path = joined([line for line, mine in zip(lines, mask.tolist(), strict=True) if mine])
        figure.add_trace(polyline(path, color, width, **axes))
    few = len(parents) < WORDED
    node_colors = [fill.get(node, WHITE) for node in range(count)]
    text = [f"{loads[node]:,}" for node in range(count)] if few else None
    mode, look = "markers+text" if few else "markers", {"line": {"color": LINE, "width": 1}, "symbol": "square"}
    axes |= {"name": "tree", "mode": mode, "text": text, "textfont": {"color": LINE}}
    figure.add_trace(dots(places, node_colors, 26 if few else 5, look=look, **axes))
    side = {"visible": False, "fixedrange": True}
    figure.update_layout(xaxis2=side | {"domain": TREE, "anchor": "y2"}, yaxis2=side | {"anchor": "x2"})


def _add_lines(figure: go.Figure, points: Points, question: StepQuestion) -> None:
    """The rectangle in question, the lines that can be picked, and a dot in the middle of each."""
    box = _seen(points, np.array([question.box]))[0]
    ends = []
    for axis, at in question.places:
        low, high = box[:2].copy(), box[2:].copy()
        low[axis] = high[axis] = at
        ends.append(np.array([low, high]))
    figure.add_traces([polyline(_ring(box), BLUE, 4), polyline(joined(ends), BLUE, 1, dash="dot")])
    near = np.array([0.06 if axis else 0.94 for axis, _ in question.places])[:, None]
    far = np.array([low for low, _ in ends]) * (1 - near) + np.array([high for _, high in ends]) * near
    more: dict[str, Any] = {"name": "choices", "customdata": np.arange(len(question.choices))}
    figure.add_trace(dots(far, BLUE, 14, look={"opacity": 0.85}, **more, **hover(list(question.choices))))
