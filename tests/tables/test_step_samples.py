"""The paper's figures against what the paper says of them (Bayardo, Agrawal 2005, sections 4 and 5)."""

from itertools import combinations

import numpy as np

from kanon_engine.tables.cuts import details_of
from kanon_engine.tables.cuts_kernels import HEAD, OUT, TAIL
from kanon_engine.teaching.tables import cut_numbers
from kanon_engine.teaching.tables.k_optimize import figure_1, figure_2, figure_4


def members(kinds, kind):
    return tuple(np.flatnonzero(kinds == kind).tolist())


def test_figure_1_numbers_the_values_and_a_set_of_them_stands_for_intervals():
    table = figure_1().table
    assert cut_numbers(table) == [2, 3, 5, 7, 8, 9]  # the least value of each column goes without saying
    heads = np.isin(cut_numbers(table), [2, 7, 9])
    assert details_of(table, heads, 0, 0, []).intervals == {
        "age": (("10-29",), ("30-39", "40-49")),
        "gender": (("M", "F"),),
        "marital status": (("Married",), ("Widowed", "Divorced"), ("Never Married",)),
    }


def test_figure_2_is_the_tree_of_all_sets_and_each_child_inherits_the_values_behind_its_own():
    steps = list(figure_2().steps())
    opened = {}
    for step in steps:
        node = step.state.nodes[step.state.at] if step.state.at >= 0 else None
        if node is not None and step.state.at not in opened:
            opened[step.state.at] = members(node.kinds, HEAD), members(node.kinds, TAIL), node.parent
    every = {chosen for count in range(5) for chosen in combinations(range(4), count)}
    assert {head for head, _, _ in opened.values()} == every
    for head, tail, parent in opened.values():
        assert tail == tuple(range(head[-1] + 1 if head else 0, 4))
        assert parent == -1 or opened[parent][0] == head[:-1]
    weighed = {node.cost for node in steps[-1].state.nodes}
    assert steps[-1].state.best == min(weighed)


def test_figure_4_splits_groups_into_parts_below_k_alone_so_the_value_is_useless():
    sample = figure_4()
    steps = list(sample.steps())
    (pruned,) = (step for step in steps if "useless" in step.why)
    node = pruned.state.nodes[pruned.state.at]
    assert (members(node.kinds, HEAD), members(node.kinds, OUT)) == ((0,), (1,))
    groups = {tuple(row[:1]) for row in sample.table.codes.tolist()}
    parts = [sum(row == [group[0], sex] for row in sample.table.codes.tolist()) for group in groups for sex in range(2)]
    assert all(0 < part < sample.k for part in parts)
    assert (pruned.inequality.left, pruned.inequality.right) == (max(parts), sample.k)
    assert all(set(members(one.kinds, HEAD)) <= {0} for one in pruned.state.nodes)
    assert steps[-1].state.best == 2 * 4**2


def test_a_useless_value_can_be_pruned_without_loss():
    """Claim 5.4: with the search that prunes nothing the best is no better."""
    for sample in (figure_1(), figure_4()):
        plain = type(sample)(sample.title, sample.table, sample.k)
        *_, last = plain.steps()
        *_, with_pruning = sample.steps()
        assert last.state.best == with_pruning.state.best
        assert len(last.state.nodes) >= len(with_pruning.state.nodes)
