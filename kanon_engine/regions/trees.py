"""Spanning trees and forests of maps, and planar graphs whose spanning trees have a low degree."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import networkx as nx
import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree

from kanon_engine.model.run import Run
from kanon_engine.regions.instance import Regions, TreeDetails
from kanon_engine.regions.trees_kernels import (
    depth_first_forest,
    depths,
    improving_edge,
    orbits,
    rotate,
    separating_pair,
    separating_triple,
)
from kanon_engine.search.solvers import solved, solver_for


def neighbor_lists(
    edges: np.ndarray, n: int, generator: np.random.Generator | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """CSR neighbor lists of an undirected graph, each list in random order when a generator is given.

    Returns `start`: (n + 1,) int64; `neighbors`: (2 e,) int64.
    """
    tails = np.concatenate([edges[:, 0], edges[:, 1]]).astype(np.int64)
    heads = np.concatenate([edges[:, 1], edges[:, 0]]).astype(np.int64)
    order = np.lexsort((heads, tails)) if generator is None else np.lexsort((generator.random(len(tails)), tails))
    start = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(tails, minlength=n), out=start[1:])
    return start, heads[order]


def random_tree(edges: np.ndarray, n: int, generator: np.random.Generator) -> np.ndarray:
    """Spanning forest of least weight for random edge weights, (n - parts, 2) int32."""
    return forest_of(edges, n, generator.permutation(len(edges)) + 1.0)


def low_degree_tree(edges: np.ndarray, n: int, generator: np.random.Generator) -> np.ndarray:
    """Spanning forest whose largest degree is at most one above the smallest possible.

    Starts from a random depth-first forest by Warnsdorff's rule, which has very few branches, and lowers vertices of
    the largest degree d by exchanging edges: a graph edge whose ends have degree <= d - 2 closes a cycle through such
    a vertex, from which one of the vertex's two cycle edges is dropped. Ends of degree d - 1 are lowered first, by the
    edges that the search found for them. The degree d is the largest over all parts of the graph.

    `edges`: (e, 2) int.
    Returns (n - parts, 2) int32 array: sorted pairs.
    Complexity: O(e α(e)) per phase; each phase lowers one vertex of the largest degree. On maps, a start by that rule
        has hardly any: the forest of a Delaunay graph has degree 3 at once, and one phase shows that 2 is out of reach.
    References: M. Fürer, B. Raghavachari, "Approximating the Minimum-Degree Steiner Tree to within One of Optimal", J.
        Algorithms 17 (1994), Theorem 1.1.

    >>> wheel = np.array([(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4), (1, 4)])
    >>> tree = low_degree_tree(wheel, 5, np.random.default_rng(0))
    >>> int(np.bincount(tree.ravel()).max())
    2
    """
    start, neighbors = neighbor_lists(edges, n, generator)
    parent = depth_first_forest(start, neighbors, generator.permutation(n))
    pairs = edges.astype(np.int64)
    degree = _degrees(parent)
    improver = np.full(n, -1, dtype=np.int64)
    while n > 1 and degree.max() > 2:
        improver[:] = -1
        edge, vertex = improving_edge(pairs, parent, depths(parent), degree, improver)
        if edge < 0:
            break
        _exchange_edges(parent, pairs, improver, edge, vertex)
        degree = _degrees(parent)
    children = np.flatnonzero(parent >= 0)
    return _sorted(np.column_stack([children, parent[children]]))


def _degrees(parent: np.ndarray) -> np.ndarray:
    children = parent >= 0
    return np.bincount(parent[children], minlength=len(parent)) + children


def _exchange_edges(parent: np.ndarray, edges: np.ndarray, improver: np.ndarray, edge: int, vertex: int) -> None:
    """Add the edge and drop one of the vertex's edges on its cycle, after lowering ends that must be lowered."""
    waiting = [(edge, vertex, False)]
    while waiting:
        edge, vertex, ready = waiting.pop()
        u, v = (int(end) for end in edges[edge])
        if not ready:
            waiting.append((edge, vertex, True))
            for end in (u, v):
                if improver[end] >= 0:
                    waiting.append((int(improver[end]), end, False))
                    improver[end] = -1
            continue
        path = _tree_path(parent, u, v)
        place = path.index(vertex)
        # the subtree below the dropped edge is rerooted at its end of the new edge and attached to the other end
        hung = path[: place + 1] if parent[vertex] == path[place + 1] else path[:place:-1]
        for lower, upper in pairwise(hung):
            parent[upper] = lower
        parent[hung[0]] = v if hung[0] == u else u


