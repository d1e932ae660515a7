"""Distances of the verifier: rounded alike whatever the machine makes of a sine, and none that is near is missed."""

import decimal

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.verification import arrays, metric
from tests.clusters.small_spaces import KINDS, small_space
from tests.verification.proven import measured

EVERY = 10.0  # all are doubtful


def test_places_and_arcs_are_those_of_more_digits(monkeypatch):
    rng = np.random.default_rng(1)
    lon, lat = rng.uniform(-360, 360, 60), rng.uniform(-90, 90, 60)
    lon[:4], lat[:4] = [0, 180, 60, -90], [0, 90, 60, -90]
    chords = np.append(
        rng.uniform(0, 2**31, 60), [0, 1, 2**31 - 2**12]
    )  # the other side of the globe is never doubtful
    squares = (chords**2).astype(np.int64)
    usual = [*metric.on_grid(lon, lat), metric.arcs(squares)]
    monkeypatch.setattr(metric, "SINES_MAY_DIFFER", EVERY)
    monkeypatch.setattr(metric, "ARCS_MAY_DIFFER", EVERY)
    with decimal.localcontext() as context:
        context.prec = 5  # digits that somebody else needs
        exact = [*metric.on_grid(lon, lat), metric.arcs(squares)]
    for one, other in zip(usual, exact, strict=True):
        assert one.tolist() == other.tolist()


def test_a_sine_that_is_wrong_in_its_last_digit_changes_nothing(monkeypatch):
    """Twice 2 ** -50 is more than a library for mathematics is wrong."""
    rng = np.random.default_rng(2)
    lon, lat = rng.uniform(-180, 180, 4_000), rng.uniform(-90, 90, 4_000)
    squares = (rng.uniform(0, 2**31, 20_000) ** 2).astype(np.int64)
    usual = [*metric.on_grid(lon, lat), metric.arcs(squares)]
    for name, function in (("sine", np.sin), ("cosine", np.cos), ("arcsine", np.arcsin)):
        monkeypatch.setattr(arrays, name, lambda values, function=function: function(values) * (1 + 2.0**-50))
    for one, other in zip(usual, [*metric.on_grid(lon, lat), metric.arcs(squares)], strict=True):
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("wrong", [1 + 2.0**-50, 1 - 2.0**-50])
def test_what_a_wrong_digit_could_round_otherwise_is_worked_out_again(wrong, monkeypatch):
    """Latitudes and arcs that lie next to the middle between two steps, on either side of it."""
    rng = np.random.default_rng(3)
    lat = np.degrees(np.arcsin((rng.integers(-metric.GRID, metric.GRID, 300) + 0.5) / metric.GRID))
    angles = (rng.integers(10**9, 19 * 10**9, 300) + 0.5) / (2 * metric.EARTH * metric.MILLIMETERS)
    squares = np.rint((np.sin(angles) * 2**31) ** 2).astype(np.int64)
    usual = [*metric.on_grid(np.zeros(len(lat)), lat), metric.arcs(squares)]
    for name, function in (("sine", np.sin), ("cosine", np.cos), ("arcsine", np.arcsin)):
        monkeypatch.setattr(arrays, name, lambda values, function=function: function(values) * wrong)
    for one, other in zip(usual, [*metric.on_grid(np.zeros(len(lat)), lat), metric.arcs(squares)], strict=True):
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("count", [1, 7, 8, 9, 16, 127, 128, 129, 300])
def test_weights_of_columns_are_added_up_as_numpy_does(count):
    values = np.random.default_rng(count).random(count)
    assert metric._pairwise_sum(values.tolist()) == float(values.sum())


@pytest.mark.parametrize("kind", KINDS)
def test_no_point_that_is_near_is_missed(kind):
    rng = np.random.default_rng(3)
    for _ in range(4):
        space = small_space(rng, 150, kinds=(kind,))
        own, every = measured(space), space.between(range(len(space)))
        for width in rng.choice(every.ravel(), 3).tolist():
            rows = rng.permutation(len(space))[: int(rng.integers(1, len(space) + 1))]
            found = [pair for some in own.pairs(rows, width) for pair in zip(*some, strict=True)]
            near = [(one, other, every[one, other]) for one in rows for other in np.flatnonzero(every[one] <= width)]
            assert sorted(found) == sorted(near)


@pytest.mark.parametrize("count", [1, 20, 21, 40, 41, 50, 80])
def test_the_nearest_points_are_found_beyond_a_crowd(count):
    """Two crowds far apart; some have their nearest all in one, some also in the other."""
    rng = np.random.default_rng(count)
    points = np.concatenate([rng.random((40, 2)), 1e6 + rng.random((40, 2))])
    leaves = metric.Leaves(list(map(arrays.floats, points.T.tolist())), metric.squared)
    squares = ((points[:, None] - points) ** 2).sum(axis=2)
    for own, gaps in leaves.apart(arrays.places(80)):
        here, there, apart = leaves.nearest(own, gaps, count)
        for place in own.tolist():
            assert sorted(apart[here == place].tolist()) == sorted(squares[place])[:count]
            assert squares[place][there[here == place]].tolist() == apart[here == place].tolist()


def test_distances_are_those_of_the_engine():
    rng = np.random.default_rng(4)
    for _ in range(60):
        space = small_space(rng, 12)
        own, count = measured(space), len(space)
        assert [own.distances(place).tolist() for place in range(count)] == space.between(range(count)).tolist()
        if space.free:
            centers, rows = rng.uniform(-80, 80, (3, 2)), rng.integers(0, count, 3)
            found = own.from_centers([*centers.T], np.arange(3), rows).tolist()
            expected = [space.from_center(center, [row])[0] for center, row in zip(centers, rows, strict=True)]
            assert found == expected
    words = kanon.MetricSpace([["a", "b"], ["a", "c"], [None, "c"]], "hamming", weights=[0.1, 3])
    assert [measured(words).distances(place).tolist() for place in range(3)] == words.between(range(3)).tolist()
