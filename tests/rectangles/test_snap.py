import doctest
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanon_engine as kanon
from kanon_engine.rectangles import snap as snap_module
from kanon_engine.rectangles.snap import snap_grid
from tests.corruption import failed
from tests.oracles.rectangles_exact import best_cuts, best_tiling
from tests.rectangles.samples import random_points
from tests.rectangles.test_verify import resealed

ALGORITHMS = [algorithm.name for algorithm in kanon.algorithms("rectangles")]


def test_the_example():
    outcome = doctest.testmod(snap_module)
    assert outcome.attempted > 0
    assert outcome.failed == 0


@pytest.mark.parametrize("seed", range(40))
def test_cells_are_parted_by_free_multiples_alone(seed):
    rng = np.random.default_rng(seed)
    xy, weights = random_points(rng, largest=30, spread=12)
    if seed % 2:
        xy = xy + np.round(rng.random(xy.shape), 2)
    size = float(rng.choice([0.3, 0.5, 0.75, 1.0, 2.0, 5.0]))
    points = kanon.Points(xy, weights)
    grid = snap_grid(points, size)
    for axis in range(2):
        values, cells = points.xy[:, axis].tolist(), grid.points.xy[:, axis].tolist()
        for a, mine in zip(values, cells, strict=True):
            for b, other in zip(values, cells, strict=True):
                multiples = [i * size for i in range(-3, 80) if min(a, b) < i * size < max(a, b)]
                assert (mine == other) == (not set(multiples) - set(values))
                assert (mine < other) <= (a < b)
        lines = grid.lines[axis].tolist()
        assert lines == sorted(set(lines))
        assert not set(lines) & set(values)
        assert lines[0] == max(i * size for i in range(-9, 80) if i * size < min(values))
        assert lines[-1] == min(i * size for i in range(-9, 80) if i * size > max(values))


