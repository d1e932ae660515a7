"""Pictures of sources and targets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import networkx
import numpy as np
from plotly import graph_objects as go
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

from kanon_engine.model.generalization import members_of
from kanon_engine.model.words import counted
from kanon_engine.plot.colors import BLUE, CLEAR, FLOOR, GREEN, LINES, ORANGE, PALE, PURPLE, SKY, VERMILION
from kanon_engine.plot.maps import joined
from kanon_engine.plot.scene import COUNT, dots, hover, polyline, segments, styled
from kanon_engine.tables.instance import Table
from kanon_engine.teaching.reductions.bins import Numbers, Weights
from kanon_engine.teaching.reductions.cells import SetSystem
from kanon_engine.teaching.reductions.corridors import WALL
from kanon_engine.teaching.reductions.gathering import Formula
from kanon_engine.teaching.reductions.matching import AXES, Triples, element_name, triple_name
from kanon_engine.teaching.reductions.model import Carried, Gadget
from kanon_engine.teaching.reductions.suppression import CubicGraph


def cover_figure(instance: CubicGraph, solution: tuple[int, ...] | None = None) -> go.Figure:
    """Vertices on a circle and edges; a cover is highlighted, and `customdata` is the vertex."""
    layout = networkx.circular_layout(range(instance.size))
    places = np.array([layout[vertex] for vertex in range(instance.size)])
    figure = go.Figure()
    add_lines(figure, places, np.array(instance.edges), "edge", FLOOR, 2)
    for name, color, chosen in (("vertex", SKY, False), ("vertex in the cover", VERMILION, True)):
        vertices = [vertex for vertex in range(instance.size) if (vertex in (solution or ())) == chosen]
        if vertices:
            numbers: dict[str, Any] = {"mode": "markers+text", "text": [f"{vertex + 1}" for vertex in vertices]}
            figure.add_trace(dots(places[vertices], color, 30, name=name, customdata=vertices, **numbers))
    return styled(figure, "", xaxis=PLAIN, yaxis=SQUARE, legend=BELOW)


def formula_figure(instance: Formula, solution: tuple[bool, ...] | None = None) -> go.Figure:
    """One row per clause, one column per variable, with the literals; true literals are highlighted."""
    literals = [(literal, number) for number, clause in enumerate(instance.clauses) for literal in clause]
    true = [solution is not None and solution[abs(literal) - 1] == (literal > 0) for literal, _ in literals]
    words = [f"{'' if literal > 0 else 'not '}x{abs(literal)}" for literal, _ in literals]
    columns = [abs(literal) for literal, _ in literals]
    names = [f"x{number + 1}" for number in range(instance.variables)]
    if solution is not None:
        names = [f"{name}: {str(value).lower()}" for name, value in zip(names, solution, strict=True)]
    return _table_figure(columns, [number for _, number in literals], words, true, names, "clause")


def sets_figure(instance: SetSystem, solution: tuple[int, ...] | None = None) -> go.Figure:
    """One row per set, one column per element; the sets of a cover are highlighted."""
    columns, rows = zip(
        *((e + 1, number) for number, members in enumerate(instance.sets) for e in sorted(members)), strict=True
    )
    chosen = [number in (solution or ()) for number in rows]
    names = [f"{element + 1}" for element in range(instance.size)]
    return _table_figure(list(columns), list(rows), [f"{element}" for element in columns], chosen, names, "set")


def _table_figure(
    columns: list[int], rows: list[int], words: list[str], strong: list[bool], names: list[str], row: str
) -> go.Figure:
    """Text in the cells of a table; `customdata` of a cell is its row."""
    colors = [VERMILION if one else CLEAR for one in strong]
    cells: dict[str, Any] = {"mode": "markers+text", "text": words, "customdata": rows, "showlegend": False}
    figure = go.Figure(dots(np.column_stack([columns, rows]), colors, 44, look={"symbol": "square"}, **cells))
    lines = sorted(set(rows))
    across = {"tickvals": list(range(1, len(names) + 1)), "ticktext": names, "range": [0.5, len(names) + 0.5]}
    down = {"tickvals": lines, "ticktext": [f"{row} {line + 1}" for line in lines], "autorange": "reversed"}
    plain = {"showgrid": False, "zeroline": False}
    return styled(figure, "", xaxis=plain | across, yaxis=plain | down)


def matching_figure(instance: Triples, solution: tuple[int, ...] | None = None) -> go.Figure:
    """Elements of X, Y and Z in three columns, a line per triple; `customdata` of a line is the triple's position."""
    figure = go.Figure()
    for number, triple in enumerate(instance.triples):
        color, dash = LINES[number % len(LINES)]
        width = 6 if solution is not None and number in solution else 2
        name = triple_name(triple)
        ends = np.array([(column, -element) for column, element in enumerate(triple)])
        more: dict[str, Any] = {"hovertemplate": f"{name}<extra></extra>", "customdata": [number] * 3}
        look: dict[str, Any] = {"mode": "lines+markers", "marker": {"size": 4}}
        figure.add_trace(polyline(ends, color, width, dash=dash, name=name, **look, **more))
    places = np.array([(column, -number) for column in range(3) for number in range(instance.size)])
    names = [element_name((AXES[x], -y)) for x, y in places.tolist()]
    words: dict[str, Any] = {"mode": "markers+text", "text": names, "textfont": {"color": "white"}, "showlegend": False}
    figure.add_trace(dots(places, FLOOR, 32, **words))
    return styled(figure, "", xaxis=PLAIN, yaxis=PLAIN)


