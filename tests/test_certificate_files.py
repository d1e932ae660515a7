"""Files that claim to be certificates: a sentence or the truth, little memory, and no other file opened.

KANON_MUTATIONS=4000 spoils every sample so often; a plain run does it less.
"""

import os
import tracemalloc

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine import verification
from kanon_engine.model.known import FAMILIES
from kanon_engine.report.members import instance_text
from kanon_engine.verification import core
from tests.certificate_mutations import spoilt
from tests.regions.graphs import grid

MUTATIONS = int(os.environ.get("KANON_MUTATIONS", "60"))
MOST_MEMORY = 32 << 20


def _table():
    rng = np.random.default_rng(3)
    return pd.DataFrame({"a": rng.integers(0, 4, 24), "b": rng.integers(0, 3, 24), "s": list("xy") * 12})


XY = [(0, 0), (1, 2), (2, 1), (3, 3), (4, 0), (4, 0), (5, 5), (6, 1), (2, 6)]
WEIGHTS = [5, 3, 1, 4, 6, 2, 9, 8, 7]
INSTANCES = {
    "regions": kanon.Regions(range(9), WEIGHTS, grid(3, 3), reading={"reader": "read_regions"}),
    "rectangles": kanon.Points(XY, WEIGHTS),
    "labels": kanon.Labels([f"name {i}" for i in range(9)], WEIGHTS),
    "tables": kanon.Table(_table(), ["a", "b"], "s"),
    "clusters": kanon.MetricSpace(XY),
}
KS = {"regions": 11, "rectangles": 11, "labels": 11, "tables": 4, "clusters": 2}
SAMPLES = [
    pytest.param(algorithm.family, algorithm.name, id=f"{algorithm.family}-{algorithm.name}")
    for algorithm in kanon.algorithms()
]


def least_cost(family, instance, k):
    """What no solution can be below, from the exact algorithm."""
    return kanon.generalize(instance, k, "exact", seed=0).lower_bound if KS[family] == 11 else 0


@pytest.mark.thorough(one_in=6)
@pytest.mark.parametrize(("family", "name"), SAMPLES)
def test_a_spoilt_file_is_refused_in_a_sentence_or_says_the_truth(family, name):
    instance, k = INSTANCES[family], KS[family]
    g = kanon.generalize(instance, k, name)
    text, best = g.to_json(), least_cost(family, instance, k)
    rng = np.random.default_rng([len(name), *name.encode()])
    refused = 0
    tracemalloc.start()
    try:
        for _ in range(MUTATIONS):
            other = spoilt(text, rng)
            read, refusal = _checked(instance, other)
            if read is None:
                assert refusal.endswith(".")
                assert "\n" not in refusal
                refused += 1
            else:
                _true(instance, read, best)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert refused > MUTATIONS / 2
    assert peak < MOST_MEMORY, f"{peak:,} bytes"


def _checked(instance, text):
    """What was read and passed, or why it was refused."""
    try:
        read = kanon.Generalization.from_json(text).sealed()
        kanon.verify(instance, read)
    except kanon.KanonError as error:
        return None, str(error)
    return read, ""


def _true(instance, g, best):
    """What was accepted holds, as far as it can be seen without the verifier."""
    inside = g.assignment >= 0
    weights = np.bincount(g.assignment[inside], instance.weights[inside])
    least = g.details.threshold if g.status == "relaxed" else g.k
    assert weights.min() >= least
    assert g.class_weights.tolist() == weights.tolist()
    if FAMILIES[g.family].objective(g.algorithm, g.options).is_largest_class:
        assert inside.all()
        assert g.cost == weights.max()
    assert g.lower_bound <= g.cost
    assert g.k != 11 or g.status == "relaxed" or g.bound_kind == "solver" or g.lower_bound <= best


@pytest.mark.parametrize("algorithm", [one.name for one in kanon.algorithms("tables")])
def test_values_of_any_letters_are_read_back(algorithm):
    """No-break spaces, joined emoji and control characters stand in cells of real files."""
    texts = ["x\u00a0y", "\U0001f469\u200d\u2695", "a\x07b", "\u202eevil\u202c", "z" * 12_000]
    frame = pd.DataFrame({"a": texts * 2, "b": [1, 2] * 5})
    table = kanon.Table(frame, ["a", "b"])
    g = kanon.generalize(table, 2, algorithm)
    assert kanon.verify(table, kanon.Generalization.from_json(g.to_json())).digest == g.digest
    families = verification.FAMILIES
    instance = core.read_instance(instance_text(table).encode(), families)
    assert core.verdict(instance, core.read_certificate(g.to_json()), families).failed is None