@pytest.mark.parametrize("guillotine", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_exact_finds_the_best_tiling_along_the_grid(seed, guillotine):
    rng = np.random.default_rng(seed)
    xy, weights = random_points(rng, largest=9, spread=6)
    points = kanon.Points(xy + np.round(rng.random(xy.shape), 1), weights)
    k, size = int(rng.integers(1, points.total + 1)), float(rng.choice([0.3, 0.75, 2.0]))
    cells = snap_grid(points, size).points.xy.tolist()
    best = (best_cuts if guillotine else best_tiling)(cells, points.weights.tolist(), k)
    assert kanon.generalize(points, k, "exact", snap=size, guillotine=guillotine).cost == best[0]


coordinates = st.one_of(st.integers(-6, 6).map(float), st.floats(-1000, 1000, width=32))


@settings(max_examples=30, deadline=None)
@given(
    rows=st.lists(st.tuples(coordinates, coordinates, st.integers(1, 9)), min_size=1, max_size=40),
    k=st.integers(1, 30),
    size=st.sampled_from([1e-3, 0.1, 0.5, 1.0, 7.0, 1e4]),
    name=st.sampled_from([name for name in ALGORITHMS if name != "exact"]),
)
def test_every_result_is_feasible_on_the_grid_and_touches_no_point(rows, k, size, name):
    *xy, weights = zip(*rows, strict=True)
    points = kanon.Points(np.transpose(xy), weights)
    k = min(k, points.total)
    g = kanon.generalize(points, k, name, snap=size)
    sides = g.details.rectangles
    assert g.class_weights.min() >= k
    assert g.class_weights.sum() == points.total
    assert g.cost <= g.guarantee
    assert np.array_equal(np.rint(sides / size) * size, sides)
    assert kanon.generalize(points, k, name).lower_bound <= g.cost
    for axis in range(2):
        assert not set(sides[:, axis::2].ravel().tolist()) & set(points.xy[:, axis].tolist())
        assert (sides[g.assignment, axis] < points.xy[:, axis]).all()
        assert (points.xy[:, axis] < sides[g.assignment, 2 + axis]).all()


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_can_and_stays_on_its_lines_without(name):
    points = kanon.Points(np.random.default_rng(2).random((14, 2)).round(3), unit="people")
    plain, on_grid = kanon.generalize(points, 4, name), kanon.generalize(points, 4, name, snap=1 / 64)
    assert plain.options["snap"] is None
    assert np.array_equal(plain.details.rectangles[:, :2].min(axis=0), points.box[:2])
    assert "grid" in {check.name for check in kanon.verify(points, on_grid).checks}
    assert on_grid.lower_bound <= on_grid.cost


def test_a_fine_grid_keeps_the_classes():
    points = kanon.Points(np.random.default_rng(5).random((500, 2)))
    plain, fine = kanon.generalize(points, 20, "kd-tree"), kanon.generalize(points, 20, "kd-tree", snap=2.0**-30)
    assert np.array_equal(plain.assignment, fine.assignment)


def test_a_coarse_grid_merges_what_it_cannot_cut():
    points = kanon.Points(np.random.default_rng(6).random((500, 2)))
    costs = [kanon.generalize(points, 20, "kd-tree", snap=size).cost for size in (0.001, 0.3, 2.0)]
    assert costs[0] < costs[1] < costs[2] == 500


def test_lines_through_points_are_not_taken():
    """All coordinates are multiples of the size: no line is free, and nothing can be cut."""
    xy = np.random.default_rng(1).integers(0, 9, (80, 2)).astype(float)
    points = kanon.Points(xy)
    assert kanon.generalize(points, 5, "kd-tree", snap=1.0).classes == 1
    assert kanon.generalize(points, 5, "kd-tree", snap=0.5).classes > 5


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "at least"), (-1, "at least"), ("wide", "is not a number"), (1e-11, "too fine"), (1e308, "too coarse")],
)
def test_impossible_sizes_are_refused_in_a_sentence(size, words):
    points = kanon.Points([(1e5, 1.7e308 if size == 1e308 else 2.0), (2.0, 3.0)])
    with pytest.raises(kanon.InvalidInput, match=words):
        kanon.generalize(points, 1, "kd-tree", snap=size)


def test_spoilt_claims_about_the_grid_are_caught():
    points = kanon.Points(np.random.default_rng(3).random((60, 2)))
    good = kanon.generalize(points, 5, "kd-tree", snap=1 / 64)
    assert failed(points, resealed(good, guarantee=10**6)) == "guarantee formula"
    assert failed(points, resealed(good, options=good.options | {"snap": 1 / 48})) == "grid"
    assert failed(points, resealed(good, options=good.options | {"snap": None})) == "tiling"
    wider = good.details.rectangles.copy()
    wider[wider == wider[:, 0].min()] -= 1 / 64
    assert failed(points, resealed(good, details=replace(good.details, rectangles=wider))) == "tiling"
    assert failed(points, resealed(good, guarantee=None)) == "guarantee formula"
    plain = kanon.generalize(points, 5, "kd-tree")
    assert failed(points, resealed(plain, options=plain.options | {"snap": 1 / 64})) == "grid"


def test_a_line_through_a_point_is_caught():
    points = kanon.Points([(0.3, 0.5), (0.5, 0.5), (0.9, 0.5)])
    good = kanon.generalize(points, 1, "kd-tree", snap=0.2)
    through = kanon.Points([(0.3, 0.5), (good.details.splits[0, 2], 0.5), (0.9, 0.5)])
    assert failed(through, resealed(good, instance_digest=through.digest)) == "grid"


def test_what_a_search_has_so_far_lies_on_the_grid_too():
    points, told = kanon.Points(np.random.default_rng(2).random((400, 2)) * 5), []

    def heard(report):
        if report.solution is not None:
            kanon.verify(points, report.solution())
            told.append(report.lower_bound)

    kanon.generalize(points, 8, "balanced-kd-tree", snap=0.3, progress=heard)
    assert set(told) == {None}  # what no cuts along the grid reach, others may
