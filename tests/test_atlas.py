"""Land, water, borders and places around a view."""

from pathlib import Path

import numpy as np
import pytest
import shapely

import kanon_engine as kanon
from kanon_engine.plot.maps import COARSE, MOST_PLACES, Atlas
from kanon_engine.rectangles.plot import rectangles_figure

FILE = Path(__file__).parents[1] / "sample_data" / "atlas.npz"


@pytest.fixture(scope="module")
def atlas():
    return Atlas(FILE)


def test_london_is_known_by_its_places(atlas):
    seen = atlas.around(-0.25, 51.44, 0.01, 51.56)
    assert seen.names[0] == "London"
    assert {"Islington", "Battersea", "Greenwich", "Canary Wharf"} <= set(seen.names)
    assert seen.water.is_empty
    assert seen.sources == "Places: GeoNames"


@pytest.mark.parametrize(
    ("wet", "dry"), [((-122.3, 37.7), (-122.45, 37.75)), ((-73.8, 45.42), (-73.6, 45.53)), ((0.9, 51.5), (0.5, 51.3))]
)
def test_water_is_where_it_is(atlas, wet, dry):
    west, south = np.minimum(wet, dry) - 0.5
    east, north = np.maximum(wet, dry) + 0.5
    seen = atlas.around(west, south, east, north)
    assert seen.water.is_valid
    assert shapely.contains_xy(seen.water, *wet)
    assert not shapely.contains_xy(seen.water, *dry)
    assert seen.lines
    assert "Natural Earth" in seen.sources


def test_lakes_and_rivers_are_drawn_where_they_are_known_well_enough(atlas):
    michigan = (-87, 43.5)
    wide = atlas.around(-87 - COARSE, 40, -87 + COARSE, 47)
    near = atlas.around(-87.5, 43, -86.5, 44)
    assert shapely.contains_xy(wide.water, *michigan)
    assert not shapely.contains_xy(near.water, *michigan)


def test_lines_and_places_end_with_the_view_and_its_frame_is_no_coast(atlas):
    west, south, east, north = box = (-123.0, 37.0, -121.5, 38.5)
    seen = atlas.around(*box)
    corners = np.vstack([*seen.lines, seen.places])
    assert (corners >= (west, south)).all()
    assert (corners <= (east, north)).all()
    frame = shapely.box(*box).exterior
    assert all(shapely.LineString(line).intersection(frame).length < 1e-6 for line in seen.lines)
    assert len(seen.names) == len(seen.places) <= MOST_PLACES


def test_longitudes_run_on_beyond_the_date_line(atlas):
    seen = atlas.around(175, -22, 185, -12)
    assert {"Suva", "Nuku‘alofa"} <= set(seen.names)
    assert dict(zip(seen.names, seen.places[:, 0].tolist(), strict=True))["Nuku‘alofa"] == pytest.approx(184.8, abs=0.1)
    assert shapely.get_coordinates(seen.water)[:, 0].max() == pytest.approx(185)


def test_the_same_view_is_looked_up_once(atlas):
    assert atlas.around(5, 50, 6, 51) is atlas.around(5, 50, 6, 51)


def test_points_lie_between_the_atlas_and_its_names(atlas):
    places = np.random.default_rng(1).uniform((-122.5, 37.6), (-122.2, 37.9), (60, 2))
    points = kanon.Points(places, crs="EPSG:4326")
    g = kanon.generalize(points, 9)
    figure = rectangles_figure(points, g, background=atlas)
    modes = [getattr(drawn, "mode", None) or drawn.type for drawn in figure.data]
    assert modes == ["choroplethmap", "lines", "choroplethmap", "markers", "text", "lines"]
    assert figure.data[4].text[0] == "San Francisco"
    assert [note.text for note in figure.layout.annotations] == [
        "Outlines: Natural Earth, 1 : 10,000,000. Places: GeoNames"
    ]
    tiles = rectangles_figure(points, g, background=atlas, tiles=True)
    assert len(tiles.data) == 3
    assert not tiles.layout.annotations


def test_points_without_a_place_on_earth_have_no_atlas(atlas):
    points = kanon.Points(np.random.default_rng(1).uniform(0, 9, (60, 2)))
    figure = rectangles_figure(points, kanon.generalize(points, 9), background=atlas)
    assert not figure.layout.annotations
    assert all(drawn.mode != "text" for drawn in figure.data)
