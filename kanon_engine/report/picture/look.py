"""What the pictures have in common: colours, sizes, and axes that say what they show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kanon_engine.model.words import one_line
from kanon_engine.report.contents.parts import cut
from kanon_engine.report.fonts import written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DARK, GREY, LINE = "#22262b", "#5b6066", "#c9d0d6"
BAR, SECOND, MARK = "#0072B2", "#56B4E9", "#D55E00"  # Okabe and Ito
SCALE = "cividis_r"  # light to dark in even steps, also to colour-blind eyes
TITLE, WORDS, SMALL = 13, 9, 8  # points


def drawable(text: Any, most: int) -> str:
    """A text from data as it can be drawn: on one line, not long, with a □ for what the font lacks."""
    return cut(written(one_line(str(text))), most)


def plain_axes(axes: Axes) -> None:
    """Thin grey axes left and below, numbers with commas."""
    from matplotlib.ticker import StrMethodFormatter

    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(LINE)
    axes.tick_params(labelsize=SMALL, colors=GREY, length=3)
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def full_words(unit: str) -> str:
    """The title of a scale of weight / k."""
    return f"{drawable(unit, 24)} in a group ÷ k"
