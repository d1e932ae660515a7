"""Estimates of who is alone in a population: by definition, by simulation, and as ARX's own tests have them."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kanon_engine.release.released import Released
from kanon_engine.risk.measures import measures
from kanon_engine.risk.population_uniques import (
    ClassSizes,
    chosen,
    expected,
    likeliest,
    pitman,
    population_classes,
    slide_negative_binomial,
    solutions,
    zayatz,
)
from tests.compiled import thorough_only
from tests.oracles import risk as oracle

ADULT = Path(__file__).parents[2] / "sample_data" / "adult.parquet"
SIX = ["age", "education", "marital-status", "race", "sex", "native-country"]


def some_sizes(rng):
    return np.minimum(rng.zipf(1.6, rng.integers(2, 60)), 40).tolist()


@pytest.mark.parametrize("number", [*range(8), *thorough_only(range(8, 100))])
def test_zayatz_is_bayes_rule(number):
    rng = np.random.default_rng(number)
    sizes = [1, *some_sizes(rng)]
    population = sum(sizes) + int(rng.integers(0, 2_000))
    found = zayatz(ClassSizes.of(sizes), population)
    assert found.uniques == pytest.approx(oracle.zayatz(sizes, population), rel=1e-9)


@pytest.mark.parametrize("number", [*range(5), *thorough_only(range(5, 100))])
def test_pitmans_parameters_are_the_likeliest(number):
    rng = np.random.default_rng(number)
    sizes = [1, 2, *some_sizes(rng)]
    theta, alpha = likeliest(ClassSizes.of(sizes))
    best = oracle.pitman_likelihood(sizes, theta, alpha)
    for other in (0.0, alpha * 0.9, alpha + (1 - alpha) * 0.1, *rng.uniform(0, 1, 20)):
        for near in (theta * 0.9, theta * 1.1, theta, *rng.uniform(0.01, 3 * sum(sizes), 10)):
            if near > -other:
                assert oracle.pitman_likelihood(sizes, near, other) <= best + 1e-7


def seated(rng, people, theta, alpha):
    """Sizes of classes of people who come one by one, as Pitman's formula has it."""
    sizes = []
    for here in range(people):
        if rng.random() * (theta + here) < theta + alpha * len(sizes):
            sizes.append(1)
        else:
            place = rng.choice(len(sizes), p=(np.array(sizes) - alpha) / (here - alpha * len(sizes)))
            sizes[place] += 1
    return np.array(sizes)


def drawn(rng, sizes, people):
    return np.bincount(rng.choice(np.repeat(np.arange(len(sizes)), sizes), people, replace=False))


def test_pitman_finds_the_uniques_of_its_own_populations():
    ratios = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        everybody = seated(rng, 4_000, 30.0, 0.5)
        sample = ClassSizes.of(drawn(rng, everybody, 800))
        ratios.append(pitman(sample, 4_000).uniques / int((everybody == 1).sum()))
    assert np.median(ratios) == pytest.approx(1, abs=0.15)
    assert all(0.6 < ratio < 1.6 for ratio in ratios)


