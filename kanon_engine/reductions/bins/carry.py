"""Groups of weights are groups of labels, to and fro."""

from __future__ import annotations

from typing import Any

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.model.classes import members_of
from kanon_engine.reductions.decided import decided
from kanon_engine.reductions.model import Carried
from kanon_engine.reductions.problems.halves import Numbers


def groups_forth(source: Any, carried: Carried, solution: tuple[tuple[int, ...], ...]) -> np.ndarray:
    """Each group of weights is a class."""
    assignment = np.empty(len(carried.instance), dtype=np.int32)
    for number, group in enumerate(sorted(solution)):
        assignment[list(group)] = number
    return assignment


def groups_back(source: Any, carried: Carried, assignment: np.ndarray) -> tuple[tuple[int, ...], ...]:
    """Each class is a group of weights."""
    reason = fault(carried, assignment)
    if reason:
        raise InvalidInput(reason)
    return tuple(tuple(members.tolist()) for members in members_of(assignment, int(assignment.max()) + 1))


def halves_forth(source: Numbers, carried: Carried, solution: tuple[int, ...]) -> np.ndarray:
    """The chosen half is a class, and the other one is."""
    chosen = np.isin(np.arange(len(source.numbers)), solution)
    return (chosen != chosen[0]).astype(np.int32)


def halves_back(source: Numbers, carried: Carried, assignment: np.ndarray) -> tuple[int, ...]:
    """The class of the first number."""
    return groups_back(source, carried, assignment)[0]


def decide(carried: Carried) -> np.ndarray | None:
    """Classes of weight k … threshold, or None; by the exact algorithm for labels."""
    return decided(carried, "exact")


def fault(carried: Carried, assignment: np.ndarray) -> str:
    """Which class weighs less than k or more than the threshold, with one of its labels; "" where none does."""
    counts = carried.instance.counts.tolist()
    loose = np.flatnonzero(assignment < 0)
    if len(loose):
        return f"{carried.gadget_of(int(loose[0])).name} is in no class."
    weights: dict[int, int] = {}
    for number, count in zip(assignment.tolist(), counts, strict=True):
        weights[number] = weights.get(number, 0) + count
    for item, number in enumerate(assignment.tolist()):
        if weights[number] < carried.k:
            return f"The class of {carried.gadget_of(item).name} weighs {weights[number]}, below k = {carried.k}."
        if weights[number] > carried.threshold:
            most = f"K = {carried.threshold:g}"
            return f"The class of {carried.gadget_of(item).name} weighs {weights[number]}, above {most}."
    return ""
