"""Pictures that matplotlib draws: the same on every machine, and by one thread at a time."""

from __future__ import annotations

import math
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.words import counted, cut, one_line
from kanon_engine.plot.colors import BLUE, GRAY, INK, RULE, VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import Collection
    from matplotlib.figure import Figure

SETTINGS = {
    "font.family": "DejaVu Sans",  # comes with the library, so every machine draws the same
    "text.parse_math": False,  # a name may hold $
    "svg.hashsalt": "kanon",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "path.simplify": True,
}
_DRAWING = threading.Lock()  # matplotlib's settings and caches are shared by all threads


@contextmanager
def empty_figure(dpi: int, size: tuple[float, float] | None = None) -> Iterator[Figure]:
    """A white figure to draw on and save; other threads wait until that is done.

    Parameters
    ----------
    dpi : Dots per inch.
    size : In inches.

    >>> with empty_figure(72, (8.0, 4.0)) as figure:
    ...     figure.get_size_inches().tolist()
    [8.0, 4.0]
    """
    with _DRAWING:
        import matplotlib
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        with matplotlib.rc_context(SETTINGS):
            figure = Figure(size, dpi=dpi, facecolor="white")
            FigureCanvasAgg(figure)
            yield figure


# ---------------------------------------------------------------------------------------------------------------------
# Colors, sizes and labeled axes of pictures that are released.
# ---------------------------------------------------------------------------------------------------------------------


SCALE, STEPS = "YlGnBu", 40  # light to dark in steps that look even to color-blind readers too; parts of the legend
TITLE, WORDS, SMALL = 13, 9, 8  # points


def drawable(text: Any, most: int) -> str:
    """Text from data, ready to draw: on one line, shortened, with a □ for each letter that the font lacks."""
    return cut(written(one_line(str(text))), most)


def plain_axes(axes: Axes) -> None:
    """Thin gray axes on the left and at the bottom; numbers with commas."""
    from matplotlib.ticker import StrMethodFormatter

    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(RULE)
    axes.tick_params(labelsize=SMALL, colors=GRAY, length=3)
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def shades(full: np.ndarray) -> np.ndarray:
    """(m, 4) colors of weight / k, from 1 to the fullest."""
    import matplotlib

    top = max(float(full.max()), 1.01)
    return np.asarray(matplotlib.colormaps[SCALE](0.06 + 0.84 * (full - 1) / (top - 1)))


def draw_scale(figure: Figure, full: np.ndarray, unit: str) -> None:
    """The legend of the shades, next to the picture; made of rectangles, which a PDF keeps as they are."""
    from matplotlib.patches import Rectangle

    top = max(float(full.max()), 1.01)
    axes = figure.add_axes((0.88, 0.16, 0.022, 0.6))
    values = np.linspace(1, top, STEPS)
    step = (top - 1) / STEPS
    for place, color in enumerate(shades(values)):
        axes.add_patch(Rectangle((0, 1 + place * step), 1, step, facecolor=color, edgecolor=color, linewidth=0.4))
    axes.set_xlim(0, 1)
    axes.set_ylim(1, top)
    axes.set_xticks([])
    axes.yaxis.tick_right()
    axes.tick_params(labelsize=SMALL, colors=GRAY, length=3)
    for side in axes.spines.values():
        side.set_visible(False)
    figure.text(0.87, 0.79, f"{drawable(unit, 16)}\nin a group ÷ k", size=SMALL, color=GRAY, va="bottom")


def shape_axes(figure: Figure, shapes: Collection, low: np.ndarray, high: np.ndarray) -> Axes:
    """Axes around the shapes of groups, from one corner to the other."""
    figure.set_size_inches(9, 6.8)
    axes = figure.add_axes((0.09, 0.09, 0.74, 0.78))
    axes.add_collection(shapes)
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.tick_params(labelsize=SMALL, colors=GRAY)
    axes.spines[:].set_color(RULE)
    axes.ticklabel_format(useOffset=False, style="plain")
    return axes


def true_to_scale(axes: Axes, low: np.ndarray, high: np.ndarray, geographic: bool) -> None:
    middle = math.radians(float(low[1] + high[1]) / 2)
    axes.set_aspect(1 / max(math.cos(middle), 0.05) if geographic else "equal")


def explain(figure: Figure, title: str, description: str, full: np.ndarray, unit: str) -> None:
    """The title of such a picture and the meaning of its shades."""
    figure.text(0.09, 0.93, title, size=TITLE, weight="bold", color=INK)
    figure.text(0.09, 0.895, description, size=WORDS, color=GRAY)
    draw_scale(figure, full, unit)


