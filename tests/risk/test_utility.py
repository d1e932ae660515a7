"""What a release loses, of every family, worked out by hand or once more in another way."""

import math

import geopandas
import numpy as np
import pandas as pd
import pytest
import shapely

import kanon_engine as kanon
from kanon_engine.errors import InvalidInput
from kanon_engine.model.known import FAMILIES
from kanon_engine.risk.utility import utility_measures
from kanon_engine.tables.utility import utility
from tests.sentences import MADE_FROM_DIFFERENT_DATA, NOT_K_ANONYMOUS

COMMON = {"released", "groups", "average-group"}


def measured(instance, g):
    found = utility_measures(instance, g)
    assert len({one.key for one in found}) == len(found)
    assert all(one.words and one.meaning.endswith(".") and one.source for one in found)
    return {one.key: one for one in found}


def squares(crs, side, west=0.0, south=0.0):
    """Four squares in a row."""
    boxes = [shapely.box(west + side * at, south, west + side * (at + 1), south + side) for at in range(4)]
    shapes = geopandas.GeoSeries(boxes, crs=crs)
    return kanon.Regions(list("abcd"), [3, 2, 2, 4], [(0, 1), (1, 2), (2, 3)], shapes, unit="people")


def test_every_family_says_what_it_loses():
    assert [family.name for family in FAMILIES.values() if family.utility is None] == []


def test_maps_in_an_equal_area_projection():
    regions = squares("EPSG:3035", 2_000, 4_000_000, 3_000_000)
    found = measured(regions, kanon.generalize(regions, 5))
    assert found["area-median"].value == pytest.approx(8, rel=1e-3)
    assert found["area-largest"].value == pytest.approx(8, rel=1e-3)
    assert found["area-of-person"].value == pytest.approx(8, rel=1e-3)
    assert found["border-between"].value == pytest.approx(2)
    assert found["border-share"].value == pytest.approx(1 / 3)
    assert found["outline"].value == pytest.approx(20)
    assert found["compactness"].value == pytest.approx(4 * math.pi * 8 / 12**2)
    assert found["areas-in-group"].value == 2
    assert found["released"].words == "11 of 11 (100 %)"


def test_maps_in_degrees_are_measured_on_the_ellipsoid():
    from pyproj import Geod

    regions = squares("EPSG:4326", 0.5, 8, 50)
    found = measured(regions, kanon.generalize(regions, 5))
    geod = Geod(ellps="WGS84")
    one = shapely.segmentize(shapely.box(8, 50, 9, 50.5), 0.01)
    assert found["area-largest"].value == pytest.approx(abs(geod.geometry_area_perimeter(one)[0]) / 1e6, rel=1e-4)
    assert found["border-between"].value == pytest.approx(geod.inv(9, 50, 9, 50.5)[2] / 1000)
    whole = shapely.box(8, 50, 10, 50.5)
    along = shapely.segmentize(whole, 0.5)  # as the areas have vertices
    assert found["outline"].value == pytest.approx(geod.geometry_area_perimeter(along)[1] / 1000, rel=1e-6)


def test_mercator_does_not_make_northern_areas_large():
    north = squares("EPSG:4326", 0.5, 8, 60)
    mercator = kanon.Regions(north.ids, north.weights, north.edges, north.geometry.to_crs("EPSG:3857"), unit="people")
    for one, other in zip(
        utility_measures(north, kanon.generalize(north, 5)),
        utility_measures(mercator, kanon.generalize(mercator, 5)),
        strict=True,
    ):
        if one.key.startswith("area"):
            assert one.value == pytest.approx(other.value, rel=1e-6)


def test_maps_without_shapes_or_without_a_system():
    bare = kanon.Regions(list("ab"), [3, 2], [(0, 1)])
    found = measured(bare, kanon.generalize(bare, 2))
    assert found["area-median"].value is None
    assert "no shapes" in found["area-median"].words
    plain = squares(None, 2.0)
    found = measured(plain, kanon.generalize(plain, 5))
    assert found["area-median"].value is None
    assert found["outline"].value is None
    assert found["border-share"].value == pytest.approx(1 / 3)
    assert found["compactness"].value == pytest.approx(4 * math.pi * 2 / 6**2)


