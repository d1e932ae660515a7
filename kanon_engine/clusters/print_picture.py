"""Clusters as circles around the centers that leave; as bars where distances are true in no plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.release import circles_frame, shown_centers
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.words import counted
from kanon_engine.plot.colors import GREY, INK
from kanon_engine.plot.drawing import WORDS, draw_bars, drawable, explain, shades, shape_axes, true_to_scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_CIRCLES = 5_000  # circles that are drawn


def draw_circles(figure: Figure, space: MetricSpace, g: Generalization) -> bool:
    """Outlines of clusters, shaded by how full they are; no record."""
    from matplotlib.collections import PolyCollection

    in_plane = space.metric == "haversine" or (space.metric == "euclidean" and len(space.names) == 2)
    if g.classes > MOST_CIRCLES or not in_plane:
        return draw_bars(figure, space, g)
    rings, owners = _rings(space, g)
    full = g.class_weights / g.k
    corners = np.vstack(rings)
    low, high = corners.min(axis=0), corners.max(axis=0)
    globe = space.metric == "haversine"
    shapes = PolyCollection(rings, facecolors=shades(full)[owners], edgecolor=INK, linewidth=0.6, alpha=0.75)
    edge = 0.02 * np.maximum(high - low, 1e-12)
    axes = shape_axes(figure, shapes, low - edge, high + edge)
    if globe or (space.units == space.units[0]).all():
        true_to_scale(axes, low, high, globe)
    names = ("Longitude", "Latitude") if globe else [drawable(name, 40) for name in space.names]
    axes.set_xlabel(names[0], size=WORDS, color=GREY)
    axes.set_ylabel(names[1], size=WORDS, color=GREY)
    title = f"{counted(g.classes, 'cluster')} with at least {g.k:,} {drawable(space.unit, 40)} each"
    said = "Circles reach to the farthest record from the center that leaves; no record is drawn."
    explain(figure, title, said, full, space.unit)
    return True


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
