"""K-Optimize with several threads: the same costs and proofs, bounds that hold at any moment, an end when told so."""

import threading

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.tables.cuts import problem_of
from kanon_engine.tables.k_optimize import KOptimizeSearch
from tests.oracles.tables import least
from tests.tables.random_tables import plain, random_table
from tests.tables.test_k_optimize import adult

__all__ = ["adult"]


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("metric", ["DM", "CM"])
def test_random_tables_have_the_least_cost(metric):
    for seed in range(15):
        table = random_table(np.random.default_rng([seed, 4242]))
        rows, labels, cuts, sizes = plain(table)
        k, limit = min(3, len(table)), [0, 4, None][seed % 3]
        best = least(rows, labels, cuts, k, metric, limit, sizes, [1] * len(sizes))
        g = kanon.generalize(table, k, "k-optimize", metric=metric, suppression_limit=limit, threads=3)
        assert (g.cost, g.status) == (best, "optimal")


def test_adult_has_its_known_optimum_and_no_bound_was_ever_above_it(adult):
    known = 10_125_180
    problem, root = problem_of(adult, 50, "DM", 0)
    search = KOptimizeSearch(problem, root, known + 1, threads=2)
    bounds = []
    search.go_on(lambda: bounds.append(search.lower_bound()) or True)
    assert (search.done, search.best, search.lower_bound()) == (True, known, known)
    assert bounds == sorted(bounds)
    assert max(bounds) <= known
    assert search.nodes > 100


def test_a_search_that_is_stopped_goes_on(adult):
    known = 17_684_226
    problem, root = problem_of(adult, 250, "DM", 0)
    search = KOptimizeSearch(problem, root, known + 1, threads=2)
    calls = 0
    while not search.done:
        search.go_on(lambda: False)
        calls += 1
        assert search.lower_bound() <= known
    assert search.best == known
    assert calls > 0


@pytest.mark.thorough
def test_an_error_of_the_listener_ends_all_threads(adult):
    def listen(report):
        if report.done > 0:
            raise RuntimeError("enough")

    before = threading.active_count()
    with pytest.raises(RuntimeError, match="enough"):
        kanon.generalize(adult, 10, "k-optimize", suppression_limit=100, threads=2, progress=listen)
    assert threading.active_count() == before
