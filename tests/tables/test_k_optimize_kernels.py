"""Nodes of K-Optimize: their heads, rows and bounds against the plain way."""

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.tables.cuts import problem_of
from kanon_engine.tables.cuts_kernels import HEAD, OUT, TAIL, head_cost
from kanon_engine.tables.k_optimize_conflict_kernels import exclusion_costs
from tests.oracles.tables import classes_of
from tests.tables.random_nodes import METRICS, NEVER, below, bound_of, random_nodes
from tests.tables.random_tables import plain

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("metric", METRICS)
def test_the_head_is_weighed_as_the_plain_way_does(metric):
    for _, problem, node, kinds, price in random_nodes(metric):
        known = price(np.flatnonzero(kinds == HEAD).tolist())
        assert known in (NEVER, head_cost(problem, node, kinds)[0])


@pytest.mark.parametrize("metric", METRICS)
def test_a_nodes_bound_is_at_most_the_least_cost_below(metric):
    for _, problem, node, kinds, price in random_nodes(metric):
        assert bound_of(problem, node, kinds)[0] <= below(kinds, price)


@pytest.mark.parametrize("metric", METRICS)
def test_rows_are_the_classes_of_the_allset_that_the_head_keeps(metric):
    for table, problem, node, kinds, _ in random_nodes(metric):
        rows, _, cuts, _ = plain(table)
        heads = [cuts[v] for v in np.flatnonzero(kinds == HEAD)]
        kept = {place for some in classes_of(rows, heads).values() if len(some) >= problem.k for place in some}
        allset = classes_of(rows, [cuts[v] for v in np.flatnonzero(kinds != OUT)])
        merged = bound_of(problem, node, kinds)[1]
        assert sorted(merged.counts.tolist()) == sorted(len(some) for some in allset.values() if some[0] in kept)
        assert merged.suppressed == len(rows) - len(kept)
        if metric == "CM":
            assert np.array_equal(merged.labels.sum(axis=1), merged.counts)


def test_rows_with_equal_keys_are_told_apart_by_their_codes():
    """Fourteen columns of sixty values have no exact key; a constant key must do as well."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(0, 3, (50, 3)), columns=list("abc"))
    table = kanon.Table(frame, list("abc"))
    problem, root = problem_of(table, 2, "DM", None)
    blind = problem._replace(exact=False, radix=np.zeros(3, dtype=np.int64))
    zero = root._replace(keys=np.zeros(len(root.keys), dtype=np.int64))
    kinds = np.array([TAIL, OUT, OUT, TAIL, TAIL, OUT], dtype=np.int8)
    bound, merged, bounds = bound_of(problem, root, kinds)
    other_bound, other, other_bounds = bound_of(blind, zero, kinds)
    assert bound == other_bound
    assert np.array_equal(merged.codes, other.codes)
    assert np.array_equal(
        exclusion_costs(problem, merged, kinds, bounds)[0], exclusion_costs(blind, other, kinds, other_bounds)[0]
    )
