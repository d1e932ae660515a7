"""What the steps of a result's spanning tree mean, in words."""

from __future__ import annotations

from kanon_engine.model.generalization import Generalization
from kanon_engine.regions.instance import Regions


def step_sentence(regions: Regions, g: Generalization, step: int) -> str:
    """The tree after `step` cuts: how the groups were made, or where they were found in another way, why it is shown.

    Parameters
    ----------
    step : int
        From 0, the whole tree, to the number of cuts.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> line = Regions(list("abc"), [3, 2, 3], [(0, 1), (1, 2)], unit="people")
    >>> step_sentence(line, kanon.generalize(line, 3, "tree-split"), 1)
    'Cut 1 of 1: of all places to cut with at least k = 3 people on both sides, this one takes off the lightest piece.'
    """
    return _cutting(regions, g, step) if g.algorithm == "tree-split" else _witness(g, step)


def _cutting(regions: Regions, g: Generalization, step: int) -> str:
    """One step of the algorithm that cuts a tree."""
    if step:
        return (
            f"Cut {step} of {len(g.details.cut_edges)}: of all places to cut with at least k = {g.k:,} {regions.unit} "
            "on both sides, this one takes off the lightest piece."
        )
    proven = f" ({g.details.theorem})" if g.details.theorem else ""
    return (
        f"All {len(regions):,} areas hang together in one tree: {g.details.heuristic}{proven}. No area has more than "
        f"{g.details.degree} branches, which keeps what is left at the end small."
    )


def _witness(g: Generalization, step: int) -> str:
    """What the tree is for where the groups were found in another way."""
    count = len(g.details.cut_edges)
    found = g.details.heuristic.replace("classes", "groups")  # the word of the engine, which certificates hold
    return (
        f"How the groups were found: {found}. The tree is the proof that each of them is connected: take "
        f"away its {count:,} edges between groups, and the groups are left; {step:,} are gone."
    )
