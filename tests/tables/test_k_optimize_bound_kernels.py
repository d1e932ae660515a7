"""What values would do at a node, and pruning: nothing better is ever lost."""

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.tree import Tree
from kanon_engine.tables.cuts import copied, problem_of
from kanon_engine.tables.cuts_kernels import HEAD, OUT, TAIL, split
from kanon_engine.tables.k_optimize_conflict_kernels import exclusion_costs
from kanon_engine.tables.k_optimize_kernels import DEAD, choose, effects, prune
from tests.compiled import compiled_only
from tests.tables.random_nodes import METRICS, NEVER, below, bound_of, no_conflict, random_nodes

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("metric", METRICS)
def test_what_including_and_excluding_a_value_would_do(metric):
    for _, problem, node, kinds, _ in random_nodes(metric):
        bound, merged, bounds = bound_of(problem, node, kinds)
        inclusion_cost, suppresses, _, parted, *_ = effects(problem, merged, kinds, bounds)
        exclusion_cost, _ = exclusion_costs(problem, merged, kinds, bounds)
        for value in np.flatnonzero(kinds == TAIL):
            inside, outside = kinds.copy(), kinds.copy()
            inside[value], outside[value] = HEAD, OUT
            child = split(problem, merged, value)
            assert bound_of(problem, child, inside)[0] == bound + inclusion_cost[value]
            assert child.suppressed == node.suppressed + suppresses[value]
            assert bound_of(problem, node, outside)[0] == bound + exclusion_cost[value]
            column, position = problem.columns[value], problem.positions[value]
            sides = [
                merged.codes[column, low:high] < position
                for low, high in zip(merged.starts, merged.starts[1:], strict=False)
            ]
            assert parted[value] == sum(left.any() and not left.all() for left in sides)


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("parts", [{}, {"forcing": False}, {"conflicts": False}])
def test_pruning_keeps_a_better_descendant_where_there_is_one(metric, parts):
    dead = 0
    for _, problem, node, kinds, price in random_nodes(metric, 40, **parts):
        goal = below(kinds, price)
        head = price(np.flatnonzero(kinds == HEAD).tolist())
        for best in (goal, goal + 1, goal + 3):
            if best >= NEVER:
                continue
            left = kinds.copy()
            verdict, _, bound, *_ = prune(problem, copied(node), left, no_conflict(left), best, True)
            if best == goal:
                continue
            assert verdict == DEAD or bound <= goal
            dead += verdict == DEAD
            assert head == goal or ((verdict != DEAD or (left == TAIL).sum() == 0) and below(left, price) == goal)
    assert dead > 0


@pytest.mark.thorough(one_in=3)
@compiled_only
@pytest.mark.parametrize("metric", METRICS)
def test_useless_values_alone_do_not_change_the_least_cost(metric):
    """With no best cost to prune by, only useless values leave the tail."""
    pruned = 0
    for _, problem, node, kinds, price in random_nodes(metric, 90, tails=False):
        left = kinds.copy()
        prune(problem, copied(node), left, no_conflict(left), NEVER * 4, True)
        pruned += int((left != kinds).sum())
        assert below(left, price) == below(kinds, price)
    assert pruned > 2


def test_the_value_that_splits_most_classes_comes_first():
    table = kanon.Table(pd.DataFrame({"x": [0, 1, 2, 3], "y": [0, 0, 1, 1]}), ["x", "y"])
    problem, _ = problem_of(table, 1, "DM", None)
    kinds = np.array([TAIL, TAIL, TAIL, TAIL], dtype=np.int8)
    same, exclusion_cost = np.array([1, 1, 1, 1]), np.array([0, 5, 0, 3])
    assert choose(problem, kinds, np.array([1, 1, 2, 1]), exclusion_cost) == 2
    assert choose(problem, kinds, same, exclusion_cost) == 1
    strict = problem._replace(limit=0)
    assert choose(strict, kinds, same, exclusion_cost) == 3  # the only undecided value of its interval
    kinds[0] = HEAD
    assert choose(strict, kinds, same, exclusion_cost) == 1  # begins right after a head


def test_values_that_go_together_cannot_be_in_and_out():
    tree = Tree.from_levels([("a", "x"), ("b", "x"), ("c", "x"), ("d", "y"), ("e", "y")])
    table = kanon.Table(pd.DataFrame({"t": list("abcde") * 3}), ["t"], trees={"t": tree})
    problem, root = problem_of(table, 2, "DM", 0)
    kinds = np.full(len(problem.columns), TAIL, dtype=np.int8)
    together = np.flatnonzero(problem.groups == problem.groups[0])
    assert len(together) > 1
    kinds[together[0]], kinds[together[1]] = HEAD, OUT
    assert prune(problem, copied(root), kinds, no_conflict(kinds), NEVER, True)[0] == DEAD
