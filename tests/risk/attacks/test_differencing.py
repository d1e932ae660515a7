"""Differencing: planted leaks are found, clean sums are not accused, tables of counts as CMS reads them."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.disclosure import sums as exact
from kanon_engine.model.attacked import BROKEN, NOT_RUN, SURVIVES
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks import attack
from kanon_engine.risk.attacks.differencing import differencing, differencing_counts, differencing_of
from kanon_engine.risk.attacks.published import Published, hidden_cells, total
from tests.oracles import sums as oracle
from tests.sentences import COMES_FROM_DIFFERENT_DATA

K = 5


def planted(seed):
    """Groupings of areas in which the sum of one small area follows from two to four sums."""
    rng = np.random.default_rng(seed)
    items = int(rng.integers(6, 14))
    weights = rng.integers(K, 40, items)
    own = int(rng.integers(items))
    weights[own] = rng.integers(1, K)
    others = [at for at in range(items) if at != own]
    rng.shuffle(others)
    kind = seed % 3
    if kind == 0:  # a total less another total
        rest = others[: int(rng.integers(1, len(others)))]
        given = [total("with", [*rest, own], items), total("without", rest, items)]
    elif kind == 1:  # a group less the groups of a finer grouping, which leaves it out
        classes = rng.integers(0, 3, items)
        finer = np.where(np.arange(items) == own, -1, classes * 2 + rng.integers(0, 2, items))
        given = [Published("coarse", classes), Published("fine", finer)]
        if (classes == classes[own]).sum() == 1:
            given = [Published("coarse", classes), total("all", range(items), items)]
    else:  # three sums around an odd cycle: half of one and another less the third
        a, b = others[:2]
        given = [total("one", [own, a], items), total("two", [own, b], items), total("three", [a, b], items)]
    return given, weights, own


@pytest.mark.parametrize("seed", range(200))
def test_planted_differences_are_found(seed):
    given, weights, own = planted(seed)
    found = differencing(given, k=K, weights=weights)
    assert found.verdict == BROKEN
    row = found.evidence[found.evidence["weight"] == weights[own]]
    assert (row["exact"] & (row["items"] == 1) & (row["low"] == weights[own])).any()
    assert found.interval == (found.share, found.share)


def clean(rng):
    """Groupings of few areas such that no union of atoms that the sums give has from 1 to k - 1, by brute force."""
    while True:
        items = int(rng.integers(3, 7))
        weights = rng.integers(0, 9, items)
        given = [rng.integers(0, 3, items) for _ in range(int(rng.integers(1, 4)))]
        rows = [np.flatnonzero(own == number) for own in given for number in np.unique(own)]
        if any(weights[row].sum() < K for row in rows):
            continue
        choices, numbers = np.unique(np.column_stack(given), axis=0, return_inverse=True)
        atoms = np.bincount(numbers.reshape(-1), weights).astype(int)
        sets = [set(np.flatnonzero(side == number)) for side in choices.T for number in np.unique(side)]
        tables = list(oracle.tables(sets, [sum(atoms[list(one)]) for one in sets], len(atoms)))
        small = [
            own
            for size in range(1, len(atoms) + 1)
            for own in combinations(range(len(atoms)), size)
            if sum(atoms[list(own)]) > 0 and max(sum(table[at] for at in own) for table in tables) < K
        ]
        yield [Published(f"grouping {n}", own) for n, own in enumerate(given)], weights, bool(small)


@pytest.mark.parametrize("seed", range(200))
def test_what_is_found_is_what_brute_force_finds(seed):
    """Three groupings across each other can tell more in whole numbers than in real ones; such cases would show."""
    given, weights, small = next(clean(np.random.default_rng(seed)))
    found = differencing(given, k=K, weights=weights)
    assert found.verdict == (BROKEN if small else SURVIVES), found.sentence


def square(seed, leak):
    """A table of counts with totals: hidden cells in a square, and with a leak one that stands alone in its row."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(30, 90, (4, 4))
    rows, columns = rng.choice(4, 2, replace=False), rng.choice(4, 2, replace=False)
    hidden = np.zeros((4, 4), dtype=bool)
    hidden[np.ix_(rows, columns)] = True
    counts[rows[0], columns[0]] = rng.integers(1, 11)
    if leak:
        hidden[rows[0], columns[1]] = False
    lines = []
    for row, column in product(range(5), range(5)):
        own = counts[row if row < 4 else slice(None), column if column < 4 else slice(None)].sum()
        lines.append((str(row) if row < 4 else "Total", str(column) if column < 4 else "Total", int(own)))
    frame = pd.DataFrame(lines, columns=["sex", "age", "cases"])
    true = frame["cases"].tolist()
    frame["cases"] = [
        None if "Total" not in (sex, age) and hidden[int(sex), int(age)] else count for sex, age, count in lines
    ]
    return frame, true, (str(rows[0]), str(columns[0]))


