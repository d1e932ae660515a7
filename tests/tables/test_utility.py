"""What a release is still good for, against the same worked out record by record."""

import sys
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.tables.instance import BoxDetails, CellDetails
from kanon_engine.tables.plot import utility_figure
from kanon_engine.tables.utility import MOST_PARTS, Spread, answer, parts_of
from kanon_engine.tables.words import released_ranges
from tests.oracles import utility as oracle
from tests.sentences import NO_CLASS_LABEL
from tests.tables.random_tables import random_table

WAYS = [
    ("hill-climb", {"restarts": 1}),
    ("k-optimize", {"suppression_limit": 3}),
    ("cell-suppression", {}),
    ("mondrian", {}),
]


def results(count):
    rng = np.random.default_rng(14)
    for number in range(count):
        table = random_table(rng)
        name, options = WAYS[number % len(WAYS)]
        yield table, kanon.generalize(table, int(rng.integers(1, 5)), name, **options)


def shown_values(table, g, record):
    """The positions for which each released cell of a record stands, from the details alone."""
    shown = []
    for place, name in enumerate(table.quasi_identifiers):
        code, domain = int(table.codes[record, place]), table.domains[place]
        if isinstance(g.details, BoxDetails):
            group = g.assignment[record]
            shown.append(list(range(g.details.low[group, place], g.details.high[group, place] + 1)))
        elif isinstance(g.details, CellDetails):
            hidden = g.details.stars[g.assignment[record], place]
            shown.append(list(range(len(domain))) if hidden else [code])
        else:
            interval = next(part for part in g.details.intervals[name] if domain[code] in part)
            shown.append([domain.index(value) for value in interval])
    return shown


@pytest.mark.thorough
def test_ranges_figures_and_answers_are_those_of_the_records_one_by_one():
    left_out = 0
    for table, g in results(24):
        inside = np.flatnonzero(g.assignment >= 0)
        left_out += len(table) - len(inside)
        records = [shown_values(table, g, record) for record in inside]
        ranges = released_ranges(table, g)
        for record, shown in zip(inside, records, strict=True):
            ends = [[values[0], values[-1]] for values in shown]
            assert ranges[g.assignment[record]].tolist() == ends
        found, codes = kanon.utility(table, g), table.codes.tolist()
        for place in range(len(table.quasi_identifiers)):
            after = oracle.told([[shown[place]] for shown in records])
            before = oracle.told([[[row[place]]] for row in codes])
            assert found.columns["difference"][place] == pytest.approx(oracle.difference(before, after), abs=1e-9)
            name = table.quasi_identifiers[place]
            means = found.numbers[(found.numbers["column"] == name) & (found.numbers["figure"] == "mean")]
            if len(means):  # of a domain that holds at least two numbers
                told = [sum(value * share for (value,), share in side.items()) / sum(side.values())
                        for side in (before, after)]  # fmt: skip
                assert means[["before", "after"]].iloc[0].tolist() == pytest.approx(told)
        for pair, (one, other) in enumerate(combinations(range(len(table.quasi_identifiers)), 2)):
            before = oracle.told([[[row[one]], [row[other]]] for row in codes])
            after = oracle.told([[shown[one], shown[other]] for shown in records])
            wanted = [oracle.cramers_v(before), oracle.cramers_v(after)]
            assert found.pairs[["before", "after"]].iloc[pair].tolist() == pytest.approx(wanted, abs=1e-6)
        every = oracle.told(records)
        low = np.array([domain_low(len(domain)) for domain in table.domains])
        told = sum(share for values, share in every.items() if (np.array(values) >= low).all())
        places = np.arange(len(low))
        ends = np.array([low, [len(domain) - 1 for domain in table.domains]])
        assert answer(Spread(table, g), places, ends) == pytest.approx(told)
    assert left_out


def domain_low(size):
    return size // 2


