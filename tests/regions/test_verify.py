from dataclasses import replace

import numpy as np
import pytest

import kanon_engine as kanon
from tests.corruption import corrupted, failed, passes
from tests.regions.graphs import grid
from tests.verification.proven import proven


@pytest.fixture(scope="module")
def regions():
    return kanon.Regions(range(36), np.random.default_rng(3).integers(0, 20, 36), grid(6, 6))


@pytest.fixture(scope="module")
def good(regions):
    return kanon.generalize(regions, 40, "tree-split")


def test_every_spoilt_field_is_caught(regions, good):
    for name, spoilt in corrupted(good):
        assert failed(regions, spoilt), name


def spoil_digest_too(g, **fields):
    return replace(g, **fields).sealed()


def test_spoilt_claims_are_caught_even_when_sealed_again(regions, good):
    moved = good.assignment.copy()
    moved[0] = (moved[0] + 1) % good.classes
    cases = {
        "class weights": spoil_digest_too(good, assignment=moved),
        "cost": spoil_digest_too(good, cost=good.cost + 1),
        "bound witness": spoil_digest_too(good, lower_bound=good.lower_bound + 1),
        "guarantee formula": spoil_digest_too(good, guarantee=good.guarantee - 1),
        "branches": spoil_digest_too(good, details=replace(good.details, degree=good.details.degree + 1)),
        "cut edges": spoil_digest_too(good, details=replace(good.details, cut_edges=good.details.cut_edges[1:])),
        "spanning tree": spoil_digest_too(good, details=replace(good.details, tree=good.details.tree[1:])),
        "status": spoil_digest_too(good, status="stopped" if good.status == "optimal" else "optimal"),
    }
    for check, spoilt in cases.items():
        assert failed(regions, spoilt) == check


def test_classes_that_fall_apart_are_caught(regions, good):
    two = np.full(36, 0, dtype=np.int32)
    two[[0, 35]] = 1
    sums = np.array([regions.weights[two == c].sum() for c in (0, 1)])
    spoilt = replace(good, assignment=two, class_weights=sums, k=1, cost=int(sums.max())).sealed()
    with pytest.raises(kanon.CertificateError, match="connectivity"):
        kanon.verify(regions, spoilt)


def test_another_instance_is_caught(regions, good):
    other = kanon.Regions(regions.ids, np.roll(regions.weights, 1), regions.edges)
    with pytest.raises(kanon.CertificateError, match="instance"):
        kanon.verify(other, good)


def test_the_tree_is_made_of_edges_of_the_map():
    """The other tree spans all areas and falls into the classes, but 1 and 3 share no border."""
    regions = kanon.Regions(range(4), [3, 3, 3, 3], [(0, 1), (1, 2), (2, 3)])
    g = kanon.generalize(regions, 6, "tree-split")
    assert g.assignment.tolist() == [0, 0, 1, 1]
    other = replace(
        g.details,
        tree=np.array([[0, 1], [1, 3], [2, 3]], dtype=np.int32),
        cut_edges=np.array([[1, 3]], dtype=np.int32),
    )
    assert failed(regions, spoil_digest_too(g, details=other)) == "spanning tree"


CUBE = [(a, a | 1 << bit) for a in range(8) for bit in range(3) if not a >> bit & 1]
OCTAHEDRON = [(a, b) for a in range(6) for b in range(a) if a + b != 5]
EVERY_PAIR_OF_6 = [(a, b) for a in range(6) for b in range(a)]
EACH_TO_EACH = [(a, b) for a in range(4) for b in range(4, 8)]  # not planar, which 16 <= 3 * 8 - 6 edges do not show
BY_4 = "Theorem 3: 4-connected planar, d = 2, ratio 3"
BY_3 = "Theorem 3: 3-connected planar, d = 3, ratio 4"
BY_2 = "Lemma 2: any graph, ratio 1 + d"