@pytest.mark.parametrize("seed", range(100))
def test_hidden_cells_of_a_table_of_counts(seed):
    frame, true, own = square(seed, leak=True)
    found = differencing_counts(frame, ["sex", "age"], "cases", 11)
    assert found.verdict == BROKEN
    assert found.evidence[["sex", "age", "exact"]].to_numpy().tolist() == [[*own, True]]
    assert true[frame.index[(frame["sex"] == own[0]) & (frame["age"] == own[1])][0]] == found.evidence["low"][0]
    kept = square(seed, leak=False)[0]
    assert differencing_counts(kept, ["sex", "age"], "cases", 11).verdict == SURVIVES


@pytest.mark.parametrize("word", ["Total", "All", "all", "Gesamt", "*", None])
def test_a_row_that_is_left_out_is_what_lacks_to_its_total(word):
    frame = pd.DataFrame({"sex": ["f", "m", word], "cases": [20, 30, 54]})
    found = differencing_counts(frame, ["sex"], "cases", 11)
    assert found.verdict == BROKEN
    assert found.evidence.values.tolist() == [["…", False, 4, 4, True]]
    assert found.figures["hidden cells without a row in the table"] == "1"
    table = Released(frame, ("sex",), k=11, counts="cases")
    (again,) = attack(table, only=["differencing"])
    assert again.sentence == found.sentence


@pytest.mark.parametrize("word", ["*", None])
def test_a_value_that_is_missing_is_no_total(word):
    frame = pd.DataFrame({"sex": ["f", "m", word], "cases": [20, 30, 14]})
    (found,) = attack(Released(frame, ("sex",), k=11, counts="cases"), only=["differencing"])
    assert found.verdict == NOT_RUN
    frame = pd.concat([frame, pd.DataFrame({"sex": ["Total"], "cases": [68]})], ignore_index=True)
    (row,) = differencing_counts(frame, ["sex"], "cases", 11).evidence.values.tolist()
    assert row == ["…", False, 4, 4, True]


def test_a_cell_without_a_row_is_empty_where_the_totals_say_so():
    frame = pd.DataFrame(
        {
            "sex": ["f", "f", "m", "f", "m", "Total", "Total", "Total"],
            "age": ["a", "b", "b", "Total", "Total", "a", "b", "Total"],
            "cases": [20, 30, 40, 50, 40, 20, 70, 90],
        }
    )
    assert differencing_counts(frame, ["sex", "age"], "cases", 11).verdict == SURVIVES
    frame["cases"] = [20, 30, 40, 50, 44, 24, 70, 94]  # four of “m, a”
    (row,) = differencing_counts(frame, ["sex", "age"], "cases", 11).evidence.values.tolist()
    assert row == ["m", "a", False, 4, 4, True]


