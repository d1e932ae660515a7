"""The fewest suppressed cells that make every record equal to k - 1 others."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import members_of
from kanon_engine.model.objective import Bound
from kanon_engine.model.requirement import Holds
from kanon_engine.model.run import Outcome, Run
from kanon_engine.search.solvers import solved, solver_for
from kanon_engine.tables.cell_patterns import Attachments, Patterns, Watch, patterns_of
from kanon_engine.tables.instance import CellDetails, Table
from kanon_engine.verification.table_costs import most_hidden

MOST_ATTACHMENTS = 60_000  # in the program for the solver; tables that need more get the greedy solution and its bound


def cell_suppression(table: Table, k: int, run: Run) -> Outcome:
    """Suppress as few cells of the quasi-identifiers as possible, so that every record has k - 1 equals.

    Guarantee: for q quasi-identifiers never above q times the least possible number where none or at least k records
    have fewer than k - 1 equals, else never above (2 - 1 / k) q times, or for rows that represent several records never
    above q times these and the records of the rarest other tuple; the least possible number itself where the solver
    finishes. Proof: docs/proofs/tables/cell_suppression.md.

    Every record is in a class and every class shows a value or stars in a column. A missing value is a value like any
    other. First patterns are opened greedily and filled as long as this saves cells. Then, where at most
    `MOST_ATTACHMENTS` attachments can still be better, a solver chooses the open patterns and attaches the records,
    until it has proven the least number or its effort is over.

    Returns: its cost is the number of suppressed cells. The bound is "fewest stars" (each record pays at least the
        stars of the cheapest pattern that k records match; witness: up to how many stars patterns were looked at, and
        records without one pay one more) or, where that proves more, the search's (kind "solver").
    Complexity: exponential. The greedy part looks at O(2^q t) pairs of column sets and distinct tuples, never at more
        than 20 million; the search ends after a fixed effort.
    References: V. Chakaravarthy, V. Pandit, Y. Sabharwal, "On the Complexity of the k-Anonymization Problem": Theorem
        3.1 (hard for q = 3, k = 7), section 4 (patterns and attachments). With s values there are (s + 1)^q patterns
        and s^q rows, so at most (s + 1)^(2 q) pairs; the paper's q^(2 s + 1) is too few for q = 1, for q = 2 with s = 2
        or 3, and for every s once q is large.

    The paper's Figure 1, where 4 cells are suppressed:

    >>> import pandas as pd
    >>> figure = pd.DataFrame([list("xab"), list("zcd"), list("yab"), list("zce")], columns=["1", "2", "3"])
    >>> outcome = cell_suppression(Table(figure, ["1", "2", "3"]), 2, Run())
    >>> outcome.cost, outcome.bound.value, outcome.assignment.tolist()
    (4, 4, [0, 1, 0, 1])
    >>> outcome.details.stars.astype(int).tolist()
    [[1, 0, 0], [0, 0, 1]]
    """
    patterns = patterns_of(table, k)
    floor = int((patterns.floors * patterns.sizes).sum())
    bound = Bound(floor, "fewest stars", "checked", (patterns.depth,))
    best = attached(patterns, k, floor, run)
    counts, nodes = best.counts(), 0
    if best.cost > floor and patterns.complete and not run.stopped:
        most = useful(patterns, k, best.cost - floor)
        if np.count_nonzero(most) <= MOST_ATTACHMENTS:
            answer = search(patterns, k, best, most, run)
            counts, nodes = answer.counts, answer.nodes
            if answer.bound > floor:
                bound = Bound(answer.bound, "exact search", "solver")
    assignment, stars = attached_classes(table, patterns, counts)
    suppressed = int((stars.sum(axis=1)[assignment] * table.weights).sum())
    return Outcome(
        assignment=assignment,
        details=CellDetails(stars=stars, suppressed=suppressed, nodes=nodes),
        guarantee=ceiling(table, k),
        bound=bound,
        cost=suppressed,
    )


def attached(patterns: Patterns, k: int, floor: int, run: Run, watch: Watch | None = None) -> Attachments:
    """The result without a solver: patterns opened greedily, or the rare records suppressed, and then filled.

    `watch` is called for each pattern that is opened or filled, and for what replaces it.
    """
    opened, rare = open_greedily(patterns, k, watch), suppress_rare(patterns, k)
    best = min(opened, rare, key=lambda attachments: attachments.cost)
    if watch is not None and best is rare:
        watch("rare", rare, -1)
    improve(best, k, floor, run, watch)
    return best


# ---------------------------------------------------------------------------------------------------------------------
# Open patterns one after the other; where that is worse than suppressing the rare records, suppress these.
# ---------------------------------------------------------------------------------------------------------------------


def suppress_rare(patterns: Patterns, k: int) -> Attachments:
    """Suppress everything in the records that have fewer than k - 1 equals, and nothing in the others.

    Where these records are R < k together, records of one other tuple join them: k - R of them where k stay behind and
    rows are single records, else all of the rarest one.

    Guarantee: for q quasi-identifiers at most q times the least possible number of suppressed cells where R = 0 or
    R >= k; where 0 < R < k at most (2 - 1 / k) q times that, or for rows that represent several records q times R and
    the records of the rarest other tuple. Proof: docs/proofs/tables/cell_suppression.md.
    """
    result = Attachments(patterns)
    everything = len(patterns.stars) - 1  # matched by every tuple, so it has the most stars
    sizes = patterns.sizes.tolist()
    common = range(int(np.searchsorted(patterns.costs, 1)))  # patterns without stars: a tuple with k records each
    for place in common:
        for item in members_by_pattern(patterns, place):
            result.attach(item, place, sizes[item])
    rare = [item for item, copies_at in enumerate(result.held) if not copies_at]
    for item in rare:
        result.attach(item, everything, sizes[item])
    lacking = k - sum(sizes[item] for item in rare)
    if rare and lacking > 0:
        loads = result.load[: len(common)].tolist()
        largest = max(common, key=loads.__getitem__)
        if loads[largest] >= k + lacking and not patterns.whole:
            result.move(members_by_pattern(patterns, largest)[0], largest, everything, lacking)
        else:
            _join(result, min(common, key=loads.__getitem__), everything)
    return result


def _join(result: Attachments, source: int, target: int) -> None:
    """Move all that is attached to a pattern to another."""
    for item in members_by_pattern(result.patterns, source):
        result.move(item, source, target, result.held[item].get(source, 0))


def ceiling(table: Table, k: int) -> int:
    """The most that `suppress_rare` costs."""
    return most_hidden(table.tuples[1].sum(axis=1), table.weighted, len(table.quasi_identifiers), k)[1]


def open_greedily(patterns: Patterns, k: int, watch: Watch | None = None) -> Attachments:
    """Open the pattern that the most free records match, those of the fewest stars first, and attach them all.

    Complexity: every look at a pattern is linear in its tuples; a pattern is looked at again when its turn comes and
        the number of free records has changed.
    """
    result = Attachments(patterns)
    free = patterns.sizes.copy()
    start = patterns.start.tolist()
    for cost in range(patterns.stars.shape[1] + 1):
        first, last = np.searchsorted(patterns.costs, [cost, cost + 1]).tolist()
        if first == last:
            continue
        matching = np.add.reduceat(
            free[patterns.members[start[first] : start[last]]], patterns.start[first:last] - start[first]
        )
        waiting = [(-count, first + place) for place, count in enumerate(matching.tolist()) if count >= k]
        heapq.heapify(waiting)
        while waiting:
            believed, pattern = heapq.heappop(waiting)
            members = patterns.members[start[pattern] : start[pattern + 1]]
            count = int(free[members].sum())
            if count < k:
                continue
            if count < -believed:
                heapq.heappush(waiting, (-count, pattern))
                continue
            for item in members[free[members] > 0].tolist():
                result.attach(item, pattern, int(free[item]))
            free[members] = 0
            if watch is not None:
                watch("opened", result, pattern)
    _suppress(result, free, k)
    if watch is not None and free.any():
        watch("rest", result, len(patterns.stars) - 1)
    return result


def _suppress(result: Attachments, free: np.ndarray, k: int) -> None:
    """Attach free records to the pattern of most stars, and as many others as it takes to make it k, at least loss."""
    everything = len(result.load) - 1
    left = np.flatnonzero(free).tolist()
    for item in left:
        result.attach(item, everything, int(free[item]))
    if not left:
        return
    open_ones = np.flatnonzero(result.load)[:-1]
    dearest_first = open_ones[np.argsort(-result.patterns.costs[open_ones], kind="stable")].tolist()
    spare = int((result.load[open_ones] - k).sum())
    lacking = k - int(result.load[everything])
    for pattern in dearest_first if spare >= lacking else ():
        for item in members_by_pattern(result.patterns, pattern):
            copies = result.spared(item, pattern, lacking, k)
            result.move(item, pattern, everything, copies)
            lacking -= copies
    if lacking > 0:
        _join(result, min(dearest_first, key=lambda pattern: int(result.load[pattern])), everything)


def members_by_pattern(patterns: Patterns, pattern: int) -> list[int]:
    """The items that match a pattern."""
    return patterns.members[patterns.start[pattern] : patterns.start[pattern + 1]].tolist()  # type: ignore[no-any-return]


# ---------------------------------------------------------------------------------------------------------------------
# Open and closed patterns with attached records as one integer program, for CP-SAT.
# ---------------------------------------------------------------------------------------------------------------------


EFFORT = 5.0  # CP-SAT's deterministic time without a time limit; a minute or less


@dataclass(frozen=True)
class SuppressedCells:
    """What the search found."""

    counts: np.ndarray  # (a,) int64: copies at each attachment
    bound: int  # no solution suppresses fewer cells; as the search proved it
    nodes: int  # branches of the search, and its root


def useful(patterns: Patterns, k: int, slack: int) -> np.ndarray:
    """How many copies an attachment can hold in a solution that is not worse than a known one.

    A record pays an extra above its floor. All extras together are at most `slack`, the known cost less all floors. So
    an attachment of extra e > 0 holds at most slack / e copies, those of a row that stays whole all or none, and a
    pattern is never open whose k cheapest records pay more than that.

    Returns (a,) int64 array: 0 where the attachment can be left out.
    """
    sizes = patterns.sizes[patterns.members]
    extra = patterns.costs[patterns.owners] - patterns.floors[patterns.members]
    most = np.where(extra > 0, np.minimum(sizes, slack // np.maximum(extra, 1)), sizes)
    if patterns.whole:
        most = np.where(most < sizes, 0, most)
    order = np.lexsort((extra, patterns.owners))
    capacity, begins = most[order], patterns.start[:-1]
    total = np.cumsum(capacity)
    before = total - capacity - np.repeat(total[begins] - capacity[begins], np.diff(patterns.start))
    needed = np.clip(k - before, 0, capacity)
    least = np.add.reduceat(needed * extra[order], begins)
    enough = np.add.reduceat(needed, begins) == k
    return np.where((enough & (least <= slack))[patterns.owners], most, 0)


def search(patterns: Patterns, k: int, start: Attachments, most: np.ndarray, run: Run) -> SuppressedCells:
    """The least number of suppressed cells, or the best found and a bound when the effort or the time is over.

    Minimize the extra above the floors, sum of extra(p, t) x(p, t), where x(p, t) copies of tuple t are attached to
    pattern p, every copy to one pattern; where p is open, at least k; where it is closed, none: x(p, t) is at most
    open(p) times the most that it can hold. Of a row that stays whole x(p, t) is all of it or 0.

    `patterns`: complete. `start`: the search begins with these. `most`: (a,) int64. From `useful`.
    References: Chakaravarthy, Pandit, Sabharwal, section 4, with the choice of the open patterns as variables of the
        program.
    """
    from ortools.sat.python import cp_model

    places = np.flatnonzero(most)
    owners, members, limits = patterns.owners[places], patterns.members[places], most[places].tolist()
    extra = (patterns.costs[owners] - patterns.floors[members]).tolist()
    floor = int((patterns.floors * patterns.sizes).sum())
    hints = start.counts()[places].tolist()
    model = cp_model.CpModel()
    opened = {p: model.new_bool_var("") for p in np.unique(owners).tolist()}
    of_pattern: dict[int, list[Any]] = {p: [] for p in opened}
    of_item: dict[int, list[Any]] = {item: [] for item in range(len(patterns.sizes))}
    variables: list[Any] = []
    for owner, item, limit, hint in zip(owners.tolist(), members.tolist(), limits, hints, strict=True):
        if patterns.whole:
            here = model.new_bool_var("")
            model.add_implication(here, opened[owner])
            model.add_hint(here, hint > 0)
            x = limit * here
        else:
            x = model.new_int_var(0, limit, "")
            model.add(x <= limit * opened[owner])
            model.add_hint(x, hint)
        of_pattern[owner].append(x)
        of_item[item].append(x)
        variables.append(x)
    for p, attached in of_pattern.items():
        model.add(sum(attached) >= k * opened[p])
        model.add_hint(opened[p], bool(start.load[p]))
    for item, attached in of_item.items():
        model.add(sum(attached) == int(patterns.sizes[item]))
    model.minimize(sum(cost * x for cost, x in zip(extra, variables, strict=True) if cost))

    solver = solver_for(run.seed, EFFORT if run.time_limit is None else None)
    solver.parameters.linearization_level = 2
    verdict = _watched(solver, model, start.cost, floor, run)
    counts = np.zeros(len(most), dtype=np.int64)
    if verdict != "found":
        return SuppressedCells(start.counts(), floor, int(solver.num_branches) + 1)
    counts[places] = [solver.value(x) for x in variables]
    bound = floor + round(solver.best_objective_bound)  # the objective is whole, so CP-SAT's bound is too
    return SuppressedCells(counts, bound, int(solver.num_branches) + 1)


def _watched(solver: Any, model: Any, cost: int, floor: int, run: Run) -> str:
    """Solve, and report best and bound as they come."""
    from ortools.sat.python import cp_model

    state = {"best": cost, "bound": floor}

    class Listener(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            state["best"] = min(state["best"], floor + round(self.objective_value))

    def listen(value: float) -> None:
        state["bound"] = max(state["bound"], floor + round(value))

    def goes_on() -> bool:
        done = 0.0 if run.time_limit is None else min(run.seconds / run.time_limit, 1.0)
        return run.goes_on(done, state["best"], state["bound"], "proving how few cells are enough")

    solver.best_bound_callback = listen
    return solved(solver, model, goes_on, Listener())


# ---------------------------------------------------------------------------------------------------------------------
# Local improvement: patterns are filled with records that pay more elsewhere, and with others that can be spared.
# ---------------------------------------------------------------------------------------------------------------------


MOST_TRIES = 100_000  # patterns that are tried in a run


def improve(result: Attachments, k: int, floor: int, run: Run, watch: Watch | None = None) -> None:
    """Fill patterns, those that promise most first, until none of them saves a cell.

    `result`: changed in place; never becomes worse, no open pattern falls below k records.
    `floor`: no solution costs less.
    `watch`: called for each pattern that is filled.
    Complexity: at most `MOST_TRIES` tries, each linear in the copies of the tuples that match the pattern.
    """
    tries = 0
    while result.cost > floor:
        before = result.cost
        for pattern in _promising(result):
            if tries % 64 == 0 and not run.goes_on(tries / MOST_TRIES, result.cost, floor, "suppressing fewer cells"):
                return
            tries += 1
            if tries > MOST_TRIES:
                return
            cost = result.cost
            fill(result, pattern, k)
            if watch is not None and result.cost < cost:
                watch("filled", result, pattern)
        if result.cost == before:
            return


def _promising(result: Attachments) -> list[int]:
    """Patterns with records that pay more elsewhere; the largest sum that they could save first."""
    patterns = result.patterns
    # costlier[t, c]: copies of t that pay more than c; saved[t, c]: what they pay above c together
    costlier = result.paid.sum(axis=1, keepdims=True) - np.cumsum(result.paid, axis=1)
    saved = np.cumsum(costlier[:, ::-1], axis=1)[:, ::-1]
    promise = np.add.reduceat(saved[patterns.members, patterns.costs[patterns.owners]], patterns.start[:-1])
    hopeful = np.flatnonzero(promise)
    return hopeful[np.argsort(-promise[hopeful], kind="stable")].tolist()  # type: ignore[no-any-return]


def fill(result: Attachments, pattern: int, k: int) -> None:
    """Attach to a pattern what pays more elsewhere, and if it is not open, what it lacks to k records; undo a loss.

    Records come from classes of more than k only, and leave k there.
    """
    before, cost = result.cost, result.costs[pattern]
    members = np.array(members_by_pattern(result.patterns, pattern))
    moves: list[tuple[int, int, int]] = []
    for item in members[result.paid[members, cost + 1 :].any(axis=1)].tolist():
        for source, copies in list(result.held[item].items()):
            if result.costs[source] > cost:
                _take(result, moves, item, source, pattern, copies, k)
    for level in range(cost, -1, -1):
        if not moves or result.load[pattern] >= k or (level < cost and result.cost >= before):
            break
        for item in members[result.paid[members, level] > 0].tolist():
            for source in list(result.held[item]):
                if source != pattern and result.costs[source] == level:
                    _take(result, moves, item, source, pattern, k - int(result.load[pattern]), k)
            if result.load[pattern] >= k:
                break
    if result.cost >= before or 0 < result.load[pattern] < k:
        for item, source, copies in reversed(moves):
            result.move(item, pattern, source, copies)


def _take(
    result: Attachments, moves: list[tuple[int, int, int]], item: int, source: int, target: int, requested: int, k: int
) -> None:
    copies = result.spared(item, source, requested, k)
    if copies > 0:
        result.move(item, source, target, copies)
        moves.append((item, source, copies))


# ---------------------------------------------------------------------------------------------------------------------
# What groups of records show when single cells are suppressed.
# ---------------------------------------------------------------------------------------------------------------------


def visible_classes(table: Table, group: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The class of each row and the stars of each class, in the order of what the classes show, stars first.

    `group`: (n,) int. Rows of a group agree on what is not suppressed in it; groups that show the same become one
        class.
    """
    order = np.argsort(group, kind="stable")
    begins = np.flatnonzero(np.concatenate([[True], np.diff(group[order]) != 0]))
    lowest = np.minimum.reduceat(table.codes[order], begins, axis=0)
    highest = np.maximum.reduceat(table.codes[order], begins, axis=0)
    signatures, number = np.unique(np.where(lowest == highest, lowest, -1), axis=0, return_inverse=True)
    place = np.searchsorted(group[order][begins], group)
    return number.reshape(-1)[place].astype(np.int32), signatures == -1


