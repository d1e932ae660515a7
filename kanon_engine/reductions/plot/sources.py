"""Graphs, formulas and sets as sources."""

from __future__ import annotations

import networkx
import numpy as np
from plotly import graph_objects as go

from kanon_engine.plot.style import CLEAR, FLOOR, SKY, VERMILION, styled
from kanon_engine.reductions.plot.kinds import PLAIN
from kanon_engine.reductions.plot.marks import add_lines
from kanon_engine.reductions.problems.satisfiability import Formula
from kanon_engine.reductions.problems.set_cover import Sets
from kanon_engine.reductions.problems.vertex_cover import CubicGraph


def cover_figure(instance: CubicGraph, solution: tuple[int, ...] | None = None) -> go.Figure:
    """Vertices on a circle and edges; those of a cover stand out, and `customdata` is the vertex.

    Parameters
    ----------
    instance : CubicGraph
    solution : tuple of int, optional
    """
    layout = networkx.circular_layout(range(instance.size))
    places = np.array([layout[vertex] for vertex in range(instance.size)])
    figure = go.Figure()
    add_lines(figure, places, np.array(instance.edges), "edge", {"color": FLOOR, "width": 2})
    for name, colour, chosen in (("vertex", SKY, False), ("in the cover", VERMILION, True)):
        vertices = [vertex for vertex in range(instance.size) if (vertex in (solution or ())) == chosen]
        if vertices:
            figure.add_scatter(
                x=places[vertices, 0],
                y=places[vertices, 1],
                mode="markers+text",
                text=[f"{vertex + 1}" for vertex in vertices],
                marker={"color": colour, "size": 30},
                customdata=vertices,
                hoverinfo="skip",
                name=name,
            )
    return styled(figure, "", xaxis=PLAIN, yaxis=PLAIN | {"scaleanchor": "x"}, legend={"orientation": "h"})


def formula_figure(instance: Formula, solution: tuple[bool, ...] | None = None) -> go.Figure:
    """A line a clause, a column a variable: what each literal asks for; literals that are true stand out.

    Parameters
    ----------
    instance : Formula
    solution : tuple of bool, optional
    """
    literals = [(literal, number) for number, clause in enumerate(instance.clauses) for literal in clause]
    true = [solution is not None and solution[abs(literal) - 1] == (literal > 0) for literal, _ in literals]
    words = [f"{'' if literal > 0 else 'not '}x{abs(literal)}" for literal, _ in literals]
    columns = [abs(literal) for literal, _ in literals]
    names = [f"x{number + 1}" for number in range(instance.variables)]
    if solution is not None:
        names = [f"{name}: {str(value).lower()}" for name, value in zip(names, solution, strict=True)]
    return _table_figure(columns, [number for _, number in literals], words, true, names, "clause")


def sets_figure(instance: Sets, solution: tuple[int, ...] | None = None) -> go.Figure:
    """A line a set, a column an element; the sets of a cover stand out.

    Parameters
    ----------
    instance : Sets
    solution : tuple of int, optional
    """
    held = [(element + 1, number) for number, own in enumerate(instance.sets) for element in sorted(own)]
    chosen = [number in (solution or ()) for _, number in held]
    names = [f"{element + 1}" for element in range(instance.size)]
    words = [f"{element}" for element, _ in held]
    return _table_figure([element for element, _ in held], [number for _, number in held], words, chosen, names, "set")


def _table_figure(
    columns: list[int], rows: list[int], words: list[str], strong: list[bool], names: list[str], row: str
) -> go.Figure:
    """Words in the cells of a table; `customdata` of a cell is its row."""
    figure = go.Figure()
    figure.add_scatter(
        x=columns,
        y=rows,
        mode="markers+text",
        text=words,
        marker={"size": 44, "symbol": "square", "color": [VERMILION if one else CLEAR for one in strong]},
        customdata=rows,
        hoverinfo="skip",
        showlegend=False,
    )
    lines = sorted(set(rows))
    across = {"tickvals": list(range(1, len(names) + 1)), "ticktext": names, "range": [0.5, len(names) + 0.5]}
    down = {"tickvals": lines, "ticktext": [f"{row} {line + 1}" for line in lines], "autorange": "reversed"}
    plain = {"showgrid": False, "zeroline": False}
    return styled(figure, "", xaxis=plain | across, yaxis=plain | down)
