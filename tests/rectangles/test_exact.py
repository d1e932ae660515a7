from dataclasses import replace
from importlib import import_module
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.model.known import FAMILIES
from kanon_engine.rectangles import bounds as bounds_small
from kanon_engine.rectangles import exact as caps
from kanon_engine.rectangles.exact import best_cuts as best_cuts_of_grid
from kanon_engine.rectangles.exact import cuts_of, tiles_up_to
from kanon_engine.rectangles.grid import grid_of, useful_lines
from tests.compiled import COMPILED, compiled_only
from tests.corruption import corrupted, failed, sealed
from tests.oracles.rectangles_exact import best_cuts, best_tiling
from tests.rectangles.samples import cross, thirteen

pytestmark = pytest.mark.kernels

exact_module = import_module("kanon_engine.rectangles.exact")  # the package holds the function by this name
FOLDER = Path(__file__).parents[2] / "sample_data"
PINWHEEL = np.array([[0, 0, 2, 1], [2, 0, 3, 2], [1, 2, 3, 3], [0, 1, 1, 3], [1, 1, 2, 2]])


def small(seed):
    """Few points: shared locations, lines and columns, points on one line, one location, heavy and equal weights."""
    rng = np.random.default_rng(seed)
    if seed % 10 == 7:  # every place of a 3 x 3 grid, where pinwheels can win
        return [(i, j) for i in range(3) for j in range(3)], rng.integers(1, 4, 9).tolist(), int(rng.integers(2, 5))
    n = int(rng.integers(1, 10))
    spread = rng.integers(1, 5, 2) if seed % 3 else rng.integers(3, 6, 2)
    xy = rng.integers(0, spread, (n, 2)).astype(float)
    if seed % 5 == 0:
        xy[:, 1] = xy[:, 0]  # on a slope
    weights = rng.integers(1, int(rng.integers(2, 9)), n)
    return [tuple(p) for p in xy.tolist()], weights.tolist(), int(rng.integers(1, max(2, min(weights.sum(), 12) + 2)))


def key(g):
    return g.cost, sum(w * w for w in g.class_weights.tolist())


@pytest.mark.thorough(one_in=6)
@compiled_only
@pytest.mark.parametrize("block", range(10))
def test_as_good_as_brute_force_on_small_sets(block):
    feasible = 0
    for seed in range(50 * block, 50 * block + 50):
        xy, weights, k = small(seed)
        points = kanon.Points(xy, weights)
        tiling, cuts = best_tiling(xy, weights, k), best_cuts(xy, weights, k)
        if tiling is None:
            with pytest.raises(kanon.Infeasible):
                kanon.generalize(points, k, "exact")
            continue
        feasible += 1
        free = kanon.generalize(points, k, "exact", guillotine=False)
        sliced = kanon.generalize(points, k, "exact", guillotine=True)
        assert (key(free), key(sliced)) == (tiling, cuts), seed
        assert free.lower_bound == sliced.lower_bound == tiling[0], seed
        assert free.status == "optimal"
        for algorithm in kanon.algorithms("rectangles"):
            g = kanon.generalize(points, k, algorithm.name)
            assert tiling[0] <= g.cost, seed
            assert g.guarantee is None or g.cost <= g.guarantee, seed
    assert feasible >= 40


def nine(weight=2):
    """A 3 x 3 grid with more in its middle."""
    return kanon.Points([(i, j) for i in range(3) for j in range(3)], [1, 1, 1, 1, weight, 1, 1, 1, 1])


def test_the_pinwheel_beats_all_cuts_from_side_to_side():
    free = kanon.generalize(nine(), 2, "exact", guillotine=False)
    sliced = kanon.generalize(nine(), 2, "exact", guillotine=True)
    assert free.class_weights.tolist() == [2] * 5
    assert free.details.splits.shape == (0, 3)
    assert (sliced.cost, sliced.lower_bound, sliced.status) == (3, 2, "feasible")
    assert key(sliced) == best_cuts(nine().xy.tolist(), nine().weights.tolist(), 2)


