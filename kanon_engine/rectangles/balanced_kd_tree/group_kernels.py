"""A few points as a grid of all lines that cuts may use, and whether cuts can divide it below a cap."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.rectangles.bit_table_kernels import fill, has, table_shape, work
from kanon_engine.rectangles.kd_tree.selection_kernels import NOTHING

MOST_LINES = 256  # along an axis, for 34 MB a table
CHEAP = 256  # words of a table that take as long as looking at a point


class Group(NamedTuple):
    """Points as cells of the grid of all lines that cuts may use."""

    keys: np.ndarray  # (2, n) float64: coordinates along both axes of the grid, the one with fewer lines first
    ranks: np.ndarray  # (2, n) int64: column and row of each point
    loads: np.ndarray  # (n,) int64
    axes: np.ndarray  # (2,) int8: which coordinates they are, 0 for x and 1 for y
    sums: np.ndarray  # (columns + 1, rows + 1) int64: weight of the first columns and rows


@njit(cache=True, nogil=True)
def rank(keys, loads, total, k, ranks):
    """Number the points between lines with weight >= k on both sides; returns how many such intervals there are."""
    places = np.argsort(keys)
    low, number = 0, 0
    for place in range(len(places)):
        point = places[place]
        if place > 0 and keys[point] != keys[places[place - 1]] and k <= low <= total - k:
            number += 1
        ranks[point] = number
        low += loads[point]
    return number + 1


@njit(cache=True, nogil=True)
def grouped(xy, weights, order, k):
    """The points `order` as a `Group`."""
    n, total = len(order), 0
    keys, ranks, loads = np.empty((2, n)), np.empty((2, n), np.int64), np.empty(n, np.int64)
    for place in range(n):
        loads[place] = weights[order[place]]
        total += loads[place]
        keys[0, place], keys[1, place] = xy[order[place], 0], xy[order[place], 1]
    axes = np.zeros(2, np.int8)
    axes[1] = 1
    wide, high = rank(keys[0], loads, total, k, ranks[0]), rank(keys[1], loads, total, k, ranks[1])
    if wide > high:
        axes[0], axes[1] = 1, 0
        keys, ranks, wide, high = keys[::-1].copy(), ranks[::-1].copy(), high, wide
    sums = np.zeros((wide + 1, high + 1), np.int64)
    return Group(keys, ranks, loads, axes, sums)


@njit(cache=True, nogil=True)
def add_up(group):
    """Fill the sums of a group."""
    sums = group.sums
    for point in range(len(group.loads)):
        sums[group.ranks[0, point] + 1, group.ranks[1, point] + 1] += group.loads[point]
    for c in range(1, sums.shape[0]):
        upto = 0
        for d in range(1, sums.shape[1]):
            upto += sums[c, d]
            sums[c, d] = sums[c - 1, d] + upto


@njit(cache=True, nogil=True)
def table_of(group):
    """Room for the bits of a group."""
    wide, high = group.sums.shape[0] - 1, group.sums.shape[1] - 1
    return np.empty(table_shape(wide, high), np.uint64)


@njit(cache=True, nogil=True)
def price(group):
    """How many steps one table of a group takes; more than there can be where it has too many lines."""
    wide, high = group.sums.shape[0] - 1, group.sums.shape[1] - 1
    return NOTHING if high > MOST_LINES else len(group.loads) + work(wide, high) // CHEAP


@njit(cache=True, nogil=True)
def decided(group, table, k, cap):
    """Whether cuts can divide a group into classes of weight k to the cap; fills the table."""
    fill(table, group.sums, k, cap)
    wide, high = group.sums.shape[0] - 1, group.sums.shape[1] - 1
    return has(table, (0, 0, wide, high), (wide, high))
