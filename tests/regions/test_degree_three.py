import numpy as np
import pytest

from kanon_engine.regions.trees import degree_three_tree, shape_of
from tests.compiled import compiled_only
from tests.regions import planar_graphs as planar

pytestmark = pytest.mark.kernels


def degrees(edges, seed, trees=3):
    n = int(edges.max()) + 1
    shape = shape_of(edges, n)
    assert shape.connectivity >= 3
    rng = np.random.default_rng(seed)
    return [planar.tree_degree(degree_three_tree(shape.plane, rng), edges, n) for _ in range(trees)]


@pytest.mark.thorough(one_in=4)
@compiled_only
@pytest.mark.parametrize("kind", planar.KINDS)
@pytest.mark.parametrize("n", [10, 11, 25, 60, 150, 400])
def test_never_more_than_three(kind, n):
    rng = np.random.default_rng(n)
    assert max(degrees(planar.three_connected(rng, n, kind), n)) <= 3


@pytest.mark.parametrize("kind", ["stacked", "sphere", "dual of stacked"])
def test_two_thousand_vertices(kind):
    edges = planar.three_connected(np.random.default_rng(1), 2000, kind)
    assert max(degrees(edges, 1, trees=1)) <= 3


@pytest.mark.parametrize("name", planar.SOLIDS)
def test_solids_from_every_face(name):
    assert max(degrees(planar.solid(name), 0, trees=40)) <= 3


def test_three_is_needed():
    """Tutte's graph has a Hamiltonian path; a stacked triangulation with many tips has none."""
    edges = planar.stacked_triangulation(np.random.default_rng(0), 200)
    assert min(degrees(edges, 0, trees=10)) == 3


@pytest.mark.parametrize("seed", range(60))
def test_small_graphs_with_few_edges(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 16))
    edges = planar.thinned(rng, planar.sphere_triangulation(rng, n), n, 0.5)
    assert max(degrees(edges, seed, trees=10)) <= 3
