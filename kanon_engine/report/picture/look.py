"""What the pictures have in common: colours, sizes, and axes that say what they show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_engine.model.words import cut, one_line
from kanon_engine.report.fonts import written

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DARK, GREY, LINE = "#22262b", "#5b6066", "#c9d0d6"
BAR, SECOND, MARK = "#0072B2", "#56B4E9", "#D55E00"  # Okabe and Ito
SCALE, STEPS = "YlGnBu", 40  # light to dark in even steps, also to colour-blind eyes; parts of the legend
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


def shades(full: np.ndarray) -> np.ndarray:
    """(m, 4) colours of weight / k, from 1 to the fullest."""
    import matplotlib

    top = max(float(full.max()), 1.01)
    return np.asarray(matplotlib.colormaps[SCALE](0.06 + 0.84 * (full - 1) / (top - 1)))


def draw_scale(figure: Figure, full: np.ndarray, unit: str) -> None:
    """What the shades mean, beside the picture; made of rectangles, which a PDF takes as they are."""
    from matplotlib.patches import Rectangle

    top = max(float(full.max()), 1.01)
    axes = figure.add_axes((0.88, 0.16, 0.022, 0.6))
    values = np.linspace(1, top, STEPS)
    step = (top - 1) / STEPS
    for place, colour in enumerate(shades(values)):
        axes.add_patch(Rectangle((0, 1 + place * step), 1, step, facecolor=colour, edgecolor=colour, linewidth=0.4))
    axes.set_xlim(0, 1)
    axes.set_ylim(1, top)
    axes.set_xticks([])
    axes.yaxis.tick_right()
    axes.tick_params(labelsize=SMALL, colors=GREY, length=3)
    for side in axes.spines.values():
        side.set_visible(False)
    figure.text(0.87, 0.79, f"{drawable(unit, 16)}\nin a group ÷ k", size=SMALL, color=GREY, va="bottom")
