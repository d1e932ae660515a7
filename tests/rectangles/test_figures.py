import geopandas as gpd
import numpy as np
import pytest
import shapely

import kanon_engine as kanon
from kanon_engine.plot import Companion
from kanon_engine.plot.colors import PALETTE, VERMILION
from kanon_engine.plot.maps import FEW_POINTS, marks_of, view
from kanon_engine.rectangles.plot import neighbors, rectangles_figure
from kanon_engine.rectangles.release import shapes_frame
from tests.sentences import IN_ANOTHER_GROUP


def some_points(n=200, crs="EPSG:4326"):
    rng = np.random.default_rng(4)
    return kanon.Points(rng.normal([10, 50], 2, (n, 2)), rng.integers(1, 9, n), crs=crs, unit="people")


@pytest.fixture(scope="module")
def points():
    return some_points()


@pytest.fixture(scope="module")
def g(points):
    return kanon.generalize(points, 60)


def trace(figure, kind, place=0):
    return [drawn for drawn in figure.data if drawn.type == kind][place]


def touching(one, other):
    """Whether two rectangles share more than a corner."""
    low, high = np.maximum(one[:2], other[:2]), np.minimum(one[2:], other[2:])
    return (high >= low).all() and (high > low).any()


@pytest.mark.parametrize("crs", [None, "EPSG:4326"])
@pytest.mark.parametrize(("k", "algorithm"), [(10, "kd-tree"), (60, "balanced-kd-tree"), (900, "kd-tree")])
def test_colors_tell_neighbors_apart(k, algorithm, crs):
    points = some_points(crs=crs)
    g = kanon.generalize(points, k, algorithm)
    figure = rectangles_figure(points, g)
    hover = next(drawn for drawn in figure.data if drawn.customdata is not None)
    colors = hover.z if crs else hover.marker.color
    boxes = g.details.rectangles
    expected = [(i, j) for i in range(len(boxes)) for j in range(i) if touching(boxes[i], boxes[j])]
    assert {tuple(sorted(pair, reverse=True)) for pair in neighbors(boxes).tolist()} == set(expected)
    assert all(colors[i] != colors[j] for i, j in expected)
    assert len(set(colors)) <= len(PALETTE)
    with pytest.raises(kanon.InvalidInput, match="'size'; choose one"):
        rectangles_figure(points, g, color_by="size")


def test_the_map_shows_every_rectangle_with_its_weight(points, g):
    figure = rectangles_figure(points, g, color_by="fullness")
    areas = trace(figure, "choroplethmap")
    assert np.allclose(areas.z, g.class_weights / g.k)
    assert areas.customdata.tolist() == list(range(g.classes))
    assert areas.zmin == 1
    for number, feature in enumerate(areas.geojson["features"]):
        assert feature["id"] == areas.locations[number]
        drawn = shapely.bounds(shapely.geometry.shape(feature["geometry"]))
        assert np.allclose(drawn, g.details.rectangles[number], atol=1e-5)
    first = f"<b>Group 1</b><br>{g.class_weights[0]:,} people"
    assert areas.text[0].startswith(first)
    assert figure.layout.map.style == "white-bg"


def test_the_network_is_asked_only_for_tiles(points, g):
    assert "http" not in rectangles_figure(points, g).to_json()
    assert rectangles_figure(points, g, tiles=True).layout.map.style == "open-street-map"


def test_few_points_are_drawn_many_become_density(points):
    assert len(marks_of(points.xy, points.box, False).xy) == len(points)
    crowd = some_points(20_000)
    cells = marks_of(crowd.xy, crowd.box, len(crowd) > FEW_POINTS)
    assert len(cells.xy) < 10_000
    assert cells.sizes.max() > cells.sizes.min()
    known = {tuple(p) for p in crowd.xy.tolist()}
    assert not any(tuple(p) in known for p in cells.xy.tolist())


def test_points_do_not_answer_to_the_mouse(points, g):
    plain = some_points(crs=None)
    for figure in (rectangles_figure(points, g), rectangles_figure(plain, kanon.generalize(plain, 60))):
        silent = [drawn for drawn in figure.data if drawn.hoverinfo == "skip"]
        assert len(silent) == len(figure.data) - 1


def test_the_selected_rectangle_is_outlined(points, g):
    west, _, _, north = g.details.rectangles[2]
    line = trace(rectangles_figure(points, g, selected=2), "scattermap", -1)
    assert np.nanmin(line.lon) == west
    assert np.nanmax(line.lat) == north
    assert len(trace(rectangles_figure(points, g), "scattermap", -1).lon) == 0


