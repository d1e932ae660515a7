"""A map of areas as one small binary file, which a page fetches once; a result is then one number an area."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
import shapely

from kanon_engine.regions.plot.display import display_map, to_mercator
from kanon_engine.regions.plot.ground import ground_of

if TYPE_CHECKING:
    from kanon_engine.plot.atlas import Atlas
    from kanon_engine.regions.instance import Regions

_KEPT: WeakKeyDictionary[Regions, dict[Atlas | None, CoverageFile]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class CoverageFile:
    """The shapes and names of the areas of an instance, in the order of drawing.

    Attributes
    ----------
    digest : str
        Of the content.
    content : bytes
        Little endian: the length of the header (uint32); the header, JSON padded to whole words; the arrays that it
        names, one after another.

        - `xy` float32, corners, ring after ring, each ring closed: Web Mercator from the middle of the map, in units of
          half its larger side, y to the north
        - `rings`, `parts`, `areas` uint32: where each ring, each part (its outer ring, then its holes) and each area
          begins, and where the last ends
        - `points` float32, a point inside each area; NaN where an area has no shape
        - `joins` uint32, pairs of areas: the joined ones without a common border
        - `water`, `borders`, `counties` float32, corners of what the areas lie on, and `water_starts` and the like,
          uint32, where each ring or line begins, and where the last ends
        - `places` float32, points of the places in the header

        The header also holds `ids`, `names` or null, and `weights` of the areas, `places_names`, the heaviest first,
        `middle` and `half`, the radians of the map's middle and of half its larger side, `placed`, whether the shapes
        have a place on Earth, and `over`, whether borders are drawn over the areas too.
    """

    digest: str
    content: bytes


def coverage_file(regions: Regions, atlas: Atlas | None = None) -> CoverageFile:
    """The file of an instance with shapes; made once for each instance and atlas."""
    kept = _KEPT.setdefault(regions, {})
    if atlas not in kept:
        content = _content(regions, atlas)
        kept[atlas] = CoverageFile(hashlib.sha256(content).hexdigest(), content)
    return kept[atlas]


def _content(regions: Regions, atlas: Atlas | None) -> bytes:
    made = display_map(regions)
    ground = ground_of(regions, made, atlas)
    low, high = to_mercator(np.array(made.bounds).reshape(2, 2))
    middle, half = (low + high) / 2, max(float((high - low).max()) / 2, 1e-12)
    parts, part_area = shapely.get_parts(made.shapes, return_index=True)
    polygon = (shapely.get_type_id(parts) == shapely.GeometryType.POLYGON) & ~shapely.is_empty(parts)
    parts, part_area = parts[polygon], part_area[polygon]
    rings, ring_part = shapely.get_rings(parts, return_index=True)
    corners, corner_ring = shapely.get_coordinates(rings, return_index=True)
    arrays = {
        "xy": ((to_mercator(corners) - middle) / half).astype("<f4"),
        "rings": _starts(corner_ring, len(rings)),
        "parts": _starts(ring_part, len(parts)),
        "areas": _starts(part_area, len(regions)),
        "points": ((to_mercator(made.points[made.order]) - middle) / half).astype("<f4"),
        "joins": made.place[regions.added_edges].astype("<u4"),
        "places": ((to_mercator(ground.places) - middle) / half).astype("<f4"),
    }
    for name in ("water", "borders", "counties"):
        lines: list[np.ndarray] = getattr(ground, name)
        corners = np.vstack([np.empty((0, 2)), *lines])
        arrays[name] = ((to_mercator(corners) - middle) / half).astype("<f4")
        arrays[f"{name}_starts"] = np.cumsum([0, *map(len, lines)]).astype("<u4")
    header = {
        "arrays": {name: array.size for name, array in arrays.items()},
        "middle": middle.tolist(),
        "half": half,
        "placed": made.placed,
        "places_names": ground.names,
        "over": ground.over,
        "ids": [str(name) for name in regions.ids[made.order]],
        "names": None if regions.names is None else regions.names[made.order].tolist(),
        "weights": regions.weights[made.order].tolist(),
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    return b"".join([np.uint32(len(text)).tobytes(), text, *(array.tobytes() for array in arrays.values())])


def _starts(owner: np.ndarray, count: int) -> np.ndarray:
    """Where the items of each owner begin, and where the last end."""
    return np.searchsorted(owner, np.arange(count + 1)).astype("<u4")
