"""Two K-Optimize releases of Adult that share people: how many of these are left with fewer than k = 5."""

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.release.made import released_of
from kanon_engine.risk.attacks.composition import composition
from kanon_engine.risk.attacks.knowledge import Knowledge
from tests.tables.adult import ADULT, AGES, EDUCATION, NAMES

SIZE = 18_000
# seed of the order of records → people of the 5,838 who are left with fewer than 5
LEFT = {0: 633, 1: 722, 2: 428, 3: 359}


def composed(order, **options):
    """The attack on the first and the last 18,000 records of an order, ages by five years."""
    frame = pd.read_parquet(ADULT)
    frame["age"] = AGES["coarse"](frame["age"])
    frame["person"] = np.arange(len(frame))
    halves = [frame.iloc[order[:SIZE]], frame.iloc[order[-SIZE:]]]
    tables = [kanon.Table(half, NAMES, "salary", {"education": EDUCATION}) for half in halves]
    results = [kanon.generalize(table, 5, "k-optimize", **options) for table in tables]
    others = ((tables[1], results[1]),)
    knows = Knowledge(instance=tables[0], result=results[0], other_results=others, person="person")
    return composition(released_of(tables[0], results[0], []), knows)


@pytest.mark.parametrize("seed", LEFT)
def test_shared_people_who_are_left_with_fewer_than_k(seed):
    found = composed(np.random.default_rng(seed).permutation(30_162))
    assert (found.found, found.of) == (LEFT[seed], 5_838)


def test_the_nearest_to_14_8_percent():
    """Classification metric, pandas' order of random_state 0, a tenth of the nodes: 14.3 %."""
    order = pd.Series(range(30_162)).sample(frac=1, random_state=0).to_numpy()
    found = composed(order, metric="CM", progress=lambda report: report.done < 0.1)
    assert (found.found, found.of) == (837, 5_838)
