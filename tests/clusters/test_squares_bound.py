"""The lower bound on squares: true for any prices, worked out again by verify, and refused where it is forged."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.clusters.squares import Prices
from kanon_engine.verification import clusters as verifier
from kanon_engine.verification import codec
from tests.compiled import COMPILED, SHARE
from tests.corruption import sealed
from tests.oracles import clusters_squares as oracle
from tests.verification.proven import measured


def divided(points, k, prices):
    """What the verifier makes of prices; None where they are no witness."""
    rows = codec.from_memory(np.asarray(prices, dtype=float).reshape(-1, 4))
    claims = SimpleNamespace(details=SimpleNamespace(prices=rows), k=k, lower_bound=float("inf"))
    return verifier.BOUNDS["squared distances"](measured(kanon.MetricSpace(points)), claims, [])


def random_prices(rng, n):
    rows = []
    for _ in range(int(rng.integers(0, 12))):
        i, j, other = rng.permutation(n)[:3].tolist()
        rows += [[i, j, -1, rng.normal()], [i, j, other, abs(rng.normal())], [j, i, -1, rng.normal()]]
    return rows


def test_any_prices_prove_a_bound_that_is_at_most_the_optimum():
    rng = np.random.default_rng(0)
    for _ in range(60 // SHARE):
        points = rng.integers(0, 4, (int(rng.integers(4, 11)), 2)).astype(float)
        k = int(rng.integers(2, 5))
        if len(points) < 2 * k:
            continue
        prices = random_prices(rng, len(points))
        value = oracle.shared(points.tolist(), k, prices)
        best = oracle.best_partition(tuple(map(tuple, points.tolist())), k)
        assert value <= best + 1e-9
        found = divided(points, k, prices)
        assert found == pytest.approx(max(value, 0.0), abs=1e-9)
        assert found <= max(value, 0.0)


def test_prices_close_the_gap_and_are_what_verify_makes_of_them():
    points = np.random.default_rng(1).normal(size=(40 if COMPILED else 15, 3))
    space = kanon.MetricSpace(points)
    g = kanon.generalize(space, 3, "mdav")
    plain = kanon.generalize(space, 3, "mdav", improve=False)
    assert plain.details.prices.shape == (0, 4)
    assert plain.lower_bound == pytest.approx(oracle.shared(points.tolist(), 3, []), rel=1e-9)
    assert g.lower_bound == pytest.approx(oracle.shared(points.tolist(), 3, g.details.prices.tolist()), rel=1e-9)
    assert plain.lower_bound < 0.8 * g.cost
    if COMPILED:
        assert g.lower_bound > 0.93 * g.cost
    assert (g.details.prices[:, 2] >= 0).any()


def test_far_neighbors_that_are_no_pairs_do_not_raise_the_bound(monkeypatch):
    """With few pairs, what lies beyond them counts as near as it can be."""
    points = np.random.default_rng(2).normal(size=(60 if COMPILED else 20, 2))
    space = kanon.MetricSpace(points)
    monkeypatch.setattr("kanon_engine.clusters.squares.NEAR", 6)
    monkeypatch.setattr("kanon_engine.clusters.squares.ROUNDS", 300)
    prices = Prices(points, space.tree, 2)
    assert len(prices.low) < len(points) * (len(points) - 1) // 2
    while prices.ascend(30.0):
        pass
    bound, rows = prices.witness()
    assert 0 < bound.value <= oracle.shared(points.tolist(), 2, rows.tolist())
    assert divided(points, 2, rows) >= bound.value


def forged(g, **changes):
    return sealed(replace(g, **changes))


def test_forged_prices_and_bounds_are_refused():
    space = kanon.MetricSpace(np.random.default_rng(3).normal(size=(16, 2)))
    g = kanon.generalize(space, 3, "mdav")
    kanon.verify(space, g)
    rows = g.details.prices
    triangle = int(np.flatnonzero(rows[:, 2] >= 0)[0])
    wrong = [rows[: len(rows) // 2], rows[:, :3], np.vstack([rows, [[0, 0, -1, 1.0]]])]
    for place, column, value in ((0, 0, 99.0), (0, 0, 0.5), (0, 1, -1.0), (triangle, 3, -1.0), (triangle, 2, 99.0)):
        changed = rows.copy()
        changed[place, column] = value
        wrong.append(changed)
    for prices in wrong:
        with pytest.raises(kanon.CertificateError, match="bound witness"):
            kanon.verify(space, forged(g, details=replace(g.details, prices=prices)))
    curve = g.details.curve.copy()
    curve[-1, 2] = g.lower_bound * 1.001
    with pytest.raises(kanon.CertificateError, match="bound witness"):
        kanon.verify(space, forged(g, lower_bound=g.lower_bound * 1.001, details=replace(g.details, curve=curve)))


def test_other_arguments_are_refused_where_they_do_not_hold():
    space = kanon.MetricSpace(np.random.default_rng(4).normal(size=(16, 2)))
    g = kanon.generalize(space, 3, "mdav")
    for name in ("one cluster", "one column", "need", "none"):
        with pytest.raises(kanon.CertificateError, match="bound witness"):
            kanon.verify(space, forged(g, bound_name=name))
    line = kanon.MetricSpace(np.arange(9.0)[:, None] ** 2)
    g = kanon.generalize(line, 2, "mdav")
    curve = g.details.curve.copy()
    curve[-1, 2] = np.nextafter(g.lower_bound, np.inf)
    with pytest.raises(kanon.CertificateError):
        kanon.verify(line, forged(g, lower_bound=curve[-1, 2].item(), details=replace(g.details, curve=curve)))


def test_centers_of_squares_are_means():
    space = kanon.MetricSpace(np.random.default_rng(5).normal(size=(9, 2)))
    g = kanon.generalize(space, 3, "mdav")
    centers = g.details.centers.copy()
    centers[0] += 1e-9
    with pytest.raises(kanon.CertificateError, match="centers"):
        kanon.verify(space, forged(g, details=replace(g.details, centers=centers)))
