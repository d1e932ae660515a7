"""Lower bounds on the sum of squares, worked out again; see docs/proofs/clusters/squares.md."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.verification.check import Check

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization

ROWS = 2_000  # points whose distances to all are worked out at once, about
STEP = 2.0**-52  # twice the error of one rounding


def _one_cluster(space: MetricSpace, g: Generalization) -> Check:
    """With fewer than 2k records there is one cluster, and it costs what it costs."""
    alone = space.total < 2 * g.k and g.classes == 1 and g.lower_bound == g.cost and (g.assignment == 0).all()
    return _witness(bool(alone), f"{space.total:,} records make one cluster, which costs {g.cost!r}.")


def _one_column(space: MetricSpace, g: Generalization) -> Check:
    """The shortest path over the sorted values, in whole numbers."""
    if space.points.shape[1] != 1 or len(space) < g.k:
        return _witness(False, "there is more than one column.")
    values = sorted(space.points[:, 0].tolist())
    unit = max(value.as_integer_ratio()[1] for value in values)
    whole = [above * (unit // below) for above, below in (value.as_integer_ratio() for value in values)]
    value = math.fsum(_squared_deviations(values, _shortest_path(whole, g.k)))
    return _witness(g.lower_bound <= value, f"the best clusters of sorted values cost {value!r}.")


def _shortest_path(whole: list[int], k: int) -> list[int]:
    """Where the clusters end, the last first; each is as small as it can be at the least sum of squares."""
    most = 2 * k - 1
    unit = math.lcm(*range(k, 2 * k))
    costs: dict[int, tuple[int, int]] = {0: (0, 0)}
    sums, squares = [0], [0]
    for place, value in enumerate(whole, 1):
        sums.append(sums[-1] + value)
        squares.append(squares[-1] + value**2)
        ways = []
        for start in range(place - k, max(place - most, 0) - 1, -1):
            if start in costs:
                size = place - start
                within = size * (squares[place] - squares[start]) - (sums[place] - sums[start]) ** 2
                ways.append((costs[start][0] + within * (unit // size), start))
        if ways:
            costs[place] = min(ways, key=lambda way: way[0])  # the first of equal ones: the smallest cluster
    ends = [len(whole)]
    while ends[-1] > 0:
        ends.append(costs[ends[-1]][1])
    return ends


def _squared_deviations(values: list[float], ends: list[int]) -> Iterator[float]:
    for end, start in pairwise(ends):
        mean = math.fsum(values[start:end]) / (end - start)
        for value in values[start:end]:
            yield (value - mean) * (value - mean)


def _squared_distances(space: MetricSpace, g: Generalization) -> Check:
    """Each squared distance is divided between its ends as the prices say, and each point pays for its cheapest."""
    prices, n = g.details.prices, len(space)
    if prices.shape[1:] != (4,) or not np.isfinite(prices).all():
        return _witness(False, "the prices are no rows of four numbers.")
    corners = prices[:, :3]
    places = bool((corners == np.floor(corners)).all() and (corners[:, :2] >= 0).all() and (corners < n).all())
    pair = corners[:, 2] == -1
    apart = corners[:, 0] != corners[:, 1]
    apart &= pair | ((corners[:, 2] >= 0) & (corners[:, 2] != corners[:, 1]) & (corners[:, 2] != corners[:, 0]))
    if not (places and apart.all() and (pair | (prices[:, 3] >= 0)).all()):
        return _witness(False, "a price is of no pair of points, or of no triangle, or negative.")
    if space.metric != "euclidean" or space.total > n or n < g.k:
        return _witness(False, "this argument is about single records and straight lines.")
    value = max(_divided(space, g.k, prices[pair], prices[~pair]), 0.0)
    found = f"{int(pair.sum()):,} divided distances and {int((~pair).sum()):,} triangles prove {value!r}."
    return _witness(g.lower_bound <= value, found)


def _divided(space: MetricSpace, k: int, shifts: np.ndarray, triangles: np.ndarray) -> float:
    """The sum over points of the least share, rounded down.

    A point's share in a cluster of m is the sum over the m - 1 others of its part of their squared distance, minus what
    the triangles cost whose apex it is, over m.
    """
    n = len(space)
    ends = shifts[:, :2].astype(np.int64)
    apex, left, right = (triangles[:, place].astype(np.int64) for place in range(3))
    first = np.concatenate([ends[:, 0], apex, apex, left])
    second = np.concatenate([ends[:, 1], left, right, right])
    keys, own = np.unique(np.minimum(first, second) * n + np.maximum(first, second), return_inverse=True)
    low, high = keys // n, keys % n
    signed = np.where(first < second, 1.0, -1.0)[: len(ends)] * shifts[:, 3]
    shift = np.bincount(own[: len(ends)], weights=signed, minlength=len(keys))
    price = triangles[:, 3]
    added = np.bincount(own[len(ends) :], weights=np.concatenate([price, price, -price]), minlength=len(keys))
    entries = np.bincount(own, minlength=len(keys)) if len(keys) else np.zeros(1)
    toll = np.bincount(apex, weights=price, minlength=n)
    halves = (_squares(space, low, high) + added) / 2
    size = np.bincount(own, weights=np.concatenate([np.abs(signed), price, price, price]), minlength=len(keys))
    rows, costs = np.concatenate([low, high]), np.concatenate([halves + shift, halves - shift])
    largest = np.zeros(n)
    np.maximum.at(largest, rows, np.tile(_squares(space, low, high) + size, 2))
    others, plain = _plain(
        space, 2 * k - 2, np.concatenate([low * n + high, high * n + low]), np.bincount(rows, minlength=n)
    )
    np.maximum.at(largest, others, plain)
    least = _least_shares(k, toll, np.concatenate([rows, others]), np.concatenate([costs, plain]))
    roundings = space.points.shape[1] + float(entries.max()) + float(np.bincount(apex, minlength=n).max()) + 4 * k + 16
    return math.fsum(least.tolist()) - roundings * STEP * math.fsum((2 * largest + toll).tolist())


def _squares(space: MetricSpace, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Squared distances, pair by pair."""
    found = np.zeros(len(left))
    for column in space.points.T:
        found += (column[left] - column[right]) ** 2
    return found


