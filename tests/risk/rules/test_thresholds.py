"""Rules with a number, on both sides of it."""

from dataclasses import replace

import pandas as pd
import pytest

from kanon_engine.errors import InvalidInput
from kanon_engine.release.released import Released
from kanon_engine.risk.rules import RULES, Facts, rulings
from kanon_engine.risk.rules.rule import FAILS, HOLDS, OPEN
from tests.risk.rules.releases import groups, records, ruling, verdict

NOT_ENOUGH = "No change is enough, because the rule requires groups of at least"
FEWEST = {"arx-highest": 5, "ema-highest": 12, "public-0.05": 20}


@pytest.mark.parametrize(("key", "fewest"), FEWEST.items())
def test_the_highest_risk_is_compared_exactly(key, fewest):
    assert verdict(records(fewest, 50), key) == HOLDS
    assert verdict(groups(fewest, 50), key) == HOLDS
    assert verdict(records(fewest - 1, 50), key) == FAILS
    assert f"{fewest - 1} records are in smaller groups" in ruling(records(fewest - 1, 50), key).found


@pytest.mark.parametrize(("key", "average"), [("arx-average", 20), ("ema-average", 100 / 9)])
def test_the_average_risk_is_compared_exactly(key, average):
    classes, total = (9, 100) if key == "ema-average" else (5, 100)
    sizes = [total - (classes - 1)] + [1] * (classes - 1)
    assert sum(sizes) / classes == pytest.approx(average)
    assert verdict(records(*sizes), key) == HOLDS
    assert verdict(records(sizes[0] - 1, *sizes[1:]), key) == FAILS


def test_a_share_of_records_at_risk_may_be_a_twentieth():
    assert verdict(records(4, 76), "arx-at-risk") == HOLDS
    assert verdict(records(4, 75), "arx-at-risk") == FAILS
    assert verdict(records(5, 5), "arx-at-risk") == HOLDS  # a risk of 0.2 is not above it
    assert ruling(records(4, 75), "arx-at-risk").found.startswith("4 of 79 records have a risk above 0.2")


def test_the_minimum_is_the_one_that_was_said_or_k():
    assert verdict(records(7, 9, k=7), "own-minimum") == HOLDS
    assert verdict(records(7, 9, k=8), "own-minimum") == FAILS
    assert verdict(records(7, 9, k=7), "own-minimum", Facts(minimum=8)) == FAILS
    assert verdict(records(7, 9, k=8), "own-minimum", Facts(minimum=7)) == HOLDS


def test_a_column_that_nobody_called_sensitive_tells_classes_apart():
    frame = pd.DataFrame({"age": ["≤ 39"] * 12, "town": ["A"] * 11 + ["B"], "illness": list("abcdefghijkl")})
    release = Released(frame, ("age",), ("illness",), k=2)
    found = ruling(release, "ema-highest")
    assert found.verdict == FAILS
    assert "“town”" in found.found
    assert verdict(replace(release, sensitive=("illness", "town")), "ema-highest") == HOLDS


def test_the_risk_is_of_the_population_where_nobody_knows_who_is_in_the_data():
    release = records(2, 3)
    people = Facts(population_sizes=(30, 12))
    assert verdict(release, "ema-highest", people) == FAILS
    assert verdict(release, "ema-highest", replace(people, membership_unknown=True)) == HOLDS
    unknown = Facts(population_sizes=(30, 11), membership_unknown=True)
    assert verdict(release, "ema-highest", unknown) == FAILS
    assert verdict(release, "ema-average", unknown) == HOLDS  # 2/5 · 1/30 + 3/5 · 1/11 = 0.0679
    third = Facts(population_sizes=(3, 3), membership_unknown=True)
    assert verdict(release, "hipaa-expert", replace(third, expert="E", expert_risk="1/3", expert_measure="average",
                                                    expert_documented=True)) == HOLDS  # fmt: skip


@pytest.mark.parametrize("sizes", [(1, 3), (30,), (30, 12, 5)])
def test_sizes_of_the_population_that_cannot_be_are_refused(sizes):
    with pytest.raises(InvalidInput, match="population"):
        verdict(records(2, 3), "ema-highest", Facts(population_sizes=sizes))


