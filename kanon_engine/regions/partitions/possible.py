"""Any partition that keeps all wishes; or which of them contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kanon_engine.errors import Infeasible, InvalidInput
from kanon_engine.model.requirement import Minimum, checked_requirements
from kanon_engine.model.run import Run
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.partitions.model import Part, classes_up_to
from kanon_engine.regions.partitions.rules import Rules
from kanon_engine.regions.partitions.small import SMALL, best_partition
from kanon_engine.regions.wishes.items import HANDLE_ALL, Items, prepared

EFFORT = 2.0  # CP-SAT's deterministic time for a part
LARGEST_MODEL = 500  # areas of a part up to which CP-SAT is asked


def any_partition(regions: Regions, k: int, run: Run, minima: Sequence[Minimum]) -> np.ndarray:
    """A partition that keeps all wishes, by searches that look at all of them; the best one of parts that are small.

    Parameters
    ----------
    regions : Regions
    k : int
    run : Run
        A stop ends the search.
    minima : sequence of Minimum

    Returns
    -------
    (n,) int64 array
        A class number for each area.

    Raises
    ------
    Infeasible
        There is none; the sentence names wishes that contradict each other.
    InvalidInput
        None was found, and it is not known whether there is one.
    """
    labels = np.zeros(len(regions), dtype=np.int64)
    for part in range(len(regions.component_weights)):
        members = np.flatnonzero(regions.components == part)
        verdict, own = _of_part(regions, members, k, run, minima)
        if verdict == "impossible":
            raise no_partition(regions, k, minima)
        if own is None:
            raise InvalidInput(
                f"No grouping into groups of at least k = {k:,} was found that keeps all wishes, and whether there is "
                "one is not known; lower k, or ask for less."
            )
        labels[members] = own + len(regions) * members[0]
    return labels


def _of_part(
    regions: Regions, members: np.ndarray, k: int, run: Run, minima: Sequence[Minimum]
) -> tuple[str, np.ndarray | None]:
    """A verdict as of `classes_up_to`, and the classes of a connected part."""
    edges, weights, rules = inside(regions, members, minima)
    if len(members) <= SMALL:
        own = best_partition(edges, weights, k, rules=rules)
        return ("impossible" if own is None else "found"), own
    if len(members) > LARGEST_MODEL:
        return "open", None
    part = Part(edges, weights, k, rules)

    def goes_on(spent: float) -> bool:
        return run.goes_on(0.9, None, None, "asking whether there is a grouping at all")

    return classes_up_to(part, int(weights.sum()), EFFORT, run, goes_on)[:2]


def inside(regions: Regions, members: np.ndarray, minima: Sequence[Minimum]) -> tuple[np.ndarray, np.ndarray, Rules]:
    """The edges among the members, as places in their list, their weights, and what their classes must satisfy."""
    place = np.full(len(regions), -1, dtype=np.int64)
    place[members] = np.arange(len(members))
    edges = place[regions.edges]
    edges = edges[(edges >= 0).all(axis=1)]
    return edges, regions.weights[members], Rules.inside(regions, members, minima)


def no_partition(regions: Regions, k: int, minima: Sequence[Minimum]) -> Infeasible:
    """What to raise where no partition keeps all wishes: a sentence that names some of which none is too many.

    Each wish is left out in turn; it stays out where there is no partition without it either. What is left contradicts
    itself, and without any one of it there is a partition, or none is known not to be there.
    """
    source = regions.source if isinstance(regions, Items) else regions
    once: Any = {name: tuple(dict.fromkeys(getattr(source, name))) for name in ("together", "apart")}
    source = replace(source, **once)
    left = [*dict.fromkeys(minima)]
    for minimum in minima:
        fewer = [other for other in left if other != minimum]
        if _impossible(source, k, fewer):
            left = fewer
    for name in ("together", "apart"):
        for own in getattr(source, name):
            kept: Any = tuple(other for other in getattr(source, name) if other != own)
            fewer_wishes = replace(source, **{name: kept})
            if _impossible(fewer_wishes, k, left):
                source = fewer_wishes
    if source.barriers:
        fewer_wishes = replace(source, barriers=())
        if _impossible(fewer_wishes, k, left):
            source = fewer_wishes
    named = [f"{source.listing(own)} {name}" for name in once for own in source.places(getattr(source, name))]
    named += ["the barriers"] * bool(source.barriers)
    named += [f"at least {minimum.m:,} {minimum.column}" for minimum in left]
    wishes = f"all of these: {'; '.join(named)}; take one of them" if len(named) > 1 else f"{named[0]}; take that"
    sentence = f"No grouping into groups of at least k = {k:,} keeps {wishes} out, or lower k."
    return Infeasible(sentence, parameter="k", value=k)


def _impossible(regions: Regions, k: int, minima: Sequence[Minimum]) -> bool:
    """Whether it is proven that no partition keeps these wishes."""
    try:
        regions.require_feasible(k)
        checked_requirements(minima, regions)
    except Infeasible:
        return True
    items = prepared(regions, k, minima, HANDLE_ALL[0])
    parts = (np.flatnonzero(items.components == part) for part in range(len(items.component_weights)))
    return any(_of_part(items, members, k, Run(), minima)[0] == "impossible" for members in parts)
