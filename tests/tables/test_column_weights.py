"""Weights of columns in the loss metric: the cost is in proportion to them, however small they are."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.errors import InvalidInput
from kanon_engine.model.known import FAMILIES
from kanon_engine.verification import table_costs
from tests.corruption import refused
from tests.verification.checked import certificate_failures

WEIGHED = [name for name, one in FAMILIES["tables"].algorithms.items() if any(o.name == "weights" for o in one.options)]
QUICK = {"hill-climb": {"restarts": 3}, "local-cuts": {"rounds": 3}}
SEEDS = [*range(6), *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(6, 1_000))]


def weighed(seed):
    """A table with at most 3 columns, weights in (0, 1] of up to 3 digits, and a whole number to multiply them by."""
    rng = np.random.default_rng([20, seed])
    n, q = int(rng.integers(4, 13)), int(rng.integers(1, 4))
    frame = pd.DataFrame({f"c{i}": rng.integers(0, int(rng.integers(2, 7)), n) for i in range(q)})
    digits = 10 ** int(rng.integers(1, 4))
    weights = {name: Fraction(int(rng.integers(1, digits + 1)), digits) for name in frame}
    return kanon.Table(frame, list(frame)), weights, int(rng.integers(2, 12))


def loss(table, k, name, weights):
    """The cost as a fraction: of a whole column lost by one record, times the weights."""
    text = ", ".join(f"{column}={float(weight)}" for column, weight in weights.items())
    g = kanon.generalize(table, k, name, metric="LM", weights=text, **QUICK.get(name, {}))
    gaps = [max(len(domain) - 1, 1) for domain in table.domains]
    common = lcm(*gaps)
    parts = [weight * common / gap for weight, gap in zip(weights.values(), gaps, strict=True)]
    return g, Fraction(g.cost, common * lcm(*(part.denominator for part in parts)))


def accepted(table, g):
    return certificate_failures(table, g.to_json()) == []


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", WEIGHED)
def test_the_cost_is_in_proportion_to_the_weights(name, seed, monkeypatch):
    monkeypatch.setattr("kanon_engine.tables.exact.FIRST", 3)
    table, weights, times = weighed(seed)
    k = 2 + seed % 2
    one, cost = loss(table, k, name, weights)
    _, other = loss(table, k, name, {column: weight * times for column, weight in weights.items()})
    assert cost * times == other
    assert accepted(table, one)
    assert kanon.Generalization.from_json(one.to_json()).cost == one.cost


@pytest.mark.parametrize("name", WEIGHED)
def test_records_that_share_nothing_do_not_cost_nothing_as_one_group(name):
    table = kanon.Table(pd.DataFrame({"a": range(40), "b": range(40)}), ["a", "b"])
    g = kanon.generalize(table, 2, name, metric="LM", weights="a=0.3, b=0.4")
    assert g.cost > 0
    assert g.classes > 1


def test_weights_that_were_exact_before_keep_their_cost():
    table = kanon.Table(pd.DataFrame({"a": [0, 1, 2, 3, 4], "b": [0, 0, 1, 1, 1]}), ["a", "b"])
    for weights, cost in ((None, 40), ("a=2", 60), ("b=0.5", 30), ("a=2, b=0.25", 45)):
        assert kanon.generalize(table, 5, "exact", metric="LM", weights=weights).cost == cost


@pytest.mark.parametrize("name", WEIGHED)
def test_weights_with_too_many_digits_are_refused(name):
    table = kanon.Table(pd.DataFrame({"a": range(9), "b": range(9)}), ["a", "b"])
    with pytest.raises(InvalidInput, match=r"exceeds the largest number allowed for a cost; round the weights\.$"):
        kanon.generalize(table, 2, name, metric="LM", weights={"a": 1 / 3, "b": 0.7})


@pytest.mark.parametrize("name", WEIGHED)
@pytest.mark.parametrize("values", [20, 21, 22, 40, 60])
def test_a_step_of_the_widest_column_is_never_rounded_to_nothing(name, values, monkeypatch):
    """With ten parts in place of a million, so that a column needs twenty values and not two million."""
    monkeypatch.setattr(table_costs, "SCALE", 10)
    people = pd.DataFrame({"a": [0, 1, values - 2, values - 1], "b": [0, 1, 0, 1]})
    table = kanon.Table(people, ["a", "b"], orders={"a": range(values), "b": range(4)})
    g = kanon.generalize(table, 2, name, metric="LM", weights="b=0.5")
    without = kanon.generalize(table, 2, name, metric="LM", weights="a=0, b=0.5")
    assert g.class_weights.tolist() == [2, 2]
    assert g.cost > without.cost
    assert accepted(table, g)


@pytest.mark.thorough
def test_a_column_of_millions_of_values_costs_something():
    people = pd.DataFrame({"a": [0, 1, 2_099_998, 2_099_999], "b": [0, 1, 0, 1]})
    table = kanon.Table(people, ["a", "b"], orders={"a": range(2_100_000), "b": range(4)})
    g = kanon.generalize(table, 2, "mondrian", metric="LM", weights="b=0")
    assert (g.cost, g.classes) == (4 * 3, 2)  # a step each: three of the parts that columns of 2,099,999 and 3 share
    assert accepted(table, g)


def test_a_cost_by_rounded_weights_is_refused():
    table = kanon.Table(pd.DataFrame({"a": range(8), "b": range(8)}), ["a", "b"])
    g = kanon.generalize(table, 8, "mondrian", metric="LM", weights="a=0.3, b=0.4")
    assert refused(table, g, cost=0, lower_bound=0, status="optimal") == "cost"


def test_a_billion_records_are_bounded_at_once():
    frame = pd.DataFrame({"a": range(6)})
    table = kanon.Table(frame, ["a"], weights=[10**9, 3 * 10**8 + 1, 2 * 10**8, 10**8 + 7, 9, 4 * 10**8])
    for metric in ("DM", "LM"):
        g = kanon.generalize(table, 3 * 10**8 + 5, "mondrian", metric=metric)
        assert 0 <= g.lower_bound <= g.cost
        assert accepted(table, g)
