"""us_states.geojson: outlines of the states, simplified, as a background for maps without tiles.

Usage: python us_states.py USZIPCODE US_ATLAS    (the unpacked uszipcode 0.1.3 and the unpacked us-atlas 3.0.1)
"""

from __future__ import annotations

import sys
from pathlib import Path

import shapely
from common import write_polygons
from zcta import as_points, misplaced, read_states, read_zctas

TOLERANCE = 0.03  # degrees
SMALLEST_ISLAND = 0.002  # square degrees, about 20 km2


def trimmed(geometry: shapely.Geometry) -> shapely.Geometry:
    """Without islets and without parts east of Greenwich (islands beyond the 180th meridian); the largest stays."""
    parts = sorted(shapely.get_parts(geometry), key=lambda part: part.area, reverse=True)
    kept = parts[:1] + [part for part in parts[1:] if part.area >= SMALLEST_ISLAND]
    return shapely.multipolygons([part for part in kept if part.bounds[0] < 0])


def main(uszipcode: Path, us_atlas: Path) -> None:
    states = read_states(us_atlas)
    zctas = read_zctas(uszipcode)
    points = as_points(zctas[~misplaced(zctas)])
    inside = points.sjoin(states[["name", "geometry"]], predicate="within")
    # The atlas has no postal codes: an outline gets the one that most ZCTAs inside it carry.
    postal = inside.groupby("name").state.agg(lambda codes: codes.mode().iloc[0])

    states["postal"] = states.name.map(postal)
    print("left out, because the table of ZCTAs has none there:", states.name[states.postal.isna()].tolist())
    states = states.dropna(subset="postal").sort_values("name")[["postal", "name", "geometry"]]
    if states.postal.duplicated().any():
        raise ValueError("two outlines got the same postal code")
    # Oregon's outline runs out and back along one line at its corner with California and Nevada.
    valid = shapely.make_valid(states.geometry.to_numpy(), method="structure", keep_collapsed=False)
    # Simplified together, so that neighbors keep their common border.
    simple = shapely.coverage_simplify(valid, TOLERANCE)
    states = states.set_geometry([trimmed(geometry) for geometry in simple], crs=4326)
    path = write_polygons(states, "us_states.geojson", decimals=3)
    print(f"written: {len(states)} outlines, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
