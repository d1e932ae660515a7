"""Duels against brute force; of every tight instance the cost by a formula of its proof and the optimum."""

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.known import FAMILIES
from kanon_engine.teaching.studies.beat import MOST, MOST_LINES, duel, opponents, worst_cuts
from kanon_engine.teaching.studies.instances import TIGHT
from kanon_engine.teaching.studies.plot import duel_figure
from tests.oracles import cells, clusters_radius
from tests.oracles import labels as label_oracle
from tests.oracles import rectangles as rectangle_oracle
from tests.oracles import regions as region_oracle

# name → ks, cost and optimum by k
FORMULAS = {
    "thirteen-places": ((2, 5, 9), lambda k: 5 * k - 4, lambda k: k),
    "four-arms": ((5, 10, 20), lambda k: 5 * k - 4, lambda k: k),
    "fold": ((3, 5, 11), lambda k: 3 * k - 3, lambda k: k),
    "spread": ((2, 10, 50), lambda k: 3 * k - 3, lambda k: 3 * k - 3),
    "five-halves": ((9, 13, 21, 37), lambda k: 5 * (k - 1) // 2, lambda k: k + 1),
    "two-approximation": ((10, 12, 20), lambda k: 2 * k, lambda k: k),
    "star": ((2, 10, 33), lambda k: k + 4 * (k - 1), lambda k: k + 4 * (k - 1)),
    "seven-areas": ((3,), lambda k: 3 * k - 3, lambda k: k),
    "gather-line": ((3,), lambda k: 4, lambda k: 2),
    "mondrian": ((3, 4), lambda k: (5 * k - 3) ** 2, lambda k: (5 * k - 3) ** 2),
    "rare-records": ((3, 5), lambda k: 3 * (2 * k - 1), lambda k: k),
}
EVERY = [(name, k) for name, (ks, _, _) in FORMULAS.items() for k in ks]


def by_brute_force(instance, k):
    """The optimum without anything of the engine; None where there are too many items for that."""
    if isinstance(instance, kanon.Labels):
        counts = instance.counts.tolist()
        return label_oracle.optimum(counts, k)[0] if len(counts) <= 10 else None
    if isinstance(instance, kanon.Regions):
        return region_oracle.optimum(instance.weights.tolist(), instance.edges.tolist(), k)
    if isinstance(instance, kanon.Points):
        places = [tuple(place) for place in instance.xy.tolist()]
        return rectangle_oracle.optimum(places, instance.weights.tolist(), k) if len(places) <= 13 else None
    if isinstance(instance, kanon.MetricSpace):
        apart = np.abs(instance.points[:, None] - instance.points[None]).max(axis=2)  # all on one line
        return clusters_radius.least_radius(apart, [1] * len(instance), k)
    return None


def test_every_preset_has_its_formula():
    assert set(TIGHT) == set(FORMULAS)
    assert all(TIGHT[name].k in ks for name, (ks, _, _) in FORMULAS.items())


@pytest.mark.parametrize(("name", "k"), EVERY)
def test_a_tight_instance_is_as_bad_as_it_says(name, k):
    preset, (_, cost, optimum) = TIGHT[name], FORMULAS[name]
    found = preset.duel(k)
    assert found.optimum_is_proven
    assert (found.cost, found.optimum) == (cost(k), optimum(k))
    assert found.ratio == cost(k) / optimum(k)
    assert found.best.cost == found.optimum
    assert found.cost <= found.ceiling
    if preset.attained:
        assert found.ceiling == pytest.approx(found.cost, rel=1e-5)  # that of a radius is rounded up
    plain = by_brute_force(preset.instance(k), k)
    assert plain in (None, found.optimum)


def test_five_halves_comes_near_its_ratio():
    ratios = [TIGHT["five-halves"].duel(k).ratio for k in (9, 21, 37)]
    assert ratios == sorted(ratios)
    assert ratios[0] < ratios[-1] < 5 / 2


def a_table(rng):
    frame = pd.DataFrame(rng.integers(0, 3, (7, 2)), columns=["x", "y"])
    return kanon.Table(frame, ["x", "y"])


def an_instance(family, rng):
    weights = rng.integers(1, 9, 7)
    if family == "labels":
        return kanon.Labels(range(7), weights)
    if family == "rectangles":
        return kanon.Points(rng.integers(0, 4, (7, 2)), weights)
    if family == "regions":
        extra = [pair for pair in ((0, 2), (1, 4), (2, 6), (3, 5)) if rng.random() < 0.5]
        return kanon.Regions(range(7), weights, [(i, i + 1) for i in range(6)] + extra)
    return a_table(rng) if family == "tables" else kanon.MetricSpace(rng.integers(0, 6, (7, 1)))


PLAYERS = [(family, opponent.name) for family in FAMILIES for opponent in opponents(family)]


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize(("family", "name"), PLAYERS)
def test_a_cost_lies_between_the_optimum_and_the_ceiling(family, name):
    rng = np.random.default_rng(7)
    for _ in range(5):
        instance = an_instance(family, rng)
        k = 2 if family in ("tables", "clusters") else int(rng.integers(2, 10))
        found = duel(instance, k, name)
        kanon.verify(instance, found.g)
        kanon.verify(instance, found.best)
        assert found.optimum_is_proven
        assert found.optimum <= found.cost
        assert found.ratio >= 1
        assert found.ceiling is None or found.cost <= found.ceiling
        if family in ("labels", "regions", "rectangles"):
            assert found.optimum == by_brute_force(instance, k)
        if name in ("rare-records", "cell-suppression"):
            assert found.optimum == cells.by_partitions([tuple(row) for row in instance.frame.to_numpy().tolist()], k)


def test_worst_cuts_are_the_worst_of_all():
    rng = np.random.default_rng(11)
    worse = 0
    for _ in range(60):
        xy, weights = rng.integers(0, 5, (9, 2)), rng.integers(1, 5, 9)
        k = int(rng.integers(2, 8))
        points = kanon.Points(xy, weights)
        places = [tuple(place) for place in points.xy.tolist()]
        least, greatest = rectangle_oracle.kd_extremes(places, points.weights.tolist(), k)
        assert worst_cuts(points, k).class_weights(points).max() == greatest
        worse += greatest > least
    assert worse > 20


def test_a_bound_stands_in_for_an_optimum_that_nobody_knows(monkeypatch):
    """Where the exact search ends without a proof, the ratio can only be smaller than what is told."""
    monkeypatch.setattr("kanon_engine.teaching.studies.beat.SECONDS", 1e-9)
    rng = np.random.default_rng(1)
    space = kanon.MetricSpace(rng.random((60, 2)).round(3))
    found = duel(space, 7, "packing-alone")
    assert not found.optimum_is_proven
    assert found.optimum < found.best.cost <= found.cost
    assert found.ratio == found.cost / found.optimum


def test_what_cannot_be_played():
    with pytest.raises(kanon.InvalidInput, match="too many"):
        duel(kanon.Labels(range(MOST + 1), [1] * (MOST + 1)), 2, "fold")
    with pytest.raises(kanon.UnknownAlgorithm, match="spread"):
        duel(kanon.Labels(range(3), [1, 2, 3]), 2, "quickest")
    many = MOST_LINES + 1
    with pytest.raises(kanon.InvalidInput, match=f"{many} different values of x"):
        duel(kanon.Points([(x, 0) for x in range(many)]), 2, "worst-cuts")


@pytest.mark.parametrize("name", TIGHT)
def test_the_picture_has_a_line_for_each_number(name):
    found = TIGHT[name].duel()
    figure = duel_figure(found, "cost")
    assert figure.data[0].x == (found.cost,)
    assert [line.x0 for line in figure.layout.shapes] == [found.optimum, found.ceiling]
    assert figure.layout.xaxis.range[0] == 0
