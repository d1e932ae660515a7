"""What conflicts add to the bound of a node, against all its descendants."""

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.tables.cuts import problem_of
from kanon_engine.tables.cuts_kernels import HEAD, OUT, TAIL
from kanon_engine.tables.k_optimize_conflict_kernels import conflicts, exclusion_costs, inclusion_shares, pack
from kanon_engine.tables.k_optimize_kernels import effects
from tests.compiled import compiled_only
from tests.oracles.tables import cost
from tests.tables.random_nodes import METRICS, NEVER, below, bound_of, no_conflict, random_nodes
from tests.tables.random_tables import plain

pytestmark = pytest.mark.kernels


@pytest.mark.thorough(one_in=2)
@compiled_only
@pytest.mark.parametrize("metric", METRICS)
def test_shares_of_what_is_left_out_and_worths_of_what_is_included_are_paid_together(metric):
    """By every set of cuts below a node: what `pack` rests on."""
    both = 0
    for _, problem, node, kinds, price in random_nodes(metric, 60):
        bound, merged, bounds = bound_of(problem, node, kinds)
        if merged.suppressed > problem.limit:
            continue
        alone = effects(problem, merged, kinds, bounds)
        _, share = exclusion_costs(problem, merged, kinds, bounds)
        tail, heads = np.flatnonzero(kinds == TAIL), np.flatnonzero(kinds == HEAD).tolist()
        inclusion_share = inclusion_shares(problem, merged, kinds, alone)
        for mask in range(1 << len(tail)):
            inside = np.array([mask >> place & 1 for place in range(len(tail))], dtype=bool)
            least = bound + share[tail[~inside]].sum() + inclusion_share[inside].sum()
            assert least <= price([*heads, *tail[inside].tolist()])
            both += share[tail[~inside]].any() and inclusion_share[inside].any()
    assert both > 0 or metric in ("AVG", "LM")


@pytest.mark.thorough(one_in=4)
@compiled_only
@pytest.mark.parametrize("metric", METRICS)
def test_what_a_packing_adds_is_at_most_what_any_cuts_cost_more(metric):
    """Also with each value included, and with each excluded."""
    better = 0
    for _, problem, node, kinds, price in random_nodes(metric, 60):
        bound, merged, bounds = bound_of(problem, node, kinds)
        alone = effects(problem, merged, kinds, bounds)
        _, share = exclusion_costs(problem, merged, kinds, bounds)
        tail, goal = np.flatnonzero(kinds == TAIL), below(kinds, price)
        if len(tail) == 0 or goal >= NEVER:
            continue
        best = goal + 1
        conflict = no_conflict(kinds)
        conflicts(problem, merged, kinds, alone, best - bound, conflict)
        inclusion_share = inclusion_shares(problem, merged, kinds, alone)
        gain, included, excluded = pack(share[tail], conflict[np.ix_(tail, tail)], inclusion_share)
        better += gain > 0
        assert bound + gain <= goal
        for place, value in enumerate(tail):
            for more, what in ((included, HEAD), (excluded, OUT)):
                others = kinds.copy()
                others[value] = what
                assert bound + gain + more[place] <= below(others, price) or bound + gain + more[place] >= best
                assert below(others, price) >= best or bound + gain + more[place] <= below(others, price)
    assert better > 0 or metric == "AVG"


def test_a_suppressed_row_keeps_half_its_excess_for_the_shares():
    """With only y cut 4 records are suppressed, and 5 of 10 have the rarer label: the worth of y and the share of x.

    With all of what suppression costs counted as worth, 11 would be "proven".
    """
    rows = [(0, 0, "p")] * 2 + [(1, 0, "q")] * 2 + [(0, 1, "p")] * 5 + [(1, 1, "q")] * 5
    table = kanon.Table(pd.DataFrame(rows, columns=["x", "y", "label"]), ["x", "y"], "label")
    problem, root = problem_of(table, 5, "CM", None)
    kinds = np.array([TAIL, TAIL], dtype=np.int8)
    bound, merged, bounds = bound_of(problem, root, kinds)
    alone = effects(problem, merged, kinds, bounds)
    inclusion_share, (_, share) = (
        inclusion_shares(problem, merged, kinds, alone),
        exclusion_costs(problem, merged, kinds, bounds),
    )
    plain_rows, labels, cuts, sizes = plain(table)
    assert (bound, share[0], inclusion_share[1]) == (0, 7, 2)
    assert cost(plain_rows, labels, [cuts[1]], 5, "CM", sizes, [1, 1]) == (9, 4)


def test_cliques_pay_for_all_but_one():
    share, nothing = np.array([5, 3, 4, 2]), np.zeros(4, dtype=np.int64)
    conflict = np.ones((4, 4), dtype=bool) ^ np.eye(4, dtype=bool)
    conflict[3] = conflict[:, 3] = False
    conflict[3, 0] = conflict[0, 3] = True
    gain, included, excluded = pack(share, conflict, nothing)
    assert (gain, included.tolist(), excluded.tolist()) == (8, [1, 1, 0, 0], [0, 0, 0, 1])
    gain, included, excluded = pack(share, conflict & False, np.array([1, 9, 0, 2]))
    assert (gain, included.tolist(), excluded.tolist()) == (6, [0, 0, 0, 0], [4, 0, 4, 0])
