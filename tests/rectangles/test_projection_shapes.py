import json

import geopandas as gpd
import numpy as np
import pytest
import shapely

import kanon_engine as kanon
from kanon_engine.rectangles.plot import rectangles_figure
from kanon_engine.rectangles.projection import lonlat_shapes, on_globe
from kanon_engine.rectangles.release import shapes_frame
from kanon_engine.release.formats import written as as_file
from tests.compiled import thorough_only
from tests.rectangles.test_projection import TAVEUNI, csv


def crowd(middle, spread, n=300, seed=1):
    rng = np.random.default_rng(seed)
    places = np.clip(rng.normal(middle, spread, (n, 2)), [-1000, -89], [1000, 89])
    places[:, 0] = (places[:, 0] + 180) % 360 - 180
    return csv(places.round(6).tolist())


def test_projected_rectangles_become_shapes_in_degrees_without_gaps():
    points = kanon.read_points(crowd((-95, 40), (9, 5)), project="EPSG:5070")
    g = kanon.generalize(points, 20, "kd-tree", snap=64.0)
    frame = shapes_frame(points, g)
    assert frame.crs == "EPSG:4326"
    assert np.array_equal(frame[["xmin", "ymin", "xmax", "ymax"]], g.details.rectangles)
    whole = shapely.union_all(frame.geometry.to_numpy())
    assert whole.geom_type == "Polygon"
    assert len(whole.interiors) == 0
    assert shapely.area(frame.geometry.to_numpy()).sum() == pytest.approx(whole.area, rel=1e-9)
    back = frame.to_crs("EPSG:5070")
    assert np.allclose(back.geometry.area, shapely.area(shapely.box(*g.details.rectangles.T)), rtol=1e-4)
    inside = gpd.GeoSeries.from_xy(*points.xy.T, crs="EPSG:5070").to_crs("EPSG:4326")
    assert frame.geometry.iloc[g.assignment].contains(inside, align=False).all()


def test_shapes_across_the_antimeridian_are_split_there():
    points = kanon.read_points(TAVEUNI)
    for k in (2, 6):
        frame = shapes_frame(points, kanon.generalize(points, k, "kd-tree"))
        west, south, east, north = frame.total_bounds
        assert (west, east) == (-180, 180)
        width = (frame["xmax"].max() - frame["xmin"].min()) * (north - south)
        assert shapely.area(frame.geometry.to_numpy()).sum() == pytest.approx(width)
    whole = frame.geometry.iloc[0]
    assert whole.geom_type == "MultiPolygon"
    assert sorted(part.bounds[0] for part in whole.geoms) == [-180, 177.4]


def test_projected_shapes_across_the_antimeridian_are_split_there():
    points = kanon.read_points(TAVEUNI, project="EPSG:3832")
    frame = shapes_frame(points, kanon.generalize(points, 6, "kd-tree", snap=1000.0))
    (whole,) = frame.geometry
    assert whole.geom_type == "MultiPolygon"
    assert whole.is_valid
    assert sum(part.area for part in whole.geoms) < 10
    longitudes = np.concatenate([part.exterior.coords.xy[0] for part in whole.geoms])
    assert np.abs(longitudes).max() == 180


def test_a_rectangle_around_the_pole_holds_the_pole():
    points = kanon.read_points(csv([(0, 80), (90, 81), (180, 82), (-90, 83)]), project="EPSG:3413")
    (whole,) = shapes_frame(points, kanon.generalize(points, 4, "kd-tree", snap=1000.0)).geometry
    assert whole.bounds[::2] == (-180, 180)
    assert whole.bounds[3] == 90
    assert whole.contains(shapely.Point(33, 89.9))
    south = lonlat_shapes(np.array([[-1e6, -1e6, 1e6, 1e6]]), "EPSG:3031")[0]
    assert south.contains(shapely.Point(33, -89.9))


