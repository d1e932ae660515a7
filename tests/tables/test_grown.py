"""Hierarchies made from values, tails as one category, what a release then shows and what its words mean."""

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.tree import Tree
from kanon_engine.model.values import value_words
from kanon_engine.tables.hierarchies import column_tree, date_tree, number_tree, thin_tails
from kanon_engine.tables.release import class_frame, released_frame, words_frame
from kanon_engine.tables.words import RangeWords, class_rows, column_words
from tests.sentences import RANGES_ARE_ORDERED, THERE_IS_NO_COLUMN

PEOPLE = (
    b"age,zip,city,state,born\n"
    b"31,02139,Akron,OH,2001-05-06\n33,02134,Akron,OH,2001-04-01\n90,10001,Gary,IN,2001-06-09\n"
    b"91,10002,Toledo,OH,1999-01-31\n35,02139,Toledo,OH,2001-05-06\n88,10001,Gary,IN,1999-02-28\n"
)


def test_the_reader_makes_hierarchies_and_reads_them_again():
    grow = {"zip": "characters", "born": "dates", "city": "state", "age": "ranges"}
    table = kanon.read_table(PEOPLE, ["age", "zip", "city", "born"], grow=grow)
    words = {name: tree.label(0, 1) for name, tree in table.trees.items()}
    assert words == {"age": "30–34", "zip": "0213*", "city": None, "born": "1999 Q1"}
    assert table.tree("city").values == ("Gary", "Akron", "Toledo")
    assert not table.is_ordered("zip")
    reading = {name: value for name, value in table.reading.items() if name != "reader"}
    assert kanon.read_table(PEOPLE, **reading).digest == table.digest
    g = kanon.generalize(table, 2, "k-optimize", suppression_limit=0)
    released = released_frame(table, g)
    for name, tree in table.trees.items():
        assert set(released[name]) <= {tree.label(low, high) for low, high in tree.nodes.tolist()}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"grow": {"zip": "digits"}},
            "cannot be made from 'digits'; give characters, dates, ranges, or the name of another column",
        ),
        ({"grow": {"zip": "age"}}, "“02139” occurs with “31” and with “35”"),
        ({"grow": {"zip": "dates"}}, "“02139” is not a date"),
        ({"grow": {"zip": "ranges"}}, "“02139” is not a number"),
        (
            {"grow": {"zip": "characters"}, "trees": {"zip": [["02139", "*"]]}},
            "for trees and for grow; give one of them",
        ),
        ({"top": {"zip": 5}}, "“02139”, which is not a number, so this column can have no top"),
        ({"top": {"age": "old"}}, "top of 'age' is 'old'; give a number"),
        ({"top": {"wage": 3}}, f"{THERE_IS_NO_COLUMN} 'wage'"),
        ({"top": {"age": 30}, "bottom": {"age": 40}}, "choose a lower bottom"),
        ({"top": {"age": 88}, "bins": {"age": 5}}, "within a range of this column; choose 85 or 90"),
        (
            {"top": {"age": 85}, "orders": {"age": [31, 33]}},
            r"Values with a top or bottom category, such as “90\+”, are always ordered by their numbers",
        ),
        ({"bins": {"age": 5}, "orders": {"age": [31, 33]}}, RANGES_ARE_ORDERED),
    ],
)
def test_what_cannot_be_made_is_one_sentence(settings, words):
    with pytest.raises(kanon.InvalidInput, match=words):
        kanon.read_table(PEOPLE, ["age", "zip"], **settings)


def test_dates_with_slashes_need_a_day_that_is_no_month():
    assert date_tree(["5/31/2023", "6/1/2023"]).levels[0] == ("2023-05", "2023-06")
    assert date_tree(["31/5/2023", "1/6/2023"]).levels[0] == ("2023-05", "2023-06")
    with pytest.raises(kanon.InvalidInput, match="start with the month or the day; write dates"):
        date_tree(["5/6/2023", "6/1/2023"])


@pytest.mark.parametrize("seed", range(10))
def test_ranges_hold_their_numbers_and_end_at_round_limits(seed):
    rng = np.random.default_rng(seed)
    values = np.unique(rng.integers(-50, 10 ** int(rng.integers(1, 6)), 30)).tolist()
    tree = number_tree(values)
    assert tree.values == tuple(values)
    for words in tree.levels[:-1]:
        for value, word in zip(tree.values, words, strict=True):
            low, high = (int(end.replace("−", "-")) for end in word.split("–"))
            assert low <= value <= high
            assert low % 5 == 0
            assert (high + 1) % 5 == 0