@pytest.mark.parametrize(
    ("edges", "tree", "words", "right"),
    [
        (OCTAHEDRON, [(0, 1), (1, 2), (2, 4), (4, 3), (3, 5)], BY_4, True),
        (OCTAHEDRON, [(0, 1), (1, 2), (2, 4), (4, 3), (3, 5)], BY_3, True),
        (OCTAHEDRON, [(0, 1), (1, 2), (2, 4), (4, 3), (4, 5)], BY_4, False),  # a vertex of degree 3
        (OCTAHEDRON, [(0, 1), (1, 2), (2, 4), (4, 3), (4, 5)], BY_3, True),
        (OCTAHEDRON, [(0, 1), (0, 2), (0, 3), (0, 4), (4, 5)], BY_3, False),  # one of degree 4
        (OCTAHEDRON, [(0, 1), (0, 2), (0, 3), (0, 4), (4, 5)], BY_2, True),
        (CUBE, [(0, 1), (1, 3), (3, 2), (2, 6), (6, 7), (7, 5), (5, 4)], BY_3, True),
        (CUBE, [(0, 1), (1, 3), (3, 2), (2, 6), (6, 7), (7, 5), (5, 4)], BY_4, False),  # three neighbors only
        (CUBE[1:], [(0, 2), (1, 3), (3, 2), (2, 6), (6, 7), (7, 5), (5, 4)], BY_3, False),  # two at both ends
        (EVERY_PAIR_OF_6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)], BY_4, False),  # 15 edges, more than 3 n - 6
        (EVERY_PAIR_OF_6, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)], BY_2, True),
        (EACH_TO_EACH, [(0, 4), (4, 1), (1, 5), (5, 2), (2, 6), (6, 3), (3, 7)], BY_4, True),
        (EACH_TO_EACH, [(0, 4), (4, 1), (1, 5), (5, 2), (2, 6), (6, 3), (3, 7)], BY_3, True),
        (OCTAHEDRON, [(0, 1), (1, 2), (2, 4), (4, 3), (3, 5)], "", False),
        (OCTAHEDRON, [(0, 1), (1, 2), (2, 4), (4, 3), (3, 5)], "Theorem 3", False),
    ],
)
def test_a_theorem_is_named_only_where_graph_and_tree_allow_it(edges, tree, words, right):
    n = 1 + max(map(max, edges))
    regions = kanon.Regions(range(n), [1] * n, edges)
    g = kanon.generalize(regions, n, "tree-split")
    degree = int(np.bincount(np.ravel(tree)).max())
    details = replace(g.details, tree=np.array(tree, dtype=np.int32), degree=degree, theorem=words)
    claim = replace(g, details=details, guarantee=1 + degree * (n - 1)).sealed()
    if right:
        kanon.verify(regions, claim)
    else:
        assert failed(regions, claim) == "theorem"


@pytest.mark.parametrize("name", ["general-graph", "recombine"])
def test_only_cutting_a_tree_gives_a_theorem(regions, name):
    g = kanon.generalize(regions, 40, name)
    assert g.details.theorem == ""
    assert failed(regions, spoil_digest_too(g, details=replace(g.details, theorem=BY_2))) == "theorem"


@pytest.mark.parametrize("status", ["feasible", "stopped"])
def test_general_graph_keeps_its_guarantee(regions, status):
    """Stopped or not: its cost is within the ceiling."""
    g = kanon.generalize(regions, 40, "general-graph")
    assert g.lower_bound < g.cost <= g.guarantee
    kanon.verify(regions, spoil_digest_too(g, status=status))
    assert failed(regions, spoil_digest_too(g, status=status, guarantee=None)) == "guarantee formula"


def test_the_kind_of_tree_that_was_asked_for_is_the_one_that_is_told():
    regions = kanon.Regions(range(7), [5, 3, 1, 4, 6, 2, 9], [(i, i + 1) for i in range(6)])
    g = kanon.generalize(regions, 7, "tree-split")
    for tree in ("auto", "low-degree", "random"):
        assert passes(regions, replace(g, options={"tree": tree}).sealed())
    for tree in ("hamiltonian", "degree-3"):
        assert failed(regions, replace(g, options={"tree": tree}).sealed()) == "kind of tree"


@pytest.fixture(scope="module")
def islands():
    """Two paths of three areas and a join that is no border."""
    edges = [(0, 1), (1, 2), (3, 4), (4, 5), (2, 3)]
    regions = kanon.Regions(range(6), [5, 1, 4, 3, 3, 8], edges, added_edges=[(2, 3)])
    g = kanon.generalize(regions, 6, "tree-split")
    assert g.assignment.tolist() == [2, 2, 1, 1, 0, 0]
    return regions, g


def pairs_of(*edges):
    return np.array(edges, dtype=np.int32).reshape(-1, 2)


TREE = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]


