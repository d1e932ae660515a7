"""A planted leak is found always; a release that keeps every rule by brute force alarms never.

A plain run takes a tenth of the 1,000 leaks and 200 clean releases of a thorough one; KANON_PLANTED says another number
of leaks.
"""

import os
from collections import Counter

import numpy as np
import pytest

from kanon_engine.model.attacked import BROKEN, NOT_RUN, SURVIVES
from kanon_engine.risk.attacks import attack
from tests import compiled
from tests.risk.clean import KINDS as CLEAN_KINDS
from tests.risk.planted import KINDS, clean

LEAKS = int(os.environ.get("KANON_PLANTED", 1_000 if compiled.THOROUGH else 100))
CLEAN = max(LEAKS // 25, 1) * 5  # as many of each kind


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("kind", KINDS)
def test_a_planted_leak_is_found(kind):
    name, plant = KINDS[kind]
    for number in range(-(-LEAKS // len(KINDS))):
        released, knowledge = plant(np.random.default_rng([list(KINDS).index(kind), number]))
        (found,) = attack(released, knowledge, [name])
        assert found.verdict == BROKEN, (kind, number, found.sentence)
        assert found.found > 0
        assert len(found.evidence) > 0


def test_a_clean_release_never_alarms():
    """Each attack that can run on a kind of release did run, and found nobody; composition without certificates too.

    Of five kinds four are of tables, on which all six run; in some the diversity forbids a cut that k allows.
    """
    ran = Counter()
    for place, (kind, (make, runs)) in enumerate(CLEAN_KINDS.items()):
        for number in range(CLEAN // len(CLEAN_KINDS)):
            one = make(np.random.default_rng([place, number]))
            found = {told.attack: told for told in attack(one.released, one.knowledge)}
            assert [told.sentence for told in found.values() if told.verdict == BROKEN] == [], (kind, number)
            ran.update(name for name, told in found.items() if told.verdict == SURVIVES)
            assert {name for name in found if found[name].verdict == SURVIVES} == set(runs), (kind, number)
            ran["forbidden"] += one.forbidden > 0
            if one.alone is not None:
                (told,) = attack(one.released, one.alone, ["composition"])
                assert told.verdict == SURVIVES, (kind, number, told.sentence)
    assert ran["linking"] == ran["differencing"] == CLEAN
    assert min(ran[name] for name in ("homogeneity", "composition", "minimality", "downcoding")) == CLEAN * 4 // 5
    assert ran["forbidden"] >= CLEAN // 10


def test_each_attack_is_announced_before_it_runs_and_reported_after():
    released, knowledge = clean(np.random.default_rng(0))
    heard = []

    def ended(attacked, seconds):
        heard.append((attacked, seconds > 0))

    found = attack(released, knowledge, ["homogeneity", "linking"], heard.append, ended)
    first, second = "Running attack 1 of 2: linking", "Running attack 2 of 2: homogeneity"
    assert heard == [first, (found[0], True), second, (found[1], True)]
    assert [one.attack for one in found] == ["linking", "homogeneity"]


@pytest.mark.thorough
def test_a_clean_release_without_certificate_never_alarms():
    for number in range(CLEAN):
        released, knowledge = clean(np.random.default_rng(number))
        found = attack(released, knowledge)
        assert [one.attack for one in found if one.verdict == BROKEN] == [], number
        assert {one.attack for one in found if one.verdict != NOT_RUN} == {"linking", "homogeneity", "composition"}
