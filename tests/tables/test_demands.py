"""Diversity and closeness in every algorithm for tables: kept, verified, the least cost where that is claimed."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.generalize import certified
from kanon_engine.tables.cuts import problem_of
from kanon_engine.tables.k_optimize import KOptimizeSearch
from tests.compiled import compiled_only
from tests.corruption import failed, passes
from tests.oracles.tables import cost, least
from tests.sentences import MUST_BE_A_WHOLE_NUMBER, REQUIRE_LESS, THERE_IS_NO_COLUMN, THERE_IS_NO_SECOND_COUNT
from tests.tables.random_requirements import random_demands
from tests.tables.random_tables import plain

pytestmark = pytest.mark.kernels

METRICS = ("DM", "CM", "AVG", "LM")


def members_of(g):
    return [np.flatnonzero(g.assignment == number).tolist() for number in range(g.classes)]


def check(table, g, certificate, require, holds):
    """All of it holds by the oracle, is in the certificate, and is read back."""
    assert all(holds(members) for members in members_of(g))
    assert g.require == tuple(require)
    assert [found.name for found in certificate.checks].count("requirement") == len(require)
    again = kanon.Generalization.from_json(g.to_json())
    assert again.require == g.require
    assert passes(table, again)


@compiled_only
@pytest.mark.parametrize("seeds", [range(24), pytest.param(range(24, 400), marks=pytest.mark.thorough)], ids=len)
def test_random_tables_have_the_least_cost_of_all_sets_of_cuts(seeds):
    refused = harder = suppressing = 0
    for seed in seeds:
        rng = np.random.default_rng([seed, 9])
        table, require, holds = random_demands(rng)
        k, metric, limit = int(rng.integers(1, 6)), METRICS[seed % 4], [0, 3, None][seed % 3]
        options = {"metric": metric, "suppression_limit": limit}
        rows, labels, cuts, sizes = plain(table)
        ones = [1] * len(sizes)
        best = least(rows, labels, cuts, k, metric, limit, sizes, ones, holds)
        if best is None:
            refused += 1
            with pytest.raises(kanon.Infeasible):
                kanon.generalize(table, k, "k-optimize", require=require, **options)
            with pytest.raises((kanon.Infeasible, kanon.SearchEnded)):  # it does not look at all sets of cuts
                kanon.generalize(table, k, "hill-climb", require=require, **options)
            continue
        g, certificate = certified(table, k, "k-optimize", require=require, **options)
        assert (g.cost, g.lower_bound, g.status) == (best, best, "optimal"), seed
        assert cost(rows, labels, g.details.cuts.tolist(), k, metric, sizes, ones, holds)[0] == best
        check(table, g, certificate, require, holds)
        climbed, certificate = certified(table, k, "hill-climb", require=require, **options, restarts=2)
        assert climbed.cost >= best >= climbed.lower_bound
        check(table, climbed, certificate, require, holds)
        problem, root = problem_of(table, k, metric, limit, None, require)
        for ceiling in (best, best + 1, 3 * best + 9):  # without the hill climber's start
            search = KOptimizeSearch(problem, root, ceiling)
            search.go_on(lambda: True)
            assert search.done
            assert search.best == best, (seed, ceiling)
        harder += best > kanon.generalize(table, k, "k-optimize", **options).cost
        suppressing += g.details.suppressed > 0
    assert refused
    assert harder > 3
    assert suppressing > 1


@pytest.mark.parametrize("seeds", [range(8), pytest.param(range(8, 300), marks=pytest.mark.thorough)], ids=len)
def test_every_algorithm_keeps_it_and_none_is_better_than_exact_boxes(seeds):
    compared = 0
    for seed in seeds:
        rng = np.random.default_rng([seed, 13])
        table, require, holds = random_demands(rng)
        k, metric = int(rng.integers(1, 6)), METRICS[seed % 4]
        if not holds(range(len(table))):
            continue
        found = {}
        for algorithm in kanon.algorithms("tables"):
            asked = {"metric": metric, "suppression_limit": 0, "rounds": 30, "restarts": 2}
            options = {one.name: asked[one.name] for one in algorithm.options if one.name in asked}
            g, certificate = certified(table, k, algorithm.name, require=require, **options)
            check(table, g, certificate, require, holds)
            found[algorithm.name] = g
        best = found["exact"]
        boxes = [found[name] for name in ("mondrian", "local-cuts", "k-optimize", "hill-climb")]
        assert best.status == "optimal"
        assert best.cost <= min(g.cost for g in boxes)
        assert found["local-cuts"].cost <= found["mondrian"].cost
        assert found["local-cuts"].lower_bound <= best.cost
        compared += 1
    assert compared > 3


@compiled_only
@pytest.mark.parametrize("seeds", [range(30), pytest.param(range(30, 600), marks=pytest.mark.thorough)], ids=len)
def test_cells_are_suppressed_until_all_of_it_holds(seeds):
    merged = 0
    for seed in seeds:
        rng = np.random.default_rng([seed, 10])
        table, require, holds = random_demands(rng)
        k = int(rng.integers(1, 4))
        if not holds(range(len(table))):
            with pytest.raises(kanon.Infeasible, match=rf"^In total, the data have .*“of”.*; {REQUIRE_LESS}\.$"):
                kanon.generalize(table, k, "cell-suppression", require=require)
            continue
        plain = kanon.generalize(table, k, "cell-suppression")
        g, certificate = certified(table, k, "cell-suppression", require=require)
        check(table, g, certificate, require, holds)
        assert g.guarantee is None
        assert g.lower_bound <= plain.cost <= g.cost
        if all(holds(members) for members in members_of(plain)):
            assert g.cost == plain.cost
        merged += g.cost > plain.cost
    assert merged > 5


def fewest_stars(rows, of, rest):
    """The fewest stars over all partitions of the records in `rest` into groups whose values differ."""
    if not rest:
        return 0
    first, *others = rest
    found = [10**6]
    for chosen in range(1, 1 << len(others)):
        group = [first, *(one for place, one in enumerate(others) if chosen >> place & 1)]
        if len({of[one] for one in group}) > 1:
            stars = len(group) * int((rows[group] != rows[first]).any(axis=0).sum())
            found.append(stars + fewest_stars(rows, of, [one for one in rest if one not in group]))
    return min(found)


def test_the_fewest_cells_of_all_partitions_are_never_below_the_bound():
    """Six records of two columns: all partitions into groups of two and more whose illnesses differ."""
    compared = 0
    for seed in range(40):
        rng = np.random.default_rng([seed, 11])
        rows = rng.integers(0, 3, (6, 2))
        of = rng.choice(["flu", "gout"], 6).tolist()
        table = kanon.Table(pd.DataFrame({"a": rows[:, 0], "b": rows[:, 1], "of": of}), ["a", "b"])
        if len(set(of)) == 1:
            continue

        g = kanon.generalize(table, 2, "cell-suppression", require=kanon.Diversity("of", 2))
        compared += 1
        assert g.lower_bound <= fewest_stars(rows, of, range(6)) <= g.cost
    assert compared > 30


def illnesses():
    frame = pd.DataFrame({"age": [20, 20, 30, 30, 40, 40], "of": ["flu", "flu", "flu", "gout", "gout", "flu"]})
    return kanon.Table(frame, ["age"])


def test_a_false_claim_is_found():
    table = illnesses()
    plain = kanon.generalize(table, 2, "k-optimize")
    assert plain.classes == 3
    claimed = replace(plain, require=(kanon.Diversity("of", 2),)).sealed()
    assert failed(table, claimed) == "requirement"
    assert failed(table, replace(plain, require=(kanon.Closeness("of", 0.1),)).sealed()) == "requirement"
    assert failed(table, replace(plain, require=(kanon.Diversity("age", 2),)).sealed()) == "requirement"
    assert failed(table, replace(plain, require=(kanon.Diversity("no", 2),)).sealed()) == "requirement"
    g = kanon.generalize(table, 2, "k-optimize", require=kanon.Diversity("of", 2))
    assert failed(table, replace(g, require=()).sealed()) == "exhaustive check"  # without it less is possible


def test_a_certificate_with_a_bad_requirement_is_refused():
    text = kanon.generalize(illnesses(), 2, "k-optimize", require=kanon.Diversity("of", 2)).to_json()
    content = json.loads(text)
    for name, value in {"l": 1, "kind": "some", "c": 2.0, "column": 3}.items():
        changed = json.loads(text)
        changed["require"][0]["fields"][name] = value
        with pytest.raises(kanon.InvalidInput):
            kanon.Generalization.from_json(json.dumps(changed))
    assert content["require"][0]["record"] == "Diversity"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: kanon.Diversity("of", 1), f"{MUST_BE_A_WHOLE_NUMBER} 2"),
        (lambda: kanon.Diversity("of", 2.5), f"{MUST_BE_A_WHOLE_NUMBER} 2"),
        (lambda: kanon.Diversity("of", True), "is True"),
        (lambda: kanon.Diversity("of", "3"), "is '3'"),
        (lambda: kanon.Diversity("of", float("nan"), "entropy"), "a number above 1"),
        (lambda: kanon.Diversity("of", 1.0, "entropy"), "a number above 1"),
        (lambda: kanon.Diversity("of", 2, "some"), "choose one of distinct, entropy, recursive"),
        (lambda: kanon.Diversity("of", 2, "recursive"), "The c of recursive diversity is None"),
        (lambda: kanon.Diversity("of", 2, "recursive", 0), "a number above 0"),
        (lambda: kanon.Diversity("of", 2, c=3), "has no c"),
        (lambda: kanon.Diversity(7, 2), "give its name"),
        (lambda: kanon.Closeness("of", 1.2), "from 0 to 1"),
        (lambda: kanon.Closeness("of", -0.1), "from 0 to 1"),
        (lambda: kanon.Closeness("of", None), "is None"),
        (lambda: kanon.Closeness(None, 0.1), "give its name"),
    ],
)
def test_what_makes_no_sense_is_refused(make, words):
    with pytest.raises(kanon.InvalidInput, match=words):
        make()


def test_only_sensitive_columns_of_tables_have_them():
    table = illnesses()
    with pytest.raises(kanon.InvalidInput, match="'age' is a quasi-identifier"):
        kanon.generalize(table, 2, require=kanon.Diversity("age", 2))
    with pytest.raises(kanon.InvalidInput, match=f"{THERE_IS_NO_COLUMN} 'no'"):
        kanon.generalize(table, 2, require=kanon.Closeness("no", 0.2))
    with pytest.raises(kanon.InvalidInput, match="can be required only of tables"):
        kanon.generalize(kanon.Labels(["a", "b"], [2, 3]), 2, require=kanon.Diversity("of", 2))
    with pytest.raises(kanon.InvalidInput, match=f"{THERE_IS_NO_SECOND_COUNT} 'of'"):
        kanon.generalize(table, 2, require=kanon.Minimum("of", 2))


def test_numbers_are_kept_to_six_decimals_and_whole_ones_as_such():
    assert kanon.Diversity("of", 3.0) == kanon.Diversity("of", 3)
    assert kanon.Diversity("of", 2.7182818284, "entropy").l == 2.718282
    assert kanon.Closeness("of", 1 / 3).t == 0.333333
    assert kanon.Diversity("of", 2, "recursive", 3).c == 3.0
    assert (repr(kanon.Closeness("of", 1)), repr(kanon.Diversity("of", np.int64(4)).l)) == (
        "Closeness(column='of', t=1.0)",
        "4",
    )


def test_closeness_compares_with_all_records_those_left_out_too():
    """Both groups of two ages hold half and half; of all five records three have flu."""
    frame = pd.DataFrame({"age": [20, 20, 40, 40, 90], "of": ["flu", "gout", "flu", "gout", "flu"]})
    table = kanon.Table(frame, ["age"])
    kept = kanon.generalize(
        table, 2, "k-optimize", suppression_limit=1, metric="LM", require=kanon.Closeness("of", 0.1)
    )
    assert (kept.classes, kept.details.suppressed) == (2, 1)
    near = kanon.generalize(
        table, 2, "k-optimize", suppression_limit=1, metric="LM", require=kanon.Closeness("of", 0.09)
    )
    assert (near.classes, near.details.suppressed) == (1, 0)


@pytest.mark.parametrize("column", ["pay\n(in €)", "x" * 20_000, ""])
@pytest.mark.parametrize("algorithm", ["local-cuts", "k-optimize"])
def test_a_column_of_any_name_can_be_required(column, algorithm):
    table = kanon.Table(pd.DataFrame({"a": [1, 1, 2, 2], column: [1, 2, 1, 2]}), ["a"])
    for require in (kanon.Diversity(column, 2), kanon.Closeness(column, 0)):
        assert kanon.generalize(table, 2, algorithm, require=require).classes == 2
