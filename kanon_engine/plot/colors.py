"""The palette, text sizes, and few colors for many classes, so that neighbors differ."""

from __future__ import annotations

import colorsys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.model.comparison import Comparison

if TYPE_CHECKING:
    import networkx as nx

# Okabe and Ito's palette, which color-blind readers can distinguish
BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9"
LINES = ((BLUE, "solid"), (ORANGE, "dash"), (GREEN, "dot"), (PURPLE, "dashdot"), (SKY, "longdash"))
CURVES = (BLUE, "#B07800", GREEN, PURPLE, SKY)  # of lessons, thin on white paper: a darker orange
BLUES = (BLUE, "#3389BF", "#5C9FCC", "#82B5D8", "#A5CAE3")
NAVY, RUST, CRIMSON, VIOLET = "#00508c", "#a83c00", "#b0003a", "#7A3E9D"
# from dark to light; floors are proven bounds
INK, LINE, GRAY, FLOOR, SILVER = "#22262b", "#33373d", "#5b6066", "#7A8794", "#8a9097"
ASH, RULE, PALE, PALE_BLUE, WHITE = "#A9B4BD", "#c9d0d6", "#e9eaec", "#E8F1F8", "#ffffff"
REPORT_INK, REPORT_GRAY, REPORT_PALE = "#1d2329", "#59616a", "#f3f5f7"
CLEAR = "rgba(0,0,0,0)"
TITLE, TEXT = 16, 14  # pixels; axis titles, ticks, legends and notes have one size
COLORBAR: dict[str, Any] = {"thickness": 14, "tickfont": {"size": TEXT}, "title": {"font": {"size": TEXT}}}

# Okabe and Ito's palette, lightened so that dark lines and text stand out; color-blind readers can distinguish it
PALETTE = ("#92cbf0", "#f0bf5c", "#64c3a3", "#e3b1cd", "#f4ee92", "#7ba9da", "#c9c9c9", "#ea9f6a")
GOLDEN_ANGLE = 0.618034
COLOR_BY = ("group", "fullness")


def faded(color: str, opacity: float) -> str:
    """A translucent color.

    >>> faded(BLUE, 0.5)
    'rgba(0,114,178,0.5)'
    """
    return f"rgba({','.join(str(int(color[place : place + 2], 16)) for place in (1, 3, 5))},{opacity})"


def check_color_by(color_by: str) -> None:
    """Reject a quantity that colors cannot show."""
    if color_by not in COLOR_BY:
        raise InvalidInput(f"Colors can show {', '.join(COLOR_BY)}, not {color_by!r}; choose one of them.")


def class_colors(edges: np.ndarray, assignment: np.ndarray, classes: int) -> np.ndarray:
    """A color number for each class; classes with an edge between them get different ones.

    Guarantee: at most 1 + the degeneracy of the graph of classes, so 6 where it is planar; real maps take 4 or 5.

    Parameters
    ----------
    edges : (e, 2) int. Pairs of areas that border each other.
    assignment : (n,) int. Class of each area, -1 for none.

    Returns
    -------
    (classes,) int64 array of color numbers from 0

    >>> class_colors(np.array([(0, 1), (1, 2), (0, 2), (2, 3)]), np.array([0, 1, 2, 3]), 4).tolist()
    [2, 1, 0, 1]
    """
    import networkx as nx  # loaded here because pictures that do not color neighbors differently need no graph

    ends = assignment[edges]
    graph = _neighbors(ends[(ends >= 0).all(axis=1)], classes)
    colors = nx.greedy_color(graph, strategy="smallest_last")
    if max(colors.values(), default=0) > 3 and classes <= 250:  # the other order often saves a color, in quadratic time
        other = nx.greedy_color(graph, strategy="DSATUR")
        colors = min(colors, other, key=lambda candidate: max(candidate.values()))
    return np.array([colors[number] for number in range(classes)], dtype=np.int64)


def _neighbors(pairs: np.ndarray, count: int) -> nx.Graph:
    """The graph of `count` classes with these pairs of neighbors, some of which may appear twice."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(range(count))
    graph.add_edges_from(np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0).tolist())
    return graph


def joint_colors(comparison: Comparison, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Color numbers for the classes of two results: classes that correspond have the same, neighbors different ones.

    Parameters
    ----------
    first, second : (e, 2) int. For each result, pairs of classes that border each other; pairs with -1 do not count.

    >>> from kanon_engine.model.comparison import Comparison
    >>> found = Comparison(np.array([(0, 1), (1, 0)]), (2, 3), np.array([], dtype=bool))
    >>> one, other = joint_colors(found, np.array([(0, 1)]), np.array([(0, 1), (0, 2)]))
    >>> one[0] == other[1], one[1] == other[0], other[2] == other[0]
    (np.True_, np.True_, np.False_)
    """
    import networkx as nx

    numbers = comparison.joint
    count = int(max(labels.max(initial=-1) for labels in numbers)) + 1
    pairs = [labels[ends[(ends >= 0).all(axis=1)]] for labels, ends in zip(numbers, (first, second), strict=True)]
    colored = nx.greedy_color(_neighbors(np.concatenate(pairs), count), strategy="smallest_last")
    colors = np.array([colored[number] for number in range(count)], dtype=np.int64)
    return colors[numbers[0]], colors[numbers[1]]