def test_an_expert_names_the_number():
    release = records(11, 40)
    assert verdict(release, "hipaa-expert") == OPEN
    assert verdict(release, "hipaa-expert", Facts(expert="E. Xpert")) == OPEN
    assert verdict(release, "hipaa-expert", Facts(expert_risk=0.1)) == OPEN
    said = Facts(expert="E. Xpert", expert_risk=0.1)
    assert "expert_documented" in ruling(release, "hipaa-expert", said).found
    assert verdict(release, "hipaa-expert", said) == OPEN
    assert verdict(release, "hipaa-expert", replace(said, expert_documented=True)) == HOLDS
    assert verdict(release, "hipaa-expert", replace(said, expert_risk=0.09)) == FAILS
    assert verdict(release, "hipaa-expert", replace(said, expert_risk="1/11", expert_documented=True)) == HOLDS


@pytest.mark.parametrize("key", RULES)
def test_of_no_records_nothing_is_said(key):
    release = Released(pd.DataFrame({"age": pd.Series([], dtype=object)}), ("age",))
    found = ruling(release, key)
    assert found.verdict == OPEN
    assert found.found


@pytest.mark.parametrize("key", RULES)
def test_every_rule_says_where_it_is_stated_and_what_it_leaves_out(key):
    rule = RULES[key]
    assert rule.key == key
    assert all(text.endswith(".") for text in (rule.text, rule.beyond))
    assert rule.origin
    found = ruling(records(3, 4), key)
    assert (found.title, found.origin, found.text, found.beyond) == (rule.title, rule.origin, rule.text, rule.beyond)
    assert "anonymous" not in f"{found.found} {rule.text} {rule.beyond}"


def test_a_rule_that_is_not_there_is_named():
    with pytest.raises(InvalidInput, match="hipaa-zap"):
        rulings(records(3), rules=["hipaa-zap"])
    assert len(rulings(records(3))) == len(RULES)


@pytest.mark.parametrize(
    "wrong",
    [
        {"areas": "towns"},
        {"others": "some"},
        {"expert_measure": "median"},
        {"absent": ("S",)},
        {"absent": ("AB",)},
        {"minimum": 0},
        {"expert_risk": 0},
        {"expert_risk": 1.5},
        {"expert_risk": float("nan")},
        {"inference": "half"},
    ],
)
def test_facts_that_cannot_be_are_refused(wrong):
    with pytest.raises(InvalidInput):
        Facts(**wrong)


@pytest.mark.parametrize(
    ("release", "key", "step"),
    [
        (records(4, 76), "ema-highest", "Raise k to 12."),
        (records(4, 76), "ema-average", ""),
        (records(4, 75), "arx-at-risk", "Raise k to 5."),
        (records(7, 9, k=8), "own-minimum", "Generalize more, until every group has at least 8 records."),
        (records(3, 4), "public-0.05", f"{NOT_ENOUGH} 20, and the release has only 7 records."),
    ],
)
def test_the_next_step_is_a_k_that_is_enough_or_says_why_none_is(release, key, step):
    assert ruling(release, key).step == step


def test_the_next_step_names_the_columns_that_distinguish_classes():
    frame = pd.DataFrame({"age": ["≤ 39"] * 12, "town": ["A"] * 11 + ["B"]})
    step = ruling(Released(frame, ("age",), k=12), "ema-highest").step
    assert step.startswith("Leave out “town”, or make it a quasi-identifier.")
    assert "Raise k" not in step  # 12 records have the same age
    more = Released(pd.concat([frame, frame.head(8)]), ("age",), k=2)
    assert ruling(replace(more, sensitive=("town",)), "hipaa-expert", Facts(expert="E", expert_risk="1/21")).step == (
        f"{NOT_ENOUGH} 21, and the release has only 20 records."
    )


def test_the_next_step_for_the_population_counts_its_people():
    said = Facts(population_sizes=(30, 11), membership_unknown=True)
    step = ruling(records(2, 3), "ema-highest", said).step
    assert step == "Generalize more, until every group matches at least 12 people of the population."