def groups_figure(instance: Weights, solution: tuple[tuple[int, ...], ...] | None = None) -> go.Figure:
    """Each weight, or each group of a solution, with B as a line."""
    columns = [str(place + 1) for place in range(len(instance.weights))]
    for number, group in enumerate(solution or ()):
        for place in group:
            columns[place] = f"group {number + 1}"
    return stacks_figure(columns, instance.weights, [f"{one}" for one in instance.weights], {"B": instance.bound})


def halves_figure(instance: Numbers, solution: tuple[int, ...] | None = None) -> go.Figure:
    """Each number, or the two halves of a solution, with half of all as a line."""
    columns = [str(place + 1) for place in range(len(instance.numbers))]
    if solution is not None:
        columns = ["first half" if place in solution else "second half" for place in range(len(instance.numbers))]
    return stacks_figure(columns, instance.numbers, [f"{one}" for one in instance.numbers], {"S": instance.half})


# ---------------------------------------------------------------------------------------------------------------------
# Targets: gadgets by color, and the classes.
# ---------------------------------------------------------------------------------------------------------------------


MARGIN = 0.35  # of a rectangle around its points


def graph_figure(source: Any, carried: Carried, assignment: np.ndarray | None = None) -> go.Figure:
    """The target of a reduction to regions: gadgets by color, edges within a class thick."""
    places, edges = carried.positions, carried.instance.edges
    if places is None:
        raise ValueError("This graph cannot be drawn because its construction gives no positions.")
    inside = np.zeros(len(edges), dtype=bool)
    if assignment is not None:
        ends = assignment[edges]
        inside = (ends[:, 0] == ends[:, 1]) & (ends[:, 0] >= 0)
    figure = go.Figure()
    add_lines(figure, places, edges[~inside], "edge", FLOOR, 1)
    add_lines(figure, places, edges[inside], "edge within a group", FLOOR, 6)
    add_marks(figure, carried, lambda item: str(carried.instance.ids[item]))
    add_names(figure, carried.gadgets, places)
    return styled(figure, "", xaxis=PLAIN, yaxis=SQUARE, legend=BELOW)


