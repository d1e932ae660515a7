"""Where the nodes of a tree stand in a picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def tree_places(parents: Sequence[int]) -> tuple[list[float], list[float]]:
    """Where nodes stand: leaves side by side, parents above the middle of their children.

    Example
    -------
    >>> tree_places([-1, 0, 0])
    ([0.5, 0.0, 1.0], [0, -1, -1])
    """
    children: list[list[int]] = [[] for _ in parents]
    depth = [0] * len(parents)
    for node, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(node)
            depth[node] = depth[parent] + 1
    xs = np.zeros(len(parents))
    leaves, stack = 0, [0]
    order = []
    while stack:
        node = stack.pop()
        order.append(node)
        stack += reversed(children[node])
    for node in order:
        if not children[node]:
            xs[node] = leaves
            leaves += 1
    for node in reversed(order):
        if children[node]:
            xs[node] = (xs[children[node][0]] + xs[children[node][-1]]) / 2
    return xs.tolist(), [-level for level in depth]
