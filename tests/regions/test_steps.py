"""The steps of the algorithms on areas, replayed by plain code."""

from itertools import pairwise

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine import teaching
from tests.compiled import COMPILED, SHARE
from tests.oracles.regions import connected, sides
from tests.regions.graphs import grid, random_connected_graph
from tests.regions.graphs_any import feasible, planted_stars, some


def steps_of(regions, g):
    return list(teaching.steps(regions, g))


def assert_ends_at(steps, g):
    assert np.array_equal(steps[-1].state.assignment, g.assignment)
    assert all(step.inequality is None or step.inequality.holds for step in steps)


def assert_connected_pieces(regions, state):
    edges = regions.edges.tolist()
    for number in np.unique(state.pieces):
        assert connected(np.flatnonzero(state.pieces == number).tolist(), edges)


def lightest(weights, trees, k):
    """The edges that the paper may cut next, by looking at both sides of each, and the lightest T₁."""
    found = []
    for members, edges in trees:
        total = sum(weights[v] for v in members)
        for edge in edges:
            for side in sides(members, edges, edge):
                weight = sum(weights[v] for v in side)
                if weight >= k and total - weight >= k:
                    found.append((weight, side, edge))
    least = min((weight for weight, *_ in found), default=None)
    light = [(side, edge) for weight, side, edge in found if weight == least]
    return {edge for side, edge in light if not any(other < side for other, _ in light)}, least


def trees_of(state):
    """The pieces with the edges that are left in them."""
    cut = {tuple(sorted(edge)) for edge in state.cut_edges.tolist()}
    left = [tuple(edge) for edge in state.tree.tolist() if tuple(sorted(edge)) not in cut]
    members = [set(np.flatnonzero(state.pieces == number).tolist()) for number in np.unique(state.pieces)]
    return [(own, [edge for edge in left if edge[0] in own]) for own in members]


@pytest.mark.parametrize("seed", range(0, 60, 1 if COMPILED else 10))
def test_every_cut_takes_off_the_lightest_piece(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 14))
    weights = rng.integers(0, 7, n)
    weights[0] += 8
    regions = kanon.Regions(range(n), weights, random_connected_graph(rng, n, 0.2))
    k = int(rng.integers(1, 9))
    g = kanon.generalize(regions, k, "tree-split", seed=seed, tree=["auto", "random"][seed % 2])
    steps = steps_of(regions, g)
    assert_ends_at(steps, g)
    assert len(steps) == len(g.details.cut_edges) + 2
    for before, step in pairwise(steps[:-1]):
        right, least = lightest(weights.tolist(), trees_of(before.state), k)
        (cut,) = map(tuple, step.state.cut_edges[len(before.state.cut_edges) :].tolist())
        assert tuple(sorted(cut)) in {tuple(sorted(edge)) for edge in right}
        assert (step.inequality.left, step.inequality.right) == (least, k)
        assert_connected_pieces(regions, step.state)
        off = step.state.pieces[step.changed]
        assert len(set(off.tolist())) == 1
        assert weights[step.changed].sum() == least
        if step.question is not None:
            chosen = {tuple(sorted(step.question.places[answer])) for answer in step.question.answers}
            assert chosen == {tuple(sorted(edge)) for edge in right}
    assert lightest(weights.tolist(), trees_of(steps[-2].state), k)[0] == set()
    assert_last_is_told(weights.tolist(), steps, k)


def assert_last_is_told(weights, steps, k):
    """The best edge that is left has T₁ on its lighter side, which is the largest k at which it could be cut."""
    trees = trees_of(steps[-2].state)
    known = [k for k in range(1, k) if lightest(weights, trees, k)[0]]
    last = steps[-1]
    if any(edges for _, edges in trees):
        assert (last.inequality.left, last.inequality.right) == (max(known, default=0), k)
    assert (last.question is not None) == bool(known)
    if known:
        assert last.question.answers == (max(known),)


def test_equally_light_pieces_that_contain_another_are_wrong():
    """The errata's path 3–0–0–3: only the pieces of one area may be cut off."""
    path = kanon.Regions(range(4), [3, 0, 0, 3], [(0, 1), (1, 2), (2, 3)])
    question = steps_of(path, kanon.generalize(path, 3, "tree-split"))[1].question
    assert question.choices == ("0 – 1", "1 – 2", "2 – 3")
    assert question.answers == (0, 2)


