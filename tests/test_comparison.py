"""Which classes of two results correspond: against all ways to pair them."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.model.comparison import compare, matching
from kanon_engine.plot import companions

LABELS = kanon.Labels("abcdefg", range(1, 8))
G = kanon.generalize(LABELS, 7, "fold")


def result(assignment):
    """Only the classes of a result are looked at."""
    assignment = np.array(assignment, dtype=np.int32)
    weights = np.bincount(assignment[assignment >= 0], minlength=int(assignment.max()) + 1)
    return replace(G, assignment=assignment, class_weights=weights.astype(np.int64))


def least_changed(first, second, weights):
    """Weight and number of the changed items, at best over all pairings of the classes."""
    size = max(first.max(), second.max()) + 1
    found = []
    for partner in permutations(range(size)):
        changed = np.array([partner[own] if own >= 0 else -1 for own in first]) != second
        found.append((int(weights[changed].sum()), int(changed.sum())))
    return min(found)


@pytest.mark.parametrize("seed", range(60))
def test_as_little_as_possible_changes_and_the_order_does_not_matter(seed):
    random = np.random.default_rng(seed)
    first, second = (random.integers(-(seed % 3 == 0), random.integers(1, 5), 9) for _ in range(2))
    first[0], second[0] = 0, 0
    weights = random.integers(0, 4, 9)
    one, two = result(first), result(second)
    found, back = compare(one, two, weights), compare(two, one, weights)
    expected = least_changed(first, second, weights)
    assert (int(weights[found.changed].sum()), int(found.changed.sum())) == expected
    assert (int(weights[back.changed].sum()), int(back.changed.sum())) == expected
    assert len({*found.pairs[:, 0].tolist()}) == len({*found.pairs[:, 1].tolist()}) == len(found.pairs)
    joint_one, joint_two = found.joint
    inside = (first >= 0) & (second >= 0)
    np.testing.assert_array_equal((joint_one[first] == joint_two[second])[inside], ~found.changed[inside])
    for joint in found.joint:
        assert len({*joint.tolist()}) == len(joint)


@pytest.mark.parametrize("seed", range(10))
def test_groups_that_correspond_have_one_color_and_neighbors_two(seed):
    random = np.random.default_rng(seed)
    edges = random.integers(0, 40, (60, 2))
    results = [result(np.append(random.integers(0, count, 39), count - 1)) for count in (12, 9)]
    found = compare(*results, np.ones(40, dtype=np.int64))
    borders = [g.assignment[edges] for g in results]
    first, second = companions(tuple(results), found, tuple(borders))
    for own, ends in zip((first, second), borders, strict=True):
        across = ends[ends[:, 0] != ends[:, 1]]
        assert (own.colors[across[:, 0]] != own.colors[across[:, 1]]).all()
    np.testing.assert_array_equal(first.colors[found.pairs[:, 0]], second.colors[found.pairs[:, 1]])
    assert first.top == second.top == max(g.overfull_ratio for g in results)


def test_another_numbering_changes_nothing():
    renumbered = result((G.assignment + 1) % G.classes)
    found = compare(G, renumbered, LABELS.weights)
    assert not found.changed.any()
    assert found.pairs.tolist() == [[own, (own + 1) % G.classes] for own in range(G.classes)]


def test_results_of_other_items_are_refused():
    other = kanon.generalize(kanon.Labels("ab", [5, 6]), 5, "fold")
    with pytest.raises(kanon.InvalidInput, match="have different items"):
        compare(G, other, LABELS.weights)


def test_many_classes_are_paired_in_a_moment():
    """Ten thousand classes of a map with four times as many items, most of them as before."""
    random = np.random.default_rng(0)
    first = np.arange(40_000) // 4
    second = np.where(random.random(40_000) < 0.3, np.roll(first, 2), first)
    found = compare(result(first), result(second), np.ones(40_000, dtype=np.int64))
    assert 0 < found.changed.sum() <= (first != second).sum()


def test_nothing_to_pair():
    nothing = np.empty(0, dtype=np.int64)
    assert matching(nothing, nothing, nothing).tolist() == []
