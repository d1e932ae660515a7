from dataclasses import replace

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.rectangles.instance import RectangleDetails
from tests.corruption import corrupted, failed, sealed


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(3)
    return kanon.Points(rng.integers(0, 12, (90, 2)), rng.integers(1, 20, 90))


@pytest.fixture(scope="module")
def good(points):
    return kanon.generalize(points, 60)


def resealed(g, **fields):
    return replace(g, **fields).sealed()


def with_rectangle(g, number, **sides):
    rectangles = g.details.rectangles.copy()
    for side, value in sides.items():
        rectangles[number, ("west", "south", "east", "north").index(side)] = value
    return resealed(g, details=replace(g.details, rectangles=rectangles))


def test_every_spoilt_field_is_caught(points, good):
    for name, spoilt in corrupted(good):
        assert failed(points, spoilt), name


def test_every_spoilt_detail_is_caught_even_when_sealed_again(points, good):
    free = {"seed", "seconds", "digest", "reading", "options"}  # no witness: covered by the digest alone
    for name, spoilt in corrupted(good):
        if name not in free:
            assert failed(points, sealed(spoilt)), name


def test_spoilt_claims_name_their_check(points, good):
    moved = good.assignment.copy()
    moved[0] = (moved[0] + 1) % good.classes
    swapped = np.where(good.assignment == 0, 1, np.where(good.assignment == 1, 0, good.assignment)).astype(np.int32)
    order = [1, 0, *range(2, good.classes)]
    cuts = good.details.splits.copy()
    cuts[0, 2] += 1
    cases = {
        "class weights": resealed(good, assignment=moved),
        "contents": resealed(good, assignment=swapped, class_weights=good.class_weights[order]),
        "cost": resealed(good, cost=good.cost + 1),
        "bound witness": resealed(good, lower_bound=good.lower_bound + 1),
        "guarantee formula": resealed(good, guarantee=good.guarantee - 1),
        "cuts": resealed(good, details=replace(good.details, splits=cuts)),
        "rectangles": resealed(good, details=replace(good.details, cut="cyclic")),
        "details": resealed(good, details=None),
    }
    for check, spoilt in cases.items():
        assert failed(points, spoilt) == check


@pytest.mark.parametrize("step", [1.0, 0.25, 1e-9])
def test_gaps_and_overlaps_are_caught(points, good, step):
    sides = good.details.rectangles
    for number in range(good.classes):
        for sign in (-1, 1):
            assert failed(points, with_rectangle(good, number, east=sides[number, 2] + sign * step)) == "tiling"
            assert failed(points, with_rectangle(good, number, south=sides[number, 1] + sign * step)) == "tiling"


def test_a_rectangle_twice_in_place_of_another_is_caught(points, good):
    rectangles = good.details.rectangles.copy()
    rectangles[0] = rectangles[1]
    assert failed(points, resealed(good, details=replace(good.details, rectangles=rectangles))) == "tiling"


def test_rectangles_turned_inside_out_are_caught(points, good):
    rectangles = good.details.rectangles[:, [2, 1, 0, 3]].copy()
    assert failed(points, resealed(good, details=replace(good.details, rectangles=rectangles))) == "tiling"


def test_shared_coordinates_in_two_classes_are_caught():
    """Both halves claim the line between them; the points on it are dealt out."""
    points = kanon.Points([(0, 0), (1, 0), (1, 0), (2, 0)])
    good = kanon.generalize(points, 2)
    assert good.classes == 1
    details = RectangleDetails(np.array([[0, 0, 1, 0], [1, 0, 2, 0.0]]), np.array([[0.0, 0, 1]]), good.details.cut)
    split = np.array([0, 0, 1, 1], dtype=np.int32)
    spoilt = resealed(
        good, assignment=split, class_weights=np.array([2, 2]), cost=2, lower_bound=2, status="optimal", details=details
    )
    assert failed(points, spoilt) == "contents"


def test_a_light_class_is_caught(points, good):
    finer = kanon.generalize(points, 30)
    assert failed(points, resealed(finer, k=60)) == "feasibility"


def test_a_pinwheel_without_its_middle_is_caught():
    """Four rectangles around a hole: their areas do not cover the box, and no cut makes them."""
    points = kanon.Points([(0, 0), (3, 0), (3, 3), (0, 3)])
    good = kanon.generalize(points, 1)
    pinwheel = np.array([[0, 0, 2, 1], [2, 0, 3, 2], [1, 2, 3, 3], [0, 1, 1, 3.0]])
    spoilt = resealed(good, assignment=np.arange(4, dtype=np.int32), details=replace(good.details, rectangles=pinwheel))
    assert failed(points, spoilt) == "tiling"


def test_a_false_witness_is_caught(points, good):
    for name, witness in [
        ("k", (0,)),
        ("heaviest location", (len(points),)),
        ("heaviest location", (-1,)),
        ("heaviest location", ()),
        ("average class", (1,)),
        ("locations per class", (10**6,)),
        ("locations per class", ()),
        ("nothing", ()),
    ]:
        assert failed(points, resealed(good, bound_name=name, bound_witness=witness)) == "bound witness"


def test_another_instance_is_caught(points, good):
    assert failed(kanon.Points(points.xy + 1, points.weights), good) == "instance"
    assert failed(kanon.Points(points.xy, points.weights, crs="EPSG:4326"), good) == "instance"
