"""Pictures of tables: a histogram of each quasi-identifier with its intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
from plotly import graph_objects as go
from plotly.subplots import make_subplots

from kanon_engine.figures import BLUE, FLOOR, ORANGE, SKY
from kanon_engine.generalization import Generalization
from kanon_engine.tables.instance import CellDetails, Table
from kanon_engine.tables.words import class_rows, interval_words, value_words

HIDDEN_COLOUR = "#8A97A3"
STRIPES = "▨"  # how hidden cells look
SHADES = (BLUE, SKY)  # intervals take turns
MOST_TICKS = 3  # one of each value up to here
MOST_LETTERS = 14  # of all ticks of a column
TICK_LENGTH = 7


def columns_figure(table: Table, g: Generalization, selected: int | None = None, *, exact: bool = True) -> go.Figure:
    """A histogram for each quasi-identifier, with its intervals told apart and its cuts as lines.

    Parameters
    ----------
    table : Table
    g : Generalization
    selected : int, optional
        A class; what its records show stands out.
    exact : bool
        A bar for each value. Otherwise one for each interval, as high as its mean: this one is fit for a release.

    Returns
    -------
    Figure
        Grey and hatched is what is left out or suppressed. Without `exact` that is not counted by value, and of
        suppressed cells a value that is shown nowhere is not named.
    """
    count = len(table.quasi_identifiers)
    across = min(count, 4 if count <= 8 else 5 if count <= 15 else 6)
    down = -(-count // across)
    columns = [_Column(table, g, place, exact) for place in range(count)]
    figure = make_subplots(
        rows=down,
        cols=across,
        subplot_titles=[column.title for column in columns],
        horizontal_spacing=0.06,
        vertical_spacing=0.36 / down if down > 1 else 0,
    )
    figure.update_annotations(font_size=12)
    for place, column in enumerate(columns):
        where = {"row": place // across + 1, "col": place % across + 1}
        bars = column.bars(exact, selected)
        for bar in bars:
            figure.add_trace(bar, **where)
        top = max((sum(heights) for heights in zip(*(bar.y for bar in bars), strict=True)), default=0) or 1
        if column.starts[1:]:
            edges = [edge - 0.5 for edge in column.starts[1:]]
            figure.add_trace(
                go.Scatter(
                    x=[x for edge in edges for x in (edge, edge, None)],
                    y=[y for _ in edges for y in (0, top * 1.08, None)],
                    mode="lines",
                    line={"color": FLOOR, "width": 1},
                    hoverinfo="skip",
                ),
                **where,
            )
        ticks, ends = column.marks()
        number = place + 1 if place else ""
        for text, side, x in zip(ends, ("left", "right"), (0, 1), strict=False):
            figure.add_annotation(
                text=text,
                x=x,
                xanchor=side,
                xref=f"x{number} domain",
                y=0,
                yanchor="top",
                yref=f"y{number} domain",
                showarrow=False,
                font_size=11,
            )
        figure.update_xaxes(
            **ticks, tickangle=0, range=[-0.7, max(len(column.domain), 1) - 0.3], tickfont_size=11, **where
        )
        figure.update_yaxes(range=[0, top * 1.1], nticks=4, tickformat="~s", tickfont_size=11, **where)
    return figure.update_layout(
        barmode="stack",
        bargap=0.08,
        showlegend=False,
        margin={"l": 35, "r": 5, "t": 40, "b": 30},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
    )


class _Column:
    """One quasi-identifier: how often each value occurs, where intervals start, what is hidden."""

    def __init__(self, table: Table, g: Generalization, place: int, exact: bool) -> None:
        self.name, self.domain, self.unit = table.quasi_identifiers[place], table.domains[place], table.unit
        codes, left_out = table.codes[:, place], g.assignment < 0
        details: Any = g.details
        self.cells = isinstance(details, CellDetails)
        if self.cells:
            hidden = details.stars[g.assignment, place] | left_out
            sizes = [1] * len(self.domain)
        else:
            hidden = left_out
            sizes = [len(interval) for interval in details.intervals[self.name]]
        self.shown = np.bincount(codes[~hidden], minlength=len(self.domain))
        self.hidden = np.bincount(codes[hidden], minlength=len(self.domain))
        self.stars = int(self.hidden.sum())
        self.named = np.arange(len(self.domain))  # codes of the values in the picture
        if self.cells and not exact:
            self.named = np.flatnonzero(self.shown)
            self.domain = tuple(self.domain[code] for code in self.named)
            self.shown, self.hidden, sizes = self.shown[self.named], self.hidden[self.named], [1] * len(self.named)
        self.sizes = np.array(sizes, dtype=np.int64)
        self.starts = [0] if self.cells else (np.cumsum(self.sizes) - self.sizes).tolist()
        self.numbers = np.repeat(np.arange(len(sizes)), self.sizes)
        self._result = table, g, place

    @property
    def title(self) -> str:
        if self.cells:
            hidden = f"{STRIPES} {self.stars:,} hidden" if self.stars else "all shown"
            return f"<b>{self.name}</b><br>{hidden}"
        parts = len(self.sizes)
        if parts == len(self.domain):
            return f"<b>{self.name}</b><br>every value"
        return f"<b>{self.name}</b><br>any" if parts == 1 else f"<b>{self.name}</b><br>{parts} intervals"

    def words(self) -> list[str]:
        """Of each interval."""
        ends = np.cumsum(self.sizes).tolist()
        starts = (np.cumsum(self.sizes) - self.sizes).tolist()
        pairs = zip(starts, ends, strict=True)
        return [interval_words(self.domain[start:stop], len(ends) == 1) for start, stop in pairs]

    def bars(self, exact: bool, selected: int | None) -> list[go.Bar]:
        """What is shown, and on top of it what is not."""
        colours = np.array(SHADES, dtype=object)[np.arange(len(self.sizes)) % 2]
        if self.cells:
            colours[:] = BLUE
        if selected is not None:
            table, g, place = self._result
            number = class_rows(table, g)[selected][1][place]
            if number >= 0:
                colours[np.searchsorted(self.named, number) if self.cells else number] = ORANGE
        sums = np.bincount(self.numbers, self.shown, len(self.sizes)).astype(int)
        words = self.words()
        both = [f"{words[i]}: {sums[i]:,} {self.unit}" for i in range(len(words))]
        x: np.ndarray
        width: np.ndarray
        shown: np.ndarray
        hidden: np.ndarray
        if exact:
            x, width, index = np.arange(len(self.domain)), np.ones(len(self.domain)), self.numbers
            shown, hidden = self.shown, self.hidden
            text = [
                f"<b>{value_words(value)}</b>: {shown[i]:,} {self.unit}"
                + ("" if self.cells else f"<br>{both[index[i]]}")
                for i, value in enumerate(self.domain)
            ]
            lines = [
                f"<b>{value_words(value)}</b>: {hidden[i]:,} {'hidden' if self.cells else 'left out'}"
                for i, value in enumerate(self.domain)
            ]
        else:
            index = np.arange(len(self.sizes))
            x, width = np.cumsum(self.sizes) - (self.sizes + 1) / 2, self.sizes
            shown = sums / self.sizes
            hidden, text, lines = np.zeros(len(sums)), both, [""] * len(sums)
        look = {"customdata": np.full(len(x), -1), "hovertemplate": "%{text}<extra></extra>", "textposition": "none"}
        grey = {"color": HIDDEN_COLOUR, "pattern": {"shape": "/"}, "line": {"width": 0}}
        return [
            go.Bar(x=x, y=shown, width=width * 0.94, marker={"color": colours[index].tolist(), "line": {"width": 0}},
                   text=text, **look),
            go.Bar(x=x, y=hidden, width=width * 0.94, marker=grey, text=lines, **look),
        ]  # fmt: skip

    def marks(self) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Ticks at their places, and what stands at the two ends, inwards, so that it does not meet its neighbours.

        All of few values are ticks; of more the ends, and of numbers the middle; where these are short enough.
        """
        last = len(self.domain) - 1
        numbers = all(
            isinstance(value, int | float) or (value and value[0].isdigit()) for value in self.domain if value
        )
        few = last < MOST_TICKS and sum(len(self._text(place)) for place in range(last + 1)) <= MOST_LETTERS
        middle = [round(last / 2)] if numbers else []
        room = MOST_LETTERS - sum(len(self._text(place)) for place in (0, *middle, last) if not few)
        places = list(range(last + 1)) if few else middle if room >= 0 else []
        ends = () if few else (self._text(0), self._text(last))
        return {"tickvals": places, "ticktext": [self._text(place) for place in places]}, ends

    def _text(self, place: int) -> str:
        return _short(value_words(self.domain[place]))


def _short(text: str) -> str:
    return text if len(text) <= TICK_LENGTH else f"{text[: TICK_LENGTH - 1]}…"
