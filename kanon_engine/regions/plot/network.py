"""A drawing of areas that have no shapes: points for areas, lines for borders."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import networkx as nx
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

if TYPE_CHECKING:
    from kanon_engine.regions.instance import Regions

EXACT = 300  # areas up to which distances in the drawing follow those in the graph
SPRING = 1_500  # areas up to which springs, quadratic in their number, are fast enough
ROUNDS = 60
PIVOTS = 50

_KEPT: WeakKeyDictionary[Regions, np.ndarray] = WeakKeyDictionary()


def positions(regions: Regions) -> np.ndarray:
    """(n, 2) float64: where each area is drawn; the same for the same graph, and made once for each instance."""
    if regions not in _KEPT:
        _KEPT[regions] = _packed(regions)
    return _KEPT[regions]


def _packed(regions: Regions) -> np.ndarray:
    """Every part laid out by itself, the parts side by side in rows, largest first."""
    xy = np.zeros((len(regions), 2))
    graph = nx.Graph()
    graph.add_nodes_from(range(len(regions)))
    graph.add_edges_from(regions.edges.tolist())
    parts = sorted(nx.connected_components(graph), key=lambda part: (-len(part), min(part)))
    row = float(np.sqrt(sum(len(part) for part in parts))) * 2
    left = top = height = 0.0
    for part in parts:
        members = sorted(part)
        size = float(np.sqrt(len(members)))
        if left and left + size > row:
            left, top, height = 0.0, top - height, 0.0
        xy[members] = _laid_out(graph.subgraph(members), members) * size * 0.45 + (left + size / 2, top - size / 2)
        left, height = left + size, max(height, size)
    return xy


def _laid_out(graph: nx.Graph, members: list[int]) -> np.ndarray:
    """One connected part within the square from -1 to 1."""
    if len(members) == 1:
        return np.zeros((1, 2))
    ordered = nx.Graph()
    ordered.add_nodes_from(members)  # a subgraph's own order is that of a set
    ordered.add_edges_from(sorted(tuple(sorted(edge)) for edge in graph.edges))
    if len(members) <= EXACT:
        found = nx.kamada_kawai_layout(ordered)
        xy = np.array([found[member] for member in members])
    else:
        xy = _by_pivots(nx.to_scipy_sparse_array(ordered, nodelist=members, format="csr"))
    if EXACT < len(members) <= SPRING:
        start = dict(zip(members, xy / np.abs(xy).max(), strict=True))
        found = nx.spring_layout(ordered, pos=start, seed=0, iterations=ROUNDS)
        xy = np.array([found[member] for member in members])
    xy -= (xy.max(axis=0) + xy.min(axis=0)) / 2
    return xy / max(float(np.abs(xy).max()), 1e-9)


def _by_pivots(graph: csr_array) -> np.ndarray:
    """Classical scaling of the distances to a few areas that lie far apart: O(n) for each of them.

    References
    ----------
    U. Brandes, C. Pich, "Eigensolver methods for progressive multidimensional scaling of large data", Graph Drawing
    2006.
    """
    rows: list[np.ndarray] = []
    pivot, nearest = 0, np.full(graph.shape[0], np.inf)
    for _ in range(PIVOTS):
        rows.append(dijkstra(graph, indices=pivot, unweighted=True))
        nearest = np.minimum(nearest, rows[-1])
        pivot = int(nearest.argmax())
    squares = np.array(rows).T ** 2
    centred = squares.mean(axis=0) + squares.mean(axis=1, keepdims=True) - squares - squares.mean()
    directions = np.linalg.eigh(centred.T @ centred)[1][:, -2:]
    directions *= np.where(directions[np.abs(directions).argmax(axis=0), [0, 1]] < 0, -1, 1)  # one of two mirror images
    xy: np.ndarray = centred @ directions[:, ::-1]
    return xy