@compiled_only
def test_no_smaller_set_on_three_by_three_places():
    """All weights of 0 to 2: whatever is better than cuts uses all nine places and ten records or more."""
    cells = [(i, j) for i in range(3) for j in range(3)]
    beaten = []
    for weights in product(range(3), repeat=9):
        if sum(weights) < 10:  # five rectangles of 2
            continue
        table = np.array(weights).reshape(3, 3)
        largest = min(_largest(table, tiles, 2) for tiles in (PINWHEEL, PINWHEEL[:, [1, 0, 3, 2]]))
        if largest == np.inf:
            continue
        held = [cell for cell, weight in zip(cells, weights, strict=True) if weight]
        if largest < best_cuts(held, [weight for weight in weights if weight], 2)[0]:
            beaten.append((len(held), sum(weights), weights))
    assert min(beaten) == (9, 10, (1, 1, 1, 1, 2, 1, 1, 1, 1))


def _largest(table, tiles, k):
    loads = [table[a:c, b:d].sum() for a, b, c, d in tiles.tolist()]
    return max(loads) if min(loads) >= k else np.inf


@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_nothing_is_better_than_one_class_for_the_cross(k):
    points = kanon.Points(*cross(k))
    for guillotine in (True, False):
        g = kanon.generalize(points, k, "exact", guillotine=guillotine)
        assert (g.cost, g.classes, g.status, g.bound_kind) == (5 * k - 4, 1, "optimal", "checked")
    assert kanon.generalize(points, k, "kd-tree").cost == 5 * k - 4


@pytest.mark.parametrize("k", [2, 3, 10])
def test_the_thirteen_points_reach_k(k):
    g = kanon.generalize(kanon.Points(*thirteen(k)), k, "exact")
    assert (g.cost, g.status) == (k, "optimal")


def random_tiling(rng, count):
    """A tiling from random cuts of the box, each across one part."""
    parts = [(0, 0, 64, 64)]
    while len(parts) < count:
        a, b, c, d = parts.pop(int(rng.integers(len(parts))))
        if c - a > 1:
            x = int(rng.integers(a + 1, c))
            parts += [(a, b, x, d), (x, b, c, d)]
        else:
            parts.append((a, b, c, d))
        parts = [(y0, x0, y1, x1) for x0, y0, x1, y1 in parts]  # the next cut goes the other way
    return np.array(parts)


@pytest.mark.parametrize("seed", range(30))
def test_cuts_are_found_where_there_are_some(seed):
    rng = np.random.default_rng(seed)
    tiles = random_tiling(rng, int(rng.integers(1, 20)))
    splits, order = cuts_of(tiles)
    box = [tiles[:, 0].min(), tiles[:, 1].min(), tiles[:, 2].max(), tiles[:, 3].max()]
    parts = {0: box}
    for number, (part, axis, line) in enumerate(splits):
        mine = parts.pop(part)
        low, high = list(mine), list(mine)
        low[axis + 2] = high[axis] = line
        parts |= {2 * number + 1: low, 2 * number + 2: high}
    assert sorted(map(list, parts.values())) == sorted(tiles.tolist())
    assert sorted(order) == list(range(len(tiles)))


def test_a_pinwheel_deep_inside_is_no_sequence_of_cuts():
    beside = np.vstack([PINWHEEL, [[3, 0, 4, 3]]])
    assert cuts_of(PINWHEEL) is None
    assert cuts_of(beside) is None
    assert cuts_of(PINWHEEL[:, [1, 0, 3, 2]]) is None


def test_only_lines_with_k_on_both_sides_are_used():
    values, weights = np.array([0.0, 1, 1, 2, 3, 4]), np.array([1, 1, 1, 1, 1, 5])
    assert useful_lines(values, weights, 1).tolist() == [0.5, 1.5, 2.5, 3.5]
    assert useful_lines(values, weights, 3).tolist() == [1.5, 2.5, 3.5]
    assert useful_lines(values, weights, 6).tolist() == []


def test_all_tiles_between_k_and_the_cap():
    grid = grid_of(nine(), 1, 10**6)
    found = {tuple(tile) for tile in tiles_up_to(grid, 2, 3, 100).tolist()}
    boxes = [(a, b, c, d) for a in range(3) for b in range(3) for c in range(a + 1, 4) for d in range(b + 1, 4)]
    table = np.array([[1, 1, 1], [1, 2, 1], [1, 1, 1]])
    assert found == {(a, b, c, d) for a, b, c, d in boxes if 2 <= table[a:c, b:d].sum() <= 3}
    assert tiles_up_to(grid, 2, 3, len(found) - 1) is None
    assert len(tiles_up_to(grid, 2, 3, len(found))) == len(found)


