"""Groups as bars, the largest first, with a line at k."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.words import counted
from kanon_engine.report.picture.look import BAR, DARK, GREY, MARK, TITLE, WORDS, drawable, plain_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_NUMBERED = 40  # bars with a number below


def draw_bars(figure: Figure, instance: Any, g: Generalization) -> bool:
    """One bar a group; nothing of what is in it."""
    sizes = np.sort(g.class_weights)[::-1]
    order = np.argsort(-g.class_weights, kind="stable") + 1
    unit = drawable(instance.unit, 40)
    figure.set_size_inches(9, 4.6)
    axes = figure.add_axes((0.1, 0.13, 0.86, 0.68))
    places = np.arange(1, len(sizes) + 1)
    if len(sizes) <= 300:
        axes.bar(places, sizes, width=0.8, color=BAR)
    else:  # thinner than a line
        axes.fill_between(places, sizes, step="mid", color=BAR, linewidth=0)
    axes.axhline(g.k, color=MARK, linewidth=1.6)
    axes.set_xlim(0.4, len(sizes) + 0.6)
    axes.set_ylim(0, float(sizes.max()) * 1.08)
    axes.annotate(f"k = {g.k:,}", (1, g.k), xycoords=("axes fraction", "data"), xytext=(-2, 3), ha="right",
                  textcoords="offset points", size=WORDS, weight="bold", color=DARK,
                  bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.2})  # fmt: skip
    plain_axes(axes)
    if len(sizes) <= MOST_NUMBERED:
        axes.set_xticks(places, [f"{number}" for number in order.tolist()])
    else:
        axes.set_xticks([])
    axes.set_xlabel("Groups by their numbers, the largest first" if len(sizes) <= MOST_NUMBERED else
                    "Groups, the largest first", size=WORDS, color=GREY)  # fmt: skip
    axes.set_ylabel(f"{unit} in a group", size=WORDS, color=GREY)
    title = f"{counted(g.classes, 'group')} with at least {g.k:,} {unit} each"
    figure.text(0.1, 0.9, title, size=TITLE, weight="bold", color=DARK)
    figure.text(0.1, 0.845, "Bars are whole groups, not stacked from what is in them.", size=WORDS, color=GREY)
    return True
