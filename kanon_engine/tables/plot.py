"""Pictures of tables: sizes of the groups; `histograms` has the intervals of the columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from plotly import graph_objects as go
from plotly.subplots import make_subplots

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.values import value_words
from kanon_engine.plot.colors import BLUE, FLOOR, INK, NAVY, ORANGE, SILVER, SKY, TEXT, faded
from kanon_engine.plot.scene import (
    ABOVE,
    COUNT,
    LEGEND_TOP_RIGHT,
    TITLE_ABOVE,
    bars,
    dots,
    hover,
    polyline,
    segments,
    styled,
)
from kanon_engine.tables.instance import BoxDetails, CellDetails, Table
from kanon_engine.tables.utility import Utility
from kanon_engine.tables.words import RangeWords, column_ranges, column_words, counts_by_label, released_ranges


def sizes_figure(table: Table, g: Generalization) -> go.Figure:
    """Which share of the groups, and of the records, is in groups of k to 2k, 2k to 4k, … records.

    Small groups reveal more than large ones; most groups may be small while most records are in a few large ones.
    """
    steps = np.floor(np.log2(np.maximum(g.class_weights / g.k, 1))).astype(int)
    top = int(steps.max()) + 1
    groups = np.bincount(steps, minlength=top)
    records = np.bincount(steps, g.class_weights, top).astype(int)
    names = [f"{g.k * 2**step:,}–{g.k * 2 ** (step + 1) - 1:,}" for step in range(top)]
    figure = go.Figure()
    for counts, what, color, pattern in ((groups, "groups", BLUE, ""), (records, table.unit, ORANGE, "/")):
        words = [f"Groups of {name}: {count:,} {what}" for count, name in zip(counts, names, strict=True)]
        look = {"orientation": "h", "name": f"share of {what}", "marker_pattern_shape": pattern}
        shares = bars(100 * counts / counts.sum(), names, color, words, np.full(top, -1), **look)
        figure.add_trace(shares.update(hovertemplate="%{text} (%{x:.1f} %)<extra></extra>"))
    return styled(
        figure,
        "Sizes of the groups",
        xaxis={"title": "Share, %", "rangemode": "tozero", "nticks": 6},
        yaxis={"title": f"{table.unit.capitalize()} in a group", "type": "category"},
        **ABOVE,
        margin=(80, 10, 84, 45),
        bargap=0.25,
    )


STRIPES = "▨"  # how hidden cells look
SHADES = (BLUE, SKY)  # intervals alternate
MOST_TICKS = 3  # up to here each value has one
MOST_LETTERS = 12  # of all ticks of a column
TICK_LENGTH = 6
LONGEST_NAME = 14


def columns_figure(table: Table, g: Generalization, selected: int | None = None, *, narrow: bool = False) -> go.Figure:
    """A histogram for each quasi-identifier, with its intervals in alternating shades and its cuts as lines.

    Gray and hatched parts are left out or suppressed. Internal: every value is counted; see `release_figure`.

    Parameters
    ----------
    selected : A class; what its records show is highlighted.
    narrow : Without numbers and values on the axes, to fit next to another.
    """
    columns = [_Column(table, g, place) for place in range(len(table.quasi_identifiers))]
    what = "hatched parts are hidden" if columns[0].cells else "lines are cuts"
    what = "each group shows its own ranges" if columns[0].boxes else what
    figure, places = _grid(f"{table.unit.capitalize()} with each value; {what}", [column.title for column in columns])
    for where, column in zip(places, columns, strict=True):
        bars = column.bars(selected)
        top = _top(bars)
        figure.add_traces(bars, rows=[where["row"]] * len(bars), cols=[where["col"]] * len(bars))
        if column.starts[1:]:
            low = np.array([(edge - 0.5, 0) for edge in column.starts[1:]])
            ends = segments(low, low + [0, top * 1.08])
            figure.add_trace(polyline(ends, FLOOR, 1), **where)
        _dressed(figure, where, len(column.domain), top, column.marks())
    return _narrowed(figure) if narrow else figure


def release_figure(table: Table, g: Generalization) -> go.Figure:
    """A bar for each interval or value that the released records show, with its number of records; fit for a release.

    It is drawn only from `class_frame`, in the order of the domains.
    """
    cells, columns = isinstance(g.details, CellDetails), counts_by_label(table, g)
    titles = []
    for name, counts in zip(table.quasi_identifiers, columns, strict=True):
        hidden = sum(count for key, _, count in counts if key < 0)
        parts = f"{len(counts):,} interval{'s' * (len(counts) != 1)}"
        below = (f"{STRIPES} {hidden:,} hidden" if hidden else "all shown") if cells else parts
        titles.append(f"<b>{name}</b><br>{below}")
    figure, places = _grid(f"{table.unit.capitalize()} that show each interval or value", titles)
    for where, counts in zip(places, columns, strict=True):
        visible = [(words, count) for key, words, count in counts if key >= 0]
        texts = [text for text, _ in visible]
        colors = [BLUE if cells else SHADES[place % 2] for place in range(len(visible))]
        words = [f"{text}: {count:,} {table.unit}" for text, count in visible]
        bar = bars(np.arange(len(visible)), [count for _, count in visible], colors, words)
        figure.add_trace(bar, **where)
        _dressed(figure, where, len(visible), _top([bar]), _marks(texts, numbers=False))
    return figure


def _grid(title: str, titles: list[str]) -> tuple[go.Figure, list[dict[str, int]]]:
    """An empty figure with a place for each column, and these places."""
    count = len(titles)
    across = count if count <= 5 else 4 if count <= 8 else 5 if count <= 15 else 6
    down = -(-count // across)
    figure = make_subplots(
        rows=down,
        cols=across,
        subplot_titles=titles,
        horizontal_spacing=0.09,
        vertical_spacing=0.48 / down if down > 1 else 0,  # labels of one row and the titles of the next
    )
    look = {"barmode": "stack", "bargap": 0.08, "showlegend": False, "margin": (50, 5, 84, 30)}
    styled(figure, title, **TITLE_ABOVE, **look)
    return figure, [{"row": place // across + 1, "col": place % across + 1} for place in range(count)]


def _narrowed(figure: go.Figure) -> go.Figure:
    """Only titles, bars and lines."""
    figure.layout.annotations = [one for one in figure.layout.annotations if one.text.startswith("<b>")]
    figure.update_xaxes(showticklabels=False).update_yaxes(showticklabels=False)
    return figure.update_layout(margin={"l": 8})


def _top(bars: list[go.Bar]) -> float:
    """The height of stacked bars."""
    return max((sum(heights) for heights in zip(*(bar.y for bar in bars), strict=True)), default=0) or 1


def _dressed(
    figure: go.Figure, where: dict[str, int], width: int, top: float, marks: tuple[dict[str, Any], tuple[str, ...]]
) -> None:
    """Axes of one column's place, and the labels at their ends."""
    ticks, ends = marks
    axis = next(figure.select_xaxes(**where)).plotly_name.removeprefix("xaxis")
    for text, side, x in zip(ends, ("left", "right"), (0, 1), strict=False):
        figure.add_annotation(
            text=text,
            x=x,
            xanchor=side,
            xref=f"x{axis} domain",
            y=0,
            yanchor="top",
            yref=f"y{axis} domain",
            showarrow=False,
            font_size=TEXT,
        )
    figure.update_xaxes(**ticks, tickangle=0, range=[-0.7, max(width, 1) - 0.3], **where)
    figure.update_yaxes(range=[0, top * 1.1], nticks=4, tickformat=COUNT, **where)


