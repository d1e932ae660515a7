"""What excluding values costs at least, against all sets of values."""

import numpy as np
import pytest

from kanon_engine.tables.cuts_kernels import OUT, TAIL
from kanon_engine.tables.k_optimize_conflict_kernels import exclusion_costs
from tests.compiled import compiled_only
from tests.tables.random_nodes import METRICS, bound_of, random_nodes

pytestmark = pytest.mark.kernels


@compiled_only
@pytest.mark.parametrize("metric", METRICS)
def test_shares_of_values_left_out_together_add_up_to_no_more_than_the_bound_rises_by(metric):
    counted = 0
    for _, problem, node, kinds, _ in random_nodes(metric, 40):
        bound, merged, bounds = bound_of(problem, node, kinds)
        exclusion_cost, share = exclusion_costs(problem, merged, kinds, bounds)
        assert (share <= exclusion_cost).all()
        tail = np.flatnonzero(kinds == TAIL)
        for mask in range(1, 1 << len(tail)):
            out = tail[[place for place in range(len(tail)) if mask >> place & 1]]
            others = kinds.copy()
            others[out] = OUT
            assert bound + share[out].sum() <= bound_of(problem, node, others)[0]
            counted += share[out].sum() > 0
    assert counted > 0 or metric == "AVG"
