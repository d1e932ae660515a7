"""Ends of boxes moved outward without meeting another box, in a balanced tree over the boxes."""

from __future__ import annotations

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.tables.boxes_kernels import meet

LEAF = 8  # boxes at most that are compared one by one
DEEPEST = 64  # more than the levels of any tree


@njit(cache=True, nogil=True)
def box_tree(low, high):
    """A tree as (order, begins, ends, bound_low, bound_high): node i holds the boxes order[begins[i]:ends[i]].

    Nodes 2 i + 1 and 2 i + 2 hold its halves, split at the median center in the column where centers are spread widest.
    """
    boxes, q = low.shape
    leaves = 1
    while leaves * LEAF < boxes:
        leaves *= 2
    nodes = 2 * leaves - 1
    order = np.arange(boxes)
    begins, ends = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    bound_low, bound_high = np.empty((nodes, q), low.dtype), np.empty((nodes, q), high.dtype)
    ends[0] = boxes
    for node in range(nodes):
        part = order[begins[node] : ends[node]].copy()
        widest, spread = 0, np.int64(-1)
        for column in range(q):
            bound_low[node, column] = low[part, column].min()
            bound_high[node, column] = high[part, column].max()
            centers = low[part, column].astype(np.int64) + high[part, column]
            if centers.max() - centers.min() > spread:
                widest, spread = column, centers.max() - centers.min()
        if node < leaves - 1:
            centers = low[part, widest].astype(np.int64) + high[part, widest]
            order[begins[node] : ends[node]] = part[np.argsort(centers)]
            middle = (begins[node] + ends[node]) // 2
            begins[2 * node + 1], ends[2 * node + 1] = begins[node], middle
            begins[2 * node + 2], ends[2 * node + 2] = middle, ends[node]
    return order, begins, ends, bound_low, bound_high


@njit(cache=True, nogil=True)
def move_out(low, high, column, first, last):
    """Move the ends of all boxes in a column to `first` and `last` of where they lie, or to the next box; in place.

    Complexity: O(m log m) for the tree over m boxes, then O(log m) and the boxes that are in the way for each.
    """
    own_low, own_high = low[:, column].copy(), high[:, column].copy()
    low[:, column], high[:, column] = first[own_low], last[own_high]
    order, begins, ends, bound_low, bound_high = box_tree(low, high)  # holds wherever the ends may come to lie
    low[:, column], high[:, column] = own_low, own_high
    stack = np.empty(DEEPEST, np.int64)
    for box in range(len(low)):
        low_end, high_end = low[box, column], high[box, column]
        if first[low_end] == low_end and last[high_end] == high_end:
            continue
        least, most = first[low_end], last[high_end]
        low[box, column], high[box, column] = least, most
        stack[0], depth = 0, 1
        while depth > 0:
            depth -= 1
            node = stack[depth]
            if not meet(bound_low[node], bound_high[node], low[box], high[box]):
                continue
            if 2 * node + 1 < len(begins):
                stack[depth], stack[depth + 1] = 2 * node + 1, 2 * node + 2
                depth += 2
                continue
            for other in order[begins[node] : ends[node]]:
                if other == box or not meet(low[other], high[other], low[box], high[box]):
                    continue
                if high[other, column] < low_end:
                    low[box, column] = high[other, column] + 1
                elif low[other, column] > high_end:
                    high[box, column] = low[other, column] - 1