def _plain(space: MetricSpace, most: int, divided: np.ndarray, degree: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows and halves of squared distances that nothing divides: at least the `most` smallest of each point."""
    n, tree = len(space), space.tree
    divided = np.sort(divided)
    found_rows, found = [], []
    order = np.argsort(degree, kind="stable")
    place = 0
    while place < n:  # points with about as many divided distances ask for as many neighbours
        rows = order[place : place + max(1, min(ROWS, 2_000_000 // (most + int(degree[order[min(place, n - 1)]]) + 2)))]
        near = min(n, most + 1 + int(degree[rows].max()))
        others = np.atleast_2d(tree.query(space.points[rows], near)[1]).reshape(len(rows), near)  # type: ignore[union-attr]
        left, right = np.repeat(rows, near), others.ravel()
        keys = left * n + right
        at = np.searchsorted(divided, keys)
        known = divided[np.minimum(at, len(divided) - 1)] == keys if len(divided) else np.zeros(len(keys), dtype=bool)
        fresh = (left != right) & ~known
        found_rows.append(left[fresh])
        found.append(_squares(space, left[fresh], right[fresh]) / 2)
        place += len(rows)
    return np.concatenate(found_rows), np.concatenate(found)


def _least_shares(k: int, toll: np.ndarray, rows: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """(n,) the least over sizes m from k to 2k - 1 of (the m - 1 smallest costs - toll) / m."""
    order = np.lexsort((costs, rows))
    rows, costs = rows[order], costs[order]
    start = np.searchsorted(rows, np.arange(len(toll) + 1))
    rank = np.arange(len(rows)) - start[rows]
    table = np.full((len(toll), 2 * k - 1), np.inf)
    table[:, 0] = -toll
    small = rank < 2 * k - 2
    table[rows[small], rank[small] + 1] = costs[small]
    return (np.cumsum(table, axis=1) / np.arange(1, 2 * k))[:, k - 1 :].min(axis=1)


def _witness(passed: bool, found: str) -> Check:
    return Check("bound witness", passed, found)


BOUNDS: dict[str, Callable[[MetricSpace, Generalization], Check]] = {
    "one cluster": _one_cluster,
    "one column": _one_column,
    "squared distances": _squared_distances,
}