def test_sides_beyond_a_pole_end_there():
    points = kanon.read_points(csv([(10, 89.9), (20, 80)]))
    g = kanon.generalize(points, 2, "kd-tree", snap=1.5)
    assert g.details.rectangles[0, 3] == 90
    g = kanon.generalize(points, 2, "kd-tree", snap=7.0)
    assert g.details.rectangles[0, 3] == 91
    assert shapes_frame(points, g).total_bounds[3] == 90


@pytest.mark.parametrize(
    ("places", "kind"), [([(10, 50)], "Point"), ([(10, 50), (10, 51)], "LineString"), ([(179, 5), (-179, 5)], "Multi")]
)
@pytest.mark.parametrize("project", [None, "EPSG:3832"])
def test_boxes_without_extent_are_lines_or_points(places, kind, project):
    points = kanon.read_points(csv(places), project=project)
    shape = shapes_frame(points, kanon.generalize(points, len(places), "kd-tree")).geometry.iloc[0]
    assert shape.geom_type.startswith(kind)
    assert shape.distance(shapely.Point(places[0])) < 1e-9


def test_what_is_on_the_globe_stays_as_it_is():
    shape = shapely.box(170, 80, 180, 90)
    assert on_globe(shape) is shape


@pytest.mark.parametrize("project", [None, "EPSG:3832"])
def test_the_map_shows_both_sides_of_the_antimeridian_side_by_side(project):
    points = kanon.read_points(crowd((180, -17), (1, 1)), project=project)
    figure = rectangles_figure(points, kanon.generalize(points, 20, "kd-tree"))
    areas = next(trace for trace in figure.data if trace.type == "choroplethmap")
    longitudes = np.concatenate([np.array(f["geometry"]["coordinates"][0])[:, 0] for f in areas.geojson["features"]])
    assert longitudes.max() - longitudes.min() < 10
    dots = next(trace for trace in figure.data if trace.type == "scattermap")
    assert longitudes.min() <= min(dots.lon) <= max(dots.lon) <= longitudes.max()


SAMPLES = {"cycle_hire.csv": ("lon", "lat", None, 20), "carshare.csv": ("centroid_lon", "centroid_lat", None, 10)}
SAMPLES["zcta_points_2010.csv"] = ("lon", "lat", "pop10", 100_000)


@pytest.mark.parametrize(
    ("file", "project"),
    [
        ("cycle_hire.csv", None),
        ("carshare.csv", "EPSG:3857"),
        ("cycle_hire.csv", "utm"),
        *thorough_only(
            [
                ("cycle_hire.csv", "EPSG:3857"),
                ("carshare.csv", None),
                ("zcta_points_2010.csv", None),
                ("zcta_points_2010.csv", "EPSG:3857"),
            ]
        ),
    ],
)
def test_a_release_carries_no_coordinate_of_a_point(tmp_path, file, project):
    """Neither the numbers of the table nor the vertices of the shapes are a point's x or y, in degrees or projected."""
    x, y, weight, k = SAMPLES[file]
    path = f"sample_data/{file}"
    points = kanon.read_points(path, x, y, weight, project=project)
    g = kanon.generalize(points, k, snap=2.0**-10 if project is None else 64.0)
    frame = shapes_frame(points, g)
    (tmp_path / "release.gpkg").write_bytes(as_file(frame, "gpkg"))
    own = [set(values.tolist()) for values in points.xy.T]
    if project is not None:
        degrees = kanon.read_points(path, x, y).xy
        own = [mine | set(values.tolist()) for mine, values in zip(own, degrees.T, strict=True)]
    stored = gpd.read_file(tmp_path / "release.gpkg")
    written = json.loads(frame.to_json())
    vertices = shapely.get_coordinates(stored.geometry)
    ring = written["features"][0]["geometry"]["coordinates"][0]
    for axis, (low, high) in enumerate((("xmin", "xmax"), ("ymin", "ymax"))):
        released = {*stored[low], *stored[high], *vertices[:, axis].tolist(), *(place[axis] for place in ring)}
        assert not released & own[axis]
