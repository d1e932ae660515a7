"""Minima, areas that stay together, areas kept apart and barriers, against brute force and one by one."""

import re
from dataclasses import replace

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.model.known import FAMILIES
from kanon_engine.model.wishes import KEPT
from kanon_engine.regions import partitions, recombine
from kanon_engine.regions.wishes import HANDLE_ALL, blocks
from kanon_engine.verification.regions import WishedMap
from tests.compiled import COMPILED, SHARE
from tests.corruption import failed, passes, refused
from tests.oracles import region_wishes as oracle
from tests.regions.graphs import grid
from tests.regions.wished_maps import seeded, wished_map
from tests.sentences import (
    ALL_WEIGHTS_ARE_0,
    APART_AND_TOGETHER,
    GIVE_A_LIST_OF_SETS,
    HAS_FEWER_THAN_TWO,
    LOWER_K_TO,
    NO_SUCH_ITEM,
    REQUIRE_LESS,
)
from tests.verification.proven import area_of, read

NAMES = [algorithm.name for algorithm in kanon.algorithms("regions")]
NAMED = re.compile(
    r"satisfies (?:all of these rules|this rule): (.*?)\. Remove (?:one of these rules|this rule), or lower k\.$"
)
COUNTED = re.compile(rf"must (also )?(stay together|all be apart)|{ALL_WEIGHTS_ARE_0}|< k = |fewer than")


def quick(regions, k, name, **settings):
    """A result without a long search."""
    options = {"effort": 0.02} if name == "recombine" else {}
    return kanon.generalize(regions, k, name, **settings, **options)


def results(case, seed, names=NAMES):
    """(name, result or what was raised) of each algorithm; a result was verified when it was made."""
    for name in names:
        try:
            yield name, quick(case.regions, case.k, name, require=case.require, seed=seed)
        except kanon.KanonError as error:
            yield name, error


@pytest.mark.parametrize("seed", range(300))
def test_brute_force_agrees(seed):
    """Feasible, bound <= optimum <= cost, what is infeasible said to be so; refused only what cannot be kept."""
    case = seeded(seed)
    found = dict(results(case, seed))
    for name, g in found.items():
        if isinstance(g, kanon.InvalidInput):
            assert name not in HANDLE_ALL
        elif case.best is None:
            assert isinstance(g, kanon.Infeasible), (name, g)
        else:
            assert isinstance(g, kanon.Generalization), (name, g)
            assert g.lower_bound <= case.best <= g.cost, name
            assert kept(case, g)
            assert passes(case.regions, kanon.Generalization.from_json(g.to_json()))
            assert name != "exact" or g.cost == case.best
    if case.best is not None and isinstance(found["tree-split"], kanon.Generalization):
        whole = kanon.generalize(case.regions, case.k, "recombine", require=case.require, seed=seed, effort=0.1)
        assert whole.cost <= found["tree-split"].cost


def kept(case, g):
    """Whether a result keeps every wish, in plain Python."""
    groups = [set(np.flatnonzero(g.assignment == number).tolist()) for number in range(g.classes)]
    weights = case.regions.weights.tolist()
    return (
        all(sum(weights[v] for v in own) >= case.k for own in groups)
        and all(
            sum(case.regions.columns[one.column][v] for v in own) >= one.m for one in case.require for own in groups
        )
        and all(any(own >= set(held) for own in groups) for held in case.regions.together)
        and all(len(own & set(rivals)) < 2 for own in groups for rivals in case.regions.apart)
        and (not case.regions.barriers or all(any(own <= block for block in case.blocks) for own in groups))
    )


@pytest.fixture
def no_sets(monkeypatch):
    """No look at all sets of areas: the annealing has to find a partition, or CP-SAT."""
    monkeypatch.setattr(recombine, "SMALL", 0)
    monkeypatch.setattr(partitions, "SMALL", 0)


@pytest.mark.usefixtures("no_sets")
@pytest.mark.parametrize("seed", range(1000, 1030))
def test_searches_alone_agree(seed):
    case = seeded(seed)
    for _, g in results(case, seed, HANDLE_ALL):
        if case.best is None:
            assert isinstance(g, kanon.Infeasible), g
        else:
            assert g.lower_bound <= case.best <= g.cost


