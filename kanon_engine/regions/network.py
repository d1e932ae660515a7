"""A drawing of areas that have no shapes: points for areas, lines for borders."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import networkx as nx
import numpy as np

if TYPE_CHECKING:
    from kanon_engine.regions.instance import Regions

EXACT = 300  # areas up to which distances in the drawing follow those in the graph
ROUNDS = 60

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
    else:
        start = nx.spectral_layout(ordered) if len(members) <= 5_000 else nx.random_layout(ordered, seed=0)
        found = nx.spring_layout(ordered, pos=start, seed=0, iterations=ROUNDS)
    xy = np.array([found[member] for member in members])
    xy -= (xy.max(axis=0) + xy.min(axis=0)) / 2
    return xy / max(float(np.abs(xy).max()), 1e-9)
