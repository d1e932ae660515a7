"""Merges rectangles as long as one of them fails a requirement."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from kanon_engine.model.generalization import members_of
from kanon_engine.model.requirement import Holds
from kanon_engine.model.run import Outcome
from kanon_engine.rectangles.exact import cuts_of, splits_at
from kanon_engine.rectangles.instance import Points

Box = tuple[float, float, float, float]


def merge(points: Points, outcome: Outcome, algorithm: str, holds: Holds) -> Outcome:
    """Rectangles that tile the bounding box, each satisfying the requirements.

    If cuts made the tiling, the cut that made the lightest failing rectangle is undone, with all cuts on its other
    side; the rest is still a tree of cuts. If cuts from side to side cannot make it, a failing rectangle grows to the
    lightest rectangle of whole tiles that holds it and another tile. Each step leaves fewer rectangles, so the steps
    end, at worst with the bounding box. That satisfies the requirements, or `checked_requirements` would have refused
    them.

    Parameters
    ----------
    algorithm : The algorithm that made it.
    holds : Whether the points at these positions, as one class, satisfy the requirements.

    Complexity
    ----------
    O(m n) for m rectangles; O(m³) more if no cuts make them.
    """
    details: Any = outcome.details
    boxes = [_box(row) for row in details.rectangles.tolist()]
    members = members_of(outcome.assignment)
    if all(holds(group) for group in members):
        return outcome
    tiles = dict(zip(boxes, members, strict=True))
    if len(details.splits):
        tiles, splits = _undo_cuts(points, tiles, details.splits, holds)
    else:
        tiles, splits = _grown(points, tiles, holds)
    assignment = np.empty(len(points), dtype=np.int32)
    for number, group in enumerate(tiles.values()):
        assignment[group] = number
    rectangles = np.array(list(tiles), dtype=np.float64)
    return replace(outcome, assignment=assignment, details=replace(details, rectangles=rectangles, splits=splits))


def _undo_cuts(
    points: Points, tiles: dict[Box, np.ndarray], splits: np.ndarray, holds: Holds
) -> tuple[dict[Box, np.ndarray], np.ndarray]:
    """The remaining rectangles and cuts; parts are numbered as in `RectangleDetails`."""
    # of every part of the tree: an undone cut makes its part a rectangle again
    boxes = {0: _hull(list(tiles))}
    parent: dict[int, int] = {}
    for number, (part, axis, line) in enumerate(splits.tolist()):
        low, high = list(boxes[int(part)]), list(boxes[int(part)])
        low[int(axis) + 2] = high[int(axis)] = line
        for child, sides in ((2 * number + 1, low), (2 * number + 2, high)):
            boxes[child], parent[child] = _box(sides), int(part)
    inner = {int(part): number for number, part in enumerate(splits[:, 0].tolist())}
    leaves = {part: tiles[box] for part, box in boxes.items() if part not in inner}
    weights = {part: int(points.weights[members].sum()) for part, members in leaves.items()}
    failing = {part for part, members in leaves.items() if not holds(members)}
    while failing:
        part = parent[min(failing, key=lambda part: (weights[part], part))]
        under, below = [part], []
        while under:
            one = under.pop()
            if one in inner:
                number = inner.pop(one)
                under += [2 * number + 1, 2 * number + 2]
            else:
                below.append(one)
        leaves[part] = np.concatenate([leaves.pop(one) for one in below])
        weights[part] = sum(weights.pop(one) for one in below)
        failing -= set(below)
        failing |= set() if holds(leaves[part]) else {part}
    remaining = sorted(inner.values())
    renamed = {0: 0} | {2 * old + side: 2 * new + side for new, old in enumerate(remaining) for side in (1, 2)}
    left = np.array([(renamed[int(splits[old, 0])], *splits[old, 1:]) for old in remaining]).reshape(-1, 3)
    ordered, waiting = {}, [0]  # along the tree of cuts, as classes are numbered
    while waiting:
        part = waiting.pop()
        if part in inner:
            waiting += [2 * inner[part] + 2, 2 * inner[part] + 1]
        else:
            ordered[boxes[part]] = leaves[part]
    return ordered, left


def _grown(points: Points, tiles: dict[Box, np.ndarray], holds: Holds) -> tuple[dict[Box, np.ndarray], np.ndarray]:
    """The remaining rectangles, and their cuts if cuts make them now."""
    failing = {box for box, members in tiles.items() if not holds(members)}
    weights = {box: int(points.weights[members].sum()) for box, members in tiles.items()}
    while failing:
        box = min(failing, key=lambda box: (weights[box], box))
        grown = [_whole_tiles(box, other, list(tiles)) for other in tiles if other != box]
        inside = min(grown, key=lambda inside: (sum(weights[one] for one in inside), inside))
        union = _hull(inside)
        members = np.concatenate([tiles.pop(one) for one in inside])
        tiles[union], weights[union] = members, int(points.weights[members].sum())
        failing -= set(inside)
        failing |= set() if holds(members) else {union}
    rectangles = np.array(list(tiles))
    lines = [np.unique(rectangles[:, axis::2]) for axis in range(2)]
    # fewer rectangles may be a tree of cuts even if the tiling was none
    numbered = np.column_stack([np.searchsorted(lines[side % 2], rectangles[:, side]) for side in range(4)])
    result = cuts_of(numbered)
    if result is None:
        return tiles, np.empty((0, 3))
    cuts, order = result
    boxes = list(tiles)
    return {boxes[place]: tiles[boxes[place]] for place in order}, splits_at(cuts, lines)


def _whole_tiles(one: Box, other: Box, tiles: list[Box]) -> list[Box]:
    """The tiles of the least rectangle that holds both and cuts no tile."""
    inside: list[Box] = [one, other]
    while True:
        west, south, east, north = _hull(inside)
        met = [tile for tile in tiles if tile[0] < east and tile[2] > west and tile[1] < north and tile[3] > south]
        if len(met) == len(inside):
            return sorted(met)
        inside = met


def _hull(boxes: list[Box]) -> Box:
    """The least rectangle that holds all of these."""
    rectangles = np.array(boxes)
    return _box([*rectangles[:, :2].min(axis=0).tolist(), *rectangles[:, 2:].max(axis=0).tolist()])


def _box(sides: list[float]) -> Box:
    west, south, east, north = sides
    return west, south, east, north
