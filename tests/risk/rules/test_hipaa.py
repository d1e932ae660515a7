"""Safe Harbor: what a check finds, what must be said, and the people of areas."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.release.released import Released
from kanon_engine.risk.rules import ALL, Facts
from kanon_engine.risk.rules.case import Case
from kanon_engine.risk.rules.identifiers import IDENTIFIERS, identifier_hits
from kanon_engine.risk.rules.rule import APART, FAILS, HOLDS, OPEN
from tests.risk.rules.releases import groups, ruling, verdict, with_column

SAID = Facts(absent=ALL, no_actual_knowledge=True, year=2026)
SEEN = [
    ("A", "Vorname", ["Anna", "Bert"]),
    ("A", "patient_name", ["x", "y"]),
    ("B", "city", ["Hartford", "Bridgeport"]),
    ("B", "zip", ["06401", "06510"]),
    ("B", "ZIPCode", [6401, 6510]),
    ("B", "zip", ["06401–06510", "*"]),
    ("C", "age", [40, 90]),
    ("C", "age", ["40–49", "85–94"]),
    ("C", "birth_date", ["1980-05-12", "1981-01-01"]),
    ("C", "dob", [19800512, 19810101]),
    ("C", "birth year", ["1936", "1980"]),
    ("C", "seen", pd.to_datetime(["2020-01-02", "2020-01-03"])),
    ("C", "remark", ["fine", "came on 3/14/2020"]),
    ("C", "remark", ["fine", "since May 2020"]),
    ("D", "remark", ["call (860) 555-0142", "no"]),
    ("E", "fax", ["1", "2"]),
    ("F", "remark", ["write a@b.org", "no"]),
    ("G", "remark", ["078-05-1120", "no"]),
    ("H", "MRN", ["1", "2"]),
    ("I", "insurance number", ["1", "2"]),
    ("J", "account", ["1", "2"]),
    ("K", "passport", ["1", "2"]),
    ("L", "car", ["1HGCM82633A004352", "none"]),
    ("M", "remark", ["00:1B:44:11:3A:B7", "none"]),
    ("N", "remark", ["see www.example.org", "none"]),
    ("O", "remark", ["from 192.168.0.1", "none"]),
    ("P", "fingerprint", ["1", "2"]),
    ("Q", "photo", ["1", "2"]),
    ("R", "record id", ["1", "2"]),
]
FINE = [
    ("zip", ["064", "065**"]),
    ("zip3", ["000", "*"]),
    ("age", ["≤ 39", "≥ 90"]),
    ("age", ["80–89", "85+"]),
    ("age", [40, 89]),
    ("birth year", ["≤ 1936", "1940–1949"]),
    ("admission date", ["2020", "2021"]),
    ("state", ["CT", "NY"]),
    ("illness", ["flu 2, cold", "1.2.3"]),
    ("income", [1234.5, 777.25]),
]


def seen(release, facts=SAID):
    return {one.letter for one in identifier_hits(Case(release, None, None, facts, ()))}


@pytest.mark.parametrize(("letter", "name", "values"), SEEN)
def test_an_identifier_is_found(letter, name, values):
    release = with_column(name, values)
    assert seen(release) == {letter}
    found = ruling(release, "hipaa-safe-harbor", SAID)
    assert found.verdict == FAILS
    assert f"({letter}) “{name}”" in found.found
    assert seen(release, replace(SAID, harmless=(name,))) == set()


def test_every_identifier_has_a_case():
    assert {letter for letter, _, _ in SEEN} == set(IDENTIFIERS)


@pytest.mark.parametrize(("name", "values"), FINE)
def test_what_is_none_is_not_taken_for_one(name, values):
    assert seen(with_column(name, values)) == set()


def test_a_column_with_a_value_of_its_own_for_every_record_is_a_code():
    frame = pd.DataFrame({"age": ["any"] * 4, "code": ["q1", "x7", "k3", "z9"], "cost": [17, 403, 88, 1209]})
    assert seen(Released(frame, ("age",))) == {"R"}
    assert seen(Released(frame.drop(columns="code"), ("age",))) == set()


def test_nothing_holds_before_everything_was_said():
    release = with_column("age", ["≤ 39", "≥ 40"])
    assert verdict(release, "hipaa-safe-harbor", SAID) == HOLDS
    for missing in (replace(SAID, absent=ALL[:-1]), replace(SAID, no_actual_knowledge=False), Facts()):
        assert verdict(release, "hipaa-safe-harbor", missing) == OPEN
    assert "(R)" in ruling(release, "hipaa-safe-harbor", replace(SAID, absent=ALL[:-1])).found


def test_years_of_birth_need_the_year_of_the_release():
    release = with_column("birth year", ["1936", "1980"])
    assert verdict(release, "hipaa-safe-harbor", replace(SAID, year=None)) == OPEN
    assert verdict(release, "hipaa-safe-harbor", replace(SAID, year=2025)) == HOLDS
    assert verdict(release, "hipaa-safe-harbor", replace(SAID, year=2026)) == FAILS


def test_zip_codes_of_three_digits_need_their_people():
    release = with_column("zip", ["064", "065", "000"])
    people = {"064": 20_001, "065": 20_001}
    assert verdict(release, "hipaa-safe-harbor", replace(SAID, people={"zip": people})) == HOLDS
    few = replace(SAID, people={"zip": people | {"065": 20_000}})
    assert verdict(release, "hipaa-safe-harbor", few) == FAILS
    assert verdict(release, "hipaa-zip", few) == FAILS
    assert verdict(release, "hipaa-zip", replace(SAID, people={"zip": people})) == HOLDS


def test_the_census_of_2010_is_built_in():
    large, small, near, empty = (with_column("zip", ["064", code]) for code in ("065", "036", "830", "202"))
    assert [verdict(one, "hipaa-zip", SAID) for one in (large, small, near, empty)] == [HOLDS, FAILS, OPEN, FAILS]
    assert verdict(with_column("zip3", [64, 36]), "hipaa-safe-harbor", SAID) == FAILS
    assert verdict(with_column("zip3", ["001"]), "hipaa-safe-harbor", SAID) == OPEN  # no such area in it
    assert verdict(with_column("zip", ["035–037"]), "hipaa-safe-harbor", SAID) == FAILS
    said = replace(SAID, people={"zip": {"036": 25_000}})
    assert ruling(small, "hipaa-zip", said).found.endswith("although the 2010 census counts 13,759 in 036.")
    assert verdict(near, "hipaa-zip", replace(SAID, people={"zip": {"830": 20_500}})) == HOLDS


@pytest.mark.parametrize(("size", "expected"), [(20_001, HOLDS), (20_000, FAILS)])
def test_a_three_digit_zip_area_needs_more_than_20_000_people(size, expected):
    release = groups(size, 30_000)
    zips = Facts(areas="three-digit zips")
    assert verdict(release, "hipaa-zip", replace(zips, counts_are_people=True)) == expected
    assert verdict(release, "hipaa-zip", replace(zips, people={"group": {1: size, 2: 30_000}})) == expected
    assert verdict(release, "hipaa-zip", zips) == OPEN  # counts may be of patients
    assert verdict(release, "hipaa-zip", Facts(counts_are_people=True)) == OPEN  # groups of labels are no areas


def test_the_exception_is_for_no_other_area():
    people = Facts(counts_are_people=True)
    for areas in ("smaller", "states"):
        assert verdict(groups(20_001, 30_000), "hipaa-zip", replace(people, areas=areas)) == APART
    assert verdict(with_column("county", ["Tolland", "Hartford"]), "hipaa-zip", people) == APART


def test_groups_of_smaller_areas_are_no_safe_harbor_however_large():
    release = groups(50_000, 60_000)
    people = replace(SAID, counts_are_people=True)
    assert verdict(release, "hipaa-safe-harbor", replace(people, areas="smaller")) == FAILS
    assert verdict(release, "hipaa-safe-harbor", replace(people, areas="three-digit zips")) == HOLDS
    assert verdict(release, "hipaa-safe-harbor", replace(people, areas="states")) == HOLDS
    assert verdict(groups(20_000, 60_000), "hipaa-safe-harbor", replace(people, areas="three-digit zips")) == FAILS


def test_the_family_says_whether_groups_are_areas():
    areas = kanon.Regions(list("abcd"), [30_000, 5_000, 40_000, 100], np.array([(0, 1), (1, 2), (2, 3)]))
    labels = kanon.Labels(list("abcd"), [30_000, 5_000, 40_000, 100])
    said = replace(SAID, counts_are_people=True)
    for instance, asked in ((areas, True), (labels, False)):
        g = kanon.generalize(instance, 20_001)
        found = ruling(groups(*g.class_weights.tolist()), "hipaa-zip", said, g=g, instance=instance)
        assert (found.verdict, "(fact “areas”)" in found.found) == (OPEN, asked)
    g = kanon.generalize(areas, 20_001)
    said = replace(SAID, counts_are_people=True)
    found = ruling(groups(*g.class_weights.tolist()), "hipaa-safe-harbor", said, g=g, instance=areas)
    assert found.verdict == OPEN
    assert "(fact “areas”)" in found.found


def test_safe_harbor_on_columns_drawn_by_chance():
    chance = np.random.default_rng(18)
    said = replace(SAID, people={"zip": {"064": 30_000, "065**": 30_000}, "zip3": {}})
    fine = {f"{name}": values for name, values in FINE}
    for number in range(400):
        names = chance.choice(list(fine), int(chance.integers(1, 5)), replace=False).tolist()
        columns = {name: list(fine[name]) for name in names}
        if number % 2:
            _, name, values = SEEN[int(chance.integers(len(SEEN)))]
            columns[name] = list(values)
            expected = FAILS
        else:
            expected = HOLDS
        order = chance.permutation(list(columns)).tolist()
        release = Released(pd.DataFrame({name: columns[name] for name in order}), tuple(order))
        found = ruling(release, "hipaa-safe-harbor", said)
        assert found.verdict == expected, (columns, found.found)


def test_what_depends_on_the_year_of_the_decision_names_it():
    born = with_column("birth year", ["1936", "1980"])
    words = {year: ruling(born, "hipaa-safe-harbor", replace(SAID, year=year)).found for year in (None, 2025, 2026)}
    assert "Not yet known: the year of the decision" in words[None]
    assert words[2025].endswith("In 2025, the year of the decision, no year of birth means an age over 89.")
    assert "someone over 89 in 2026, the year of the decision" in words[2026]
    assert "2026" not in ruling(with_column("age", ["≤ 39", "≥ 40"]), "hipaa-safe-harbor", SAID).found


def test_the_next_step_says_what_may_remain_of_each_column():
    frame = pd.DataFrame({"MRN": ["1", "2"], "zip": ["06401", "06510"], "dob": ["1980-05-12", "1981-01-01"]})
    release = Released(frame, ("zip", "dob"))
    step = ruling(release, "hipaa-safe-harbor", SAID).step
    assert step.startswith("Leave out “MRN”, “zip” and “dob”, or show less detail: of places, only states")
    assert "“90 or older”" in step
    assert ruling(release, "nist-800-188", SAID).step == "Leave out “MRN”."
    small = ruling(with_column("zip", ["064", "036"]), "hipaa-safe-harbor", SAID)
    assert small.step == "Change areas of 20,000 people or fewer to 000."
    areas = ruling(groups(50_000, 60_000), "hipaa-safe-harbor", replace(SAID, areas="smaller"))
    assert areas.step.startswith("No k is enough:")
