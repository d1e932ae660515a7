"""What the records of a released table show: a histogram for each quasi-identifier."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.plot.colors import BLUE, GREY, INK, SKY
from kanon_engine.plot.drawing import SMALL, TITLE, WORDS, drawable
from kanon_engine.tables.instance import Table
from kanon_engine.tables.words import shown_counts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_COLUMNS, MOST_BARS, LONGEST = 12, 10, 18  # columns, bars of a column, letters of a value


def draw_shown(figure: Figure, table: Table, g: Generalization) -> bool:
    """As many records as show each range or word; drawn from the classes alone."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    names = list(table.quasi_identifiers)[:MOST_COLUMNS]
    columns = shown_counts(table, g)
    across = min(len(names), 3)
    down = -(-len(names) // across)
    figure.set_size_inches(9.5, 1.1 + 2.35 * down)
    left_out = table.quasi_identifiers[MOST_COLUMNS:]
    more = f" {len(left_out):,} further columns are not drawn." if left_out else ""
    unit = drawable(table.unit, 40)
    high = figure.get_figheight()
    figure.text(0.03, 1 - 0.34 / high, f"How many {unit} show each range or value", size=TITLE, weight="bold",
                color=INK)  # fmt: skip
    said = f"Drawn from the released {unit} alone; k = {g.k:,}.{more}"
    figure.text(0.03, 1 - 0.58 / high, said, size=WORDS, color=GREY)
    grid = figure.subplots(down, across, squeeze=False)
    figure.subplots_adjust(left=0.17, right=0.97, bottom=0.35 / high, top=1 - 1.0 / high, wspace=0.78, hspace=0.6)
    for place, axes in enumerate(grid.flat):
        if place >= len(names):
            axes.set_axis_off()
            continue
        _bars(axes, names[place], [(words, count) for _, words, count in columns[place]])
        axes.xaxis.set_major_locator(MaxNLocator(3, integer=True))
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    return True


def _bars(axes: Axes, name: str, found: list[tuple[str, int]]) -> None:
    """A bar each; of many ranges the most common, and the others together."""
    told = found
    if len(found) > MOST_BARS:
        kept = sorted(sorted(range(len(found)), key=lambda place: -found[place][1])[: MOST_BARS - 1])
        others = len(found) - len(kept)
        rest = sum(count for _, count in found) - sum(found[place][1] for place in kept)
        told = [*(found[place] for place in kept), (f"{others:,} others", rest)]
    places = np.arange(len(told))
    colours = [SKY if len(found) > MOST_BARS and place == len(told) - 1 else BLUE for place in places.tolist()]
    axes.barh(places, [count for _, count in told], color=colours, height=0.8)
    axes.set_yticks(places, [drawable(words, LONGEST) for words, _ in told])
    axes.invert_yaxis()
    axes.set_ylim(max(len(told), 3) - 0.4, -0.6)
    axes.set_title(drawable(name, 30), size=WORDS + 1, weight="bold", color=INK, loc="left")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.tick_params(labelsize=SMALL, colors=GREY, length=3)
