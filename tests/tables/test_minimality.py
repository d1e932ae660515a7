"""Minimality: beliefs against every order of the values; the paper's example; releases that tell no more."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.attacked import BROKEN, NOT_RUN, SURVIVES
from kanon_engine.tables.minimality import AtMost, minimality, question
from tests.oracles import minimality as oracle
from tests.oracles import releases
from tests.risk import clean
from tests.sentences import MADE_FROM_DIFFERENT_DATA


def one_class(rows, values):
    """A table whose release is one class of all records, though k = 2."""
    frame = pd.DataFrame(rows, columns=[f"q{place}" for place in range(len(rows[0]))])
    names = list(frame.columns)
    table = kanon.Table(frame.assign(ill=values), names, orders={name: sorted(set(frame[name])) for name in names})
    return table, kanon.generalize(table, len(rows), "local-cuts")


def some_class(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(5, 8))
    rows = [tuple(row) for row in rng.integers(0, 3, (count, int(rng.integers(1, 3)))).tolist()]
    return rows, rng.choice(["flu", "gout", "HIV"], count, p=[0.6, 0.2, 0.2]).tolist()


@pytest.mark.parametrize("seed", range(200))
def test_beliefs_are_shares_of_all_orders_of_the_values(seed):
    """Planted and clean at once: who is found is who brute force finds, where the class could not be cut in truth."""
    rows, values = some_class(seed)
    table, g = one_class(rows, values)
    found = minimality(table, g, demands=[kanon.Diversity("ill", 2)], k=2)

    def holds(own):
        return len(set(own)) >= 2

    cut = any(
        all(len(side) >= 2 and holds([values[at] for at in side]) for side in sides) for sides in oracle.splits(rows)
    )
    if cut:
        assert (found.verdict, found.figures["groups that the algorithm could have cut"]) == (SURVIVES, "1")
        return
    expected = {}
    for (row, value), share in oracle.beliefs(rows, values, 2, holds).items():
        before = Fraction(values.count(value), len(values))
        if share > before and share > Fraction(1, 2):
            expected[", ".join(map(str, row)), value] = float(share), share == 1
    told = {(row["known"], row["value"]): (row["belief"], row["certain"]) for _, row in found.evidence.iterrows()}
    assert told == expected
    assert found.verdict == (BROKEN if expected else SURVIVES)


def wong(ill):
    people = pd.DataFrame({"q": ["q1", "q1", "q2", "q2", "q2", "q2", "q2"], "ill": ill})
    table = kanon.Table(people, ["q"])
    return table, kanon.generalize(table, 7, "k-optimize")


def test_the_example_of_the_paper():
    table, g = wong(["HIV", "HIV", *["none"] * 5])
    found = minimality(table, g, demands=[AtMost("ill", "HIV", 0.5)], k=2)
    assert (found.verdict, found.found, found.figures["value certain"]) == (BROKEN, 2, "2")
    assert found.evidence.values.tolist() == [[1, "q1", "ill", "HIV", 2, pytest.approx(2 / 7), 1.0, True]]


def test_the_table_that_needs_no_generalization_survives():
    table = wong(["HIV", "none", "HIV", *["none"] * 4])[0]
    g = kanon.generalize(table, 2, "k-optimize", suppression_limit=0)
    assert g.classes == 2
    assert minimality(table, g, demands=[AtMost("ill", "HIV", 0.5)]).verdict == SURVIVES


def test_who_looks_at_no_sensitive_value_tells_no_more():
    table, g = wong(["HIV", "HIV", *["none"] * 5])
    found = minimality(table, g)
    assert (found.verdict, found.found, found.of) == (SURVIVES, 0, 7)


@pytest.mark.parametrize("seed", range(100))
def test_planted_groups_that_could_not_be_cut(seed):
    """Two of q1 share a value that may be half of a group, and that nobody else has: it is certain of them."""
    rng = np.random.default_rng(seed)
    others = int(rng.integers(4, 9))
    table = kanon.Table(
        pd.DataFrame({"q": [1, 1, *[2] * others], "ill": ["HIV", "HIV", *rng.choice(["flu", "cold"], others)]}), ["q"]
    )
    g = kanon.generalize(table, 2 + others, "mondrian")
    found = minimality(table, g, demands=[AtMost("ill", "HIV", 0.5)], k=2)
    own = found.evidence[found.evidence["known"] == "1"]
    assert own[["value", "belief", "certain"]].values.tolist() == [["HIV", 1.0, True]]
    released = kanon.generalize(table, 2, "mondrian")  # k alone: the groups are cut whatever the values are
    assert minimality(table, released).verdict == SURVIVES


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("algorithm", ["mondrian", "local-cuts", "k-optimize", "hill-climb"])
def test_the_rule_is_true_of_the_algorithms(algorithm):
    """No group that was released could have been cut as the attack supposes, else the belief would be of no worth."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 60), "sex": rng.choice(["f", "m"], 60)})
    table = kanon.Table(frame.assign(ill=rng.choice(["flu", "HIV"], 60, p=[0.85, 0.15])), ["age", "sex"])
    options = {"local-cuts": {"rounds": 0}, "mondrian": {}}.get(algorithm, {"suppression_limit": 0})
    g = kanon.generalize(table, 3, algorithm, require=[kanon.Diversity("ill", 2)], **options)
    found = minimality(table, g)
    assert found.figures.get("groups that the algorithm could have cut", "0") == "0"
    assert found.verdict in (SURVIVES, BROKEN, NOT_RUN)
    assert minimality(table, g).evidence.equals(found.evidence)


