"""The rectangles of a release of points, shaded by how full they are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.words import counted
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.release import shapes_frame
from kanon_engine.report.picture.look import DARK, GREY, LINE, SMALL, TITLE, WORDS, draw_scale, drawable, shades

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_NUMBERED, MOST = 150, 5_000  # rectangles with a number, and rectangles that are drawn


def draw_rectangles(figure: Figure, points: Points, g: Generalization) -> bool:
    """Only where they were made on a grid: else their sides are coordinates of points."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    if g.options.get("snap") is None or g.classes > MOST:
        return False
    frame = shapes_frame(points, g)
    sides = frame[["xmin", "ymin", "xmax", "ymax"]].to_numpy(dtype=float)
    figure.set_size_inches(9, 6.8)
    axes = figure.add_axes((0.09, 0.09, 0.74, 0.78))
    boxes = [Rectangle((west, south), east - west, north - south) for west, south, east, north in sides.tolist()]
    full = g.class_weights / g.k
    axes.add_collection(PatchCollection(boxes, facecolors=shades(full), edgecolor="white", linewidth=0.8))
    low, high = sides[:, :2].min(axis=0), sides[:, 2:].max(axis=0)
    edge = 0.01 * max(float((high - low).max()), 1e-12)
    axes.set_xlim(low[0] - edge, high[0] + edge)
    axes.set_ylim(low[1] - edge, high[1] + edge)
    middle = math.radians(float(low[1] + high[1]) / 2)
    axes.set_aspect(1 / max(math.cos(middle), 0.05) if points.geographic else "equal")
    if g.classes <= MOST_NUMBERED:
        for number, (west, south, east, north) in enumerate(sides.tolist(), 1):
            dark = full[number - 1] - 1 > 0.55 * (full.max() - 1)
            axes.text((west + east) / 2, (south + north) / 2, str(number), size=7 if g.classes < 60 else 5.5,
                      ha="center", va="center", color="white" if dark else DARK)  # fmt: skip
    east_west, north_south = ("Longitude", "Latitude") if points.geographic else ("East", "North")
    axes.set_xlabel(f"{east_west}, in the unit of the coordinates", size=WORDS, color=GREY)
    axes.set_ylabel(f"{north_south}, in the unit of the coordinates", size=WORDS, color=GREY)
    axes.tick_params(labelsize=SMALL, colors=GREY)
    axes.spines[:].set_color(LINE)
    axes.ticklabel_format(useOffset=False, style="plain")
    unit = drawable(points.unit, 40)
    title = f"{counted(g.classes, 'rectangle')} with at least {g.k:,} {unit} each"
    figure.text(0.09, 0.93, title, size=TITLE, weight="bold", color=DARK)
    said = f"Numbers are those of the groups. Sides lie on a grid of {g.options['snap']:.10g}; no point is drawn."
    figure.text(0.09, 0.895, said, size=WORDS, color=GREY)
    draw_scale(figure, full, points.unit)
    return True
