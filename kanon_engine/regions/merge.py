"""Merges neighboring classes as long as one of them fails a requirement."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from kanon_engine.model.generalization import members_of
from kanon_engine.model.requirement import MERGED, Holds
from kanon_engine.model.run import Outcome
from kanon_engine.regions.instance import Regions, TreeDetails
from kanon_engine.regions.tree_split import numbered
from kanon_engine.regions.trees import forest_of_classes


def merge(regions: Regions, outcome: Outcome, algorithm: str, holds: Holds) -> Outcome:
    """An outcome in which every class is connected and satisfies the requirements; the given one if it already does.

    The lightest failing class joins a neighbor: the lightest with which it no longer fails, if there is one. Each step
    leaves one class fewer, so the steps end. A connected part that is one class has no neighbor, but it satisfies the
    requirements, or `checked_requirements` would have refused them. If a tree was cut, only classes separated by a cut
    edge are neighbors: the tree stays the witness, with fewer cuts.

    `outcome`: connected classes.
    `algorithm`: the algorithm that made it.
    `holds`: whether the areas at these positions, as one class, satisfy the requirements.
    Complexity: O(n log n + m (m + d n)) for m classes of at most d neighbors each.
    """
    details: Any = outcome.details
    cuts_a_tree = algorithm == "tree-split"
    merged = _joined(regions, outcome.assignment, details.cut_edges if cuts_a_tree else regions.edges, holds)
    if merged is None:
        return outcome
    tree: TreeDetails
    if cuts_a_tree:
        cut = details.cut_edges
        tree = replace(details, cut_edges=cut[merged[cut[:, 0]] != merged[cut[:, 1]]])
    else:
        tree = forest_of_classes(regions, merged, details.heuristic + MERGED)
    return replace(outcome, assignment=merged, details=tree)


def _joined(regions: Regions, assignment: np.ndarray, edges: np.ndarray, holds: Holds) -> np.ndarray | None:
    """The classes after merging along these edges; None if none had to be merged."""
    members = dict(enumerate(members_of(assignment)))
    weights = {number: int(regions.weights[group].sum()) for number, group in members.items()}
    near: dict[int, set[int]] = {number: set() for number in members}
    for one, other in np.unique(assignment[edges], axis=0).tolist():
        if one != other:
            near[one].add(other)
            near[other].add(one)
    failing = {number for number, group in members.items() if not holds(group)}
    if not failing:
        return None
    while failing:
        light = min(failing, key=lambda number: (weights[number], number))
        unions = {other: np.concatenate([members[light], members[other]]) for other in near[light]}
        good = {other: holds(union) for other, union in unions.items()}
        best = min(unions, key=lambda other: (not good[other], weights[other], other))
        members[light] = unions[best]
        weights[light] += weights.pop(best)
        del members[best]
        failing -= {best} | ({light} if good[best] else set())
        near[light] |= near.pop(best)
        near[light] -= {light, best}
        for other in near[light]:
            near[other].discard(best)
            near[other].add(light)
    merged = np.empty(len(assignment), dtype=np.int32)
    for number, group in members.items():
        merged[group] = number
    return numbered(merged, regions.weights)
