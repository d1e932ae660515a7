"""Random changes of good results of counted rows: what is accepted as "checked" is true of their records."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.tables.instance import record_rows
from tests.oracles import cells
from tests.tables.random_tables import sparse_table
from tests.test_false_claims import falsehoods, mutated, optimum

ALGORITHMS = ("k-optimize", "hill-climb", "mondrian", "local-cuts", "exact", "cell-suppression")
METRICS = ("DM", "CM", "AVG", "LM")


def good_results(rng, count):
    """Results of tables of a few rows, of which some stand for two or three records."""
    found = []
    while len(found) < count:
        plain = sparse_table(rng, 6)
        weights = rng.integers(1, 4, len(plain))
        if len(plain) > 5 or not 2 <= weights.sum() <= 9 or weights.max() == 1:
            continue
        table = replace(plain, weights=weights)
        k = int(rng.integers(1, table.total // 2 + 2))
        for name in ALGORITHMS:
            options = {} if name == "cell-suppression" else {"metric": str(rng.choice(METRICS))}
            options |= {"relaxed": bool(rng.random() < 0.5)} if name == "mondrian" else {}
            found.append((table, kanon.generalize(table, k, name, **options)))
    return found


def lies(table, g):
    """What is not true of a result, by brute force over the records, or of hidden cells over the rows."""
    rows = record_rows(table)
    people = replace(table, frame=table.frame.iloc[rows], weights=None)
    one_by_one = replace(g, assignment=g.assignment[rows])
    if g.algorithm != "cell-suppression":
        return list(falsehoods(people, one_by_one, optimum(people, g)))
    best = cells.by_partitions([tuple(row) for row in table.codes.tolist()], g.k, table.weights.tolist())
    return list(falsehoods(people, one_by_one, best))


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(1, 12))])
def test_no_false_claim_of_counted_rows_is_accepted_as_checked(seed):
    rng = np.random.default_rng([78, seed])
    good, seen = good_results(rng, 60), Counter()
    for _ in range(300):
        table, g = good[rng.integers(len(good))]
        other = mutated(table, g, rng)
        try:
            certificate = kanon.verify(table, other)
        except kanon.CertificateError as error:
            seen["refused"] += 1
            seen[error.check] += 1
            continue
        seen[certificate.proof] += 1
        assert certificate.proof != "checked" or lies(table, other) == [], (table.frame, table.weights, g, other)
    assert seen["refused"] > 100
    assert seen["checked"] > 20


def test_the_results_themselves_are_true():
    for table, g in good_results(np.random.default_rng(3), 60):
        assert lies(table, g) == []
