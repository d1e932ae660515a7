from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.rectangles.instance import RectangleDetails
from kanon_engine.verification import labels
from kanon_engine.verification import rectangles as verifier
from kanon_engine.verification.rectangles import bounding_box, can_be_cut, grid_box, no_sum_between
from tests.corruption import corrupted, failed, sealed
from tests.verification.proven import lines_of, proven


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


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_every_rectangle_is_finite_and_there_is_one_a_class(points, good, value):
    more = np.vstack([good.details.rectangles, np.full((1, 4), value)])
    for rectangles in (more, more[1:], np.vstack([more[:-1], more[:1]]), more[:-2]):
        assert failed(points, resealed(good, details=replace(good.details, rectangles=rectangles))) == "rectangles"


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
        ("heaviest location", (len(points) + 1,)),
        ("points that no cut can split", (len(points) + 1,)),
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


def no_sum(loads, k, least):
    """By trying all sums, whether none lies in k … least - 1."""
    sums = {0}
    for load in loads:
        sums |= {other + load for other in sums}
    return least >= k and not any(k <= found < least for found in sums)


@pytest.mark.parametrize("listed", [0, 16])
@pytest.mark.parametrize("seed", range(3))
def test_sums_of_loads_are_those_that_trying_all_finds(seed, listed, monkeypatch):
    monkeypatch.setattr(labels, "LISTED", listed)
    rng = np.random.default_rng(seed)
    for _ in range(60):
        loads = rng.integers(1, 9, rng.integers(1, 7)) * int(rng.integers(1, 4))
        k = int(rng.integers(1, loads.sum() + 1))
        for least in range(max(k - 2, 0), k + 9):
            found = no_sum_between(loads, k, least)
            assert found == no_sum(loads.tolist(), k, least), (loads, k, least)
    monkeypatch.setattr(labels, "MOST_BITS", 12)
    many = np.array([7] * 50)
    assert [no_sum_between(many, 10, 14), no_sum_between(many + np.arange(50) % 2, 20, 21)] == [True, False]
    assert no_sum_between(many, 100, 105)  # a table of 15 bits is not needed where the next multiple is asked for


def test_sums_of_heavy_loads_are_looked_at_whatever_their_unit():
    most = labels.MOST_BITS
    few = np.array([2, 2 + 1 / most, 2 + 1 / most]) * most  # any two of them reach k, and least
    assert no_sum_between(few.astype(np.int64), 2 * most + 2, 4 * most + 1)
    assert not no_sum_between(few.astype(np.int64), 2 * most + 2, 4 * most + 2)
    many = np.array([7] * 20 + [8])
    assert [no_sum_between(many * unit, 10 * unit, 14 * unit) for unit in (1, most)] == [True, True]
    assert [no_sum_between(many * unit, 10 * unit, 15 * unit) for unit in (1, most)] == [False, False]
    assert no_sum_between(many, 300, int("300"))


