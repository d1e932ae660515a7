"""Sets and elements as points, with what it costs to open a cluster at each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.reductions.model import Carried, Gadget
from kanon_engine.reductions.problems.set_cover import Sets


@dataclass(frozen=True, eq=False, kw_only=True)
class WithCosts(Carried):
    """A target where each center has a facility cost of its own, which no algorithm of the engine takes.

    Attributes
    ----------
    opening : tuple of int
        What a cluster round each point costs besides its points times its radius.
    """

    opening: tuple[int, ...]


# what can be otherwise without breaking anything; see docs/reductions.md
SPARED = ("sets apart", "elements far apart")


def build(source: Sets, mutation: str | None = None) -> WithCosts:
    """A point for each set and each element; a set costs 1 to open, an element more than may be spent."""
    sets, size = len(source.sets), source.size
    spent = source.most + sets + size
    prices = [{"sets for nothing": 0, "sets cost 2": 2}.get(mutation or "", 1)] * sets
    prices += [{"elements for nothing": 0, "elements as sets": 1}.get(mutation or "", spent + 1)] * size
    most = spent + {"K is one less": -1, "K is one more": 1}.get(mutation or "", 0)
    ids = [f"set {number + 1}" for number in range(sets)] + [f"element {number + 1}" for number in range(size)]
    meant = ["a center where it is chosen"] * sets + ["lies at distance 1 from the sets that hold it"] * size
    kinds = ["set"] * sets + ["element"] * size
    gadgets = tuple(Gadget(ids[place], kinds[place], meant[place], (place,)) for place in range(sets + size))
    places = [(number + 0.5, 1.0) for number in range(sets)]
    places += [((number + 0.5) * sets / size, 0.0) for number in range(size)]
    space = MetricSpace(_distances(source, mutation), "precomputed", ids=ids)
    k = 3 if mutation == "three points a cluster" else 1
    return WithCosts(space, k, most, gadgets, np.array(places), opening=tuple(prices))


def _distances(source: Sets, mutation: str | None) -> np.ndarray:
    """(n, n) sets before elements: 1 between sets and from an element to the sets that hold it, 2 for all others."""
    sets, size = len(source.sets), source.size
    holds = np.array([[element in own for element in range(size)] for own in source.sets])
    if mutation == "an element left out":
        holds[int(holds[:, 0].argmax()), 0] = False
    elif mutation == "an element in the first set":
        holds[0, size - 1] = True
    elif mutation == "all at distance 1":
        holds[:] = True
    apart = np.full((sets + size, sets + size), 2.0)
    apart[:sets, :sets] = 2.0 if mutation == "sets apart" else 1.0
    apart[sets:, sets:] = 3.0 if mutation == "elements far apart" else 2.0
    apart[:sets, sets:] = np.where(holds, 1.0, 2.0)
    apart[sets:, :sets] = apart[:sets, sets:].T
    np.fill_diagonal(apart, 0.0)
    return apart
