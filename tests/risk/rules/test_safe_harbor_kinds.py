"""Safe Harbor on many kinds of columns: breaking.txt holds what it does not allow, clean.txt what it does.

A line of breaking.txt is the letter of the identifier, the name of the column, and its values; one of clean.txt has
no letter.
"""

import re
from pathlib import Path

import pandas as pd
import pytest

from kanon_engine.release.released import Released
from kanon_engine.risk.rules import ALL, Facts
from kanon_engine.risk.rules.rule import FAILS, HOLDS
from tests.risk.rules.releases import ruling

FOLDER = Path(__file__).parent
SAID = Facts(absent=ALL, no_actual_knowledge=True, year=2020)  # an officer who attests that all are absent
ROWS = 24


def kinds(file):
    lines = (FOLDER / file).read_text(encoding="utf-8").splitlines()
    return [line.split("\t")[-2:] for line in lines]


def release(name, shown, *, typed=True):
    """Records with a column beside others; numbers as numbers, where no zero in front would be lost."""
    values = shown.split("|")
    frame = pd.DataFrame({"sex group": ["m", "f"] * (ROWS // 2), "illness": ["flu", "cold", "gout"] * (ROWS // 3)})
    frame.insert(1, name, [values[row % len(values)] for row in range(ROWS)])
    if typed and not any(re.match(r"0\d", value) for value in values):
        frame[name] = _numbers(frame[name])
    return Released(frame, ("sex group",), ("illness",), k=8)


def _numbers(column):
    try:
        return pd.to_numeric(column)
    except (ValueError, TypeError):
        return column


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("typed", [True, False])
def test_of_breaking_kinds_at_most_five_in_a_hundred_hold(typed):
    found = {
        (name, shown): ruling(release(name, shown, typed=typed), "hipaa-safe-harbor", SAID)
        for name, shown in kinds("breaking.txt")
    }
    holding = [kind for kind, one in found.items() if one.verdict != FAILS]
    assert len(found) >= 200
    assert len(holding) <= 0.05 * len(found), holding
    for (name, shown), one in found.items():
        if one.verdict == FAILS:  # each finding names the column and shows no value
            assert re.search(rf"\([A-R]\) “{re.escape(name)}” [^“•]+[.;]", one.found), one.found
            assert f"“{name}”" in one.step
            assert not any(len(value) > 3 and f"“{value}”" in one.found for value in shown.split("|"))


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("typed", [True, False])
def test_of_clean_kinds_at_most_five_in_a_hundred_alarm(typed):
    found = {
        (name, shown): ruling(release(name, shown, typed=typed), "hipaa-safe-harbor", SAID)
        for name, shown in kinds("clean.txt")
    }
    alarms = [(kind, one.found) for kind, one in found.items() if one.verdict != HOLDS]
    assert len(found) >= 100
    assert len(alarms) <= 0.05 * len(found), alarms
