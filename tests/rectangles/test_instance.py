import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from tests.sentences import ITEM_2_IS_MISSING, ITEMS_1_AND_2_HAVE, ONE_ID_FOR_TWO_ITEMS

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([],), "no points"),
        (([(1, 2, 3)],), r"shape \(1, 3\)"),
        (([1, 2],), r"shape \(2,\)"),
        (([(1, 2), (3, float("nan"))],), "point 2 are 3.0, nan"),
        (([(1, float("inf"))],), "finite"),
        (([("a", 2)],), "pairs of numbers"),
        (([(1, 2), (3, 4)], [1]), "1 weights for 2 points"),
        (([(1, 2), (3, 4)], [1, 0]), "item 2 is 0"),
        (([(1, 2), (3, 4)], [1, -3]), "item 2 is -3"),
        (([(1, 2), (3, 4)], [1, 2.5]), "item 2 is 2.5"),
        (([(1, 2), (3, 4)], [1, None]), ITEM_2_IS_MISSING),
        (([(1, 2), (3, 4)], [1, 0], ["a", "b"]), "point b is 0"),
        (([(1, 2), (3, 4)], None, ["a", "a"]), f"{ITEMS_1_AND_2_HAVE} id a"),
        (([(1, 2), (3, 4)], None, np.array([7, 7])), f"{ITEMS_1_AND_2_HAVE} id 7"),
        (([(1, 2), (3, 4)], None, ["a"]), ONE_ID_FOR_TWO_ITEMS),
        (([(1, 2), (3, 4)], None, ["a", ""]), ITEM_2_IS_MISSING),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, words):
    with pytest.raises(kanon.InvalidInput, match=words):
        kanon.Points(*arguments)


def test_defaults():
    points = kanon.Points([(1, 2), (3, 4)])
    assert points.weights.tolist() == [1, 1]
    assert points.ids.tolist() == [0, 1]
    assert (points.total, len(points), points.unit, points.crs) == (2, 2, "records", None)
    assert points.box.tolist() == [1, 2, 3, 4]


def test_arrays_cannot_be_written_to_and_are_the_instances_own():
    xy, weights, ids = np.array([(1.0, 2.0)]), np.array([3]), np.array([4])
    points = kanon.Points(xy, weights, ids)
    xy[0, 0] = weights[0] = ids[0] = 9
    assert (points.xy.tolist(), points.weights.tolist(), points.ids.tolist()) == ([[1, 2]], [3], [4])
    for array in (points.xy, points.weights, points.ids):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_the_digest_covers_content_and_not_origin():
    one = kanon.Points([(1, 2)], [3], ["a"], "EPSG:4326", unit="people", notes=("x",), reading={"weight": "w"})
    assert one.digest == kanon.Points([(1, 2)], [3], ["a"], "EPSG:4326", unit="people").digest
    for other in (
        kanon.Points([(2, 1)], [3], ["a"], "EPSG:4326", unit="people"),
        kanon.Points([(1, 2)], [4], ["a"], "EPSG:4326", unit="people"),
        kanon.Points([(1, 2)], [3], ["b"], "EPSG:4326", unit="people"),
        kanon.Points([(1, 2)], [3], ["a"], None, unit="people"),
        kanon.Points([(1, 2)], [3], ["a"], "EPSG:4326"),
    ):
        assert other.digest != one.digest


def test_equal_coordinates_are_one_location():
    points = kanon.Points([(2, 1), (1, 5), (2, 1), (1, 4)], [1, 2, 3, 4])
    assert points.locations.tolist() == [2, 1, 2, 0]
    assert points.location_weights.tolist() == [4, 2, 4]


def test_the_box_leaves_room_for_the_last_line():
    step = np.nextafter(1.0, 2)
    assert kanon.Points([(1.0, 0), (step, 0)]).box.tolist() == [1.0, 0, np.nextafter(step, 2), 0]
    assert kanon.Points([(1.0, 0), (step, 0), (2, 0)]).box.tolist() == [1.0, 0, 2, 0]


def test_degrees_are_known_by_the_coordinate_system():
    assert kanon.Points([(1, 2)], crs="EPSG:4326").geographic
    assert not kanon.Points([(1, 2)], crs="EPSG:26918").geographic
    assert not kanon.Points([(1, 2)]).geographic


def test_the_longest_side_is_measured_on_the_ground():
    """At 60° north a degree of longitude is half as long: 1.5° by 1° is a high rectangle."""
    xy = [(0, 59.5), (0, 60.5), (1.5, 59.5), (1.5, 60.5)]
    for crs, axis in (("EPSG:4326", 1), (None, 0)):
        g = kanon.generalize(kanon.Points(xy, crs=crs), 2, "kd-tree", cut="longest-side")
        assert g.details.splits[0, 1] == axis


def test_coordinates_lie_row_after_row_however_they_were_given():
    """numba compiles a kernel once more for arrays that do not."""
    pairs = np.arange(8.0).reshape(4, 2)
    for given in (np.asfortranarray(pairs), pd.DataFrame(pairs), pairs[::2]):
        assert kanon.Points(given).xy.flags.c_contiguous
