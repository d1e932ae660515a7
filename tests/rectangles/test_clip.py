import geopandas as gpd
import numpy as np
import pytest
import shapely

import kanon_engine as kanon
from kanon_engine.rectangles.plot import beside, clipped, rectangles_figure
from kanon_engine.rectangles.projection import on_globe
from kanon_engine.rectangles.read import study_area
from kanon_engine.rectangles.release import shapes_frame
from tests.sentences import HOLDS_NO_AREAS


def geojson(*shapes, crs="EPSG:4326"):
    return gpd.GeoDataFrame(geometry=list(shapes), crs=crs).to_json().encode()


def some_points(crs="EPSG:4326", middle=(10, 50), project=None):
    xy = np.random.default_rng(4).normal(middle, 1, (200, 2))
    return kanon.Points(xy, crs=crs)


DISC = shapely.Point(10, 50).buffer(1.5, quad_segs=8).difference(shapely.Point(10.1, 50).buffer(0.3))


def test_areas_become_one():
    area = study_area(geojson(shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1), shapely.Point(5, 5)))
    assert area.equals(shapely.box(0, 0, 2, 1))


def test_areas_in_meters_are_turned_into_degrees():
    projected = gpd.GeoSeries([DISC], crs="EPSG:4326").to_crs("EPSG:3035")
    content = gpd.GeoDataFrame(geometry=projected).to_json(to_wgs84=False).encode()
    assert study_area(content).symmetric_difference(DISC).area < 0.01


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (geojson(shapely.Point(1, 2)), HOLDS_NO_AREAS),
        (b"a,b\n1,2\n", "load"),
        (geojson(shapely.box(0, 0, 5e5, 5e5), crs=None), "not in degrees"),
    ],
)
def test_what_is_no_study_area_is_refused_in_a_sentence(content, words):
    with pytest.raises(kanon.InvalidInput, match=words):
        study_area(content, "area.geojson")
    if words == "not in degrees":
        assert study_area(content, on_map=False).area == 25e10


def drawn_shapes(figure):
    areas = next(trace for trace in figure.data if trace.type == "choroplethmap")
    return {feature["id"]: shapely.geometry.shape(feature["geometry"]) for feature in areas.geojson["features"]}


def test_drawn_rectangles_end_at_the_area_and_stay_whole_in_the_release():
    points = some_points()
    g = kanon.generalize(points, 10, "kd-tree")
    figure = rectangles_figure(points, g, area=DISC)
    assert figure.layout.title.text.endswith("clipped to the study area")
    shapes = drawn_shapes(figure)
    boxes = shapely.box(*g.details.rectangles.T)
    outside = [number for number in range(g.classes) if not boxes[number].intersects(DISC)]
    assert set(shapes) == set(range(g.classes)) - set(outside)
    for number, shape in shapes.items():
        assert shape.symmetric_difference(boxes[number].intersection(DISC)).area < 1e-3
    frame = shapes_frame(points, g, area=DISC)
    assert np.array_equal(frame[["xmin", "ymin", "xmax", "ymax"]], g.details.rectangles)
    assert frame["weight"].tolist() == g.class_weights.tolist()
    assert shapely.union_all(frame.geometry.to_numpy()).symmetric_difference(
        shapely.box(*points.box).intersection(DISC)
    ).area == pytest.approx(0, abs=1e-9)


def test_in_the_plane_too():
    points = some_points(crs=None)
    g = kanon.generalize(points, 10, "kd-tree")
    figure = rectangles_figure(points, g, area=DISC)
    filled = [trace for trace in figure.data if trace.fill == "toself" and len(trace.x)]
    assert max(np.nanmax(trace.x) for trace in filled) <= 11.5
    assert min(np.nanmin(trace.y) for trace in filled) >= 48.5
    assert len(next(trace for trace in figure.data if trace.customdata is not None).x) == g.classes
    far = rectangles_figure(points, g, area=shapely.box(90, 90, 91, 91))
    assert not [trace for trace in far.data if trace.fill == "toself" and len(trace.x)]


def test_areas_on_both_sides_of_the_antimeridian_meet_points_that_run_on():
    points = kanon.Points(np.random.default_rng(1).uniform([178, -18], [182, -16], (60, 2)), crs="EPSG:4326")
    g = kanon.generalize(points, 10, "kd-tree")
    fiji = shapely.union_all([shapely.box(178.5, -17.5, 180, -16.5), shapely.box(-180, -17.5, -178.5, -16.5)])
    shown = shapely.union_all(list(drawn_shapes(rectangles_figure(points, g, area=fiji)).values()))
    assert np.allclose(shown.bounds, (178.5, -17.5, 181.5, -16.5), atol=1e-4)
    released = shapely.union_all(shapes_frame(points, g, area=fiji).geometry.to_numpy())
    assert released.area == pytest.approx(3)
    assert beside(fiji, 178, 182).area == pytest.approx(3)
    assert on_globe(beside(fiji, 178, 182)).bounds[::2] == (-180, 180)


def test_exports_of_projected_points_end_at_the_area():
    places = "\n".join(["lon,lat", *(f"{x:.5f},{y:.5f}" for x, y in some_points().xy)]).encode()
    for points in (kanon.read_points(places, project="utm"), kanon.Points(*_native(places))):
        frame = shapes_frame(points, kanon.generalize(points, 10, "kd-tree"), area=DISC).to_crs("EPSG:4326")
        west, _, east, north = frame.total_bounds
        assert np.allclose([west, east, north], [8.5, 11.5, 51.5], atol=0.01)


def _native(places):
    points = kanon.read_points(places, project="EPSG:3035")
    return points.xy, None, None, points.crs


def test_rings_inside_stay_as_they_are():
    ring = np.array([[9.0, 49.0], [9.2, 49.0], [9.2, 49.2], [9.0, 49.2], [9.0, 49.0]])
    ((kept,),) = clipped([ring], DISC)
    assert kept[0] is ring
    assert clipped([ring + 50], DISC) == [[]]
