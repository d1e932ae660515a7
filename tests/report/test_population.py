"""A review with a table of the population, and of a person's own records."""

import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.errors import InvalidInput
from kanon_engine.report.assemble import review, with_rulings
from kanon_engine.risk.attacks.matching import Match
from kanon_engine.risk.rules import Facts
from tests.sentences import NOT_THE_WHOLE_POPULATION

PEOPLE = pd.DataFrame({"age": [21, 22, 23, 41, 42, 43] * 3, "sex": list("ffmmff") * 3})
EVERYBODY = pd.concat([PEOPLE] * 4)
UNKNOWN = Facts(membership_unknown=True)
RULES = ["own-minimum", "arx-highest", "ema-highest"]


def figures(found):
    return {one.key: one.value for one in found.after}


def verdicts(found):
    return {one.key: one.verdict for one in found.rulings}


def test_a_table_of_the_population_is_for_measures_and_rules():
    table = kanon.Table(PEOPLE, ["age", "sex"])
    g = kanon.generalize(table, 6, "mondrian")
    alone = review(table, g, rules=RULES, facts=UNKNOWN)
    assert figures(alone)["journalist-highest"] is figures(alone)["population-uniques"] is None
    assert alone.population_sizes is None
    assert verdicts(alone)["ema-highest"] == "does not hold"
    found = review(table, g, rules=RULES, facts=UNKNOWN, population=EVERYBODY)
    assert sum(found.population_sizes) == len(EVERYBODY)
    assert figures(found)["journalist-highest"] == 1 / min(found.population_sizes) == 1 / 36
    assert figures(found)["population-uniques"] is not None
    assert verdicts(found)["ema-highest"] == "holds"
    again = with_rulings(found, ["ema-highest"], UNKNOWN)
    assert verdicts(again) == {"ema-highest": "holds"}
    counted = PEOPLE.rename(columns={"age": "years"}).assign(n=4)
    given = {"population_match": [Match.read("age=years")], "population_count": "n", "population_size": 5000}
    other = review(table, g, rules=RULES, facts=UNKNOWN, population=counted, **given)
    assert other.population_sizes == found.population_sizes
    said = next(one for one in other.after if one.key == "population-uniques-zayatz")
    assert "of 5,000" in said.words
    sizes = Facts(membership_unknown=True, population_sizes=found.population_sizes)
    assert figures(review(table, g, rules=RULES, facts=sizes))["journalist-highest"] == 1 / 36
    with pytest.raises(InvalidInput, match=f"The table {NOT_THE_WHOLE_POPULATION}"):
        review(table, g, population=PEOPLE.iloc[:9])


def own_review(k, extra=(), **said):
    labels = kanon.Labels(["a", "b", "c"], [5, 4, 1])
    g = kanon.generalize(labels, 5, "fold")
    records = pd.DataFrame({"name": ["a"] * 3 + ["b"] * 2 + ["?"], "sex": list("fffmmm")})
    own = kanon.apply(labels, g, records, "name", quasi_identifiers=list(extra), k=k)
    return own, review(labels, g, rules=RULES, own=own, **said)


def test_own_records_are_measured_as_they_were_and_below_k_is_a_ruling():
    own, found = own_review(3, ["sex"])
    before = {one.key: one.value for one in found.before}
    assert (before["records"], before["k-reached"]) == (6, 1)
    assert own.before.quasi_identifiers == ("name", "sex")
    assert own.below.records == 2
    assert found.own
    assert verdicts(found)["own-minimum"] == "does not hold"
    assert "2 records are in 1 such groups" in found.rulings[0].found
    assert verdicts(own_review(2, ["sex"])[1])["own-minimum"] == "holds"


def test_groups_of_fewer_people_than_records_are_not_their_population():
    own, found = own_review(2)
    assert found.population_sizes == (5, 5)
    labels = kanon.Labels(["a", "b", "c"], [5, 4, 1])
    g = kanon.generalize(labels, 5, "fold")
    visits = pd.DataFrame({"name": ["a"] * 30 + ["b"] * 2})
    own = kanon.apply(labels, g, visits, "name", k=2)
    found = review(labels, g, rules=RULES, own=own)
    assert found.population_sizes is None
    assert figures(found)["journalist-highest"] is None
