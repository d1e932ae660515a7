"""A table as a search problem."""

import pandas as pd
import pytest
from numba import typeof

import kanon_engine as kanon
from kanon_engine.tables.cuts import problem_of, root_bound
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


def test_tables_of_any_size_have_arrays_of_the_same_types():
    """A second type would compile every kernel of tables a second time."""
    tables = [kanon.Table(pd.DataFrame({"a": range(size), "b": [0] * size}), ["a", "b"]) for size in (1, 2, 9)]
    assert len({typeof(problem_of(table, 1, "DM", None)) for table in tables}) == 1