def test_areas_that_stay_together_are_never_cut_apart_and_groups_merge():
    edges = grid(3, 5)
    regions = kanon.Regions(
        range(15), [3, 1, 2, 4, 1] * 3, edges, columns={"homes": [1, 0, 0, 0, 0] * 3}, together=[(0, 1), (12, 13)]
    )
    plain = kanon.generalize(regions, 5, "tree-split")
    assert_ends_at(steps_of(regions, plain), plain)
    assert np.array_equal(steps_of(regions, plain)[-1].state.cut_edges, plain.details.cut_edges)
    for step in steps_of(regions, plain)[1:-1]:
        assert not {(0, 1), (12, 13)} & set(map(tuple, np.sort(step.state.cut_edges, axis=1).tolist()))
    g = kanon.generalize(regions, 5, "tree-split", require=[kanon.Minimum("homes", 1)])
    steps = steps_of(regions, g)
    assert g.classes < plain.classes
    assert_ends_at(steps, g)
    assert "undone" in steps[-1].why
    assert 0 < len(steps[-1].changed) < 15


@pytest.mark.thorough
def test_many_cuts_are_told_in_few_steps():
    regions = kanon.Regions(range(900), [1] * 900, grid(30, 30))
    g = kanon.generalize(regions, 2, "tree-split")
    steps = steps_of(regions, g)
    assert len(steps) <= 200 < len(g.details.cut_edges)
    assert_ends_at(steps, g)
    assert steps[-3].why.startswith("Cuts ")


def random_map(seed, n=12):
    rng = np.random.default_rng(seed)
    edges = grid(3, 4) if seed % 2 else random_connected_graph(rng, n, 0.2)
    return kanon.Regions(range(n), rng.integers(0, 9, n) + (np.arange(n) == 0) * 9, edges), int(rng.integers(4, 14))


@pytest.mark.parametrize("seed", range(0, 16, SHARE))
def test_recombinations_keep_groups_connected_and_cut_where_two_parts_are(seed):
    regions, k = random_map(seed)
    g = kanon.generalize(regions, k, "recombine", seed=seed)
    steps = steps_of(regions, g)
    assert_ends_at(steps, g)
    weights = regions.weights
    for before, step in pairwise(steps):
        assert_connected_pieces(regions, step.state)
        if not len(step.state.cut_edges) or step.question is None:
            continue
        (cut,) = step.state.cut_edges.tolist()
        assert before.state.tree.tolist() == step.state.tree.tolist()
        members = set(step.state.tree.ravel().tolist())
        tree = [tuple(edge) for edge in step.state.tree.tolist()]
        assert len(set(before.state.pieces[sorted(members)].tolist())) == 1  # the two groups are one before the cut
        parts = {frozenset(side) for side in sides(members, tree, tuple(cut))}
        pieces = step.state.pieces
        assert {frozenset(np.flatnonzero(pieces == number).tolist()) for number in pieces[list(cut)]} == parts
        assert set(step.changed.tolist()) <= members
        shares = {place: sorted(weights[list(side)].sum() for side in sides(members, tree, place)) for place in tree}
        right = {tuple(sorted(place)) for place in tree if shares[place] == shares[tuple(cut)]}
        assert {tuple(sorted(step.question.places[answer])) for answer in step.question.answers} == right


@pytest.mark.thorough
def test_an_area_that_moves_is_told_with_both_groups():
    seen = 0
    for seed in range(6):
        regions, k = random_map(seed)
        for before, step in pairwise(steps_of(regions, kanon.generalize(regions, k, "recombine", seed=seed))):
            if "moves across the border" not in step.why:
                continue
            (area,) = step.changed
            old = int(regions.weights[before.state.pieces == before.state.pieces[area]].sum())
            new = int(regions.weights[step.state.pieces == step.state.pieces[area]].sum() - regions.weights[area])
            assert f"with {regions.weights[area]} records moves across the border" in step.why
            assert f"from a group of {old} records to a group of {new}." in step.why
            seen += 1
    assert seen


def test_wishes_are_kept_in_the_end_and_a_large_map_is_told_at_its_ends():
    regions = kanon.Regions(range(12), [3, 1, 4, 1] * 3, grid(3, 4), together=[(0, 11)], apart=[(1, 2)])
    g = kanon.generalize(regions, 4, "recombine")
    assert_ends_at(steps_of(regions, g), g)
    large = kanon.Regions(range(1_020), [1, 2, 3] * 340, grid(30, 34))
    g = kanon.generalize(large, 60, "recombine", effort=0.001)
    steps = steps_of(large, g)
    assert_ends_at(steps, g)
    assert "not run again" in steps[-1].why