def _marks(texts: list[str], numbers: bool) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Ticks at their places, and the labels at the two ends, aligned inward so that they do not overlap the neighbors.

    All of few values are ticks; of more the ends, and of numbers the middle; where these are short enough.
    """
    texts = [short(text, TICK_LENGTH) for text in texts]
    last = len(texts) - 1
    few = last < MOST_TICKS and sum(map(len, texts)) <= MOST_LETTERS
    middle = [round(last / 2)] if numbers else []
    slack = MOST_LETTERS - sum(len(texts[place]) for place in (0, *middle, last) if texts and not few)
    places = list(range(last + 1)) if few else middle if slack >= 0 else []
    ends = () if few else (texts[0], texts[-1])
    return {"tickvals": places, "ticktext": [texts[place] for place in places]}, ends


class _Column:
    """One quasi-identifier: how often each value occurs, where intervals start, what is hidden."""

    def __init__(self, table: Table, g: Generalization, place: int) -> None:
        self.name, self.domain, self.unit = table.quasi_identifiers[place], table.domains[place], table.unit
        self.cells, self.boxes = isinstance(g.details, CellDetails), isinstance(g.details, BoxDetails)
        hidden = g.assignment < 0
        if self.cells:
            hidden = hidden | g.details.stars[g.assignment, place]
        self.shown, self.hidden = (
            np.bincount(table.codes[selected, place], table.weights[selected], len(self.domain)).astype(np.int64)
            for selected in (~hidden, hidden)
        )
        self.ranges = column_ranges(table, g, place)
        self.starts = [0] if self.cells or self.boxes else self.ranges[:, 0].tolist()
        self._result = table, g, place

    @property
    def title(self) -> str:
        widths = self.ranges[:, 1] - self.ranges[:, 0] + 1
        parts, whole = len(widths), int(widths.max()) == len(self.domain)
        if self.cells:
            stars = int(self.hidden.sum())
            below = f"{STRIPES} {stars:,} hidden" if stars else "all shown"
        elif self.boxes and parts == 1 and whole:
            below = "any"
        elif (widths == 1).all():
            below = "every value"
        elif self.boxes:
            below = f"{parts:,} range{'s' * (parts != 1)}"
        else:
            below = "any" if parts == 1 else f"{parts} intervals"
        return f"<b>{short(self.name, LONGEST_NAME)}</b><br>{below}"

    def bars(self, selected: int | None) -> list[go.Bar]:
        """What is shown, with what is not on top."""
        table, g, place = self._result
        x = np.arange(len(self.domain))
        colors, extra = np.full(len(x), BLUE, dtype=object), [""] * len(x)
        if not (self.cells or self.boxes):
            number = np.searchsorted(self.starts, x, side="right") - 1
            colors = np.array(SHADES, dtype=object)[number % 2]
            words = column_words(table, self.name, g.details.intervals[self.name])
            sums = np.add.reduceat(self.shown, self.starts)
            extra = [f"<br>{words[i]}: {sums[i]:,} {self.unit}" for i in number.tolist()]
        if selected is not None and not (self.cells and g.details.stars[selected, place]):
            low, high = released_ranges(table, g)[selected, place]
            colors[low : high + 1] = ORANGE
        text = [
            f"<b>{value_words(value)}</b>: {count:,} {self.unit}{more}"
            for value, count, more in zip(self.domain, self.shown, extra, strict=True)
        ]
        lines = [
            f"<b>{value_words(value)}</b>: {count:,} {'hidden' if self.cells else 'left out'}"
            for value, count in zip(self.domain, self.hidden, strict=True)
        ]
        bar = bars(x, self.shown, colors.tolist(), text, np.full(len(x), -1), width=0.94)
        hidden = bars(x, self.hidden, SILVER, lines, np.full(len(x), -1), width=0.94, marker_pattern_shape="/")
        return [bar, hidden]

    def marks(self) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Ticks and the labels at the ends; see `_marks`."""
        numbers = all(
            isinstance(value, int | float) or (value and value[0].isdigit()) for value in self.domain if value
        )
        return _marks([value_words(value) for value in self.domain], numbers)