# ---------------------------------------------------------------------------------------------------------------------
# Groups as bars, the largest first, with a line at k.
# ---------------------------------------------------------------------------------------------------------------------


MOST_NUMBERED_BARS = 40  # with up to this many bars, each has a number below


def draw_bars(figure: Figure, instance: Any, g: Generalization) -> bool:
    """One bar per group, without what is in it."""
    sizes = np.sort(g.class_weights)[::-1]
    order = np.argsort(-g.class_weights, kind="stable") + 1
    unit = drawable(instance.unit, 40)
    figure.set_size_inches(9, 4.6)
    axes = figure.add_axes((0.1, 0.13, 0.86, 0.68))
    places = np.arange(1, len(sizes) + 1)
    if len(sizes) <= 300:
        axes.bar(places, sizes, width=0.8, color=BLUE)
    else:  # bars would be thinner than a line
        axes.fill_between(places, sizes, step="mid", color=BLUE, linewidth=0)
    axes.axhline(g.k, color=VERMILION, linewidth=1.6)
    axes.set_xlim(0.4, len(sizes) + 0.6)
    axes.set_ylim(0, float(sizes.max()) * 1.08)
    axes.annotate(f"k = {g.k:,}", (1, g.k), xycoords=("axes fraction", "data"), xytext=(-2, 3), ha="right",
                  textcoords="offset points", size=WORDS, weight="bold", color=INK,
                  bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.2})  # fmt: skip
    plain_axes(axes)
    if len(sizes) <= MOST_NUMBERED_BARS:
        axes.set_xticks(places, [f"{number}" for number in order.tolist()])
    else:
        axes.set_xticks([])
    axes.set_xlabel("Group numbers, the largest group first" if len(sizes) <= MOST_NUMBERED_BARS else
                    "Groups, the largest first", size=WORDS, color=GRAY)  # fmt: skip
    axes.set_ylabel(f"{unit} in a group", size=WORDS, color=GRAY)
    title = f"{counted(g.classes, 'group')} with at least {g.k:,} {unit} each"
    figure.text(0.1, 0.9, title, size=TITLE, weight="bold", color=INK)
    figure.text(0.1, 0.845, "Each bar is one whole group; its parts are not shown.", size=WORDS, color=GRAY)
    return True


# ---------------------------------------------------------------------------------------------------------------------
# The fonts of the PDF and the picture, and which letters they have.
# ---------------------------------------------------------------------------------------------------------------------


INSTEAD = "□"
RIGHT_TO_LEFT = ("R", "AL", "AN")
FILES = {"": "DejaVuSans.ttf", "B": "DejaVuSans-Bold.ttf", "I": "DejaVuSans-Oblique.ttf", "M": "DejaVuSansMono.ttf"}
LONGEST = 6  # names of scripts that are listed


def font_file(style: str) -> Path:
    """The file of a font that comes with matplotlib, so every machine uses the same one; see `FILES`."""
    import matplotlib

    return Path(matplotlib.get_data_path()) / "fonts" / "ttf" / FILES[style]


def written(text: str) -> str:
    """The text with a □ for each letter that these fonts lack or cannot put in the right order.

    >>> written("Zürich ≤ 39, 東京")
    'Zürich ≤ 39, □□'
    """
    return "".join(letter if letter == "\n" or _writable(letter) else INSTEAD for letter in text)


def missing_words(text: str) -> str:
    """A sentence that lists the Unicode scripts of letters that cannot be drawn; "" if all can.

    >>> missing_words("Genève"), missing_words("東京 and مرحبا")[:55]
    ('', 'Letters of some scripts cannot be shown (Arabic, Cjk). ')
    """
    missing = {letter for letter in set(text) if letter != "\n" and not _writable(letter)}
    if not missing:
        return ""
    scripts = sorted({unicodedata.name(letter, "other characters").split()[0].capitalize() for letter in missing})
    more = len(scripts) - LONGEST
    names = ", ".join(scripts[:LONGEST]) + (f" and {more:,} more" if more > 0 else "")
    return (
        f"Letters of some scripts cannot be shown ({names}). A {INSTEAD} replaces each of these letters; report.html "
        "shows them."
    )


@cache
def _letters() -> frozenset[int]:
    """The letters that all of the fonts have."""
    from fontTools.ttLib import TTFont

    charsets = []
    for style in FILES:
        with TTFont(font_file(style), lazy=True) as font:
            charsets.append(set(font.getBestCmap()))
    return frozenset(set.intersection(*charsets))


@cache
def _writable(letter: str) -> bool:
    return ord(letter) in _letters() and unicodedata.bidirectional(letter) not in RIGHT_TO_LEFT
