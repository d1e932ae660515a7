"""What a map of areas lies on: coasts, borders, counties, and the places that the areas' own names tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import shapely

from kanon_engine.plot.atlas import COARSE, Atlas
from kanon_engine.regions.group_names import places_of
from kanon_engine.regions.plot.display import DisplayMap

if TYPE_CHECKING:
    from kanon_engine.regions.instance import Regions

BEYOND = 0.6  # of the longer side: so much more is drawn on each side of the areas
COUNTIES = 14.0  # degrees beyond which counties are too small to be drawn
ONE_PLACE = 0.4  # degrees: areas of one name that lie nearer together are one place
MOST_PLACES = 400


@dataclass(frozen=True, eq=False)
class Ground:
    """Longitudes and latitudes.

    Attributes
    ----------
    water, borders, counties : list of (v, 2) arrays
        Closed rings; lines; lines.
    names : list of str
        The heaviest places first.
    places : (p, 2) float64 array
    over : bool
        Whether the view is so wide that the borders lie on those of the areas; else they are drawn around them alone.
    """

    water: list[np.ndarray]
    borders: list[np.ndarray]
    counties: list[np.ndarray]
    names: list[str]
    places: np.ndarray
    over: bool


def ground_of(regions: Regions, made: DisplayMap, atlas: Atlas | None) -> Ground:
    """What is known of the ground below; outlines only where the areas have a place on Earth."""
    names, places = _places(regions, made)
    west, south, east, north = made.bounds
    side = max(east - west, north - south)
    if atlas is None or not made.placed:
        return Ground([], [], [], names, places, False)
    low, high = (
        np.round([west - BEYOND * side, south - BEYOND * side], 3),
        np.round([east + BEYOND * side, north + BEYOND * side], 3),
    )
    view = (float(low[0]), float(low[1]), float(high[0]), float(high[1]))
    seen = atlas.around(*view)
    water = [shapely.get_coordinates(ring) for ring in shapely.get_rings(shapely.get_parts(seen.water))]
    counties = atlas.paths("counties", view) if side < COUNTIES else []
    return Ground(water, seen.lines, counties, names, places, side >= COARSE)


def _places(regions: Regions, made: DisplayMap) -> tuple[list[str], np.ndarray]:
    """The heaviest places that names of areas tell, each where its heaviest area lies."""
    if regions.names is None:
        return [], np.empty((0, 2))
    told, points = places_of(regions), made.points
    seeds: dict[str, list[int]] = {}  # the heaviest area of each place of a name
    sums: dict[int, int] = {}
    for area in np.argsort(-regions.weights, kind="stable").tolist():
        if np.isnan(points[area, 0]):
            continue
        known = seeds.setdefault(told[area], [])
        seed = next((one for one in known if np.abs(points[one] - points[area]).max() < ONE_PLACE), None)
        if seed is None:
            known.append(seed := area)
        sums[seed] = sums.get(seed, 0) + int(regions.weights[area])
    kept = sorted(sums, key=lambda seed: -sums[seed])[:MOST_PLACES]
    return [told[seed] for seed in kept], points[kept]
