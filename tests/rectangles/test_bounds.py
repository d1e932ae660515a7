from dataclasses import replace

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.model.objective import Bound
from kanon_engine.rectangles import bounds as location_cells
from kanon_engine.rectangles.bounds import cells, least_sum, lower_bound, small_bounds
from kanon_engine.rectangles.bounds_kernels import least_rectangles, next_weight
from kanon_engine.rectangles.grid import grid_of, inner_span
from kanon_engine.verification import rectangles as verifier
from tests.oracles.rectangles import optimum, weigher
from tests.rectangles.samples import cross, random_points
from tests.verification.proven import lines_of

pytestmark = pytest.mark.kernels


def drawn(seed, spread=4):
    rng = np.random.default_rng(seed)
    xy, weights = random_points(rng, largest=8, spread=spread, heaviest=int(rng.integers(2, 10)))
    return xy, weights, int(rng.integers(1, max(2, weights.sum() + 1)))


@pytest.mark.parametrize("seed", range(300))
def test_never_above_the_optimum(seed):
    xy, weights, k = drawn(seed)
    points = kanon.Points(xy, weights)
    best = optimum([tuple(p) for p in xy.tolist()], weights.tolist(), k)
    bound = lower_bound(points, k)
    heaviest = int(points.location_weights.max())
    assert max(k, heaviest, -(-points.total // (points.total // k))) <= bound.value <= best
    assert all(other.value <= best for other in small_bounds(points, k))


@pytest.mark.parametrize(
    ("xy", "weights", "k", "value", "name", "witness"),
    [
        ([(0, 0), (1, 0)], [5, 5], 5, 5, "k", ()),
        ([(0, 0), (1, 0), (0, 0)], [5, 7, 6], 5, 11, "heaviest location", (0,)),
        ([(0, 0), (1, 0), (2, 0)], [9, 1, 1], 5, 11, "points that no cut can split", (0,)),
        ([(0, 0), (1, 0), (2, 0)], [1, 8, 5], 5, 9, "points that no cut can split", (0,)),
        (*cross(4), 4, 16, "points that no cut can split", (0,)),
        ([(i, 0) for i in range(7)], [1] * 7, 3, 4, "average class", (3,)),
        ([(0, 0), (1, 0), (2, 0)], [6, 2, 7], 5, 8, "average class", (6,)),
        ([(i, j) for i in range(3) for j in range(4)], [3] * 12, 4, 6, "least sum", (6,)),
        ([(i, 0) for i in range(6)], [8, 8, 6, 5, 6, 8], 7, 11, "locations per class", (3, 8)),
        ([(i, 0) for i in range(7)], [5, 2, 3, 4, 3, 2, 5], 5, 7, "least rectangle", (3,)),
        ([(i, 0) for i in range(5)], [5, 2, 3, 2, 5], 3, 7, "shares of rectangles", ()),
    ],
)
def test_each_argument_where_it_is_the_best(xy, weights, k, value, name, witness):
    points = kanon.Points(xy, weights)
    bound = lower_bound(points, k)
    assert (bound.value, bound.name, bound.witness) == (value, name, witness)
    assert value <= optimum(xy, weights, k)
    kanon.verify(points, kanon.generalize(points, k))


def claimed(points, k, bound):
    """A good result that names this bound."""
    g = kanon.generalize(points, k)
    status = "optimal" if g.cost == bound.value else "feasible"
    return replace(
        g,
        lower_bound=bound.value,
        bound_name=bound.name,
        bound_kind=bound.kind,
        bound_witness=bound.witness,
        status=status,
    ).sealed()


@pytest.mark.parametrize("seed", range(60))
def test_the_verifier_agrees_on_every_bound_and_on_no_other_value(seed):
    xy, weights, k = drawn(2000 + seed, spread=5)
    points = kanon.Points(xy, weights)
    found, heaviest, alone = cells(points, k)
    bounds = [
        Bound(int(found.max()), "heaviest location" if alone else "points that no cut can split", witness=(heaviest,)),
        *small_bounds(points, k),
    ]
    least = least_sum(found, k)
    bounds.append(Bound(least, "least sum", witness=(least,)))
    simple = max(k, int(weights.max()), -(-points.total // (points.total // k)))
    tested = 0
    for bound in bounds:
        if bound.value < simple:  # generalize would not name it
            continue
        tested += 1
        kanon.verify(points, claimed(points, k, bound))
        with pytest.raises(kanon.CertificateError):
            kanon.verify(points, claimed(points, k, replace(bound, value=bound.value + 1)))
        with pytest.raises(kanon.CertificateError):
            kanon.verify(points, claimed(points, k, replace(bound, witness=(*bound.witness, 0))))
    assert tested or len(found) > 1


@pytest.mark.parametrize("seed", range(60))
def test_least_rectangles_by_looking_at_all(seed):
    xy, weights, _ = drawn(seed, spread=6)
    k = int(np.random.default_rng(seed).integers(1, weights.sum() + 1))
    points = kanon.Points(xy, weights)
    grid = grid_of(points, 1, 10**6)
    weight, columns, rows = weigher([tuple(p) for p in xy.tolist()], weights.tolist())
    boxes = [
        (weight(a, b, c, d), a, b, c, d)
        for a in range(columns)
        for b in range(rows)
        for c in range(a + 1, columns + 1)
        for d in range(b + 1, rows + 1)
    ]
    across, up = (np.ascontiguousarray(side) for side in grid.cells.T)
    expected = [
        min(w for w, a, b, c, d in boxes if w >= k and a <= x < c and b <= y < d) for x, y in grid.cells.tolist()
    ]
    assert least_rectangles(grid.sums, across, up, k).tolist() == expected
    assert next_weight(grid.sums, k) == min(w for w, *_ in boxes if w >= k)


@pytest.mark.parametrize("seed", range(60))
def test_least_sums_by_looking_at_all(seed):
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 12, int(rng.integers(1, 9))) * int(rng.integers(1, 4))
    k = int(rng.integers(1, weights.sum() + 1))
    sums = {0}
    for weight in weights.tolist():
        sums |= {weight + other for other in sums}
    assert least_sum(weights, k) == min(s for s in sums if s >= k)


def test_sums_of_too_many_cells_are_not_looked_at():
    assert least_sum(np.full(20_000, 2), 199_999) == 200_000  # in units of 2
    assert least_sum(np.array([2] * 20_000 + [3, 500_001]), 400_003) == 400_003


@pytest.mark.parametrize("seed", range(40))
def test_lines_with_k_on_both_sides(seed):
    rng = np.random.default_rng(seed)
    values, weights = rng.integers(0, 9, 12).astype(float), rng.integers(1, 5, 12)
    k = int(rng.integers(1, weights.sum() + 1))
    between = [v for v in np.unique(values)[1:] if weights[values < v].sum() >= k <= weights[values >= v].sum()]
    span = inner_span(values, weights, k)
    if not between:
        assert span is None
    else:
        first = max(v for v in values if v < between[0])
        assert span == (first, between[-1])


def test_many_points_near_the_sides_stay_apart(monkeypatch):
    """Grouping them would take longer than it is worth; every location is a cell then, for the verifier too."""
    monkeypatch.setattr(location_cells, "LARGEST_STRIPS", 260)
    monkeypatch.setattr(verifier, "GROUPED_UP_TO", 260)
    rng = np.random.default_rng(3)
    points = kanon.Points(rng.integers(0, 12, (400, 2)))
    found, heaviest, alone = cells(points, 120)
    assert alone
    assert np.array_equal(found, points.location_weights)
    assert points.location_weights[points.locations[heaviest]] == found.max()
    bound = Bound(int(found.max()), "heaviest location", witness=(heaviest,))
    with pytest.raises(kanon.CertificateError, match="simple bound"):  # too low to be named, but what it says is true
        kanon.verify(points, claimed(points, 120, bound))
    fewer, _, _ = cells(points, 50)
    assert fewer.sum() == points.total
    assert len(fewer) < len(found)


def test_many_points_on_a_line_stay_apart_where_a_line_is_useful(monkeypatch):
    monkeypatch.setattr(verifier, "GROUPED_UP_TO", 10)
    along, weights = [(place, 0) for place in range(30)], np.ones(30, np.int64)
    for xy in (along, [(y, x) for x, y in along]):
        lines = lines_of(xy)
        assert verifier.cells_of(lines, weights, 2).cell is lines.location
        cell = verifier.cells_of(lines, weights, 16).cell  # no line has 16 on both sides
        assert len(np.unique(cell)) == 1