# ---------------------------------------------------------------------------------------------------------------------
# The boxes of groups, as they lie over two columns of a table.
# ---------------------------------------------------------------------------------------------------------------------


MOST_BOXES = 400  # drawn; with more a picture is slow and illegible
MOST_BOX_TICKS = 8
LETTERS = 12
STEPS = (2, 10)  # times k: the limits between shades
BOX_SHADES = (faded(SKY, 0.16), faded(BLUE, 0.22), faded(NAVY, 0.34))


def boxes_figure(table: Table, g: Generalization, columns: tuple[str, str], selected: int | None = None) -> go.Figure:
    """What groups show in two columns, as rectangles over the records.

    A rectangle for each pair of ranges that groups show, the darker the more records show it; dots are values that
    records have. Internal: it shows single values. Of many rectangles, those that most records show.

    Parameters
    ----------
    g : With `BoxDetails`.
    columns : The quasi-identifiers across and up.
    selected : A class to highlight.
    """
    details: BoxDetails = g.details
    x, y = (table.quasi_identifiers.index(name) for name in columns)
    ends = np.column_stack([details.low[:, [x, y]], details.high[:, [x, y]]])
    ranges, number = np.unique(ends, axis=0, return_inverse=True)
    records = np.bincount(number.reshape(-1), g.class_weights).astype(np.int64)
    drawn = np.argsort(-records, kind="stable")[:MOST_BOXES]
    figure = go.Figure()
    limits = (0, STEPS[0] * g.k, STEPS[1] * g.k, np.inf)
    names = (f"below {limits[1]:,}", f"{limits[1]:,} to {limits[2] - 1:,}", f"{limits[2]:,} or more")
    for shade, name, least, most in zip(BOX_SHADES, names, limits, limits[1:], strict=False):
        band = [place for place in drawn if least <= records[place] < most]
        if band:
            figure.add_trace(_rectangles(ranges[band], shade, f"{name} {table.unit}"))
    figure.add_trace(_dots(table, (x, y)))
    figure.add_trace(_centers(table, columns, ranges[drawn], records[drawn]))
    if selected is not None:
        chosen = _rectangles(ends[[selected]], faded(ORANGE, 0.35), f"group {selected + 1:,}")
        figure.add_trace(chosen.update(line={"color": ORANGE, "width": 3}))
    part = "" if len(drawn) == len(ranges) else f": the {len(drawn):,} most frequent of {len(ranges):,} pairs of ranges"
    return styled(
        figure,
        f"What groups show in two columns: the darker, the more {table.unit}{part}",
        xaxis={"title": columns[0], **_axis(table, x)},
        yaxis={"title": columns[1], **_axis(table, y)},
        **ABOVE,
        margin=(60, 10, 90, 45),
    )


