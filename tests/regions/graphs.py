"""Random graphs for tests."""

import numpy as np


def random_connected_graph(rng, n, density=0.3):
    """Edges of a random tree plus a share of all other pairs."""
    order = rng.permutation(n)
    edges = {tuple(sorted((int(order[i]), int(order[rng.integers(i)])))) for i in range(1, n)}
    edges |= {(a, b) for a in range(n) for b in range(a + 1, n) if rng.random() < density}
    return sorted(edges)


def grid(rows, columns):
    """Edges of a grid graph."""
    cell = np.arange(rows * columns).reshape(rows, columns)
    across = np.column_stack([cell[:, :-1].ravel(), cell[:, 1:].ravel()])
    down = np.column_stack([cell[:-1].ravel(), cell[1:].ravel()])
    return np.vstack([across, down])
