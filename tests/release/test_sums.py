"""Sums of any kind: what follows from them, against every table that has them."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.disclosure import sums as exact
from kanon_engine.disclosure.sums import atoms_of, class_rows, told
from tests.oracles import sums as oracle
from tests.sentences import PARTS_BELOW_5, REVEAL_NO_MORE


def some_sums(rng, cells):
    rows = [np.flatnonzero(rng.random(cells) < 0.5) for _ in range(int(rng.integers(1, 6)))]
    return [row for row in [*rows, np.arange(cells)] if len(row)]


@pytest.mark.parametrize("seed", range(150))
def test_bounds_hold_and_exact_atoms_are_those_of_the_row_space(seed):
    rng = np.random.default_rng(seed)
    cells = int(rng.integers(2, 7))
    weights, rows = rng.integers(0, 4, cells), some_sums(rng, cells)
    found = told(rows, weights)
    possible = list(oracle.tables([set(row.tolist()) for row in rows], [weights[row].sum() for row in rows], cells))
    least, most = (np.array([pick(column) for column in zip(*possible, strict=True)]) for pick in (min, max))
    assert (found.low <= least).all()
    assert (found.high >= most).all()
    assert found.linear.tolist() == [oracle.follows(rows, cells, {cell}) for cell in range(cells)]
    assert (found.low[found.linear] == weights[found.linear]).all()
    assert (found.high[found.linear] == weights[found.linear]).all()


@pytest.mark.parametrize("seed", range(100))
def test_no_set_that_follows_and_is_small_goes_unseen(seed):
    rng = np.random.default_rng(5000 + seed)
    cells, k = int(rng.integers(2, 7)), 5
    weights, rows = rng.integers(0, 7, cells), some_sums(rng, cells)
    found = told(rows, weights, k)
    for size in range(1, cells + 1):
        for own in combinations(range(cells), size):
            if sum(weights[list(own)]) < k and oracle.follows(rows, cells, set(own)):
                assert all(0 <= found.high[cell] < k for cell in own)


@pytest.mark.parametrize("seed", range(100))
def test_two_groupings_and_nested_ones_have_bounds_that_are_attained(seed):
    rng = np.random.default_rng(9000 + seed)
    items = int(rng.integers(2, 7))
    coarse = rng.integers(0, 2, items)
    nested = [coarse, 2 * coarse + rng.integers(0, 2, items), np.zeros(items, dtype=int)]
    groupings = nested if seed % 2 else [rng.integers(0, 3, items), rng.integers(0, 3, items)]
    choices, numbers = atoms_of(groupings)
    weights = np.bincount(numbers, rng.integers(0, 4, items)).astype(np.int64)
    rows = class_rows(choices)
    found = told(rows, weights)
    possible = np.array(
        list(oracle.tables([set(row) for row in rows], [weights[row].sum() for row in rows], len(weights)))
    )
    assert found.low.tolist() == possible.min(axis=0).tolist()
    assert found.high.tolist() == possible.max(axis=0).tolist()


def test_three_releases_tell_what_no_two_of_them_do():
    """Three ways of pairing four areas of 3: two of them make a square, all three give each area."""
    line = kanon.Regions(list("abcd"), [3, 3, 3, 3], [(0, 1), (1, 2), (2, 3), (0, 2), (1, 3), (0, 3)])

    def release(assignment):
        g = kanon.generalize(line, 5, "tree-split")
        return replace(g, assignment=np.array(assignment, dtype=np.int32), class_weights=np.array([6, 6]))

    one, two, three = release([0, 0, 1, 1]), release([0, 1, 0, 1]), release([0, 1, 1, 0])
    for pair in combinations([one, two, three], 2):
        assert kanon.intersect(line, *pair).exposed == 0
    found = kanon.intersect(line, one, two, three)
    assert found.cells["exact"].all()
    assert list(found.cells.columns[:4]) == ["group", "other_group", "group_3", "items"]
    assert found.sentence == (
        f"Together the 3 releases show that 4 {PARTS_BELOW_5} "
        "4 of 4 (4 single items). These releases must not all be published."
    )
    same = kanon.intersect(line, one, one, one)
    assert same.sentence == f"All {REVEAL_NO_MORE}"


@pytest.mark.parametrize("seed", range(40))
def test_a_release_that_is_given_twice_changes_nothing(seed):
    """Two releases by bridges and flows, and the same two with one again by elimination and linear programs."""
    rng = np.random.default_rng(300 + seed)
    weights = rng.integers(0, 6, 9)
    weights[0] += 1
    areas = kanon.Regions(range(9), weights, [(place, place + 1) for place in range(8)])
    one, two = (kanon.generalize(areas, 1, "tree-split") for _ in range(2))
    one, two = (
        replace(g, assignment=np.unique(rng.integers(0, 3, 9), return_inverse=True)[1].astype(np.int32), k=6)
        for g in (one, two)
    )
    pair = kanon.intersect(areas, one, two).cells
    assert kanon.intersect(areas, one, two, one).cells[pair.columns].equals(pair)


def test_a_matrix_that_is_too_large_is_said_to_be(monkeypatch):
    monkeypatch.setattr(exact, "LARGEST", 3)
    found = told([np.array([0, 1]), np.array([1, 2]), np.array([0, 2])], np.array([1, 2, 3]))
    assert found.left == 3
    assert found.high.tolist() == [1, 2, 3]  # by linear programs


def test_fractions_that_a_prime_cannot_hold_are_tried_again():
    """A residue modulo 7 stands for fractions up to 1 alone; the next prime holds the half that is needed."""
    rows = [np.array([0, 1]), np.array([1, 2]), np.array([0, 2]), np.array([0, 1, 2, 3])]
    assert exact.determined(rows, 4).tolist() == [True] * 4
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "PRIMES", (2,))
        assert exact.determined(rows, 4) is None