def _rectangles(ends: np.ndarray, fill: str, name: str) -> go.Scatter:
    """Rectangles from half a position before their first value to half a position behind their last."""
    left, bottom, right, top = (ends[:, 0] - 0.5, ends[:, 1] - 0.5, ends[:, 2] + 0.5, ends[:, 3] + 0.5)
    gap = np.full(len(ends), np.nan)
    across = np.column_stack([left, right, right, left, left, gap]).ravel()
    up = np.column_stack([bottom, bottom, top, top, bottom, gap]).ravel()
    return polyline(np.column_stack([across, up]), BLUE, 1, fill="toself", fillcolor=fill, name=name)


def _dots(table: Table, places: tuple[int, int]) -> go.Scatter:
    """A dot for each pair of values that records have, the larger the more."""
    pairs, number = np.unique(table.codes[:, places], axis=0, return_inverse=True)
    counts = np.bincount(number.reshape(-1), table.weights)
    sizes = 2 + 6 * np.sqrt(counts / counts.max())
    return dots(pairs, INK, sizes, look={"line": {"width": 0}}, name=f"{table.unit} (larger dots: more)")


def _centers(table: Table, columns: tuple[str, str], ends: np.ndarray, records: np.ndarray) -> go.Scatter:
    """Hover text in the middle of each rectangle: what it represents."""
    across, up = (RangeWords(table, name) for name in columns)
    text = [
        f"<b>{columns[0]}</b>: {across(left, right)}<br><b>{columns[1]}</b>: {up(bottom, top)}<br>"
        f"{count:,} {table.unit}"
        for (left, bottom, right, top), count in zip(ends.tolist(), records.tolist(), strict=True)
    ]
    middles = (ends[:, :2] + ends[:, 2:]) / 2
    return dots(middles, None, 12, look={"opacity": 0}, showlegend=False, **hover(text))


