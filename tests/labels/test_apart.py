"""Searches that keep labels apart, without the look at all sets of labels that small instances get."""

from importlib import import_module

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.labels import near_optimal as module
from kanon_engine.labels.even_packing import possible_contents, sizes_of
from tests.compiled import COMPILED
from tests.oracles import label_constraints as oracle

pytestmark = pytest.mark.kernels

exact_module = import_module("kanon_engine.labels.exact")  # the package has a function of that name


def instances(number, seed):
    generator = np.random.default_rng(seed)
    while number:
        counts, k, _, apart = oracle.random_instance(generator, most=8)
        if apart:
            number -= 1
            yield counts, k, apart


@pytest.fixture
def no_sets(monkeypatch):
    monkeypatch.setattr(module, "SMALL", 0)
    monkeypatch.setattr(exact_module, "SMALL", 0)


@pytest.mark.usefixtures("no_sets")
def test_search_and_model_agree_with_brute_force():
    seen = {"result": 0, "infeasible": 0}
    for counts, k, apart in instances(40 if COMPILED else 12, seed=3):
        best = oracle.optimum(counts, k, apart=apart)
        labels = kanon.Labels(range(len(counts)), counts, apart=apart)
        for name in ("near-optimal", "exact"):
            try:
                g = kanon.generalize(labels, k, name)
            except kanon.Infeasible:
                assert best is None, (name, counts, k, apart)
                seen["infeasible"] += 1
            else:
                assert g.lower_bound <= best <= g.cost
                assert g.cost == best or name == "near-optimal", (counts, k, apart)
                seen["result"] += 1
    assert min(seen.values()) > 1


@pytest.mark.usefixtures("no_sets")
def test_the_model_alone_finds_or_refutes(monkeypatch):
    monkeypatch.setattr(module.ConflictPackings, "packings", lambda self, bins, k: iter(()))
    for counts, k, apart in instances(15, seed=5):
        best = oracle.optimum(counts, k, apart=apart)
        labels = kanon.Labels(range(len(counts)), counts, apart=apart)
        if best is None:
            with pytest.raises(kanon.Infeasible):
                kanon.generalize(labels, k)
        else:
            assert kanon.generalize(labels, k).cost >= best


@pytest.mark.usefixtures("no_sets")
def test_what_is_not_known_is_said(monkeypatch):
    monkeypatch.setattr(module.ConflictPackings, "packings", lambda self, bins, k: iter(()))
    monkeypatch.setattr(module, "LARGEST_MODEL", 0)
    with pytest.raises(kanon.InvalidInput, match="but there may be one"):
        kanon.generalize(kanon.Labels("abcd", [5, 5, 5, 5], apart=[("a", "b")]), 8)


def test_many_labels_kept_apart_in_pairs_and_all():
    counts = np.random.default_rng(0).integers(1, 200, 300).tolist()
    pairs = [(place, place + 1) for place in range(0, 120, 2)]
    for apart in (pairs, [range(12)], [range(place, place + 5) for place in range(0, 300, 5)])[: 3 if COMPILED else 1]:
        labels = kanon.Labels(range(300), counts, apart=apart)
        g = kanon.generalize(labels, 2_000, seed=4)
        again = kanon.generalize(labels, 2_000, seed=4)
        np.testing.assert_array_equal(g.assignment, again.assignment)
        assert g.gap < 0.01
        for rule in apart:
            assert len(set(g.assignment[list(rule)].tolist())) == len(rule)
        assert g.guarantee is None


def test_sizes_keep_labels_with_conflicts_apart():
    labels = kanon.Labels("abcde", [6, 5, 5, 2, 2], apart=[("b", "d"), ("a", "b")])
    order, sizes = sizes_of(labels, 7, 3)
    assert [labels.names[place] for place in order] == ["a", "c", "b", "e", "d"]
    assert (sizes.weights, sizes.numbers, sizes.apart) == ([6, 5, 5, 2, 2], [1] * 5, ((0, 2), (2, 4)))
    contents = possible_contents(sizes, 11)
    assert [1, 0, 1, 0, 0] not in contents
    assert [1, 1, 0, 0, 0] in contents
    assert not any(content[2] and (content[0] or content[4]) for content in contents)