@pytest.mark.usefixtures("no_sets")
def test_the_solver_alone_finds_or_refutes(monkeypatch):
    monkeypatch.setattr(recombine, "anneal_in_rounds", lambda search, run, steps: None)
    rng = np.random.default_rng(5)
    seen = set()
    for seed in range(24 // min(SHARE, 4)):
        case = wished_map(rng, kinds=("minimum", "together", "apart"))
        (_, g), *_ = results(case, seed, ["recombine"])
        assert isinstance(g, kanon.Infeasible) == (case.best is None)
        seen.add(case.best is None)
    assert seen == {True, False}


@pytest.mark.usefixtures("no_sets")
def test_what_is_not_known_is_said(monkeypatch):
    monkeypatch.setattr(partitions, "LARGEST_MODEL", 0)
    star = kanon.Regions(range(5), [1, 4, 4, 4, 4], [(0, v) for v in range(1, 5)], apart=[(1, 2)])
    with pytest.raises(kanon.InvalidInput, match=f"it is not known whether one exists; lower k, or {REQUIRE_LESS}"):
        quick(star, 5, "recombine")


def test_contradictions_are_named_and_none_too_many():
    """The wishes that a sentence names leave no partition; without any one of them there is one."""
    named = 0
    for seed in range(5000, 5000 + 200 // SHARE):
        case = seeded(seed)
        if case.best is not None:
            continue
        with pytest.raises(kanon.Infeasible) as caught:
            kanon.generalize(case.regions, case.k, "exact", require=case.require)
        told = NAMED.search(str(caught.value))
        if told is None:
            assert COUNTED.search(str(caught.value)), caught.value
            continue
        named += 1
        wishes = [wish_of(words) for words in told.group(1).split("; ")]
        assert best_with(case, wishes) is None
        for one in wishes:
            assert best_with(case, [other for other in wishes if other is not one]) is not None, (one, wishes)
    assert named > 10 // SHARE


def wish_of(words):
    """A wish as the sentence words it: its kind, and the areas (up to three are named) or the minimum."""
    if words == "the barriers":
        return "barriers", ()
    if words.startswith("at least"):
        return "minimum", int(words.split()[2])
    names, kind = words.rsplit(" ", 1)
    return kind, tuple(int(name) for name in re.findall(r"\d+", names))


def best_with(case, wishes):
    """The best partition with these wishes alone."""
    weights, edges = case.regions.weights.tolist(), case.regions.edges.tolist()
    sets = {kind: [own for name, own in wishes if name == kind] for kind in ("together", "apart")}
    barriers = case.regions.barriers if any(name == "barriers" for name, _ in wishes) else ()
    minima = [(case.regions.columns["homes"].tolist(), m) for name, m in wishes if name == "minimum"]
    found = oracle.blocks_of(weights, edges, case.k, minima, *sets.values(), barriers)[0]
    return oracle.best(weights, edges, case.k, minima, *sets.values(), found if barriers else None)


@pytest.mark.parametrize("seed", range(2000, 2040))
def test_barriers_are_crossed_where_they_must_and_only_there(seed):
    """Engine, verifier and the plain definition join the same; what was joined has no partition by itself."""
    case = seeded(seed, most=12, kinds=("minimum", "together", "apart", "barriers"))
    regions, k = case.regions, case.k
    weights, edges = regions.weights.tolist(), regions.edges.tolist()
    minima = [(regions.columns[one.column].tolist(), one.m) for one in case.require]
    joined, left = oracle.blocks_of(weights, edges, k, minima, regions.together, regions.apart, regions.barriers)
    try:
        regions.require_feasible(k)
    except kanon.Infeasible:
        return
    ours = blocks(regions, k, case.require)
    assert {frozenset(np.flatnonzero(ours.block_of == own).tolist()) for own in set(ours.block_of.tolist())} == set(
        map(frozenset, joined)
    )
    given = read(regions)
    wished = WishedMap(area_of(given, k, case.require), given.parts)
    assert wished.crossed == [tuple(pair) for pair in ours.joined.tolist()]
    assert len(left) == len(ours.joined)
    for own, (u, v) in zip(left, ours.joined.tolist(), strict=True):
        assert u in own
        assert v not in own
        assert alone(own, weights, edges, k, minima, regions) is None


def alone(own, weights, edges, k, minima, regions):
    """The best partition of these areas by themselves, all of whose wishes are kept within."""
    place = {v: number for number, v in enumerate(sorted(own))}
    if any(0 < len(own & set(held)) < len(set(held)) for held in regions.together):
        return None
    inside = [(place[a], place[b]) for a, b in edges if a in own and b in own]
    sets = [[[place[v] for v in one if v in own] for one in wished] for wished in (regions.together, regions.apart)]
    counts = [([values[v] for v in sorted(own)], least) for values, least in minima]
    return oracle.best([weights[v] for v in sorted(own)], inside, k, counts, *sets)


def county():
    """Two counties of six areas each, in two rows."""
    return grid(4, 3), [(0, 1, 2, 3, 4, 5), (6, 7, 8, 9, 10, 11)]


def test_no_group_crosses_a_county_line_that_need_not_be_crossed():
    edges, counties = county()
    plain = kanon.Regions(range(12), [5, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 5], edges)
    for name in NAMES:
        g = quick(replace(plain, barriers=counties), 5, name)
        assert all(len({v < 6 for v in np.flatnonzero(g.assignment == own)}) == 1 for own in range(g.classes))
        assert g.details.joined.tolist() == []
        light = quick(replace(plain, barriers=counties), 12, name)
        assert light.details.joined.tolist() == [[3, 6]]


def test_a_lock_is_a_set_that_stays_together_behind_a_barrier():
    path = kanon.Regions(range(6), [3] * 6, [(v, v + 1) for v in range(5)], together=[(2, 3)], barriers=[(2, 3)])
    for name in NAMES:
        g = quick(path, 5, name)
        assert g.classes == 3
        assert np.flatnonzero(g.assignment == g.assignment[2]).tolist() == [2, 3]


def test_sets_that_do_not_touch_stay_together_through_others():
    path = kanon.Regions(range(5), [4] * 5, [(v, v + 1) for v in range(4)], together=[(0, 2)])
    for name in HANDLE_ALL:
        g = quick(path, 4, name)
        assert g.assignment[0] == g.assignment[1] == g.assignment[2]
        assert (g.classes, g.cost) == (3, 12)
    for name in set(NAMES) - set(HANDLE_ALL):
        with pytest.raises(kanon.InvalidInput, match="no border joins 0 to 2; choose recombine or exact"):
            quick(path, 4, name)


def test_together_is_as_if_they_were_one_area():
    merged = kanon.Regions(range(5), [4, 9, 5, 3, 7], [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)])
    parted = kanon.Regions(
        range(6), [4, 4, 5, 3, 7, 5], [(0, 1), (1, 5), (5, 2), (2, 3), (3, 4), (0, 4)], together=[(1, 5)]
    )
    for name in NAMES:
        one, two = quick(parted, 8, name), quick(merged, 8, name)
        assert (one.cost, one.lower_bound, one.guarantee) == (two.cost, two.lower_bound, two.guarantee)
        assert one.details.degree == two.details.degree
        assert one.assignment[[0, 1, 2, 3, 4]].tolist() == two.assignment.tolist()


def test_a_map_without_borders_is_searched_too():
    apart = kanon.Regions(range(3), [5, 6, 7], [])
    assert quick(apart, 5, "recombine").class_weights.tolist() == [7, 6, 5]


def test_areas_apart_are_refused_by_the_others_in_words():
    path = kanon.Regions(range(4), [5] * 4, [(v, v + 1) for v in range(3)], apart=[(0, 1)])
    for name in set(NAMES) - set(HANDLE_ALL):
        with pytest.raises(kanon.InvalidInput, match=f"The algorithm {name} cannot keep areas apart; choose recombine"):
            quick(path, 5, name)
    across = replace(path, barriers=[(0,)])
    assert kanon.generalize(across, 5, "tree-split").classes == 4  # a barrier keeps them apart already


@pytest.mark.parametrize(
    ("wishes", "k", "sentence"),
    [
        ({"together": [(0, 1)], "apart": [(0, 1)]}, 5, f"0 and 1 {APART_AND_TOGETHER}"),
        ({"together": [(0, 1), (1, 2)], "apart": [(2, 0)]}, 5, "0 and 2 must be apart"),
        ({"together": [(0, 4)]}, 5, "0 and 4 must stay together, but no chain of neighbors connects them"),
        (
            {"apart": [(0, 1)]},
            7,
            "0 and all areas that can share its group have a total of 5 records, fewer than k = 7",
        ),
        ({"apart": [(0, 1, 3)]}, 7, "0 and all areas that can share"),
        (
            {"apart": [(0, 2)], "together": [(0, 3)]},
            5,
            "satisfies all of these rules: 0 and 3 together; 0 and 2 apart. Remove one",
        ),
    ],
)
def test_contradictions_in_words(wishes, k, sentence):
    path = kanon.Regions(range(6), [5, 5, 5, 3, 9, 9], [(0, 1), (1, 2), (2, 3), (4, 5)], **wishes)
    for name in HANDLE_ALL:
        with pytest.raises(kanon.Infeasible, match=sentence):
            quick(path, k, name)


def test_more_areas_apart_than_a_part_has_room_for():
    """They are sought once, for every k alike, and called by their own names in a part that is not the first."""
    edges = [(0, 1), (2, 3), (3, 5), (4, 5), (5, 6)]
    star = kanon.Regions(range(7), [9, 9, 4, 2, 6, 1, 6], edges, together=[(2, 3)], apart=[(3, 4, 6)])
    star.require_feasible(6)
    with pytest.raises(
        kanon.Infeasible, match=rf"3 areas must all be apart \(2, 4, 6\), .* {LOWER_K_TO} 6 or less, or"
    ):
        star.require_feasible(7)


def test_a_minimum_with_no_room_for_what_is_apart_is_named():
    path = kanon.Regions(range(3), [5] * 3, [(0, 1), (1, 2)], columns={"homes": [1, 1, 1]}, apart=[(0, 2)])
    with pytest.raises(
        kanon.Infeasible, match="satisfies all of these rules: 0 and 2 apart; at least 2 homes. Remove one"
    ):
        kanon.generalize(path, 5, require=kanon.Minimum("homes", 2))


@pytest.mark.parametrize(
    ("wishes", "check"),
    [({"together": [(0, 1)]}, "together"), ({"apart": [(0, 11)]}, "apart"), ({"barriers": county()[1]}, "barriers")],
)
def test_a_result_that_breaks_a_wish_fails_its_check(wishes, check):
    regions = kanon.Regions(range(12), [3] * 12, grid(4, 3), **wishes)
    g = kanon.generalize(replace(regions, together=(), apart=(), barriers=()), 6, "tree-split")
    broken = np.array([0, 1] * 6, dtype=np.int32) if check == "together" else np.zeros(12, dtype=np.int32)
    weights = np.bincount(broken, regions.weights).astype(np.int64)
    claim = replace(
        g, instance_digest=regions.digest, k=1, assignment=broken, class_weights=weights, cost=int(weights.max())
    )
    assert failed(regions, claim.sealed()) == check


def test_crossings_that_are_not_needed_are_refused():
    edges, counties = county()
    regions = kanon.Regions(range(12), [3] * 12, edges, barriers=counties)
    g = quick(regions, 20, "recombine")
    assert g.details.joined.tolist() == [[3, 6]]
    for other in ([], [[6, 3]], [[4, 7]], [[3, 6], [3, 6]]):
        joined = np.array(other, dtype=np.int32).reshape(-1, 2)
        assert failed(regions, replace(g, details=replace(g.details, joined=joined)).sealed()) == "crossings"


@pytest.mark.parametrize("algorithm", ["tree-split", "general-graph", "exact"])
def test_what_is_cut_is_an_edge_between_areas(algorithm):
    """Areas that stay together count as one, but no edge between two of them is cut, and no number is below zero."""
    regions = kanon.Regions(range(12), [3] * 12, grid(3, 4), together=[(0, 1)], barriers=[(0, 1, 4), (11,)])
    g = kanon.generalize(regions, 7, algorithm)
    assert [0, 1] in g.details.tree.tolist()
    cut = g.details.cut_edges
    for other in (cut - 12, np.vstack([cut, [[0, 1]]]), np.vstack([cut, [[-12, 1]]])):
        assert refused(regions, g, details=replace(g.details, cut_edges=other.astype(np.int32))) == "cut edges"


def test_the_digest_covers_wishes_and_is_the_old_one_without():
    def made(**wishes):
        return kanon.Regions("abc", [5, 4, 3], [(0, 1), (1, 2)], **wishes)

    assert made().digest == "b74fcda9cdd7bc2fb91918419fcb73534715fbf36c992d2c698906c7e19ec5e9"
    others = [made(**{name: [("a", "b")]}).digest for name in ("together", "apart", "barriers")]
    assert len({made().digest, *others}) == 4
    assert made(together=[], apart=(), barriers=()).digest == made().digest
    assert made(together=[{"b", "a"}]).digest == others[0]


@pytest.mark.parametrize(
    ("wishes", "sentence"),
    [
        ({"together": [("a", "x")]}, f"Set 1 of the areas {KEPT['together']} lists x, {NO_SUCH_ITEM} area"),
        ({"apart": [("a", "b"), ("c",)]}, f"Set 2 of the areas {KEPT['apart']} {HAS_FEWER_THAN_TWO} areas"),
        ({"apart": ["ab"]}, f"Set 1 of the areas {KEPT['apart']} is 'ab'; give a set of two areas or more"),
        ({"together": "ab"}, f"The areas {KEPT['together']} are 'ab'; {GIVE_A_LIST_OF_SETS} of areas"),
        ({"barriers": [()]}, "Set 1 of the areas inside a barrier has no area; add one or leave the set out"),
        ({"barriers": ["ab"]}, "Set 1 of the areas inside a barrier is 'ab'; give a set of areas"),
        ({"barriers": [([],)]}, f"lists .., {NO_SUCH_ITEM} area"),
    ],
)
def test_wishes_that_make_no_sense(wishes, sentence):
    with pytest.raises(kanon.InvalidInput, match=sentence):
        kanon.Regions("abc", [5, 4, 3], [(0, 1), (1, 2)], **wishes)


def test_compact_groups_that_keep_wishes_measure_their_own_borders():
    shapes = pytest.importorskip("geopandas").GeoSeries.from_wkt(
        [f"POLYGON(({x} {y},{x + 1} {y},{x + 1} {y + 1},{x} {y + 1},{x} {y}))" for y in range(4) for x in range(3)]
    )
    regions = kanon.Regions(range(12), [3] * 12, grid(4, 3), shapes, together=[(0, 1)], apart=[(0, 11)])
    g = kanon.generalize(regions, 9, compactness=1.0, effort=0.2)
    assert g.assignment[0] == g.assignment[1] != g.assignment[11]


@pytest.mark.skipif(not COMPILED, reason="slow without compiled kernels")
def test_a_large_map_keeps_many_wishes():
    rng = np.random.default_rng(3)
    cells = np.arange(400).reshape(20, 20)
    counties = [tuple(cells[10 * i : 10 * i + 10, 10 * j : 10 * j + 10].ravel()) for i in range(2) for j in range(2)]
    regions = kanon.Regions(
        range(400),
        rng.integers(1, 50, 400),
        grid(20, 20),
        columns={"homes": rng.integers(0, 9, 400)},
        together=[(0, 3), (45, 46)],
        apart=[(0, 9, 90), (210, 211), (399, 393, 333, 339)],
        barriers=counties,
    )
    g = kanon.generalize(regions, 300, require=kanon.Minimum("homes", 40), effort=0.05)
    assert g.gap < 0.2
    assert g.details.joined.tolist() == []
    with pytest.raises(kanon.Infeasible, match="399 and all areas that can share its group"):
        kanon.generalize(replace(regions, apart=[(399, 398, 379)]), 300)


@pytest.mark.parametrize(
    ("require", "together"), [((kanon.Minimum("homes", 3),), ()), ((), [(0, 1), (2, 3)]), ((), [(0, 2), (1, 3)])]
)
def test_a_look_at_all_partitions_knows_what_is_asked(require, together):
    """Four areas of 5, k = 5: 5 is the best without what is asked, 10 or 20 with it; only a bound above is refuted."""
    path = kanon.Regions(range(4), [5] * 4, [(0, 1), (1, 2), (2, 3)], columns={"homes": [3, 1, 2, 2]})
    held = replace(path, together=together)
    whole = kanon.generalize(held, 20, "exact")
    best = kanon.generalize(held, 5, "exact", require=require).cost
    assert best > 5
    claim = replace(whole, k=5, require=require)
    claim = replace(claim, bound_kind="solver", bound_name="exact search", bound_witness=())
    for bound in (best, min(best + 1, 20)):
        told = replace(claim, lower_bound=bound, status="optimal" if bound == 20 else "feasible").sealed()
        if bound == best:
            assert kanon.verify(held, told).proof == "checked"
        else:
            assert failed(held, told) == "exhaustive check"


def test_a_certificate_counts_one_set_as_one():
    line = kanon.Regions(
        "abcd", [5] * 4, [(0, 1), (1, 2), (2, 3)], together=[("a", "b")], apart=[("a", "d")], barriers=[("a", "b")]
    )
    told = {check.name: check.detail for check in kanon.verify(line, kanon.generalize(line, 5, "exact")).checks}
    assert told["together"] == "in 1 set, all areas must share a class; sets in which they do not: 0."
    assert told["apart"] == "in 1 set, no two areas may share a class; sets in which two do: 0."
    assert told["barriers"] == "sets with a barrier around them: 1; unneeded crossings: 0."
    assert told["crossings"] == "places at which barriers must be crossed: 0."


def test_the_promise_counts_areas_that_stay_together_as_one():
    line = kanon.Regions("abcdef", [3, 2, 3, 2, 3, 2], [(i, i + 1) for i in range(5)], together=[("a", "b")])
    g = kanon.generalize(line, 5, "tree-split")
    assert g.guarantee == 5 + g.details.degree * (5 - 1)
    words = FAMILIES["regions"].promised(line, g)
    assert words.startswith(f"at most {g.guarantee}, the heaviest areas that stay together plus {g.details.degree} ×")
