"""Rules on small counts."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.disclosure import equations
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.differencing import differencing
from kanon_engine.risk.attacks.published import Published
from kanon_engine.risk.rules import Facts
from kanon_engine.risk.rules.rule import FAILS, HOLDS, OPEN
from tests.risk.rules.releases import attacked, groups, records, ruling, verdict
from tests.sentences import IS_NOT_NUMERIC

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


def with_numbers(sizes=(200, 300), sensitive=(), sums=(), **columns):
    """Groups of people with columns of numbers beside."""
    frame = pd.DataFrame({"group": range(1, len(sizes) + 1), "weight": sizes, **columns})
    return Released(frame, ("group",), sensitive, k=11, unit="people", counts="weight", sums=sums)


def of_columns(**meanings):
    return replace(ALONE, columns=meanings)


@pytest.mark.parametrize("sensitive", [(), ("deaths",)])
@pytest.mark.parametrize("values", [[4, 30], ["4", "30"], [40, 30], ["<11", 30], [40.5, 3.25]])
def test_numbers_that_nobody_declared_are_asked_for_by_name(values, sensitive):
    release = with_numbers(deaths=values, sensitive=sensitive)
    for rule in ("cms-cells", "registries-16", "wp216-singling-out"):
        found = ruling(release, rule, ALONE, TRIED)
        assert found.verdict == OPEN
        assert "“deaths”" in found.found


def test_a_declared_count_is_looked_at():
    small, large = with_numbers(deaths=[4, 30]), with_numbers(deaths=[14, 30])
    facts = of_columns(deaths="part of people")
    found = ruling(small, "cms-cells", facts, TRIED)
    assert (found.verdict, "“deaths” is 4 in group 1" in found.found) == (FAILS, True)
    assert verdict(large, "cms-cells", facts, TRIED) == HOLDS
    assert verdict(small, "cms-cells", of_columns(deaths="measure"), TRIED) == HOLDS
    assert verdict(small, "cms-cells", of_columns(deaths="part of weight"), TRIED) == FAILS  # by its own name too
    assert verdict(with_numbers((20, 300), deaths=[14, 30]), "cms-cells", facts, TRIED) == FAILS  # six live


def test_a_count_that_is_a_part_of_another_leaves_a_rest():
    release = with_numbers(hosp=[75, 90], dead=[72, 40], sums=("hosp", "dead"))
    found = ruling(release, "cms-cells", ALONE, TRIED)
    assert found.verdict == OPEN
    assert "“dead” is part of “hosp”" in found.found
    assert verdict(release, "cms-cells", replace(ALONE, parts=True), TRIED) == OPEN  # of the people, that says
    found = ruling(release, "cms-cells", of_columns(hosp="part of people", dead="part of hosp"), TRIED)
    assert (found.verdict, "“hosp” without “dead” is 3 in group 1" in found.found) == (FAILS, True)
    assert verdict(release, "cms-cells", of_columns(hosp="part of people", dead="count"), TRIED) == HOLDS


@pytest.mark.parametrize(
    ("meaning", "small", "large"),
    [
        ("percent of people", ["2.0", "20.0"], ["12.0", "20.0"]),  # four of 200, 24 of 200
        ("percent of people", ["2.0 %", "20.0 %"], ["12.0 %", "20.0 %"]),
        ("percent of people", ["98.0", "20.0"], ["88.0", "20.0"]),  # all but four
        ("rate per 1000 of people", [20.0, 200.0], [120.0, 200.0]),
        ("rate per 1,000 of people", ["20", "200"], ["120", "200"]),
        ("mean of 0/1 over people", [0.02, 0.2], [0.12, 0.2]),
        ("mean of 0/1 over weight", [0.98, 0.2], [0.88, 0.2]),
        ("count rounded to 5", [5, 40], [15, 40]),  # from 3 to 7, and from 13 to 17
    ],
)
def test_rates_and_percentages_tell_counts(meaning, small, large):
    facts = of_columns(ill=meaning)
    assert verdict(with_numbers(ill=small), "cms-cells", facts, TRIED) == FAILS
    assert verdict(with_numbers(ill=large), "cms-cells", facts, TRIED) == HOLDS


def test_rounded_rates_are_intervals():
    """1 % of 1,000 are from 5 to 15, which may be more than ten; 1.0 % are ten, and 1.1 % eleven."""
    facts = of_columns(ill="percent of people")
    assert verdict(with_numbers((1000, 3000), ill=["1", "20"]), "cms-cells", facts, TRIED) == HOLDS
    assert verdict(with_numbers((1000, 3000), ill=["1.0", "20.0"]), "cms-cells", facts, TRIED) == FAILS
    assert verdict(with_numbers((1000, 3000), ill=["1.1", "20.0"]), "cms-cells", facts, TRIED) == HOLDS


def test_rates_of_a_package_are_known_by_their_names():
    rates = {"cases per 1,000 people": [200.0, 200.0]}
    release = with_numbers((200, 300), cases=[40, 60], sums=("cases",), **rates)
    assert verdict(release, "cms-cells", replace(ALONE, parts=True), TRIED) == HOLDS
    other = with_numbers((200, 300), cases=[40, 60], sums=("cases",), **{"deaths per 1,000 people": [200.0, 200.0]})
    assert "“deaths per 1,000 people”" in ruling(other, "cms-cells", replace(ALONE, parts=True), TRIED).found


@pytest.mark.parametrize(
    ("meanings", "why"),
    [
        ({"ill": "part of births"}, "“births”, which is not a published count"),
        ({"ill": "count"}, "“ill” is declared as a count, but shows 2.5"),
        ({"ill": "part of ill"}, "a part of itself"),
        ({"ill": "mean of 0/1 over people"}, "their descriptions make the figures contradict each other"),
    ],
)
def test_what_cannot_be_is_not_assessed(meanings, why):
    found = ruling(with_numbers(ill=[2.5, 30]), "cms-cells", of_columns(**meanings), TRIED)
    assert found.verdict == OPEN
    assert why in found.found
    with pytest.raises(kanon.InvalidInput, match=IS_NOT_NUMERIC):
        Facts(columns={"ill": "some"})


def test_a_total_tells_of_a_row_that_is_left_out():
    frame = pd.DataFrame({"sex": ["f", "m", "Total"], "weight": [200, 300, 504], "cases": [40, 60, 120]})
    release = Released(frame, ("sex",), k=11, unit="people", counts="weight", sums=("cases",))
    found = ruling(release, "cms-cells", replace(ALONE, parts=False), TRIED)
    assert found.verdict == FAILS
    assert "is 4 in the rest of sex Total" in found.found
    frame["weight"] = [200, 300, 530]
    assert verdict(release, "cms-cells", replace(ALONE, parts=False), TRIED) == HOLDS  # 30 people, 20 cases
    assert verdict(release, "cms-cells", replace(ALONE, parts=True), TRIED) == FAILS  # ten who are none


def test_figures_that_hang_together_beyond_a_size_are_not_assessed(monkeypatch):
    frame = pd.DataFrame({"sex": list("fmx") + ["Total"], "weight": [40, 50, 60, 150], "cases": [None, None, 30, 90]})
    release = Released(frame, ("sex",), k=11, unit="people", counts="weight", sums=("cases",))
    assert verdict(release, "cms-cells", of_columns(cases="count"), TRIED) == HOLDS
    monkeypatch.setattr(equations, "MOST", 1)
    found = ruling(release, "cms-cells", of_columns(cases="count"), TRIED)
    assert (found.verdict, "too many counts are linked" in found.found) == (OPEN, True)


def test_the_next_step_names_columns_without_which_no_count_is_small():
    frame = pd.DataFrame(
        {"age": ["≤ 39", "≥ 40"] * 22, "payer": ["private"] * 44, "illness": ["flu"] * 34 + ["HIV"] * 10}
    )
    release = Released(frame, ("age",), ("illness",), k=11)
    step = ruling(release, "cms-cells", ALONE, TRIED).step
    assert step.startswith(
        "Leave out “illness”, because anyone can count records by columns that are released unchanged"
    )
    fewer = Released(frame.drop(columns="illness"), ("age",), k=11)
    assert verdict(fewer, "cms-cells", ALONE, TRIED) == HOLDS
    more = replace(release, frame=frame.assign(illness="flu"))
    assert "Raise k to 11." in ruling(records(5, 30, k=5), "cms-cells").step
    assert ruling(replace(more, left_out=3), "cms-cells").step == "Leave out no records, or at least 11."


def test_the_next_step_for_a_small_second_count_is_a_requirement():
    step = ruling(groups(40, 30, k=11, sums={"cases": [3, 16]}), "cms-cells").step
    assert step == "Require at least 11 “cases” in every group, or leave out “cases”."
