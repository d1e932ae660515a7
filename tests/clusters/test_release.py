"""What is released of clusters: no record's own place, radii that hold, values as they were counted."""

import io

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.release import clusters_frame, released_centers, values_frame
from kanon_engine.release.publication import outputs
from kanon_engine.verification.metric import EARTH
from tests.clusters.small_spaces import small_space
from tests.test_publication import cells, near, numbers_and_texts, without_a_browser  # noqa: F401


@pytest.mark.parametrize("seed", range(24))
def test_every_record_is_within_the_radius_and_no_center_is_a_place_of_few(seed):
    rng = np.random.default_rng([3, seed])
    space = small_space(rng, 8)
    k = int(rng.integers(1, max(2, space.total // 2 + 1)))
    g = kanon.generalize(space, k, centers="input" if seed % 2 else "any")
    shown = released_centers(space, g)
    for number in range(g.classes):
        own = np.flatnonzero(g.assignment == number)
        if space.free:
            assert space.from_center(shown.centers[number], own).max() <= shown.radii[number]
            if g.details.radii[number] > 0:
                assert not (space.points[own] == shown.centers[number]).all(axis=1).any()
        else:
            assert shown.radii[number] >= 0
    assert all(len(values) == g.classes for values in shown.columns.values())


def test_a_center_is_near_what_was_found_and_coarse():
    rng = np.random.default_rng(1)
    space = MetricSpace(rng.normal(size=(60, 2)) * (1, 1000), units=[1, 1], names=["a", "b"])
    g = kanon.generalize(space, 5)
    shown = released_centers(space, g)
    found = g.details.radii
    assert (shown.radii >= found * 0.99).all()
    assert (shown.radii <= found * 1.06).all()
    digits = [len(f"{value:.10g}".replace("-", "").replace(".", "").strip("0")) for value in shown.columns["b"]]
    assert max(digits) <= 5


def test_shown_centers_are_in_the_file_s_units():
    data = b"age,income\n20,1000\n22,1100\n60,9000\n64,9400\n"
    space = kanon.read_records(data, ["age", "income"])
    shown = released_centers(space, kanon.generalize(space, 2))
    assert sorted(shown.columns["age"]) == pytest.approx([21, 62], abs=0.2)
    assert sorted(shown.columns["income"]) == pytest.approx([1050, 9200], abs=30)


def test_values_of_kept_columns_are_counted_with_the_records_of_points():
    frame = pd.DataFrame({"illness": ["flu", None, "gout", "flu"]})
    space = MetricSpace([[0], [1], [8], [9]], counts=[2, 1, 1, 3], frame=frame)
    g = kanon.generalize(space, 3)
    assert clusters_frame(space, g)["illness"].tolist() == ["flu 2, missing", "flu 3, gout"]
    assert values_frame(space, g).to_numpy().tolist() == [
        [1, "illness", "flu", 2],
        [1, "illness", "missing", 1],
        [2, "illness", "flu", 3],
        [2, "illness", "gout", 1],
    ]


def test_a_center_of_words_has_the_commonest_of_each_column():
    rows = [(1, 1, 1, 1), (0, 1, 1, 1), (1, 0, 1, 1), (1, 1, 0, 1), (1, 1, 1, 0)]  # Figure 1.3 of the paper
    space = MetricSpace(pd.DataFrame(rows, columns=list("abcd")).astype(str), "hamming")
    released = kanon.release(space, kanon.generalize(space, 5))
    assert released[["center_a", "center_b", "center_c", "center_d", "radius"]].to_numpy().tolist() == [
        ["1", "1", "1", "1", 1.0]
    ]


@pytest.mark.parametrize("metric", ["haversine", "euclidean"])
def test_no_file_that_may_be_published_holds_a_coordinate_or_an_id(metric):
    rng = np.random.default_rng(5)
    xy = np.column_stack([rng.uniform(5, 9, 80), rng.uniform(45, 49, 80)])
    ids = [f"person-{number}" for number in rng.permutation(80)]
    space = MetricSpace(xy, metric, ids=ids, names=["lon", "lat"])
    g = kanon.generalize(space, 5, centers="input")
    found = [output for output in outputs(space, g) if output.publishable]
    assert {output.key for output in found} >= {"groups", "picture"}
    for output in found:
        numbers, texts = numbers_and_texts(output)
        assert near(numbers, xy.ravel(), 1e-9).tolist() == [], output.label
        assert not any("person-" in text for text in texts), output.label


def test_internal_files_are_told_so_and_hold_the_centers_as_found():
    space = MetricSpace([(0, 0), (0, 2), (9, 9), (9, 7)], ids=list("abcd"))
    g = kanon.generalize(space, 2, centers="input")
    found = {output.key: output for output in outputs(space, g)}
    assert not found["centers"].publishable
    assert found["centers"].contents.startswith("Internal")
    text = pd.read_csv(io.BytesIO(found["centers"].make()))
    assert set(text["center_id"]) <= set("abcd")


def test_circles_on_the_globe_have_the_radius_that_stands_beside():
    space = MetricSpace([(10, 50), (10.2, 50), (12, 51), (12, 51.3)], "haversine")
    frame = kanon.release(space, kanon.generalize(space, 2))
    assert str(frame.crs) == "EPSG:4326"
    for circle, radius in zip(frame.geometry, frame["radius_km"], strict=True):
        assert circle.area == pytest.approx(
            np.pi * (radius / EARTH * 180 / np.pi) ** 2 / np.cos(np.radians(circle.centroid.y)), rel=0.01
        )


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("name", ["gather", "r-cellular", "mdav", "gather-outliers"])
def test_the_numbers_of_groups_do_not_tell_the_order_of_the_file(name):
    rng = np.random.default_rng(8)
    points = np.concatenate([rng.normal(size=(6, 2)) * 0.1 + center for center in ((0, 0), (5, 1), (3, 9), (9, 9))])
    made = []
    for order in (np.arange(24), np.arange(24)[::-1], rng.permutation(24)):
        space = MetricSpace(points[order])
        made.append(clusters_frame(space, kanon.generalize(space, 4, name)))
    for other in made[1:]:
        pd.testing.assert_frame_equal(made[0], other)


def test_more_columns_make_no_picture_that_could_be_published():
    space = MetricSpace(np.random.default_rng(0).normal(size=(12, 3)))
    g = kanon.generalize(space, 3)
    picture = [output for output in outputs(space, g) if output.key == "picture"]
    assert not any(output.publishable for output in picture)


@pytest.mark.parametrize(
    ("rows", "settings", "k"),
    [
        ([(0.1, 3.7), (0.3, 9.9), (0.7, 1.3), (8.6, 2.2)], {"metric": "euclidean"}, 1),
        (
            [(1.7e15 + a / 4, 1.7e15 + b / 4) for a, b in [(0, 1), (2, 5), (40, 41), (44, 46)]],
            {"metric": "euclidean", "scale": "none"},
            2,
        ),
        ([(1e16, 0), (1e16 + 2, 0)], {"metric": "euclidean", "scale": "none"}, 2),
        ([(190, 1), (190.2, 1), (-170, 1), (190.1, 1)], {"metric": "haversine"}, 4),
        ([(0, 90), (90, 89.9), (180, 89.9), (270, 89.9), (0, 89.9)], {"metric": "haversine"}, 5),
    ],
)
def test_what_is_told_of_a_center_covers_its_records(rows, settings, k):
    space = kanon.read_records(pd.DataFrame(rows, columns=["lon", "lat"]), ["lon", "lat"], **settings)
    g = kanon.generalize(space, k)
    shown = released_centers(space, g)
    for number in range(g.classes):
        own = np.flatnonzero(g.assignment == number)
        told = np.array([values[number] for values in shown.columns.values()]) / space.units
        away = space.from_center(told, own)
        assert away.max() <= shown.radii[number]
        assert (away > 0).all() == (g.details.radii[number] > 0)
        assert (shown.radii[number] == 0) == (g.details.radii[number] == 0)


def test_a_radius_of_0_is_said_to_be_the_place_of_the_records():
    space = MetricSpace([[0], [1]])
    words = [outputs(space, kanon.generalize(space, k))[0].contents for k in (1, 2)]
    assert ["at its center" in one for one in words] == [True, False]


def test_kept_columns_do_not_take_the_place_of_others():
    names = ["group", "Weight", "unit", "radius_km", "center_lon", "geometry", "fid", "kept_group"]
    frame = pd.DataFrame({"lon": [1, 2, 8, 9], "lat": [1, 1, 5, 5]} | {name: list("abcd") for name in names})
    space = kanon.read_records(frame, ["lon", "lat"], keep=names)
    g = kanon.generalize(space, 2)
    released = kanon.release(space, g)
    assert released["weight"].tolist() == [2, 2]
    assert released["group"].tolist() == [1, 2]
    assert released["kept_Weight"].tolist() == released["kept_fid"].tolist() == ["a, b", "c, d"]
    assert released["kept_kept_group"].tolist() == ["a, b", "c, d"]
    assert released.columns.is_unique
    assert all(output.make() for output in outputs(space, g) if output.key in ("groups", "shapes"))


def test_a_number_that_all_have_is_told_whole():
    frame = pd.DataFrame({"code": [1234567890123] * 4, "word": list("aabb")})
    space = kanon.read_records(frame, ["code", "word"], "gower")
    assert kanon.release(space, kanon.generalize(space, 2))["center_code"].tolist() == [1234567890123.0] * 2