def test_sums_of_many_loads_are_looked_at_in_a_table_of_8_megabytes_and_no_more():
    bits = 8 << 23
    loads = np.array([bits // 2 + 1] * 40 + [bits // 2 + 2])  # two of them weigh least or more
    assert [no_sum_between(loads, k, k + 1) for k in (bits, bits + 1)] == [True, False]


@pytest.mark.parametrize("seed", range(3))
def test_least_rectangles_are_those_that_trying_all_finds(seed):
    rng = np.random.default_rng(seed)
    for _ in range(10):
        wide, high = rng.integers(1, 5, 2).tolist()
        table = rng.integers(1, 9, (wide, high))
        k = int(rng.integers(1, table.sum() + 1))
        least = np.full(table.shape, table.sum())
        weights = []
        for a, c in combinations(range(wide + 1), 2):
            for b, d in combinations(range(high + 1), 2):
                weight = int(table[a:c, b:d].sum())
                weights.append(weight)
                if weight >= k:
                    least[a:c, b:d] = np.minimum(least[a:c, b:d], weight)
        assert verifier.lightest(table.tolist(), k) == least.tolist()
        classes = int(sum(Fraction(int(w), int(s)) for w, s in zip(table.ravel(), least.ravel(), strict=True)))
        average = -(-int(table.sum()) // classes)
        assert verifier.shares(table.tolist(), k) == min(w for w in weights if w >= average)


def test_rectangles_of_points_on_a_line_lie_on_it():
    points = kanon.Points([(2, 0), (2, 1), (2, 5), (2, 6)])
    g = kanon.generalize(points, 2, "kd-tree")
    assert g.classes == 2
    for number in range(2):
        for side in ("west", "east"):
            for value in (1, 3):
                assert failed(points, with_rectangle(g, number, **{side: value})) == "tiling"
    shifted = g.details.rectangles + [1, 0, 1, 0]
    assert failed(points, resealed(g, details=replace(g.details, rectangles=shifted))) == "tiling"


PINWHEEL = [(0, 0, 2, 1), (2, 0, 3, 2), (1, 2, 3, 3), (0, 1, 1, 2 + 1), (1, 1, 2, 2)]


def moved(rectangles, east, north):
    return [(a + east, b + north, c + east, d + north) for a, b, c, d in rectangles]


@pytest.mark.parametrize(
    ("rectangles", "right"),
    [
        ([(0, 0, 1, 1)], True),
        ([(0, 0, 1, 2), (1, 0, 2, 1), (1, 1, 2, 2)], True),
        ([(0, 0, 2, 1), (0, 1, 1, 2), (1, 1, 2, 2)], True),
        ([(0, 0, 1, 2), (1, 0, 2, 1), (1, 1, 2, 2), (2, 0, 3, 1.5), (2, 1.5, 3, 2)], True),
        (PINWHEEL, False),
        ([*PINWHEEL, (3, 0, 4, 3)], False),
        ([(-1, 0, 0, 3), *PINWHEEL], False),
        ([*PINWHEEL, (0, 3, 3, 4)], False),
        ([(0, -1, 3, 0), *PINWHEEL], False),
        ([*moved(PINWHEEL, 0, 0), *moved(PINWHEEL, 3, 0)], False),
    ],
)
def test_cuts_from_side_to_side(rectangles, right):
    assert can_be_cut(rectangles) == right
    assert can_be_cut([(b, a, d, c) for a, b, c, d in rectangles]) == right


def test_a_tiling_without_cuts_is_claimed_only_where_no_cuts_make_it():
    points = kanon.Points([(0.5, 0.5), (1.5, 0.5)])
    g = kanon.generalize(points, 1, "exact", guillotine=False)
    assert g.classes == 2
    kanon.verify(points, g)
    uncut = resealed(g, details=replace(g.details, splits=np.empty((0, 3))))
    assert failed(points, uncut) == "cuts"
    assert failed(points, resealed(uncut, options=uncut.options | {"guillotine": True})) == "rectangles"


@pytest.mark.parametrize(
    ("xy", "snap", "box"),
    [
        ([(0.5, 1.5), (2.5, 3.5)], 1.0, [0, 1, 3, 4]),
        ([(0, 1), (2, 3)], 1.0, [-1, 0, 3, 4]),  # no side touches a point
        ([(-2, -0.5), (-0.5, 0)], 0.5, [-2.5, -1, 0, 0.5]),
        ([(7, 7), (7, 7)], 10.0, [0, 0, 10, 10]),
        # 7 * 0.1 is more than 0.7, and 3 * 0.1 more than 0.3
        ([(0.3, 0.6), (0.7, 0.9)], 0.1, [0.2, 0.5, 0.7, 1.0]),
    ],
)
def test_the_box_on_a_grid_touches_no_point(xy, snap, box):
    found = grid_box(lines_of(xy), snap)
    assert found == pytest.approx(box)
    assert all(str(side) != "-0.0" for side in found)


def test_the_box_has_room_for_a_line_between_neighboring_numbers():
    top = np.nextafter(1, 2)
    assert bounding_box(lines_of([(0, 0), (1, 5), (top, 7.0)])) == (0, 0, np.nextafter(top, 2), 7)
    low = np.nextafter(-1, -2)
    assert bounding_box(lines_of([(-3, 0), (low, 5), (-1, 7.0)])) == (-3, 0, np.nextafter(-1, 0), 7)
    assert bounding_box(lines_of([(0, 1), (2, top)])) == (0, 1, 2, np.nextafter(top, 2))
    assert bounding_box(lines_of([(3, 3), (3, 4.0)])) == (3, 3, 3, 4)


def cells(xy, snap):
    found = verifier._snapped(lines_of(xy), snap)
    return list(zip(found.column.tolist(), found.row.tolist(), strict=True))


def test_points_between_which_no_grid_line_fits_share_a_cell():
    xy = [(0.2, 5), (0.9, 5), (1.0, 5), (1.1, 5.5), (2.9, 6.5), (3.0, 9), (-0.1, -2), (-0.2, -2)]
    # a line on a coordinate separates nothing
    assert cells(xy, 1.0) == [(1, 1), (1, 1), (1, 1), (1, 1), (2, 2), (2, 3), (0, 0), (0, 0)]


@pytest.mark.parametrize(
    ("low", "high", "snap", "apart"),
    [
        (63.9, 63.95, 0.1, 1),  # 63.9 / 0.1 rounds up to 639, and 639 * 0.1 lies above 63.9
        (133.1, 133.25, 0.1, 1),  # 133.1 / 0.1 is just below 1331, and 1331 * 0.1 is 133.1 itself
        (133.1, 133.15, 0.1, 0),
        (1.0, 2.0, 1.0, 0),
    ],
)
def test_cells_do_not_depend_on_how_a_quotient_is_rounded(low, high, snap, apart):
    assert cells([(low, 0), (high, 0)], snap) == [(0, 0), (apart, 0)]
    west, _, east, _ = grid_box(lines_of([(low, 0), (high, 0)]), snap)
    assert low - 1.001 * snap < west < low < high < east < high + 1.001 * snap


def test_sides_off_the_grid_or_on_a_point_are_caught():
    points = kanon.Points([(0.5, 0.5), (0.5, 0.5), (2, 0.5), (3.5, 0.5)])
    g = kanon.generalize(points, 2, "kd-tree", snap=1.0)
    assert g.details.rectangles.tolist() == [[0, 0, 1, 1], [1, 0, 4, 1]]
    kanon.verify(points, g)
    for side, value in {"east": 1.25, "north": 2.0}.items():
        assert failed(points, with_rectangle(g, 0, **{side: value})) in ("grid", "tiling")
    for value, check in [(1.5, "grid"), (2.0, "grid"), (3.0, "contents")]:
        sides = g.details.rectangles.copy()
        sides[0, 2] = sides[1, 0] = value
        cuts = np.array([[0, 0, value]])
        details = replace(g.details, rectangles=sides, splits=cuts)
        assert failed(points, resealed(g, details=details)) == check, value


def test_a_grid_whose_lines_cannot_be_told_apart_is_refused():
    points = kanon.Points([(0, 0), (1e280, 1), (-1e280, 2)])
    g = kanon.generalize(points, 2, "kd-tree")
    with pytest.raises(kanon.CertificateError, match="“grid” failed: a grid of 1e-12 is too fine for coordinates"):
        kanon.verify(points, resealed(g, options=g.options | {"snap": 1e-12}))


@pytest.mark.parametrize("axis", [-4, -3, -2, -1, 2, 3])
def test_a_cut_is_across_one_of_two_axes(points, good, axis):
    """-3 from the end is where the south side stands, as 1 is from the front."""
    cuts = good.details.splits.copy()
    number = int(np.flatnonzero(cuts[:, 1] == axis % 2)[0])
    cuts[number, 1] = axis
    assert failed(points, resealed(good, details=replace(good.details, splits=cuts))) == "cuts"


def test_a_cut_is_of_a_rectangle_that_is_there(points, good):
    for part in (-1, 2 * good.classes, 10**6):
        cuts = good.details.splits.copy()
        cuts[1, 0] = part
        assert failed(points, resealed(good, details=replace(good.details, splits=cuts))) == "cuts"


def test_a_cut_lies_inside_its_rectangle(points, good):
    box = bounding_box(lines_of(points.xy))
    low, high = box[int(good.details.splits[0, 1]) :: 2]
    for line in (low, high, low - 1, high + 1, np.nan):
        cuts = good.details.splits.copy()
        cuts[0, 2] = line
        with pytest.raises(kanon.CertificateError, match="cut 1 does not split a rectangle"):
            kanon.verify(points, resealed(good, details=replace(good.details, splits=cuts)))


@pytest.mark.parametrize("name", ["least rectangle", "shares of rectangles"])
def test_how_many_rectangles_are_looked_at(name, monkeypatch):
    """Three columns and two rows have 6 * 3 of them."""
    points = kanon.Points([(i, j) for i in range(3) for j in range(2)])
    witness = (0,) if name == "least rectangle" else ()
    found = []
    for most in (17, 18, 19):
        monkeypatch.setattr(verifier, "MOST_RECTANGLES", most)
        found.append(proven(points, 2, name, witness))
    assert found == [None, 2, 2]


def test_one_rectangle_is_the_bounding_box():
    points = kanon.Points([(0, 0), (2, 3)])
    g = kanon.generalize(points, 2)
    for side, value in {"west": -1, "south": -1, "east": 3, "north": 2}.items():
        assert failed(points, with_rectangle(g, 0, **{side: value})) == "tiling"
    with pytest.raises(kanon.CertificateError, match="rectangle 1 has no extent"):
        kanon.verify(points, with_rectangle(g, 0, west=2))


def test_the_rectangle_without_extent_is_named(points, good):
    number = good.classes - 1
    flat = with_rectangle(good, number, east=good.details.rectangles[number, 0])
    with pytest.raises(kanon.CertificateError, match=f"rectangle {number + 1} has no extent"):
        kanon.verify(points, flat)
