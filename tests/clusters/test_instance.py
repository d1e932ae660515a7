"""Metric spaces: distances, what is refused, what the digest covers."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.clusters.distances import LARGEST, LEAST
from tests.clusters.small_spaces import KINDS, small_space
from tests.sentences import MUST_BE_WHOLE_NUMBERS


@pytest.mark.parametrize("number", range(len(KINDS) * 3))
def test_it_is_a_metric_and_every_way_to_ask_agrees(number):
    rng = np.random.default_rng(number)
    space = small_space(rng, 8)
    everyone = np.arange(len(space))
    matrix = space.between(everyone)
    assert np.array_equal(matrix, matrix.T)
    assert (np.diag(matrix) == 0).all()
    longest = matrix.max()
    assert (matrix[:, None, :] <= matrix[:, :, None] + matrix[None] + 1e-12 * longest + 2e-6).all()
    left, right = np.divmod(np.arange(len(space) ** 2), len(space))
    assert np.array_equal(space.paired(left, right), matrix.ravel())
    assert np.array_equal(space.distances(0, everyone[::-1]), matrix[0, ::-1])
    if space.free:
        assert np.array_equal(space.from_center(space.points[0]), matrix[0])
    elif space.metric != "precomputed":
        assert np.array_equal(space.from_values(space.points[0]), matrix[0])


@pytest.mark.parametrize("number", range(len(KINDS)))
def test_the_tree_ranks_as_the_metric_does(number):
    rng = np.random.default_rng([7, number])
    space = small_space(rng, 8)
    if space.embedding is None:
        assert space.tree is None
        return
    apart = np.abs(space.embedding[:, None] - space.embedding[None])
    ranked = apart.sum(axis=2) if space.norm == 1 else np.sqrt((apart**2).sum(axis=2))
    true = space.between(np.arange(len(space)))
    smaller = ranked[:, :, None] < ranked[:, None, :] - 1e-9
    assert not (smaller & (true[:, :, None] > true[:, None, :] + 1e-5)).any()


def test_gower_has_a_hand_made_value_and_a_missing_one_is_far_from_all():
    people = pd.DataFrame({"age": [20, 40, None, None], "job": ["cook", "nurse", None, "cook"]})
    space = kanon.MetricSpace(people, "gower", weights=[3, 1])
    assert space.between([0], [1, 2, 3]).tolist() == [[1.0, 1.0, 0.75]]
    assert space.between([2], [3]).tolist() == [[0.25]]


def test_haversine_is_the_ground_s_distance_across_the_date_line():
    space = kanon.MetricSpace([(179.9, 0), (-179.9, 0), (0, 90), (12, 90)], "haversine")
    assert space.distances(0)[1] == pytest.approx(0.2 * 6371.0088 * np.pi / 180, abs=1e-5)
    assert space.distances(2)[3] == 0  # both are the pole


@pytest.mark.parametrize(
    ("points", "settings", "words"),
    [
        ([], {}, "There are no points"),
        ([(1, 2), (3,)], {}, "Point 2 has 1 values"),
        ([(1, "x")], {}, "holds 'x', which is not a number"),
        ([(1, np.nan)], {}, "at point 1 is missing"),
        ([(1, np.inf)], {}, "beyond .1e.60; correct it"),
        ([(1, 2), (1, -2e60)], {}, "'1' at point 2 is beyond .1e.60"),
        ([(1, 2), (1, 2e60)], {"names": ["a", "b"], "levels": [None, None]}, "beyond .1e.60"),
        ([(1, 0), (1, 5), (1, 1e-160)], {}, "'1' holds 0 and 1e-160, which are too close"),
        ([[0, 1e-160], [1e-160, 0]], {"metric": "precomputed"}, "to point 2 is 1e-160; distances above 0"),
        ([[0, 1e308], [1e308, 0]], {"metric": "precomputed"}, "to point 2 is 1e.308; distances above 0"),
        ([(1, 2)], {"metric": "cosine"}, "There is no metric 'cosine'"),
        ([(1, 2, 3)], {"metric": "haversine"}, "There are 3 columns"),
        ([(1, 95)], {"metric": "haversine"}, "not on the globe"),
        ([(1, 2)], {"counts": [0]}, f"{MUST_BE_WHOLE_NUMBERS} of at least 1"),
        ([(1, 2)], {"counts": [1, 2]}, "2 counts for 1 points"),
        ([(1, 2)], {"weights": [1, 2]}, "apply only to the metrics gower and hamming"),
        ([("a", "b")], {"metric": "hamming", "weights": [0, 0]}, "not all below 1e-60"),
        ([("a", "b")], {"metric": "hamming", "weights": [1e308, 1e308]}, "numbers from 0 to 1e.60"),
        ([(1, 2)], {"units": [1, 0]}, "Give a unit, a number above 0"),
        ([(1, 2)], {"names": ["a"]}, "1 names for 2 columns"),
        ([(1, 2), (1, 2)], {"ids": ["a", "a"]}, "each id may occur only once"),
        ([[0, 1], [2, 0]], {"metric": "precomputed"}, "the same in both directions"),
        ([[0, 1, 9], [1, 0, 1], [9, 1, 0]], {"metric": "precomputed", "triangle": True}, "not a metric"),
        ([[0, 1]], {"metric": "precomputed"}, "square matrix"),
    ],
)  # fmt: skip
def test_what_is_no_space_is_refused_in_a_sentence(points, settings, words):
    with pytest.raises(kanon.InvalidInput, match=words) as caught:
        kanon.MetricSpace(points, **settings)
    assert str(caught.value).count("\n") == 0


@pytest.mark.parametrize("seed", range(8))
def test_it_is_the_same_again_from_its_fields_and_another_with_other_content(seed):
    space = small_space(np.random.default_rng([11, seed]), 6)
    again = replace(space)
    assert again.digest == space.digest
    others = [replace(space, unit="people"), replace(space, counts=space.counts + 1)]
    others.append(replace(space, frame=pd.DataFrame({"illness": ["flu"] * len(space)})))
    assert len({space.digest, *(other.digest for other in others)}) == 4


@pytest.mark.parametrize("name", ["gather", "center", "gather-outliers", "center-outliers"])
def test_means_count_every_record(name):
    points, counts = [[0.0], [1.0], [9.0], [10.0]], [1, 9, 5, 5]
    space = kanon.MetricSpace(points, counts=counts)
    g = kanon.generalize(space, 10, name, centers="means")
    repeated = kanon.MetricSpace(np.repeat(points, counts, axis=0))
    assert g.assignment.tolist() == [0, 0, 1, 1]
    for own in range(g.classes):
        mean = repeated.points[np.repeat(g.assignment, counts) == own].mean()
        assert g.details.centers[own, 0] == pytest.approx(mean)


EXTREMES = [algorithm.name for algorithm in kanon.algorithms("clusters")]


@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.parametrize("size", [LARGEST, LEAST])
def test_every_algorithm_measures_the_largest_and_the_smallest_distances(name, size):
    """Squares of squares of distances of 1e100 overflow: then results failed their own check."""
    points = np.array([(0, 0), (1, 0), (0, 1), (9, 9), (9, 8), (8, 9), (5, 2)]) * size
    space = kanon.MetricSpace(points / 9 if size == LARGEST else points)
    for options in [{"cost": cost} for cost in ("radius", "cellular")] if name == "exact" else [{}]:
        g = kanon.generalize(space, 2, name, **options)
        kanon.verify(space, g)
        assert 0 < g.cost < np.inf


@pytest.mark.parametrize("name", ["cellular", "r-cellular", "r-cellular-outliers"])
def test_a_set_up_cost_that_no_sum_holds_is_refused(name):
    with pytest.raises(kanon.InvalidInput, match="facility_cost"):
        kanon.generalize(kanon.MetricSpace([[0.0], [1.0], [5.0]]), 1, name, facility_cost=1e308)
