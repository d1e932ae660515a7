"""Totals up to 2^53 are solved as quickly as small ones, in little memory; above that there is one refusal."""

import json
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import kanon_engine as kanon
from tests.compiled import thorough_only
from tests.corruption import sealed
from tests.regions.graphs import grid

LARGEST = 2**53 - 1
FAMILIES = ("labels", "rectangles", "regions")
ALGORITHMS = [pytest.param(a.family, a.name, id=f"{a.family}-{a.name}") for f in FAMILIES for a in kanon.algorithms(f)]
XY = np.random.default_rng(2).integers(0, 9, (40, 2))
WEIGHTS = np.random.default_rng(4).integers(1, 30, 12)
K = 40


def instance(family, weights):
    if family == "labels":
        return kanon.Labels([f"name {i}" for i in range(len(weights))], weights)
    if family == "rectangles":
        return kanon.Points(XY[: len(weights)], weights)
    side = len(weights) // 3
    return kanon.Regions(range(3 * side), weights[: 3 * side], grid(3, side))


@cache
def least_cost(family):
    g = kanon.generalize(instance(family, WEIGHTS), K, "exact")
    assert g.status == "optimal"
    return g.cost


@pytest.mark.parametrize(("family", "name"), ALGORITHMS)
def test_weights_and_k_times_a_number_have_an_optimum_times_that_number(family, name):
    times = LARGEST // int(WEIGHTS.sum())
    best = times * least_cost(family)
    g = kanon.generalize(instance(family, WEIGHTS * times), K * times, name)
    assert g.cost % times == 0
    if name == "exact":
        assert g.lower_bound == g.cost == best
    else:
        assert g.status == "relaxed" or g.lower_bound <= best <= g.cost or name == "ordered"
        assert g.guarantee is None or g.cost <= g.guarantee
    small = kanon.generalize(instance(family, WEIGHTS), K, name)
    assert g.cost <= 1.25 * times * small.cost


MEASURED = """
import json, resource, sys, time
import numpy as np
import kanon_engine as kanon
from tests.test_large_weights import instance

rng = np.random.default_rng(1)
rows = []
family = sys.argv[1]
for algorithm in kanon.algorithms(family):
    if algorithm.name == "exact":
        continue
    kanon.generalize(instance(family, np.arange(1, 40)), 50, algorithm.name)  # compiles the kernels
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for n in (12, 39):
        odd = np.maximum(rng.random(n) * (2**53 - 1) / n, 1).astype(np.int64)
        near = rng.integers(10**9 - 10**6, 10**9 + 10**6, n)
        for weights, k in ((odd, int(odd.sum()) // 7), (near, 3 * 10**9 + 7)):
            g = kanon.generalize(instance(family, weights), k, algorithm.name)
            assert sum(g.class_weights.tolist()) == sum(weights.tolist())
    rows.append([algorithm.name, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024])
print(json.dumps(rows))
"""


@pytest.mark.parametrize("family", thorough_only(FAMILIES))
def test_heavy_weights_take_little_memory(family):
    done = subprocess.run([sys.executable, "-c", MEASURED, family], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    for name, grown in json.loads(done.stdout):
        assert grown < 100, f"{name} took {grown} MB more"


@pytest.mark.parametrize("family", FAMILIES)
def test_larger_totals_are_refused_in_a_sentence(family):
    weights = np.full(12, 2**53 // 12, dtype=np.int64)
    weights[0] += LARGEST - weights.sum()
    assert instance(family, weights).total == LARGEST
    weights[0] += 1
    for values in weights, weights.tolist(), [str(weight) for weight in weights], np.full(12, 2**62):
        with pytest.raises(kanon.InvalidInput, match=r"sum to 2\^53 or more.*use a larger unit\.$"):
            instance(family, values)


FORGED = [("least sum", (2**50,)), ("least sum", (3 * 10**14,)), ("average class", (2**50,)),
          ("locations per class", (1, 2**50)), ("locations per class", (1, 2**70)), ("least rectangle", (3,)),
          ("shares of rectangles", ()), ("sum of labels", (0, 0)), ("sum of labels", (1, 20)),
          ("class of a label", (3,)), ("crowded class", (2, 0, 9)), ("light set", (3,)), ("hubs", (3, 4)),
          ("few choices", (10**15, 1, 2, 3)), ("no way round", (10**15, 10**4, 1, 2, 3)),
           ("room for classes", (0, 1))]  # fmt: skip


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize(
    ("family", "n"),
    [("rectangles", 3_000), ("labels", 3_000), *thorough_only([("regions", 300), ("regions", 3_000)])],
)
def test_a_forged_witness_is_refused_in_little_memory(family, n):
    rng = np.random.default_rng(6)
    weights = np.maximum(rng.random(n) * LARGEST / n, 1).astype(np.int64)
    if family == "rectangles":
        made = kanon.Points(rng.random((n, 2)), weights)
    elif family == "labels":
        made = kanon.Labels([f"name {i}" for i in range(n)], weights)
    else:
        made = kanon.Regions(range(n), weights, grid(30, n // 30))
    g = kanon.generalize(made, int(weights.max()), "kd-tree" if family == "rectangles" else None, time_limit=1)
    for name, witness in FORGED:
        for status, bound in ("optimal", g.cost), ("feasible", g.cost - 1):
            other = sealed(replace(g, bound_name=name, bound_witness=witness, status=status, lower_bound=bound))
            tracemalloc.start()
            with pytest.raises(kanon.CertificateError):
                kanon.verify(made, other)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < 32 << 20, (name, witness)
