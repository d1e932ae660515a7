"""The map of groups of areas, as the package for print has it, with shapes no finer than paper shows."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

import numpy as np
import shapely

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.words import counted
from kanon_engine.plot.colors import class_colours
from kanon_engine.plot.drawing import drawable
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.package import Publication, named_groups
from kanon_engine.regions.print_map import PAGE, PaperPlane, PrintMap, fill, on_plane
from kanon_engine.regions.release import coarse_shapes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FINEST = 1_200  # parts of the width of a map that can be told apart on paper
UNDATED = datetime.date(1980, 1, 1)  # it stands nowhere on the map


def draw_areas(figure: Figure, regions: Regions, g: Generalization, codes_are_public: bool = False) -> bool:
    """Groups in colours that tell neighbours apart, with numbers, a list, a scale and north."""
    if regions.geometry is None:
        return False
    plane = on_plane(regions, g, None if codes_are_public else coarse_shapes(regions, g))
    names = named_groups(regions, g, Publication(UNDATED, codes_are_public))
    largest, unit = int(g.class_weights.max()), drawable(regions.unit, 40)
    figure.set_size_inches(*PAGE)
    fill(
        figure,
        PrintMap(
            title=f"{counted(g.classes, 'group')} of at least {g.k:,} {unit}",
            statement=f"The largest holds {largest:,} {unit}.",
            notes=(),
            names=[drawable(name, 60) for name in names],
            sizes=[f"{weight:,}" for weight in g.class_weights.tolist()],
            colours=class_colours(regions.edges, g.assignment, g.classes),
            plane=PaperPlane(_coarser(plane.groups), np.empty((0, 2, 2)), plane.metres),
            date=UNDATED,
        ),
    )
    return True


def _coarser(shapes: np.ndarray) -> np.ndarray:
    """The same shapes without corners that nobody sees; a group that would vanish stays as it is."""
    west, south, east, north = shapely.total_bounds(shapes)
    step = max(east - west, north - south) / FINEST
    if not shapely.coverage_is_valid(shapes):
        return shapes
    made = shapely.coverage_simplify(shapes, step)
    return np.where(shapely.is_empty(made), shapes, made)
