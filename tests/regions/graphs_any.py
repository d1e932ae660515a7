"""Small random instances of every kind: trees, caterpillars, hubs, several parts, weights of zero and just below k."""

import numpy as np

from kanon_engine.regions.instance import Regions
from tests.compiled import COMPILED, SHARE
from tests.oracles.regions_bitmask import optimum
from tests.regions.graphs import random_connected_graph


def random_edges(rng, n):
    """A connected graph on n vertices: a tree, a caterpillar, leaves on a few hubs, or anything."""
    kind = rng.integers(4)
    if kind == 0:
        return random_connected_graph(rng, n, 0)
    if kind == 3:
        return random_connected_graph(rng, n, rng.choice([0.1, 0.3, 0.6]))
    hubs = int(rng.integers(1, min(n, 4) + 1))
    spine = [(v - 1, v) for v in range(1, hubs)]
    most = 1 if kind == 1 else hubs
    legs = [
        (int(u), v) for v in range(hubs, n) for u in rng.choice(hubs, int(rng.integers(1, most + 1)), replace=False)
    ]
    return spine + legs


def random_instance(rng, most, parts=2):
    """(weights, edges, k) with at most `most` vertices in all; may be infeasible."""
    sizes = [int(rng.integers(1, most + 1))]
    if parts > 1 and rng.random() < 0.3 and sizes[0] > 3:
        sizes = [sizes[0] // 2, sizes[0] - sizes[0] // 2]
    edges = []
    for place, size in enumerate(sizes):
        edges += [(a + sum(sizes[:place]), b + sum(sizes[:place])) for a, b in random_edges(rng, size)]
    n = sum(sizes)
    k = int(rng.integers(1, 12))
    weights = rng.integers(0, k + 1, n) if rng.random() < 0.5 else rng.choice([0, 1, k - 1, k - 1, k], n)
    if rng.random() < 0.2:
        weights[rng.integers(n)] = rng.integers(k, 4 * k + 1)
    return weights.tolist(), edges, k


def planted_stars(rng, k, most):
    """(weights, edges, hub of each area): stars near 3k - 2, whose light leaves touch heavy leaves of other stars."""
    weights, edges, own = [], set(), []

    def add(weight, near, hub=None):
        weights.append(weight)
        own.append(len(own) if hub is None else hub)
        edges.update((int(u), len(weights) - 1) for u in near)
        return len(weights) - 1

    hubs, heavy, light = [], {}, []
    while len(weights) < most or len(hubs) < 2:
        hub = add(int(rng.integers(0, 2)), rng.choice(hubs, 1) if hubs else [])
        hubs.append(hub)
        heavy[hub], left = [], int(rng.choice([3 * k - 2, 3 * k - 2, 3 * k - 1, 2 * k - 1, 2 * k]))
        while left > 0:
            small = rng.random() < 0.3
            low, high = (1, max(1, k // 4)) if small else (max(1, k - 3), k - 1)
            leaf = add(min(left, int(rng.integers(low, high + 1))), [hub], hub)
            (light if small else heavy[hub]).append(leaf)
            left -= weights[leaf]
    for leaf in [leaf for hub in hubs for leaf in heavy[hub] if rng.random() < 0.35]:
        edges.add((int(rng.choice(hubs)), leaf))
    for leaf in light:
        far = heavy[int(rng.choice(hubs))]
        edges.update((other, leaf) for other in rng.permutation(far)[: rng.integers(1, 3)].tolist())
    pairs = {tuple(sorted(edge)) for edge in edges if edge[0] != edge[1]}
    return weights, [tuple(map(int, pair)) for pair in sorted(pairs)], np.array(own)


def feasible(seed, most=9 if COMPILED else 5):
    """Random instances that have a solution, each with its optimum."""
    rng = np.random.default_rng(seed)
    while True:
        weights, edges, k = random_instance(rng, most)
        best = optimum(weights, edges, k)
        if best is not None:
            yield rng, Regions(range(len(weights)), weights, edges), k, best[0]


def some(instances, count):
    """So many of them, or a share of that in plain Python."""
    return (next(instances) for _ in range(-(-count // SHARE)))


def simple(regions, k):
    """The heaviest area, or the average class of a part."""
    return max(k, int(regions.weights.max()), *(-(-w // (w // k)) for w in regions.component_weights.tolist()))
