"""What colour each class of areas has, and what the colours say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.plot.colouring import check_colour_by, class_colours, palette

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization
    from kanon_engine.plot.companion import Companion
    from kanon_engine.regions.instance import Regions

SCALE = "Cividis"
SHADES = 64  # of the scale of fullness


@dataclass(frozen=True, eq=False)
class Shades:
    """A colour for each class.

    Attributes
    ----------
    numbers : (classes,) uint8 or int64 array
        The class's colour: its place in the palette.
    palette : list of str
        As #rrggbb.
    ticks : tuple of (float, str)
        Where the colours are a scale: places on it from 0 to 1, and what stands there.
    """

    numbers: np.ndarray
    palette: list[str]
    ticks: tuple[tuple[float, str], ...] = ()


def class_shades(
    regions: Regions, g: Generalization, colour_by: str = "group", companion: Companion | None = None
) -> Shades:
    """The colours that tell neighbouring classes apart ("group"), or show class weight / k ("fullness")."""
    check_colour_by(colour_by)
    if colour_by == "group":
        numbers = companion.colours if companion else class_colours(regions.edges, g.assignment, g.classes)
        return Shades(numbers, palette(int(numbers.max()) + 1))
    from plotly.colors import sample_colorscale, unlabel_rgb

    values, top = fullness(g, companion)
    numbers = np.rint((values - 1) / (top - 1) * (SHADES - 1)).clip(0, SHADES - 1).astype(np.uint8)
    shades = [unlabel_rgb(shade) for shade in sample_colorscale(SCALE, SHADES)]
    colours = ["#" + "".join(f"{round(part):02x}" for part in shade) for shade in shades]
    return Shades(numbers, colours, tuple(((value - 1) / (top - 1), words) for value, words in fullness_ticks(top)))


def fullness(g: Generalization, companion: Companion | None = None) -> tuple[np.ndarray, float]:
    """Class weight / k of each class, and where its scale ends, which begins at 1."""
    values = np.asarray(g.class_weights) / g.k
    return values, max(companion.top if companion else float(values.max()), 1.01)


def fullness_ticks(top: float) -> list[tuple[float, str]]:
    """Marks on the scale of fullness."""
    return [(1.0, "1 = k"), *((float(value), f"{value:.3g}") for value in np.linspace(1, top, 5)[1:])]
