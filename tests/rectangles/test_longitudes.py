"""Longitudes from 0° to 360°, and what leaves of them."""

import json

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.rectangles.read import westward
from kanon_engine.rectangles.release import placed, shapes_frame
from tests.rectangles.test_projection import csv
from tests.sentences import THE_180TH_MERIDIAN

pytestmark = pytest.mark.kernels

OCEAN = [(170.5, -10.0), (179.0, 5.25), (181.5, -3.0), (190.25, 2.5), (200.0, -8.0), (185.0, 1.0)]
ATLANTIC = [(350.5, 40.0), (359.25, 45.0), (0.5, 51.0), (10.25, 48.0), (300.0, 44.0), (2.0, 41.5)]


def west(places):
    """The same places with longitudes from -180 to 180."""
    return [(x - 360 if x > 180 else x, y) for x, y in places]


def note_of(points):
    return [note for note in points.notes if "0° to 360°" in note]


@pytest.mark.parametrize("places", [OCEAN, ATLANTIC])
@pytest.mark.parametrize("kind", ["csv", "geojson"])
def test_both_ways_of_counting_give_the_same_points(places, kind):
    def data(places):
        if kind == "csv":
            return csv(places)
        shapes = [{"type": "Point", "coordinates": list(place)} for place in places]
        features = [{"type": "Feature", "properties": {}, "geometry": shape} for shape in shapes]
        return json.dumps({"type": "FeatureCollection", "features": features}).encode()

    turned, plain = kanon.read_points(data(places)), kanon.read_points(data(west(places)))
    assert turned.digest == plain.digest
    beyond = sum(x > 180 for x, _ in places)
    assert note_of(turned) == [
        f"Longitudes run from 0° to 360°: the {beyond} beyond 180° are west of Greenwich (190° is −170°)."
    ]
    assert not note_of(plain)
    again = {name: value for name, value in turned.reading.items() if name != "reader"}
    assert kanon.read_points(data(places), **again).digest == turned.digest


def test_points_on_both_sides_of_either_meridian_stay_together():
    ocean, atlantic = kanon.read_points(csv(OCEAN)), kanon.read_points(csv(ATLANTIC))
    assert ocean.box.tolist() == [170.5, -10, 200, 5.25]
    assert any(THE_180TH_MERIDIAN in note for note in ocean.notes)
    assert atlantic.box.tolist() == [-60, 40, 10.25, 51]


def test_shapes_that_leave_lie_on_the_globe_and_are_the_same():
    for places in (OCEAN, ATLANTIC):
        turned, plain = kanon.read_points(csv(places)), kanon.read_points(csv(west(places)))
        frames = [shapes_frame(points, kanon.generalize(points, 2, snap=0.125)) for points in (turned, plain)]
        assert frames[0].geometry.to_wkt().tolist() == frames[1].geometry.to_wkt().tolist()
        low, _, high, _ = frames[0].total_bounds
        assert -180 <= low < high <= 180


@pytest.mark.parametrize("places", [OCEAN, ATLANTIC])
def test_own_records_are_placed_however_they_count(places):
    points = kanon.read_points(csv(places))
    g = kanon.generalize(points, 2, snap=0.125)
    for records in (places, west(places)):
        made = placed(points, g, pd.DataFrame(records, columns=["lon", "lat"]), ["lon", "lat"])
        assert made.classes.tolist() == g.assignment.tolist()


def test_records_between_the_outermost_point_and_the_outer_side_are_placed():
    points = kanon.read_points(csv(OCEAN))
    g = kanon.generalize(points, 6, snap=1.0)
    east = g.details.rectangles[:, 2].max()
    assert east > points.box[2] == 200
    records = pd.DataFrame({"lon": [-160.0, 200.5 - 360, 200.5, east + 1], "lat": [0.0] * 4})
    assert placed(points, g, records, ["lon", "lat"]).classes.tolist() == [0, 0, 0, -1]


def test_a_projection_takes_them():
    turned = kanon.read_points(csv([(286.4, 45.5), (286.5, 45.6)]), project="utm")
    plain = kanon.read_points(csv([(-73.6, 45.5), (-73.5, 45.6)]), project="utm")
    assert (turned.crs, plain.crs) == ("EPSG:32618", "EPSG:32618")
    assert np.allclose(turned.xy, plain.xy, atol=1e-3)


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ([(-10, 50), (200, 50)], "lon is 200, beyond ±180"),
        ([(10, 50), (361, 50)], "lon is 361, beyond ±180"),
        ([(10, 50), (200, 95)], "lat is 95|lon is 200"),
    ],
)
def test_what_is_no_such_count_is_refused(places, words):
    with pytest.raises(kanon.InvalidInput, match=words):
        kanon.read_points(csv(places))


def test_bad_rows_do_not_hide_them():
    points = kanon.read_points(csv([(190, 5), (10, 95), (999, 5), (175, 5), ("", 3)]), drop_bad=True)
    assert points.xy.tolist() == [[190, 5], [175, 5]]
    assert len(note_of(points)) == 1


def test_plain_systems_are_left_alone():
    assert kanon.read_points(b"x,y\n190,5\n350,5\n").xy.tolist() == [[190, 5], [350, 5]]


def test_nothing_is_rounded():
    rng = np.random.default_rng(0)
    values = rng.uniform(180, 360, 10_000)
    assert np.array_equal(westward(values) + 360, values)
