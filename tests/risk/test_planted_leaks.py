"""A planted leak is found always; a release that keeps every rule alarms never.

A plain run takes a tenth of the 1,000 leaks and 200 clean releases of a thorough one; KANON_PLANTED says another number
of leaks.
"""

import os

import numpy as np
import pytest

from kanon_engine.risk.attacks import attack
from kanon_engine.risk.attacks.attacked import BROKEN, NOT_RUN
from tests import compiled
from tests.risk.planted import KINDS, clean

LEAKS = int(os.environ.get("KANON_PLANTED", 1_000 if compiled.THOROUGH else 100))
CLEAN = -(-LEAKS // 5)


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
    for number in range(CLEAN):
        released, knowledge = clean(np.random.default_rng(number))
        found = attack(released, knowledge)
        assert [one.attack for one in found if one.verdict == BROKEN] == [], number
        assert {"linking", "homogeneity", "composition"} <= {one.attack for one in found if one.verdict != NOT_RUN}
