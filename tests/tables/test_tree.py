"""Hierarchies of domains: nodes, words, what rows give a tree, tables with trees."""

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.tree import Tree
from tests.oracles.trees import nodes_of
from tests.sentences import APPEARS_TWICE_IN

CITIES = [
    ("Paris", "France", "Europe"),
    ("Lima", "Peru", "America"),
    ("Rome", "Italy", "Europe"),
    ("Oslo", "", "Europe"),
]


def random_rows(rng, size):
    """Rows of a nested hierarchy over 0 … size − 1, shuffled, some short, some with empty cells."""
    groups = np.arange(size)
    rows = [[f"v{value}"] for value in range(size)]
    for level in range(int(rng.integers(0, 4))):
        names = rng.integers(0, max(1, groups.max()), groups.max() + 1)
        groups = names[groups]
        for value, row in enumerate(rows):
            row.append(f"g{'abcd'[level]}{groups[value]}")
    rng.shuffle(rows)
    return [tuple(row) for row in rows]


@pytest.mark.parametrize("seed", range(40))
def test_nodes_are_the_sets_of_values_with_equal_words_above(seed):
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, int(rng.integers(1, 12)))
    tree = Tree.from_levels(rows)
    assert sorted(tree.values) == sorted(row[0] for row in rows)
    found = {frozenset(tree.values[low : high + 1]) for low, high in tree.nodes.tolist()}
    assert found == nodes_of(rows)
    d = len(tree)
    for low in range(d):
        for high in range(low, d):
            assert (tree.label(low, high) is not None) == (frozenset(tree.values[low : high + 1]) in found)
            holders = [node for node in found if {*tree.values[low : high + 1]} <= node]
            start, end = tree.smallest(low, high)
            assert frozenset(tree.values[start : end + 1]) == min(holders, key=len)
    words = [tree.label(low, high) for low, high in tree.nodes.tolist()]
    assert len(set(words)) == len(words)
    assert (tree.starts[0] == np.arange(d)).all()
    assert (tree.ends[-1] == d - 1).all()
    assert (np.diff(tree.starts, axis=0) <= 0).all()
    assert (np.diff(tree.ends, axis=0) >= 0).all()


def test_a_value_without_a_group_stays_itself_a_level_further():
    tree = Tree.from_levels(CITIES)
    assert tree.values == ("Paris", "Rome", "Oslo", "Lima")
    assert tree.levels[0] == ("France", "Italy", "Oslo", "Peru")
    assert [tree.label(0, 2), tree.label(2, 2), tree.label(0, 3), tree.label(0, 1)] == ["Europe", "Oslo", "*", None]


def test_the_last_column_may_be_missing_and_rows_may_be_short():
    tree = Tree.from_levels(
        [("Monaco", "Europe"), ("Paris", "France", "Europe"), ("Lyon", "France", "Europe", ""), ("Guam",)]
    )
    assert tree.values == ("Monaco", "Paris", "Lyon", "Guam")
    assert [tree.label(1, 2), tree.label(0, 2), tree.label(0, 3)] == ["France", "Europe", "*"]


def test_words_that_stand_twice_are_told_apart():
    rows = [("New York", "New York", "East"), ("Albany", "New York", "East"), ("Gary", "Other", "West")]
    rows += [("x", "Other", "East"), ("y", "Other", "East"), ("z", "Other", "West")]
    tree = Tree.from_levels(rows)
    assert tree.label(0, 0) == "New York"
    assert tree.label(0, 1) == "New York (East)"
    places = {value: place for place, value in enumerate(tree.values)}
    assert tree.label(places["Gary"], places["z"]) == "Other (West)"
    assert tree.label(places["x"], places["y"]) == "Other (East)"


def test_numbers_stand_in_order_where_the_file_has_them_in_another():
    tree = Tree.from_levels([(29, "[20,30[", "*"), (43, "[40,50[", "*"), (22, "[20,30[", "*")])
    assert tree.values == (22, 29, 43)
    assert tree.label(0, 1) == "[20,30["


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], "no rows"),
        ([("a", "*"), ("b", "*"), ("a", "*")], f"“a” {APPEARS_TWICE_IN} the hierarchy, in rows 1 and 3"),
        (
            [(18, "15–24", "10–19"), (22, "15–24", "20–29")],
            "not nested: “15–24” holds “18”, which is in “10–19”, and “22”",
        ),
        ([("47677", "4767*", "476**"), ("47678", "4767*", "47***")], "“4767.” holds “47677”, which is in “476"),
    ],
)
def test_rows_that_make_no_tree_are_one_sentence(rows, words):
    with pytest.raises(kanon.InvalidInput, match=words):
        Tree.from_levels(rows)


@pytest.mark.parametrize(
    ("values", "levels", "words"),
    [
        (("a", "b", "c"), (("A", "B", "A"), ("*", "*", "*")), "The values in the group “A” are not adjacent"),
        (("a", "b"), (("A", "B"),), "several groups"),
        (("a", "b"), (), "several groups"),
        (("a", "a"), (("*", "*"),), "'a' twice"),
        (("a", "b"), (("*",),), "1 name for 2 values"),
    ],
)
def test_a_tree_is_in_preorder_and_ends_with_everything(values, levels, words):
    with pytest.raises(kanon.InvalidInput, match=words):
        Tree(values, levels)


@pytest.fixture
def people():
    return pd.DataFrame({"city": ["Rome", "Lima", None, "Paris"], "age": [30, 41, 30, 7]})


def test_a_table_takes_the_order_of_its_tree_and_its_missing_values(people):
    table = kanon.Table(people, ["city", "age"], trees={"city": Tree.from_levels(CITIES)})
    assert table.domains[0] == ("Paris", "Rome", "Oslo", "Lima", None)
    assert table.tree("city").label(4, 4) == "missing"
    assert table.tree("city").label(0, 4) == "*"
    assert table.tree("age") is None
    assert table.is_ordered("city")
    assert not table.is_ordered("age")


def test_numbers_of_a_tree_may_be_written_as_text(people):
    tree = Tree.from_levels([("41", "≥ 40"), ("7", "≤ 39"), ("30.0", "≤ 39")])
    assert kanon.Table(people, ["age"], trees={"age": tree}).domains == ((7, 30, 41),)


def test_the_digest_knows_the_tree_and_without_trees_it_is_what_it_was(people):
    plain = kanon.Table(people, ["age"])
    assert plain.digest == kanon.Table(people, ["age"], trees={}).digest
    rows = [(7, "young"), (30, "old"), (41, "old")]
    digests = {
        plain.digest,
        kanon.Table(people, ["age"], trees={"age": Tree.from_levels(rows)}).digest,
        kanon.Table(people, ["age"], trees={"age": Tree.from_levels([row[:1] for row in rows])}).digest,
    }
    assert len(digests) == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"trees": {"name": Tree.from_levels([("a", "*")])}}, "'name', which is not a quasi-identifier"),
        ({"trees": {"city": [("Rome", "*")]}}, "The tree of 'city' is a list"),
        (
            {"trees": {"city": Tree.from_levels([("Rome", "*")])}},
            "lacks 'Lima', and 1 more; add a line for each",
        ),
        (
            {"trees": {"city": Tree.from_levels(CITIES)}, "orders": {"city": ["Lima", "Rome", "Paris"]}},
            "order and a hier",
        ),
    ],
)
def test_trees_that_do_not_fit_are_one_sentence(people, arguments, words):
    with pytest.raises(kanon.InvalidInput, match=words):
        kanon.Table(people, ["city"], **arguments)
