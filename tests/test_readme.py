"""What README.md says of the algorithms is what the registry says, and its numbers are what the code gives.

Numbers that take long are in tests/benchmarks/test_readme.py.
"""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.registry import FAMILIES
from kanon_engine.studies.figure7 import NEAR_OPTIMAL, overfull_ratios
from kanon_engine.studies.figure7.summary import distances
from tests.compiled import compiled_only
from tests.tables.test_k_optimize import ADULT, EDUCATION, NAMES

TEXT = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (\w+) \| `([\w-]+)`( \(default\))? \| ([^|]+) \|", re.MULTILINE)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_the_table_of_algorithms_has_the_guarantees_of_the_registry(family):
    rows = [(name, bool(default), words) for kind, name, default, words in ROW.findall(TEXT) if kind == family.name]
    registered = [
        (algorithm.name, algorithm.name == family.default, algorithm.guarantee)
        for algorithm in family.algorithms.values()
    ]
    assert sorted(rows) == sorted(registered)


NAME_FILES = {"women": "dist.female.first", "men": "dist.male.first", "last names": "dist.all.last"}


def figure_7(people):
    """The rows of the README's table for one file as (variant, mean, most), and how many k it names."""
    place = list(NAME_FILES).index(people)
    rows = re.findall(r"^\| ((?:Random|Sorted) (?:Fold|Spread)) \| ([^|\n]+(?:\|[^|\n]+)+)\|$", TEXT, re.MULTILINE)
    cells = {variant: [cell.strip() for cell in line.split("|")] for variant, line in rows}
    named = re.search(r"(\d\d,\d+) for women's names,\s+([\d,]+) for men's, ([\d,]+) for last names", TEXT)
    return [(variant, *cells[variant][2 * place : 2 * place + 2]) for variant in cells], named[1 + place]


def check_figure_7(people):
    labels = kanon.read_labels(ADULT.parent / "names_1990" / NAME_FILES[people])
    frame = overfull_ratios(labels, seeds=range(5))
    best = frame[frame["variant"] == NEAR_OPTIMAL]
    assert (best["cost"] == best["lower_bound"]).all()
    rows, values_of_k = figure_7(people)
    assert values_of_k == f"{len(best):,}"
    assert len(rows) == 4
    found = distances(frame).set_index("variant")
    for variant, mean, most in rows:
        row = found.loc[variant]
        assert (mean, most) == (f"{row['mean_ratio_to_bound']:.3f}", f"{row['largest_ratio_to_bound']:.3f}"), variant


@compiled_only
def test_figure_7_of_mens_names():
    check_figure_7("men")


def adult(ages):
    frame = pd.read_parquet(ADULT)
    if ages == "coarse":
        frame["age"] //= 5
    return kanon.Table(frame, NAMES, "salary", {"education": EDUCATION})


def said(pattern):
    """The numbers of a sentence of the README, which must be there."""
    found = re.search(pattern.replace(" ", r"\s+"), TEXT)
    assert found, pattern
    return [int(number.replace(",", "")) for number in found.groups()]


LEFT_OUT = {  # k, metric and ages, to what the README says: none left out, some left out
    (25, "DM", "coarse"): r"k = 25 \(discernibility, coarse ([\d,]+) to ([\d,]+),",
    (25, "DM", "fine"): r"every age ([\d,]+) to ([\d,]+)\) and, coarse",
    (50, "CM", "coarse"): r"for classification at k = 50 \(([\d,]+) to ([\d,]+)\)",
    (25, "CM", "coarse"): r"\) and 25 \(([\d,]+) to ([\d,]+)\)",
}


def check_optimum(k, metric, ages, limit, cost):
    g = kanon.generalize(
        adult(ages), k, "k-optimize", metric=metric, suppression_limit=limit, upper_bound=cost, time_limit=1e9
    )
    assert (g.cost, g.status) == (cost, "optimal")
    return g


@compiled_only
@pytest.mark.parametrize(("k", "metric", "ages"), [key for key in LEFT_OUT if key[2] == "coarse"])
def test_optima_that_suppress_nothing(k, metric, ages):
    check_optimum(k, metric, ages, 0, said(LEFT_OUT[k, metric, ages])[0])


