"""K-Optimize against brute force, the paper's errors, known figures, and how it stops."""

from importlib import import_module

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from tests.compiled import SHARE, THOROUGH, thorough_only
from tests.oracles.tables import cost, least
from tests.sentences import FEWER_THAN_K, NEEDS_A_CLASS_LABEL
from tests.tables.adult import adult_table
from tests.tables.random_tables import everywhere, plain, random_table, sparse_table

CASES = [(metric, limit) for metric in ("DM", "CM", "AVG", "LM") for limit in (0, "some", None)]
SEEDS = 25 if THOROUGH else 5  # times 12 cases, each a table of its own


@pytest.mark.thorough(one_in=4)
@pytest.mark.parametrize(("metric", "limit"), CASES)
def test_random_tables_have_the_least_cost_of_all_sets_of_cuts(metric, limit):
    for seed in range(SEEDS):
        rng = np.random.default_rng([seed, CASES.index((metric, limit))])
        table = random_table(rng)
        rows, labels, cuts, sizes = plain(table)
        k = min(int(rng.integers(2, 7)), len(table))
        most = int(rng.integers(1, 8)) if limit == "some" else limit
        options = {"metric": metric, "suppression_limit": most}
        weights = [1] * len(sizes)
        if metric == "LM":
            weights = rng.integers(0, 4, len(sizes)).tolist()
            options["weights"] = dict(zip(table.quasi_identifiers, weights, strict=True))
        best = least(rows, labels, cuts, k, metric, most, sizes, weights)
        g = kanon.generalize(table, k, "k-optimize", **options)
        assert (g.cost, g.lower_bound, g.status) == (best, best, "optimal"), (seed, metric, most, k)
        assert cost(rows, labels, g.details.cuts.tolist(), k, metric, sizes, weights)[0] == best
        for ceiling in (best + 1, best, best - 1, best // 2):
            again = kanon.generalize(table, k, "k-optimize", **options, upper_bound=max(ceiling, 0))
            assert (again.cost, again.status) == (best, "optimal")
        climbed = kanon.generalize(table, k, "hill-climb", **options, restarts=3)
        assert climbed.cost >= best >= climbed.lower_bound


def test_the_papers_rule_for_useless_values_would_lose_the_optimum():
    """Eight records of which one stands apart, k = 4: splitting 7 + 1 costs 49 + 8, not splitting costs 64."""
    table = kanon.Table(pd.DataFrame({"x": [0] * 7 + [1]}), ["x"])
    g = kanon.generalize(table, 4, "k-optimize", metric="DM")
    assert (g.cost, g.status, g.details.suppressed) == (57, "optimal", 1)


def test_the_condition_is_not_necessary():
    """3 + 2 records, k = 4, both parts below k: useless though 5 + 3 > 5; splitting costs as much as not splitting."""
    table = kanon.Table(pd.DataFrame({"x": [0] * 3 + [1] * 2}), ["x"])
    assert kanon.generalize(table, 4, "k-optimize", metric="DM").cost == 25


def test_a_dead_node_and_an_empty_tail_are_two_things():
    """The paper's Figure 5 takes one for the other and returns 4."""
    table = kanon.Table(pd.DataFrame({"x": [0, 1]}), ["x"])
    g = kanon.generalize(table, 1, "k-optimize", metric="DM")
    assert (g.cost, g.details.intervals["x"]) == (2, ((0,), (1,)))


@pytest.mark.parametrize("algorithm", ["k-optimize", "hill-climb"])
@pytest.mark.parametrize("metric", ["DM", "CM", "AVG", "LM"])
def test_columns_without_cuts(algorithm, metric):
    table = kanon.Table(pd.DataFrame({"x": ["a"] * 5, "y": [None] * 5, "l": list("ppqqq")}), ["x", "y"], "l")
    g = kanon.generalize(table, 3, algorithm, metric=metric)
    assert g.cost == {"DM": 25, "CM": 2, "AVG": 2, "LM": 0}[metric]
    assert (g.classes, g.status) == (1, "optimal")


def test_many_wide_columns_need_more_than_one_word_for_a_key():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 60, (60, 14)), columns=[f"c{j}" for j in range(14)])
    frame["c0"] = np.arange(60) // 20
    table = kanon.Table(frame, list(frame))
    g = kanon.generalize(table, 20, "k-optimize", metric="DM", suppression_limit=0)
    assert g.cost >= 1200  # three classes of 20
    assert g.cost <= 2800


@pytest.fixture(scope="module")
def adult():
    return adult_table("coarse")


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize(
    ("k", "metric", "known"),
    [
        (1000, "DM", 54_955_374),
        (100, "DM", 13_139_576),
        (1000, "CM", 5_579),
        *thorough_only([(500, "DM", 29_624_696), (50, "DM", 10_125_180), (100, "CM", 5_426)]),
    ],
)
def test_adult_agrees_with_an_independent_prototype(adult, k, metric, known):
    g = kanon.generalize(adult, k, "k-optimize", metric=metric, suppression_limit=0)
    assert (g.cost, g.lower_bound, g.status, g.bound_kind) == (known, known, "optimal", "solver")


