"""What a shown cell stands for: the values of its interval, and no other, whatever made the release."""

import math

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.disclosure.cells import disc_fits, fits, range_fits
from kanon_engine.model.values import column_values
from kanon_engine.tables.release import released_frame
from kanon_engine.tables.words import class_rows, released_ranges
from tests.tables.random_trees import random_tree

ALGORITHMS = ("k-optimize", "hill-climb", "cell-suppression", "mondrian", "local-cuts", "exact")
WORDS = ["Adm", "Craft", "Exec", "Farm", "Sales", "Tech", "Zoo"]


def mixed_table(rng):
    """Numbers with gaps and fractions, negative ones, words, missing cells, a given order, a tree; up to 24 records."""
    n = int(rng.integers(8, 25))
    columns = {
        "age": rng.choice(rng.integers(15, 90, 6), n),
        "debt": rng.choice(np.round(rng.normal(0, 5, 5), 2), n),
        "work": rng.choice(WORDS, n),
        "level": rng.choice(["low", "middle", "high", "top"], n),
        "place": rng.choice(["a1", "a2", "b1", "b2", "c1"], n),
    }
    names = sorted(rng.choice(sorted(columns), int(rng.integers(1, 4)), replace=False).tolist())
    frame = pd.DataFrame({name: columns[name] for name in names})
    for name in names:
        if rng.random() < 0.3:
            frame[name] = frame[name].astype(object).mask(rng.random(n) < 0.2)
    orders = {"level": ["low", "middle", "high", "top"]} if "level" in names else None
    trees = {"place": random_tree(rng, ["a1", "a2", "b1", "b2", "c1"])} if "place" in names else {}
    return kanon.Table(frame, names, orders=orders, trees=trees)


def stands_for(table, g):
    """For each column with words of its own what they stand for, as the reader of a public hierarchy knows."""
    rows, ranges = class_rows(table, g), released_ranges(table, g)
    said = {}
    for place, name in enumerate(table.quasi_identifiers):
        if table.is_ordered(name) or table.tree(name):
            low_high = ranges[:, place].tolist()
            said[name] = {
                cells[place]: table.domains[place][low : high + 1]
                for (cells, _), (low, high) in zip(rows, low_high, strict=True)
            }
    if type(g.details).__name__ == "CellDetails":  # what a star hides is not told, nor what a group of a tree holds
        nodes = {"place": {table.tree("place").label(*run): run for run in table.tree("place").nodes.tolist()}
                 if "place" in said else {}}  # fmt: skip
        for name in said:
            said[name] = {}
            for word, (low, high) in nodes.get(name, {}).items():
                said[name][word] = table.domains[table.quasi_identifiers.index(name)][low : high + 1]
    return said


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("seed", range(40))
def test_a_cell_stands_for_the_values_of_its_interval_alone(algorithm, seed):
    rng = np.random.default_rng([seed, ALGORITHMS.index(algorithm)])
    table = mixed_table(rng)
    k = int(rng.integers(1, 5))
    g = kanon.generalize(table, min(k, len(table)), algorithm)
    said = stands_for(table, g)
    rows = class_rows(table, g)
    ranges = released_ranges(table, g)
    cells = type(g.details).__name__ == "CellDetails"
    for place, name in enumerate(table.quasi_identifiers):
        shown = pd.Series([shown_cells[place] for shown_cells, _ in rows], dtype=object)
        domain = table.domains[place]
        found = fits(shown, pd.Series(domain, dtype=object), said.get(name)).pairs().T
        for number, (low, high) in enumerate(ranges[:, place].tolist()):
            values = [low <= at <= high for at in range(len(domain))]
            if cells and table.tree(name) and g.details.stars[number, place]:
                continue  # a group of the tree, smaller than the whole domain
            assert found[number].tolist() == values, (name, shown[number], domain)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("seed", range(20))
def test_every_record_fits_its_own_cells_in_the_file_that_leaves(algorithm, seed, tmp_path):
    """As a CSV, in which every cell is text, and without knowing what the words mean but along hierarchies."""
    rng = np.random.default_rng([seed, 99, ALGORITHMS.index(algorithm)])
    table = mixed_table(rng)
    g = kanon.generalize(table, min(3, len(table)), algorithm)
    said = stands_for(table, g)
    rows = class_rows(table, g)
    file = tmp_path / "classes.csv"
    pd.DataFrame([cells for cells, _ in rows], columns=list(table.quasi_identifiers)).to_csv(file, index=False)
    again = pd.read_csv(file, dtype=str, keep_default_na=False, na_values=[""], skip_blank_lines=False)
    inside = g.assignment >= 0
    assert sorted(released_frame(table, g).columns) == sorted(again.columns)
    for name in table.quasi_identifiers:
        known = pd.Series(column_values(table.frame[name]), dtype=object)
        matched = fits(again[name], known, said.get(name)).pairs()
        assert matched[np.flatnonzero(inside), g.assignment[inside]].all(), name


