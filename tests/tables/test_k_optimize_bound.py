"""Nodes and bounds of K-Optimize one by one: each bound is at most the least cost below its node."""

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.tables.k_optimize_bound_kernels import DEAD, choose, effects, prune
from kanon_engine.tables.k_optimize_conflict_kernels import conflicts
from kanon_engine.tables.k_optimize_kernels import (
    HEAD,
    OUT,
    TAIL,
    collapse,
    head_cost,
    intervals,
    row_bounds,
    split,
)
from kanon_engine.tables.k_optimize_pack_kernels import lost_worths, pack
from kanon_engine.tables.k_optimize_problem import copied, problem_of, root_bound
from kanon_engine.tables.k_optimize_rise_kernels import rises
from tests.oracles.tables import classes_of, cost, least
from tests.tables.random_tables import plain, random_table

METRICS = ("DM", "CM", "AVG", "LM")
NEVER = 1 << 60


def random_nodes(metric, count=15, **parts):
    """Tables with a node of their tree: problem, node, kinds, and a function for the least cost over given cuts."""
    for seed in range(count):
        rng = np.random.default_rng([seed, 77])
        table = random_table(rng, most_cuts=8)
        rows, labels, cuts, sizes = plain(table)
        if not cuts:
            continue
        k, limit = int(rng.integers(2, 6)), [0, 5, None][seed % 3]
        problem, node = problem_of(table, min(k, len(table)), metric, limit, **parts)
        kinds = rng.choice([OUT, HEAD, TAIL], len(cuts), p=[0.2, 0.2, 0.6]).astype(np.int8)
        for value in np.flatnonzero(kinds == HEAD):
            node = split(problem, node, value)

        def price(chosen, rows=rows, labels=labels, k=problem.k, sizes=sizes, limit=problem.limit, cuts=cuts):
            total, lost = cost(rows, labels, [cuts[v] for v in chosen], k, metric, sizes, [1] * len(sizes))
            return total if lost <= limit else NEVER

        yield table, problem, copied(node), kinds, price


def below(kinds, price):
    """The least cost over the node and its descendants."""
    heads, tail = np.flatnonzero(kinds == HEAD).tolist(), np.flatnonzero(kinds == TAIL).tolist()
    chosen = [[tail[place] for place in range(len(tail)) if mask >> place & 1] for mask in range(1 << len(tail))]
    return min(price([*heads, *some]) for some in chosen)


def none_clash(kinds):
    return np.zeros((len(kinds), len(kinds)), dtype=bool)


def bound_of(problem, node, kinds):
    begins, ends = intervals(problem, kinds)
    node = collapse(problem, copied(node), begins)
    bounds = row_bounds(problem, node, begins, ends)
    return problem.penalty * node.suppressed + int(bounds.sum()), node, bounds


@pytest.mark.parametrize("metric", METRICS)
def test_the_head_is_weighed_as_the_plain_way_does(metric):
    for _, problem, node, kinds, price in random_nodes(metric):
        known = price(np.flatnonzero(kinds == HEAD).tolist())
        assert known in (NEVER, head_cost(problem, node, kinds))


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


@pytest.mark.parametrize("metric", METRICS)
def test_what_including_and_excluding_a_value_would_do(metric):
    for _, problem, node, kinds, _ in random_nodes(metric):
        bound, merged, bounds = bound_of(problem, node, kinds)
        dearer, lost, _, parted, pairs, _ = effects(problem, merged, kinds, bounds)
        rise, _ = rises(problem, merged, kinds, bounds)
        for value in np.flatnonzero(kinds == TAIL):
            inside, outside = kinds.copy(), kinds.copy()
            inside[value], outside[value] = HEAD, OUT
            child = split(problem, merged, value)
            assert bound_of(problem, child, inside)[0] == bound + dearer[value]
            assert child.suppressed == node.suppressed + lost[value]
            assert bound_of(problem, node, outside)[0] == bound + rise[value]
            column, position = problem.columns[value], problem.positions[value]
            sizes = [
                (merged.counts[low:high], merged.codes[column, low:high] < position)
                for low, high in zip(merged.starts, merged.starts[1:], strict=False)
            ]
            assert parted[value] == sum(left.any() and not left.all() for _, left in sizes)
            assert pairs[value] == sum(int(counts[left].sum() * counts[~left].sum()) for counts, left in sizes)


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
            verdict, _, bound, *_ = prune(problem, copied(node), left, none_clash(left), best, True)
            if best == goal:
                continue
            assert verdict == DEAD or bound <= goal
            dead += verdict == DEAD
            assert head == goal or ((verdict != DEAD or (left == TAIL).sum() == 0) and below(left, price) == goal)
    assert dead > 0


@pytest.mark.parametrize("metric", METRICS)
def test_shares_of_values_left_out_together_add_up_to_no_more_than_the_bound_rises_by(metric):
    counted = 0
    for _, problem, node, kinds, _ in random_nodes(metric, 40):
        bound, merged, bounds = bound_of(problem, node, kinds)
        rise, share = rises(problem, merged, kinds, bounds)
        assert (share <= rise).all()
        tail = np.flatnonzero(kinds == TAIL)
        for mask in range(1, 1 << len(tail)):
            out = tail[[place for place in range(len(tail)) if mask >> place & 1]]
            others = kinds.copy()
            others[out] = OUT
            assert bound + share[out].sum() <= bound_of(problem, node, others)[0]
            counted += share[out].sum() > 0
    assert counted > 0 or metric == "AVG"


