"""The search step by step: what is open always holds something as good as the best there is, and bounds hold."""

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.tables.cuts import MOST_PAIRED, problem_of
from kanon_engine.tables.cuts_kernels import HEAD, OUT, TAIL
from kanon_engine.tables.k_optimize import KOptimizeSearch
from tests.compiled import SHARE
from tests.oracles.tables import cost
from tests.tables.random_nodes import METRICS, NEVER
from tests.tables.random_tables import plain, random_table


def random_searches(metric, count):
    """Search problems with the cost of each set of cuts, NEVER where too much is suppressed; sets are bit masks."""
    for seed in range(count):
        rng = np.random.default_rng([seed, 5])
        table = random_table(rng, most_cuts=7)
        rows, labels, cuts, sizes = plain(table)
        if not cuts:
            continue
        problem, root = problem_of(table, min(int(rng.integers(1, 9)), len(table)), metric, [0, 4, None][seed % 3])
        prices = []
        for mask in range(1 << len(cuts)):
            chosen = [cut for place, cut in enumerate(cuts) if mask >> place & 1]
            total, lost = cost(rows, labels, chosen, problem.k, metric, sizes, [1] * len(sizes))
            prices.append(total if lost <= problem.limit else NEVER)
        yield problem, root, np.array(prices)


def held(kinds):
    """Which sets of cuts have all HEAD values and no OUT value."""
    masks = np.arange(1 << len(kinds))
    heads, outs = mask_of(kinds == HEAD), mask_of(kinds == OUT)
    return (masks & heads == heads) & (masks & outs == 0)


def mask_of(chosen):
    return int((1 << np.flatnonzero(chosen)).sum())


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("metric", METRICS)
def test_no_step_loses_what_is_better_and_all_bounds_hold_between_steps(metric):
    steps = conflicts = 0
    for problem, root, prices in random_searches(metric, 150 // min(SHARE, 4)):
        goal = int(prices.min())
        masks = np.arange(len(prices))
        for ceiling in (NEVER * 4, goal + 1, goal, max(goal - 1, 0)):
            search = KOptimizeSearch(problem, root, ceiling)
            while not search.done:
                search.step()
                steps += 1
                assert search.lower_bound() <= goal
                for frame in search.frames:
                    there = held(frame.kinds)
                    assert frame.bound <= prices[there].min() or search.best <= prices[there].min()
                    for v, w in np.argwhere(frame.conflict & (frame.kinds == TAIL) & (frame.kinds == TAIL)[:, None]):
                        both = there & (masks >> v & masks >> w & 1 == 1)
                        assert prices[both].min() >= search.best
                        conflicts += 1
                assert min([search.best, *(prices[held(frame.kinds)].min() for frame in search.frames)]) <= goal
            assert search.lower_bound() == min(goal, ceiling)
            assert (search.heads is not None) == (ceiling > goal)
            assert search.heads is None or prices[mask_of(search.heads)] == search.best == goal
    assert steps > 100
    assert conflicts > 0


def test_pairs_are_not_weighed_among_many_cut_values():
    """A table of pairs for a column of 20,000 values would take 400 MB a node, and weighing them several GB."""
    for values in (MOST_PAIRED + 1, MOST_PAIRED + 2):
        table = kanon.Table(pd.DataFrame({"x": np.arange(values)}), ["x"])
        problem, root = problem_of(table, 200, "DM", None)
        search = KOptimizeSearch(problem, root, NEVER)
        for _ in range(3):
            search.step()
        paired = values - 1 if values - 1 <= MOST_PAIRED else 0
        assert problem.conflicts == (paired > 0)
        assert all(frame.conflict.shape == (paired, paired) for frame in search.frames)
        assert search.lower_bound() <= search.best < NEVER