@pytest.mark.parametrize(
    ("shown", "inside", "outside"),
    [
        ("[20, 40)", [20, 39.5], [40, 19]),
        ("[20, 40[", [20, 39], [40]),
        ("(20.0, 40.0]", [40, "21"], [20]),
        ("20-40", [20, 40, 33], [19, 41, "x"]),
        ("-10 to -1", [-10, -5], [0, 5]),
        ("−10 to −1", [-10, "−1"], [10]),
        (">=50", [50, 90], [49]),
        ("< 50", [49.9], [50]),
        ("50+", [50, "71"], [49]),
        ("65 and older", [65], [64]),
        ("476**", ["47602", 47699], ["4760", "46602", 4760]),
        ("06***", [6001, "06001"], ["16001"]),
        ("06001", ["06001", 6001], ["6001"]),
        ("476*", ["47602", "4760"], ["46702"]),
        ("{a, b}", ["a", "b"], ["c", "ab"]),
        ("a, b", ["a"], ["c"]),
        ("a or b", ["a", "b"], ["c", "or"]),
        ("a, b or c", ["a", "b", "c"], ["d"]),
        ("30–39 or missing", [None, 30, 39], [40]),
        ("not missing", [3, "x"], [None]),
        ("missing", [None], [3]),
        ("*", [None, 3, "x"], []),
        ("17–26", ["17–21", 20, "≤ 19"], ["27–31", "≥ 30"]),
        ("30 to under 40", [30, "39.9", "39–41"], [40, "40 to under 50"]),
        ("0.5", ["0.50", 0.5], [0.51]),
        (True, [True, "True"], [False, "1"]),
    ],
)
def test_words_of_other_programs(shown, inside, outside):
    known = pd.Series([*inside, *outside, None], dtype=object)
    found = fits(pd.Series([shown], dtype=object), known).pairs()[:-1, 0]
    assert found.tolist() == [True] * len(inside) + [False] * len(outside)


def test_a_comma_in_a_value_makes_no_list():
    known = pd.Series(["Married, spouse away", "Married", "Single"])
    assert fits(pd.Series(["Married, spouse away"]), known).pairs()[:, 0].tolist() == [True, False, False]


def test_a_run_that_cannot_be_alphabetical_stands_for_anything():
    known = pd.Series(["low", "middle", "high", "top", None], dtype=object)
    assert fits(pd.Series(["low … top (4 values)"]), known).pairs()[:, 0].tolist() == [True, True, False, True, False]
    backwards = pd.Series(["low … high (3 values)", "low … top (4 values)"])
    assert fits(backwards, known).pairs().tolist() == [[True, True]] * 4 + [[False, False]]


def test_an_empty_cell_hides_a_value_where_none_is_missing():
    assert fits(pd.Series([None], dtype=object), pd.Series([1, 2])).pairs().all()
    assert fits(pd.Series([None], dtype=object), pd.Series([1, None])).pairs()[:, 0].tolist() == [False, True]


def test_values_that_are_not_named_are_those_that_no_word_names():
    said = {"Europe": ["Paris", "…"], "Paris": ["Paris"]}
    found = fits(pd.Series(["Europe", "Paris"]), pd.Series(["Paris", "Monaco"]), said).pairs()
    assert found.tolist() == [[True, True], [True, False]]


@pytest.mark.parametrize("seed", range(10))
def test_rectangles_and_circles_hold_the_points_that_they_hold(seed):
    rng = np.random.default_rng(seed)
    low, width = rng.integers(0, 9, (5, 2)), rng.integers(0, 5, (5, 2))
    people = pd.DataFrame(rng.integers(0, 14, (20, 2)), columns=["x", "y"])
    for axis, name in enumerate(people):
        found = range_fits(pd.Series(low[:, axis]), pd.Series((low + width)[:, axis]), people[name]).pairs()
        plain = [
            [a <= value <= a + w for a, w in zip(low[:, axis], width[:, axis], strict=True)] for value in people[name]
        ]
        assert found.tolist() == plain
    circles = disc_fits(pd.DataFrame(low, columns=["x", "y"]), pd.Series(width[:, 0]), people).pairs()
    plain = [[math.dist(point, middle) <= radius for middle, radius in zip(low.tolist(), width[:, 0], strict=True)]
             for point in people.to_numpy().tolist()]  # fmt: skip
    assert circles.tolist() == plain


def test_circles_on_the_globe_are_in_kilometers():
    places = pd.DataFrame({"lon": [0.0, 1.0], "lat": [0.0, 0.0]})
    found = disc_fits(pd.DataFrame({"lon": [0.0], "lat": [0.0]}), pd.Series([111.0]), places, "km")
    assert found.pairs()[:, 0].tolist() == [True, False]  # a degree of the equator is 111.2 km


def test_capitals_and_accents_are_the_same_where_no_cell_is_written_so():
    shown = pd.Series(["Müller", "São or Łódź", "N*", "aa … zz (3 values)", "any"])
    known = pd.Series(["MÜLLER", "SAO", "lodz", "NÉMETH", "MM", "Müller"])
    told = fits(shown, known).pairs()
    assert told[:, :3].tolist() == [
        [True, False, False], [False, True, False], [False, True, False], [False, False, True], [False, False, False],
        [True, False, False],
    ]  # fmt: skip
    # a run of words holds what fits no other cell as it is written: NÉMETH fits N*
    assert told[:, 3].tolist() == [True, True, True, False, True, False]
    assert told[:, 4].all()
    # names that differ by case alone stay apart, where the release has both
    assert fits(pd.Series(["a", "A"]), pd.Series(["a", "A", "á"])).pairs().tolist() == [
        [True, False], [False, True], [True, True],
    ]  # fmt: skip
    # what a hierarchy says
    assert fits(pd.Series(["north"]), pd.Series(["MÜNSTER", "Bonn"]), {"north": ["Münster"]}).pairs().tolist() == [
        [True], [False],
    ]  # fmt: skip
