from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.regions.bounds import (
    best_light_set,
    capacity_bound,
    light_set_bound,
    lower_bound,
    most_classes,
    separators,
)
from kanon_engine.regions.instance import Regions
from tests.compiled import COMPILED, SHARE, compiled_only
from tests.oracles import regions as slow
from tests.oracles.regions_bitmask import optimum
from tests.regions.graphs import grid
from tests.regions.graphs_any import feasible, random_instance, simple, some
from tests.verification.proven import proven

pytestmark = pytest.mark.kernels


def test_both_oracles_agree():
    rng = np.random.default_rng(0)
    for _ in range(60 // SHARE):
        weights, edges, k = random_instance(rng, 7 - SHARE // 10)
        best = optimum(weights, edges, k)
        assert slow.optimum(weights, edges, k) == (best and best[0])


@pytest.mark.parametrize("seed", range(10))
def test_never_above_the_optimum_and_every_witness_proves_it(seed):
    names, better, tight = set(), 0, 0
    for _, regions, k, best in some(feasible(seed), 310):
        bound = lower_bound(regions, k)
        low = simple(regions, k)
        assert low <= bound.value <= best
        if bound.name in ("light set", "room for classes", "few choices"):
            assert proven(regions, k, bound.name, bound.witness) == bound.value
        names.add(bound.name)
        better += bound.value > low
        tight += bound.value == best
    assert names <= {"k", "heaviest area", "average class", "light set", "room for classes", "few choices"}
    if COMPILED:
        assert better > 50 // SHARE
        assert tight > 300 // SHARE


@pytest.mark.parametrize("seed", range(5))
def test_any_set_proves_a_bound(seed):
    """Not only the sets that the search picks; the recomputation by plain sets agrees on each."""
    for rng, regions, k, best in some(feasible(100 + seed), 200):
        anchor = int(rng.integers(len(regions)))
        part = np.flatnonzero(regions.components == regions.components[anchor])
        separator = rng.permutation(part)[: int(rng.integers(len(part) + 1))]
        value = capacity_bound(regions, k, anchor, separator)
        assert value <= best
        assert proven(regions, k, "room for classes", (anchor, *separator.tolist())) == value
        if len(separator):
            assert proven(regions, k, "hubs", tuple(separator.tolist())) <= value
        light = rng.permutation(len(regions))[: int(rng.integers(1, 4))]
        claimed = proven(regions, k, "light set", tuple(light.tolist()))
        if claimed is not None:
            assert claimed == light_set_bound(regions, light) <= best


def test_the_best_components_are_weighed_in():
    """Against every subset of the heavy components."""
    for rng, regions, k, _ in some(feasible(7), 300):
        if len(regions.component_weights) > 1:
            continue
        separator = rng.permutation(len(regions))[: int(rng.integers(1, 4))]
        left = [v for v in range(len(regions)) if v not in separator]
        components = pieces(left, regions.edges.tolist())
        counted = [(regions.weights[c].sum(), most_classes(regions.weights[c], k)) for c in components]
        light = regions.weights[separator].sum() + sum(w for w, most in counted if most == 0)
        heavy = [one for one in counted if one[1]]
        best = max(
            -(-(light + sum(w for w, _ in chosen)) // (len(separator) + sum(most for _, most in chosen)))
            for size in range(len(heavy) + 1)
            for chosen in combinations(heavy, size)
        )
        assert capacity_bound(regions, k, int(separator[0]), separator) == best


def pieces(left, edges):
    found = []
    while left:
        grown = {left[0]}
        while more := {b for e in edges for a, b in (e, e[::-1]) if a in grown and b in left} - grown:
            grown |= more
        found.append(sorted(grown))
        left = [v for v in left if v not in grown]
    return found


def test_most_classes_is_never_too_few():
    rng = np.random.default_rng(1)
    for _ in range(300):
        n, k = int(rng.integers(1, 8)), int(rng.integers(1, 12))
        weights = rng.integers(0, 2 * k, n)
        everyone = [(a, b) for a in range(n) for b in range(a)]
        most = max((c for c in range(1, n + 1) if packs(weights.tolist(), c, k)), default=0)
        assert most <= most_classes(weights, k)
        if weights.sum() >= k:
            regions = Regions(range(n), weights, everyone)
            assert lower_bound(regions, k).value >= -(-regions.total // most_classes(weights, k))


def packs(weights, classes, k, loads=()):
    """Whether the weights fill this many classes."""
    if not weights:
        return sum(load >= k for load in loads) >= classes
    options = [loads[:i] + (loads[i] + weights[0],) + loads[i + 1 :] for i in range(len(loads))]
    options += [(*loads, weights[0])] if len(loads) < classes else []
    return any(packs(weights[1:], classes, k, option) for option in options)


def test_the_part_with_the_fewest_choices_decides():
    regions = Regions(range(4), [5, 4, 8, 8], [(0, 1), (2, 3)])
    bound = lower_bound(regions, 5)
    assert (bound.value, bound.name, bound.witness) == (9, "average class", (0,))


def test_leaf_blocks_go_with_their_cut_vertex():
    """A triangle of hubs, two light triangles hanging on each: three classes at most, though the weight is for four."""
    edges = [(0, 1), (1, 2), (0, 2)]
    for leaf in range(6):
        hub, a = leaf % 3, 3 + 2 * leaf
        edges += [(hub, a), (hub, a + 1), (a, a + 1)]
    regions = Regions(range(15), [1] * 3 + [2] * 12, edges)
    assert lower_bound(regions, 6).value == proven(regions, 6, "room for classes", (0, 0, 1, 2)) == 9
    assert [0, 1, 2] in [separator.tolist() for _, separator in separators(regions, 6)]


@compiled_only
def test_a_large_map_of_several_parts():
    rng = np.random.default_rng(0)
    edges = np.vstack([grid(40, 40), grid(40, 40) + 1600])
    regions = Regions(range(3200), rng.integers(0, 50, 3200), edges)
    bound = lower_bound(regions, 5000)
    whole = max(-(-w // (w // 5000)) for w in regions.component_weights.tolist())
    assert bound.value >= whole
    assert all(capacity_bound(regions, 5000, *one) <= 6000 for one in separators(regions, 5000))


def test_no_light_set_where_nobody_is_light():
    assert len(best_light_set(Regions([0, 1], [3, 4], [(0, 1)]), 3)) == 0


@pytest.fixture(scope="module", params=["light set", "room for classes", "few choices"])
def bounded(request):
    """A result whose bound has this name and is below its cost."""
    for seed in range(1000):
        for _, regions, k, _ in some(feasible(seed, 7 - SHARE // 10), 20):
            bound = lower_bound(regions, k)
            if bound.name == request.param and len(bound.witness) > COMPILED:
                good = kanon.generalize(regions, k, "tree-split")
                if bound.value < good.cost:
                    return regions, good
    raise AssertionError("no instance found")


def test_spoilt_witnesses_are_refused(bounded):
    regions, good = bounded
    n = len(regions)
    kanon.verify(regions, good)
    outside = tuple(v for v in range(n) if v not in good.bound_witness)
    witnesses = [
        (),
        (-1,),
        (n,),
        (0.0,),
        (True, *good.bound_witness),
        good.bound_witness[:1] * 3,
        tuple(range(n)),
        outside,
    ]
    for witness in witnesses:
        for value in {good.lower_bound, good.lower_bound + 1, good.cost}:
            status = "optimal" if value == good.cost else "feasible"
            spoilt = replace(good, bound_witness=witness, lower_bound=value, status=status).sealed()
            if value > good.lower_bound or proven(regions, good.k, good.bound_name, witness) != value:
                with pytest.raises(kanon.CertificateError) as caught:
                    kanon.verify(regions, spoilt)
                assert caught.value.check in ("bound witness", "form")
    for name in ("light set", "room for classes", "few choices", "no way round", "hubs", "k", "heaviest area"):
        spoilt = replace(good, bound_name=name, lower_bound=good.cost, status="optimal").sealed()
        with pytest.raises(kanon.CertificateError):
            kanon.verify(regions, spoilt)


def test_light_sets_are_not_followed_through_a_great_hub():
    """1,500 leaves of 2 on a hub of 1: from every leaf the hub comes next, and there it ends."""
    leaves = range(1, 1501)
    star = Regions(range(1501), [1] + [2] * 1500, [(0, leaf) for leaf in leaves])
    members = best_light_set(star, 10)
    assert len(members) == 1
    assert light_set_bound(star, members) == 3