def test_small_numbers_in_the_corrections():
    """Each example of the section on corrections, as the code has it."""

    def cost(algorithm, k, counts):
        return kanon.generalize(kanon.Labels([f"n{i}" for i in range(len(counts))], counts), k, algorithm).cost

    assert (
        said(r"\{30, 6, 6, 3\} with k = 10 is (\d+) instead of (\d+)")
        == [33, cost("fold", 10, [30, 6, 6, 3])]
        == [33, 30]
    )
    largest, ceiling = said(r"\[3, 9, 3\] with k = 4 would cost (\d+), above its bound of (\d+)")
    assert (largest, ceiling) == (15, max(4 - 1 + 9, 3 * 4 - 3))
    assert cost("spread", 4, [3, 9, 3]) <= ceiling
    assert "8, 8, 7, 1 with\n  k = 10" in TEXT
    assert 2 * cost("exact", 10, [8, 8, 7, 1]) > 3 * 10
    weight, k = said(r"one point of (\d+) with k = (\d+)")
    assert kanon.generalize(kanon.Points([(0, 0)], [weight]), k).cost == weight > 5 * k - 4
    split, whole = said(r"with k = 4, splitting costs (\d+), not splitting (\d+)")
    eight = kanon.Table(pd.DataFrame({"x": [0] * 7 + [1]}), ["x"])
    assert kanon.generalize(eight, 4, "k-optimize").cost == split == 7 * 7 + 8 < whole == 8 * 8
    wrong, right = said(r"\{0\}, \{1\} with k = 1 would cost (\d+) instead of (\d+)")
    assert (
        kanon.generalize(kanon.Table(pd.DataFrame({"x": [0, 1]}), ["x"]), 1, "k-optimize").cost
        == right
        < wrong
        == 2 * 2
    )
    everything, enough = said(r"with k = 2 cost (\d+) instead of (\d+)")
    rows = pd.DataFrame([("a", "b", "c")] * 100 + [("p", "q", "r"), ("p", "q", "s")], columns=list("xyz"))
    assert everything == rows.size
    assert kanon.generalize(kanon.Table(rows, list("xyz")), 2, "cell-suppression").cost == enough


def test_the_count_of_pairs_of_patterns_and_rows():
    """Where m^(2 s + 1) is too small for (s + 1)^m patterns and s^m rows, and that (s + 1)^(2 m) never is."""
    pairs = {(m, s): (s + 1) ** m * s**m for m in range(1, 60) for s in range(1, 12)}
    small = {(m, s) for (m, s), count in pairs.items() if count > m ** (2 * s + 1)}
    assert all((1, s) in small for s in range(1, 12))
    assert {s for s in range(1, 12) if (2, s) in small} == {2, 3}
    assert all((59, s) in small for s in range(1, 12))
    assert said(r"with m = 4 and \|Σ\| = 2 there are ([\d,]+) pairs, not ([\d,]+)") == [pairs[4, 2], 4**5]
    assert all(count <= (s + 1) ** (2 * m) for (m, s), count in pairs.items())


def test_theorem_4_is_never_smaller_than_the_formula_above():
    """Where no location weighs more than k; the ceiling of a run is within the formula, whatever they weigh."""
    for seed in range(60):
        rng = np.random.default_rng([seed, 8])
        n, k = int(rng.integers(2, 30)), int(rng.integers(1, 12))
        xy = rng.integers(0, rng.choice([3, 30]), (n, 2)).astype(float)
        points = kanon.Points(xy, [k, *rng.integers(1, (1 + seed % 2) * k + 1, n - 1)])
        sums = [np.bincount(np.unique(axis, return_inverse=True)[1], weights=points.weights).max() for axis in xy.T]
        heaviest = int(points.location_weights.max())
        formula = min(2 * (k - 1) + int(min(sums)), 4 * (k - 1) + heaviest)
        g = kanon.generalize(points, k, "kd-tree")
        assert g.cost <= g.guarantee <= formula
        assert heaviest > k or formula <= 5 * k - 4
