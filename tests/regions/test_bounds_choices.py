import numpy as np
import pytest

from kanon_engine.regions import bounds_kernels as kernels
from kanon_engine.regions.bounds import FEW_SETS, LISTING_STEPS, few_choices_bound, lower_bound
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.read import read_regions
from kanon_engine.regions.trees import neighbor_lists
from kanon_engine.regions.trees_kernels import Graph
from kanon_engine.verification import regions as verifier
from kanon_engine.verification.regions import SMALL_PIECE
from tests.compiled import COMPILED, SHARE, THOROUGH, compiled_only
from tests.oracles import region_choices as slow
from tests.regions.graphs import grid
from tests.regions.graphs_any import feasible, simple, some
from tests.verification.proven import proven

pytestmark = pytest.mark.kernels

RING = Regions(range(4), [10, 10, 13, 10], [(0, 1), (1, 2), (2, 3), (0, 3), (1, 3)])


@pytest.mark.parametrize("seed", range(4))
def test_alone_it_is_never_above_the_optimum_and_the_witness_proves_it(seed):
    better = 0
    for _, regions, k, best in some(feasible(seed), 250):
        low = simple(regions, k)
        bound = few_choices_bound(regions, k, low)
        if bound is None:
            continue
        better += 1
        cap, *areas = bound.witness
        assert low < bound.value == cap + 1 <= best
        assert areas == sorted(set(areas))
        assert proven(regions, k, "few choices", bound.witness) == bound.value
        assert slow.refuted(regions.weights.tolist(), regions.edges.tolist(), k, cap, areas)
        for v in areas if len(areas) > 1 else []:
            fewer = tuple(u for u in areas if u != v)
            assert proven(regions, k, "few choices", (cap, *fewer)) is None  # no area is named without need
    assert better > 70 // SHARE**2


def test_all_bounds_together_are_nearly_always_the_optimum():
    instances = list(some(feasible(50), 600))
    tight = sum(lower_bound(regions, k).value == best for _, regions, k, best in instances)
    assert tight >= 0.98 * len(instances) - 1


