"""What a release of a table loses, as a picture."""

from __future__ import annotations

import pandas as pd
from plotly import graph_objects as go
from plotly.subplots import make_subplots

from kanon_engine.plot.style import BLUE, FLOOR, ORANGE, styled
from kanon_engine.tables.utility import Utility

MOST_COLUMNS, MOST_PAIRS = 10, 8
LONGEST = 16


def utility_figure(found: Utility) -> go.Figure:
    """On the left how far each column is off, on the right how much columns tell of each other before and after.

    Parameters
    ----------
    found : Utility

    Returns
    -------
    Figure
        Of many columns those that are off most, of many pairs those that told most of each other before.
    """
    columns = found.columns.nlargest(MOST_COLUMNS, "difference", keep="first").iloc[::-1]
    pairs = found.pairs.nlargest(MOST_PAIRS, "before", keep="first").iloc[::-1]
    both = len(pairs) > 0
    titles = ["Difference of each column"] + ["Association of pairs, Cramér’s V"] * both
    figure = make_subplots(1, 1 + both, subplot_titles=titles, horizontal_spacing=0.3)
    names = [short(name) for name in columns["column"]]
    figure.add_bar(
        x=columns["difference"],
        y=list(range(len(names))),
        orientation="h",
        marker_color=BLUE,
        name="difference",
        showlegend=False,
        text=[f"{name}: {share:.1%} of the records" for name, share in zip(columns["column"], columns["difference"],
                                                                          strict=True)],
        textposition="none",
        hovertemplate="%{text}<extra></extra>",
        row=1,
        col=1,
    )  # fmt: skip
    figure.update_xaxes(title="Share of records", title_standoff=4, tickformat=".0%", range=[0, 1], row=1, col=1)
    figure.update_yaxes(tickvals=list(range(len(names))), ticktext=names, row=1, col=1)
    if both:
        _draw_pairs(figure, pairs)
    return styled(
        figure,
        "What the release tells otherwise than the table",
        title_y=0.985,
        title_yanchor="top",
        legend={"orientation": "h", "yref": "container", "y": 0.985, "yanchor": "top", "x": 1, "xanchor": "right"},
        margin={"l": 10, "r": 10, "t": 58, "b": 46},
    )


def _draw_pairs(figure: go.Figure, pairs: pd.DataFrame) -> None:
    """A line from before to after for each pair."""
    places = list(range(len(pairs)))
    names = [f"{short(one, 9)} – {short(other, 9)}" for one, other in zip(pairs["first"], pairs["second"], strict=True)]
    gaps = [end for ends in zip(pairs["before"], pairs["after"], strict=True) for end in (*ends, None)]
    rows = [place for each in places for place in (each, each, None)]
    figure.add_scatter(x=gaps, y=rows, mode="lines", line={"color": FLOOR, "width": 1.5}, hoverinfo="skip",
                       showlegend=False, row=1, col=2)  # fmt: skip
    for side, colour, symbol in (("before", FLOOR, "circle-open"), ("after", ORANGE, "diamond")):
        text = [
            f"{one} – {other}, {side}: {value:.2f}"
            for one, other, value in zip(pairs["first"], pairs["second"], pairs[side], strict=True)
        ]
        figure.add_scatter(x=pairs[side], y=places, mode="markers", name=side, text=text,
                           marker={"color": colour, "size": 10, "symbol": symbol, "line_width": 2},
                           hovertemplate="%{text}<extra></extra>", row=1, col=2)  # fmt: skip
    figure.update_xaxes(title="0: tells nothing, 1: tells all", title_standoff=4, range=[-0.02, 1.02], row=1, col=2)
    figure.update_yaxes(tickvals=places, ticktext=names, row=1, col=2)


def short(text: str, longest: int = LONGEST) -> str:
    """A name that has room beside a bar.

    Example
    -------
    >>> short("marital-status", 9)
    'marital-…'
    """
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