def test_a_large_set_gets_the_best_that_was_found(monkeypatch):
    """The dynamic program then sees some of the lines only."""
    monkeypatch.setattr(exact_module, "TABLE", 45**2)  # of 9 columns and 9 rows
    monkeypatch.setattr(caps, "WORDS", 0)
    monkeypatch.setattr(bounds_small, "SMALL", 45**2)
    better = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        points = kanon.Points(rng.normal(size=(60, 2)), rng.integers(1, 30, 60))
        g = kanon.generalize(points, 90, "exact")
        tree = kanon.generalize(points, 90, "kd-tree")
        assert g.lower_bound <= g.cost <= tree.cost
        assert g.status == ("optimal" if g.cost == g.lower_bound else "stopped")
        assert g.details.cut == "exact"
        better += g.cost < tree.cost
    assert better > 0


def halving(monkeypatch, table=0):
    """Decide for one cap after the other, whatever the size."""
    monkeypatch.setattr(exact_module, "TABLE", table)


@pytest.mark.parametrize("block", range(4))
def test_one_cap_after_the_other_finds_the_same(block, monkeypatch):
    halving(monkeypatch)
    for seed in range(30 * block, 30 * block + 30):
        xy, weights, k = small(seed)
        if sum(weights) < k:
            continue
        points = kanon.Points(xy, weights)
        g = kanon.generalize(points, k, "exact")
        assert g.cost == best_cuts(xy, weights, k)[0], seed
        free = kanon.generalize(points, k, "exact", guillotine=False)
        assert free.cost == best_tiling(xy, weights, k)[0] == g.lower_bound, seed


def spread(seed, count=40):
    rng = np.random.default_rng(seed)
    return kanon.Points(rng.normal(size=(count, 2)), rng.integers(1, 30, count))


@pytest.mark.parametrize("seed", range(5))
def test_more_lines_than_a_word_has_bits(seed):
    """As the dynamic program over the same lines, which keeps a number for each rectangle."""
    points = spread(seed, 72 if COMPILED else 16)
    k = points.total // 7
    grid = grid_of(points, k, None)
    cost = int(grid.weights_of(best_cuts_of_grid(grid, k, points.total, False)).max())
    tiles, finished = caps.best_below(grid, k, k, points.total, lambda done, known: True)
    assert (int(grid.weights_of(tiles).max()), int(grid.weights_of(tiles).min()) >= k, finished) == (cost, True, True)
    assert cuts_of(tiles) is not None


@compiled_only
def test_caps_end_with_the_work_and_with_the_listener(monkeypatch):
    halving(monkeypatch)
    points = spread(1)
    k = points.total // 6
    grid = exact_module.searched_grid(points, k)
    ways = []
    best, finished = caps.best_below(grid, k, k, points.total, lambda done, known: ways.append((done, known)) is None)
    assert finished
    assert ways == sorted(ways, key=lambda way: (way[0], -way[1]))
    assert 0 < ways[0][0] <= ways[-1][0] <= 1
    cost = int(grid.weights_of(best).max())
    assert caps.best_below(grid, k, k, cost, lambda done, known: True) == (None, True)
    assert caps.best_below(grid, k, k, points.total, lambda done, known: False) == (None, False)
    monkeypatch.setattr(caps, "WORK", 4 * int(caps.work(*grid.shape)))
    tiles, finished = caps.best_below(grid, k, k, points.total, lambda done, known: True)
    assert not finished
    assert cost <= int(grid.weights_of(tiles).max()) < points.total
    monkeypatch.setattr(caps, "WORK", 0)
    monkeypatch.setattr(caps, "FEWEST", 0)
    g = kanon.generalize(points, k, "exact")
    assert g.status == ("optimal" if g.cost == g.lower_bound else "stopped")


def test_too_many_lines_are_said(monkeypatch):
    points = spread(2)
    promise = FAMILIES["rectangles"].promise
    options = {"guillotine": True, "snap": None}
    assert "too many" not in promise(points, 20, "exact", options)
    halving(monkeypatch, 45**2)
    monkeypatch.setattr(caps, "WORDS", 0)
    lines = [len(useful_lines(values, points.weights, 20)) for values in points.xy.T]
    words = promise(points, 20, "exact", options)
    assert words.endswith(
        f"; there are too many cuts to try all of them: {lines[0]} vertical and {lines[1]} horizontal lines have at "
        f"least 20 {points.unit} on each side"
    )
    assert "too many" not in promise(points, 20, "kd-tree", {"cut": "balanced", "snap": None})


