"""Hill climbing: what a step changes, local optima, the seed, the budget."""

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.tables.cuts import copied, problem_of
from kanon_engine.tables.cuts_kernels import HEAD, OUT, collapse, intervals, split
from kanon_engine.tables.hill_climb import descend
from kanon_engine.tables.hill_climb_kernels import merge_effects, split_effects, weigh_cells
from tests.compiled import compiled_only
from tests.oracles.tables import cost
from tests.tables.random_tables import plain, random_table

pytestmark = pytest.mark.kernels

METRICS = ("DM", "CM", "AVG", "LM")


def random_cuts(metric, count=15):
    """Problems with random cuts, and the plain way to cost and suppressed records."""
    for seed in range(count):
        rng = np.random.default_rng([seed, 5])
        table = random_table(rng, most_cuts=12)
        rows, labels, cuts, sizes = plain(table)
        k = int(rng.integers(2, 6))
        problem, root = problem_of(table, k, metric, [0, 4, None][seed % 3])
        kinds = np.where(rng.random(len(cuts)) < 0.4, HEAD, OUT).astype(np.int8)

        def price(kinds, rows=rows, labels=labels, cuts=cuts, k=k, sizes=sizes):
            chosen = [cuts[value] for value in np.flatnonzero(kinds == HEAD)]
            return cost(rows, labels, chosen, k, metric, sizes, [1] * len(sizes))

        yield problem, root, kinds, price


def flipped(kinds, value):
    other = kinds.copy()
    other[value] = HEAD if kinds[value] == OUT else OUT
    return other


@pytest.mark.parametrize("metric", METRICS)
def test_each_step_changes_what_the_plain_way_says(metric):
    for problem, root, kinds, price in random_cuts(metric):
        now = price(kinds)
        cells = collapse(problem, copied(root), intervals(problem, kinds)[0])
        assert weigh_cells(problem, cells, kinds) == now
        cost_change, suppression_change = merge_effects(problem, cells, kinds)
        for value in np.flatnonzero(kinds == HEAD):
            assert (now[0] + cost_change[value], now[1] + suppression_change[value]) == price(flipped(kinds, value))
        node = root
        for value in np.flatnonzero(kinds == HEAD):
            node = split(problem, node, value)
        cost_change, suppression_change = split_effects(problem, node, kinds)
        for value in np.flatnonzero(kinds == OUT):
            assert (now[0] + cost_change[value], now[1] + suppression_change[value]) == price(flipped(kinds, value))


@pytest.mark.parametrize("metric", METRICS)
def test_a_descent_ends_where_no_single_cut_helps(metric):
    for problem, root, kinds, price in random_cuts(metric):
        found = descend(problem, root, kinds)
        assert found == price(kinds)
        if found[1] > problem.limit:
            continue
        for value in range(len(kinds)):
            other, suppressed = price(flipped(kinds, value))
            assert other >= found[0] or suppressed > problem.limit


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.integers(0, 12, (400, 4)) // rng.integers(1, 4, (400, 4)), columns=list("abcd"))
    return kanon.Table(frame, list("abcd"))


def test_the_first_descent_never_suppresses_too_many(table):
    for limit in (0, 3):
        g = kanon.generalize(table, 5, "hill-climb", suppression_limit=limit, restarts=0)
        assert g.details.suppressed <= limit
        assert g.details.curve[:, 0].tolist() == [1]


@compiled_only
def test_more_restarts_are_never_worse_and_the_seed_decides(table):
    costs = [kanon.generalize(table, 5, "hill-climb", seed=1, restarts=count).cost for count in (0, 2, 10, 30)]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]
    one, two = (kanon.generalize(table, 5, "hill-climb", seed=2, restarts=5) for _ in range(2))
    assert np.array_equal(one.details.curve, two.details.curve)
    assert np.array_equal(one.assignment, two.assignment)


@compiled_only
def test_the_curve_falls(table):
    curve = kanon.generalize(table, 5, "hill-climb", restarts=30).details.curve
    assert len(curve) > 1
    assert (np.diff(curve[:, 0]) > 0).all()
    assert (np.diff(curve[:, 1]) < 0).all()