def test_rectangles_without_a_system():
    points = kanon.Points([(0, 0), (1, 2), (3, 1), (8, 2)], [1, 2, 3, 4])
    g = kanon.generalize(points, 3)
    found = measured(points, g)
    west, south, east, north = g.details.rectangles.T
    areas, sides = (east - west) * (north - south), np.maximum(east - west, north - south)
    assert g.classes == 3
    assert found["area-median"].value == pytest.approx(np.median(areas))
    assert found["area-largest"].value == pytest.approx(areas.max())
    assert found["area-of-person"].value == pytest.approx((areas * g.class_weights).sum() / 10)
    assert found["side-largest"].value == pytest.approx(sides.max())
    assert found["side-median"].words.endswith(" units")


@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:32632"])
def test_rectangles_on_earth(crs):
    from pyproj import Geod, Transformer

    geod = Geod(ellps="WGS84")
    corner = np.array([9.0, 48.0])
    if crs == "EPSG:4326":
        xy = corner + np.array([(0, 0), (0.1, 0.2), (0.3, 0.1), (0.8, 0.2)])
    else:
        xy = np.array(Transformer.from_crs("EPSG:4326", crs, always_xy=True).transform(*corner)) + np.array(
            [(0, 0), (10_000, 20_000), (30_000, 10_000), (60_000, 20_000)]
        )
    points = kanon.Points(xy, [1, 2, 3, 4], crs=crs)
    g = kanon.generalize(points, 3)
    found = measured(points, g)
    lonlat = geopandas.GeoSeries([shapely.segmentize(shapely.box(*sides), (sides[2] - sides[0]) / 50)
                                  for sides in g.details.rectangles.tolist()], crs=crs).to_crs("EPSG:4326")  # fmt: skip
    areas = [abs(geod.geometry_area_perimeter(shape)[0]) / 1e6 for shape in lonlat]
    assert found["area-largest"].value == pytest.approx(max(areas), rel=1e-3)
    assert found["area-median"].words.endswith(" km²")
    west, south, east, north = g.details.rectangles.T
    if crs == "EPSG:32632":
        assert found["side-largest"].value == pytest.approx(
            np.maximum(east - west, north - south).max() / 1000, rel=1e-3
        )
    else:
        longest = max(
            max(geod.inv(w, (s + n) / 2, e, (s + n) / 2)[2], geod.inv(w, s, w, n)[2]) / 1000
            for w, s, e, n in zip(west, south, east, north, strict=True)
        )
        assert found["side-largest"].value == pytest.approx(longest, rel=1e-4)


def test_labels_lose_the_entropy_within_groups():
    labels = kanon.Labels(list("abcde"), [8, 4, 2, 1, 1])
    g = kanon.generalize(labels, 4)
    found = measured(labels, g)
    within = 0.0
    for group in range(g.classes):
        own = labels.counts[g.assignment == group]
        within += own.sum() / 16 * -sum(count / own.sum() * math.log2(count / own.sum()) for count in own)
    assert found["entropy-lost"].value == pytest.approx(within)
    names = np.bincount(g.assignment)
    assert found["names-median"].value == np.median(names)
    assert found["names-of-record"].value == pytest.approx((names * g.class_weights).sum() / 16)


def test_clusters_lose_squares():
    points = np.array([(0.0, 0.0), (2.0, 0.0), (10.0, 0.0), (12.0, 1.0), (14.0, 0.0)])
    space = kanon.MetricSpace(points, counts=[1, 2, 1, 1, 3])
    g = kanon.generalize(space, 3)
    found = measured(space, g)
    rows, own = np.repeat(points, space.counts, axis=0), np.repeat(g.assignment, space.counts)
    within = sum(((rows[own == c] - rows[own == c].mean(axis=0)) ** 2).sum() for c in range(g.classes))
    assert found["squares-lost"].value == pytest.approx(within / ((rows - rows.mean(axis=0)) ** 2).sum())
    distances = np.linalg.norm(rows - g.details.centers[own], axis=1)
    assert found["distance-mean"].value == pytest.approx(distances.mean())
    assert found["radius-largest"].value == g.details.radii.max()
    assert found["radius-of-record"].value == pytest.approx(g.details.radii[own].mean())