def stable_colors(pairs: np.ndarray, preferred: Mapping[int, int | None]) -> dict[int, int]:
    """A color number for each class, in order: the preferred one unless an earlier neighbor has it.

    Parameters
    ----------
    pairs : (e, 2) int. Pairs of classes that border each other; classes missing from `wanted` get no color.
    wanted : Preferred number of each class; None where any will do.

    >>> stable_colors(np.array([(0, 1), (1, 2), (0, 3)]), {0: 1, 1: 1, 2: None, 3: 2})
    {0: 1, 1: 0, 2: 1, 3: 2}
    """
    near: dict[int, set[int]] = {}
    for one, other in pairs.tolist():
        near.setdefault(one, set()).add(other)
        near.setdefault(other, set()).add(one)
    color_of: dict[int, int] = {}
    for number, first in preferred.items():
        used = {color_of.get(other) for other in near.get(number, ())}
        free = next(color for color in range(len(used) + 1) if color not in used)
        color_of[number] = free if first is None or first in used else first
    return color_of


def palette(count: int) -> list[str]:
    """This many different light colors."""
    more = [colorsys.hls_to_rgb(place * GOLDEN_ANGLE % 1, 0.75, 0.55) for place in range(max(0, count - len(PALETTE)))]
    extra = ["#" + "".join(f"{round(255 * part):02x}" for part in color) for color in more]
    return [*PALETTE, *extra][:count]


# ---------------------------------------------------------------------------------------------------------------------
# The colors of classes: a few that distinguish neighbors, or shades for weight / k, from 1 to the fullest.
# ---------------------------------------------------------------------------------------------------------------------


SCALE = "Dense"  # even steps, also to color-blind eyes, from light to dark: dark is full


@dataclass(frozen=True)
class Shading:
    """Values, and the scale that shades them."""

    values: np.ndarray  # (m,) float64: weight / k, its logarithm to base 2, or the number of a color
    # bottom, top: values of the lightest and of the darkest shade; values above get the darkest too
    bottom: float
    top: float
    # str or list of (float, str): the name of a plotly scale, or colors at places from 0 to 1
    scale: str | list[tuple[float, str]]
    colorbar: dict[str, Any] | None  # None where the values are only color numbers

    @property
    def bar(self) -> dict[str, Any]:
        """The color bar, or its absence, as arguments of a trace."""
        return {"showscale": False} if self.colorbar is None else {"colorbar": self.colorbar}


def color_shades(numbers: np.ndarray, colors: list[str] | None = None) -> Shading:
    """Colors by number, from the palette by default.

    >>> color_shades(np.array([1, 0])).values.tolist()
    [1.0, 0.0]
    """
    colors = palette(int(numbers.max()) + 1) if colors is None else colors
    scale = [((place + side) / len(colors), color) for place, color in enumerate(colors) for side in (0, 1)]
    return Shading(numbers.astype(float), -0.5, len(colors) - 0.5, scale, None)


def shading_of(values: np.ndarray, top: float | None = None) -> Shading:
    """Shades from 1 to the largest value, or to a lower one if a few values are far above all others.

    >>> shading_of(np.array([1.0, 1.5, 3.0])).colorbar["ticktext"]
    ['1 (k)', '1.5', '2', '2.5', '3']
    """
    highest = float(values.max())
    if top is None:
        top = max(2.0, min(highest, 2 * float(np.quantile(values, 0.98))))
    sizes = np.outer(10.0 ** np.arange(9), [0.1, 0.2, 0.25, 0.5]).ravel()
    step = float(sizes[np.argmin(np.abs(np.log((top - 1) / sizes / 4)))])  # about 4 of them
    ticks = [1.0, *np.arange(np.floor(1 / step + 1) * step, top - 0.3 * step, step).tolist(), top]
    words = ["1 (k)", *(f"{tick:,.4g}" for tick in ticks[1:-1]), f"{'≥ ' * (highest > top)}{top:,.3g}"]
    return Shading(values, 1.0, top, SCALE, _colorbar(ticks, words))


def _colorbar(ticks: list[float], words: list[str]) -> dict[str, Any]:
    title = COLORBAR["title"] | {"text": "÷ k", "side": "top"}
    return COLORBAR | {"title": title, "tickvals": ticks, "ticktext": words, "len": 0.9, "x": 1.0}
