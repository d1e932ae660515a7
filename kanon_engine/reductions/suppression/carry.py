"""Covers are cheap tables, to and fro."""

from __future__ import annotations

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.model.classes import members_of
from kanon_engine.reductions.decided import decided
from kanon_engine.reductions.model import Carried
from kanon_engine.reductions.problems.vertex_cover import CubicGraph
from kanon_engine.reductions.suppression.rows import CRITICAL, DUMMY, EDGE, EQUAL, LOOSE, WITH_Z, Z_WITH, rows_of


def forth(source: CubicGraph, carried: Carried, solution: tuple[int, ...]) -> np.ndarray:
    """The classes of Claim 1: a vertex of the cover takes in the edges that it is charged with."""
    charged = {edge: min(set(edge) & set(solution)) for edge in source.edges}
    cover = set(charged.values())  # who is charged with no edge is not needed
    names: dict[tuple[str, ...], int] = {}
    assignment = []
    equal = dict.fromkeys(range(source.size), 0)
    for row in rows_of(source):
        if row.kind == DUMMY:
            key = ("Z third", "") if row.of == "0 ? Z" else ("Z second", "")
        elif row.kind == EDGE:
            one, other = (int(end[1:]) - 1 for end in row.of.split("-"))
            vertex = charged[one, other]
            key = ("second" if row.cells[1] == f"v{vertex + 1}" else "third", f"v{vertex + 1}")
        else:
            vertex = int(row.of[1:]) - 1
            inside = vertex in cover
            half = "second" if equal[vertex] < 3 else "third"
            equal[vertex] += row.kind == EQUAL
            of_cover = {EQUAL: half, CRITICAL: "loose", LOOSE: "loose", WITH_Z: "second", Z_WITH: "third"}
            of_others = {EQUAL: "equal", CRITICAL: "equal", LOOSE: "loose", WITH_Z: "Z third", Z_WITH: "Z second"}
            place = (of_cover if inside else of_others)[row.kind]
            key = (place, "" if place.startswith("Z") else row.of)
        assignment.append(names.setdefault(key, len(names)))
    return np.array(assignment, dtype=np.int32)


def extra_costs(source: CubicGraph, carried: Carried, assignment: np.ndarray) -> np.ndarray:
    """(n,) int64: how many cells each row loses above its base cost."""
    base = np.array([row.base for row in rows_of(source)])
    return _stars(carried, assignment)[assignment] - base


def back(source: CubicGraph, carried: Carried, assignment: np.ndarray) -> tuple[int, ...]:
    """The cover of Claim 4: vertices with a row that pays extra, and an end of every edge that none of them touches."""
    reason = fault(carried, assignment)
    if reason:
        raise InvalidInput(reason)
    extra = extra_costs(source, carried, assignment)
    paying = {row.of for row, more in zip(rows_of(source), extra.tolist(), strict=True) if more > 0}
    cover = {vertex for vertex in range(source.size) if f"v{vertex + 1}" in paying}
    for edge in source.edges:
        if not cover & set(edge):
            cover.add(edge[0])
    return tuple(sorted(cover))


def decide(carried: Carried) -> np.ndarray | None:
    """Classes of at least k rows that lose at most the threshold's cells, or None; by cell suppression."""
    return decided(carried, "cell-suppression")


def fault(carried: Carried, assignment: np.ndarray) -> str:
    """Which class is too small, or how many cells too many are lost; "" where the classes meet k and the threshold."""
    loose = np.flatnonzero(assignment < 0)
    if len(loose):
        return f"A row of {carried.gadget_of(int(loose[0])).name} is in no class."
    sizes = np.bincount(assignment)
    for members in members_of(assignment, len(sizes)):
        if len(members) < carried.k:
            of = carried.gadget_of(int(members[0])).name if len(members) else "no gadget"
            return f"The class with a row of {of} has {len(members)} rows, below k = {carried.k}."
    stars = _stars(carried, assignment)
    cost = int(sizes @ stars)
    if cost > carried.threshold:
        worst = int(members_of(assignment, len(sizes))[int(stars.argmax())][0])
        return (
            f"The classes lose {cost} cells, above {carried.threshold:g}; the one with a row of "
            f"{carried.gadget_of(worst).name} loses {int(stars.max())} in every row."
        )
    return ""


def _stars(carried: Carried, assignment: np.ndarray) -> np.ndarray:
    """(m,) int64: in how many columns the rows of each class differ."""
    frame = carried.instance.frame[list(carried.instance.quasi_identifiers)]
    kinds = frame.groupby(assignment).nunique()
    return (kinds.to_numpy() > 1).sum(axis=1)
