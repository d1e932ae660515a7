"""Recognition of planar graphs that no two, or no three, vertices cut."""

from __future__ import annotations

from dataclasses import dataclass

import networkx as nx
import numpy as np

from kanon_engine.regions.trees.kernels import depth_first_forest
from kanon_engine.regions.trees.planar_kernels import orbits, separating_pair, separating_triple
from kanon_engine.regions.trees.spanning_tree import neighbour_lists


@dataclass(frozen=True)
class PlaneGraph:
    """A graph drawn in the plane without crossings, as the order of the darts (directed edges) around each vertex.

    Attributes
    ----------
    start : (n + 1,) int64
        The darts out of v are start[v] … start[v + 1] - 1, in their order around v.
    head : (2 e,) int64
        Where each dart leads.
    along : (2 e,) int64
        The next dart on the same face.
    face : (2 e,) int64
        The face beside each dart.
    face_start, corners : int64
        The vertices of face f in order are corners[face_start[f]:face_start[f + 1]].
    """

    start: np.ndarray
    head: np.ndarray
    along: np.ndarray
    face: np.ndarray
    face_start: np.ndarray
    corners: np.ndarray


@dataclass(frozen=True)
class Shape:
    """What the theorems on spanning trees ask of a graph.

    Attributes
    ----------
    plane : PlaneGraph or None
        None when the graph is not planar (or in several parts).
    connectivity : int
        The graph is this many times connected, at most 4 being told; 0 when in several parts or not planar.
    separator : tuple of int
        As many vertices, without which the graph falls apart; empty when none are known.
    """

    plane: PlaneGraph | None
    connectivity: int
    separator: tuple[int, ...]


def plane_graph(edges: np.ndarray, n: int) -> PlaneGraph | None:
    """A plane drawing of the graph, or None when there is none.

    Complexity
    ----------
    O(n + e): the left-right planarity test of networkx, about 0.15 s for 2,000 vertices, 8 s for 33,000.
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
    """How the graph can be cut, as far as the theorems on spanning trees of planar graphs ask.

    Vertices cut a plane graph when a closed curve through them and through as many faces, crossing no edge, has other
    vertices on both sides. So a connected graph is 2-connected when no vertex is twice on one face. A 2-connected
    graph of at least four vertices is 3-connected when no two vertices share two faces, or three where an edge joins
    them, for its own two sides count: each two of the shared faces beyond that enclose something. In a 3-connected
    graph curves a f b g c h through three vertices and three faces cut, unless one vertex lies on the face opposite
    (then the curve breaks up into two that pass two faces, and those enclose an edge at most), or abc is a face.

    Parameters
    ----------
    edges : (e, 2) int array
    n : int

    Returns
    -------
    Shape

    Complexity
    ----------
    Besides the drawing, the sum over all faces of the square of their corners, times the degrees for triples; O(n) for
    faces and degrees of constant size.

    Example
    -------
    >>> wheel = np.array([(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4), (1, 4)])
    >>> shape = shape_of(wheel, 5)
    >>> shape.connectivity, shape.separator
    (3, (0, 2, 4))
    """
    plane = plane_graph(edges, n)
    if plane is None or not _connected(edges, n):
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


def _connected(edges: np.ndarray, n: int) -> bool:
    return int((depth_first_forest(*neighbour_lists(edges, n), np.arange(n)) < 0).sum()) == 1