def _tree_path(parent: np.ndarray, u: int, v: int) -> list[int]:
    """The tree path from u to v."""
    up = [u]
    while parent[up[-1]] >= 0:
        up.append(int(parent[up[-1]]))
    place = {vertex: position for position, vertex in enumerate(up)}
    down = [v]
    while down[-1] not in place:
        down.append(int(parent[down[-1]]))
    return up[: place[down[-1]]] + down[::-1]


def forest_of_classes(regions: Regions, assignment: np.ndarray, heuristic: str) -> TreeDetails:
    """The record of a partition that was not made by cutting a tree.

    Edges inside classes weigh less than edges between them, so a spanning forest of least weight spans every class by
    itself; its edges between classes are the cut edges, in ascending order.

    `assignment`: (n,) int. Connected classes. `heuristic`: how the partition was found, in words.

    >>> square = Regions(range(4), [1] * 4, [(0, 1), (1, 2), (2, 3), (0, 3)])
    >>> forest_of_classes(square, np.array([0, 0, 1, 1]), "by hand").cut_edges.tolist()
    [[0, 3]]
    """
    edges = regions.edges
    between = assignment[edges[:, 0]] != assignment[edges[:, 1]]
    weights = 1.0 + np.arange(len(edges)) + between * (len(edges) + 1.0)
    tree = forest_of(edges, len(regions), weights)
    cut = tree[assignment[tree[:, 0]] != assignment[tree[:, 1]]]
    degree = int(np.bincount(tree.ravel()).max()) if len(tree) else 0
    return TreeDetails(tree, degree, cut, regions.added_edges, heuristic)


def forest_of(edges: np.ndarray, count: int, weights: np.ndarray) -> np.ndarray:
    """The edges of a spanning forest of least weight, sorted: (count - parts, 2) int32.

    >>> forest_of(np.array([(0, 1), (1, 2), (0, 2)]), 4, np.array([1.0, 3.0, 2.0])).tolist()
    [[0, 1], [0, 2]]
    """
    forest = minimum_spanning_tree(coo_array((weights, edges.T), shape=(count, count))).tocoo()
    return _sorted(np.column_stack([forest.row, forest.col]))


ROTATION_ROUNDS = 8  # random paths that are lengthened before the circuit search
ROTATION_STEPS = 2_000  # steps of such a round for each vertex
CIRCUIT_EFFORT = 60.0  # deterministic time of the circuit search, one to several seconds each


def path_by_rotations(edges: np.ndarray, n: int, generator: np.random.Generator) -> np.ndarray | None:
    """A Hamiltonian path of any graph as (n - 1, 2) sorted pairs, or None when the search found none.

    A search without a guarantee: it may miss a path that exists. It starts from random vertices.

    Complexity: at most 2,000 n steps; a step takes up to O(n), because it reverses a part of the path.
    References: Rotations: L. Pósa, "Hamiltonian circuits in random graphs", Discrete Mathematics 14 (1976).
    """
    if n == 1:
        return np.empty((0, 2), dtype=np.int32)
    start, neighbors = neighbor_lists(edges, n)
    if (np.diff(start) == 0).any():
        return None
    path, length = rotate(start, neighbors, generator.permutation(n), ROTATION_STEPS * n, generator)
    return _sorted(np.column_stack([path[:-1], path[1:]])) if length == n else None