@pytest.mark.parametrize("metric", METRICS)
def test_pairs_that_clash_are_those_whose_bound_or_suppression_is_too_much_together(metric):
    found = 0
    for _, problem, node, kinds, _ in random_nodes(metric, 40):
        bound, merged, bounds = bound_of(problem, node, kinds)
        dearer, lost, *_ = effects(problem, merged, kinds, bounds)
        tail = np.flatnonzero(kinds == TAIL)
        for room in (1, problem.penalty, 3 * problem.penalty):
            clash = none_clash(kinds)
            conflicts(problem, merged, kinds, bounds, room, dearer, lost, clash)
            for v in tail:
                for w in tail:
                    child = split(problem, split(problem, merged, v), w)
                    both = kinds.copy()
                    both[[v, w]] = HEAD
                    too_many = child.suppressed > problem.limit
                    expected = v != w and (too_many or bound_of(problem, child, both)[0] >= bound + room)
                    assert clash[v, w] == expected
                    found += expected
    assert found > 0


@pytest.mark.parametrize("metric", METRICS)
def test_what_a_packing_adds_is_at_most_what_any_cuts_cost_more(metric):
    """Also with each value included, and with each excluded."""
    better = 0
    for _, problem, node, kinds, price in random_nodes(metric, 60):
        bound, merged, bounds = bound_of(problem, node, kinds)
        dearer, lost, _, _, _, hit = effects(problem, merged, kinds, bounds)
        _, share = rises(problem, merged, kinds, bounds)
        tail, goal = np.flatnonzero(kinds == TAIL), below(kinds, price)
        if len(tail) == 0 or goal >= NEVER:
            continue
        best = goal + 1
        clash = none_clash(kinds)
        conflicts(problem, merged, kinds, bounds, best - bound, dearer, lost, clash)
        worths = lost_worths(problem, merged, kinds, bounds, hit)
        gain, included, excluded = pack(share[tail], clash[np.ix_(tail, tail)], worths)
        better += gain > 0
        assert bound + gain <= goal
        for place, value in enumerate(tail):
            for more, what in ((included, HEAD), (excluded, OUT)):
                others = kinds.copy()
                others[value] = what
                assert bound + gain + more[place] <= below(others, price) or bound + gain + more[place] >= best
                assert below(others, price) >= best or bound + gain + more[place] <= below(others, price)
    assert better > 0 or metric == "AVG"


def test_cliques_pay_for_all_but_one():
    share, nothing = np.array([5, 3, 4, 2]), np.zeros(4, dtype=np.int64)
    clash = np.ones((4, 4), dtype=bool) ^ np.eye(4, dtype=bool)
    clash[3] = clash[:, 3] = False
    clash[3, 0] = clash[0, 3] = True
    gain, included, excluded = pack(share, clash, nothing)
    assert (gain, included.tolist(), excluded.tolist()) == (8, [1, 1, 0, 0], [0, 0, 0, 1])
    gain, included, excluded = pack(share, clash & False, np.array([1, 9, 0, 2]))
    assert (gain, included.tolist(), excluded.tolist()) == (6, [0, 0, 0, 0], [4, 0, 4, 0])


@pytest.mark.parametrize("metric", METRICS)
def test_useless_values_alone_do_not_change_the_least_cost(metric):
    """With no best cost to prune by, only useless values leave the tail."""
    pruned = 0
    for _, problem, node, kinds, price in random_nodes(metric, 90, tails=False):
        left = kinds.copy()
        prune(problem, copied(node), left, none_clash(left), NEVER * 4, True)
        pruned += int((left != kinds).sum())
        assert below(left, price) == below(kinds, price)
    assert pruned > 2


@pytest.mark.parametrize("metric", METRICS)
def test_the_roots_bound_is_at_most_the_least_cost(metric):
    for table, problem, *_ in random_nodes(metric):
        rows, labels, cuts, sizes = plain(table)
        fresh, root = problem_of(table, problem.k, metric, None)
        assert root_bound(fresh, root).value <= least(
            rows, labels, cuts, problem.k, metric, None, sizes, [1] * len(sizes)
        )


def test_the_value_that_splits_most_classes_comes_first():
    table = kanon.Table(pd.DataFrame({"x": [0, 1, 2, 3], "y": [0, 0, 1, 1]}), ["x", "y"])
    problem, _ = problem_of(table, 1, "DM", None)
    kinds = np.array([TAIL, TAIL, TAIL, TAIL], dtype=np.int8)
    same, rise = np.array([1, 1, 1, 1]), np.array([0, 5, 0, 3])
    assert choose(problem, kinds, np.array([1, 1, 2, 1]), rise) == 2
    assert choose(problem, kinds, same, rise) == 1
    strict = problem._replace(limit=0)
    assert choose(strict, kinds, same, rise) == 3  # the only undecided value of its interval
    kinds[0] = HEAD
    assert choose(strict, kinds, same, rise) == 1  # begins right after a head


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
    assert np.array_equal(rises(problem, merged, kinds, bounds)[0], rises(blind, other, kinds, other_bounds)[0])
