"""Small random maps with minima and wishes, and what brute force says of them."""

from dataclasses import dataclass

import numpy as np

from kanon_engine.model.requirement import Minimum
from kanon_engine.regions.instance import Regions
from tests.oracles import region_wishes as oracle
from tests.regions.graphs_any import random_instance


@dataclass(frozen=True)
class Wished:
    """A map with what is asked of it, and the best that brute force finds (None: nothing)."""

    regions: Regions
    k: int
    require: tuple
    best: int | None
    blocks: list


def wished_map(rng, most=8, kinds=("minimum", "together", "apart", "barriers")):
    """At most `most` areas; of the kinds of wishes some, and rarely none."""
    weights, edges, k = random_instance(rng, most)
    n = len(weights)
    if rng.random() < 0.8:  # as it is, hardly any wish has room
        k = int(rng.integers(1, max(sum(weights) // 3, 2)))
    homes = rng.integers(0, 5, n).tolist()
    m = int(rng.integers(1, 5)) if "minimum" in kinds and rng.random() < 0.5 else 0

    def sets(kind, number, sizes):
        if kind not in kinds or n < 2 or rng.random() < 0.3:
            return []
        return [rng.choice(n, min(int(rng.choice(sizes)), n), replace=False).tolist() for _ in range(number)]

    together, apart = sets("together", 1, (2, 2, 3)), sets("apart", int(rng.integers(1, 3)), (2, 2, 3))
    barriers = sets("barriers", int(rng.integers(1, 4)), (1, 2, 3, 4))
    minima = [(homes, m)] if m else []
    blocks = oracle.blocks_of(weights, edges, k, minima, together, apart, barriers)[0]
    best = oracle.best(weights, edges, k, minima, together, apart, blocks if barriers else None)
    wishes = {"together": together, "apart": apart, "barriers": barriers}
    regions = Regions(range(n), weights, edges, columns={"homes": homes}, **wishes)
    return Wished(regions, k, (Minimum("homes", m),) if m else (), best, blocks)


def seeded(seed, **settings):
    return wished_map(np.random.default_rng(seed), **settings)