@pytest.mark.parametrize(
    ("data", "metric", "has_means"),
    [
        ([(8.0, 50.0), (8.1, 50.0), (9.0, 51.0), (9.1, 51.0)], "haversine", True),
        (pd.DataFrame({"age": [20, 21, 40, 44], "sex": list("ffmm")}), "gower", False),
        (np.abs(np.subtract.outer([0.0, 1, 5, 6], [0.0, 1, 5, 6])), "precomputed", False),
    ],
)
def test_clusters_of_every_metric(data, metric, has_means):
    space = kanon.MetricSpace(data, metric)
    found = measured(space, kanon.generalize(space, 2))
    assert (found["squares-lost"].value is not None) == has_means
    assert 0 < found["distance-mean"].value <= found["radius-largest"].value
    assert found["distance-mean"].words.endswith(" km on average") == (metric == "haversine")
    if has_means:
        assert 0 < found["squares-lost"].value < 0.01


def test_who_is_left_out_is_not_in_the_squares():
    space = kanon.MetricSpace([(0.0, 0.0), (1.0, 0.0), (100.0, 0.0)])
    g = kanon.generalize(space, 2, "gather-outliers", epsilon=0.5)
    assert (g.assignment < 0).sum() == 1
    found = measured(space, g)
    assert found["released"].value == pytest.approx(2 / 3)
    assert found["squares-lost"].value == 1  # all that are released are in one cluster


def test_tables_are_measured_as_their_utility_is():
    chance = np.random.default_rng(3)
    frame = pd.DataFrame({"age": chance.integers(20, 70, 90), "sex": chance.choice(list("fm"), 90)})
    frame["class"] = np.where(frame["age"] > 45, "high", "low")
    table = kanon.Table(frame, ["age", "sex"], class_label="class")
    g = kanon.generalize(table, 5, "k-optimize")
    found, known = measured(table, g), utility(table, g)
    assert found["query-median"].value == known.queries.median
    assert found["query-ninth"].value == known.queries.ninth
    assert found["difference-age"].value == known.columns["difference"][0]
    assert found["classifier"].value == known.accuracy.after
    means = known.numbers.set_index(["column", "figure"]).loc[("age", "mean")]
    assert found["mean-age"].value == means["after"] - means["before"]
    pairs = known.pairs.iloc[0]
    assert found["association"].value == pairs["after"] - pairs["before"]
    alone = kanon.Table(frame, ["sex"])
    found = measured(alone, kanon.generalize(alone, 5, "k-optimize"))
    assert found["classifier"].value is None
    assert "association" not in found


def test_a_result_of_other_data_is_refused():
    one, other = kanon.Labels(list("ab"), [5, 5]), kanon.Labels(list("ab"), [5, 6])
    with pytest.raises(InvalidInput, match=MADE_FROM_DIFFERENT_DATA):
        utility_measures(other, kanon.generalize(one, 5))
    relaxed = kanon.Labels(list("abc"), [3, 3, 3])
    with pytest.raises(InvalidInput, match=NOT_K_ANONYMOUS):
        utility_measures(relaxed, kanon.generalize(relaxed, 4, "relaxed-scheme"))


def test_a_family_that_says_nothing_has_the_figures_of_all(monkeypatch):
    labels = kanon.Labels(list("ab"), [5, 5])
    g = kanon.generalize(labels, 5)
    from dataclasses import replace

    monkeypatch.setitem(FAMILIES, "labels", replace(FAMILIES["labels"], utility=None))
    assert set(measured(labels, g)) == COMMON
