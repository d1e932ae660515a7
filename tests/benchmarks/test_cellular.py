"""How close cellular clusterings come to their bound, and what they cost in time and memory.

    python -m pytest tests/benchmarks/test_cellular.py --log-cli-level=INFO

Times are those of this machine at this moment; only ratios mean much.
"""

import logging
import resource
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon

LOG = logging.getLogger(__name__)
SAMPLES = Path(__file__).parents[2] / "sample_data"


def zcta(count):
    """So many ZIP code areas."""
    frame = pd.read_csv(SAMPLES / "zcta_points_2010.csv").sample(count, random_state=0)
    return kanon.MetricSpace(frame[["lon", "lat"]].to_numpy(), "haversine")


def square(count):
    return kanon.MetricSpace(np.random.default_rng(0).random((count, 2)) * 1000)


def report(space, k, algorithm, **options):
    start, cpu = perf_counter(), process_time()
    g = kanon.generalize(space, k, algorithm, **options)
    seconds, cpu = perf_counter() - start, process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    ratio = g.cost / g.lower_bound if g.lower_bound else float("nan")
    LOG.info(
        f"{algorithm} n={len(space):,} {space.metric} k={k} {options}: cost {g.cost:.1f}, bound {g.lower_bound:.1f}, "
        f"ratio {ratio:.3f}, {g.classes} clusters, {seconds:.1f} s, CPU {cpu:.1f} s, at most {memory:.0f} MiB"
    )
    return g


@pytest.mark.parametrize("centers", ["input", "any"])
@pytest.mark.parametrize("k", [5, 11, 50])
@pytest.mark.parametrize("make", [zcta, square])
def test_two_thousand_points(make, k, centers):
    g = report(make(2000), k, "r-cellular", centers=centers)
    assert g.cost <= (1.4 if centers == "input" else 3) * g.lower_bound


@pytest.mark.parametrize("n", [500, 1000, 2000, 4000, 6000])
def test_time_and_memory_grow(n):
    report(square(n), 5, "r-cellular", centers="input")


@pytest.mark.parametrize("cost", [10.0, 100.0, 1000.0])
def test_set_up_costs(cost):
    g = report(zcta(2000), 1, "cellular", centers="input", facility_cost=cost)
    assert g.cost <= 3 * g.lower_bound


@pytest.mark.parametrize("epsilon", [0.01, 0.05])
def test_outliers(epsilon):
    report(zcta(2000), 5, "r-cellular-outliers", centers="input", epsilon=epsilon)
