"""A formula as a graph, and the graph as distances."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.reductions.model import Carried, Gadget
from kanon_engine.reductions.problems.satisfiability import Formula

K = 7  # the least r for which the proof holds
APART = 3.0  # between two variables in a picture


def build(source: Formula, mutation: str | None = None) -> Carried:
    """Two points and five others for each variable, a point for each clause, k = 7 and a radius of 1."""
    k = K + {"k is 6": -1, "r is 6": -1, "k is 8": 1}.get(mutation or "", 0)
    others = K - 2 + {"four others": -1, "r is 6": -1, "six others": 1}.get(mutation or "", 0)
    radius = {"radius 0": 0, "radius 2": 2}.get(mutation or "", 1)
    gadgets, places, edges = [], [], []
    ids: list[str] = []
    for variable in range(source.variables):
        true, false = len(ids), len(ids) + 1
        ids += [f"x{variable + 1} true", f"x{variable + 1} false"]
        middle = APART * variable
        places += [(middle - 0.7, 0.0), (middle + 0.7, 0.0)]
        if mutation != "true and false apart":
            edges.append((true, false))
        for number in range(others):
            edges.append((true, len(ids)))
            if mutation != "others at true alone":
                edges.append((false, len(ids)))
            ids.append(f"x{variable + 1} other {number + 1}")
            places.append((middle + 0.35 * (number - (others - 1) / 2), -1.0))
        name = f"variable x{variable + 1}"
        gadgets.append(
            Gadget(f"{name}: its values", "value", f"the center that is chosen sets x{variable + 1}", (true, false))
        )
        gadgets.append(
            Gadget(
                f"{name}: the others",
                "other",
                "too few for a group round each value",
                tuple(range(false + 1, len(ids))),
            )
        )
    centers = {name: place for place, name in enumerate(ids)}
    for number, clause in enumerate(source.clauses):
        own = range(len(ids), len(ids) + (2 if mutation == "each clause twice" else 1))
        for point in own:
            for literal in clause[1:] if mutation == "first literal left out" else clause:
                true = literal > 0 or mutation == "complements as variables"
                edges.append((centers[f"x{abs(literal)} {'true' if true else 'false'}"], point))
            ids.append(f"clause {number + 1}" + " again" * (point > own[0]))
            across = APART * (source.variables - 1) * (number + 0.5) / len(source.clauses)
            places.append((across, 1.5 + point - own[0]))
        said = " or ".join(f"{'' if literal > 0 else 'not '}x{abs(literal)}" for literal in clause)
        gadgets.append(Gadget(f"clause {number + 1}", "clause", f"needs one of its literals: {said}", tuple(own)))
    space = MetricSpace(_distances(len(ids), edges), "precomputed", ids=ids)
    return Carried(space, k, radius, tuple(gadgets), np.array(places))


def _distances(count: int, edges: list[tuple[int, int]]) -> np.ndarray:
    """(n, n) the lengths of shortest paths; n where there is none, so that this is a metric too."""
    ends = np.array(edges).reshape(-1, 2).T
    graph = coo_array((np.ones(ends.shape[1]), (ends[0], ends[1])), shape=(count, count))
    lengths = shortest_path(graph.tocsr(), directed=False, unweighted=True)
    return np.where(np.isinf(lengths), float(count), lengths)
