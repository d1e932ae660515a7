"""The file of shapes that a page fetches once, and the colors of classes."""

from __future__ import annotations

import json
from pathlib import Path

import geopandas
import numpy as np
import pytest
import shapely

import kanon_engine as kanon
from kanon_engine.errors import InvalidInput
from kanon_engine.plot.colors import class_colors
from kanon_engine.regions.display_map import coverage_file, degrees, display_map, together
from kanon_engine.regions.plot import class_shades
from tests.regions.grids import grid
from tests.sentences import COLORS_CAN_SHOW

FLOATS = ("xy", "points", "places", "water", "borders", "counties")
SAMPLES = Path(__file__).parents[2] / "sample_data"


def opened(content: bytes) -> dict:
    """The header with the arrays under their names."""
    length = int(np.frombuffer(content, "<u4", 1)[0])
    header = json.loads(content[4 : 4 + length])
    at = 4 + length
    for name, size in header["arrays"].items():
        header[name] = np.frombuffer(content, "<f4" if name in FLOATS else "<u4", size, at)
        at += 4 * size
    assert at == len(content)
    return header


def shapes_of(file: dict) -> list:
    """The areas as shapes in longitude and latitude."""
    xy = degrees(file["xy"].reshape(-1, 2) * file["half"] + file["middle"])
    rings = [xy[start:stop] for start, stop in zip(file["rings"], file["rings"][1:], strict=False)]
    parts = [
        shapely.Polygon(rings[a], rings[a + 1 : b]) for a, b in zip(file["parts"], file["parts"][1:], strict=False)
    ]
    return [shapely.MultiPolygon(parts[a:b]) for a, b in zip(file["areas"], file["areas"][1:], strict=False)]


def test_the_file_holds_the_shapes_that_are_drawn():
    regions = kanon.read_regions(SAMPLES / "dc_zcta2010.zip")
    made, file = display_map(regions), opened(coverage_file(regions).content)
    assert file["ids"] == regions.ids[made.order].tolist()
    assert file["names"] == regions.names[made.order].tolist()
    assert file["weights"] == regions.weights[made.order].tolist()
    assert file["placed"] is True
    shapes = np.array(shapes_of(file))
    assert shapely.area(shapely.symmetric_difference(shapes, made.shapes)).max() < 1e-6
    points = degrees(file["points"].reshape(-1, 2) * file["half"] + file["middle"])
    np.testing.assert_allclose(points, made.points[made.order], atol=1e-6)
    assert np.abs(file["xy"]).max() == pytest.approx(1, abs=1e-6)
    assert coverage_file(regions) is coverage_file(regions)


def test_neighbors_share_their_corners_to_the_last_bit():
    regions = kanon.read_regions(SAMPLES / "georgia.geojson", weight="TotPop90", id="AreaKey")
    file = opened(coverage_file(regions).content)
    corners = file["xy"].reshape(-1, 2)
    distinct = len(np.unique(corners, axis=0))
    drawn = display_map(regions).shapes
    assert distinct == len(np.unique(shapely.get_coordinates(drawn), axis=0))


def test_areas_without_a_shape_keep_their_place():
    box = shapely.box
    shapes = geopandas.GeoSeries([None, box(0, 0, 1, 1), shapely.Polygon(), box(1, 0, 2, 1)], crs=4326)
    regions = kanon.Regions(list("abcd"), [1, 2, 3, 4], [(0, 1), (1, 2), (2, 3)], shapes, added_edges=[(0, 1)])
    file = opened(coverage_file(regions).content)
    sizes = dict(zip(file["ids"], np.diff(file["areas"]).tolist(), strict=True))
    assert sizes == {"a": 0, "b": 1, "c": 0, "d": 1}
    assert [file["ids"][place] for place in file["joins"]] == ["a", "b"]
    points = dict(zip(file["ids"], np.isnan(file["points"]).reshape(-1, 2)[:, 0].tolist(), strict=True))
    assert points == {"a": True, "b": False, "c": True, "d": False}
    g = kanon.generalize(regions, 3, "tree-split")
    assert kanon_map_has_areas(regions, g) == 4


def kanon_map_has_areas(regions, g) -> int:
    from kanon_engine.regions.plot import regions_map

    (body,) = [trace for trace in regions_map(regions, g).data if trace.name == "areas"]
    return len(body.geojson["features"])


def test_parts_on_both_sides_of_the_date_line_are_drawn_together():
    box = shapely.box
    shapes = np.array([box(178, 0, 179, 1), shapely.union_all([box(179, 0, 180, 1), box(-180, 0, -179, 1)])])
    assert shapely.total_bounds(together(shapes)).tolist() == [178, 0, 181, 1]
    assert shapely.area(together(shapes)).tolist() == shapely.area(shapes).tolist()
    world = np.array([box(-170, 0, -60, 1), box(-5, 0, 8, 1), box(8, 0, 179, 1)])  # Greenwich lies within one of them
    assert together(world) is world
    russia = np.array([box(20, 0, 60, 1), box(50, 0, 180, 1), box(-180, 0, -169, 1)])
    assert shapely.total_bounds(together(russia)).tolist() == [20, 0, 191, 1]
    missing = np.array([None, box(179, 0, 180, 1), shapely.Polygon(), box(-180, 0, -179, 1)])
    assert shapely.total_bounds(together(missing)).tolist() == [179, 0, 181, 1]


def test_a_classs_shade_is_its_color_or_how_full_it_is():
    regions = kanon.Regions.from_frame(grid(6, 6))
    g = kanon.generalize(regions, 30, "tree-split")
    by_group = class_shades(regions, g)
    assert by_group.numbers.tolist() == class_colors(regions.edges, g.assignment, g.classes).tolist()
    assert len(by_group.palette) == by_group.numbers.max() + 1
    assert by_group.ticks == ()
    full = class_shades(regions, g, "fullness")
    assert full.ticks[0] == (0, "1 = k")
    assert full.ticks[-1] == (1, f"{g.overfull_ratio:.3g}")
    assert len(full.palette) == 64
    largest = int(g.class_weights.argmax())
    assert full.palette[full.numbers[largest]] == full.palette[-1]
    order = np.argsort(g.class_weights)
    assert (np.diff(full.numbers[order].astype(int)) >= 0).all()
    with pytest.raises(InvalidInput, match=COLORS_CAN_SHOW):
        class_shades(regions, g, "age")


def test_areas_left_out_need_no_color():
    edges = np.array([(0, 1), (1, 2), (2, 3)])
    assert class_colors(edges, np.array([0, -1, 1, 1]), 2).tolist() == [0, 0]
