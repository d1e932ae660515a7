"""Pairs of values that nothing better has both."""

import numpy as np
import pytest

from kanon_engine.tables.cuts_kernels import HEAD, TAIL, split
from kanon_engine.tables.k_optimize_conflict_kernels import conflicts
from kanon_engine.tables.k_optimize_kernels import effects
from tests.tables.random_nodes import METRICS, bound_of, no_conflict, random_nodes

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("metric", METRICS)
def test_pairs_that_clash_are_those_whose_bound_or_suppression_is_too_much_together(metric):
    found = 0
    for _, problem, node, kinds, _ in random_nodes(metric, 40):
        bound, merged, bounds = bound_of(problem, node, kinds)
        alone = effects(problem, merged, kinds, bounds)
        tail = np.flatnonzero(kinds == TAIL)
        for slack in (1, problem.penalty, 3 * problem.penalty):
            conflict = no_conflict(kinds)
            conflicts(problem, merged, kinds, alone, slack, conflict)
            for v in tail:
                for w in tail:
                    child = split(problem, split(problem, merged, v), w)
                    both = kinds.copy()
                    both[[v, w]] = HEAD
                    too_many = child.suppressed > problem.limit
                    expected = v != w and (too_many or bound_of(problem, child, both)[0] >= bound + slack)
                    assert conflict[v, w] == expected
                    found += expected
    assert found > 0
