"""Weights as blocks, stacked where they are together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plotly import graph_objects as go

from kanon_engine.plot.style import COUNT, FLOOR, SKY, styled

CATEGORIES = {"type": "category"}  # so that “1” is a name and no number


def stacks_figure(
    columns: Sequence[str], heights: Sequence[int], words: Sequence[str], levels: Mapping[str, float], colour: str = SKY
) -> go.Figure:
    """A block for each weight, with lines across at levels; `customdata` of a block is the weight's position.

    Parameters
    ----------
    columns : sequence of str
        The stack that each block is in.
    heights : sequence of int
    words : sequence of str
        What is said at each block.
    levels : mapping
        Name of a line → its height; lines of one height are one.
    colour : str

    Example
    -------
    >>> figure = stacks_figure(["a", "a", "b"], [2, 3, 5], ["2", "3", "5"], {"k": 5, "K": 5})
    >>> list(figure.data[0].customdata), [line.text for line in figure.layout.annotations]
    ([0, 1, 2], ['k = K = 5'])
    """
    figure = go.Figure(
        go.Bar(
            x=list(columns),
            y=list(heights),
            text=[f"{height:,}" for height in heights],
            customdata=list(range(len(heights))),
            hovertext=list(words),
            hovertemplate="%{hovertext}<extra></extra>",
            marker={"color": colour, "line": {"width": 2, "color": "white"}},
        )
    )
    for height in sorted(set(levels.values())):
        names = [name for name, level in levels.items() if level == height]
        figure.add_hline(
            height, line={"color": FLOOR, "dash": "dash"}, annotation_text=f"{' = '.join([*names, f'{height:,}'])}"
        )
    axis = {"rangemode": "tozero", "tickformat": COUNT}
    return styled(figure, "", barmode="stack", showlegend=False, xaxis=CATEGORIES, yaxis=axis)