def test_the_slide_negative_binomial_finds_the_uniques_of_its_own_populations():
    ratios, classes = [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        everybody = 1 + rng.negative_binomial(0.5, 0.2, 6_000)
        sample = ClassSizes.of(drawn(rng, everybody, int(everybody.sum() / 2)))
        found = slide_negative_binomial(sample, int(everybody.sum()))
        ratios.append(found.uniques / int((everybody == 1).sum()))
        classes.append(population_classes(sample, 0.5) / 6_000)
    assert np.median(ratios) == pytest.approx(1, abs=0.1)
    assert np.median(classes) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize(("alpha", "beta", "share"), [(0.5, 0.2, 0.1), (2.0, 0.5, 0.5), (0.05, 0.02, 0.3)])
def test_expected_classes_are_those_summed_over_all_sizes(alpha, beta, share):
    assert expected(100, share, alpha, beta) == pytest.approx(oracle.slide_expected(100, share, alpha, beta), rel=1e-6)


def test_solutions_solve_both_equations():
    sample = ClassSizes.of([1] * 300 + [2] * 80 + [3] * 30 + [9] * 10)
    classes = population_classes(sample, 0.2)
    found = solutions(sample, classes, 0.2)
    assert found
    for alpha, beta in found:
        assert expected(classes, 0.2, alpha, beta) == pytest.approx((300, 80), rel=1e-6)


@pytest.fixture(scope="module")
def adult():
    return pd.read_parquet(ADULT)


@pytest.fixture(scope="module")
def all_columns(adult):
    return ClassSizes.of(adult.groupby(list(adult.columns), observed=True).size())


@pytest.mark.parametrize(
    ("estimator", "share", "of_arx"),
    [
        (pitman, 0.1, 0.27684993883653597),
        (zayatz, 0.1, 0.3207402393466189),
        (zayatz, 0.2, 0.3577099234829125),
        (pitman, 0.01, 0.1446083531167384),
    ],
)
def test_adult_as_arx_tests_it(all_columns, estimator, share, of_arx):
    """TestRiskMetrics.testDecisionRule2 of ARX; its testAverageRisk2 has 0.6465751607983555 as average risk."""
    assert all_columns.classes / all_columns.records == 0.6465751607983555
    population = round(all_columns.records / share)
    assert estimator(all_columns, population).uniques / population == pytest.approx(of_arx, rel=1e-9)


def test_a_sample_of_everybody_has_its_own_uniques(all_columns):
    n = all_columns.records
    found = [estimator(all_columns, n) for estimator in (zayatz, pitman, slide_negative_binomial)]
    assert [one.uniques for one in found] == pytest.approx([all_columns.uniques] * 3)
    assert chosen(all_columns, n, *found).uniques / n == pytest.approx(0.5142895033485844)  # ARX's figure


def test_samples_of_adult_as_docs_say(adult):
    """The table of docs/risk.md, and how far the rule's choice is from the truth."""
    code = adult.groupby(SIX).ngroup().to_numpy()
    everybody = np.bincount(code)
    truth = int((everybody == 1).sum())
    assert (len(everybody), truth) == (7_645, 4_907)
    found = {}
    for share in (0.05, 0.1, 0.2, 0.5):
        rng = np.random.default_rng(1)
        sample = ClassSizes.of(np.bincount(rng.choice(code, int(len(code) * share), replace=False)))
        every = [estimator(sample, len(code)) for estimator in (zayatz, pitman, slide_negative_binomial)]
        found[share] = [round(one.uniques) for one in (*every, chosen(sample, len(code), *every))]
    assert found == {
        0.05: [7_619, 3_631, 5_472, 3_631],
        0.1: [5_881, 4_700, 3_650, 4_700],
        0.2: [4_983, 4_667, 4_701, 4_701],
        0.5: [4_902, 4_908, 5_015, 4_902],
    }
    for share in (0.1, 0.2, 0.5):
        assert abs(found[share][3] / truth - 1) < 0.05


@pytest.mark.parametrize(
    ("sizes", "missing"),
    [
        ([1, 1, 1], ["Pitman", "slide negative binomial"]),
        ([1, 1, 3], ["slide negative binomial"]),
        ([1], ["Pitman", "slide negative binomial"]),
        ([2, 2, 3], []),
        ([1, 1000], ["slide negative binomial"]),
    ],
)
def test_where_there_is_no_estimate_it_says_why_and_the_rule_takes_another(sizes, missing):
    sample = ClassSizes.of(sizes)
    for population in (sample.records + 1, 100 * sample.records):
        found = [estimator(sample, population) for estimator in (zayatz, pitman, slide_negative_binomial)]
        assert [one.estimator for one in found if one.uniques is None] == missing
        assert all(one.why.endswith(".") == (one.uniques is None) for one in found)
        best = chosen(sample, population, *found)
        assert 0 <= best.uniques <= population
        assert math.isfinite(best.uniques)
        if not sample.uniques:
            assert [one.uniques for one in found] == [0, 0, 0]


def test_equations_without_a_solution():
    sample = ClassSizes.of([1] * 5 + [2])
    found = slide_negative_binomial(sample, 8)
    assert (found.uniques, found.why) == (
        None,
        "The model cannot reproduce the numbers of groups of one and of two records.",
    )


def test_ewens_formula_where_alpha_is_zero():
    sizes = [1, 3, 5, 8, 13]  # more even than any α above 0 makes likely
    theta, alpha = likeliest(ClassSizes.of(sizes))
    assert alpha == 0
    assert pitman(ClassSizes.of(sizes), 10_000).uniques == pytest.approx(theta)


def test_measures_tell_estimates_as_shares(all_columns, adult):
    frame = adult.head(500)
    found = {one.key: one for one in measures(Released(frame, tuple(frame.columns)), population=20_000)}
    sample = ClassSizes.of(frame.groupby(list(frame.columns)).size())
    expected_share = pitman(sample, 20_000).uniques / 20_000
    assert found["population-uniques-pitman"].value == pytest.approx(expected_share)
    assert found["population-uniques"].value == found["population-uniques-pitman"].value
    assert "Pitman" in found["population-uniques"].title
    assert "of 20,000" in found["population-uniques"].words
