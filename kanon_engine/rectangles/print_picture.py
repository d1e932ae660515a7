"""The rectangles of a release of points, shaded by how full they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.words import counted
from kanon_engine.plot.colors import GREY, INK
from kanon_engine.plot.drawing import WORDS, drawable, explain, shades, shape_axes, true_to_scale
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.release import shapes_frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_NUMBERED, MOST_RECTANGLES = 150, 5_000  # rectangles with a number, and rectangles that are drawn


def draw_rectangles(figure: Figure, points: Points, g: Generalization) -> bool:
    """Only where they were made on a grid: else their sides are coordinates of points."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    if g.options.get("snap") is None or g.classes > MOST_RECTANGLES:
        return False
    frame = shapes_frame(points, g)
    sides = frame[["xmin", "ymin", "xmax", "ymax"]].to_numpy(dtype=float)
    boxes = [Rectangle((west, south), east - west, north - south) for west, south, east, north in sides.tolist()]
    full = g.class_weights / g.k
    low, high = sides[:, :2].min(axis=0), sides[:, 2:].max(axis=0)
    edge = 0.01 * max(float((high - low).max()), 1e-12)
    shapes = PatchCollection(boxes, facecolors=shades(full), edgecolor="white", linewidth=0.8)
    axes = shape_axes(figure, shapes, low - edge, high + edge)
    true_to_scale(axes, low, high, points.geographic)
    if g.classes <= MOST_NUMBERED:
        for number, (west, south, east, north) in enumerate(sides.tolist(), 1):
            dark = full[number - 1] - 1 > 0.55 * (full.max() - 1)
            axes.text((west + east) / 2, (south + north) / 2, str(number), size=7 if g.classes < 60 else 5.5,
                      ha="center", va="center", color="white" if dark else INK)  # fmt: skip
    names = ("Longitude", "Latitude") if points.geographic else ("East", "North")
    axes.set_xlabel(f"{names[0]}, in the unit of the coordinates", size=WORDS, color=GREY)
    axes.set_ylabel(f"{names[1]}, in the unit of the coordinates", size=WORDS, color=GREY)
    title = f"{counted(g.classes, 'rectangle')} with at least {g.k:,} {drawable(points.unit, 40)} each"
    said = f"Numbers are those of the groups. Sides lie on a grid of {g.options['snap']:.10g}; no point is drawn."
    explain(figure, title, said, full, points.unit)
    return True
