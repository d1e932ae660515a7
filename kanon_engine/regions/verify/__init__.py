"""The independent check of region results: connectivity, the tree and its cuts, the bound."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from kanon_engine.regions.instance import Regions, TreeDetails
from kanon_engine.regions.verify.bounds import proven
from kanon_engine.regions.verify.wishes import Ground, crossings, kept, of_items
from kanon_engine.verification.check import Check

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization


def verify(regions: Regions, g: Generalization) -> Iterator[Check]:
    """Every claim that only regions make; see `kanon_engine.verification.verify`."""
    ground = Ground(regions, g) if regions.wished else None
    if ground is not None:
        yield from kept(regions, g, ground)
    inside = regions.edges[g.assignment[regions.edges[:, 0]] == g.assignment[regions.edges[:, 1]]]
    parts = _parts(len(regions), inside)[0]
    yield Check(
        "connectivity", parts == g.classes, f"the {g.classes:,} classes form {parts:,} connected sets of areas."
    )
    yield _bound(regions if ground is None else ground.items(True)[0], g)
    details = g.details
    record = isinstance(details, TreeDetails)
    yield Check("details", record, f"the details are a {type(details).__name__}.")
    yield _details_form(details)
    same = np.array_equal(details.added_edges, regions.added_edges)
    yield Check("added edges", same, f"{len(regions.added_edges):,} edges join parts that share no border.")
    yield _spanning(
        regions if ground is None else replace(regions, edges=ground.edges(), added_edges=regions.edges[:0]),
        details.tree,
    )
    if ground is not None:
        if regions.barriers:
            yield crossings(g, ground)
        items, item = ground.items(False)
        regions, g = items, of_items(g, item)
        yield _spanning(items, g.details.tree)
    yield from _tree(regions, g, g.details)


def _details_form(details: TreeDetails) -> Check:
    arrays = (details.tree, details.cut_edges, details.added_edges)
    pairs = all(array.dtype == np.int32 and array.ndim == 2 and array.shape[1] == 2 for array in arrays)
    words = type(details.degree) is int and type(details.heuristic) is type(details.theorem) is str
    return Check("details form", pairs and words, "the edges are pairs of positions, the degree is a whole number.")


def _spanning(regions: Regions, tree: np.ndarray) -> Check:
    known = {tuple(edge) for edge in regions.edges.tolist()}
    drawn = [tuple(edge) for edge in np.sort(tree, axis=1).tolist()]
    # so many edges fewer parts: none of them is there twice or closes a circle
    spanning = known.issuperset(drawn) and _parts(len(regions), tree)[0] == len(regions) - len(drawn) == len(
        regions.component_weights
    )
    return Check("spanning tree", spanning, f"{len(drawn):,} edges of the map join all areas without a cycle.")


def _tree(regions: Regions, g: Generalization, details: TreeDetails) -> Iterator[Check]:
    tree = np.sort(details.tree, axis=1)
    drawn = [tuple(edge) for edge in tree.tolist()]
    degree = int(np.bincount(tree.ravel(), minlength=1).max())
    yield Check("tree degree", degree == details.degree, f"the largest degree of the tree is {degree}.")
    yield _theorem(regions, g.algorithm == "tree-split", degree, details.theorem)
    if g.algorithm == "tree-split":
        promised = KINDS_OF_TREE[g.options["tree"]]
        yield Check("kind of tree", details.theorem in promised, f"asked for was a tree of kind {g.options['tree']}.")
    cut = {tuple(sorted(edge)) for edge in details.cut_edges.tolist()}
    right = cut.issubset(drawn) and len(cut) == len(details.cut_edges)
    kept = np.array([edge for edge in drawn if edge not in cut], dtype=np.int64).reshape(-1, 2)
    count, label = _parts(len(regions), kept)
    pairs = len(np.unique(label.astype(np.int64) * g.classes + g.assignment))
    yield Check(
        "cut edges", right and count == pairs == g.classes, f"cutting {len(cut):,} tree edges leaves the classes."
    )
    formula_of = _no_ceiling if g.require else CEILINGS.get(g.algorithm, _no_ceiling)  # merged classes may exceed it
    formula, ceiling = formula_of(max(regions.weights.tolist()), degree, g)
    yield Check("guarantee formula", g.guarantee == ceiling, f"{formula} is {ceiling}.")


def _theorem(regions: Regions, cuts_a_tree: bool, degree: int, words: str) -> Check:
    """The claim on the degree and that the graph is planar; of how connected it is, only what its degrees show."""
    if words == "" and not cuts_a_tree:
        return Check("theorem", True, "the classes were not made by cutting the tree.")
    n = len(regions)
    connected, largest = THEOREMS.get(words, (n, 0))
    least = int(np.bincount(regions.edges.ravel(), minlength=n).min())
    planar = connected == 0 or _planar(regions)
    right = cuts_a_tree and least >= connected and planar and (largest is None or degree <= largest)
    return Check(
        "theorem", right, f"“{words}” for a tree of degree {degree}; every area has {least} neighbours or more."
    )


@lru_cache(maxsize=1)
def _planar(regions: Regions) -> bool:
    """Asked once for many results of one map: it takes a second for 3,000 areas."""
    import networkx  # 0.2 s, which nothing else at start-up needs

    return bool(networkx.check_planarity(networkx.Graph(regions.edges.tolist()))[0])


# what a result may say of its tree: least number of neighbours that the graph must have, largest degree of the tree
THEOREMS: dict[str, tuple[int, int | None]] = {
    "Theorem 3: 4-connected planar, d = 2, ratio 3": (4, 2),
    "Theorem 3: 3-connected planar, d = 3, ratio 4": (3, 3),
    "Lemma 2: any graph, ratio 1 + d": (0, None),
}


# which of them holds for each kind of tree that can be asked for; a Hamiltonian path may be there and not be found
KINDS_OF_TREE = {
    "auto": tuple(THEOREMS),
    "hamiltonian": tuple(THEOREMS)[:2],
    "degree-3": tuple(THEOREMS)[1:2],
    "low-degree": tuple(THEOREMS)[2:],
    "random": tuple(THEOREMS)[2:],
}


def _tree_split_ceiling(heaviest: int, degree: int, g: Generalization) -> tuple[str, int]:
    return "heaviest + d (k - 1)", heaviest + degree * (g.k - 1)


def _general_graph_ceiling(heaviest: int, degree: int, g: Generalization) -> tuple[str, int | None]:
    """Only a run that was stopped may end above it, and then guarantees nothing."""
    ceiling = max(3 * g.k - 3, heaviest, g.lower_bound + g.k - 1)
    stopped = g.status == "stopped" and g.cost > ceiling
    return "max(3k - 3, heaviest, bound + k - 1)", None if stopped else ceiling


def _no_ceiling(heaviest: int, degree: int, g: Generalization) -> tuple[str, None]:
    return f"the ceiling of {g.algorithm}", None


CEILINGS: dict[str, Callable[[int, int, Generalization], tuple[str, int | None]]] = {
    "general-graph": _general_graph_ceiling,
    "tree-split": _tree_split_ceiling,
}


AVERAGES = ("average class", "average class with minima")


def _bound(regions: Regions, g: Generalization) -> Check:
    """Recompute the bound that the result names; the average class only over whole parts of the map."""
    weights = regions.weights.tolist()
    if g.bound_kind == "solver":
        named = g.bound_name == "exact search" and g.bound_witness == ()
        return Check("bound witness", named, f"{g.lower_bound:,} stands on the word of a search.")
    witness = g.bound_witness
    value: int | None
    if g.bound_name == "k" and witness == ():
        value = g.k
    elif g.bound_name == "heaviest area" and len(witness) == 1 and 0 <= witness[0] < len(weights):
        value = weights[witness[0]]
    elif g.bound_name in AVERAGES and len(witness) == len(set(witness)) > 0 and min(witness) >= 0:
        label = _parts(len(regions), regions.edges)[1].tolist()
        firsts = list(dict.fromkeys(label))
        chosen = {firsts[part] for part in witness}
        sums = {part: sum(w for w, own in zip(weights, label, strict=True) if own == part) for part in chosen}
        most = sum(_room(regions, g, g.bound_name, label, part) for part in chosen)
        value = -(-sum(sums.values()) // most)
    else:
        value = proven(regions, g.k, g.bound_name, witness)
    if value is None:
        return Check("bound witness", False, f"no bound is called {g.bound_name!r} with the witness {witness}.")
    return Check(
        "bound witness", value == g.lower_bound, f"“{g.bound_name}” gives {value:,}, the result says {g.lower_bound:,}."
    )


def _room(regions: Regions, g: Generalization, name: str, label: list[int], part: int) -> int:
    """How many classes a part holds at most: by its weight, and under the longer name also by every minimum."""
    demands = [(regions.weights, g.k)]
    if name == AVERAGES[1]:
        demands += [(regions.columns[required.column], required.m) for required in g.require]
    of_part = [[v for v, own in zip(values.tolist(), label, strict=True) if own == part] for values, _ in demands]
    return min(sum(values) // least for values, (_, least) in zip(of_part, demands, strict=True))


def _parts(n: int, edges: np.ndarray) -> tuple[int, np.ndarray]:
    graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
    count, label = connected_components(graph, directed=False)
    return int(count), label
