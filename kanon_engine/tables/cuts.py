"""Cuts of columns: what they induce and what they cost, as arrays that kernels work on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from kanon_engine.errors import Infeasible, KanonError, SearchEnded
from kanon_engine.model.objective import Bound
from kanon_engine.model.requirement import Closeness, Diversity
from kanon_engine.model.run import Outcome
from kanon_engine.model.tree import Tree
from kanon_engine.tables.cuts_kernels import HEAD, TAIL, Node, Problem, intervals, row_bounds
from kanon_engine.tables.instance import IntervalDetails, Table
from kanon_engine.tables.metrics import METRICS, penalty_of, steps_of
from kanon_engine.tables.requirements import encoded, retained_classes
from kanon_engine.tables.requirements_kernels import Required, which_hold

# ---------------------------------------------------------------------------------------------------------------------
# A table as the arrays that the kernels work on, and a set of cuts as the result that a person reads.
# ---------------------------------------------------------------------------------------------------------------------


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

    Values of a domain that do not occur have no position: no cut next to them separates records, and no metric counts
    them.

    `useless`, `tails`, `forcing` and `conflicts` switch off parts of the pruning, to measure their effect. Pairs
    (`conflicts`) are weighed among up to `MOST_PAIRED` cut values.
    """
    chosen = METRICS[metric]
    steps = steps_of(table, chosen, weights)
    distinct, counts, _ = table.tuples
    occurring = [np.unique(column) for column in distinct.T]
    codes = np.array(
        [np.searchsorted(values, column) for values, column in zip(occurring, distinct.T, strict=True)], np.int32
    )
    sizes = np.array([len(values) for values in occurring], dtype=np.int32)
    places = np.zeros((len(sizes), int(sizes.max())), dtype=np.int64)
    for column, values in enumerate(occurring):
        places[column, : len(values)] = steps[column] * (values - values[0]).astype(np.int64)
    groups, above = cut_groups(table)
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
        total=table.total,
        limit=min(table.total - k, table.total if suppression_limit is None else suppression_limit),  # some are kept
        metric=chosen.number,
        penalty=penalty_of(table, chosen, steps),
        useless=useless,
        tails=tails,
        forcing=forcing,
        conflicts=conflicts and len(columns) <= MOST_PAIRED,
        required=required,
        grouped=bool(table.trees),
        groups=groups,
        above=above,
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


def cut_groups(table: Table) -> tuple[np.ndarray, np.ndarray]:
    """The group of each cut value, and the group above each group, -1 for none; see `Problem`.

    Without a tree each value is a group of its own. Along a tree all values between the children of one node are a
    group, and the group above it parts the next larger node that it can be told from.
    """
    groups: list[int] = []
    above: list[int] = []
    for column, name in enumerate(table.quasi_identifiers):
        cuts = table.cut_values[table.cut_values[:, 0] == column, 1]
        tree = table.tree(name)
        if tree is None:
            groups += range(len(above), len(above) + len(cuts))
            above += [-1] * len(cuts)
            continue
        occurring = np.unique(table.codes[:, column])
        before = occurring[:-1]
        level = (tree.starts[:, before] == tree.starts[:, cuts]).argmax(axis=0) if len(cuts) else np.zeros(0, int)
        start = tree.starts[level, cuts]
        ordered = sorted({*zip((-level).tolist(), start.tolist(), strict=True)})
        number = {node: len(above) + place for place, node in enumerate(ordered)}
        node_numbers = [number[node] for node in zip((-level).tolist(), start.tolist(), strict=True)]
        for depth, first in ordered:
            last = int(tree.ends[-depth, first])
            low = int(np.searchsorted(occurring, first, "left")) - 1
            high = int(np.searchsorted(occurring, last, "right")) - 1
            end_cuts = [place for place in (low, high) if 0 <= place < len(cuts)]  # the cuts at the node's two ends
            above.append(node_numbers[min(end_cuts, key=lambda place: level[place])] if end_cuts else -1)
        groups += node_numbers
    return np.array(groups, dtype=np.int32), np.array(above, dtype=np.int32)


