"""A table as a search problem."""

import pytest

from kanon_engine.tables.cuts.problem import problem_of, root_bound
from tests.oracles.tables import least
from tests.tables.random_nodes import METRICS, random_nodes
from tests.tables.random_tables import plain


@pytest.mark.parametrize("metric", METRICS)
def test_the_roots_bound_is_at_most_the_least_cost(metric):
    for table, problem, *_ in random_nodes(metric):
        rows, labels, cuts, sizes = plain(table)
        fresh, root = problem_of(table, problem.k, metric, None)
        assert root_bound(fresh, root).value <= least(
            rows, labels, cuts, problem.k, metric, None, sizes, [1] * len(sizes)
        )