@pytest.mark.thorough
def test_what_is_not_run_says_why():
    table, g = wong(["HIV", "HIV", *["none"] * 5])
    need = [kanon.Diversity("ill", 2)]
    cells = kanon.generalize(table, 2, "cell-suppression", require=need)
    assert "cell suppression" in minimality(table, cells).sentence
    left = replace(g, assignment=np.array([-1, *[0] * 6], dtype=np.int32))
    assert "left out" in minimality(table, left, demands=need).sentence
    rng = np.random.default_rng(0)
    wide = kanon.Table(pd.DataFrame({"q": range(40), "ill": [*["flu"] * 39, "HIV"], "a": rng.random(40)}), ["q"])
    many = minimality(wide, kanon.generalize(wide, 40, "mondrian"), demands=[kanon.Closeness("a", 0.001)], k=2)
    assert (many.verdict, "too many" in many.sentence) == (NOT_RUN, True)
    with pytest.raises(kanon.InvalidInput, match=MADE_FROM_DIFFERENT_DATA):
        minimality(wide, g)
    with pytest.raises(kanon.InvalidInput, match="share"):
        AtMost("ill", "HIV", 1.5)


@pytest.mark.parametrize("seed", range(60))
def test_demands_of_counts_are_those_of_records(seed):
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 4, 20)
    table = kanon.Table(pd.DataFrame({"q": range(20), "n": numbers, "w": numbers.astype(str)}), ["q"])
    members = rng.choice(20, int(rng.integers(1, 12)), replace=False)
    for column in "nw":
        codes, domain = table.sensitive(column)
        own = tuple(np.bincount(codes[members], minlength=len(domain)).tolist())
        whole = np.bincount(codes, minlength=len(domain)).tolist()
        for demand in (
            kanon.Diversity(column, 3),
            kanon.Diversity(column, 2.5, "entropy"),
            kanon.Diversity(column, 2, "recursive", c=1.5),
            kanon.Closeness(column, 0.2),
        ):
            assert question(demand, domain, whole)(own) == demand.holds(table, members)


@pytest.mark.parametrize("seed", range(60))
def test_cuts_of_all_groups_at_once_tell_what_all_ways_tell(seed):
    """Who is exposed by cuts for everybody is who brute force finds over all ways of all groups together."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.permutation([(1, 1)] * 2 + [(2, 1)] * 3 + [(3, 2)] * 3), columns=["q", "r"])
    values = rng.choice(["cold", "flu", "gout", "mumps"], 8)
    if seed % 2:  # the two of q = 1 have a value that nobody else has
        values = np.where(frame["q"] == 1, "HIV", values)
    if len(set(values)) < 2:
        return
    table = kanon.Table(frame.assign(ill=values), ["q", "r"])
    g = kanon.generalize(table, 2, "k-optimize", suppression_limit=0, require=[kanon.Diversity("ill", 2)])
    groups, further = clean.groups_of(table, g), clean.further_cuts(table, g)
    beliefs = releases.beliefs(groups, further, values.tolist(), lambda own: len(set(own)) > 1)
    expected = set()
    for number, people in enumerate(groups):
        for person in people:
            for value in set(values):
                share = Fraction(sum(values[people] == value), len(people))
                if beliefs.get((person, value), Fraction()) > max(share, Fraction(1, 2)):
                    expected.add((number + 1, ", ".join(map(str, frame.iloc[person])), value))
    found = minimality(table, g)
    assert found.figures["groups that the algorithm could have cut"] == "0"
    assert {tuple(row) for row in found.evidence[["group", "known", "value"]].to_numpy().tolist()} == expected
    assert found.verdict == (BROKEN if expected else SURVIVES)
