"""Areas moved by hand: certified, or one sentence why not; groups locked for the next search."""

from dataclasses import replace

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.model.known import FAMILIES
from kanon_engine.regions.instance import CrossingDetails
from kanon_engine.regions.moves import BY_HAND, locked, moved
from pages._shared.results import algorithm_title
from tests.compiled import SHARE
from tests.corruption import corrupted, failed, passes
from tests.oracles.regions import connected
from tests.regions.graphs import grid
from tests.regions.wished_maps import seeded
from tests.sentences import FEWER_THAN_THE_MINIMUM

HOMES = [2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1]


def board(**wishes):
    """Three rows of four areas of 3 people each, a row a group."""
    regions = kanon.Regions(range(12), [3] * 12, grid(3, 4), columns={"homes": HOMES}, unit="people", **wishes)
    rows = np.repeat([0, 1, 2], 4)
    g = kanon.generalize(replace(regions, together=(), apart=(), barriers=()), 12, "tree-split")
    at = {"assignment": rows.astype(np.int32), "class_weights": np.array([12] * 3), "cost": 12}
    at |= {"lower_bound": 3, "bound_name": "k", "bound_witness": ()}
    return regions, replace(g, instance_digest=regions.digest, k=3, **at)


def kept(case, labels):
    """Whether classes keep all that is asked, in plain Python."""
    regions, edges = case.regions, case.regions.edges.tolist()
    groups = [set(np.flatnonzero(labels == own).tolist()) for own in set(labels.tolist())]
    weights = regions.weights.tolist()
    return (
        all(sum(weights[v] for v in own) >= case.k and connected(own, edges) for own in groups)
        and all(regions.columns["homes"][list(own)].sum() >= one.m for one in case.require for own in groups)
        and all(any(own >= set(held) for own in groups) for held in regions.together)
        and all(len(own & set(rivals)) < 2 for own in groups for rivals in regions.apart)
        and (not regions.barriers or all(any(own <= block for block in case.blocks) for own in groups))
    )


@pytest.mark.parametrize("seed", range(300))
def test_every_move_is_certified_or_refused_as_plain_python_says(seed):
    """A random area or two, to every group and to a new one."""
    case = seeded(seed)
    if case.best is None:
        with pytest.raises(kanon.Infeasible):
            kanon.generalize(case.regions, case.k, "exact", require=case.require)
        return
    g = kanon.generalize(case.regions, case.k, "exact", require=case.require)
    rng = np.random.default_rng(seed)
    areas = rng.choice(len(case.regions), min(len(case.regions), int(rng.integers(1, 3))), replace=False).tolist()
    for to in (*range(g.classes), None):
        labels = g.assignment.copy()
        labels[areas] = g.classes if to is None else to
        if pieces_of(labels) == pieces_of(g.assignment):
            with pytest.raises(kanon.InvalidInput):
                moved(case.regions, g, areas, to)
        elif not kept(case, labels):
            with pytest.raises(kanon.Infeasible, match=r"\.$"):
                moved(case.regions, g, areas, to)
        else:
            other = moved(case.regions, g, areas, to)
            assert pieces_of(other.assignment) == pieces_of(labels)
            assert other.lower_bound <= case.best <= other.cost
            assert (other.algorithm, other.bound_kind, other.guarantee) == (BY_HAND, "checked", None)
            assert g.bound_kind == "solver" or other.bound_witness == g.bound_witness
            assert passes(case.regions, kanon.Generalization.from_json(other.to_json()))


def pieces_of(labels):
    return sorted(np.flatnonzero(labels == own).tolist() for own in set(labels.tolist()))


@pytest.mark.parametrize(
    ("wishes", "areas", "to", "sentence"),
    [
        ({}, [1], 1, "Group 1 would split into 2 parts that share no border."),
        ({}, [0], 2, "Group 3 would split into 2 parts"),
        ({}, [0, 3], None, "The new group would split into 2 parts"),
        ({"together": [(0, 1)]}, [0], 1, "0 and 1 must stay together; move all of them, or none."),
        ({"apart": [(0, 4)]}, [0], 1, "0 and 4 must be kept apart, but would share group 2."),
        ({"barriers": [(0, 1, 2, 3)]}, [0], 1, "A barrier separates 0 and 4, and group 2 does not need to cross it."),
    ],
)
def test_why_not(wishes, areas, to, sentence):
    regions, g = board(**wishes)
    with pytest.raises(kanon.Infeasible, match=sentence):
        moved(regions, g, areas, to)


def test_too_few_people_or_homes_are_told_with_their_number():
    regions, g = board()
    with pytest.raises(kanon.Infeasible, match="Group 1 would hold 9 people, fewer than k = 10; move the rest"):
        moved(regions, replace(g, k=10), [0], 1)
    with pytest.raises(kanon.Infeasible, match="The new group would hold 3 people, fewer than k = 4; move more areas."):
        moved(regions, replace(g, k=4), [0], None)
    held = replace(g, require=(kanon.Minimum("homes", 5),))
    with pytest.raises(kanon.Infeasible, match=f"Group 1 would have 4 homes, {FEWER_THAN_THE_MINIMUM} 5."):
        moved(regions, held, [0], 1)


