"""The independent look at all partitions of a small table into boxes."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.tables.instance import Table
from kanon_engine.tables.verify.intervals import steps_of
from kanon_engine.verification.requirements import judge

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization

MOST_BOXES = 3_000
MOST_STEPS = 200_000


def boxes_beaten(table: Table, g: Generalization) -> bool | None:
    """Whether some boxes cost less than the claimed bound; None if there are too many to look at.

    Boxes are listed by their ends among the values that occur, the nodes of a tree where a column has one. The first
    record that is in none yet goes into each box that holds it and meets none of those chosen.
    """
    ends = [_ends(table, column, name) for column, name in enumerate(table.quasi_identifiers)]
    count = 1
    for own in ends:
        count *= len(own)
    if count > MOST_BOXES:
        return None
    boxes = []
    holds = judge(table, g.require)
    for ranges in product(*ends):
        low, high = (np.array(side) for side in zip(*ranges, strict=True))
        inside = np.asarray(((table.codes >= low) & (table.codes <= high)).all(axis=1))
        if int(table.weights[inside].sum()) >= g.k and holds(np.flatnonzero(inside).tolist()):
            boxes.append((low, high, inside, _cost(table, g, inside)))
    boxes.sort(key=lambda box: box[3])
    return _cheaper(boxes, g.lower_bound, len(table))


def _ends(table: Table, column: int, name: str) -> list[tuple[int, int]]:
    """First and last position of each range that may be shown, of those that hold the same records one."""
    tree = table.tree(name)
    known = np.unique(table.codes[:, column])
    if tree is None:
        return [(int(low), int(high)) for place, low in enumerate(known) for high in known[place:]]
    held = {tuple(known[(known >= low) & (known <= high)].tolist()): (low, high) for low, high in tree.nodes.tolist()}
    return [ends for values, ends in held.items() if values]


def _cost(table: Table, g: Generalization, inside: np.ndarray) -> int:
    """What these records cost as one class, with the smallest box that may be shown of them."""
    size, metric = int(table.weights[inside].sum()), g.options["metric"]
    if metric == "DM":
        return size * size
    if metric == "AVG":
        return size - g.k
    if metric == "CM":
        return size - int(np.bincount(table.labels[inside], table.weights[inside]).max())
    loss = 0
    for column, (name, step) in enumerate(zip(table.quasi_identifiers, steps_of(table, g), strict=True)):
        codes, known = table.codes[inside, column], np.unique(table.codes[:, column])
        low, high = int(codes.min()), int(codes.max())
        if (tree := table.tree(name)) is not None:
            nodes = [node for node in tree.nodes.tolist() if node[0] <= low and node[1] >= high]
            low, high = min(nodes, key=lambda node: node[1] - node[0])
            own = known[(known >= low) & (known <= high)]
            low, high = int(own[0]), int(own[-1])
        loss += step * (high - low)
    return size * loss


def _cheaper(boxes: list, below: int, rows: int) -> bool | None:
    """Whether boxes that do not meet and hold everybody cost less than `below`."""
    steps = 0
    stack: list[tuple[tuple[int, ...], np.ndarray, int]] = [((), np.zeros(rows, dtype=bool), 0)]
    while stack:
        chosen, covered, cost = stack.pop()
        steps += 1
        if steps > MOST_STEPS:
            return None
        if covered.all():
            return True
        first = int(covered.argmin())
        for number, (low, high, inside, price) in enumerate(boxes):
            if not inside[first] or cost + price >= below or (inside & covered).any():
                continue
            if any((boxes[one][0] <= high).all() and (boxes[one][1] >= low).all() for one in chosen):
                continue
            stack.append(((*chosen, number), covered | inside, cost + price))
    return False
