"""The radius around a free center is one number for the search and the verifier, wherever rounding puts it."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.model.known import FAMILIES
from kanon_engine.verification.metric import rounded_up
from tests.corruption import refused
from tests.verification.checked import certificate_failures

CHOICES = [
    (name, {"centers": centers} | ({} if cost is None else {"cost": cost}))
    for name, algorithm in FAMILIES["clusters"].algorithms.items()
    for option in algorithm.options
    if option.name == "centers"
    for centers in option.choices
    for cost in next((other.choices for other in algorithm.options if other.name == "cost"), [None])
]


def accepted(space, g):
    return certificate_failures(space, g.to_json()) == []


def decimals(seed, most=10):
    """Points with 0 to 3 decimals, and a k that they allow."""
    draw = random.Random(seed)
    digits_, width, scale = draw.randrange(4), draw.choice((1, 2)), draw.choice((1, 10, 1000))
    points = [[round(draw.random() * scale, digits_) for _ in range(width)] for _ in range(draw.randint(2, most))]
    return kanon.MetricSpace(points), draw.randint(1, max(1, len(points) // 2))


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("cost", ["radius", "cellular"])
@pytest.mark.parametrize("far", [0, 1_000])
def test_pairs_of_one_decimal_have_half_their_distance(cost, far):
    draw = random.Random(3)
    for _ in range(25):
        one, other = draw.sample(range(10), 2)
        space = kanon.MetricSpace([[far + one / 10], [far + other / 10]])
        g = kanon.generalize(space, 2, "exact", cost=cost, centers="any")
        radius = abs(one - other) * 5 / 100
        assert (g.cost, g.status) == (radius if cost == "radius" else 2 * radius, "optimal")
        assert accepted(space, g)


@pytest.mark.thorough(one_in=4)
@pytest.mark.parametrize(("name", "options"), CHOICES, ids=str)
def test_every_choice_of_centers_passes_its_own_check(name, options):
    for seed in range(12):
        space, k = decimals(seed, 7)
        assert accepted(space, kanon.generalize(space, k, name, **options))


@pytest.mark.parametrize("far", [1e6, 1e9])
def test_points_that_floats_hardly_tell_apart_prove_no_more_than_they_can(far):
    for seed in range(4):
        draw = random.Random(seed)
        space = kanon.MetricSpace([[far + draw.randrange(10) / 10, draw.randrange(10) / 10] for _ in range(5)])
        for cost in ("radius", "cellular"):
            g = kanon.generalize(space, 2, "exact", cost=cost, centers="any")
            assert g.lower_bound <= g.cost
            assert accepted(space, g)


def test_a_radius_by_which_nothing_is_forgiven_passes_and_no_other():
    space = kanon.MetricSpace([[0.1], [0.4]])
    g = kanon.generalize(space, 2, "r-cellular")
    assert g.details.radii.tolist() == [0.15]
    strict = rounded_up(float(space.from_center(g.details.centers[0]).max()))
    assert strict == 0.150001
    before = replace(g, cost=2 * strict, details=replace(g.details, radii=np.array([strict]))).sealed()
    kanon.verify(space, before)
    assert accepted(space, before)
    for radius in (0.149999, 0.150002):
        changed = replace(g.details, radii=np.array([radius]))
        assert refused(space, g, cost=2 * radius, details=changed) == "radii"


def test_places_on_the_globe_that_need_no_radius_have_the_bound_zero():
    places = [[11.6, 50.1], [11.5, 50.7], [11.7, 52.0], [11.5, 51.4], [10.6, 51.3], [11.6, 51.1], [10.5, 51.5]]
    space = kanon.MetricSpace([*places, [11.0, 51.2], [10.6, 50.3], [10.2, 51.0]], "haversine")
    g = kanon.generalize(space, 1, "exact", cost="radius", centers="any")
    assert g.lower_bound == 0 <= g.cost < 2e-5
    assert accepted(space, g)
