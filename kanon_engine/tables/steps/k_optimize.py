"""The search tree of K-Optimize as it grows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.run import Progress, Run
from kanon_engine.model.step import Inequality, Step
from kanon_engine.tables.cuts.finest import with_free_cuts
from kanon_engine.tables.cuts.node_kernels import HEAD, OUT, Node, Problem, head_cost
from kanon_engine.tables.cuts.problem import assignment_of, heads_of
from kanon_engine.tables.instance import Table
from kanon_engine.tables.k_optimize import k_optimize
from kanon_engine.tables.k_optimize.bound_kernels import DEAD, FORCED, Pruned
from kanon_engine.tables.k_optimize.search import Frame, Search
from kanon_engine.tables.steps import states
from kanon_engine.tables.steps.cut_names import heads_in, result_words
from kanon_engine.tables.steps.moves import Move, most_steps, shown, steps_of
from kanon_engine.tables.steps.states import Branch, CutState
from kanon_engine.tables.steps.tree_words import TreeWords

LARGE = 6_000  # records above which a search is noted as long as each move is a step
MOST_MOVES = 1_500
MOST_WORK = 400_000_000  # rows times cut values of the nodes that are told of, and of the descents before


def k_optimize_steps(table: Table, g: Generalization) -> Iterator[Step]:
    """The search again, with one thread: descents, then each node as it is opened, weighed and pruned.

    Where it is long the first nodes are told of, and the result.

    Example
    -------
    >>> import pandas as pd
    >>> import kanon_engine as kanon
    >>> table = Table(pd.DataFrame({"age": [20, 21, 40, 41, 60]}), ["age"])
    >>> steps = list(k_optimize_steps(table, kanon.generalize(table, 2, "k-optimize", suppression_limit=0)))
    >>> for step in (steps[1], steps[2], steps[4], steps[5]):
    ...     print(step.text)
    A descent of the hill climber ends at {3}, the best so far. cost of {3} ≥ what no cuts go below: 13 ≥ 10.
    The search tree begins at { } with 4 cuts in its tail; nobody may be left out. cost of { } ≥ best: 25 ≥ 13.
    No set of cuts below {3, 4} is better: it is dead. bound of {3, 4} ≥ best: 13 ≥ 13.
    This is the result: {3}. Nothing better can be left. cost ≥ proven bound: 13 ≥ 13.
    """
    yield from steps_of(_told(table, g))


def _told(table: Table, g: Generalization) -> Iterator[tuple[CutState, Move, int]]:
    recorder = Recorder(table, g.k)
    options: Any = dict(g.options) | {"threads": 1}
    k_optimize(table, g.k, Run(g.seed, None, recorder.goes_on), **options, require=g.require, watch=recorder)  # type: ignore[arg-type]
    yield from told_of(recorder, g)
    last = recorder.moves[-1][0]
    heads = heads_in(table, g.details)
    kinds = np.where(heads, HEAD, OUT).astype(np.int8)
    at = next((place for place, node in enumerate(last.nodes) if _is_of(table, g, node, heads)), -1)
    suppressed = int(table.weights[g.assignment < 0].sum())
    state = CutState(g.assignment, kinds, int(g.cost), suppressed, int(g.cost), (), last.nodes, at)
    on = (
        "" if recorder.going else f"What comes after this is not told; the search looked at {g.details.nodes:,} nodes. "
    )
    end = " Nothing better can be left." if g.status == "optimal" else ""
    why = f"{on}{result_words(table, heads, (state.kinds == HEAD for state, _ in recorder.moves))}.{end}"
    yield state, Move(why, Inequality(int(g.cost), "≥", int(g.lower_bound), "cost ≥ proven bound")), 1


def _is_of(table: Table, g: Generalization, node: Branch, heads: np.ndarray) -> bool:
    """Whether the head of a node and all cuts that part no class of it are these cuts."""
    own = node.kinds == HEAD
    return not (own & ~heads).any() and np.array_equal(with_free_cuts(table, g.k, own, g.require), heads)  # type: ignore[arg-type]


def told_of(recorder: Recorder, g: Generalization | None = None) -> Iterator[tuple[CutState, Move, int]]:
    """What a recorder noted; each state with its classes."""
    place, require = -1, () if g is None else g.require
    for count in shown(len(recorder.moves), len(recorder.table)):
        place += count
        state, move = recorder.moves[place]
        assignment = assignment_of(recorder.table, recorder.k, heads_of(state.kinds), require)  # type: ignore[arg-type]
        yield replace(state, assignment=assignment), move, count


@dataclass
class Recorder:
    """Notes what a search does; a `Watch`.

    Attributes
    ----------
    table : Table
    k : int
    going : bool
        Whether all was noted so far; a search that is longer is noted in part.
    """

    table: Table
    k: int

    def __post_init__(self) -> None:
        self.moves: list[tuple[CutState, Move]] = []
        self.words = TreeWords(self.table, self.k)
        self.nodes: list[Branch] = []
        self.best = -1
        self.going, self.work = True, 0
        self._most = MOST_MOVES if len(self.table) <= LARGE else most_steps(len(self.table))
        self._places: dict[int, int] = {}  # of the open nodes
        self._fresh: set[int] = set()  # nodes whose bound was not told yet
        self._limit, self._bound = self.table.total, 0

    def goes_on(self, report: Progress) -> bool:
        """Whether the search shall go on."""
        return self.going

    def _state(
        self, kinds: np.ndarray, cost: int, suppressed: int, at: int = -1, touched: tuple[int, ...] = ()
    ) -> CutState:
        """How it stands; its classes are worked out where it is shown."""
        none = np.zeros(0, dtype=np.int32)
        return CutState(none, kinds, cost, suppressed, self.best, touched, tuple(self.nodes), at)

    def begins(self, problem: Problem, root: Node, bound: int) -> None:
        """Note the table without cuts."""
        self._limit, self._bound = problem.limit, bound
        kinds = np.full(len(problem.columns), OUT, dtype=np.int8)
        cost, suppressed = map(int, head_cost(problem, root, kinds))
        all_of_them = f"all {self.table.total:,} {self.table.unit}"
        why = f"Without cuts {all_of_them} are one group."
        if suppressed:
            why = f"Without cuts {all_of_them} look the same and lack what is required."
        decided = Inequality(cost, "≥", bound, "cost of { } ≥ what no cuts go below")
        self._note(self._state(kinds, cost, suppressed), Move(why, decided))

    def climbed(self, cost: int, suppressed: int, kinds: np.ndarray) -> None:
        """Note a descent that is the best so far."""
        self.work += len(self.table.tuples[0]) * len(kinds)
        if suppressed > self._limit or (0 <= self.best <= cost):
            return
        self.best = cost
        self._note(self._state(kinds.copy(), cost, suppressed), self.words.climbed(kinds, cost, self._bound))

    def began(self, search: Search, root: Frame) -> None:
        """Note that a tree begins; another one is forgotten."""
        self.nodes, self._places, self._fresh = [], {}, set()
        cost, suppressed = self._add(search, root, -1, -1)
        move = self.words.began(search, root.kinds, cost)
        self._heard(search)
        self._note(self._state(root.kinds.copy(), cost, suppressed, 0), move)

    def opened(self, search: Search, parent: Frame, value: int, child: Frame) -> None:
        """Note a child and its cost, and whether it is the best so far."""
        at, best = self._places[id(parent)], search.best
        before = self.nodes[at].kinds
        after = parent.kinds.copy()
        self.nodes[at] = replace(self.nodes[at], kinds=after)
        cost, suppressed = self._add(search, child, at, value)
        move = self.words.opened(search, before, value, child.kinds, cost, suppressed)
        if suppressed <= search.problem.limit:
            self.best = min(best, cost)
        self._note(self._state(child.kinds.copy(), cost, suppressed, len(self.nodes) - 1, (value,)), move)

    def pruned(self, search: Search, frame: Frame, found: Pruned) -> None:
        """Note what was decided on values and on the node."""
        self._heard(search)
        at = self._places[id(frame)]
        node = self.nodes[at]
        before, after = node.kinds, frame.kinds.copy()
        changed = tuple(np.flatnonzero(before != after).tolist())
        fresh = at in self._fresh
        self._fresh.discard(at)
        cost, suppressed, verdict = node.cost, node.suppressed, node.verdict
        if found.verdict == FORCED:
            cost, suppressed = map(int, head_cost(search.problem, found.node, after))
        move = self.words.pruned(search, before, after, found, cost, fresh=fresh)
        if found.verdict == DEAD:
            verdict = states.DONE if self.words.ended(search, after, found) else states.DEAD
            del self._places[id(frame)]
        elif found.verdict == FORCED:
            self._fresh.add(at)
        self.nodes[at] = Branch(
            node.parent, node.value, after, cost, suppressed, max(node.bound, int(found.bound)), verdict
        )
        if found.verdict == FORCED and suppressed <= search.problem.limit:
            self.best = min(search.best, cost)
        if move is not None:
            self._note(self._state(after, cost, suppressed, at, changed), move)
        self.work += len(found.node.counts) * len(after)

    def _add(self, search: Search, frame: Frame, parent: int, value: int) -> tuple[int, int]:
        cost, suppressed = map(int, head_cost(search.problem, frame.node, frame.kinds))
        self._places[id(frame)] = len(self.nodes)
        self._fresh.add(len(self.nodes))
        self.nodes.append(Branch(parent, value, frame.kinds.copy(), cost, suppressed, frame.bound))
        return cost, suppressed

    def _heard(self, search: Search) -> None:
        """Take over what a descent between nodes found."""
        self.best = search.best if self.best < 0 else min(self.best, search.best)

    def _note(self, state: CutState, move: Move) -> None:
        if self.going:
            self.moves.append((state, move))
        self.going = self.going and len(self.moves) < self._most and self.work < MOST_WORK
