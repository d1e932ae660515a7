"""The risk of weighted records: by integration, and as sdcMicro's own tests have it."""

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad

from kanon_engine.release.released import Released
from kanon_engine.risk.measures import measures
from kanon_engine.risk.sample import individual_risk

# sdcMicro's tests/testthat/test_indivRisk.R: eight records, three key variables, weights; method "exact"
KEYS = [[2, 3, 2, 2, 3, 3, 1, 2], [3, 3, 3, 3, 3, 3, 4, 3], [1, 3, 1, 2, 1, 1, 1, 1]]
WEIGHTS = [18.0, 45.5, 39.0, 17.0, 92.0, 8.0, 123.5, 51]
OF_SDCMICRO = [0.01355297, 0.08579129, 0.01355297, 0.17707583, 0.01877883, 0.01877883, 0.03931625, 0.01355297]


@pytest.fixture
def eight():
    return Released(pd.DataFrame(dict(zip("ABC", KEYS, strict=True))), ("A", "B", "C"))


def test_as_sdcmicro_tests_it(eight):
    totals = np.bincount(eight.classes, weights=WEIGHTS)
    assert individual_risk(eight.sizes, totals)[eight.classes] == pytest.approx(OF_SDCMICRO, abs=5e-9)
    found = {one.key: one for one in measures(eight, sampling_weights=WEIGHTS)}
    assert found["individual-highest"].value == pytest.approx(max(OF_SDCMICRO), abs=5e-9)
    assert found["expected-identified"].value == pytest.approx(sum(OF_SDCMICRO), abs=5e-8)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 29, 30, 31, 400])
@pytest.mark.parametrize("times", [1, 1.01, 1.99, 2.01, 10, 10_000])
def test_it_is_the_integral(size, times):
    p = 1 / times
    points = [min(p, 0.9), min(10 * p, 0.99)]
    integral = quad(lambda y: y ** (size - 1) * p / (p + (1 - p) * y), 0, 1, epsrel=1e-11, limit=500, points=points)[0]
    found = individual_risk(np.array([size]), np.array([size * times]))[0]
    assert found == pytest.approx(integral, rel=1e-8)
    assert 1 / (size * times) <= found * (1 + 1e-9)
    assert found <= (1 + 1e-9) / size


def test_it_is_the_mean_over_populations():
    """F of a class with f = 2 records, drawn with p = 1/5, is 2 and a negative binomial number more."""
    drawn = 2 + np.random.default_rng(0).negative_binomial(2, 0.2, 400_000)
    assert individual_risk(np.array([2]), np.array([10]))[0] == pytest.approx((1 / drawn).mean(), rel=0.01)
