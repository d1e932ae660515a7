from dataclasses import replace

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.model.known import FAMILIES
from tests.regions.graphs import grid
from tests.sentences import (
    FEWER_THAN_K,
    ITEM_2_IS_MISSING,
    ITEMS_1_AND_2_HAVE,
    LOWER_K_TO,
    MUST_BE_A_WHOLE_NUMBER,
    ONE_ID_FOR_TWO_ITEMS,
)


@pytest.fixture
def regions():
    return kanon.Regions(["a", "b", "c"], [2, 3, 4], [(0, 1), (1, 2)], unit="people")


@pytest.mark.parametrize("k", [0, -3, 2.5, "5", None, True, float("nan"), [3]])
def test_k_must_be_a_whole_number_of_at_least_one(regions, k):
    with pytest.raises(kanon.InvalidInput, match=f"k is .*{MUST_BE_A_WHOLE_NUMBER} 1"):
        kanon.generalize(regions, k)


@pytest.mark.parametrize("k", [3, 3.0, np.int64(3), np.uint8(3), np.float32(3)])
def test_whole_numbers_of_any_type_are_taken(regions, k):
    assert type(kanon.generalize(regions, k).k) is int


def test_total_below_k_gives_both_numbers(regions):
    with pytest.raises(kanon.Infeasible, match=f"9 people, {FEWER_THAN_K} 10; {LOWER_K_TO} 9"):
        kanon.generalize(regions, 10)


def test_unknown_names_list_the_valid_ones(regions):
    with pytest.raises(kanon.UnknownAlgorithm, match="tree-split"):
        kanon.generalize(regions, 2, "magic")
    with pytest.raises(kanon.InvalidInput, match="its options are: tree"):
        kanon.generalize(regions, 2, "tree-split", wood="oak")
    with pytest.raises(kanon.InvalidInput, match="auto, hamiltonian, degree-3, low-degree, random"):
        kanon.generalize(regions, 2, "tree-split", tree="oak")
    with pytest.raises(kanon.InvalidInput, match="Regions"):
        kanon.generalize([1, 2, 3], 2)
    with pytest.raises(kanon.InvalidInput, match="regions"):
        kanon.algorithms("circles")


@pytest.mark.parametrize("seed", [-1, 1.5, "0", None])
def test_a_bad_seed_is_refused(regions, seed):
    with pytest.raises(kanon.InvalidInput, match="seed"):
        kanon.generalize(regions, 2, seed=seed)


@pytest.mark.parametrize("limit", [0, -1, "3", float("nan"), True])
def test_a_bad_time_limit_is_refused(regions, limit):
    with pytest.raises(kanon.InvalidInput, match="time limit"):
        kanon.generalize(regions, 2, time_limit=limit)


def test_the_listener_can_stop_and_gets_the_best_so_far(regions):
    heard = []
    g = kanon.generalize(regions, 3, "tree-split", progress=lambda report: heard.append(report))
    assert len(heard) > 1
    assert heard[-1].done == 1
    calls = []
    stopped = kanon.generalize(regions, 3, "tree-split", progress=lambda report: calls.append(report) or False)
    assert len(calls) == 1
    assert stopped.status in ("stopped", "optimal")
    assert g.cost <= stopped.cost


@pytest.mark.parametrize(
    ("ids", "weights", "edges", "words"),
    [
        ([], [], [], "no areas"),
        (["a", "a"], [1, 2], [(0, 1)], f"{ITEMS_1_AND_2_HAVE} id a"),
        (["a", None], [1, 2], [(0, 1)], f"id of {ITEM_2_IS_MISSING}"),
        (["a"], [1, 2], [(0, 1)], ONE_ID_FOR_TWO_ITEMS),
        (["a", "b"], [1, -2], [(0, 1)], "area b is -2"),
        (["a", "b"], [1, 2.5], [(0, 1)], "area b is 2.5"),
        (["a", "b"], [float("nan"), 2], [(0, 1)], "area a is missing"),
        (["a", "b"], [None, 2], [(0, 1)], "area a is missing"),
        (["a", "b"], ["many", 2], [(0, 1)], "area a is many"),
        (["a", "b"], [2**60, 2], [(0, 1)], "2\\^53"),
        (["a", "b"], [1, 2], [(0, 2)], "Edge 1 is \\(0, 2\\)"),
        (["a", "b"], [1, 2], [(1, 1)], "to itself"),
        (["a", "b"], [1, 2], [(0, 0.5)], "a pair of area numbers"),
        (["a", "b"], [1, 2], [0, 1], "a pair of area numbers"),
    ],
)
def test_bad_regions_are_refused_in_one_sentence(ids, weights, edges, words):
    with pytest.raises(kanon.InvalidInput, match=words) as caught:
        kanon.Regions(ids, weights, edges)
    assert str(caught.value).count("\n") == 0


ONE_OF_EACH = {
    "regions": kanon.Regions(range(20), [4, 4, 4, 5] * 5, grid(4, 5)),
    "rectangles": kanon.Points([(0, 0), (1, 1), (2, 0), (3, 1)], [4, 4, 4, 5]),
    "labels": kanon.Labels("abcd", [4, 4, 4, 5]),
}
BOUNDING = [
    *(("regions", name) for name in ("recombine", "general-graph", "exact")),
    *(("rectangles", name) for name in ("balanced-kd-tree", "exact")),
    *(("labels", name) for name in ("near-optimal", "exact")),
]


@pytest.mark.parametrize(("kind", "name"), BOUNDING)
def test_a_bound_that_the_algorithm_worked_out_is_not_worked_out_again(monkeypatch, kind, name):
    """It is the family's own all the same, where no search raised it."""
    instance, family = ONE_OF_EACH[kind], FAMILIES[kind]
    bound = family.lower_bound(instance, 5)

    def refuse(instance, k):
        raise AssertionError("worked out again")

    monkeypatch.setitem(FAMILIES, kind, replace(family, lower_bound=refuse))
    g = kanon.generalize(instance, 5, name)
    assert (g.lower_bound, g.bound_name, g.bound_witness) == (bound.value, bound.name, bound.witness)