@pytest.mark.parametrize(
    ("check", "details"),
    [
        (None, {}),
        (None, {"tree": pairs_of(*((b, a) for a, b in TREE)), "cut_edges": pairs_of((2, 1), (4, 3))}),
        ("form of the result's details", {"tree": pairs_of(*TREE).astype(np.int64)}),
        ("form of the result's details", {"tree": np.array([(*edge, 0) for edge in TREE], dtype=np.int32)}),
        ("form of the result's details", {"tree": pairs_of(*TREE).ravel()}),
        ("form of the result's details", {"cut_edges": pairs_of((1, 2), (3, 4)).astype(np.int64)}),
        ("form of the result's details", {"added_edges": pairs_of((2, 3)).astype(np.int64)}),
        ("form of the result's details", {"degree": 2.0}),
        ("form of the result's details", {"degree": np.int64(2)}),
        ("form of the result's details", {"heuristic": None}),
        ("form of the result's details", {"theorem": None}),
        ("form of the result's details", {"heuristic": 5, "theorem": 5}),
        ("added edges", {"added_edges": pairs_of()}),
        ("added edges", {"added_edges": pairs_of((3, 2))}),
        ("spanning tree", {"tree": pairs_of(*TREE[:-1])}),
        ("spanning tree", {"tree": pairs_of(*TREE, (4, 5))}),
        ("spanning tree", {"tree": pairs_of(*TREE[:-1], (1, 0))}),
        ("branches", {"degree": 3}),
        ("cut edges", {"cut_edges": pairs_of((1, 2))}),
        ("cut edges", {"cut_edges": pairs_of((1, 2), (3, 4), (4, 5))}),
        ("cut edges", {"cut_edges": pairs_of((1, 2), (2, 3))}),
        ("cut edges", {"cut_edges": pairs_of((1, 2), (3, 4), (4, 3))}),
        ("cut edges", {"cut_edges": pairs_of((1, 2), (3, 4), (0, 5))}),
        ("details", None),
    ],
)
def test_a_tree_and_its_cuts_are_told_by_the_check_that_fails(islands, check, details):
    regions, g = islands
    claim = spoil_digest_too(g, details=None if details is None else replace(g.details, **details))
    if check is None:
        kanon.verify(regions, claim)
    else:
        assert failed(regions, claim) == check


def test_a_map_in_parts_has_a_tree_in_each_and_an_average_over_any_of_them():
    regions = kanon.Regions(range(6), [5, 1, 4, 3, 3, 8], [(0, 1), (1, 2), (3, 4), (4, 5)])
    g = kanon.generalize(regions, 7, "tree-split")
    assert (g.cost, g.details.tree.tolist()) == (14, [[0, 1], [1, 2], [3, 4], [4, 5]])
    values = {(0,): 10, (1,): 7, (0, 1): 8, (1, 0): 8, (1, 1): None, (): None, (-1,): None, (-2,): None, (0, -1): None}
    from_the_end = {(-1,): 7, (-2,): 10, (0, -1): 8}
    for witness, value in values.items():
        told = value or from_the_end.get(witness, 10)
        claim = replace(g, bound_name="average class", bound_witness=witness, lower_bound=told)
        claim = replace(claim, status="optimal" if claim.lower_bound == g.cost else "feasible").sealed()
        wrong = spoil_digest_too(claim, lower_bound=claim.lower_bound + 1)
        if value is None:
            assert failed(regions, claim) == "bound witness", witness
        elif value >= 8:  # the heaviest area, and all 24 in three classes: what every claim must reach
            kanon.verify(regions, claim)
        else:
            assert failed(regions, claim) == "simple bound", witness
        assert failed(regions, wrong) == "bound witness", witness
    assert failed(regions, spoil_digest_too(g, bound_name="average class", bound_witness=(2,))) == "bound witness"


@pytest.mark.parametrize(
    ("name", "witness", "value"),
    [
        ("light set", (1,), 1 + 4),
        ("light set", (1, 0), 5 + 4),
        ("hubs", (1,), 1),
        ("room for classes", (1, 1), 1),
        ("room for classes", (0,), 8),
    ],
)
def test_a_witness_names_areas_of_the_map_once_each(islands, name, witness, value):
    regions, _ = islands
    good = proven(regions, 7, name, witness)
    assert good is not None
    assert good >= value
    spoilt = [(*witness, witness[-1]) if name != "room for classes" or len(witness) > 1 else (), ()]
    spoilt += [(*witness[:-1], other) for other in (-1, -6, 6, 1.0, True, None)]
    for other in spoilt:
        assert proven(regions, 7, name, other) is None, other
    assert proven(regions, 7, "no bound", witness) is None