def path_by_circuits(edges: np.ndarray, n: int, run: Run) -> np.ndarray | None:
    """A Hamiltonian path as (n - 1, 2) sorted pairs by a complete search with OR-Tools CP-SAT; None if it gave up.

    The path is a circuit through the vertices and one more that is joined to all. The search is complete: where a
    path exists it ends with one, given enough time; it is given a fixed amount of work and at most the remaining time
    of the run.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    arcs = [(int(u), int(v), model.new_bool_var("")) for a, b in edges for u, v in ((a, b), (b, a))]
    ends = [(u, v, model.new_bool_var("")) for w in range(n) for u, v in ((w, n), (n, w))]
    model.add_circuit(arcs + ends)
    solver = solver_for(run.seed, CIRCUIT_EFFORT)
    if run.time_limit is not None:
        solver.parameters.max_time_in_seconds = max(0.0, run.time_limit - run.seconds)
    if solved(solver, model, lambda: run.goes_on(0.5, None, None, "searching for a path through all areas")) != "found":
        return None
    return _sorted(np.array([(u, v) for u, v, used in arcs if solver.boolean_value(used)]))


def hamiltonian_path(edges: np.ndarray, n: int, run: Run, generator: np.random.Generator) -> np.ndarray | None:
    """A Hamiltonian path of a 4-connected planar graph as (n - 1, 2) sorted pairs; None when the search gave up.

    Its existence is proven (Tutte); it is found here by a search: rotations of random paths, which found one
    at once in every graph tried, then a complete circuit search within a fixed amount of work.

    References: W. T. Tutte, "A theorem on planar graphs", Trans. Amer. Math. Soc. 82 (1956). A linear-time construction
        exists and is not used here: N. Chiba, T. Nishizeki, "The Hamiltonian cycle problem is linear-time solvable for
        4-connected planar graphs", J. Algorithms 10 (1989).

    >>> octahedron = np.array([(a, b) for a in range(6) for b in range(a + 1, 6) if a + b != 5])
    >>> path = hamiltonian_path(octahedron, 6, Run(), np.random.default_rng(0))
    >>> len(path), int(np.bincount(path.ravel()).max())
    (5, 2)
    """
    for attempt in range(ROTATION_ROUNDS):
        pairs = path_by_rotations(edges, n, generator)
        if pairs is not None:
            return pairs
        if not run.goes_on((attempt + 1) / (2 * ROTATION_ROUNDS), None, None, "searching for a path through all areas"):
            return None
    return path_by_circuits(edges, n, run)


def _sorted(pairs: np.ndarray) -> np.ndarray:
    """(e, 2) int32: each pair from low to high, pairs in ascending order."""
    return np.unique(np.sort(pairs.astype(np.int32), axis=1), axis=0)


@dataclass(frozen=True)
class PlaneGraph:
    """A graph drawn in the plane without crossings, as the order of the darts (directed edges) around each vertex."""

    start: np.ndarray  # (n + 1,) int64: the darts out of v are start[v] … start[v + 1] - 1, in their order around v
    head: np.ndarray  # (2 e,) int64: where each dart leads
    along: np.ndarray  # (2 e,) int64: the next dart on the same face
    face: np.ndarray  # (2 e,) int64: the face next to each dart
    # face_start, corners: int64: the vertices of face f in order are corners[face_start[f]:face_start[f + 1]]
    face_start: np.ndarray
    corners: np.ndarray


@dataclass(frozen=True)
class Shape:
    """Properties of a graph required by the theorems on spanning trees."""

    plane: PlaneGraph | None  # None when the graph is not planar (or in several parts)
    # the graph is this many times connected, reported up to 4; 0 if in several parts or not planar
    connectivity: int
    separator: tuple[int, ...]  # as many vertices, without which the graph falls apart; empty if none are known


def plane_graph(edges: np.ndarray, n: int) -> PlaneGraph | None:
    """A plane drawing of the graph, or None if there is none.

    Complexity: O(n + e): the left-right planarity test of networkx, about 0.15 s for 2,000 vertices, 8 s for 33,000.
    """
    if n >= 3 and len(edges) > 3 * n - 6:
        return None
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(edges.tolist())
    planar, drawing = nx.check_planarity(graph)
    if not planar:
        return None
    around = drawing.get_data()
    head = np.array([w for v in range(n) for w in around[v]], dtype=np.int64)
    sizes = np.array([len(around[v]) for v in range(n)], dtype=np.int64)
    start = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    tail = np.repeat(np.arange(n, dtype=np.int64), sizes)
    turn = np.arange(1, len(head) + 1, dtype=np.int64)  # the next dart around the same vertex
    turn[start[1:][sizes > 0] - 1] = start[:-1][sizes > 0]
    twin = np.empty(len(head), dtype=np.int64)
    twin[np.argsort(head * n + tail)] = np.argsort(tail * n + head)
    along = turn[twin]
    face, order, face_start = orbits(along)
    return PlaneGraph(start, head, along, face, face_start, tail[order])


def shape_of(edges: np.ndarray, n: int) -> Shape:
    """How the graph can be cut, as far as the theorems on spanning trees of planar graphs require.

    Vertices cut a plane graph when a closed curve through them and through as many faces, crossing no edge, has other
    vertices on both sides. So a connected graph is 2-connected when no vertex is twice on one face. A 2-connected
    graph of at least four vertices is 3-connected when no two vertices share two faces, or three where an edge joins
    them, because its own two sides count: each two of the shared faces beyond that enclose something. In a 3-connected
    graph curves a f b g c h through three vertices and three faces cut, unless one vertex lies on the face opposite
    (then the curve breaks up into two that pass two faces, and those enclose an edge at most), or abc is a face.

    `edges`: (e, 2) int.
    Complexity: in addition to the drawing, the sum over all faces of the square of their corners, times the degrees for
        triples; O(n) for faces and degrees of constant size.

    >>> wheel = np.array([(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4), (1, 4)])
    >>> shape = shape_of(wheel, 5)
    >>> shape.connectivity, shape.separator
    (3, (0, 2, 4))
    """
    plane = plane_graph(edges, n)
    roots = depth_first_forest(*neighbor_lists(edges, n), np.arange(n)) < 0
    if plane is None or roots.sum() != 1:
        return Shape(None, 0, ())
    if n <= 2:
        return Shape(plane, n - 1, ())
    visits = np.repeat(np.arange(len(plane.face_start) - 1), np.diff(plane.face_start)) * n + plane.corners
    keys, times = np.unique(visits, return_counts=True)
    if times.max() > 1:
        return Shape(plane, 1, (int(keys[np.argmax(times)] % n),))
    if n == 3:
        return Shape(plane, 2, ())
    shared = (plane.start, plane.head, plane.face, plane.face_start, plane.corners)
    pair = separating_pair(*shared)
    if pair[0] >= 0:
        return Shape(plane, 2, tuple(sorted(int(v) for v in pair)))
    if n == 4:
        return Shape(plane, 3, ())
    triple = separating_triple(*shared)
    if triple[0] >= 0:
        return Shape(plane, 3, tuple(sorted(int(v) for v in triple)))
    return Shape(plane, 4, ())


def crossing_edge(edges: np.ndarray, n: int) -> int:
    """Position of the edge that makes the graph non-planar when the edges come one after the other."""
    low, high = 0, min(len(edges), 3 * n - 5)  # the first `low` edges are planar, the first `high` are not
    while high - low > 1:
        middle = (low + high) // 2
        if nx.check_planarity(nx.Graph(edges[:middle].tolist()))[0]:
            low = middle
        else:
            high = middle
    return high - 1


def degree_three_tree(plane: PlaneGraph, generator: np.random.Generator) -> np.ndarray:
    """A spanning tree in which no vertex has more than three edges; the graph must be 3-connected.

    Proof, with the names of the code: docs/proofs/regions/tree_split.md, degree 3. A vertex v is removed from the outer
    cycle, the rest is a chain of blocks, each block is solved in the same way, and the trees are joined at v.

    `plane`: of a 3-connected graph. `generator`: chooses the outer face, u and v.
    Returns (n - 1, 2) int32 array: sorted pairs.
    Complexity: O(n + e) and the sum of the lengths of all outer cycles met, at most O(n^2) and in practice far less.
    References: The theorem: D. Barnette, "Trees in polyhedral graphs", Canad. J. Math. 18 (1966). That a circuit graph
        without one outer vertex is a chain of circuit graphs: Z. Gao, R. B. Richter, "2-walks in circuit graphs", J.
        Combin. Theory B 62 (1994).

    >>> from kanon_engine.regions.trees import plane_graph
    >>> cube = np.array([(a, a ^ bit) for a in range(8) for bit in (1, 2, 4) if a < a ^ bit])
    >>> tree = degree_three_tree(plane_graph(cube, 8), np.random.default_rng(0))
    >>> len(tree), int(np.bincount(tree.ravel()).max()) <= 3
    (7, True)
    """
    outer = int(generator.integers(len(plane.face_start) - 1))
    cycle = plane.corners[plane.face_start[outer] : plane.face_start[outer + 1]]
    cycle = np.roll(cycle, int(generator.integers(len(cycle)))).tolist()
    drawing = _Drawing(plane, cycle)
    tree: list[tuple[int, int]] = []
    # the outer cycle with v first, u, and whether to leave out u
    waiting = [(cycle, cycle[int(generator.integers(1, len(cycle)))], False)]
    while waiting:
        cycle, u, leave_out = waiting.pop()
        v = cycle[0]
        if len(cycle) == 2:
            if not leave_out:
                tree.append((v, u))
            continue
        blocks = drawing.without_first(cycle)
        if u == cycle[1]:
            home = -1
            first, last = blocks[0]
            waiting.append((_turned(first, last), u, leave_out))
            hung = blocks[1:]
        else:
            tree.append((v, cycle[1]))
            home = next(i for i, (block, far) in enumerate(blocks) if u in block[1 : far + 1])
            waiting += [(block, block[far], False) for block, far in blocks[:home]]
            waiting.append((blocks[home][0], u, leave_out))
            hung = blocks[home + 1 :]
        if home + 1 < len(blocks):
            tree.append((v, cycle[-1]))
        for i, (block, far) in enumerate(hung):
            waiting.append((_turned(block, far), block[0], i == 0 and home >= 0))
    return _sorted(np.array(tree))


class _Drawing:
    """The plane graph as lists, and which vertices now lie on the outer cycle of their block."""

    def __init__(self, plane: PlaneGraph, outer: list[int]) -> None:
        self.start, self.head, self.along = plane.start.tolist(), plane.head.tolist(), plane.along.tolist()
        self.exposed = bytearray(len(self.start) - 1)
        for vertex in outer:
            self.exposed[vertex] = True

    def without_first(self, cycle: list[int]) -> list[tuple[list[int], int]]:
        """The chain of blocks that remains of the block within a cycle when its first vertex is removed.

        Each as its outer cycle, which starts at b_{i-1} and runs along the old cycle to b_i, and the place of b_i.
        """
        inner = self._inner_face_walk(cycle)
        blocks, near, near_inner = [], 1, 0
        for far_inner in range(1, len(inner)):
            if not self.exposed[inner[far_inner]]:
                self.exposed[inner[far_inner]] = True
                continue
            far = cycle.index(inner[far_inner], near)
            back = inner[far_inner - 1 : near_inner : -1]
            blocks.append((cycle[near : far + 1] + back, far - near))
            near, near_inner = far, far_inner
        return blocks

    def _inner_face_walk(self, cycle: list[int]) -> list[int]:
        """The walk from the second vertex of the cycle to its last along all inner faces at its first."""
        v, last = cycle[0], cycle[-1]
        darts = range(self.start[v], self.start[v + 1])
        turn = next(i for i, dart in enumerate(darts) if self.head[dart] == cycle[1])
        walk = [cycle[1]]
        while walk[-1] != last:
            turn = (turn + 1) % len(darts)
            dart, path, end = darts[turn], [], walk[-1]
            while self.head[dart] != end:
                path.append(self.head[dart])
                dart = self.along[dart]
            walk += path[::-1]
        return walk


def _turned(block: list[int], place: int) -> list[int]:
    """The same cycle, starting at another place."""
    return block[place:] + block[:place]