def attached_classes(table: Table, patterns: Patterns, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`visible_classes` of rows whose records are attached to patterns, as many of each item as `counts` says."""
    used = np.flatnonzero(counts)
    if patterns.whole:
        owners = np.empty(len(table), dtype=np.int64)
        owners[patterns.members[used]] = patterns.owners[used]
        return visible_classes(table, owners)
    used = used[np.lexsort((patterns.owners[used], patterns.members[used]))]
    pattern = np.empty(len(table), dtype=np.int64)
    pattern[np.argsort(table.tuples[2], kind="stable")] = np.repeat(patterns.owners[used], counts[used])
    return visible_classes(table, pattern)


# ---------------------------------------------------------------------------------------------------------------------
# Merge classes of suppressed cells while one of them fails a requirement.
# ---------------------------------------------------------------------------------------------------------------------


MOST_TRIED = 40  # partners of a class, the cheapest first, that are asked whether both satisfy what is required


def merge(table: Table, outcome: Outcome, algorithm: str, holds: Holds) -> Outcome:
    """Merge classes until every class satisfies the requirements.

    The smallest class that fails takes in another: of the `MOST_TRIED` for which fewest cells more are suppressed the
    first with which it satisfies what is required, or where none does, the first of all. Each step makes one class
    fewer, so the steps end, at worst with all records in one, which satisfies what is required, or
    `checked_requirements` would have refused it.

    `outcome`: of suppressed cells; the others look after requirements themselves.
    `algorithm`: what made it.
    `holds`: whether the records of the rows at these positions, as one class, satisfy what is required.
    Complexity: O(m q) for each class that fails, and at most `MOST_TRIED` looks at what it would be.
    """
    details: Any = outcome.details
    if not isinstance(details, CellDetails):
        message = f"Classes of {algorithm} cannot be merged to meet the requirements; choose another algorithm."
        raise InvalidInput(message, parameter="algorithm", value=algorithm)
    members = members_of(outcome.assignment)
    visible = np.where(details.stars, -1, table.codes[[rows[0] for rows in members]])
    sizes = np.array([int(table.weights[rows].sum()) for rows in members])
    failing = {number for number, rows in enumerate(members) if not holds(rows)}
    while failing:
        number = min(failing, key=lambda one: (sizes[one], one))
        joint = np.where(visible == visible[number], visible, -1)
        stars = (joint < 0).sum(axis=1)
        more = sizes * (stars - (visible < 0).sum(axis=1)) + sizes[number] * (stars - (visible[number] < 0).sum())
        more[sizes == 0] = more.max() + 1  # classes that are gone
        more[number] = more.max() + 1
        partners = np.argsort(more, kind="stable")[: min(MOST_TRIED, np.count_nonzero(sizes) - 1)].tolist()
        good = (one for one in partners if holds(np.concatenate([members[number], members[one]])))
        partner = next(good, None)
        failing -= {number, partner}
        if partner is None:
            partner = partners[0]
            failing = failing - {number} | {partner}
        members[partner] = np.concatenate([members[number], members[partner]])
        visible[partner] = joint[partner]
        sizes[partner] += sizes[number]
        sizes[number] = 0
    group = np.empty(len(table), dtype=np.int64)
    for number in np.flatnonzero(sizes).tolist():
        group[members[number]] = number
    assignment, stars = visible_classes(table, group)
    suppressed = int((stars.sum(axis=1)[assignment] * table.weights).sum())
    return replace(
        outcome,
        assignment=assignment,
        details=CellDetails(stars=stars, suppressed=suppressed, nodes=details.nodes),
        cost=suppressed,
    )
