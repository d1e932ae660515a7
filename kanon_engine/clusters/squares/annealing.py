"""Better clusters than those that one has: annealing over swaps, shifts and clusters that are made anew."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.spatial import cKDTree

from kanon_engine.clusters.squares.anneal_kernels import MOST, Clusters, Local, anneal, resum

BLOCKS = 200
STEPS = 20_000  # a point
WORK = 4e9  # of all steps together, about; some seconds
HOT, COLD = 0.5, 0.003  # in units of a point's mean square
QUIET = 0.1  # share of the blocks at the end that only descend
REACH = 20  # neighbours


def improved(
    points: np.ndarray, tree: cKDTree, k: int, assignment: np.ndarray, random: np.random.Generator
) -> Iterator[tuple[float, int, np.ndarray]]:
    """Anneal from a clustering; yields share of the work, steps and the best clustering that was seen.

    Parameters
    ----------
    points : (n, d) float64 array
    tree : cKDTree
        Of the points.
    k : int
    assignment : (n,) int array
        Classes 0 … m - 1 of k to 2k - 1 points. Not all points of a class are equal.
    random : Generator
    """
    n, columns = points.shape
    steps = int(min(STEPS * n, WORK / ((columns + 4) * (k + 0.4 * k * k))))
    neighbours = tree.query(points, min(n, max(REACH, 2 * k) + 1))[1][:, 1:].astype(np.int64)
    clusters = _clusters_of(points, k, assignment, random)
    room = MOST * (2 * k - 1)
    local = Local(
        np.zeros(room, dtype=np.int64),
        np.zeros(room, dtype=np.int64),
        np.zeros(2 * MOST, dtype=np.int64),
        np.zeros((2 * MOST, columns)),
        np.zeros(2 * MOST, dtype=np.int64),
    )
    best = resum(points, clusters)
    scale = best / n
    for block in range(BLOCKS):
        done = block / BLOCKS / (1 - QUIET)
        heat = HOT * (COLD / HOT) ** done if done < 1 else 0.0
        total = anneal(points, k, steps // BLOCKS + 1, heat, scale, neighbours, clusters, local)
        if total < best:
            best, assignment = total, np.unique(clusters.label, return_inverse=True)[1]
        yield (block + 1) / BLOCKS, (block + 1) * (steps // BLOCKS + 1), assignment


def _clusters_of(points: np.ndarray, k: int, assignment: np.ndarray, random: np.random.Generator) -> Clusters:
    """The state of the kernels, with free numbers for clusters to come."""
    room = len(points) // k + 2 * MOST
    sizes = np.bincount(assignment, minlength=room).astype(np.int64)
    order = np.argsort(assignment, kind="stable")
    place = np.empty(len(points), dtype=np.int64)
    place[order] = np.arange(len(points)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    members = np.zeros((room, 2 * k - 1), dtype=np.int64)
    members[assignment, place] = np.arange(len(points))
    state = np.array([random.integers(1, 1 << 63)], dtype=np.uint64)
    return Clusters(assignment.astype(np.int64), place, members, sizes, np.zeros((room, points.shape[1])), state)
