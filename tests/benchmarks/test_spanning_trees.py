"""Theorem 3 on many graphs: degree 3 on 200 3-connected planar graphs, Hamiltonian paths on 100 4-connected ones.

python -m pytest tests/benchmarks/test_spanning_trees.py
"""

from time import perf_counter

import numpy as np

from kanon_engine.regions.trees import degree_three_tree, low_degree_tree, path_by_rotations, shape_of
from tests.regions import planar_graphs as planar

SIZES = np.geomspace(10, 2000, 20).round().astype(int).tolist()


def test_200_trees_of_degree_three(capsys):
    degrees, by_search, times = [], [], np.zeros((0, 2))
    for n in SIZES:
        for kind in planar.KINDS:
            rng = np.random.default_rng([n, planar.KINDS.index(kind)])
            edges = planar.three_connected(rng, n, kind)
            count = int(edges.max()) + 1
            start = perf_counter()
            shape = shape_of(edges, count)
            middle = perf_counter()
            assert shape.connectivity >= 3
            tree = degree_three_tree(shape.plane, rng)
            times = np.vstack([times, [middle - start, perf_counter() - middle]])
            degrees.append(planar.tree_degree(tree, edges, count))
            by_search.append(planar.tree_degree(low_degree_tree(edges, count, rng), edges, count))
    assert len(degrees) == 200
    assert max(degrees) <= 3
    with capsys.disabled():
        slowest = times[1:].max(axis=0)
        print(f"\ndegrees {np.bincount(degrees).tolist()}, low-degree search {np.bincount(by_search).tolist()}", end="")  # noqa: T201
        print(f"\nat most {slowest[0]:.2f} s to recognize and {slowest[1]:.2f} s for the tree", end="")  # noqa: T201


def test_100_hamiltonian_paths(capsys):
    times = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(6, 501))
        if seed % 4 == 3:
            corners = max(5, n // 6)
            edges, n = planar.barycentric(planar.stacked_triangulation(rng, corners), corners)
        else:
            edges = planar.four_connected_triangulation(rng, n, (0, 0.3, 0.7)[seed % 4])
        assert len(edges) == 3 * n - 6
        assert shape_of(edges, n).connectivity == 4
        start = perf_counter()
        path = path_by_rotations(edges, n, rng, rounds=8)
        times.append(perf_counter() - start)
        assert path is not None
        assert planar.tree_degree(path, edges, n) == 2
    with capsys.disabled():
        print(f"\n100 of 100 found, in {np.mean(times[1:]):.4f} s each, at most {max(times[1:]):.3f} s", end="")  # noqa: T201
