import numpy as np
import pytest
from pyproj import Transformer

import kanon_engine as kanon
from kanon_engine.rectangles.projection import projected, recentered
from tests.sentences import THE_180TH_MERIDIAN

TAVEUNI = b"lon,lat\n178.1,-17.7\n179.9,-16.8\n-179.9,-16.7\n-178.8,-18.2\n-179.1,-17.1\n177.4,-17.8\n"


def csv(places):
    return "\n".join(["lon,lat", *(f"{x},{y}" for x, y in places)]).encode()


@pytest.mark.parametrize(
    ("longitudes", "expected"),
    [
        ([178, -179, 179], [178, 181, 179]),  # Fiji
        ([-176, 172, -130], [184, 172, 230]),  # the Aleutians and Alaska
        ([-65, -150, 145], [295, 210, 145]),  # the United States with Guam
        ([-100, 0, 100], [-100, 0, 100]),  # the gap across the meridian is the widest
        ([-120, -60, 60], [-120, -60, 60]),  # more than half the circle however it is opened
        ([-90, 90], [-90, 90]),
        ([179.5, 178], [179.5, 178]),
        ([-180, 180], [180, 180]),
    ],
)
def test_the_circle_is_opened_at_its_widest_gap(longitudes, expected):
    xy = np.column_stack([np.array(longitudes, dtype=float), np.zeros(len(longitudes))])
    before = xy.copy()
    moved, notes = recentered(xy)
    assert moved[:, 0].tolist() == expected
    assert (moved[:, 1] == 0).all()
    assert bool(notes) == (expected != longitudes)
    assert np.array_equal(xy, before)


def test_points_across_the_antimeridian_are_put_together_and_told():
    points = kanon.read_points(TAVEUNI)
    assert points.box.tolist() == [177.4, -18.2, 181.2, -16.7]
    assert any(THE_180TH_MERIDIAN in note for note in points.notes)
    again = kanon.read_points(TAVEUNI, **{name: value for name, value in points.reading.items() if name != "reader"})
    assert again.digest == points.digest


def test_points_elsewhere_are_left_alone():
    points = kanon.read_points(b"lon,lat\n10,50\n-120,40\n")
    assert points.xy.tolist() == [[10, 50], [-120, 40]]
    assert not any("meridian" in note for note in points.notes)


def test_the_poles_are_told():
    points = kanon.read_points(b"lon,lat\n10,89\n100,-90\n20,60\n")
    (note,) = [note for note in points.notes if "wedges" in note]
    assert "latitude: 2." in note
    assert "EPSG:3413" in note


def test_cuts_in_a_named_system():
    points = kanon.read_points(b"lon,lat,n\n-75.1,40.2,3\n-80,35,4\n-100.5,44.75,2\n", weight="n", project="EPSG:5070")
    assert points.crs == "EPSG:5070"
    back = Transformer.from_crs("EPSG:5070", "EPSG:4326", always_xy=True).transform(*points.xy.T)
    assert np.allclose(np.transpose(back), [[-75.1, 40.2], [-80, 35], [-100.5, 44.75]])
    assert any("NAD83 / Conus Albers (EPSG:5070), in meters" in note for note in points.notes)
    assert points.reading["project"] == "EPSG:5070"


@pytest.mark.parametrize(
    ("places", "zone"),
    [
        ([(-73.6, 45.5), (-73.5, 45.6)], "EPSG:32618"),
        ([(18.4, -33.9), (18.6, -34)], "EPSG:32734"),
        ([(179.5, -17), (-179.9, -16)], "EPSG:32760"),
        ([(-179.5, -17), (179.9, -16)], "EPSG:32701"),
    ],
)
def test_the_zone_is_found(places, zone):
    points = kanon.read_points(csv(places), project="utm")
    assert points.crs == zone
    apart = np.linalg.norm(points.xy[0] - points.xy[1])
    assert 10_000 < apart < 250_000


def test_projecting_from_another_projection():
    web = Transformer.from_crs("EPSG:4326", "EPSG:3857", always_xy=True).transform(-73.6, 45.5)
    moved, name, _ = projected(np.array([web]), "EPSG:3857", "utm")
    assert name == "EPSG:32618"
    expected = Transformer.from_crs("EPSG:4326", name, always_xy=True).transform(-73.6, 45.5)
    assert np.allclose(moved, [expected], atol=0.01)


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (b"x,y\n1,2\n3,4\n", {"project": "utm"}, "no coordinate system is stated"),
        (csv([(10, 50)]), {"project": "EPSG:4326"}, "is in degrees"),
        (csv([(10, 50)]), {"project": "EPSG:99999999"}, "is not known"),
        (csv([(-120, 50), (-70, 45)]), {"project": "utm"}, "too far for one zone"),
        (csv([(10, 86)]), {"project": "utm"}, "UTM ends at 84° north"),
        (csv([(10, -81)]), {"project": "utm"}, "UTM ends at 84° north"),
        (
            csv([(-100, 40), (80, -45)]),
            {"project": "EPSG:2163"},
            "1 of 2 points cannot be converted to US National Atlas",
        ),
        (
            csv([(-75, 40), (10, 50), (11, 50)]),
            {"project": "EPSG:5070"},
            "extends beyond the area that NAD83 / Conus Albers",
        ),
    ],
)
def test_what_cannot_be_projected_is_refused_in_a_sentence(data, options, words):
    with pytest.raises(kanon.InvalidInput, match=words):
        kanon.read_points(data, **options)


def test_points_outside_the_area_of_a_system_are_counted():
    points = kanon.read_points(csv([(-75, 40), (-40, 45), (-41, 45)]), project="EPSG:5070")
    assert any(note.endswith(": 2.") and "Points outside the area" in note for note in points.notes)
    inside = kanon.read_points(csv([(178, -17), (-179, -17)]), project="EPSG:3832")
    assert not any("Points outside the area" in note for note in inside.notes)
