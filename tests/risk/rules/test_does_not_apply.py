"""Rules on trials, registries and Medicare do not apply to other data, and rules on the same figure count as one."""

from dataclasses import replace

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.report.findings import same_words
from kanon_engine.risk.rules import Facts, rulings
from kanon_engine.risk.rules.rule import APART, FAILS, HOLDS
from tests.risk.rules.releases import groups, records, verdict

AREAS = kanon.Regions(list("abcd"), [30_000, 5_000, 40_000, 100], np.array([(0, 1), (1, 2), (2, 3)]))
OTHERS = ("ema-highest", "ema-average", "registries-16", "cms-cells")


@pytest.mark.parametrize("key", OTHERS)
def test_counts_of_everybody_in_areas_are_a_census(key):
    g = kanon.generalize(AREAS, 20_001)
    release = groups(*g.class_weights.tolist())
    assert verdict(release, key, g=g, instance=AREAS) == APART
    assert verdict(release, key, Facts(data="census")) == APART
    assert verdict(release, key, Facts(data="registry" if key == "registries-16" else "trial"), g=g) != APART
    cases = groups(*g.class_weights.tolist(), sums={"cases": [20] * g.classes})
    assert verdict(cases, key, g=g, instance=AREAS) != APART  # cases of an illness are no census


@pytest.mark.parametrize(
    ("data", "apart"),
    [
        ("trial", {"registries-16"}),
        ("registry", {"ema-highest", "ema-average"}),
        ("patients", {"ema-highest", "ema-average", "registries-16"}),
        ("other", set(OTHERS)),
        ("", set()),
    ],
)
def test_what_the_data_are_decides_which_rules_apply(data, apart):
    found = rulings(records(4, 6), rules=OTHERS, facts=Facts(data=data))
    assert {one.key for one in found if one.verdict == APART} == apart
    assert all(one.verdict in (FAILS, APART) for one in found)


def test_rules_that_say_the_same_of_groups_are_counted():
    found = rulings(records(30, 40, k=25))
    holding = sum(one.verdict == HOLDS for one in found)
    assert same_words(found) == f"7 of the {holding} rules that hold rest on the same fact: groups of at least 30"
    by_population = Facts(membership_unknown=True, population_sizes=(60, 90))
    assert same_words(rulings(records(30, 40, k=25), facts=by_population)) == ""
    assert same_words([replace(found[0], same="")]) == ""
