"""Search of the set enumeration tree from both ends (Bayardo, Agrawal 2005, Figure 5, corrected).

Depth-first steps find better cuts, steps at the open node with the least bound raise the bound of the whole search.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Lock

import numpy as np

from kanon_engine.tables.cuts.node_kernels import HEAD, OUT, TAIL, Node, Problem, head_cost, settle, split
from kanon_engine.tables.cuts.problem import copied, heads_of
from kanon_engine.tables.k_optimize.bound_kernels import DEAD, FORCED, choose, prune
from kanon_engine.tables.k_optimize.watch import Watch

REPORT = 50  # nodes between reports
PAUSE = 0.05  # seconds between reports where threads search
MOST_BYTES, MOST_OPEN = 300_000_000, 2_000  # of open nodes, up to which every second step goes to the least bound
IDLE = 0.001  # seconds until a thread without work looks for some again


@dataclass
class Frame:
    """An open node: what is left of its tail, and what its unvisited descendants cost at least.

    Attributes
    ----------
    node : Node
    kinds : (a,) int8 array
        OUT, HEAD or TAIL for each cut value.
    conflict : (a, a) bool array
        Pairs of tail values that no better descendant includes both; empty where pairs are not weighed.
    bound : int
        Holds for every descendant that has not been visited and is not below the child that is open now.
    fresh : bool
        Whether no child was visited yet.
    """

    node: Node
    kinds: np.ndarray
    conflict: np.ndarray
    bound: int
    fresh: bool = True


@dataclass
class Search:
    """The state of a search; `go_on` takes it further.

    "Dead" and "the tail is empty" are two things: the paper's PRUNE returns the empty set for both, so that by
    induction it prunes everything. Here a value leaves the tail when its child is dead; a node is closed when it is
    dead or its tail is empty, and its head was weighed before.

    Attributes
    ----------
    problem : Problem
    root : Node
    best : int
        Cost of the best cuts so far, or the ceiling that only better ones interest under.
    order : str
        "exclusion": most classes split, then the greatest cost of excluding the value; "pairs": the
        paper's, most classes split, then the least sum of squares; "given": as the values stand.
    heads : (a,) bool array or None
        The best cuts so far, once cuts better than the first `best` were found.
    nodes : int
        Visited so far.
    threads : int
        How many search at the same time. Each goes depth-first through open nodes of its own; one that has none left
        takes the outermost open node of another. With more than one, which of equally good cuts are found is chance.
    watch : Watch or None
        Told of each node; with one thread.
    """

    problem: Problem
    root: Node
    best: int
    order: str = "exclusion"
    heads: np.ndarray | None = None
    nodes: int = 0
    threads: int = 1
    watch: Watch | None = None
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

        In turns it is the innermost one, which leads to better cuts soon, and the one whose bound is least, on which
        the bound of the whole search stands. Where many are open it is always the innermost, for they take memory.
        """
        stack = self._stacks[0]
        self._steps += 1
        if self._steps % 2 or len(stack) > self._most_open:
            self._step(self.problem, stack)
            return
        place = min(range(len(stack)), key=lambda place: (stack[place].bound, place))
        apart = [stack.pop(place)]
        self._step(self.problem, apart)
        stack[place:place] = apart

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
        node, parted = pruned.node, pruned.parted
        frame.node = node
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
        nothing = np.zeros_like(parted)
        orders = {
            "exclusion": (parted, pruned.exclusion_cost),
            "pairs": (parted, pruned.pairs),
            "given": (nothing, nothing),
        }
        first, then = orders[self.order]
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
