"""Small maps for tests."""

from __future__ import annotations

import geopandas
import numpy as np
import shapely

WEST, SOUTH, SIDE = -83.0, 40.0, 0.1


def grid(rows: int = 3, columns: int = 4, crs: int | None = 4326) -> geopandas.GeoDataFrame:
    """Squares numbered row by row, with zip codes that begin with a zero and populations 10, 20, …"""
    corners = [(WEST + SIDE * column, SOUTH + SIDE * row) for row in range(rows) for column in range(columns)]
    # both neighbors compute a corner in the same way, so that equal corners are equal numbers
    shapes = [
        shapely.box(*(round(value, 6) for value in (west, south, west + SIDE, south + SIDE))) for west, south in corners
    ]
    count = rows * columns
    content = {
        "zip": [f"{6001 + place:05d}" for place in range(count)],
        "population": 10 * np.arange(1, count + 1),
        "town": [f"Town {place + 1}" for place in range(count)],
    }
    return geopandas.GeoDataFrame(content, geometry=shapes, crs=crs)


def grid_edges(rows: int, columns: int) -> list[tuple[int, int]]:
    """Rook neighbors in such a grid, by position."""
    place = np.arange(rows * columns).reshape(rows, columns)
    beside = np.column_stack([place[:, :-1].ravel(), place[:, 1:].ravel()])
    above = np.column_stack([place[:-1].ravel(), place[1:].ravel()])
    return sorted((int(a), int(b)) for a, b in np.vstack([beside, above]))
