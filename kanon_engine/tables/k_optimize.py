"""K-Optimize: the cuts of least cost, proven, or the best so far with a bound (Bayardo, Agrawal 2005)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Protocol

import numpy as np

from kanon_engine.model.objective import Bound
from kanon_engine.model.requirement import Closeness, Diversity
from kanon_engine.model.run import Outcome, Run
from kanon_engine.tables.cuts import (
    copied,
    heads_of,
    no_cuts,
    outcome_of,
    problem_of,
    root_bound,
    with_free_cuts,
)
from kanon_engine.tables.cuts_kernels import (
    HEAD,
    OUT,
    TAIL,
    Node,
    Problem,
    collapse,
    head_cost,
    intervals,
    settle,
    split,
)
from kanon_engine.tables.hill_climb import descend, start_of
from kanon_engine.tables.hill_climb_kernels import weigh_cells
from kanon_engine.tables.instance import Table
from kanon_engine.tables.k_optimize_kernels import DEAD, FORCED, choose, prune

if TYPE_CHECKING:
    from kanon_engine.tables.k_optimize_kernels import Pruned


BUDGET = 10_000  # nodes of a run without a time limit
DESCENTS = 12  # of the hill climber, for a good solution to begin with
SHARE = 0.2  # of the budget, for a search without suppression, which is short and often finds the best cuts
BETWEEN = 500  # nodes between further descents


def k_optimize(
    table: Table,
    k: int,
    run: Run,
    metric: str = "LM",
    suppression_limit: int | None = None,
    upper_bound: int | None = None,
    weights: str | None = None,
    threads: int = 1,
    require: Sequence[Diversity | Closeness] = (),
    *,
    watch: Watch | None = None,
) -> Outcome:
    """The set of cuts with the least cost and its proof, or as much of the proof as the budget allows.

    No guarantee except the lower bound that it proves: docs/proofs/tables/k_optimize.md.

    The sets of cut values are the nodes of a tree: a child has one value of its parent's tail more in its head. The
    search alternates between depth-first steps and the node with the least bound. It skips a node where no set below it
    can cost less than the best so far, and a tail value where that holds for the child or where the value is useless.
    Values without which nothing better is left join the head at once, and pairs of values that nothing better combines
    raise the bound. The search begins with a few descents of the hill climber, and where records may be suppressed with
    a search for the best cuts that suppress none; now and then it descends again near the best cuts so far. Where a
    column has a tree, only sets of cuts count whose intervals are its nodes. Cuts that divide no class are added at
    the end.

    `upper_bound`: a cost that is known to be possible: the search is for solutions that cost no more. If
        there is none, that is proven, and the search restarts without it.
    `threads`: how many search at the same time. With more than one a run cannot be repeated: chance decides which of
        equally good cuts are found, and what is reached when it is stopped.
    `require`: records whose class fails one are left out, like those of a class below k. All records together satisfy
        them.
    `watch`: called for each node, with one thread.
    Returns: the bound is "finest generalization" (checked) until the search has proven more (kind "solver").
    Complexity: exponential in the number of cut values; a node takes a few passes over the tuples that differ under its
        allset. Without a time limit `BUDGET` nodes.
    References: R. Bayardo, R. Agrawal, "Data Privacy Through Optimal k-Anonymization", ICDE 2005; Figure 5 and the
        liberal rule for useless values are corrected here.

    >>> import pandas as pd
    >>> table = Table(pd.DataFrame({"age": [20, 21, 40, 41, 60]}), ["age"])
    >>> outcome = k_optimize(table, 2, Run())
    >>> outcome.cost, outcome.bound.value, outcome.details.intervals["age"]
    (8, 8, ((20, 21), (40, 41, 60)))
    """
    problem, root = problem_of(table, k, metric, suppression_limit, weights, require)
    bound = root_bound(problem, root)
    rng = run.generator()
    best, heads = -1, np.zeros(len(problem.columns), dtype=bool)
    if watch is not None:
        watch.begins(problem, root, int(bound.value))
    for number in range(DESCENTS):
        kinds = start_of(problem, number, heads, rng)
        cost, left_out = descend(problem, root, kinds)
        if watch is not None:
            watch.climbed(cost, left_out, kinds)
        if left_out <= problem.limit and (best < 0 or cost < best):
            best, heads = cost, heads_of(kinds)
        incumbent = best if best >= 0 else None
        if best == bound.value or not run.goes_on(0.0, incumbent, bound.value, "descending to a first solution"):
            break

    none = best < 0  # no solution is known, so every solution costs less than this
    curve = _Curve(problem.total * problem.penalty + 1 if none else best, bound.value, none)
    nodes, proven = 0, False
    searches = [(problem, curve.best)]
    if upper_bound is not None and upper_bound < curve.best - 1:
        searches.insert(0, (problem, upper_bound + 1))
    elif upper_bound is None and problem.limit > 0 and not none:
        searches.insert(0, (problem._replace(limit=0), best))
    for searched, ceiling in searches:
        if run.stopped or curve.best <= max(curve.bound, bound.value):
            break
        search = KOptimizeSearch(searched, root, min(ceiling, curve.best), threads=threads, watch=watch)
        snapshot = (
            partial(_outcome, table, problem, root, require, bound) if threads == 1 else None
        )  # others may change what is read
        _run(search, run, nodes, curve, rng, heads, searched.limit == problem.limit, snapshot)
        nodes += search.nodes
        if search.heads is not None:
            heads = search.heads
            if searched.limit == problem.limit:
                break
        proven = search.done and ceiling > problem.total * problem.penalty
    if curve.none:
        raise no_cuts(table, suppression_limit, proven)
    return _outcome(table, problem, root, require, bound, heads, curve.ended(nodes))


def _outcome(
    table: Table,
    problem: Problem,
    root: Node,
    require: Sequence[Diversity | Closeness],
    bound: Bound,
    heads: np.ndarray,
    curve: list[tuple[int, int, int]],
) -> Outcome:
    """These cuts and all that divide no class; the curve ends with their cost, which LM may put below the search's.

    Proof: docs/proofs/tables/k_optimize.md, cuts that part no class.
    """
    nodes, _, proven = curve[-1]
    heads = with_free_cuts(table, problem.k, heads, require)
    kinds = np.where(heads, HEAD, OUT).astype(np.int8)
    cost = int(weigh_cells(problem, collapse(problem, copied(root), intervals(problem, kinds)[0]), kinds)[0])
    if proven > bound.value:
        bound = Bound(proven, "search tree", "solver")
    return outcome_of(table, problem.k, heads, require, nodes, [*curve[:-1], (nodes, cost, proven)], bound)


class _Curve:
    """Best cost and bound so far, with the nodes after which they were reached."""

    def __init__(self, best: int, bound: int, none: bool) -> None:
        self.best, self.bound, self.none = best, bound, none
        self.rows = [] if none else [(0, best, bound)]
        self._next = 1

    def note(self, nodes: int, best: int, bound: int) -> None:
        """Record what is better; a row for each better cost, and more and more rarely for better bounds."""
        better = best < self.best
        self.best, self.bound, self.none = min(best, self.best), max(bound, self.bound), self.none and not better
        if better or (nodes >= self._next and self.rows and self.rows[-1][2] < self.bound):
            self.rows = self.ended(nodes)
            self._next = nodes + nodes // 16 + 1

    def ended(self, nodes: int) -> list[tuple[int, int, int]]:
        """The rows with a last one, for a search that ends here."""
        return [*(row for row in self.rows if row[0] < nodes), (nodes, self.best, self.bound)]


def _run(
    search: KOptimizeSearch,
    run: Run,
    before: int,
    curve: _Curve,
    rng: np.random.Generator,
    heads: np.ndarray,
    proving: bool,
    snapshot: Callable[..., Outcome] | None,
) -> None:
    """Search until it is done, the budget is over or the run is stopped; now and then descend near the best cuts.

    A search that is not `proving` only looks for better cuts, with part of the budget: its bound is of another problem.
    """
    budget = BUDGET - before if run.time_limit is None else None
    climbed = 0

    def noted() -> None:
        best = search.best if search.heads is not None else curve.best
        curve.note(before + search.nodes, best, search.lower_bound() if proving else curve.bound)

    def goes_on() -> bool:
        nonlocal climbed
        if search.nodes >= climbed + BETWEEN:
            climbed = search.nodes
            kinds = start_of(search.problem, 2, heads if search.heads is None else search.heads, rng)
            cost, left_out = descend(search.problem, search.root, kinds)
            if left_out <= search.problem.limit:
                search.take(cost, heads_of(kinds))
        noted()
        if budget is not None and search.nodes >= budget:
            run.stopped = True
            return False
        share = run.seconds / run.time_limit if run.time_limit is not None else (before + search.nodes) / BUDGET
        message = f"{before + search.nodes:,} nodes, {len(search.frames):,} open"
        if not proving and share > SHARE:
            return False
        current = heads if search.heads is None else search.heads
        best = None if snapshot is None or curve.none else lambda: snapshot(current, curve.ended(before + search.nodes))
        return run.goes_on(min(share, 1.0), None if curve.none else curve.best, curve.bound, message, best)

    search.go_on(goes_on)
    noted()


# ---------------------------------------------------------------------------------------------------------------------
# Search of the set enumeration tree from both ends (Bayardo, Agrawal 2005, Figure 5, corrected).
#
# Depth-first steps find better cuts, steps at the open node with the least bound raise the bound of the whole search.
# ---------------------------------------------------------------------------------------------------------------------


REPORT = 50  # nodes between reports
PAUSE = 0.05  # seconds between reports where threads search
MOST_BYTES, MOST_OPEN = 300_000_000, 2_000  # of open nodes, up to which every second step goes to the least bound
IDLE = 0.001  # seconds until a thread without work looks for some again


@dataclass
class Frame:
    """An open node: the rest of its tail, and the least cost of its unvisited descendants."""

    node: Node
    kinds: np.ndarray  # (a,) int8: OUT, HEAD or TAIL for each cut value
    # (a, a) bool: pairs of tail values that no better descendant includes both; empty where pairs are not weighed
    conflict: np.ndarray
    bound: int  # holds for every descendant that has not been visited and is not below the child that is open now
    fresh: bool = True  # whether no child was visited yet


@dataclass
class KOptimizeSearch:
    """The state of a search; `go_on` takes it further.

    "Dead" and "the tail is empty" are different things: the paper's PRUNE returns the empty set for both, so that by
    induction it prunes everything. Here a value leaves the tail when its child is dead; a node is closed when it is
    dead or its tail is empty, and its head was weighed before.
    """

    problem: Problem
    root: Node
    best: int  # cost of the best cuts so far, or the ceiling that cuts have to be below
    # "exclusion": most classes split, then the greatest cost of excluding the value; "given": as given
    order: str = "exclusion"
    # (a,) bool or None: the best cuts so far, once cuts better than the first `best` were found
    heads: np.ndarray | None = None
    nodes: int = 0  # visited so far
    # how many search at the same time. Each goes depth-first through open nodes of its own; one that has none left
    # takes the outermost open node of another. With more than one, chance decides which of equally good cuts are found
    threads: int = 1
    watch: Watch | None = None  # called for each node; with one thread
    _stacks: list[list[Frame]] = field(init=False)
    _proven: int = field(default=0, init=False)
    _steps: int = field(default=0, init=False)
    _most_open: int = field(default=0, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)
    _stopped: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        kinds = np.full(len(self.problem.columns), TAIL, dtype=np.int8)
        self._stacks = [[] for _ in range(self.threads)]
        paired = len(kinds) if self.problem.conflicts else 0
        node = copied(self.root)
        size = sum(part.nbytes for part in node if isinstance(part, np.ndarray)) + kinds.nbytes + paired**2
        self._most_open = min(MOST_BYTES // size, MOST_OPEN)
        self._open(self._stacks[0], Frame(node, kinds, np.zeros((paired, paired), dtype=bool), 0))
        if self.watch is not None:
            self.watch.began(self, self._stacks[0][0])
        self._weigh(node, kinds)

    @property
    def frames(self) -> list[Frame]:
        """The open nodes."""
        return [frame for stack in self._stacks for frame in stack]

    @property
    def done(self) -> bool:
        """Whether nothing is open: no cuts cost less than `best`."""
        return not self.frames

    def lower_bound(self) -> int:
        """No cuts cost less: the least bound of what is open; `best` when nothing is.

        Proof: docs/proofs/tables/k_optimize.md, the bound of the whole search.
        """
        with self._lock:
            self._proven = max(self._proven, min([self.best, *(frame.bound for frame in self.frames)]))
        return self._proven

    def go_on(self, goes_on: Callable[[], bool]) -> None:
        """Visit nodes until nothing is open; every `REPORT` nodes, or `PAUSE` seconds, `goes_on` is asked."""
        if self.threads > 1:
            self._go_on_together(goes_on)
            return
        last = self.nodes
        while self._stacks[0]:
            if self.nodes >= last + REPORT:
                last = self.nodes
                if not goes_on():
                    return
            self.step()

    def step(self) -> None:
        """One step of a search with one thread: prune an open node; close it, or visit its next child.

        It alternates between the innermost one, which leads to better cuts soon, and the one with the least bound,
        which sets the bound of the whole search. Where many are open it is always the innermost, because they take
        memory.
        """
        stack = self._stacks[0]
        self._steps += 1
        if self._steps % 2 or len(stack) > self._most_open:
            self._step(self.problem, stack)
            return
        place = min(range(len(stack)), key=lambda place: (stack[place].bound, place))
        branch = [stack.pop(place)]
        self._step(self.problem, branch)
        stack[place:place] = branch

    def take(self, cost: int, heads: np.ndarray) -> None:
        """Keep these cuts if they are better than the best so far."""
        with self._lock:
            if cost < self.best:
                self.best, self.heads = cost, heads

    def _go_on_together(self, goes_on: Callable[[], bool]) -> None:
        self._stopped = False
        with ThreadPoolExecutor(self.threads) as pool:
            works = [pool.submit(self._work, stack) for stack in self._stacks]
            try:
                while not wait(works, PAUSE, FIRST_COMPLETED).done:  # where one finds all stacks empty, all do
                    if not goes_on():
                        break
            finally:
                self._stopped = True
        for work in works:
            work.result()

    def _work(self, stack: list[Frame]) -> None:
        """Visit nodes until all stacks are empty; the innermost node stays on its stack while it is worked on."""
        problem = self.problem._replace(slots=self.problem.slots.copy(), stamps=self.problem.stamps.copy())
        while not self._stopped:
            with self._lock:
                if not stack:
                    fullest = max(self._stacks, key=len)
                    if not fullest:
                        return
                    if len(fullest) > 1:
                        stack.append(fullest.pop(0))
            if stack:
                self._step(problem, stack)
            else:
                time.sleep(IDLE)

    def _step(self, problem: Problem, stack: list[Frame]) -> None:
        """Prune the innermost open node; close it, or visit its next child."""
        frame = stack[-1]
        pruned = prune(problem, frame.node, frame.kinds, frame.conflict, self.best, frame.fresh)
        frame.node = node = pruned.node
        frame.bound = max(frame.bound, int(pruned.bound))
        if self.watch is not None:
            self.watch.pruned(self, frame, pruned)
        if pruned.verdict == DEAD:
            with self._lock:
                stack.pop()
            return
        if pruned.verdict == FORCED:
            self._weigh(node, frame.kinds)
            return
        frame.fresh = False
        nothing = np.zeros_like(pruned.parted)
        first, then = (nothing, nothing) if self.order == "given" else (pruned.parted, pruned.exclusion_cost)
        value = choose(problem, frame.kinds, first, then)
        kinds = frame.kinds.copy()
        kinds[value] = HEAD
        frame.kinds[value] = OUT
        _, child = settle(problem, split(problem, node, value), kinds)
        with self._lock:  # the frame's bound leaves out the child from here on
            frame.bound = max(frame.bound, int(pruned.rest[value]))
            self._open(stack, Frame(child, kinds, frame.conflict.copy(), int(pruned.bound)))
        if self.watch is not None:
            self.watch.opened(self, frame, value, stack[-1])
        self._weigh(child, kinds)

    def _open(self, stack: list[Frame], frame: Frame) -> None:
        self.nodes += 1
        stack.append(frame)

    def _weigh(self, node: Node, kinds: np.ndarray) -> None:
        if node.suppressed <= self.problem.limit:
            cost, suppressed = head_cost(self.problem, node, kinds)
            if suppressed <= self.problem.limit:
                self.take(int(cost), heads_of(kinds))


# ---------------------------------------------------------------------------------------------------------------------
# A watcher of K-Optimize's search, so that its run can be shown step by step.
# ---------------------------------------------------------------------------------------------------------------------


class Watch(Protocol):
    """Called for each descent and each node, in searches with one thread."""

    def begins(self, problem: Problem, root: Node, bound: int) -> None:
        """The run begins; no cuts cost less than the bound."""

    def climbed(self, cost: int, suppressed: int, kinds: np.ndarray) -> None:
        """A descent of the hill climber, before the search, ended with these cuts."""

    def began(self, search: KOptimizeSearch, root: Frame) -> None:
        """A search begins; its root is not weighed yet."""

    def pruned(self, search: KOptimizeSearch, frame: Frame, outcome: Pruned) -> None:
        """A node was pruned: `frame` is as it is after that, `search.best` what it was pruned by."""

    def opened(self, search: KOptimizeSearch, parent: Frame, value: int, child: Frame) -> None:
        """A child with one value more was opened; it is not weighed yet."""
