"""Kernels for boxes: cuts, what they leave, and cuts upon cuts, on tables small enough for plain Python."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.tree import Tree
from kanon_engine.tables.boxes import problem_of
from kanon_engine.tables.boxes_kernels import NODE, cuts_of, divide, group_cost, meet, span
from kanon_engine.tables.local_cuts import Patchwork
from kanon_engine.tables.local_cuts_kernels import Pace, frames_for, play, solve
from kanon_engine.tables.requirements_kernels import _entropy_holds
from tests.oracles import boxes, tables

pytestmark = pytest.mark.kernels

METRICS = ("DM", "CM", "AVG", "LM")


def small_table(seed, n=40, trees=True):
    rng = np.random.default_rng([seed, 77])
    frame = pd.DataFrame({"a": rng.integers(0, 6, n), "b": rng.integers(0, 4, n), "label": rng.integers(0, 2, n)})
    frame["ill"] = rng.choice(["flu", "gout"], n, p=[0.8, 0.2])
    tree = Tree.from_levels([(v, "low" if v < 2 else "mid" if v < 4 else "high") for v in range(6)])
    return kanon.Table(frame, ["a", "b"], "label", trees={"a": tree} if trees else {})


def plain(table):
    trees = [None if (t := table.tree(name)) is None else list(map(tuple, t.nodes.tolist())) for name in table.orders]
    sizes = [len(domain) for domain in table.domains]
    return [tuple(row) for row in table.codes.tolist()], table.labels.tolist(), tables.steps(sizes, [1, 1]), trees


def classes_of(table, order, begins):
    of = np.empty(len(order), dtype=np.int64)
    of[order] = np.cumsum(begins) - 1
    return of[table.tuples[2]]


def cost_of(table, of, k, metric):
    rows, labels, prices, trees = plain(table)
    groups = [np.flatnonzero(of == number).tolist() for number in range(of.max() + 1)]
    assert min(map(len, groups)) >= k
    shown = [boxes.box([rows[place] for place in own], trees) for own in groups]
    assert not any(boxes.meet(one, other) for place, one in enumerate(shown) for other in shown[:place])
    parts = [([rows[place] for place in own], [labels[place] for place in own]) for own in groups]
    return sum(boxes.class_cost(own, named, rows, prices, k, metric, trees) for own, named in parts)


def pace(noise=0.1, salt=3):
    return Pace(4, 4, noise, 1.0, salt, np.zeros(1, dtype=np.int64))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("trees", [False, True])
def test_every_cut_leaves_k_and_costs_what_it_says(metric, trees):
    table, k = small_table(1, trees=trees), 4
    problem = problem_of(table, k, metric)
    order, q = np.arange(len(problem.codes)), 2
    low, high = np.empty(q, dtype=np.int32), np.empty(q, dtype=np.int32)
    span(problem, order, 0, len(order), low, high)
    cuts = cuts_of(problem, order, 0, len(order), len(table), low, high, 0.1, 1.0, 5)
    assert len(cuts.columns) > 0
    stops, sizes = np.empty(len(order), dtype=np.int64), np.empty(len(order), dtype=np.int64)
    for number, (column, place) in enumerate(zip(cuts.columns.tolist(), cuts.places.tolist(), strict=True)):
        assert (place == NODE) == (trees and column == 0)
        sides = divide(problem, order, 0, len(order), column, place, low[column], high[column], stops, sizes)
        begins = np.zeros(len(order), dtype=bool)
        begins[[0, *stops[: sides - 1]]] = True
        of = classes_of(table, order, begins)
        assert np.bincount(of).tolist() == sizes[:sides].tolist()
        assert cost_of(table, of, k, metric) == cuts.alone[number] >= cuts.least[number]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("trees", [False, True])
@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_cuts_upon_cuts_cost_what_their_classes_cost(metric, trees, k):
    table = small_table(k, trees=trees)
    problem = problem_of(table, k, metric)
    costs = []
    for cut in (solve, play):
        order, begins = np.arange(len(problem.codes)), np.zeros(len(problem.codes), dtype=bool)
        room = [frames_for(problem, len(order), len(table))] if cut is solve else []
        costs.append(cut(problem, order, begins, 0, len(order), len(table), pace(), *room))
        assert costs[-1] == cost_of(table, classes_of(table, order, begins), k, metric)
    assert costs[1] <= costs[0]


def test_a_node_without_records_is_no_child():
    tree = Tree.from_levels([(v, "low" if v < 2 else "mid" if v < 4 else "high") for v in range(6)])
    rows = [(0, 0), (1, 0), (0, 0), (5, 0), (4, 0), (2, 1), (3, 1)]
    table = kanon.Table(pd.DataFrame(rows, columns=["a", "b"]), ["a", "b"], trees={"a": tree})
    problem = problem_of(table, 2, "LM")
    order = np.flatnonzero(problem.codes[:, 1] == 0)  # no “mid” among them
    begins = np.zeros(len(problem.codes), dtype=bool)
    solve(problem, order, begins, 0, len(order), 5, pace(), frames_for(problem, len(order), 5))
    assert begins[: len(order)].sum() == 2


def test_equal_records_are_one_class_however_many():
    table = kanon.Table(pd.DataFrame({"a": [1] * 20, "b": [2] * 20}), ["a", "b"])
    problem = problem_of(table, 2, "DM")
    order, begins = np.arange(1), np.zeros(1, dtype=bool)
    assert solve(problem, order, begins, 0, 1, 20, pace(), frames_for(problem, 1, 20)) == 400
    assert play(problem, order, begins, 0, 1, 20, pace()) == 400


@pytest.mark.parametrize("k", [2, 4])
def test_no_side_lacks_what_is_required(k):
    table = small_table(9, 60)
    demand = kanon.Diversity("ill", 2)
    problem = problem_of(table, k, "DM", None, (demand,))
    order, begins = np.arange(len(problem.codes)), np.zeros(len(problem.codes), dtype=bool)
    play(problem, order, begins, 0, len(order), len(table), pace())
    of, ill = classes_of(table, order, begins), table.frame["ill"].to_numpy()
    assert all(len(set(ill[of == number])) == 2 for number in range(of.max() + 1))
    one = kanon.Table(table.frame.assign(ill=["gout"] + ["flu"] * 59), ["a", "b"], "label", trees=table.trees)
    problem = problem_of(one, k, "DM", None, (demand,))  # the rare illness cannot be on both sides
    assert play(problem, order, begins, 0, len(order), 60, pace()) == 3600


@pytest.mark.parametrize("metric", METRICS)
def test_a_neighborhood_that_is_cut_anew_never_costs_more(metric):
    table = small_table(4, 80, trees=metric != "CM")
    problem = problem_of(table, 2, metric)
    work = Patchwork(problem, np.random.default_rng(1))
    work.take(np.zeros(len(problem.codes), dtype=np.int64))
    before = work.cost
    work.recut(30, 1 << 60)
    of = np.unique(work.groups.of[table.tuples[2]], return_inverse=True)[1]
    assert work.cost == cost_of(table, of, 2, metric) <= before
    done = work.rounds
    work.recut(30, 0)
    assert work.rounds == done == 30  # no work is left
    for _ in work.play():
        assert work.cost <= before
    best = work.cost
    work.recut(30, 1 << 60)
    assert work.cost <= best


def test_pairs_as_even_as_can_be_are_left_alone():
    table = kanon.Table(pd.DataFrame({"a": range(12), "b": [0] * 12}), ["a", "b"])
    work = Patchwork(problem_of(table, 2, "DM"), np.random.default_rng(1))
    work.take(np.arange(12) // 2)
    spent = work.work[0]
    work.recut(10, 1 << 60)
    assert (work.cost, work.rounds, work.work[0]) == (24, 10, spent)


def test_what_no_cuts_make_is_kept_where_it_costs_less():
    sails = [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0), (1, 0), (1, 1), (1, 1)]
    table = kanon.Table(pd.DataFrame(sails, columns=["x", "y"]), ["x", "y"])
    work = Patchwork(problem_of(table, 2, "LM"), np.random.default_rng(1))
    of = np.empty(9, dtype=np.int64)
    of[table.tuples[2]] = np.arange(10) // 2
    work.take(of)
    assert work.cost == 8  # four pairs, a step each for both, and two equal ones
    work.recut(40, 1 << 60)
    assert work.cost == 8


def test_boxes_meet_where_every_column_does():
    low, high = np.array([0, 0], dtype=np.int32), np.array([2, 2], dtype=np.int32)
    assert meet(low, high, low + 2, high + 2)
    assert not meet(low, high, np.array([0, 3], dtype=np.int32), np.array([2, 4], dtype=np.int32))


def test_a_class_costs_what_the_metric_says():
    table = small_table(2)
    problem = problem_of(table, 2, "CM")
    order, low, high = np.arange(len(problem.codes)), np.zeros(2, dtype=np.int32), np.zeros(2, dtype=np.int32)
    least = 40 - np.bincount(table.labels).max()
    assert group_cost(problem, order, 0, len(order), 40, low, high) == least


def test_an_entropy_a_little_too_low_is_refused():
    own = np.array([1, 1])
    assert _entropy_holds(own, 2, 2, 1)
    assert not _entropy_holds(own, 2, 2 * 10**15 + 1, 10**15)  # too near for floats
