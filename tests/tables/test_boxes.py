"""Boxes: Mondrian, local cuts and exact boxes against brute force, their bounds, and what they show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.tree import Tree
from kanon_engine.tables.boxes import rounded_out
from kanon_engine.tables.release import intervals_frame, released_frame
from tests.oracles import boxes, tables

METRICS = ("DM", "CM", "AVG", "LM")


def random_boxes(rng, most=7):
    """Up to three columns with up to `most` distinct tuples, some of them often; sometimes with a tree."""
    q = int(rng.integers(1, 4))
    tuples = rng.integers(0, rng.integers(2, 6, q), (int(rng.integers(2, most + 1)), q))
    rows = np.repeat(tuples, rng.integers(1, 4, len(tuples)), axis=0)
    frame = pd.DataFrame(rows, columns=list("abc")[:q])
    frame["label"] = rng.choice(["x", "y"], len(frame))
    frame["ill"] = rng.choice(["flu", "gout", "mumps"], len(frame))
    tree = Tree.from_levels([(v, "low" if v < 2 else "high") for v in range(6)])
    trees = {"a": tree} if rng.random() < 0.4 else {}
    orders = {name: list(range(6)) for name in "abc"[:q] if name not in trees}
    return kanon.Table(frame, list("abc")[:q], "label", orders, trees=trees)


def plain(table):
    trees = [None if (t := table.tree(name)) is None else list(map(tuple, t.nodes.tolist())) for name in table.orders]
    rows = [tuple(row) for row in table.codes.tolist()]
    prices = tables.steps([len(domain) for domain in table.domains], [1] * len(trees))
    return rows, table.labels.tolist(), prices, trees


@pytest.mark.parametrize("seed", [*range(10), *(pytest.param(s, marks=pytest.mark.thorough) for s in range(10, 310))])
def test_bounds_exact_and_algorithms_agree_with_brute_force(seed):
    rng = np.random.default_rng([14, seed])
    table = random_boxes(rng)
    k = int(rng.integers(1, max(2, len(table) // 2)))
    rows, labels, prices, trees = plain(table)
    ill = table.frame["ill"].tolist()
    require, allowed = (), boxes.everywhere
    if seed % 3 == 0 and len(set(ill)) > 1:
        require = (kanon.Diversity("ill", 2),)
        allowed = lambda members: len({ill[place] for place in members}) > 1  # noqa: E731
    for metric in METRICS:
        least = boxes.least(rows, labels, prices, k, metric, trees, allowed)
        exact = kanon.generalize(table, k, "exact", metric=metric, require=require)
        assert (exact.cost, exact.status) == (least, "optimal")
        for name, options in (("mondrian", {}), ("local-cuts", {"rounds": 20})):
            g = kanon.generalize(table, k, name, metric=metric, require=require, **options)
            assert g.lower_bound <= least <= g.cost
            assert g.guarantee is None or g.cost <= g.guarantee
            assert all(allowed(np.flatnonzero(g.assignment == number).tolist()) for number in range(g.classes))


def test_relaxed_cuts_are_bounded_by_any_partition():
    table = kanon.Table(pd.DataFrame({"age": [1, 1, 1, 1, 1, 2, 9]}), ["age"])
    g = kanon.generalize(table, 2, "mondrian", metric="DM", relaxed=True)
    assert g.bound_name == "sizes alone"
    assert (g.cost, g.lower_bound) == (29, 17)  # 1, 1, 1 and 1, 1 show the same, so they are one group of five
    strict = kanon.generalize(table, 2, "mondrian", metric="DM")
    assert strict.lower_bound == strict.cost == 29


def test_no_class_of_mondrian_allows_a_cut():
    rng = np.random.default_rng(5)
    for k in (2, 5):
        table = kanon.Table(pd.DataFrame(rng.integers(0, 6, (80, 3)), columns=list("abc")), list("abc"))
        for name in ("mondrian", "local-cuts"):
            g = kanon.generalize(table, k, name)
            for number in range(g.classes):
                assert not boxes.allowed_cut(table.codes[g.assignment == number].tolist(), k)


@pytest.mark.parametrize("algorithm", ["mondrian", "local-cuts"])
def test_fewer_neighbors_of_many_tuples_prove_less_of_the_loss(algorithm, monkeypatch):
    table, bounds = kanon.Table(pd.DataFrame({"age": [2**place for place in range(12)]}), ["age"]), []
    for most, witness in ((12 * 6, []), (12 * 2, [2]), (12, [1])):
        monkeypatch.setattr("kanon_engine.tables.boxes.NEIGHBORS", most)
        g = kanon.generalize(table, 3, algorithm)
        assert (g.bound_name, list(g.bound_witness)) == ("nearest company", witness)
        kanon.verify(table, g)
        bounds.append(g.lower_bound)
    assert bounds[0] > bounds[1] > bounds[2] == 0
    for false in ((0,), (3,), (7,), (2, 2)):
        with pytest.raises(kanon.CertificateError, match="bound witness"):
            kanon.verify(table, replace(g, bound_witness=false, lower_bound=bounds[1], status="feasible").sealed())


def test_the_point_between_pairs_attains_the_ceiling():
    k, m = 3, 4
    rows = [(5, 5)] * m + [row for row in ((4, 5), (6, 5), (5, 4), (5, 6)) for _ in range(k - 1)]
    table = kanon.Table(pd.DataFrame(rows, columns=["x", "y"]), ["x", "y"])
    g = kanon.generalize(table, k, "mondrian", metric="DM")
    assert g.class_weights.tolist() == [2 * 2 * (k - 1) + m]
    assert g.cost == g.guarantee


def test_a_windmill_needs_boxes_that_no_cuts_make():
    sails = {"a": [(0, 0), (0, 1)], "b": [(0, 2), (1, 2)], "c": [(2, 2), (2, 1)], "d": [(2, 0), (1, 0)], "e": [(1, 1)]}
    rows = [row for name, own in sails.items() for row in own for _ in range(2 if name == "e" else 1)]
    table = kanon.Table(pd.DataFrame(rows, columns=["x", "y"]), ["x", "y"])
    g = kanon.generalize(table, 2, "exact", metric="DM")
    assert g.classes == 5
    assert g.cost == 20


def adult_like(seed=3, n=1_500):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.gamma(6, 7, n).astype(int) + 17,
            "pay": (rng.lognormal(3, 1, n) * 10).round(1),
            "town": rng.choice(list("ABCDEFGH"), n, p=rng.dirichlet(np.ones(8))),
            "sex": rng.choice(["f", "m"], n),
        }
    )
    frame["label"] = np.where(frame["pay"] > 200, "high", "low")
    return kanon.Table(frame, ["age", "pay", "town", "sex"], "label")


@pytest.mark.thorough(one_in=4)
@pytest.mark.parametrize("metric", METRICS)
def test_local_cuts_are_never_above_mondrian_or_single_cuts(metric):
    table = adult_like()
    local = kanon.generalize(table, 10, "local-cuts", metric=metric, rounds=40)
    assert local.cost <= kanon.generalize(table, 10, "mondrian", metric=metric).cost
    assert local.cost <= kanon.generalize(table, 10, "hill-climb", metric=metric, restarts=1, suppression_limit=0).cost


def test_large_tables_keep_what_is_required_too():
    table = adult_like(n=600)  # more than is played to its end at once
    frame = table.frame.assign(ill=np.where(np.arange(600) % 9, "flu", "gout"))
    table = kanon.Table(frame, table.quasi_identifiers)
    g = kanon.generalize(table, 3, require=kanon.Diversity("ill", 2), rounds=20)
    ill = frame["ill"].to_numpy()
    assert all(len(set(ill[g.assignment == number])) == 2 for number in range(g.classes))


def test_more_rounds_are_never_worse_and_the_seed_decides():
    table = adult_like(n=400)
    runs = [kanon.generalize(table, 5, rounds=rounds, seed=1) for rounds in (1, 30, 60)]
    assert [g.algorithm for g in runs] == ["local-cuts"] * 3
    costs = [g.cost for g in runs]
    assert costs == sorted(costs, reverse=True)
    again = kanon.generalize(table, 5, rounds=60, seed=1)
    assert np.array_equal(again.assignment, runs[-1].assignment)


def test_shown_ends_are_round_or_another_box_begins():
    table = adult_like()
    g = kanon.generalize(table, 10, rounds=10)
    low, high = g.details.low, g.details.high
    ages = np.array(table.domains[0])
    for number in range(g.classes):
        for place, step, other in ((low[number, 0], -1, high[:, 0]), (high[number, 0], 1, low[:, 0])):
            beyond = place + step
            outermost = not 0 <= beyond < len(ages)
            if outermost or ages[place] // 5 != ages[beyond] // 5:
                continue
            beside = other == beyond
            for column in range(1, 4):
                beside &= (low[:, column] <= high[number, column]) & (high[:, column] >= low[number, column])
            assert beside.any()


def test_rounded_ends_keep_boxes_apart():
    rng = np.random.default_rng(8)
    table = kanon.Table(pd.DataFrame({"x": np.arange(100), "y": rng.integers(0, 100, 100)}), ["x", "y"])
    starts = np.sort(rng.choice(len(table), 12, replace=False))
    low = np.column_stack([starts, np.zeros(12, dtype=int)]).astype(np.int32)
    high = np.column_stack([np.append(starts[1:] - 1, 99), np.full(12, len(table.domains[1]) - 1)]).astype(np.int32)
    wider_low, wider_high = rounded_out(table, low, high)
    assert (wider_low <= low).all()
    assert (wider_high >= high).all()
    for one in range(12):
        for other in range(one):
            assert wider_low[one, 0] > wider_high[other, 0] or wider_low[other, 0] > wider_high[one, 0]


@pytest.mark.parametrize(
    "values",
    [
        [2**53, 2**53 + 1],
        [2**53, 2**53 + 1, 7, 8],
        [0.0, 5e-324],
        [0.0, 5e-324, 1e-310, 0.5],
        [-1e308, 1e308],
        [-1.7e308, 1.7e308, 0.0, 1.0],
        [1e300, 2e300, 3e300, -1e300],
        [-(2**63), 2**63 - 1],
    ],
    ids=str,
)
@pytest.mark.parametrize("algorithm", ["mondrian", "hill-climb"])
def test_the_smallest_and_the_largest_numbers_make_boxes_that_are_read_again(algorithm, values):
    table = kanon.Table(
        pd.DataFrame({"x": values * (16 // len(values)), "y": [0, 1, 2, 3, 3, 2, 1, 0] * 2}), ["x", "y"]
    )
    g = kanon.generalize(table, 2, algorithm)
    kanon.verify(table, kanon.Generalization.from_json(g.to_json()))


def test_a_release_shows_the_box_of_each_record_and_nothing_else():
    table = adult_like(n=300)
    g = kanon.generalize(table, 12, rounds=20)
    frame = released_frame(table, g)
    assert len(frame) == 300
    assert frame.groupby(list(frame.columns)).size().min() >= 12
    assert frame.groupby(list(frame.columns)).ngroups == g.classes
    shown = intervals_frame(table, g)
    assert shown.groupby("column")["records"].sum().eq(300).all()


def test_with_a_tree_only_its_words_are_shown():
    tree = Tree.from_levels([("A", "north"), ("B", "north"), ("C", "south"), ("D", "south"), ("E", "south")])
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"town": rng.choice(list("ABCDE"), 60), "age": rng.integers(20, 80, 60)})
    table = kanon.Table(frame, ["town", "age"], trees={"town": tree})
    for name in ("mondrian", "local-cuts"):
        words = set(released_frame(table, kanon.generalize(table, 6, name, metric="LM"))["town"])
        assert words <= {*"ABCDE", "north", "south", "*"}


def test_a_missing_value_has_a_word_of_its_own():
    table = kanon.Table(pd.DataFrame({"age": [20, 21, 22, 30, 31, None, None, None]}), ["age"])
    words = released_frame(table, kanon.generalize(table, 3))["age"]
    assert set(words) == {"any", "missing"} or "missing" in " ".join(words)