def grid_figure(source: Any, carried: Carried, assignment: np.ndarray | None = None) -> go.Figure:
    """The target of a reduction to rectangles: gadgets by color, pairs larger than single records, walls square.

    A rectangle is drawn around each class of two locations or more.
    """
    points, figure = carried.instance, go.Figure()
    corners: list[np.ndarray] = []
    for members in members_of(assignment) if assignment is not None else ():
        if len(members) > 1:
            low, high = points.xy[members].min(axis=0) - MARGIN, points.xy[members].max(axis=0) + MARGIN
            corners.append(np.array([low, (high[0], low[1]), high, (low[0], high[1]), low]))
    if corners:
        figure.add_trace(polyline(joined(corners), FLOOR, 2, name="group"))
    for kind, color in kind_colors(carried.gadgets).items():
        both = [(item, gadget) for gadget in carried.gadgets if gadget.kind == kind for item in gadget.items]
        items = np.array([item for item, _ in both])
        weights = points.weights[items]
        wall = kind == "wall"
        sizes = np.where(weights >= WALL, 8, 4 + 4 * weights)
        look = {"symbol": "square" if wall else "circle", "line": {"width": 0 if wall else 1, "color": FLOOR}}
        words = [
            f"{counted(int(points.weights[item]), 'record')} of {gadget.name}: {gadget.stands_for}"
            for item, gadget in both
        ]
        more: dict[str, Any] = {"name": kind, "customdata": items, **hover(words)}
        figure.add_trace(dots(points.xy[items], PALE if wall else color, sizes, look=look, **more))
    add_names(figure, carried.gadgets, points.xy)
    return styled(figure, "", xaxis=PLAIN, yaxis=SQUARE, legend=BELOW)


def items_figure(source: Any, carried: Carried, assignment: np.ndarray | None = None) -> go.Figure:
    """Rows or points by the kind of their gadget; `customdata` of a mark is the item's position.

    Lines join points at distance 1, and a shortest tree joins the items of a class.
    """
    instance, places = carried.instance, np.asarray(carried.positions, dtype=float)
    figure = go.Figure()
    if isinstance(instance, Table):
        cells = instance.frame[list(instance.quasi_identifiers)].to_numpy()
        called = [" ".join(row) for row in cells]
    else:
        near = np.argwhere(np.triu(instance.between(np.arange(len(instance))) == 1))
        add_lines(figure, places, near, "points at distance 1", FLOOR, 1)
        called = [str(name) for name in instance.ids]
    trees = [np.empty((0, 2), dtype=np.int64)]
    for members in members_of(assignment) if assignment is not None else ():
        distances = cdist(places[members], places[members]) + 1e-6  # because 0 would mean no line
        trees.append(members[np.argwhere(minimum_spanning_tree(distances).toarray() > 0)])
    add_lines(figure, places, np.concatenate(trees), "items in one group", FLOOR, 6)
    add_marks(figure, carried, called.__getitem__)
    return styled(figure, "", xaxis=PLAIN, yaxis=PLAIN, legend=BELOW)


def bins_figure(source: Any, carried: Carried, assignment: np.ndarray | None = None) -> go.Figure:
    """Each label, or each group of classes, with k and K as lines; `customdata` of a block is the label's position."""
    labels = carried.instance
    columns = [labels.label(item) for item in range(len(labels))]
    if assignment is not None:
        columns = [f"group {number + 1}" if number >= 0 else columns[item] for item, number in enumerate(assignment)]
    words = [f"{carried.gadget_of(item).name}: {carried.gadget_of(item).stands_for}" for item in range(len(labels))]
    (color,) = kind_colors(carried.gadgets).values()
    return stacks_figure(columns, labels.counts.tolist(), words, {"k": carried.k, "K": carried.threshold}, color)


# ---------------------------------------------------------------------------------------------------------------------
# Shared parts: weights as blocks, marks of items and lines between them, names, colors.
# ---------------------------------------------------------------------------------------------------------------------


