"""Splitting, stars, and branches that move: every state is a partition, and what stops the search proves a bound."""

import numpy as np
import pytest

from kanon_engine.regions.bounds import separator_bound
from kanon_engine.regions.general_graph import Stars, Stuck, push_branches, star_or_split
from kanon_engine.regions.instance import Regions
from tests.compiled import compiled_only
from tests.oracles.regions import connected
from tests.oracles.regions_bitmask import optimum
from tests.regions.graphs_any import planted_stars, random_instance

pytestmark = pytest.mark.kernels


def neighbor_sets(n, edges):
    near = [[] for _ in range(n)]
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    return near


def check_states(stars, edges):
    """What `Stars` says of its classes, atoms and anchors is so."""
    assert sorted(v for group in stars.members for v in group) == list(range(len(stars.weights)))
    for number, group in enumerate(stars.members):
        assert connected(group, edges)
        assert stars.load[number] == sum(stars.weights[v] for v in group) >= stars.k
        assert all(stars.owner[v] == number for v in group)
        closed = stars.center[number] >= 0
        assert stars.load[number] >= stars.limit - stars.k + 2 if closed else stars.load[number] <= stars.limit
        assert not (closed and number in stars.swallowers)
        held = [v for atom in stars.atoms[number] for v in stars.content[atom]]
        if stars.center[number] >= 0:
            assert sorted([stars.center[number], *held]) == sorted(group)
        for atom in stars.atoms[number]:
            areas = stars.content[atom]
            assert connected(areas, edges)
            assert stars.weight[atom] == sum(stars.weights[v] for v in areas) < stars.k
            around = {u for v in areas for u in stars.neighbors[v]} - set(areas)
            assert all(stars.owner[u] != number or u == stars.center[number] for u in around)
            if atom not in stars.fresh[number]:
                assert set(stars.anchors[atom]) == {stars.owner[u] for u in around}
                assert all(stars.atom[u] < 0 for u in around)


@pytest.mark.parametrize("seed", range(40))
def test_star_or_split(seed):
    rng = np.random.default_rng(seed)
    for _ in range(50):
        weights, edges, k = random_instance(rng, 14, parts=1)
        n, total = len(weights), sum(weights)
        if total < k:
            continue
        pieces, center, branches = star_or_split(list(range(n)), neighbor_sets(n, edges), weights, k)
        rest = set(range(n)) - {v for piece in pieces for v in piece}
        assert sum(map(len, pieces)) == n - len(rest)
        for group in [*pieces, rest]:
            assert connected(group, edges)
            assert sum(weights[v] for v in group) >= k
        if center < 0:
            assert sum(weights[v] for v in rest) <= 3 * k - 3
            continue
        assert sorted([center, *(v for branch in branches for v in branch)]) == sorted(rest)
        place = {v: number for number, branch in enumerate(branches) for v in branch}
        assert all(place[a] == place[b] for a, b in edges if a in place and b in place)
        assert all(connected(branch, edges) and sum(weights[v] for v in branch) < k for branch in branches)


@pytest.mark.parametrize("seed", range(10))
def test_at_any_limit_within_it_or_a_proof(seed):
    """From one class for each part: success below the limit, or hubs that prove limit - k + 2."""
    rng = np.random.default_rng(seed)
    seen = {"within": 0, "proof": 0}
    for _ in range(200):
        weights, edges, k = random_instance(rng, int(rng.choice([8, 40])))
        regions = Regions(range(len(weights)), weights, edges)
        if regions.component_weights.min() < k:
            continue
        safe = max(3 * k - 3, max(weights))
        limit = safe + int(rng.integers(0, 2 * k)) * int(rng.integers(0, 2))
        near = neighbor_sets(len(weights), edges)
        stars = Stars(near, weights, regions.components, k, limit)
        check_states(stars, edges)
        separator = push_branches(stars)
        check_states(stars, edges)
        if not separator:
            assert max(stars.load) <= limit
            seen["within"] += 1
            continue
        bound = separator_bound(regions, k, separator)
        assert bound.value >= limit - k + 2
        if len(weights) <= 8:
            assert bound.value <= optimum(weights, edges, k)[0]
        seen["proof"] += 1
    assert min(seen.values()) > 0


@pytest.mark.parametrize("seed", range(6))
def test_below_three_k_a_step_too_far_is_refused(seed):
    rng = np.random.default_rng(seed)
    refused = 0
    for _ in range(300):
        weights, edges, k = random_instance(rng, 8)
        regions = Regions(range(len(weights)), weights, edges)
        if regions.component_weights.min() < k:
            continue
        limit = int(rng.integers(k, max(3 * k - 3, k + 1)))
        try:
            stars = Stars(neighbor_sets(len(weights), edges), weights, regions.components, k, limit)
            separator = push_branches(stars)
        except Stuck:
            refused += 1
            continue
        check_states(stars, edges)
        if separator:
            assert limit - k + 2 <= separator_bound(regions, k, separator).value <= optimum(weights, edges, k)[0]
        else:
            assert max(stars.load) <= limit
    assert refused > 0


def test_atoms_that_touch_become_a_class():
    """Two stars whose leaves 3 and 6 border each other: 3 + 3 reaches k = 5 when one of the stars is overloaded."""
    edges = [(0, v) for v in range(2, 9)] + [(1, v) for v in range(9, 16)] + [(8, 9), (0, 1)]
    weights = [3, 3] + [3] * 14
    owner = np.array([0, 1] + [0] * 7 + [1] * 7)
    stars = Stars(neighbor_sets(16, edges), weights, owner, 5, 17)
    push_branches(stars)
    check_states(stars, edges)
    assert stars.owner[8] == stars.owner[9] == 2


@pytest.mark.thorough
@compiled_only
def test_atoms_that_cannot_be_a_class_are_swallowed(monkeypatch):
    """Touching stars near the least limit: a class that swallowed an atom opens and, if it closes again, is refused."""
    swallowed = []

    def swallow(stars, number, atom, other, unwatched=Stars.swallow):
        before = stars.load[other]
        unwatched(stars, number, atom, other)
        assert stars.limit - stars.k + 2 <= before <= stars.load[other] <= 3 * stars.k - 3
        assert stars.center[other] < 0
        swallowed.append(other)

    monkeypatch.setattr(Stars, "swallow", swallow)
    proofs = 0
    for seed in range(1500):
        rng = np.random.default_rng(seed)
        k = int(rng.choice([3, 4, 5, 7, 10]))
        weights, edges, own = planted_stars(rng, k, int(rng.integers(6, 40)))
        owner = np.unique(own, return_inverse=True)[1]
        limit = max(3 * k - 3, *weights)
        stars = Stars(neighbor_sets(len(weights), edges), weights, owner, k, limit)
        separator = push_branches(stars)
        check_states(stars, edges)
        if separator:
            assert separator_bound(Regions(range(len(weights)), weights, edges), k, separator).value >= limit - k + 2
            proofs += 1
        else:
            assert max(stars.load) <= limit
    assert len(swallowed) > 3
    assert proofs > 3
