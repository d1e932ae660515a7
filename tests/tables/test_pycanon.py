"""Diversity and closeness of released classes as pycanon measures them; where pycanon can be imported.

It asks for an older pandas, and works with this one: `pip install --no-deps pycanon`.
"""

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from tests.tables.random_tables import random_table

anonymity = pytest.importorskip("pycanon.anonymity")
MORE = {"mondrian": {}, "local-cuts": {"rounds": 20}, "exact": {}, "cell-suppression": {}}


def measured(table, g):
    """The release as pycanon takes it: the class as the one quasi-identifier, and the sensitive column."""
    kept = g.assignment >= 0
    return pd.DataFrame({"class": g.assignment[kept].astype(str), "of": table.frame["of"].to_numpy()[kept]})


@pytest.mark.parametrize("name", ["k-optimize", "hill-climb", *MORE])
def test_pycanon_finds_what_was_required(name):
    compared = dict.fromkeys(("distinct", "entropy", "words", "numbers"), 0)
    for seed in range(40):
        rng = np.random.default_rng([seed, 12])
        table = random_table(rng, 7)
        values = [["flu", "gout", "mumps", "measles"], [10, 20, 21, 50]][seed % 2]
        of = rng.choice(values, len(table), p=[0.4, 0.3, 0.2, 0.1])
        table = kanon.Table(table.frame.assign(of=of), table.quasi_identifiers, "label", table.orders)
        k, t = int(rng.integers(1, 5)), float(rng.choice([0.1, 0.2, 0.35]))
        for one in (kanon.Diversity("of", 3), kanon.Diversity("of", 2.5, "entropy"), kanon.Closeness("of", t)):
            if not one.holds(table, np.arange(len(table))):
                continue
            options = MORE.get(name, {"suppression_limit": 0})
            g = kanon.generalize(table, k, name, require=one, **options)
            release = measured(table, g)
            if isinstance(one, kanon.Closeness):
                assert anonymity.t_closeness(release, ["class"], ["of"]) <= t + 1e-9
                compared["numbers" if seed % 2 else "words"] += 1
            elif one.kind == "distinct":
                assert anonymity.l_diversity(release, ["class"], ["of"]) >= 3
                compared["distinct"] += 1
            else:
                assert anonymity.entropy_l_diversity(release, ["class"], ["of"]) >= 2  # it rounds down
                compared["entropy"] += 1
    assert min(compared.values()) > 5
