"""Points that several tests share."""


def cross(k):
    """The paper's degenerate case: k - 1 records north, east, south and west of k."""
    return [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)], [k, k - 1, k - 1, k - 1, k - 1]


def thirteen(k):
    """The cross with 8 points around it: badly chosen cuts isolate the cross, good ones reach k everywhere."""
    xy, weights = cross(k)
    return xy + [(0, 2), (0, -2), (2, 0), (-2, 0), (3, 2), (-3, -2), (3, 0), (-3, 0)], weights + [1] * 4 + [k] * 4


def random_points(rng, largest=8, spread=5, heaviest=6):
    """A few points on a small grid, so that lines and locations are shared."""
    n = int(rng.integers(1, largest + 1))
    return rng.integers(0, spread, (n, 2)).astype(float), rng.integers(1, heaviest, n)