def _radix(sizes: np.ndarray) -> tuple[np.ndarray, bool]:
    """What a row's key counts each column by, and whether no two rows then have the same key."""
    digits = [math.prod(sizes[:column].tolist()) for column in range(len(sizes) + 1)]
    if digits[-1] <= LARGEST_KEY:
        return np.array(digits[:-1], dtype=np.int64), True
    return np.random.default_rng(0).integers(1, LARGEST_KEY // (len(sizes) * int(sizes.max())), len(sizes)), False


def no_cuts(table: Table, suppression_limit: int | None, proven: bool) -> KanonError:
    """The error where no cuts were found that meet the limit and the requirements."""
    limit = "" if suppression_limit is None else f" and leave out at most {suppression_limit:,} {table.unit}"
    goal = f"meet the requirements in every group{limit}"
    ways = "require less" + ("" if suppression_limit is None else ", or allow more to be left out")
    if proven:
        return Infeasible(f"No cuts of the columns {goal}: the search examined all of them; {ways}.")
    return SearchEnded(f"The search ended before it found cuts of the columns that {goal}; search longer, or {ways}.")


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
    """The least cost of the classes of the finest generalization: the bound of the root, which needs no search.

    Proof: docs/proofs/tables/k_optimize.md, the bound of the root.
    """
    kinds = np.full(len(problem.columns), TAIL, dtype=np.int8)
    begins, ends = intervals(problem, kinds)
    return Bound(int(row_bounds(problem, root, begins, ends).sum()), "finest generalization")


def assignment_of(table: Table, k: int, heads: np.ndarray, require: Sequence[Diversity | Closeness] = ()) -> np.ndarray:
    """(n,) int32: the class of each row, in the order of the intervals; -1 where these share them with too few.

    Too few are fewer than k, or records that do not satisfy the requirements.
    """
    numbers = np.unique(interval_codes(table, heads), axis=0, return_inverse=True)[1].reshape(-1)
    retained = (np.bincount(numbers, table.weights) >= k) & retained_classes(table, require, numbers)
    names = np.where(retained, np.cumsum(retained) - 1, -1).astype(np.int32)
    return names[numbers]


def interval_codes(table: Table, heads: np.ndarray) -> np.ndarray:
    """(n, q) int32: the number of the interval that each row's value is in, by column."""
    codes = np.empty_like(table.codes)
    for column in range(codes.shape[1]):
        cuts = table.cut_values[heads & (table.cut_values[:, 0] == column), 1]
        codes[:, column] = np.searchsorted(cuts, table.codes[:, column], side="right")
    return codes


def details_of(
    table: Table, heads: np.ndarray, suppressed: int, nodes: int, curve: list[tuple[int, int, int]]
) -> IntervalDetails:
    """The record of a set of cuts; along a tree intervals become its nodes, those without records too."""
    parts = {}
    listed = []
    for column, (name, domain) in enumerate(zip(table.quasi_identifiers, table.domains, strict=True)):
        edges = [0, *table.cut_values[heads & (table.cut_values[:, 0] == column), 1].tolist(), len(domain)]
        tree = table.tree(name)
        if tree is not None:
            edges = [*_nodes_at(tree, np.unique(table.codes[:, column]), edges), len(domain)]
        parts[name] = tuple(domain[low:high] for low, high in pairwise(edges))
        listed += [(column, edge) for edge in edges[1:-1]]
    cuts = np.array(listed, dtype=np.int32).reshape(-1, 2)
    return IntervalDetails(parts, cuts, suppressed, nodes, np.array(curve, dtype=np.int64).reshape(-1, 3))


def _nodes_at(tree: Tree, occurring: np.ndarray, edges: list[int]) -> list[int]:
    """Where the nodes begin that divide a domain: for each interval the smallest that holds what occurs in it.

    A node next to these, of which no value occurs, is as large as possible.
    """
    inside = [occurring[(occurring >= low) & (occurring < high)] for low, high in pairwise(edges)]
    lows, highs = tree.smallest([part[0] for part in inside], [part[-1] for part in inside])
    used = np.zeros(len(tree), dtype=bool)
    for low, high in zip(lows.tolist(), highs.tolist(), strict=True):
        used[low : high + 1] = True
    begins = lows.tolist()
    place = 0
    while place < len(tree):
        if used[place]:
            place += 1
            continue
        free = [
            not used[start : end + 1].any()
            for start, end in zip(tree.starts[:, place], tree.ends[:, place], strict=True)
        ]
        begins.append(place)
        place = int(tree.ends[np.flatnonzero(free)[-1], place]) + 1
    return sorted(begins)


def outcome_of(
    table: Table,
    k: int,
    heads: np.ndarray,
    require: Sequence[Diversity | Closeness],
    nodes: int,
    curve: list[tuple[int, int, int]],
    bound: Bound,
) -> Outcome:
    """These cuts, to which all that part no class were added, as a result; the curve ends with their cost."""
    assignment = assignment_of(table, k, heads, require)
    return Outcome(
        assignment=assignment,
        details=details_of(table, heads, int(table.weights[assignment < 0].sum()), nodes, curve),
        guarantee=None,
        bound=bound,
        cost=curve[-1][1],
    )


def heads_of(kinds: np.ndarray) -> np.ndarray:
    """Which cut values are in the head."""
    return kinds == HEAD


def heads_in(table: Table, details: IntervalDetails) -> np.ndarray:
    """(a,) bool: the cut values of a result; a cut between two values that occur is that of the later one."""
    heads = np.zeros(len(table.cut_values), dtype=bool)
    for column, position in details.cuts.tolist():
        rows = np.flatnonzero(table.cut_values[:, 0] == column)
        later = rows[table.cut_values[rows, 1] >= position]
        if len(later) and position > table.codes[:, column].min():
            heads[later[0]] = True
    return heads


# ---------------------------------------------------------------------------------------------------------------------
# Cuts that divide no class: they cost nothing and show finer intervals.
# ---------------------------------------------------------------------------------------------------------------------


def with_free_cuts(
    table: Table, k: int, heads: np.ndarray, require: Sequence[Diversity | Closeness] = ()
) -> np.ndarray:
    """(a,) bool: these cuts and all that can be added to them while every class keeps its records.

    The records left out stay the same. Proof: docs/proofs/tables/k_optimize.md, cuts that part no class.

    >>> import pandas as pd
    >>> table = Table(pd.DataFrame({"zip": ["a", "a", "b", "b"], "age": [20, 20, 50, 50]}), ["zip", "age"])
    >>> with_free_cuts(table, 2, np.array([True, False])).tolist()
    [True, True]
    """
    assignment = assignment_of(table, k, heads, require)
    groups, above = cut_groups(table)
    free = np.ones(len(above), dtype=bool)
    free[groups[_parting(table, assignment)]] = False
    for group, parent in enumerate(above.tolist()):  # a group above has a smaller number
        free[group] &= parent < 0 or free[parent]
    returning = _Returning(table, k, assignment, heads, require)
    if not returning.any(free[groups]):
        return free[groups]
    present = np.zeros(len(above), dtype=bool)
    present[groups[heads]] = True
    added = True
    while added:
        added = False
        for group in np.flatnonzero(free & ~present).tolist():
            if above[group] >= 0 and not present[above[group]]:
                continue
            present[group] = True
            if returning.any(present[groups]):
                present[group] = False
            else:
                added = True
    return present[groups]


def _parting(table: Table, assignment: np.ndarray) -> np.ndarray:
    """(a,) bool: the cut values that some class has records on both sides of."""
    retained = assignment >= 0
    classes = int(assignment.max()) + 1
    parting = np.zeros(len(table.cut_values), dtype=bool)
    for column, domain in enumerate(table.domains):
        low, high = np.full(classes, len(domain)), np.zeros(classes, dtype=np.int64)
        np.minimum.at(low, assignment[retained], table.codes[retained, column])
        np.maximum.at(high, assignment[retained], table.codes[retained, column])
        change = np.zeros(len(domain) + 2, dtype=np.int64)
        np.add.at(change, low + 1, 1)
        np.add.at(change, high + 1, -1)
        rows = table.cut_values[:, 0] == column
        parting[rows] = change.cumsum()[table.cut_values[rows, 1]] > 0
    return parting


class _Returning:
    """Whether records that are left out for the requirements would be kept with other cuts."""

    def __init__(
        self,
        table: Table,
        k: int,
        assignment: np.ndarray,
        heads: np.ndarray,
        require: Sequence[Diversity | Closeness],
    ) -> None:
        self.table, self.k = table, k
        self.rows = np.zeros(0, dtype=np.int64)
        if require:
            self.required: Required = encoded(table, require)
            numbers = np.unique(interval_codes(table, heads), axis=0, return_inverse=True)[1].reshape(-1)
            enough = np.bincount(numbers, table.weights)[numbers] >= k
            self.rows = np.flatnonzero(enough & (assignment < 0))

    def any(self, heads: np.ndarray) -> bool:
        """Whether some class of theirs has k records and satisfies what is required."""
        if len(self.rows) == 0:
            return False
        codes = interval_codes(self.table, heads)[self.rows]
        numbers = np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1)
        enough = np.bincount(numbers, self.table.weights[self.rows]) >= self.k
        starts = np.concatenate([[0], np.cumsum(np.bincount(numbers))]).astype(np.int64)
        order = self.rows[np.argsort(numbers, kind="stable")]
        return bool((enough & which_hold(self.required, order, starts)).any())