@pytest.mark.parametrize(
    ("areas", "to", "sentence"),
    [
        (["x"], 0, "There is no area 'x'; correct it or leave it out."),
        ([], 0, "No areas were selected"),
        ([["x"]], 0, r"There is no area \['x'\]; correct it or leave it out."),
        (5, 0, "The areas to move are 5; give a list of their ids."),
        ([0], 3, "No group has the number 3; give a whole number from 0 to 2."),
        ([0], True, "No group has the number True"),
        ([0], "1", "No group has the number '1'"),
        ([0, 1], 0, "That group already consists of exactly these areas"),
        ([0, 1, 2, 3], None, "That group already consists of exactly these areas"),
    ],
)
def test_moves_that_make_no_sense(areas, to, sentence):
    regions, g = board()
    with pytest.raises(kanon.InvalidInput, match=sentence):
        moved(regions, g, areas, to)
    with pytest.raises(kanon.InvalidInput, match="belongs to a different instance"):
        moved(replace(regions, unit="births"), g, [0], 1)


def test_a_whole_group_joins_another_and_a_new_one_is_made():
    regions, g = board()
    g = moved(regions, g, ["0"], 1)  # as text, as a file has it
    assert (g.classes, g.class_weights.tolist(), g.status) == (3, [15, 12, 9], "feasible")
    fewer = moved(regions, g, np.flatnonzero(g.assignment == 2).tolist(), 0)
    assert (fewer.classes, fewer.cost) == (2, 24)
    assert moved(regions, g, [11], None).classes == 4


def test_a_result_by_hand_is_checked_as_any_and_offered_to_nobody():
    regions, g = board(together=[(0, 1)], barriers=[(8, 9, 10, 11)])
    other = moved(regions, g, [4], 0)
    assert isinstance(other.details, CrossingDetails)
    assert kanon.verify(regions, other, rerun=True).proof == "checked"
    for _, spoilt in corrupted(other):
        assert not passes(regions, spoilt)
    word = replace(other, bound_kind="solver", bound_name="exact search", bound_witness=()).sealed()
    assert failed(regions, word) == "bound kind"
    assert BY_HAND not in {algorithm.name for algorithm in kanon.algorithms()}
    with pytest.raises(kanon.UnknownAlgorithm):
        kanon.generalize(regions, 3, BY_HAND)
    assert FAMILIES["regions"].promised(regions, other) == "none"
    assert algorithm_title(other) == "By hand"


def test_locked_groups_stay_as_they_are():
    rng = np.random.default_rng(7)
    for _ in range(12 // min(SHARE, 4)):
        regions = kanon.Regions(range(30), rng.integers(1, 9, 30), grid(5, 6))
        k = int(rng.integers(12, 25))
        g = kanon.generalize(regions, k, "tree-split")
        chosen = rng.choice(g.classes, 2, replace=False).tolist()
        held = locked(regions, g, chosen)
        for name in ("recombine", "tree-split"):
            options = {"effort": 0.02} if name == "recombine" else {}
            again = kanon.generalize(held, k, name, **options)
            assert again.details.joined.tolist() == []
            for own in chosen:
                members = np.flatnonzero(g.assignment == own).tolist()
                assert members in pieces_of(again.assignment)


@pytest.mark.parametrize(
    ("classes", "sentence"),
    [
        ([99], "No group has the number 99; give a whole number from 0 to 2."),
        ([True], "No group has the number True"),
        ([[0]], r"No group has the number \[0\]"),
        (0, "The groups to lock are 0; give a list of them."),
    ],
)
def test_what_cannot_be_locked(classes, sentence):
    regions, g = board()
    with pytest.raises(kanon.InvalidInput, match=sentence):
        locked(regions, g, classes)
    with pytest.raises(kanon.InvalidInput, match="belongs to a different instance"):
        locked(replace(regions, unit="births"), g, [0])


def test_what_a_lock_leaves_too_light_goes_elsewhere_if_it_can():
    """A light area beside the locked pair: alone it must cross to the pair; with another neighbor it goes there."""
    pair = ("b", "c")
    for edges, joined in [([(0, 1), (1, 2)], [[0, 1]]), ([(0, 1), (1, 2), (0, 3)], [[0, 3]])]:
        weights, barriers = [2, 5, 5, 20], [pair, ("d",)]
        regions = kanon.Regions("abcd", weights, edges, together=[pair], barriers=barriers)
        assert kanon.generalize(regions, 5, "recombine", effort=0.02).details.joined.tolist() == joined


def test_a_single_locked_area_is_a_neighbor_as_any_other():
    """A light county of a beside b and c, with b locked: its block goes to b, the lighter, though it was with c."""
    regions = kanon.Regions("abc", [2, 5, 6], [(0, 1), (0, 2), (1, 2)], barriers=[("a",), ("b", "c")])
    g = kanon.generalize(regions, 5, "exact")
    g = moved(regions, g, ["a"], int(g.assignment[2]))
    assert g.assignment.tolist() == [0, 1, 0]
    held = locked(regions, g, [1])
    assert (held.together, held.barriers) == ((), (*regions.barriers, ("b",)))
    assert kanon.generalize(held, 5, "tree-split").details.joined.tolist() == [[0, 1]]
