"""A slightly smaller k that allows one more group: told only where such groups were found."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.sweep import MOST_ITEMS, SLIGHT, cheap_question, one_more, slightly_smaller, told
from tests.compiled import THOROUGH
from tests.regions.graphs import grid


@pytest.fixture(scope="module")
def line():
    """Six areas in a line, of which two groups of 2,000 can be made, and three of 1,990."""
    return kanon.Regions(range(6), [1_000, 1_000, 1_000, 990, 1_000, 1_000], [(i, i + 1) for i in range(5)])


def test_what_is_told_was_found_and_can_be_made_again(line):
    g = kanon.generalize(line, 2_000)
    found = one_more(line, g)
    assert (g.classes, found.classes) == (2, 3)
    assert (
        told(g, found)
        == f"k = {found.k:,} instead of 2,000 allows one more group: 3 groups, the largest 2,000 instead of 3,000."
    )
    assert 2_000 * (1 - SLIGHT) <= found.k <= found.class_weights.min() == 1_990
    kanon.verify(line, found)
    again = kanon.generalize(line, found.k, found.algorithm, seed=found.seed, require=found.require, **found.options)
    assert replace(again, seconds=found.seconds).sealed().digest == found.digest


def test_nothing_is_told_where_no_slightly_smaller_k_allows_more(line):
    assert one_more(line, kanon.generalize(line, 2_100)) is None  # 1,990 is 5 % below
    assert one_more(line, kanon.generalize(line, 1_990)) is None  # all three are there
    hub = kanon.Regions(range(5), [1_000, 600, 600, 600, 600], [(0, i) for i in range(1, 5)])
    g = kanon.generalize(hub, 1_150)  # by weight alone there could be two groups
    assert g.classes == 1
    assert slightly_smaller(hub, g)
    assert one_more(hub, g) is None


@pytest.mark.thorough("regions")
@pytest.mark.parametrize("family", ["regions", "rectangles", "labels"])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_looked_at_and_found_keeps_its_word(family, seed):
    random = np.random.default_rng(seed)
    weights = random.integers(90, 111, 25)
    instance = {
        "regions": lambda: kanon.Regions(range(25), weights, grid(5, 5)),
        "rectangles": lambda: kanon.Points(random.random((25, 2)), weights),
        "labels": lambda: kanon.Labels([str(i) for i in range(25)], weights),
    }[family]()
    for k in (505, 610, 840) if THOROUGH or family != "regions" else (840,):
        g = kanon.generalize(instance, k)
        ks = slightly_smaller(instance, g)
        assert ks == sorted(set(ks), reverse=True)
        assert all(k * (1 - SLIGHT) <= value < k and value * (g.classes + 1) <= instance.total for value in ks)
        found = one_more(instance, g)
        if found is not None:
            assert found.k in ks
            assert found.classes > g.classes
            assert found.class_weights.min() >= found.k
            assert found.cost <= g.cost
            kanon.verify(instance, found)


def test_what_was_found_for_a_smaller_k_and_holds_at_k_says_so(line):
    g = kanon.generalize(line, 1_900)
    assert g.classes == 3
    worse = replace(g, k=1_980, assignment=np.zeros(6, dtype=np.int32), class_weights=np.array([5_990]), cost=5_990)
    found = one_more(line, worse, lambda question, k: replace(g, k=k))
    begun = f"The result found for k = {found.k:,} has 2 more groups, and is also valid for k = 1,980"
    assert told(worse, found) == f"{begun}: 3 groups, the largest 2,000 instead of 5,990."
    same = told(replace(worse, cost=g.cost), found)
    assert same.endswith("3 groups, the largest 2,000.")


def test_searches_that_find_nothing_are_passed_over(line):
    g, asked = kanon.generalize(line, 2_000), []

    def answer(question, k):
        asked.append(k)
        raise kanon.InvalidInput("None was found.")

    assert one_more(line, g, answer) is None
    assert asked == slightly_smaller(line, g)


def test_of_which_results_it_is_not_asked(line):
    """Of what is weighed against the largest group, of relaxed, stopped and other costs', and of too many items."""
    g = kanon.generalize(line, 2_000)
    assert slightly_smaller(line, g)
    for options in ({"objective": "sum"}, {"compactness": 0.5}):
        assert slightly_smaller(line, replace(g, options=dict(g.options) | options)) == []
    for status in ("relaxed", "stopped"):
        assert slightly_smaller(line, replace(g, status=status)) == []
    table = kanon.Table(pd.DataFrame({"a": range(2_000)}), ["a"])
    assert one_more(table, kanon.generalize(table, 1_005)) is None
    many = kanon.Labels([str(i) for i in range(MOST_ITEMS + 1)], [1] * (MOST_ITEMS + 1))
    assert slightly_smaller(many, kanon.generalize(many, 1_510, "fold")) == []
    fewer = kanon.Labels([str(i) for i in range(MOST_ITEMS)], [1] * MOST_ITEMS)
    assert slightly_smaller(fewer, kanon.generalize(fewer, 1_510, "fold"))


def test_the_cheap_search_keeps_to_what_was_asked(line):
    homes = kanon.Regions(range(6), line.weights, line.edges, columns={"homes": [1] * 6})
    minimum = kanon.Minimum("homes", 2)
    question = cheap_question(homes, kanon.generalize(homes, 2_000, "tree-split", seed=4, require=[minimum]))
    assert (question.algorithm.name, question.seed, question.require) == ("recombine", 4, (minimum,))
    assert question.options["effort"] < 1
    hasty = cheap_question(line, kanon.generalize(line, 2_000, effort=0.01))
    assert hasty.options["effort"] == 0.01
    ordered = kanon.Labels("abcd", [5, 5, 5, 5])
    assert cheap_question(ordered, kanon.generalize(ordered, 10, "ordered")).algorithm.name == "ordered"
    points = kanon.Points([(0.2, 0.0), (1.3, 1.0)], [10, 10])
    assert cheap_question(points, kanon.generalize(points, 10, "kd-tree", snap=0.5)).options["snap"] == 0.5