def test_a_release_that_changes_nothing_loses_nothing():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 300), "sex": rng.choice(["f", "m"], 300)})
    table = kanon.Table(frame, ["age", "sex"])
    found = kanon.utility(table, kanon.generalize(table, 1, "cell-suppression"))
    assert found.columns["difference"].max() == 0
    assert found.columns["values_a_cell"].tolist() == [1, 1]
    assert (found.pairs["before"] == found.pairs["after"]).all()
    assert found.numbers["before"].tolist() == pytest.approx(found.numbers["after"].tolist(), rel=1e-12)  # sums
    assert found.queries.frame["error"].max() == pytest.approx(0)
    ages = np.sort(frame["age"])
    quantiles = dict(zip(found.numbers["figure"], found.numbers["before"], strict=True))
    for share in (10, 25, 50, 75, 90):
        assert quantiles[f"{share} %"] == ages[-(-len(ages) * share // 100) - 1]


def test_codes_have_no_mean():
    frame = pd.DataFrame({"ZIP": [43004, 43016, 43201, 43202], "age": [20, 30, 40, 50]})
    table = kanon.Table(frame, ["ZIP", "age"])
    assert set(kanon.utility(table, kanon.generalize(table, 2, "mondrian")).numbers["column"]) == {"age"}


def test_what_is_left_possible_is_measured_between_the_first_and_last_value_of_each_group():
    days = pd.to_datetime(["2020-01-01", "2020-01-31", "2020-03-01", "2021-12-31"])
    frame = pd.DataFrame({"day": days.strftime("%Y-%m-%d"), "pay": [1.5, 2.5, 40.25, 80.25], "age": [30, 31, 32, 33]})
    table = kanon.Table(frame, list(frame.columns))
    g = kanon.generalize(table, 2, "mondrian")
    pairs = [group.index for _, group in frame.groupby(g.assignment)]
    within = np.mean([(days[pair].max() - days[pair].min()).days + 1 for pair in pairs])
    paid = np.mean([np.ptp(frame["pay"][pair]) for pair in pairs])
    assert pairs[0].tolist() == [0, 1]
    assert Spread(table, g).possible == [
        f"{within / 30.436875:.3g} of {731 / 30.436875:.3g} months",
        f"a range of {paid:.3g} (of 78.8)",
        "2 of 4 values",
    ]


@pytest.mark.parametrize(
    "column",
    [
        ["2020-01-01", "2020-02-30", "2020-03-01", "2021-12-31"],  # no such day
        ["2020-01-01", "2020-03-01", "soon", "2021-12-31"],
        ["≥ 85", 17, 20, 80],
    ],
)
def test_what_is_on_no_scale_is_counted(column):
    table = kanon.Table(pd.DataFrame({"day": column}), ["day"])
    assert Spread(table, kanon.generalize(table, 4, "mondrian")).possible == ["4 of 4 values"]


def test_queries_are_the_same_for_a_seed_and_true_counts_are_counts():
    table, g = next(results(1))
    one, again, other = (kanon.utility(table, g, seed=seed).queries.frame for seed in (5, 5, 6))
    assert one.equals(again)
    assert not one.equals(other)
    assert one["true"].between(1, len(table)).all()  # the ends are of records, but they need not be of one
    assert set(", ".join(one["columns"]).split(", ")) == set(table.quasi_identifiers)


def labeled(n=600):
    rng = np.random.default_rng(8)
    ages = rng.integers(20, 60, n)
    return kanon.Table(pd.DataFrame({"age": ages, "rich": np.where(ages > 52, "yes", "no")}), ["age"], "rich")


@pytest.mark.thorough
def test_a_class_label_is_predicted_as_well_as_the_release_tells_it():
    pytest.importorskip("sklearn")
    table = labeled()
    fine, none = kanon.generalize(table, 5, "k-optimize", metric="CM"), kanon.generalize(table, 600, "k-optimize")
    well, badly = kanon.utility(table, fine).accuracy, kanon.utility(table, none).accuracy
    assert well.before > 0.95
    assert well.after > 0.95
    assert badly.after == pytest.approx(badly.baseline, abs=0.02)
    assert "before" in well.words


def test_why_there_is_no_accuracy_is_said(monkeypatch):
    table = labeled()
    g = kanon.generalize(table, 5, "k-optimize")
    small = kanon.Table(table.frame.iloc[:40], ["age"], "rich")
    one = kanon.Table(table.frame.assign(rich="yes"), ["age"], "rich")
    for other, reason in (
        (kanon.Table(table.frame, ["age"]), NO_CLASS_LABEL),
        (small, "fewer than 60 records are released"),
        (one, "all records have one class label"),
    ):
        assert kanon.utility(other, kanon.generalize(other, 5, "k-optimize")).accuracy.reason == reason
    monkeypatch.setitem(sys.modules, "sklearn.tree", None)
    assert "install it with python -m pip install scikit-learn" in kanon.utility(table, g).accuracy.reason


def test_what_is_no_result_of_the_table_is_refused():
    table, g = next(results(1))
    with pytest.raises(kanon.InvalidInput, match="made from a different table"):
        kanon.utility(table, replace(g, instance_digest="0"))
    labels = kanon.Labels("abc", [5, 4, 1])
    with pytest.raises(kanon.InvalidInput, match="for tables, not for Labels"):
        kanon.utility(labels, kanon.generalize(labels, 5, "fold"))


def test_long_domains_are_cut_into_parts_in_their_order():
    codes = np.random.default_rng(2).integers(0, 400, 5_000)
    parts = parts_of(np.bincount(codes, minlength=400))
    assert (np.diff(parts) >= 0).all()
    assert 15 <= parts.max() + 1 <= MOST_PARTS
    assert np.bincount(parts[codes]).max() < 2 * 5_000 / MOST_PARTS


@pytest.mark.thorough
def test_the_picture_has_what_the_tables_have():
    for table, g in results(6):
        found = kanon.utility(table, g)
        figure = utility_figure(found)
        assert sorted(figure.data[0].x) == sorted(found.columns["difference"].nlargest(10))
        if len(found.pairs):
            sides = {trace.name: sorted(trace.x) for trace in figure.data if trace.name in ("before", "after")}
            assert sides["before"] == sorted(found.pairs["before"])
            assert sides["after"] == sorted(found.pairs["after"])
        assert figure.layout.title.text
        assert figure.layout.xaxis.title.text == "Share of records"
