"""gather and exact for the radius against brute force; each step on its own; spoilt results are refused."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.clusters.gather import by_width, packed
from kanon_engine.clusters.gather_flow import around_balls, around_points, attempt, least_diameter
from kanon_engine.clusters.gather_repair import improved
from kanon_engine.clusters.nearest import nearest, need_of, pairs_within, within
from kanon_engine.model.objective import Bound
from tests.clusters.small_spaces import small_space
from tests.oracles import clusters_radius as oracle

FOLDER = Path(__file__).parents[2] / "sample_data"


def cases(count, seed, most=8, counts=None):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        space = small_space(rng, most, counts)
        k = int(rng.integers(1, max(2, space.total // 2 + 2)))
        yield space, min(k, space.total)


def matrix_of(space):
    return space.between(np.arange(len(space)))


def against_brute_force(count, seed, algorithms):
    """Feasible, between the optimum and the proven ratio, the bound at most the optimum."""
    seen = Counter()
    for space, k in cases(count, seed):
        apart, weights = matrix_of(space), space.weights.tolist()
        least = oracle.least_radius(apart, weights, k)
        for algorithm in algorithms:
            g = kanon.generalize(space, k, algorithm, centers="input")
            assert g.class_weights.min() >= k
            assert g.lower_bound <= least <= g.cost, (space.metric, k)
            if algorithm == "exact":
                assert (g.cost, g.status) == (least, "optimal"), (space.metric, k)
            else:
                assert g.cost <= g.guarantee
                seen[g.bound_name] += 1
                seen["best"] += g.cost == least
            if space.metric != "euclidean":
                continue
            free = oracle.least_free_radius(space.points, weights, k)
            g = kanon.generalize(space, k, algorithm)
            assert g.lower_bound <= free * (1 + 1e-5)
            assert g.cost >= free * (1 - 1e-9)
            if algorithm == "exact":
                assert g.cost <= free * (1 + 3e-5), (space.points, k)
            else:
                assert g.cost <= g.guarantee
                seen[g.bound_name] += 1
                means = kanon.generalize(space, k, algorithm, centers="means")
                assert means.guarantee is None
                assert means.lower_bound <= free * (1 + 1e-5) <= means.cost * (1 + 3e-5)
    return seen


def test_small_metrics_against_brute_force():
    seen = against_brute_force(60, 1, ("gather", "exact"))
    assert seen["best"] >= 55
    assert min(seen["need"], seen["least disc"]) >= 10


@pytest.mark.thorough
def test_many_small_metrics_against_brute_force():
    seen = against_brute_force(300, 2, ("gather", "exact"))
    assert seen["best"] >= 290
    assert set(seen) >= {"need", "least disc", "exact search"}


def test_need_by_its_definition():
    for space, k in cases(80, 3):
        found = nearest(space, k)
        apart, weights = matrix_of(space), space.weights.tolist()
        rho = [oracle.ball_radius(apart, weights, place, k) for place in range(len(space))]
        assert found.rho.tolist() == rho
        assert found.need.max() == oracle.need(apart, weights, k) == need_of(space, int(found.need.argmax()), k)
        for place in range(len(space)):
            ball = found.ball(place)
            assert ball[0] == place
            assert space.weights[ball].sum() >= k
            assert apart[place][ball].max() == rho[place]


def test_neighbors_are_those_of_all_distances():
    for space, _ in cases(60, 4):
        apart = matrix_of(space)
        width = float(np.sort(apart, axis=None)[apart.size // 2])
        for place in range(len(space)):
            assert within(space, place, width).tolist() == np.flatnonzero(apart[place] <= width).tolist()
        rows, points, far = pairs_within(space, np.arange(len(space)), width)
        assert sorted(zip(rows, points, strict=True)) == sorted(zip(*np.nonzero(apart <= width), strict=True))
        assert far.tolist() == apart[rows, points].tolist()


def test_neighbors_are_looked_up_again_where_there_are_too_many_to_keep(monkeypatch):
    space = kanon.MetricSpace(np.random.default_rng(5).random((40, 2)))
    kept = nearest(space, 4)
    monkeypatch.setattr("kanon_engine.clusters.nearest.KEPT", 10)
    monkeypatch.setattr("kanon_engine.clusters.nearest.BLOCK", 40)
    again = nearest(space, 4)
    assert again.need.tolist() == kept.need.tolist()
    assert [again.ball(place).tolist() for place in range(40)] == [kept.ball(place).tolist() for place in range(40)]


def test_packed_keeps_three_times_the_need_of_every_point():
    farthest = 0.0
    for space, k in cases(150, 6, most=14):
        found = nearest(space, k)
        owner = packed(found)
        sums = np.bincount(owner, weights=space.weights, minlength=len(space))
        assert all(total >= k for total in sums[np.unique(owner)])
        apart = space.paired(np.arange(len(space)), owner)
        assert (apart <= 3 * found.need * (1 + 1e-9) + 1e-5).all()
        farthest = max(farthest, float((apart[found.need > 0] / found.need[found.need > 0]).max(initial=0.0)))
    assert farthest > 1.9  # the ratio is not for nothing


def test_an_attempt_succeeds_or_says_why_it_fails():
    seen = Counter()
    for space, k in cases(100, 7, counts=False):
        found = nearest(space, k)
        apart, weights = matrix_of(space), space.weights.tolist()
        for width in np.unique(apart).tolist():
            made = attempt(found, width)
            spread = apart[np.ix_(made.centers, made.centers)]
            assert (spread[~np.eye(len(spread), dtype=bool)] > width).all()
            seen[made.succeeded] += 1
            if made.succeeded:
                sizes = np.bincount(made.assignment, minlength=len(made.centers))
                assert sizes.min() >= k
                assert (apart[np.arange(len(space)), made.centers[made.assignment]] <= width).all()
            else:
                witness = made.witness.tolist()
                assert oracle.fails(apart, weights, witness, width, k)
                next_width = least_diameter(space, k, made.witness, width)
                assert next_width > width
                assert oracle.fails(apart, weights, witness, np.nextafter(next_width, 0), k)
                assert not oracle.fails(apart, weights, witness, next_width, k)
    assert min(seen.values()) > 40


def test_success_is_not_monotone_in_the_width():
    """ERRATA 13: the width that succeeds below one that fails proves nothing; the failure is the bound."""
    for seed in range(400):
        rng = np.random.default_rng(seed)
        space = kanon.MetricSpace(rng.integers(0, 12, (5, 2)))
        found = nearest(space, 2)
        widths = np.unique(matrix_of(space)).tolist()
        went = [attempt(found, width).succeeded for width in widths]
        if True in went and False in went[went.index(True) :]:
            least = oracle.least_radius(matrix_of(space), [1] * 5, 2)
            largest = widths[len(went) - 1 - went[::-1].index(False)]
            assert 2 * least > largest
            return
    raise AssertionError("no such space was found")


def test_the_search_of_widths_alone_keeps_ratio_two():
    for space, k in cases(60, 8, counts=False):
        found = nearest(space, k)
        everything = around_points(space, np.zeros(len(space), dtype=np.int64))
        best, bound = by_width(found, everything, Bound(0.0, "k"), True, lambda: True)
        least = oracle.least_radius(matrix_of(space), space.weights.tolist(), k)
        assert bound.value <= least <= best.cost <= 2 * bound.value * (1 + 1e-9) + 1e-3


def test_local_improvement_never_widens():
    smaller = 0
    for space, k in cases(60, 9, most=30):
        for fixed in {True, not space.free}:
            first = around_points(space, packed(nearest(space, k)))
            if not fixed:
                first = around_balls(space, first.assignment)
            assert improved(space, k, first, fixed, lambda: False) is first
            better = improved(space, k, first, fixed)
            assert better.cost <= first.cost
            sums = np.bincount(better.assignment, weights=space.weights)
            assert sums.min() >= k
            smaller += len(sums) > len(first.details.radii)
    assert smaller > 0


def test_half_a_distance_counts_where_the_triangle_inequality_holds():
    matrix = [[0, 1, 9], [1, 0, 1], [9, 1, 0]]
    assert kanon.MetricSpace(matrix, "precomputed").definitions.half(9.0) == 0.0
    g = kanon.generalize(kanon.MetricSpace(matrix, "precomputed"), 3)
    assert (g.cost, g.lower_bound, g.guarantee) == (1.0, 1.0, None)


FORGED = {
    "need": ([[0.0, 0], [1, 0], [5, 0], [5, 2], [9, 9]], 2, "input"),
    "least disc": ([[0.0, 0], [1, 0], [5, 0], [5, 2], [9, 9]], 2, "any"),
    "centers apart": ([[0.0, 0, 0], [1, 0, 0], [5, 0, 0], [5, 2, 0], [9, 9, 0]], 2, "any"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_bound_is_refused(name):
    points, k, centers = FORGED[name]
    space = kanon.MetricSpace(points)
    g = kanon.generalize(space, k, centers=centers)
    assert g.bound_name == name
    for witness in (), (0, 0), (99,), (-1,), (1,), ("0",):
        with pytest.raises(kanon.CertificateError, match="bound witness|form"):
            kanon.verify(space, replace(g, bound_witness=witness).sealed())
    other = "need" if centers == "any" else "least disc"
    for spoilt in (
        {"lower_bound": g.lower_bound * (1 + 1e-4)},
        {"lower_bound": g.lower_bound * (1 - 1e-4)},
        {"bound_name": other},
        {"bound_name": "no such bound"},
        {"guarantee": g.guarantee * 2},
        {"guarantee": None},
    ):
        with pytest.raises(kanon.CertificateError):
            kanon.verify(space, replace(g, **{"status": "feasible"} | spoilt).sealed())


def test_forged_radii_and_centers_are_refused():
    space = kanon.MetricSpace(np.random.default_rng(3).random((30, 2)))
    for centers in "any", "input":
        g = kanon.generalize(space, 4, centers=centers)
        details = g.details
        moved = details.centers + 1e-3
        for spoilt in (
            replace(details, radii=details.radii * 0.99),
            replace(details, centers=moved),
            replace(details, places=np.roll(details.places, 1))
            if centers == "input"
            else replace(details, centers=-moved),
        ):
            with pytest.raises(kanon.CertificateError):
                kanon.verify(space, replace(g, details=spoilt).sealed())
        with pytest.raises(kanon.CertificateError):
            kanon.verify(space, replace(g, cost=g.cost * 0.99).sealed())


def test_figure_1_1_and_means():
    """ERRATA 10: with means as centers a clustering of ratio 1 becomes one of 1.727."""
    people = kanon.MetricSpace([(1, 0), (3, 0), (9, 12), (9, 9), (9, 6)])
    g = kanon.generalize(people, 2)
    assert (g.cost, g.status, sorted(g.class_weights.tolist())) == (3.0, "optimal", [2, 3])
    line = kanon.MetricSpace([[-1.0]] * 9 + [[0.0], [1.0]])
    assert kanon.generalize(line, 11).cost == 1.0
    assert kanon.generalize(line, 11, centers="means").cost == pytest.approx(1 + 8 / 11, abs=1e-5)


def test_mixed_records_are_given_out_anew():
    """Among eight columns of Adult the balls are large and overlap: no neighborhood can be mended by itself."""
    columns = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]
    people = kanon.read_records(FOLDER / "adult_2000.parquet", columns, "gower")
    g = kanon.generalize(people, 11, centers="input")
    assert (g.cost, g.bound_name, g.bound_kind) == (g.lower_bound, "need", "checked")
    assert g.classes > 40


def test_short_questions_about_all_points_prove_the_optimum():
    """No neighborhood of a few points refutes these widths."""
    for count, k in (200, 25), (200, 40):
        g = kanon.generalize(kanon.MetricSpace(np.random.default_rng(1).random((count, 2))), k, centers="input")
        assert (g.cost, g.bound_name) == (g.lower_bound, "exact search")


def test_all_is_found_again_and_can_be_stopped():
    space = kanon.MetricSpace(np.random.default_rng(11).random((30, 2)))
    for algorithm in "gather", "exact":
        for centers in "any", "input":
            one, two = (kanon.generalize(space, 6, algorithm, centers=centers, seed=3) for _ in range(2))
            assert one.assignment.tolist() == two.assignment.tolist()
            assert one.cost <= kanon.generalize(space, 6, "gather", centers=centers, seed=3).cost
            stopped = kanon.generalize(space, 6, algorithm, centers=centers, progress=lambda said: False)
            assert stopped.cost >= stopped.lower_bound


def test_exact_refuses_what_it_cannot_do():
    with pytest.raises(kanon.InvalidInput, match="up to 3,000 points"):
        kanon.generalize(kanon.MetricSpace(np.arange(3_001)[:, None]), 2, "exact")
