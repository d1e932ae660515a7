"""Areas as shapes of a picture: drawn small, with borders that stay common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely

from kanon_engine.lessons.drawing import element, item, path, told
from kanon_engine.plot.colouring import class_colours
from kanon_engine.regions.instance import Regions

FINE = 2.5  # units of a picture: bends that are smaller are left out


@dataclass(frozen=True, eq=False)
class Sheet:
    """Areas in a rectangle of a picture.

    Attributes
    ----------
    areas : Regions
        With geometry in degrees.
    left, top, width, height : float
        Where they are drawn; they keep their proportions and stand in the middle.
    """

    areas: Regions
    left: float
    top: float
    width: float
    height: float

    @cached_property
    def shapes(self) -> np.ndarray:
        """(n,) polygons in units of the picture, y downwards."""
        assert self.areas.geometry is not None
        degrees = np.asarray(self.areas.geometry.array)
        west, south, east, north = shapely.total_bounds(degrees)
        narrow = np.cos(np.radians((south + north) / 2))
        scale = min(self.width / ((east - west) * narrow), self.height / (north - south))
        left = self.left + (self.width - (east - west) * narrow * scale) / 2
        top = self.top + (self.height - (north - south) * scale) / 2

        def placed(xy: np.ndarray) -> np.ndarray:
            return np.column_stack([left + (xy[:, 0] - west) * narrow * scale, top + (north - xy[:, 1]) * scale])

        flat = shapely.transform(degrees, placed)
        return shapely.coverage_simplify(flat, FINE)

    def area_paths(self) -> list[str]:
        """The d of each area's path."""
        return [path(_rings(shape), closed=True) for shape in self.shapes.tolist()]

    def filled(self, colours: str, label: Callable[[int], str], name: Callable[[int], str] | None = None) -> str:
        """All areas, each in its colour, a letter an area as in `State.fills`; with a name they can be chosen."""
        drawn = []
        for place, (d, colour) in enumerate(zip(self.area_paths(), colours, strict=True)):
            shape = element("path", d=d, class_=f"c{colour}")
            drawn.append(item(name(place), label(place), shape) if name else told(label(place), shape))
        return element("g", "".join(drawn), class_="area")

    def outlines(self, assignment: np.ndarray, class_: str = "border") -> str:
        """Thick lines around the classes; areas of class -1 have none."""
        classes = [self.shapes[assignment == number] for number in range(int(assignment.max()) + 1)]
        lines = [ring for own in classes for ring in _rings(shapely.coverage_union_all(own))]
        return element("path", d=path(lines, closed=True), class_=class_)

    def middle(self, place: int) -> tuple[float, float]:
        """A point within an area."""
        point = shapely.point_on_surface(self.shapes[place])
        return float(point.x), float(point.y)


def group_colours(areas: Regions, assignment: np.ndarray) -> str:
    """The colour of each area's class, a digit an area; neighbouring classes have different ones."""
    numbers = class_colours(areas.edges, assignment, int(assignment.max()) + 1)
    return "".join(str(numbers[number]) for number in assignment.tolist())


def _rings(shape: shapely.Geometry) -> list[np.ndarray]:
    return [shapely.get_coordinates(ring) for ring in shapely.get_rings(shapely.get_parts(shape))]