def _axis(table: Table, place: int) -> dict[str, object]:
    """Ticks at some values of the domain, with their words."""
    domain = table.domains[place]
    ticks = np.unique(np.linspace(0, len(domain) - 1, min(MOST_BOX_TICKS, len(domain))).round().astype(int)).tolist()
    return {
        "tickvals": ticks,
        "ticktext": [short(value_words(domain[tick]), LETTERS) for tick in ticks],
        "range": [-0.8, len(domain) - 0.2],
        "showgrid": False,
        "zeroline": False,
    }


MOST_COLUMNS, MOST_PAIRS = 10, 8
LONGEST = 16


def utility_figure(utility: Utility) -> go.Figure:
    """On the left how far off each column is, on the right how much columns reveal about each other before and after.

    Of many columns those that are farthest off, of many pairs those with the strongest association before.
    """
    columns = utility.columns.nlargest(MOST_COLUMNS, "difference", keep="first").iloc[::-1]
    pairs = utility.pairs.nlargest(MOST_PAIRS, "before", keep="first").iloc[::-1]
    both = len(pairs) > 0
    titles = ["Difference in each column"] + ["Association of pairs, Cramér’s V"] * both
    figure = make_subplots(1, 1 + both, subplot_titles=titles, horizontal_spacing=0.3)
    names = [short(name) for name in columns["column"]]
    shares = zip(columns["column"], columns["difference"], strict=True)
    words = [f"{name}: {share:.1%} of the records" for name, share in shares]
    look = {"orientation": "h", "name": "difference", "showlegend": False}
    figure.add_trace(bars(columns["difference"], list(range(len(names))), BLUE, words, **look), row=1, col=1)
    figure.update_xaxes(title="Share of records", title_standoff=4, tickformat=".0%", range=[0, 1], row=1, col=1)
    figure.update_yaxes(tickvals=list(range(len(names))), ticktext=names, row=1, col=1)
    if both:
        _draw_pairs(figure, pairs)
    return styled(
        figure,
        "Where the release differs from the table",
        **TITLE_ABOVE,
        legend=LEGEND_TOP_RIGHT | {"y": 0.985},
        margin=(10, 10, 58, 46),
    )


def _draw_pairs(figure: go.Figure, pairs: pd.DataFrame) -> None:
    """A line from before to after for each pair."""
    places = list(range(len(pairs)))
    names = [f"{short(one, 9)} – {short(other, 9)}" for one, other in zip(pairs["first"], pairs["second"], strict=True)]
    lines = segments(*(np.column_stack([pairs[side], places]) for side in ("before", "after")))
    figure.add_trace(polyline(lines, FLOOR, 1.5, showlegend=False), row=1, col=2)
    for side, color, symbol in (("before", FLOOR, "circle-open"), ("after", ORANGE, "diamond")):
        text = [
            f"{one} – {other}, {side}: {value:.2f}"
            for one, other, value in zip(pairs["first"], pairs["second"], pairs[side], strict=True)
        ]
        xy, look = np.column_stack([pairs[side], places]), {"symbol": symbol, "line_width": 2}
        figure.add_trace(dots(xy, color, 10, look=look, name=side, **hover(text)), row=1, col=2)
    figure.update_xaxes(
        title="0: reveals nothing, 1: reveals everything", title_standoff=4, range=[-0.02, 1.02], row=1, col=2
    )
    figure.update_yaxes(tickvals=places, ticktext=names, row=1, col=2)


def short(text: str, longest: int = LONGEST) -> str:
    """A name that fits next to a bar.

    >>> short("marital-status", 9)
    'marital-…'
    """
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