PLAIN = {"showticklabels": False, "showgrid": False, "zeroline": False, "ticks": ""}
SQUARE = PLAIN | {"scaleanchor": "x"}  # equal units on both axes
BELOW = {"orientation": "h"}  # legend below the picture
COLORS = (VERMILION, BLUE, ORANGE, GREEN, PURPLE, SKY, FLOOR)
LABELED_KINDS = ("element", "triple")
BESIDE = 18  # pixels from an element or triple to its name
MANY_ITEMS = 80  # items above which marks are smaller
CATEGORIES = {"type": "category"}  # so that “1” is a name and not a number


def stacks_figure(
    columns: Sequence[str], heights: Sequence[int], words: Sequence[str], levels: Mapping[str, float], color: str = SKY
) -> go.Figure:
    """A block for each weight, with lines across at levels; `customdata` of a block is the weight's position.

    >>> figure = stacks_figure(["a", "a", "b"], [2, 3, 5], ["2", "3", "5"], {"k": 5, "K": 5})
    >>> list(figure.data[0].customdata), [line.text for line in figure.layout.annotations]
    ([0, 1, 2], ['k = K = 5'])
    """
    figure = go.Figure(
        go.Bar(
            x=list(columns),
            y=list(heights),
            text=[f"{height:,}" for height in heights],
            hovertext=list(words),
            customdata=list(range(len(heights))),
            hovertemplate="%{hovertext}<extra></extra>",
            marker={"color": color, "line": {"width": 2, "color": "white"}},
        )
    )
    for height in sorted(set(levels.values())):
        names = [name for name, level in levels.items() if level == height]
        text = " = ".join([*names, f"{height:,}"])
        figure.add_hline(height, line={"color": FLOOR, "dash": "dash"}, annotation_text=text)
    axis = {"rangemode": "tozero", "tickformat": COUNT}
    return styled(figure, "", barmode="stack", showlegend=False, xaxis=CATEGORIES, yaxis=axis)


def add_lines(figure: go.Figure, places: np.ndarray, pairs: np.ndarray, name: str, color: str, width: float) -> None:
    """Draw a line between the places of each pair of positions, if there are any."""
    if len(pairs):
        path = segments(*places[pairs].swapaxes(0, 1))
        figure.add_trace(polyline(path, color, width, name=name))


def add_marks(figure: go.Figure, carried: Carried, called: Callable[[int], str]) -> None:
    """Draw each item with the name and purpose of its gadget; `customdata` is the item's position."""
    places = np.asarray(carried.positions)
    for kind, color in kind_colors(carried.gadgets).items():
        both = [(item, gadget) for gadget in carried.gadgets if gadget.kind == kind for item in gadget.items]
        items = [item for item, _ in both]
        size = 9 if len(places) > MANY_ITEMS else 14
        words = [f"{called(item)}: {gadget.name}, {gadget.stands_for}" for item, gadget in both]
        look: dict[str, Any] = {"line": {"width": 1, "color": "white"}}
        figure.add_trace(dots(places[items], color, size, look=look, name=kind, customdata=items, **hover(words)))


def add_names(figure: go.Figure, gadgets: Iterable[Gadget], places: np.ndarray) -> None:
    """Write the name of each element and triple above it, or below it if it is below the triples."""
    for gadget in gadgets:
        if gadget.kind in LABELED_KINDS:
            xy = places[list(gadget.items)]
            x, y = float(xy[:, 0].mean()), float(xy[:, 1].max())
            above = gadget.kind == "triple" or y >= 0
            name = gadget.name.removeprefix(f"{gadget.kind} ")
            figure.add_annotation(x=x, y=y, text=name, showarrow=False, yshift=BESIDE if above else -BESIDE)


def kind_colors(gadgets: Iterable[Gadget]) -> dict[str, str]:
    """Kind → color, in order of first appearance.

    >>> kind_colors([Gadget("triple 1", "triple", "", (0,)), Gadget("triple 2", "triple", "", (1,))])
    {'triple': '#D55E00'}
    """
    kinds = dict.fromkeys(gadget.kind for gadget in gadgets)
    return {kind: COLORS[number % len(COLORS)] for number, kind in enumerate(kinds)}
