"""Suppressed cells: the optimum against brute force, the start's ratio, hard tables, what is released as equal."""

from importlib import import_module
from itertools import product

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.run import Run
from kanon_engine.tables.cell_patterns import patterns_of
from kanon_engine.tables.cell_suppression import ceiling, improve, open_greedily, suppress_rare, useful
from tests.compiled import SHARE
from tests.oracles import cells
from tests.sentences import FEWER_THAN_K


def table_of(rows):
    names = [f"column {place}" for place in range(len(rows[0]))]
    return kanon.Table(pd.DataFrame(rows, columns=names), names)


def random_rows(rng, most_rows, most_columns=3, most_values=4):
    n, m = rng.integers(1, most_rows + 1), rng.integers(1, most_columns + 1)
    return [tuple(row) for row in rng.integers(0, rng.integers(1, most_values + 1), (n, m)).tolist()]


def some_tables(count, most_rows, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        rows = random_rows(rng, most_rows)
        yield (
            rows,
            int(rng.integers(1, len(rows) + 1) if rng.random() < 0.3 else rng.integers(1, min(4, len(rows)) + 1)),
        )


def test_figure_1():
    rows = [tuple("xab"), tuple("zcd"), tuple("yab"), tuple("zce")]
    g = kanon.generalize(table_of(rows), 2, "cell-suppression")
    assert (g.cost, g.status, g.assignment.tolist()) == (4, "optimal", [0, 1, 0, 1])
    assert cells.by_partitions(rows, 2) == cells.by_open_sets(rows, 2) == 4


def test_equals_brute_force_over_partitions():
    """Tables of up to 8 rows and 3 columns."""
    searched = 0
    for rows, k in some_tables(300 // SHARE, 8, 1):
        g = kanon.generalize(table_of(rows), k, "cell-suppression")
        assert (g.cost, g.status) == (cells.by_partitions(rows, k), "optimal"), (rows, k)
        searched += g.details.nodes > 0
    assert searched > 20 // SHARE  # the greedy solution is often best and proven so, but not always


def test_equals_the_enumeration_of_open_patterns():
    for rows, k in some_tables(60 // SHARE, 7, 2):
        g = kanon.generalize(table_of(rows), k, "cell-suppression")
        assert g.cost == cells.by_open_sets(rows, k), (rows, k)


def test_the_start_keeps_its_ratio():
    """At most 2 q times the optimum, at most the ceiling, everybody attached, no open pattern below k."""
    for rows, k in some_tables(150, 8, 3):
        table = table_of(rows)
        patterns = patterns_of(table, k)
        best, q = cells.by_partitions(rows, k), len(rows[0])
        for found in (suppress_rare(patterns, k), open_greedily(patterns, k)):
            good(found, k)
            assert found.cost >= best
        start = suppress_rare(patterns, k)
        assert start.cost <= ceiling(table, k) <= 2 * q * best


def good(found, k):
    assert np.array_equal(found.paid.sum(axis=1), found.patterns.sizes)
    assert (found.paid >= 0).all()
    assert ((found.load == 0) | (found.load >= k)).all()
    counts = found.counts()
    assert counts.sum() == found.patterns.sizes.sum()
    assert (counts * found.patterns.costs[found.patterns.owners]).sum() == found.cost


def test_suppressing_everything_has_no_ratio():
    """The remark in the paper's section 5 fails: 306 cells where 2 are enough."""
    rows = [tuple("abc")] * 100 + [tuple("pqr"), tuple("pqs")]
    g = kanon.generalize(table_of(rows), 2, "cell-suppression")
    assert 3 * len(rows) == 306
    assert (g.cost, g.guarantee) == (2, 6)
    assert suppress_rare(patterns_of(table_of(rows), 2), 2).cost == 6 <= 2 * 3 * g.cost


def test_rare_records_take_only_what_they_lack():
    rows = [tuple("ab")] * 9 + [tuple("cd")]
    assert suppress_rare(patterns_of(table_of(rows), 3), 3).cost == 2 * 3
    assert suppress_rare(patterns_of(table_of(rows), 9), 9).cost == 2 * 10  # nobody would stay behind


def test_improvement_never_harms_and_finds_something():
    gained = 0
    rng = np.random.default_rng(5)
    for _ in range(40):
        rows = [tuple(row) for row in rng.integers(0, 4, (40, 3)).tolist()]
        patterns = patterns_of(table_of(rows), 4)
        found = suppress_rare(patterns, 4)
        before = found.cost
        improve(found, 4, 0, Run())
        good(found, 4)
        assert found.cost <= before
        gained += found.cost < before
    assert gained > 20


def test_what_is_left_out_of_the_program_is_never_needed():
    """The optimum within a slack that is exactly large enough is still there; with less than that it is not."""
    for rows, k in some_tables(60, 7, 6):
        patterns = patterns_of(table_of(rows), k)
        floor = int((patterns.floors * patterns.sizes).sum())
        best = cells.by_partitions(rows, k)
        assert floor <= best
        most = useful(patterns, k, best - floor)
        left = [patterns.sizes[item] - most[patterns.members == item].sum() for item in range(len(patterns.sizes))]
        assert max(left) <= 0


def test_a_missing_value_is_a_value():
    frame = pd.DataFrame({"age": [None, None, 30, 30], "sex": ["f", "f", None, None]})
    g = kanon.generalize(kanon.Table(frame, ["age", "sex"]), 2, "cell-suppression")
    assert (g.cost, g.classes) == (0, 2)


def test_k_of_everybody_makes_one_class():
    rows = [(0, 0, 1), (0, 1, 1), (0, 2, 2)]
    g = kanon.generalize(table_of(rows), 3, "cell-suppression")
    assert (g.cost, g.classes, g.details.stars.tolist()) == (6, 1, [[False, True, True]])


def test_too_few_records():
    with pytest.raises(kanon.Infeasible, match=f"{FEWER_THAN_K} 4"):
        kanon.generalize(table_of([(0,), (1,), (2,)]), 4, "cell-suppression")


def crowd(columns, rows=300, seed=8):
    return table_of(np.random.default_rng(seed).integers(0, 3, (rows, columns)).tolist())


def test_stopped_at_once_it_has_the_guarantee_and_a_bound():
    table = crowd(6)
    g = kanon.generalize(table, 4, "cell-suppression", progress=lambda report: False)
    assert g.status == "stopped"
    assert 0 < g.lower_bound < g.cost <= g.guarantee


def test_reports_and_time_limit():
    reports = []
    table = crowd(6)
    g = kanon.generalize(table, 4, "cell-suppression", time_limit=1.5, progress=reports.append)
    assert g.status in ("stopped", "optimal")
    assert all(report.lower_bound <= report.best for report in reports)
    assert reports[-1].best >= g.cost
    assert reports[-1].lower_bound <= g.lower_bound


def test_above_the_limit_it_is_greedy_and_says_so(monkeypatch):
    monkeypatch.setattr(import_module("kanon_engine.tables.cell_suppression"), "MOST_ATTACHMENTS", 10)
    g = kanon.generalize(crowd(5), 4, "cell-suppression")
    assert (g.status, g.bound_kind, g.bound_name, g.details.nodes) == ("feasible", "checked", "fewest stars", 0)


@pytest.mark.thorough
def test_many_columns():
    """2^24 sets of columns are too many: only part of the patterns, still a verified result and a checked bound."""
    table = crowd(24, 60)
    patterns = patterns_of(table, 3)
    assert 1 < patterns.depth < 24
    assert not patterns.complete
    g = kanon.generalize(table, 3, "cell-suppression")
    assert g.bound_witness == (patterns.depth,)
    assert g.cost < 24 * 60
    whole = np.zeros((30, 70), dtype=np.int64)
    whole[:, ::2] = np.arange(30)[:, None]
    assert kanon.generalize(table_of(whole.tolist()), 30, "cell-suppression").cost == 35 * 30


def test_the_number_of_pairs_of_patterns_and_rows():
    """The paper's m^(2 s + 1) for m columns and s values is too few for one column, and for two where s < 4."""
    for m, s in ((1, 2), (1, 5), (2, 2), (2, 3), (2, 4), (3, 2)):
        rows = list(product(range(s), repeat=m))
        pairs = len(rows) * len(cells.patterns(rows))
        assert pairs == s**m * (s + 1) ** m <= (s + 1) ** (2 * m)
        assert (pairs > m ** (2 * s + 1)) == (m == 1 or (m == 2 and s < 4))


@pytest.mark.parametrize(("k", "columns"), [(3, 2), (4, 2), (3, 3)])
def test_the_starts_ratio_is_attained(k, columns):
    """A single record and two tuples of 2k - 2 that differ in one column from it: k hidden cells are enough."""
    same, other = (0,) * (columns - 1), (1,) * (columns - 1)
    rows = [(0, *same), (1, *same), (0, *other)] * (2 * k - 2) + [(2, *same)]
    table = table_of(rows)
    start = suppress_rare(patterns_of(table, k), k)
    assert start.cost == columns * (2 * k - 1)
    g = kanon.generalize(table, k, "cell-suppression")
    assert (g.cost, g.lower_bound, g.guarantee) == (k, k, start.cost)
    assert start.cost * k == (2 * k - 1) * columns * g.cost


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_the_starts_ratio_without_help_is_attained(columns):
    """Four single records that differ in one column, k = 2, R = 4: the start hides all cells, one column is enough."""
    table = table_of([(value, *(0,) * (columns - 1)) for value in range(4)] + [(4, *(1,) * (columns - 1))] * 2)
    start = suppress_rare(patterns_of(table, 2), 2)
    g = kanon.generalize(table, 2, "cell-suppression")
    assert (start.cost, g.cost, g.guarantee) == (4 * columns, 4, 4 * columns)


def test_the_ceiling_is_within_its_ratio():
    for rows, k in some_tables(300, 8, 22):
        table = table_of(rows)
        sizes, q = table.tuples[1].sum(axis=1), len(rows[0])
        rare, best = int(sizes[sizes < k].sum()), cells.by_partitions(rows, k)
        most = ceiling(table, k)
        if rare == 0:
            assert most == best == 0
        elif rare >= k:
            assert most <= q * best
        else:
            assert k * most <= (2 * k - 1) * q * best


def test_values_that_do_not_occur_change_nothing():
    for rows, k in some_tables(60, 7, 21):
        table = table_of(rows)
        wide = kanon.Table(
            table.frame, table.quasi_identifiers, None, {name: list(range(-2, 7)) for name in table.quasi_identifiers}
        )
        plain, sparse = (kanon.generalize(each, k, "cell-suppression") for each in (table, wide))
        kanon.verify(wide, sparse)
        assert (sparse.cost, sparse.lower_bound, sparse.guarantee) == (plain.cost, plain.lower_bound, plain.guarantee)
        assert sparse.cost == cells.by_partitions(rows, k)
