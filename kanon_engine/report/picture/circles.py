"""Clusters as circles around the centers that leave; as bars where distances are true in no plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.release import circles_frame
from kanon_engine.clusters.released import shown_centers
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.words import counted
from kanon_engine.report.picture.bars import draw_bars
from kanon_engine.report.picture.look import DARK, GREY, LINE, SMALL, TITLE, WORDS, draw_scale, drawable, shades

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 5_000  # circles that are drawn


def draw_circles(figure: Figure, space: MetricSpace, g: Generalization) -> bool:
    """Outlines of clusters, shaded by how full they are; no record."""
    from matplotlib.collections import PolyCollection

    if g.classes > MOST or not _drawn(space):
        return draw_bars(figure, space, g)
    rings, owners = _rings(space, g)
    full = g.class_weights / g.k
    figure.set_size_inches(9, 6.8)
    axes = figure.add_axes((0.09, 0.09, 0.74, 0.78))
    axes.add_collection(
        PolyCollection(rings, facecolors=shades(full)[owners], edgecolor=DARK, linewidth=0.6, alpha=0.75)
    )
    corners = np.vstack(rings)
    low, high = corners.min(axis=0), corners.max(axis=0)
    edge = 0.02 * np.maximum(high - low, 1e-12)
    axes.set_xlim(low[0] - edge[0], high[0] + edge[0])
    axes.set_ylim(low[1] - edge[1], high[1] + edge[1])
    globe = space.metric == "haversine"
    if globe or (space.units == space.units[0]).all():
        middle = np.radians((low[1] + high[1]) / 2)
        axes.set_aspect(1 / max(float(np.cos(middle)), 0.05) if globe else "equal")
    names = ("Longitude", "Latitude") if globe else [drawable(name, 40) for name in space.names]
    axes.set_xlabel(names[0], size=WORDS, color=GREY)
    axes.set_ylabel(names[1], size=WORDS, color=GREY)
    axes.tick_params(labelsize=SMALL, colors=GREY)
    axes.spines[:].set_color(LINE)
    axes.ticklabel_format(useOffset=False, style="plain")
    unit = drawable(space.unit, 40)
    title = f"{counted(g.classes, 'cluster')} with at least {g.k:,} {unit} each"
    figure.text(0.09, 0.93, title, size=TITLE, weight="bold", color=DARK)
    said = "Circles reach to the farthest record from the center that leaves; no record is drawn."
    figure.text(0.09, 0.895, said, size=WORDS, color=GREY)
    draw_scale(figure, full, space.unit)
    return True


def _drawn(space: MetricSpace) -> bool:
    return space.metric == "haversine" or (space.metric == "euclidean" and len(space.names) == 2)


def _rings(space: MetricSpace, g: Generalization) -> tuple[list[np.ndarray], np.ndarray]:
    """The outlines of the circles as the release has them, and the cluster of each."""
    if space.metric == "haversine":
        parts, owners = shapely.get_parts(circles_frame(space, g).geometry.to_numpy(), return_index=True)
        return [shapely.get_coordinates(shapely.get_exterior_ring(part)) for part in parts], owners
    shown = shown_centers(space, g)
    turn = np.linspace(0, 2 * np.pi, 61)
    unit = np.column_stack([np.cos(turn), np.sin(turn)])
    rings = [
        (center + radius * unit) * space.units
        for center, radius in zip(shown.centers, shown.radii.tolist(), strict=True)
    ]
    return rings, np.arange(g.classes)
