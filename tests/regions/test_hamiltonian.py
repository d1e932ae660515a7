import numpy as np
import pytest

from kanon_engine.model.run import Run
from kanon_engine.regions import trees
from kanon_engine.regions.trees import hamiltonian_path, path_by_circuits, path_by_rotations, shape_of
from tests.compiled import compiled_only
from tests.regions import planar_graphs as planar

pytestmark = pytest.mark.kernels


def found(edges, seed=0):
    n = int(edges.max()) + 1
    path = hamiltonian_path(edges, n, Run(), np.random.default_rng(seed))
    return planar.tree_degree(path, edges, n) == 2


@pytest.mark.parametrize("seed", range(40))
def test_four_connected_triangulations(seed):
    rng = np.random.default_rng(seed)
    edges = planar.four_connected_triangulation(rng, int(rng.integers(6, 500)), (0, 0.3, 0.7)[seed % 3])
    assert shape_of(edges, int(edges.max()) + 1).connectivity == 4
    assert found(edges, seed)


@compiled_only
@pytest.mark.parametrize("corners", [6, 12, 30, 80])
def test_graphs_with_hardly_a_vertex_to_spare(corners):
    rng = np.random.default_rng(corners)
    for edges in (planar.sphere_triangulation(rng, corners), planar.stacked_triangulation(rng, corners)):
        dense, n = planar.barycentric(edges, corners)
        assert shape_of(dense, n).connectivity == 4
        assert found(dense)


@pytest.mark.parametrize("edges", [planar.antiprism(3), planar.antiprism(50), planar.double_wheel(40)])
def test_known_graphs(edges):
    assert found(edges)


@pytest.mark.parametrize("n", [6, 20, 60])
def test_the_circuit_search_by_itself(n):
    edges = planar.four_connected_triangulation(np.random.default_rng(n), n)
    assert planar.tree_degree(path_by_circuits(edges, n, Run()), edges, n) == 2


STAR = np.array([(0, 1), (0, 2), (0, 3)])


def test_both_searches_say_when_there_is_none():
    assert path_by_rotations(STAR, 4, np.random.default_rng(0)) is None
    assert path_by_circuits(STAR, 4, Run()) is None
    assert path_by_rotations(STAR, 5, np.random.default_rng(0)) is None


def test_one_vertex_is_a_path():
    assert path_by_rotations(np.empty((0, 2), dtype=int), 1, np.random.default_rng(0)).shape == (0, 2)


def test_the_circuit_search_follows_the_rotations(monkeypatch):
    edges = planar.antiprism(6)
    monkeypatch.setattr(trees, "ROTATION_STEPS", 0)
    assert found(edges)
    assert hamiltonian_path(edges, 12, Run(progress=lambda report: False), np.random.default_rng(0)) is None


def test_the_circuit_search_ends_with_the_time_of_the_run():
    edges = planar.four_connected_triangulation(np.random.default_rng(1), 400)
    run = Run(time_limit=0.0)
    assert path_by_circuits(edges, 400, run) is None
    assert hamiltonian_path(edges, 400, run, np.random.default_rng(0)) is not None  # rotations took no time to speak of


def test_same_seed_same_path():
    edges = planar.four_connected_triangulation(np.random.default_rng(3), 100)
    first, again, other = (path_by_rotations(edges, 100, np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