def test_a_background_lies_below(points, g):
    ring = shapely.box(0, 40, 20, 60).difference(shapely.box(5, 45, 6, 46))
    land = gpd.GeoDataFrame(geometry=[ring], crs="EPSG:4326")
    figure = rectangles_figure(points, g, background=land)
    assert figure.data[0].type == "scattermap"
    assert np.isnan(figure.data[0].lon).sum() == 2
    assert np.nanmax(figure.data[0].lat) == 60


def test_a_background_of_another_part_of_the_world_is_left_out(points, g):
    land = gpd.GeoDataFrame(geometry=[shapely.box(-120, 30, -80, 49)], crs="EPSG:4326")
    assert len(rectangles_figure(points, g, background=land).data) == len(rectangles_figure(points, g).data)


def test_projected_points_are_drawn_where_they_lie():
    points = kanon.Points([(500000.0, 4649776.0), (600000.0, 4649776.0), (500000.0, 4749776.0)], crs="EPSG:32618")
    figure = rectangles_figure(points, kanon.generalize(points, 1))
    shown = trace(figure, "scattermap")
    assert np.allclose([shown.lon.min(), shown.lat.min()], [-75, 42], atol=0.01)


def test_points_without_a_place_on_earth_are_drawn_in_the_plane():
    points = some_points(crs=None)
    g = kanon.generalize(points, 60)
    figure = rectangles_figure(points, g, selected=1)
    assert {drawn.type for drawn in figure.data} == {"scatter"}
    assert figure.layout.yaxis.scaleanchor == "x"
    hover = next(drawn for drawn in figure.data if drawn.customdata is not None)
    assert hover.customdata.tolist() == list(range(g.classes))
    filled = [drawn for drawn in figure.data if drawn.fill == "toself"]
    assert sum(int(np.isnan(drawn.x).sum()) for drawn in filled) == g.classes


@pytest.mark.parametrize("crs", [None, "EPSG:4326"])
@pytest.mark.parametrize("xy", [[(3, 4)], [(1, 2), (1, 5), (1, 9)], [(0, 90), (180, -90)]])
def test_boxes_without_extent_can_be_seen(xy, crs):
    points = kanon.Points(xy, crs=crs)
    figure = rectangles_figure(points, kanon.generalize(points, 1))
    assert len(figure.data) >= 3
    assert "NaN" not in figure.to_json()


def test_the_figure_depends_on_nothing_else(points, g):
    assert rectangles_figure(points, g).to_json() == rectangles_figure(points, g).to_json()


def test_the_same_shades_on_request(points, g):
    companion = Companion(np.arange(g.classes), 5.0, g.assignment == 0)
    figure = rectangles_figure(points, g, companion=companion, color_by="fullness")
    assert trace(figure, "choroplethmap").zmax == 5
    orange = [one for one in figure.data if one.type == "scattermap" and one.marker.color == VERMILION]
    assert len(orange[0].lon) == len(np.unique(points.xy[g.assignment == 0], axis=0))
    assert figure.layout.title.text == f"Orange: points {IN_ANOTHER_GROUP}"
    grouped = rectangles_figure(points, g, companion=companion)
    assert trace(grouped, "choroplethmap").z.tolist() == list(range(g.classes))


def test_the_view_shows_all():
    longitude, latitude, zoom = view(np.array([[-10.0, 40.0], [10.0, 60.0]]))
    assert longitude == 0
    assert 50 < latitude < 52
    assert 512 * 2**zoom * 20 / 360 <= 820


def test_the_released_rectangles(points, g):
    frame = shapes_frame(points, g)
    figures = ["group", "weight", "unit", "items", "overfull_ratio"]
    assert list(frame.columns) == [*figures, "xmin", "ymin", "xmax", "ymax", "geometry"]
    assert np.array_equal(frame[["xmin", "ymin", "xmax", "ymax"]], g.details.rectangles)
    assert frame["weight"].tolist() == g.class_weights.tolist()
    assert frame["items"].sum() == len(points)
    assert np.allclose(frame.bounds.to_numpy(), g.details.rectangles)
    assert frame.crs == "EPSG:4326"
    assert shapely.union_all(frame.geometry.to_numpy()).area == pytest.approx(shapely.box(*points.box).area)