def test_a_search_of_much_effort_is_not_made_again():
    ring = kanon.Regions(range(6), [3, 1, 3, 1, 3, 1], [(i, (i + 1) % 6) for i in range(6)])
    for effort, long in ((1, False), (200, True)):
        g = kanon.generalize(ring, 4, "recombine", effort=effort)
        steps = steps_of(ring, g)
        assert_ends_at(steps, g)
        assert ("not run again" in steps[-1].why) == long


def test_groups_that_general_graph_joins_for_what_is_required_are_told_as_that():
    regions = kanon.Regions(range(15), [3, 1, 2, 4, 1] * 3, grid(3, 5), columns={"homes": [1, 0, 0, 0, 0] * 3})
    g = kanon.generalize(regions, 5, "general-graph", require=[kanon.Minimum("homes", 1)])
    assert g.classes < kanon.generalize(regions, 5, "general-graph").classes
    steps = steps_of(regions, g)
    assert_ends_at(steps, g)
    assert "a requirement" in steps[-1].why


def star_maps():
    """Maps on which the rules have something to do, each with its k and, where it is small, its optimum."""
    for seed in range(0, 18, 1 if COMPILED else SHARE):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(3, 9))
        weights, edges, _ = planted_stars(rng, k, 22)
        yield kanon.Regions(range(len(weights)), weights, edges), k, None
    for _, regions, k, best in some(feasible(7), 25):
        yield regions, k, best


def test_every_rule_of_general_graph_is_a_legal_move():
    told = {"split": 0, "star": 0, "moves from": 0, "stuck": 0}
    for regions, k, best in star_maps():
        g = kanon.generalize(regions, k, "general-graph")
        steps = steps_of(regions, g)
        assert_ends_at(steps, g)
        for before, step in pairwise([steps[0], *steps]):
            assert_connected_pieces(regions, step.state)
            loads = sums_by(step.state.pieces, regions.weights)
            assert min(loads.values()) >= k
            told |= {word: told[word] + 1 for word in told if word in step.why}
            if "moves from" in step.why:
                assert_pushed(regions, before, step, k)
            if "splits" in step.why:
                assert len(loads) == len(sums_by(before.state.pieces, regions.weights)) + 1
                assert step.inequality.left in loads.values()
            if "stuck" in step.why:
                assert step.inequality.left <= g.lower_bound
                assert best is None or step.inequality.left <= best
            if step.question is not None:
                assert_hubs(regions, before, step, k)
    assert all(told.values()), told


def sums_by(pieces, weights):
    return {number: int(weights[pieces == number].sum()) for number in np.unique(pieces).tolist()}


def assert_pushed(regions, before, step, k):
    """One connected branch below k goes from one group to another one that it borders."""
    moved, edges = step.changed.tolist(), regions.edges.tolist()
    assert connected(moved, edges)
    assert regions.weights[moved].sum() < k
    (source,) = set(before.state.pieces[moved].tolist())
    (target,) = set(step.state.pieces[moved].tolist())
    assert step.inequality.left == sums_by(before.state.pieces, regions.weights)[source]
    others = set(np.flatnonzero(before.state.pieces == target).tolist())
    assert any({u, v} & others and {u, v} & set(moved) for u, v in edges)


def assert_hubs(regions, before, step, k):
    """The right answers are the areas without which only parts below k are left of the group."""
    own = {place for place, _ in step.question.places}
    assert len(set(before.state.pieces[sorted(own)].tolist())) == 1
    edges = [edge for edge in regions.edges.tolist() if set(edge) <= own]
    for place, (v, _) in enumerate(step.question.places):
        left, heaviest = own - {v}, 0
        while left:
            part, waiting = set(), [min(left)]
            while waiting:
                u = waiting.pop()
                part.add(u)
                waiting += [
                    b if a == u else a for a, b in edges if u in (a, b) and {a, b} <= left and not {a, b} <= part
                ]
            left -= part
            heaviest = max(heaviest, int(regions.weights[sorted(part)].sum()))
        assert (heaviest < k) == (place in step.question.answers)