def test_the_budget_ends_with_a_bound_and_is_repeatable(adult, monkeypatch):
    monkeypatch.setattr(import_module("kanon_engine.tables.k_optimize"), "BUDGET", 100)
    first, second = (
        kanon.generalize(adult, 25, "k-optimize", metric="DM", suppression_limit=100, seed=3) for _ in range(2)
    )
    assert first.status == "stopped"
    assert first.details.nodes <= 200
    assert first.lower_bound <= 7_802_942 <= first.cost
    assert np.array_equal(first.details.curve, second.details.curve)
    assert np.array_equal(first.assignment, second.assignment)


@pytest.mark.thorough
@pytest.mark.parametrize("algorithm", ["k-optimize", "hill-climb"])
def test_a_listener_sees_best_and_bound_and_can_stop(adult, algorithm):
    reports = []

    def listen(report):
        reports.append(report)
        return len(reports) < 15

    g = kanon.generalize(adult, 10, algorithm, suppression_limit=100, progress=listen)
    assert len(reports) == 15
    assert g.status == "stopped"
    best = [report.best for report in reports]
    assert best == sorted(best, reverse=True)
    assert all(report.lower_bound <= report.best for report in reports)
    assert g.cost == best[-1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"metric": "CM"}, NEEDS_A_CLASS_LABEL),
        ({"metric": "EM"}, "'EM' is not one of DM, CM, AVG, LM"),
        ({"suppression_limit": -1}, "at least 0"),
        ({"suppression_limit": 0.5}, "whole number"),
        ({"upper_bound": -1}, "at least 0"),
        ({"metric": "DM", "weights": "x=2"}, "do not apply"),
        ({"metric": "LM", "weights": {"z": 2}}, "not a quasi-identifier"),
        ({"metric": "LM", "weights": {"x": -2}}, "numbers from 0"),
        ({"metric": "LM", "weights": "x"}, "numbers from 0"),
        ({"metric": "LM", "weights": 3}, "not a list of columns with numbers"),
        (
            {"metric": "LM", "weights": {"pay, gross": 2}},
            "'pay, gross' cannot .* because commas separate weights; rename the column",
        ),
        ({"metric": "LM", "weights": {"x=1, x": 2}}, "'x=1, x' cannot .* because commas"),
        ({"metric": "LM", "weights": "pay, gross=2"}, "numbers from 0"),
    ],
)
def test_what_makes_no_sense_is_told_in_words(options, words):
    table = kanon.Table(pd.DataFrame({"x": [1, 2, 3]}), ["x"])
    with pytest.raises(kanon.InvalidInput, match=words):
        kanon.generalize(table, 2, "k-optimize", **options)


def test_too_few_records_are_infeasible():
    with pytest.raises(kanon.Infeasible, match=f"{FEWER_THAN_K} 4"):
        kanon.generalize(kanon.Table(pd.DataFrame({"x": [1, 2, 3]}), ["x"]), 4, "k-optimize")


def test_a_column_of_which_one_value_occurs_loses_nothing():
    """A cut behind the value that occurs made the interval narrower than what was called proven best possible."""
    table = kanon.Table(pd.DataFrame({"a": [0, 0, 0]}), ["a"], None, {"a": [0, 1]})
    for algorithm in ("k-optimize", "hill-climb"):
        g = kanon.generalize(table, 2, algorithm, metric="LM")
        assert (g.cost, g.lower_bound, g.status) == (0, 0, "optimal")
        kanon.verify(table, g)


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("metric", ["DM", "CM", "AVG", "LM"])
def test_no_cut_anywhere_in_the_domains_is_better(metric):
    """Domains with values that do not occur, at their ends and between: against all cuts, also those beside none."""
    for seed in range(60 // SHARE):
        rng = np.random.default_rng([seed, 11])
        table = sparse_table(rng)
        rows, labels, _, sizes = plain(table)
        k, most = int(rng.integers(1, 5)), [0, 2, None][seed % 3]
        if len(table) < k:
            continue
        weights = rng.integers(0, 4, len(sizes)).tolist() if metric == "LM" else [1] * len(sizes)
        options = {"metric": metric, "suppression_limit": most}
        if metric == "LM":
            options["weights"] = dict(zip(table.quasi_identifiers, weights, strict=True))
        best = least(rows, labels, everywhere(table), k, metric, most, sizes, weights)
        g = kanon.generalize(table, k, "k-optimize", **options)
        assert (g.cost, g.lower_bound, g.status) == (best, best, "optimal"), seed
        climbed = kanon.generalize(table, k, "hill-climb", **options, restarts=3)
        assert climbed.lower_bound <= best <= climbed.cost
        for result in (g, climbed):
            kanon.verify(table, result)


@pytest.mark.parametrize("seed", range(20))
def test_values_that_do_not_occur_change_no_class_and_no_cost(seed):
    """Values before, behind and between those that occur."""
    rng = np.random.default_rng([seed, 12])
    table = sparse_table(rng)
    k = min(2, len(table))
    wide = kanon.Table(
        table.frame, table.quasi_identifiers, "label", {name: list(range(-3, 9)) for name in table.orders}
    )
    for metric in ("DM", "CM", "AVG"):
        first, second = (kanon.generalize(each, k, "k-optimize", metric=metric) for each in (table, wide))
        assert first.cost == second.cost
        assert np.array_equal(first.assignment, second.assignment)
