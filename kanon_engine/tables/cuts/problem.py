"""A table as the arrays that the kernels work on, and a set of cuts as the result that a person reads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from kanon_engine.model.bound import Bound
from kanon_engine.model.diversity import Closeness, Diversity
from kanon_engine.tables.cuts.node_kernels import HEAD, TAIL, Node, Problem, intervals, row_bounds
from kanon_engine.tables.instance import IntervalDetails, Table
from kanon_engine.tables.metrics import METRICS, penalty_of, steps_of
from kanon_engine.tables.requirements import encoded, kept_classes

LARGEST_KEY = 1 << 62
MOST_PAIRED = 500  # cut values; with more, pairs are not weighed: time and memory of a node grow with their square


def problem_of(
    table: Table,
    k: int,
    metric: str,
    suppression_limit: int | None,
    weights: str | None = None,
    require: Sequence[Diversity | Closeness] = (),
    *,
    useless: bool = True,
    tails: bool = True,
    forcing: bool = True,
    conflicts: bool = True,
) -> tuple[Problem, Node]:
    """The search problem, and the root of its tree: no cuts, one class.

    Values of a domain that do not occur have no position: no cut beside them separates records, and no metric counts
    them.

    `useless`, `tails`, `forcing` and `conflicts` switch parts of the pruning off, to measure what they are worth. Pairs
    (`conflicts`) are weighed among up to `MOST_PAIRED` cut values.
    """
    chosen = METRICS[metric]
    steps = steps_of(table, chosen, weights)
    distinct, counts, _ = table.tuples
    occurring = [np.unique(column) for column in distinct.T]
    codes = np.array(
        [np.searchsorted(own, column) for own, column in zip(occurring, distinct.T, strict=True)], np.int32
    )
    sizes = np.array([len(own) for own in occurring], dtype=np.int32)
    places = np.zeros((len(sizes), int(sizes.max())), dtype=np.int64)
    for column, own in enumerate(occurring):
        places[column, : len(own)] = steps[column] * (own - own[0]).astype(np.int64)
    columns = table.cut_values[:, 0].copy()  # a view of one cut alone could not be written: another type to numba
    radix, exact = _radix(sizes)
    required = encoded(table, require)
    slots = 2
    while slots < 2 * len(distinct):
        slots *= 2
    problem = Problem(
        columns=columns,
        positions=np.concatenate([np.arange(1, size, dtype=np.int32) for size in sizes]),
        first=np.searchsorted(columns, np.arange(len(sizes) + 1)).astype(np.int32),
        sizes=sizes,
        radix=radix,
        places=places,
        slots=np.zeros(slots, dtype=np.int32),
        stamps=np.zeros(slots + 1, dtype=np.int64),
        exact=exact,
        k=k,
        total=len(table),
        limit=len(table) if suppression_limit is None else int(suppression_limit),
        metric=chosen.number,
        penalty=penalty_of(table, chosen, steps),
        useless=useless,
        tails=tails,
        forcing=forcing,
        conflicts=conflicts and len(columns) <= MOST_PAIRED,
        required=required,
    )
    root = Node(
        codes=codes,
        keys=(codes.astype(np.int64) * radix[:, None]).sum(axis=0),
        counts=counts.sum(axis=1),
        labels=counts.copy() if chosen.labels else np.zeros((len(distinct), 0), dtype=np.int64),
        starts=np.array([0, len(distinct)], dtype=np.int64),
        records=required.order.copy(),
        places=required.starts.copy(),
        suppressed=0,
    )
    return problem, root


def _radix(sizes: np.ndarray) -> tuple[np.ndarray, bool]:
    """What a row's key counts each column by, and whether no two rows then have the same key."""
    digits = [math.prod(sizes[:column].tolist()) for column in range(len(sizes) + 1)]
    if digits[-1] <= LARGEST_KEY:
        return np.array(digits[:-1], dtype=np.int64), True
    return np.random.default_rng(0).integers(1, LARGEST_KEY // (len(sizes) * int(sizes.max())), len(sizes)), False


def copied(node: Node) -> Node:
    """The same node in arrays of its own."""
    return node._replace(
        codes=node.codes.copy(),
        keys=node.keys.copy(),
        counts=node.counts.copy(),
        labels=node.labels.copy(),
        starts=node.starts.copy(),
        records=node.records.copy(),
        places=node.places.copy(),
    )


def root_bound(problem: Problem, root: Node) -> Bound:
    """What the classes of the finest generalization cost at least: the bound of the root, on no search's word.

    Proof: docs/proofs/tables/k_optimize.md, the bound of the root.
    """
    kinds = np.full(len(problem.columns), TAIL, dtype=np.int8)
    begins, ends = intervals(problem, kinds)
    return Bound(int(row_bounds(problem, root, begins, ends).sum()), "finest generalization")


def assignment_of(table: Table, k: int, heads: np.ndarray, require: Sequence[Diversity | Closeness] = ()) -> np.ndarray:
    """(n,) int32: the class of each record, in the order of the intervals; -1 where these share them with too few.

    Too few are fewer than k, or such as do not satisfy what is required.
    """
    codes = np.empty_like(table.codes)
    for column in range(codes.shape[1]):
        cuts = table.cut_values[heads & (table.cut_values[:, 0] == column), 1]
        codes[:, column] = np.searchsorted(cuts, table.codes[:, column], side="right")
    _, numbers, sizes = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    kept = (sizes >= k) & kept_classes(table, require, numbers.reshape(-1))
    names = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    return names[numbers.reshape(-1)]


def details_of(
    table: Table, heads: np.ndarray, suppressed: int, nodes: int, curve: list[tuple[int, int, int]]
) -> IntervalDetails:
    """The record of a set of cuts."""
    cuts = table.cut_values[heads]
    parts = {}
    for column, (name, domain) in enumerate(zip(table.quasi_identifiers, table.domains, strict=True)):
        edges = [0, *cuts[cuts[:, 0] == column, 1].tolist(), len(domain)]
        parts[name] = tuple(domain[low:high] for low, high in pairwise(edges))
    return IntervalDetails(parts, cuts, suppressed, nodes, np.array(curve, dtype=np.int64).reshape(-1, 3))


def heads_of(kinds: np.ndarray) -> np.ndarray:
    """Which cut values are in the head."""
    return kinds == HEAD