def test_a_column_of_groups_may_have_gaps():
    tree = column_tree(["a", "b", "c", None], ["X", "X", None, "X"])
    assert {tree.label(low, high) for low, high in tree.nodes.tolist()} == {"a", "b", "c", "X", "missing", "*"}


def test_tails_are_one_category_and_named_by_their_limit():
    table = kanon.read_table(PEOPLE, ["age"], top={"age": 85}, bottom={"age": 31})
    assert table.domains == (("≤ 31", 33, 35, "≥ 85"),)
    reading = {name: value for name, value in table.reading.items() if name != "reader"}
    assert kanon.read_table(PEOPLE, **reading).digest == table.digest
    assert column_words(table, "age", [["≤ 31", 33, 35], ["≥ 85"]]) == ["≤ 49", "≥ 85"]
    assert column_words(table, "age", [["≤ 31"], [33], [35, "≥ 85"]])[0] == "≤ 31"
    assert [value_words(value) for value in table.domains[0]] == ["≤ 31", "33", "35", "≥ 85"]
    boxes = RangeWords(table, "age")
    assert [boxes(0, 1), boxes(3, 3), boxes(1, 3), boxes(0, 3)] == ["under 34.5", "≥ 85", "≥ 32", "any"]
    binned = kanon.read_table(PEOPLE, ["age"], bins={"age": 5}, top={"age": 85})
    assert binned.domains == (("30–34", "35–39", "≥ 85"),)
    assert column_words(binned, "age", [["30–34"], ["35–39", "≥ 85"]]) == ["30–34", "≥ 35"]


@pytest.mark.parametrize("seed", range(25))
def test_no_end_of_a_range_is_a_number_that_one_record_has(seed):
    rng = np.random.default_rng([seed, 3])
    ages = pd.DataFrame({"age": rng.integers(0, 40, 60)})
    table = kanon.Table(ages, ["age"])
    once = {str(value) for value, count in ages["age"].value_counts().items() if count == 1}
    values, cuts = table.domains[0], np.sort(rng.choice(np.arange(1, len(table.domains[0])), 4, replace=False))
    parts = [list(part) for part in np.split(np.array(values), cuts)]
    for words in column_words(table, "age", [[int(value) for value in part] for part in parts]):
        numbers = (
            words.replace("to under", " ").replace("–", " ").replace("under", " ").replace("≤", "").replace("≥", "")
        )
        ends = set(numbers.split())
        assert not ends & once, words


def test_thin_tails_are_offered_at_a_round_limit_with_k_records():
    ages = [*range(20, 70)] * 3 + [77, 83, 99]
    bottom, top = thin_tails(ages, 5)
    assert bottom is None
    assert top == 65
    assert sum(age >= top for age in ages) >= 5
    assert thin_tails([1, 2, 3], 5) == (None, None)
    assert thin_tails([5] * 100, 5) == (None, None)


def test_a_suppressed_cell_shows_the_smallest_group_of_its_class():
    rows = [
        ("Rome", "Italy", "Europe"),
        ("Pisa", "Italy", "Europe"),
        ("Lyon", "France", "Europe"),
        ("Lima", "Peru", "A"),
    ]
    frame = pd.DataFrame({"city": ["Rome", "Pisa", "Lyon", "Lima", "Rome", "Pisa"], "sex": list("aabbaa")})
    table = kanon.Table(frame, ["city", "sex"], trees={"city": Tree.from_levels(rows)})
    g = kanon.generalize(table, 4, "cell-suppression")
    for number, (cells, _) in enumerate(class_rows(table, g)):
        members = frame["city"][g.assignment == number]
        places = [table.tree("city").values.index(value) for value in members]
        low, high = (int(end) for end in table.tree("city").smallest(min(places), max(places)))
        assert cells[0] == (table.tree("city").label(low, high))
    assert set(released_frame(table, g)["city"]) & {"Italy", "Europe", "*"}
    assert set(class_frame(table, g)["city"]) == set(map(value_words, released_frame(table, g)["city"]))


def test_what_words_mean_names_no_value_that_only_the_file_told():
    frame = pd.DataFrame({"city": ["Rome"] * 3 + ["Pisa"] + ["Lima"] * 4})
    rows = [("Rome", "Italy"), ("Pisa", "Italy"), ("Lima", "Peru")]
    for extra, expected in (([], "Rome; …"), ([("Bari", "Italy")], "Rome; Pisa; Bari")):
        table = kanon.Table(frame, ["city"], trees={"city": Tree.from_levels([*rows, *extra])})
        g = kanon.generalize(table, 2, "k-optimize", suppression_limit=0)
        assert words_frame(table, g).values.tolist() == [["city", "Italy", expected]]
