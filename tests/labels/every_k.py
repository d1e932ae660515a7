"""What `near-optimal` reaches at many k."""

from kanon_engine.labels.bounds import lower_bounds
from kanon_engine.labels.even_packing import Packings
from kanon_engine.labels.near_optimal import packed_for_each


def near_optimal_costs(labels, ks, seed=0):
    """The cost for each k, and the lower bound: the same numbers as `generalize` gives."""
    packings = Packings(labels.items, seed)
    bounds = lower_bounds(labels.items, ks, packings)
    return packed_for_each(labels.items, ks, bounds, packings)[0], bounds
