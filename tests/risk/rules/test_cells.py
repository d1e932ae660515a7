"""Rules on small counts."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.differencing import differencing
from kanon_engine.risk.attacks.published import Published
from kanon_engine.risk.rules import Facts
from kanon_engine.risk.ruling import FAILS, HOLDS, OPEN
from tests.risk.rules.releases import attacked, groups, records, ruling, verdict

ALONE = Facts(others="none")
TRIED = (attacked("differencing", "survives"),)


@pytest.mark.parametrize("make", [groups, records])
def test_cells_of_one_to_ten_are_refused(make):
    assert verdict(make(11, 30, k=11), "cms-cells", ALONE, TRIED) == HOLDS
    assert verdict(make(10, 30, k=11), "cms-cells", ALONE, TRIED) == FAILS
    assert verdict(make(1, 30, k=11), "cms-cells", ALONE, TRIED) == FAILS


def test_a_cell_of_nobody_is_allowed_by_one_rule_and_not_by_the_other():
    release = groups(40, 30, k=11, sums={"cases": [0, 16]})
    facts = replace(ALONE, parts=True)
    assert verdict(release, "cms-cells", facts, TRIED) == HOLDS
    assert verdict(release, "registries-16") == FAILS
    assert verdict(groups(40, 30, sums={"cases": [16, 16]}), "registries-16") == HOLDS
    assert verdict(groups(40, 30, sums={"cases": [15, 16]}), "registries-16") == FAILS


def test_cells_are_not_assessed_without_an_attack():
    release = groups(11, 30, k=11)
    assert "differencing" in ruling(release, "cms-cells", ALONE).found
    assert verdict(release, "cms-cells", ALONE) == OPEN
    assert verdict(release, "cms-cells", ALONE, (attacked("differencing", "not run"),)) == OPEN
    assert verdict(release, "cms-cells", ALONE, (attacked("linking", "survives"),)) == OPEN
    assert verdict(groups(10, 30, k=11), "cms-cells") == FAILS  # no attack is needed to see that


def test_an_attack_that_derives_a_small_cell_decides():
    release = groups(11, 30, k=11)
    assert verdict(release, "cms-cells", ALONE, (attacked("differencing", "does not survive", 1),)) == FAILS
    small = attacked("differencing", "does not survive", 1, evidence=pd.DataFrame({"high": [12, 10]}))
    assert verdict(release, "cms-cells", ALONE, (small,)) == FAILS
    large = attacked("differencing", "does not survive", 1, evidence=pd.DataFrame({"high": [12, 11]}))
    assert verdict(groups(50, 60, k=50), "cms-cells", ALONE, (large,)) == HOLDS
    told = attacked("differencing", "does not survive", 1)
    assert verdict(groups(50, 60, k=50), "cms-cells", ALONE, (told,)) == OPEN


def test_an_attack_that_looked_for_smaller_cells_alone_does_not_answer():
    found = ruling(groups(11, 30, k=5), "cms-cells", ALONE, TRIED)
    assert found.verdict == OPEN
    assert "below 5" in found.found
    figures = {"parts below 11": "0"}
    wider = tuple(replace(one, figures=figures) for one in TRIED)
    assert verdict(groups(11, 30, k=5), "cms-cells", ALONE, wider) == HOLDS


def test_the_differencing_attack_itself_is_understood():
    towns, districts = Published("towns", [0, 0, 1, 1]), Published("districts", [0, 1, 1, 1])
    release = groups(43, 40, k=11)
    for second, expected in ((3, FAILS), (13, HOLDS)):
        weights = np.array([40, second, 20, 20])
        found = differencing([towns, districts], k=11, weights=weights, unit="people")
        assert verdict(release, "cms-cells", Facts(others="compared"), (found,)) == expected
        wide = differencing([towns, districts], k=15, weights=weights, unit="people")
        assert wide.verdict == "does not survive"  # 13 are below 15, and no cell of the policy
        assert verdict(release, "cms-cells", Facts(others="compared"), (wide,)) == expected


def test_who_is_left_out_is_a_cell_too():
    assert verdict(records(11, 30, k=11, left_out=3), "cms-cells", ALONE, TRIED) == FAILS
    assert verdict(records(11, 30, k=11, left_out=11), "cms-cells", ALONE, TRIED) == HOLDS


def test_what_second_counts_leave_is_asked():
    release = groups(503, 600, k=11, sums={"cases": [500, 300]})
    assert verdict(release, "cms-cells", ALONE, TRIED) == OPEN
    assert "parts" in ruling(release, "cms-cells", ALONE, TRIED).found
    assert verdict(release, "cms-cells", replace(ALONE, parts=True), TRIED) == FAILS
    assert verdict(release, "cms-cells", replace(ALONE, parts=False), TRIED) == HOLDS


def test_what_else_is_published_must_be_said():
    release = groups(11, 30, k=11)
    assert verdict(release, "cms-cells", Facts(), TRIED) == OPEN
    assert verdict(release, "cms-cells", Facts(others="compared"), TRIED) == HOLDS


def test_of_records_every_combination_is_a_cell():
    frame = pd.DataFrame({"age": ["≤ 39"] * 22, "illness": ["flu"] * 11 + ["cold"] * 11})
    release = Released(frame, ("age",), ("illness",), k=11)
    assert verdict(release, "cms-cells", ALONE, TRIED) == HOLDS
    assert verdict(replace(release, frame=frame.iloc[1:]), "cms-cells", ALONE, TRIED) == FAILS


def test_rows_that_stand_for_several_records_are_no_groups():
    frame = pd.DataFrame({"group": [1, 1, 2, 2], "weight": [20, 11, 12, 13], "illness": ["flu", "cold", "flu", "flu"]})
    release = Released(frame, ("group",), ("illness",), k=11, counts="weight")
    assert verdict(release, "cms-cells", ALONE, TRIED) == HOLDS
    assert verdict(release, "wp216-inference", Facts(inference=0.7)) == FAILS
    fewer = replace(release, frame=frame.assign(weight=[20, 10, 12, 13]))
    assert verdict(fewer, "cms-cells", ALONE, TRIED) == FAILS
    split = replace(release, frame=frame.assign(weight=[20, 11, 6, 6]))
    assert verdict(split, "cms-cells", ALONE, TRIED) == HOLDS  # the six and six are one cell of twelve


def test_values_in_the_text_of_a_group_are_not_counted():
    frame = pd.DataFrame({"group": [1], "weight": [40], "illness": ["flu 39, cold"]})
    release = Released(frame, ("group",), ("illness",), k=11, counts="weight")
    assert verdict(release, "cms-cells", ALONE, TRIED) == OPEN
    assert verdict(release, "registries-16") == OPEN