@pytest.mark.parametrize("seed", range(3))
def test_the_check_agrees_with_plain_sets_on_any_areas_and_caps(seed):
    refuted = 0
    for rng, regions, k, best in some(feasible(100 + seed, 7 - SHARE // 10), 80):
        areas = rng.permutation(len(regions))[: int(rng.integers(1, 5))].tolist()
        cap = int(rng.integers(k, max(k + 1, min(best + 3, regions.total))))
        expected = slow.refuted(regions.weights.tolist(), regions.edges.tolist(), k, cap, areas)
        claimed = proven(regions, k, "few choices", (cap, *areas))
        if cap < regions.total:
            assert claimed == (cap + 1 if expected else None)
            assert not expected or cap < best
        refuted += expected
    assert refuted > 0


@pytest.mark.parametrize("seed", range(2))
def test_the_sets_are_those_of_the_definition(seed):
    for rng, regions, k, _ in some(feasible(200 + seed, 7 - SHARE // 10), 100):
        n = len(regions)
        cap = int(rng.integers(k, 3 * k + 1))
        graph = Graph(*neighbor_lists(regions.edges, n), regions.weights)
        limits = kernels.ChoiceLimits(k, cap, 1 << n, 1_000_000)
        members, ends, counted, spent = kernels.classes_around(graph, np.arange(n), limits)
        masks = [sum(1 << v for v in own.tolist()) for own in np.split(members, ends[:-1])] if len(ends) else []
        possible = slow.possible_classes(regions.weights.tolist(), regions.edges.tolist(), k, cap)
        assert sorted(masks) == sorted(s for s in possible for _ in range(s.bit_count()))
        assert counted.tolist() == [sum(s >> v & 1 for s in possible) for v in range(n)]
        few = kernels.classes_around(graph, np.arange(n), limits._replace(sets=2))
        assert few[2].tolist() == [c if c <= 2 else -1 for c in counted.tolist()]
        assert len(few[1]) == sum(c for c in counted.tolist() if c <= 2)
        short = kernels.classes_around(graph, np.arange(n), limits._replace(steps=9))
        for one, all_of_them, cost in zip(short[2].tolist(), counted.tolist(), spent.tolist(), strict=True):
            assert one == all_of_them or (one == -1 and cost > 9)


def test_pieces_with_many_areas_are_not_looked_at():
    """A class at the end of a path of 1s leaves a light piece: seen up to 64 areas, by both sides."""
    for areas in (SMALL_PIECE, SMALL_PIECE + 1):
        n = areas + 2
        path = Regions(range(n), [100, 100] + [1] * areas, [(v, v + 1) for v in range(n - 1)])
        graph = Graph(*neighbor_lists(path.edges, n), path.weights)
        counted = kernels.classes_around(graph, np.array([1]), kernels.ChoiceLimits(100, 100, FEW_SETS, LISTING_STEPS))[
            2
        ]
        assert counted.tolist() == [areas > kernels.REST]
        assert proven(path, 100, "few choices", (100, 1)) == (101 if areas <= SMALL_PIECE else None)


def test_the_work_of_striking_out_is_limited():
    graph = Graph(*neighbor_lists(RING.edges, 4), RING.weights)
    members, ends, _, _ = kernels.classes_around(
        graph, np.array([1, 3]), kernels.ChoiceLimits(11, 22, FEW_SETS, LISTING_STEPS)
    )
    owner = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    order = np.argsort(members, kind="stable")
    first = np.searchsorted(members[order], np.arange(5))
    sets = kernels.PossibleSets(members, ends, first, owner[order])
    assert kernels.exclude(sets, np.array([1, 3]), 1_000)[0] >= 0
    assert kernels.exclude(sets, np.array([1, 3]), 0)[0] == -1


@compiled_only
def test_boston_and_new_york():
    """20,000 people in Boston: the best known largest class, 23,927, is the smallest possible."""
    boston = read_regions("sample_data/boston_tracts.geojson", weight="POP", id="poltract")
    bound = lower_bound(boston, 20_000)
    assert (bound.value, bound.name) == (23_927, "few choices")
    assert proven(boston, 20_000, bound.name, bound.witness) == bound.value
    higher = (bound.witness[0] + 1, *bound.witness[1:])
    assert proven(boston, 20_000, bound.name, higher) is None
    new_york = read_regions("sample_data/new_york_tracts.geojson", weight="POP8", id="AREAKEY")
    assert lower_bound(new_york, 10_000).value == 14_789
    assert lower_bound(new_york, 20_000).value == 21_676


@pytest.mark.parametrize("shape", ["star", "path", "grid"])
def test_large_graphs_stay_within_the_work(shape):
    """A hub with 3,000 leaves is never listed; on a path every area has few classes."""
    n = 3_000 if THOROUGH else 750 if COMPILED else 150
    edges = {
        "star": [(0, leaf) for leaf in range(1, n)],
        "path": [(v, v + 1) for v in range(n - 1)],
        "grid": grid(30, n // 30),
    }[shape]
    regions = Regions(range(n), np.random.default_rng(0).integers(1, 50, n), edges)
    bound = lower_bound(regions, 60)
    assert bound.value <= regions.total
    if shape == "path":
        assert bound.name == "few choices"
        assert bound.value <= optimum_of_path(regions.weights.tolist(), 60)
    assert proven(regions, 60, bound.name, bound.witness) in (bound.value, None if bound.name == "k" else bound.value)


def optimum_of_path(weights, k):
    best = [0] + [1 << 40] * len(weights)
    for end in range(1, len(weights) + 1):
        load = 0
        for begin in range(end - 1, -1, -1):
            load += weights[begin]
            if load > 6 * k:
                break
            if load >= k:
                best[end] = min(best[end], max(load, best[begin]))
    return best[-1]


def test_spoilt_witnesses_are_refused():
    bound = few_choices_bound(RING, 11, 15)
    assert bound is not None
    assert bound.value == proven(RING, 11, bound.name, bound.witness) == 23
    cap, *areas = bound.witness
    spoilt = [
        (),
        (cap,),
        (-1, *areas),
        (10, *areas),
        (23, *areas),
        (43, *areas),
        (cap, -1),
        (cap, 4),
        (cap, 0),
        (cap, 1),
    ]
    spoilt += [(cap, 1.0, 3), (True, *areas), (float(cap), *areas), (cap, 1, 1, 3), (cap, 2)]
    for witness in spoilt:
        assert proven(RING, 11, "few choices", witness) is None
    for name in ("light set", "room for classes", "hubs"):
        assert proven(RING, 11, name, bound.witness) != bound.value


@pytest.mark.parametrize(
    ("regions", "k", "witness", "enough", "too_little"),
    [
        (RING, 11, (22, 1, 3), 60, 20),
        (Regions(range(3), [6, 5, 2], [(0, 2)]), 3, (5, 0, 1), 3, 2),  # no class holds the first: all is said
    ],
)
def test_a_witness_is_refused_where_it_takes_more_than_so_much_work(
    regions, k, witness, enough, too_little, monkeypatch
):
    monkeypatch.setattr(verifier, "CHOICES", enough)
    assert proven(regions, k, "few choices", witness) == witness[0] + 1
    monkeypatch.setattr(verifier, "CHOICES", too_little)
    assert proven(regions, k, "few choices", witness) is None


def test_a_large_piece_beside_a_set_is_looked_at_once():
    """From one side of the set up to 64 areas more; from the other until an area of these is met."""
    n = 90
    near = [[(v + step) % n for step in (-1, 1, -2, 2)] for v in range(n)]
    check = verifier.Choices([1] * n, near, 5, 9)
    assert check._leaves_classes({0, 1})
    assert verifier.CHOICES - check.left == 44


@compiled_only
def test_the_check_gives_up_on_too_much():
    """A witness that would take for ever is none: an area in the middle of a large grid of light areas."""
    regions = Regions(range(900), [1] * 900, grid(30, 30))
    assert proven(regions, 40, "few choices", (45, 465)) is None
    star = Regions(range(3_001), [1] * 3_001, [(0, leaf) for leaf in range(1, 3_001)])
    assert proven(star, 5, "few choices", (8, 0)) is None
