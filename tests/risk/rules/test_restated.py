"""Rules restated in plain Python, on small releases that were drawn by chance: 200 that hold and 200 that do not."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from kanon_engine.release.released import Released
from kanon_engine.risk.rules import ALL, Facts
from kanon_engine.risk.rules.rule import FAILS, HOLDS
from tests.risk.rules.releases import attacked, groups, verdict

EACH = 200
SAID = Facts(
    counts_are_people=True,
    areas="three-digit zips",
    absent=ALL,
    no_actual_knowledge=True,
    expert="E. Xpert",
    expert_risk="1/7",
    expert_documented=True,
    others="none",
    parts=True,
    sensitive_unknown=True,
    inference="1/2",
    sharing="published",
    board="board",
)
TRIED = (attacked("differencing", "survives"), attacked("linking", "survives"))


def drawn_records(chance, around):
    """Records with a quasi-identifier, a column that others may know, and a sensitive one."""
    rows = []
    for group in range(int(chance.integers(1, 4))):
        size = max(1, around + int(chance.integers(-2, 3)))
        values = chance.integers(0, 3, size) if chance.random() < 0.8 else [0] * size
        towns = int(chance.random() < 0.1)
        rows += [(f"g{group}", "b" if towns and at == 0 else "a", str(value)) for at, value in enumerate(values)]
    frame = pd.DataFrame(rows, columns=["shown", "kind", "illness"])
    return Released(frame, ("shown",), ("illness",), k=int(chance.integers(1, around + 1)))


def drawn_groups(chance, around):
    """Groups with counts and cases."""
    sizes = [max(1, around + int(chance.integers(-2, 3))) for _ in range(int(chance.integers(1, 4)))]
    cases = [int(chance.integers(0, size + 1)) for size in sizes] if chance.random() < 0.5 else None
    left_out = int(chance.integers(0, 20)) if chance.random() < 0.1 else 0
    return groups(*sizes, k=max(1, around), sums=None if cases is None else {"cases": cases}, left_out=left_out)


def drawn(chance, around):
    return drawn_records(chance, around) if chance.random() < 0.5 else drawn_groups(chance, around)


def sizes(release):
    """Records of each class by what others may know, in plain Python."""
    if release.counts:
        return [row["weight"] for row in rows_of(release)]
    return list(Counter((row["shown"], row["kind"]) for row in rows_of(release)).values())


def rows_of(release):
    return release.frame.to_dict("records")


def average(release):
    return Fraction(sum(size * Fraction(1, size) for size in sizes(release)), sum(sizes(release)))


def cells(release):
    rows = rows_of(release)
    if not release.counts:
        return list(Counter(tuple(row.values()) for row in rows).values())
    return [row[name] for row in rows for name in ("weight", *release.sums)]


def no_small_cell(release):
    rests = [row["weight"] - row[name] for row in rows_of(release) for name in release.sums]
    return not any(1 <= cell <= 10 for cell in [*cells(release), *rests, release.left_out])


def worst_share(release):
    rows = rows_of(release)
    found = []
    for kind in {(row["shown"], row["kind"]) for row in rows}:
        own = Counter(row["illness"] for row in rows if (row["shown"], row["kind"]) == kind)
        found.append(Fraction(max(own.values()), sum(own.values())))
    return max(found)


# key → around which size releases are drawn, how, and the rule restated
RESTATED = {
    "own-minimum": (6, drawn, lambda release: all(size >= release.k for size in sizes(release))),
    "arx-highest": (6, drawn, lambda release: all(Fraction(1, size) <= Fraction(1, 5) for size in sizes(release))),
    "arx-at-risk": (
        6,
        drawn,
        lambda release: (
            20 * sum(size for size in sizes(release) if Fraction(1, size) > Fraction(1, 5)) <= sum(sizes(release))
        ),
    ),
    "arx-average": (20, drawn, lambda release: average(release) <= Fraction(5, 100)),
    "ema-highest": (12, drawn, lambda release: all(Fraction(1, size) <= Fraction(9, 100) for size in sizes(release))),
    "ema-average": (12, drawn, lambda release: average(release) <= Fraction(9, 100)),
    "public-0.05": (20, drawn, lambda release: all(Fraction(1, size) <= Fraction(1, 20) for size in sizes(release))),
    "hipaa-expert": (8, drawn, lambda release: all(Fraction(1, size) <= Fraction(1, 7) for size in sizes(release))),
    "hipaa-zip": (20_001, drawn_groups, lambda release: all(size > 20_000 for size in sizes(release))),
    "cms-cells": (40, drawn_groups, no_small_cell),
    "registries-16": (18, drawn, lambda release: all(cell >= 16 for cell in cells(release))),
    "wp216-singling-out": (
        2,
        drawn,
        lambda release: (
            all(size > 1 for size in sizes(release))
            and not any(
                1 in (row[name], row["weight"] - row[name]) for row in rows_of(release) for name in release.sums
            )
        ),
    ),
    "wp216-inference": (8, drawn_records, lambda release: worst_share(release) <= Fraction(1, 2)),
    "nist-800-188": (6, drawn, lambda release: all(size >= release.k for size in sizes(release))),
}


@pytest.mark.thorough(one_in=6)
@pytest.mark.parametrize("key", RESTATED)
def test_a_verdict_is_that_of_the_rule_restated(key):
    around, draw, holds = RESTATED[key]
    chance = np.random.default_rng(sum(map(ord, key)))
    count = {HOLDS: 0, FAILS: 0}
    for _ in range(40 * EACH):
        release = draw(chance, around)
        expected = HOLDS if holds(release) else FAILS
        if count[expected] < EACH:
            count[expected] += 1
            assert verdict(release, key, SAID, TRIED) == expected, (key, release.frame)
        if min(count.values()) == EACH:
            break
    assert count == {HOLDS: EACH, FAILS: EACH}