def test_a_small_count_that_is_reported_is_found():
    frame = pd.DataFrame({"sex": ["f", "m", "Total"], "cases": [7, 30, 37]})
    found = differencing_counts(frame, ["sex"], "cases", 11)
    assert found.evidence.values.tolist() == [["f", True, 7, 7, True]]
    assert found.figures["reported"] == "1"


def test_hidden_counts_that_may_be_none_are_not_exposed():
    """Two hidden cells share 6: each has at most 6."""
    frame = pd.DataFrame({"age": list("abc") + ["Total"], "cases": [None, None, 30, 36]})
    assert differencing_counts(frame, ["age"], "cases", 11).verdict == SURVIVES  # either may have none


def test_tables_that_do_not_add_up_are_refused():
    frame = pd.DataFrame({"sex": ["f", "m", "Total"], "cases": [20, 30, 49]})
    with pytest.raises(kanon.InvalidInput, match="total of Total is less than the sum of its cells"):
        hidden_cells(frame, ["sex"], "cases")
    with pytest.raises(kanon.InvalidInput, match="same cell"):
        hidden_cells(pd.concat([frame, frame]), ["sex"], "cases")
    sexes, ages = ["f", "f", "f", "m", "m", "m", "Total", "Total"], ["a", "b", "Total"] * 2 + ["a", "b"]
    torn = pd.DataFrame({"sex": sexes, "age": ages, "cases": [None, None, 5, None, None, 6, 30, 40]})
    with pytest.raises(kanon.InvalidInput, match="No counts add up to these totals"):
        differencing_counts(torn, ["sex", "age"], "cases", 11)


def test_too_many_parts_are_not_called_safe(monkeypatch):
    monkeypatch.setattr(exact, "LARGEST", 3)
    square = [Published("one", [0, 0, 1, 1]), Published("two", [0, 1, 0, 1])]
    found = differencing(square, k=K, weights=np.array([4, 4, 4, 4]))
    assert (found.verdict, found.figures["not examined in full"]) == (NOT_RUN, "4")
    assert found.interval == (0, 1)
    small = differencing([*square, Published("three", [0, -1, -1, -1])], k=K, weights=np.array([4, 40, 40, 40]))
    assert small.verdict == BROKEN
    assert small.interval[0] == small.share < small.interval[1]  # it was not run on all


def test_of_results():
    line = kanon.Regions(list("abcde"), [4, 2, 3, 2, 4], [(0, 1), (1, 2), (2, 3), (3, 4)])
    one = kanon.generalize(line, 5, "tree-split")
    first = total("the first three", [0, 1, 2], 5)
    alone = differencing_of(line, one)
    assert (alone.verdict, alone.found, alone.of) == (SURVIVES, 0, one.classes)
    assert differencing_of(line, one, totals=[first]).verdict == BROKEN  # the third area is what lacks to its group
    with pytest.raises(kanon.InvalidInput, match=COMES_FROM_DIFFERENT_DATA):
        differencing_of(line, replace(one, instance_digest="0" * 64))
    with pytest.raises(kanon.InvalidInput, match="at least one"):
        differencing_of(line)


def test_records_of_a_table_are_looked_up():
    frame = pd.DataFrame({"age": [1, 2, 3, 4, 5, 6, 7, 8]})
    table = kanon.Table(frame, ["age"])
    one = kanon.generalize(table, 3, "mondrian")
    other = replace(one, assignment=np.array([0] * 3 + [1] * 5, dtype=np.int32))
    assert one.assignment.tolist() == [0] * 4 + [1] * 4
    found = differencing_of(table, one, other)
    assert found.evidence[["group 1", "group 2", "weight"]].values.tolist() == [[1, 2, 1]]


def test_groupings_of_other_items_are_refused():
    with pytest.raises(kanon.InvalidInput, match="same items"):
        differencing([Published("one", [0, 0])], k=2, weights=np.array([3, 3, 3]))
    with pytest.raises(kanon.InvalidInput, match="-1 for an item in no class"):
        Published("one", [0, -2])
