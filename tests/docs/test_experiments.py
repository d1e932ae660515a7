"""The numbers in docs/experiments.md are what the code gives. Searches that take long are in tests/benchmarks."""

import re

import pytest

import kanon_engine as kanon
from kanon_engine.teaching.studies.figure7 import NEAR_OPTIMAL, distances, overfull_ratios
from tests.compiled import compiled_only, thorough_only
from tests.docs.pages import ROOT, said, text
from tests.tables.adult import adult_table

PAGE = "docs/experiments.md"
NAME_FILES = {"women": "dist.female.first", "men": "dist.male.first", "last names": "dist.all.last"}


def figure_7(people):
    """The rows of the table for one file as (variant, mean, most), and how many k the text names."""
    place = list(NAME_FILES).index(people)
    rows = re.findall(
        r"^\| ((?:Random|Sorted) (?:Fold|Spread)) \| ([^|\n]+(?:\|[^|\n]+)+)\|$", text(PAGE), re.MULTILINE
    )
    cells = {variant: [cell.strip() for cell in line.split("|")] for variant, line in rows}
    values_of_k = said(PAGE, r"(\d\d,\d+) for women's names, ([\d,]+) for men's, ([\d,]+) for last names")[place]
    return [(variant, *cells[variant][2 * place : 2 * place + 2]) for variant in cells], values_of_k


@pytest.mark.thorough("last names")
@compiled_only
@pytest.mark.parametrize("people", NAME_FILES)
def test_figure_7(people):
    labels = kanon.read_labels(ROOT / "sample_data" / "names_1990" / NAME_FILES[people])
    frame = overfull_ratios(labels, seeds=range(5))
    best = frame[frame["variant"] == NEAR_OPTIMAL]
    assert (best["cost"] == best["lower_bound"]).all()
    rows, values_of_k = figure_7(people)
    assert values_of_k == len(best)
    assert len(rows) == 4
    found = distances(frame).set_index("variant")
    for variant, mean, most in rows:
        row = found.loc[variant]
        assert (mean, most) == (f"{row['mean_ratio_to_bound']:.3f}", f"{row['largest_ratio_to_bound']:.3f}"), variant


LEFT_OUT = {  # k, metric and ages, to what the page says: none left out, some left out
    (25, "DM", "coarse"): r"k = 25 \(discernibility, coarse ([\d,]+) to ([\d,]+),",
    (25, "DM", "fine"): r"every age ([\d,]+) to ([\d,]+)\) and, coarse",
    (50, "CM", "coarse"): r"for classification at k = 50 \(([\d,]+) to ([\d,]+)\)",
    (25, "CM", "coarse"): r"\) and 25 \(([\d,]+) to ([\d,]+)\)",
}


def check_optimum(k, metric, ages, limit, cost):
    g = kanon.generalize(
        adult_table(ages), k, "k-optimize", metric=metric, suppression_limit=limit, upper_bound=cost, time_limit=1e9
    )
    assert (g.cost, g.status) == (cost, "optimal")


@pytest.mark.thorough
@compiled_only
@pytest.mark.parametrize(("k", "metric", "ages"), [(50, "CM", "coarse"), *thorough_only([(25, "CM", "coarse")])])
def test_optima_that_suppress_nothing(k, metric, ages):
    check_optimum(k, metric, ages, 0, said(PAGE, LEFT_OUT[k, metric, ages])[0])