def test_rectangles_of_a_tiling_as_tiles_of_the_grid():
    for seed in range(20):
        xy, weights, k = small(seed)
        if sum(weights) < k:
            continue
        points = kanon.Points(xy, weights)
        g = kanon.generalize(points, k, "kd-tree")
        grid = grid_of(points, k, None)
        tiles = grid.tiles_of(g.details.rectangles, points)
        assert grid.classes(tiles).tolist() == g.assignment.tolist()
        assert grid.weights_of(tiles).tolist() == g.class_weights.tolist()


@pytest.mark.parametrize("guillotine", [True, False])
def test_a_stopped_search_has_a_result_and_a_bound(guillotine):
    rng = np.random.default_rng(5)
    points = kanon.Points(rng.normal(size=(14, 2)), rng.integers(1, 30, 14))
    for patience in (0, 3, 40):
        reports = []

        def listen(report, reports=reports, patience=patience):
            reports.append(report)
            return len(reports) <= patience

        g = kanon.generalize(points, 41, "exact", guillotine=guillotine, progress=listen)
        best = kanon.generalize(points, 41, "exact", guillotine=guillotine)
        assert g.lower_bound <= best.cost <= g.cost
        assert g.status in ("stopped", "optimal")
        assert all(0 <= report.done <= 1 for report in reports)
        assert [r.best for r in reports] == sorted((r.best for r in reports), reverse=True)


def sample(name):
    return kanon.read_points(FOLDER / f"{name}.csv", x="x", y="y", weight="records", id="place")


def test_the_samples_show_what_they_are_there_for():
    cross_of_ten, pinwheel = sample("cross"), sample("pinwheel")
    for algorithm in kanon.algorithms("rectangles"):
        g = kanon.generalize(cross_of_ten, 10, algorithm.name)
        assert (g.classes, g.cost, g.status) == (1, 46, "optimal")
        assert kanon.generalize(pinwheel, 2, algorithm.name).cost >= 3
    assert kanon.generalize(pinwheel, 2, "exact").cost == 3
    free = kanon.generalize(pinwheel, 2, "exact", guillotine=False)
    assert (free.classes, free.cost, free.status) == (5, 2, "optimal")


@pytest.mark.parametrize("guillotine", [True, False])
def test_every_spoilt_field_is_caught(guillotine):
    points = nine()
    good = kanon.generalize(points, 2, "exact", guillotine=guillotine)
    free = {"seed", "seconds", "digest", "reading", "options"}  # no witness: covered by the digest alone
    for name, spoilt in corrupted(good):
        assert failed(points, spoilt), name
        if name not in free:
            assert failed(points, sealed(spoilt)), name


def test_a_tiling_without_cuts_must_be_asked_for_and_have_none():
    points = nine()
    pinwheel = kanon.generalize(points, 2, "exact", guillotine=False)
    asked = replace(pinwheel, options={**pinwheel.options, "guillotine": True}).sealed()
    assert failed(points, asked) == "rectangles"
    cut = kanon.generalize(points, 10, "exact", guillotine=False)
    assert cut.details.splits.shape == (0, 3)  # one rectangle
    halves = kanon.generalize(points, 3, "exact", guillotine=False)
    hidden = replace(halves, details=replace(halves.details, splits=np.empty((0, 3)))).sealed()
    assert halves.classes > 1
    assert failed(points, hidden) == "cuts"


def test_a_solver_s_word_is_exact_search_s_alone():
    rng = np.random.default_rng(7)
    points = kanon.Points(rng.integers(0, 8, (60, 2)), rng.integers(1, 9, 60))
    g = kanon.generalize(points, 20, "exact")
    assert (g.bound_kind, g.bound_name, g.status) == ("solver", "exact search", "optimal")
    other = kanon.generalize(points, 20, "kd-tree")
    claim = {"lower_bound": g.lower_bound, "bound_kind": "solver", "bound_name": g.bound_name, "bound_witness": ()}
    assert failed(points, replace(other, **claim).sealed()) == "bound kind"
