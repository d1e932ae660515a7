"""What the whole table lacks can be had where records are left out: nothing possible is called impossible."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain, combinations

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.errors import Infeasible, SearchEnded
from kanon_engine.model.requirement import Diversity
from tests.sentences import DIFFERENT_VALUES_OF, IN_TOTAL, REQUIRE_LESS

SKEWED = pd.DataFrame({"a": [1, 1, 1, 1, 2, 3], "s": list("yyyyyz")})
WANTED = [
    Diversity("s", 2, "entropy"),
    Diversity("s", 1.7, "entropy"),
    Diversity("s", 2, "recursive", 2),
    Diversity("s", 2, "recursive", 0.5),
]
SEEDS = [*range(8), *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(8, 300))]


def possible(table, k, demand, limit):
    """Whether some cuts leave at most so many records out, by looking at all of them."""
    cuts = table.cut_values.tolist()
    for chosen in chain.from_iterable(combinations(cuts, size) for size in range(len(cuts) + 1)):
        groups = defaultdict(list)
        for place, row in enumerate(table.codes.tolist()):
            groups[tuple(sum(row[c] >= at for c, at in chosen if c == j) for j in range(len(row)))].append(place)
        kept = [own for own in groups.values() if len(own) >= k and demand.holds(table, np.array(own))]
        if kept and len(table) - sum(map(len, kept)) <= limit:
            return True
    return False


@pytest.mark.parametrize("name", ["k-optimize", "hill-climb"])
@pytest.mark.parametrize("demand", WANTED[:3], ids=str)
@pytest.mark.parametrize("limit", [4, None])
def test_leaving_out_the_commonest_makes_it_possible(name, demand, limit):
    table = kanon.Table(SKEWED, ["a"])
    g = kanon.generalize(table, 2, name, suppression_limit=limit, require=[demand])
    assert g.assignment.tolist() == [-1, -1, -1, -1, 0, 0]
    with pytest.raises((Infeasible, SearchEnded)):
        kanon.generalize(table, 2, name, suppression_limit=3, require=[demand])
    with pytest.raises(Infeasible, match=rf"^{IN_TOTAL} .*; {REQUIRE_LESS}\.$"):
        kanon.generalize(table, 2, name, suppression_limit=0, require=[demand])


@pytest.mark.parametrize("name", ["k-optimize", "hill-climb"])
def test_values_that_are_too_few_are_said_at_once(name):
    table = kanon.Table(SKEWED, ["a"])
    for demand, fewest in ((Diversity("s", 2.5, "entropy"), 3), (Diversity("s", 2, "recursive", 0.5), 4)):
        with pytest.raises(Infeasible, match=f"^{IN_TOTAL} 2 {DIFFERENT_VALUES_OF} “s”, fewer than {fewest}; "):
            kanon.generalize(table, 2, name, require=[demand])


def test_a_table_without_cuts_that_lacks_what_is_wanted():
    table = kanon.Table(SKEWED.assign(a=1), ["a"])
    with pytest.raises(Infeasible, match=rf"^No cuts of the columns .* examined all of them; {REQUIRE_LESS}\.$"):
        kanon.generalize(table, 2, "k-optimize", require=[WANTED[0]])
    with pytest.raises(SearchEnded, match=rf"^The search ended before it found cuts .* {REQUIRE_LESS}\.$"):
        kanon.generalize(table, 2, "hill-climb", require=[WANTED[0]])


@pytest.mark.parametrize("seed", SEEDS)
def test_impossible_is_said_only_of_what_is(seed):
    rng = np.random.default_rng([31, seed])
    n = int(rng.integers(3, 9))
    frame = pd.DataFrame({"a": rng.integers(0, 4, n), "b": rng.integers(0, 2, n), "s": rng.choice(list("xyyyy"), n)})
    table = kanon.Table(frame, ["a", "b"])
    for k in (1, 2, 3):
        for demand in WANTED:
            for limit in (0, 1, n // 2, None):
                can = possible(table, k, demand, n if limit is None else limit)
                for name, options in (("k-optimize", {}), ("hill-climb", {"restarts": 10})):
                    try:
                        g = kanon.generalize(table, k, name, suppression_limit=limit, require=[demand], **options)
                    except Infeasible:
                        assert not can
                    except SearchEnded:
                        assert name == "hill-climb"
                    else:
                        assert can
                        assert kanon.Generalization.from_json(g.to_json()).digest == g.digest


def test_a_sweep_says_where_a_search_found_nothing():
    table = kanon.Table(SKEWED, ["a"])
    found = kanon.sweep(table, [2, 3], {"hc": ("hill-climb", {"suppression_limit": 4})}, require=[WANTED[0]])
    assert found["status"].tolist() == ["feasible", "no result"]
    assert found["cost"].notna().tolist() == [True, False]


@pytest.mark.parametrize("name", ["k-optimize", "hill-climb", "mondrian", "local-cuts", "exact", "cell-suppression"])
@pytest.mark.parametrize("values", [[1e308, -1e308], [2**62, -(2**62)], [5e-324, 0.0], [1e308, 5e-324]], ids=str)
def test_the_largest_and_smallest_numbers_are_read_back(name, values):
    table = kanon.Table(pd.DataFrame({"a": values * 3, "b": [1, 1, 2, 2, 3, 3]}), ["a", "b"])
    g = kanon.generalize(table, 2, name)
    back = kanon.Generalization.from_json(g.to_json())
    assert kanon.verify(table, back).digest == g.digest
