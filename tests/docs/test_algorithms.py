"""What docs/algorithms.md says of the algorithms is what the registry says and what runs keep."""

import re

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.model.known import FAMILIES
from tests.docs.pages import text

ROW = re.compile(r"^\| (\w+) \| `([\w-]+)`( \(default\))? \| ([^|]+) \|", re.MULTILINE)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_the_table_of_algorithms_has_the_guarantees_of_the_registry(family):
    found = ROW.findall(text("docs/algorithms.md"))
    rows = [(name, bool(default), words) for kind, name, default, words in found if kind == family.name]
    registered = [
        (algorithm.name, algorithm.name == family.default, algorithm.guarantee)
        for algorithm in family.algorithms.values()
    ]
    assert sorted(rows) == sorted(registered)


def test_theorem_4_is_never_smaller_than_what_no_line_can_cut():
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
