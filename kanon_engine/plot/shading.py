"""What colours classes have: few that tell neighbours apart, or shades for weight / k, from 1 to the fullest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kanon_engine.plot.colouring import palette
from kanon_engine.plot.style import COLOURBAR

SCALE = "Dense"  # even steps, also to colour-blind eyes, from light to dark: dark is full


@dataclass(frozen=True)
class Shading:
    """Values, and the scale that shades them.

    Attributes
    ----------
    values : (m,) float64 array
        Weight / k, its logarithm to base 2, or the number of a colour.
    bottom, top : float
        Values of the lightest and of the darkest shade; what lies above has the darkest too.
    scale : str or list of (float, str)
        The name of a scale of plotly's, or colours at places from 0 to 1.
    colourbar : dict or None
        None where the values are only numbers of colours.
    """

    values: np.ndarray
    bottom: float
    top: float
    scale: str | list[tuple[float, str]]
    colourbar: dict[str, Any] | None

    @property
    def bar(self) -> dict[str, Any]:
        """The colour bar, or that there is none, as the arguments of a trace."""
        return {"showscale": False} if self.colourbar is None else {"colorbar": self.colourbar}


def colour_shades(numbers: np.ndarray) -> Shading:
    """Colours by their numbers in the palette.

    Example
    -------
    >>> colour_shades(np.array([1, 0])).values.tolist()
    [1.0, 0.0]
    """
    colours = palette(int(numbers.max()) + 1)
    scale = [((place + side) / len(colours), colour) for place, colour in enumerate(colours) for side in (0, 1)]
    return Shading(numbers.astype(float), -0.5, len(colours) - 0.5, scale, None)


def shading_of(values: np.ndarray, top: float | None = None) -> Shading:
    """Shades from 1 to the largest value, or to a lower one where few values are far above all others.

    Example
    -------
    >>> shading_of(np.array([1.0, 1.5, 3.0])).colourbar["ticktext"]
    ['1 (k)', '1.5', '2', '2.5', '3']
    """
    highest = float(values.max())
    if top is None:
        top = max(2.0, min(highest, 2 * float(np.quantile(values, 0.98))))
    sizes = np.outer(10.0 ** np.arange(9), [0.1, 0.2, 0.25, 0.5]).ravel()
    step = float(sizes[np.argmin(np.abs(np.log((top - 1) / sizes / 4)))])  # about 4 of them
    ticks = [1.0, *np.arange(np.floor(1 / step + 1) * step, top - 0.3 * step, step).tolist(), top]
    words = ["1 (k)", *(f"{tick:,.4g}" for tick in ticks[1:-1]), f"{'≥ ' * (highest > top)}{top:,.3g}"]
    return Shading(values, 1.0, top, SCALE, _colourbar(ticks, words))


def _colourbar(ticks: list[float], words: list[str]) -> dict[str, Any]:
    title = COLOURBAR["title"] | {"text": "÷ k", "side": "top"}
    return COLOURBAR | {"title": title, "tickvals": ticks, "ticktext": words, "len": 0.9, "x": 1.0}
