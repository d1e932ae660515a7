"""The cheapest cellular clusterings of few points against brute force."""

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.clusters.exact import FREE_POINTS, exact_cellular
from kanon_engine.model.run import Run
from kanon_engine.search.search_kernels import cheapest_classes
from tests import compiled
from tests.clusters.test_r_cellular import least_cost, small_cases

pytestmark = pytest.mark.kernels


def test_small_metrics_have_the_least_cost():
    for space, k, _ in list(small_cases(31))[:: 1 if compiled.THOROUGH else 3]:
        found = exact_cellular(space, k, Run(), centers="input")
        best = least_cost(space, k, "input", 0.0)
        assert found.cost == pytest.approx(best, rel=1e-12)
        assert found.bound.value == found.cost


def test_free_centers_have_the_least_cost():
    for space, k, _ in list(small_cases(32, most=6))[:: 1 if compiled.THOROUGH else 4]:
        found = exact_cellular(space, k, Run(), centers="any")
        if space.metric != "haversine":
            assert found.cost == pytest.approx(least_cost(space, k, "any", 0.0), rel=2e-5)
        assert found.bound.value == found.cost


@pytest.mark.parametrize(
    ("k", "counts"),
    [
        (299_999_999, [116_669_533, 189_604_224, 141_398_770, 245_722_716, 306_604_754]),
        (19_999_999_999, [21_846_307_120, 23_399_897_989, 20_322_641_028, 14_433_266_537, 19_997_887_323]),
        (755_530_239_631, [412_450_158_995, 415_884_973_591, 630_646_787_401, 584_054_263_485, 376_676_972_920]),
        (10**14 // 2 - 1, [37_153_940_938_384, 92_019_355_722_673, 629_510_442_845_803, 58_408_227_634_140]),
        (10**6, [10**6 - 1, 1, 10**6 - 1, 2, 10**6 - 3]),
    ],
)  # fmt: skip
def test_so_many_records_that_steps_are_coarse(k, counts):
    """Radii were rounded to steps of 2⁻⁶⁰ of all costs, so that from 10⁹ records on bounds were above the optimum."""
    for seed in range(3):
        points = np.random.default_rng(seed).random((len(counts), 2)) * 100
        space = kanon.MetricSpace(points, counts=counts)
        found = exact_cellular(space, k, Run(), centers="input")
        best = least_cost(space, k, "input", 0.0)
        assert found.bound.value <= best * (1 + 1e-12)
        assert found.cost == pytest.approx(best, rel=1e-12)


def test_of_more_points_with_free_centers_little_is_proven():
    space = kanon.MetricSpace(np.random.default_rng(1).normal(size=(FREE_POINTS + 1, 2)))
    found = exact_cellular(space, 3, Run(), centers="any")
    assert found.bound.kind == "checked"
    assert found.bound.value < found.cost


def test_twenty_points_are_solved():
    space = kanon.MetricSpace(np.random.default_rng([0, 20]).random((20, 2)))
    found = exact_cellular(space, 3, Run(), centers="input")
    assert found.cost == pytest.approx(3.3550076778775852, rel=1e-12)  # also by CP-SAT
    assert (found.bound.kind, found.bound.value) == ("solver", found.cost)


def test_the_cheapest_classes_are_those_of_the_plain_twin():
    def best(left, costs):
        if not left:
            return 0.0
        low = left & -left
        parts = (part for part in range(left + 1) if part & left == part and part & low)
        return min(costs[part] + best(left ^ part, costs) for part in parts)

    for seed in range(20 if compiled.COMPILED else 3):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 7))
        costs = rng.integers(1, 30, 1 << n).astype(float)
        costs[rng.random(1 << n) < 0.3] = np.inf
        class_of = np.zeros(n, dtype=np.int64)
        cost = cheapest_classes(costs, class_of)
        assert cost == best((1 << n) - 1, costs)
        if cost < np.inf:
            sets = [int((1 << np.flatnonzero(class_of == number)).sum()) for number in range(class_of.max() + 1)]
            assert sum(costs[own] for own in sets) == cost
