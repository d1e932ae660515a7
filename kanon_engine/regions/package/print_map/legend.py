"""What stands beside and below the map: the meaning of lines and colours, a list of groups, scale and north."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kanon_engine.model.words import cut
from kanon_engine.plot.colouring import palette
from kanon_engine.regions.package.print_map.style import AREA, BORDER, DARK, LETTER, PAGE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BARS = tuple(step * 10.0**power for power in range(-3, 5) for step in (1, 2, 5))  # lengths of scale bars
MILE = 1_609.344  # metres


def draw_legend(side: Axes, areas: bool) -> float:
    """What lines and colours mean; where it ends."""
    from matplotlib.patches import Rectangle

    side.text(0, 0.985, "Legend", size=10, weight="bold", color=DARK, va="center")
    shades = palette(4)
    for place, shade in enumerate(shades):
        side.add_patch(Rectangle((0.035 * place, 0.94), 0.035, 0.018, facecolor=shade, edgecolor=BORDER, linewidth=0.8))
    side.text(0.17, 0.949, "groups; neighbours differ in colour", size=8, color=DARK, va="center")
    top = 0.92
    if areas:
        side.plot([0, 0.14], [top, top], color=AREA, linewidth=0.6)
        side.text(0.17, top, "borders of areas in a group", size=8, color=DARK, va="center")
        top -= 0.028
    side.text(0, top, "1, 2, 3", size=8, weight="bold", color=DARK, va="center")
    side.text(0.17, top, "number of the group", size=8, color=DARK, va="center")
    return top - 0.03


def list_groups(side: Axes, names: Sequence[str], sizes: Sequence[str], top: float) -> None:
    """Number, name and size of every group, in one column or two."""
    count = len(names)
    columns = 1 if count <= 32 else 2
    rows = -(-count // columns)
    step = min(0.03, top / rows)
    size = min(8.0, step * 400)
    width = (1 - 0.06 * (columns - 1)) / columns
    letters = int(side.get_position().width * width * PAGE[0] * 72 / (LETTER * 0.92 * size))
    for place, (name, told) in enumerate(zip(names, sizes, strict=True)):
        column, row = divmod(place, rows)
        left, y = column * (width + 0.06), top - step * (row + 0.5)
        number = left + LETTER * size * len(str(count)) / (side.get_position().width * PAGE[0] * 72)
        words = cut("" if name == f"Group {place + 1}" else name, max(4, letters - len(told) - len(str(count)) - 3))
        side.text(number, y, str(place + 1), size=size, weight="bold", color=DARK, ha="right", va="center")
        side.text(number + 0.02, y, words, size=size, color=DARK, va="center")
        side.text(left + width, y, told, size=size, color=DARK, ha="right", va="center")


def draw_scale(axes: Axes) -> None:
    """A bar in kilometres and one in miles, and an arrow to the north, below the map."""
    low, high = axes.get_xlim()
    box = axes.get_position()
    for row, (unit, metres) in enumerate((("km", 1_000.0), ("mi", MILE))):
        bar = max((length for length in BARS if length * metres <= (high - low) / 5), default=None)
        if bar is not None:
            width = bar * metres / (high - low) * box.width
            _draw_bar(axes.figure, (box.x0, box.y0 - 0.012 - 0.02 * row), width, f"{bar:,g} {unit}")
    _draw_north(axes.figure, box.x0 + 0.33, box.y0 - 0.03)


def _draw_bar(figure: Any, start: tuple[float, float], width: float, words: str) -> None:
    from matplotlib.lines import Line2D

    x, y = start
    for xs, ys in (
        ([x, x + width], [y, y]),
        ([x, x], [y - 0.004, y + 0.004]),
        ([x + width] * 2, [y - 0.004, y + 0.004]),
    ):
        figure.add_artist(Line2D(xs, ys, color=DARK, linewidth=1.4, transform=figure.transFigure))
    figure.text(x + width + 0.006, y, words, size=8, color=DARK, va="center")


def _draw_north(figure: Any, x: float, y: float) -> None:
    from matplotlib.patches import Polygon

    high = 0.032
    wide = high * 0.28
    shape = [(x, y + high), (x - wide, y), (x, y + high * 0.25), (x + wide, y)]
    figure.add_artist(Polygon(shape, closed=True, facecolor=DARK, edgecolor=DARK, transform=figure.transFigure))
    figure.text(x + wide + 0.006, y + high / 2, "N", size=10, weight="bold", color=DARK, va="center")
