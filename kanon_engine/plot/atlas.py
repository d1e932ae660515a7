"""Coasts, borders, lakes, rivers and places of the world to orient by, from one file; drawn without a network."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import shapely
from shapely.affinity import translate

STEP = 1e-3  # degrees: a unit of the file
FINE = 1_500  # of the longer side of what is seen: bends that are smaller are left out
COARSE = 6.0  # degrees that must be seen before lakes and rivers, which are known less well, are drawn
MOST_PLACES = 250
KEPT = 16  # views: another k asks for the same
OUTLINES = "Outlines: Natural Earth, 1 : 10,000,000"
PLACES = "Places: GeoNames"
LIMIT = 85.05  # a web map ends there


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What of the atlas lies within a view.

    Attributes
    ----------
    water : Polygon or MultiPolygon
        Sea, and lakes where they are known well enough.
    lines : list of (v, 2) arrays
        Longitudes and latitudes along coasts, borders and rivers.
    names : list of str
        Places, the largest first.
    places : (p, 2) float64 array
        Their longitudes and latitudes.
    """

    water: shapely.Geometry
    lines: list[np.ndarray]
    names: list[str]
    places: np.ndarray

    @property
    def sources(self) -> str:
        """Whose what is seen is; empty where nothing is."""
        return ". ".join([OUTLINES] * bool(self.lines) + [PLACES] * bool(self.names))


class Atlas:
    """The file that sample_data/make/atlas.py writes.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        with np.load(path) as file:
            self._arrays = dict(file)
        self._layers: dict[str, shapely.STRtree] = {}
        self._looked = lru_cache(maxsize=KEPT)(self._look)

    def around(self, west: float, south: float, east: float, north: float) -> Surroundings:
        """What lies within some longitudes, which may run on beyond 180°, and latitudes."""
        return self._looked(west, south, east, north)

    def _look(self, west: float, south: float, east: float, north: float) -> Surroundings:
        south, north = max(south, -LIMIT), min(north, LIMIT)
        side = max(east - west, north - south)
        wide = side >= COARSE
        water, lines, names, places = [], [], [], []
        for turn in (-360, 0, 360):
            box = (max(west - turn, -180.0), south, min(east - turn, 180.0), north)
            if box[0] >= box[2] or box[1] >= box[3]:
                continue
            ground = self._within("land", box, side / FINE)
            inland = self._within("seas", box, side / FINE) + (self._within("lakes", box, side / FINE) if wide else [])
            sea = shapely.disjoint_subset_union_all(
                [shapely.box(*box).difference(shapely.disjoint_subset_union_all(ground)), *inland]
            )
            borders = self._clipped("countries", box) + self._clipped("states", box)
            borders += self._clipped("rivers", box) if wide else []
            edges = [shapely.boundary(shape) for shape in [*ground, *inland]]
            frame = shapely.box(*box).exterior
            edges = [shapely.difference(edge, frame) for edge in edges]  # where the view cuts land off is no coast
            borders += [shapely.simplify(line, side / FINE) for line in edges]
            water.append(translate(sea, turn))
            for line in shapely.get_parts(shapely.simplify(borders, side / FINE)):
                if line.geom_type == "LineString" and not line.is_empty:
                    lines.append(shapely.get_coordinates(line) + [turn, 0])
            xy, texts = self._places
            inside = (xy >= box[:2]).all(axis=1) & (xy <= box[2:]).all(axis=1)
            seen = np.flatnonzero(inside)[:MOST_PLACES]
            names += [texts[place] for place in seen.tolist()]
            places.append(xy[seen] + [turn, 0])
        return Surroundings(shapely.union_all(water), lines, names, np.vstack([np.empty((0, 2)), *places]))

    def paths(self, layer: str, view: tuple[float, float, float, float]) -> list[np.ndarray]:
        """The lines of a layer of lines within a view, between 180° west and east, as corners."""
        side = max(view[2] - view[0], view[3] - view[1])
        lines = shapely.simplify(self._clipped(layer, view), side / FINE)
        return [shapely.get_coordinates(line) for line in lines]

    def _clipped(self, layer: str, box: tuple[float, float, float, float]) -> list[shapely.Geometry]:
        tree = self._tree(layer)
        found = shapely.clip_by_rect(tree.geometries[np.sort(tree.query(shapely.box(*box)))], *box)
        return [line for line in shapely.get_parts(found) if line.geom_type == "LineString" and not line.is_empty]

    def _within(self, layer: str, box: tuple[float, float, float, float], tolerance: float) -> list[shapely.Geometry]:
        """The polygons that the rings of a layer enclose, cut off at a box."""
        tree = self._tree(layer)
        rings = tree.geometries[np.sort(tree.query(shapely.box(*box)))]
        bounds = shapely.bounds(rings)
        rings = rings[(bounds[:, 2:] - bounds[:, :2]).max(axis=1, initial=0) > 2 * tolerance]
        shapes = shapely.simplify(shapely.polygons(rings), tolerance, preserve_topology=False)
        shapes = shapely.clip_by_rect(_valid(shapes), *box)
        parts = shapely.get_parts(shapely.get_parts(_valid(shapes)))
        return [part for part in parts if part.geom_type == "Polygon" and not part.is_empty]

    def _tree(self, layer: str) -> shapely.STRtree:
        if layer not in self._layers:
            first, count, steps = (self._arrays[f"{layer}_{name}"] for name in ("first", "count", "steps"))
            owner = np.repeat(np.arange(len(count)), count)
            begins = np.cumsum(count) - count
            xy = np.zeros((len(owner), 2), dtype=np.int64)
            xy[np.setdiff1d(np.arange(len(owner)), begins, assume_unique=True)] = steps.T
            xy[begins] = first
            sums = np.cumsum(xy, axis=0)
            xy = sums - np.repeat(sums[begins] - first, count, axis=0)
            closed = layer in ("land", "seas", "lakes")
            make = shapely.linearrings if closed else shapely.linestrings
            self._layers[layer] = shapely.STRtree(make(xy * STEP, indices=owner))
        return self._layers[layer]

    @cached_property
    def _places(self) -> tuple[np.ndarray, list[str]]:
        names = bytes(self._arrays["place_names"]).decode().split("\n")
        return self._arrays["place_xy"].T * STEP, names


def _valid(shapes: np.ndarray) -> np.ndarray:
    """Most are: to look costs less than to mend."""
    wrong = ~shapely.is_valid(shapes)
    shapes[wrong] = shapely.make_valid(shapes[wrong])
    return shapes
