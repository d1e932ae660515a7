"""Triples as lines through three columns of elements."""

from __future__ import annotations

from plotly import graph_objects as go

from kanon_engine.plot.style import FLOOR, LINES, styled
from kanon_engine.reductions.plot.kinds import PLAIN
from kanon_engine.reductions.problems.matching import AXES, Triples, element_name, triple_name


def matching_figure(instance: Triples, solution: tuple[int, ...] | None = None) -> go.Figure:
    """Elements of X, Y and Z in three columns, each triple a line; `customdata` of a line is the triple's position.

    Parameters
    ----------
    instance : Triples
    solution : tuple of int, optional
        Positions of the triples that are drawn thick.
    """
    figure = go.Figure()
    for number, triple in enumerate(instance.triples):
        colour, dash = LINES[number % len(LINES)]
        chosen = solution is not None and number in solution
        name = triple_name(triple)
        figure.add_scatter(
            x=[0, 1, 2],
            y=[-element for element in triple],
            mode="lines+markers",
            line={"color": colour, "dash": dash, "width": 6 if chosen else 2},
            marker={"size": 4},
            name=name,
            customdata=[number] * 3,
            hovertemplate=f"{name}<extra></extra>",
        )
    places = [(column, -number) for column in range(3) for number in range(instance.size)]
    figure.add_scatter(
        x=[x for x, _ in places],
        y=[y for _, y in places],
        mode="markers+text",
        text=[element_name((AXES[x], -y)) for x, y in places],
        textfont={"color": "white"},
        marker={"size": 32, "color": FLOOR},
        hoverinfo="skip",
        showlegend=False,
    )
    return styled(figure, "", xaxis=PLAIN, yaxis=PLAIN)
