"""K-Optimize and hill climbing on thousands of tables whose domains hold values that do not occur, against all cuts."""

from collections import Counter

import numpy as np
import pytest

import kanon_engine as kanon
from tests.oracles.tables import least
from tests.tables.random_tables import everywhere, plain, sparse_table

TABLES = 1500


@pytest.mark.timeout(1800)
def test_thousands_of_sparse_tables():
    counts = Counter()
    for seed in range(TABLES):
        rng = np.random.default_rng([seed, 13])
        table = sparse_table(rng)
        rows, labels, _, sizes = plain(table)
        k, most = int(rng.integers(1, 5)), [0, 2, None][seed % 3]
        if len(table) < k:
            continue
        for metric in ("DM", "CM", "AVG", "LM"):
            weights = rng.integers(0, 4, len(sizes)).tolist() if metric == "LM" else [1] * len(sizes)
            options = {"metric": metric, "suppression_limit": most}
            if metric == "LM":
                options["weights"] = dict(zip(table.quasi_identifiers, weights, strict=True))
            best = least(rows, labels, everywhere(table), k, metric, most, sizes, weights)
            g = kanon.generalize(table, k, "k-optimize", **options)
            assert (g.cost, g.lower_bound, g.status) == (best, best, "optimal"), (seed, metric)
            climbed = kanon.generalize(table, k, "hill-climb", **options, restarts=2)
            assert climbed.lower_bound <= best <= climbed.cost, (seed, metric)
            kanon.verify(table, g)
            kanon.verify(table, climbed)
            counts[metric] += 1
    assert sum(counts.values()) > 3 * TABLES
