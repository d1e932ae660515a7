"""Hamiltonian paths: spanning trees of degree two."""

from __future__ import annotations

import numpy as np

from kanon_engine.model.run import Run
from kanon_engine.regions.trees.hamiltonian_kernels import rotate
from kanon_engine.regions.trees.spanning_tree import neighbour_lists
from kanon_engine.search.cp_sat import solved, solver_for

ROUNDS = 8  # random paths that are lengthened before the circuit search
STEPS = 2_000  # steps of such a round for each vertex
EFFORT = 60.0  # deterministic time of the circuit search, one to several seconds each


def path_by_rotations(edges: np.ndarray, n: int, generator: np.random.Generator, rounds: int = 1) -> np.ndarray | None:
    """A Hamiltonian path of any graph as (n - 1, 2) sorted pairs, or None when the search found none.

    A search without promise: it may miss a path that exists. It starts from random vertices.

    Complexity
    ----------
    At most 2,000 n steps a round; a step takes up to O(n), for it turns a part of the path round.

    References
    ----------
    Rotations: L. Pósa, "Hamiltonian circuits in random graphs", Discrete Mathematics 14 (1976).
    """
    if n == 1:
        return np.empty((0, 2), dtype=np.int32)
    start, neighbours = neighbour_lists(edges, n)
    if (np.diff(start) == 0).any():
        return None
    for _ in range(rounds):
        path, length = rotate(start, neighbours, generator.permutation(n), STEPS * n, generator)
        if length == n:
            return _pairs(path)
    return None


def path_by_circuits(edges: np.ndarray, n: int, run: Run) -> np.ndarray | None:
    """A Hamiltonian path as (n - 1, 2) sorted pairs by a complete search with OR-Tools CP-SAT; None when it gave up.

    The path is a circuit through the vertices and one more that is joined to all. The search is complete: where a
    path exists it ends with one, given enough time; it is given a fixed amount of work and at most the time that the
    run has left.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    arcs = [(int(u), int(v), model.new_bool_var("")) for a, b in edges for u, v in ((a, b), (b, a))]
    ends = [(u, v, model.new_bool_var("")) for w in range(n) for u, v in ((w, n), (n, w))]
    model.add_circuit(arcs + ends)
    solver = solver_for(run.seed, EFFORT)
    if run.time_limit is not None:
        solver.parameters.max_time_in_seconds = max(0.0, run.time_limit - run.seconds)
    if solved(solver, model, lambda: run.goes_on(0.5, None, None, "looking for a Hamiltonian path")) != "found":
        return None
    return _sorted(np.array([(u, v) for u, v, used in arcs if solver.boolean_value(used)]))


def hamiltonian_path(edges: np.ndarray, n: int, run: Run, generator: np.random.Generator) -> np.ndarray | None:
    """A Hamiltonian path of a 4-connected planar graph as (n - 1, 2) sorted pairs; None when the search gave up.

    That there is one is proven (Tutte); how it is found here is a search: rotations of random paths, which found one
    at once in every graph tried, then a complete circuit search within a fixed amount of work.

    References
    ----------
    W. T. Tutte, "A theorem on planar graphs", Trans. Amer. Math. Soc. 82 (1956). A linear-time construction exists and
    is not used here: N. Chiba, T. Nishizeki, "The Hamiltonian cycle problem is linear-time solvable for 4-connected
    planar graphs", J. Algorithms 10 (1989).

    Example
    -------
    >>> octahedron = np.array([(a, b) for a in range(6) for b in range(a + 1, 6) if a + b != 5])
    >>> path = hamiltonian_path(octahedron, 6, Run(), np.random.default_rng(0))
    >>> len(path), int(np.bincount(path.ravel()).max())
    (5, 2)
    """
    for attempt in range(ROUNDS):
        pairs = path_by_rotations(edges, n, generator)
        if pairs is not None:
            return pairs
        if not run.goes_on((attempt + 1) / (2 * ROUNDS), None, None, "looking for a Hamiltonian path"):
            return None
    return path_by_circuits(edges, n, run)


def _pairs(path: np.ndarray) -> np.ndarray:
    return _sorted(np.column_stack([path[:-1], path[1:]]))


def _sorted(pairs: np.ndarray) -> np.ndarray:
    return np.unique(np.sort(pairs.astype(np.int32), axis=1), axis=0)
