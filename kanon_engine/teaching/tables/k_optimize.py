"""The search tree of K-Optimize as it grows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.run import Progress, Run
from kanon_engine.model.words import counted
from kanon_engine.tables.cuts import assignment_of, heads_in, heads_of, problem_of, with_free_cuts
from kanon_engine.tables.cuts_kernels import HEAD, OUT, TAIL, Node, Problem, head_cost, intervals, row_bounds
from kanon_engine.tables.instance import Table
from kanon_engine.tables.k_optimize import Frame, KOptimizeSearch, k_optimize
from kanon_engine.tables.k_optimize_kernels import COSTLY, CROWDED, DEAD, FORCED, NEEDED, USELESS, Pruned
from kanon_engine.tables.metrics_kernels import DISCERNIBILITY
from kanon_engine.teaching import tables as states
from kanon_engine.teaching.step import NO_YES, Inequality, Step, StepQuestion, choice, either, enumerated, recorded
from kanon_engine.teaching.tables import (
    Branch,
    CutState,
    after,
    cut_names,
    cut_numbers,
    most_steps,
    move,
    result,
    result_words,
    set_words,
    shown,
)

LARGE_TABLE = 6_000  # records above which a search is recorded only while each move is a step
MOST_MOVES = 1_500
MOST_WORK = 400_000_000  # rows times cut values of the nodes that are shown, and of the descents before


def k_optimize_steps(table: Table, g: Generalization) -> Iterator[Step]:
    """The search again, in one thread: descents, then each node as it is opened, evaluated and pruned.

    If it is long, only the first nodes and the result are shown.

    >>> import pandas as pd
    >>> import kanon_engine as kanon
    >>> table = Table(pd.DataFrame({"age": [20, 21, 40, 41, 60]}), ["age"])
    >>> g = kanon.generalize(table, 2, "k-optimize", metric="DM", suppression_limit=0)
    >>> steps = list(k_optimize_steps(table, g))
    >>> for step in (steps[1], steps[2], steps[4], steps[5]):
    ...     print(step.why)
    Adding or removing one cut at a time ends with the cuts {3}, the best set so far.
    The search tree begins with the cuts { }. The tail holds cuts that may be added: 4 cuts. No record may be left out.
    No set of cuts that extends {3, 4} is better, so this branch is dropped.
    The result is the set of cuts {3}. No better solution remains.
    >>> steps[4].inequality.text
    'lower bound of {3, 4} ≥ best so far: 13 ≥ 13'
    """
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
        ""
        if recorder.going
        else f"The remaining steps are not shown. The search examined {g.details.nodes:,} nodes of the tree in all. "
    )
    end = " No better solution remains." if g.status == "optimal" else ""
    why = f"{on}{result_words(table, heads, (state.kinds == HEAD for state, _ in recorder.moves))}.{end}"
    yield result(state, g, why)


def _is_of(table: Table, g: Generalization, node: Branch, heads: np.ndarray) -> bool:
    """Whether these cuts are the head of a node and all cuts that divide none of its classes."""
    head = node.kinds == HEAD
    return not (head & ~heads).any() and np.array_equal(with_free_cuts(table, g.k, head, g.require), heads)  # type: ignore[arg-type]


def told_of(recorder: Recorder, g: Generalization | None = None) -> Iterator[Step]:
    """The notes of a recorder; each state with its classes."""
    place, require = -1, () if g is None else g.require
    for count in shown(len(recorder.moves), len(recorder.table)):
        place += count
        state, last = recorder.moves[place]
        assignment = assignment_of(recorder.table, recorder.k, heads_of(state.kinds), require)  # type: ignore[arg-type]
        yield after(replace(state, assignment=assignment), last, count)


@dataclass
class Recorder:
    """Records a search; a `Watch`. It records only a part of a search that continues after it stops `going`."""

    table: Table
    k: int

    def __post_init__(self) -> None:
        self.moves: list[tuple[CutState, Step]] = []
        self.words = TreeWords(self.table, self.k)
        self.nodes: list[Branch] = []
        self.best = -1
        self.going, self.work = True, 0
        self._most = MOST_MOVES if len(self.table) <= LARGE_TABLE else most_steps(len(self.table))
        self._places: dict[int, int] = {}  # positions of the open nodes
        self._fresh: set[int] = set()  # nodes whose bound was not shown yet
        self._limit, self._bound = self.table.total, 0

    def goes_on(self, report: Progress) -> bool:
        """Whether the search should continue."""
        return self.going

    def _state(
        self, kinds: np.ndarray, cost: int, suppressed: int, at: int = -1, touched: tuple[int, ...] = ()
    ) -> CutState:
        """The current state; its classes are computed if it is shown."""
        none = np.zeros(0, dtype=np.int32)
        return CutState(none, kinds, cost, suppressed, self.best, touched, tuple(self.nodes), at)

    def begins(self, problem: Problem, root: Node, bound: int) -> None:
        """Record the table without cuts."""
        self._limit, self._bound = problem.limit, bound
        kinds = np.full(len(problem.columns), OUT, dtype=np.int8)
        cost, suppressed = map(int, head_cost(problem, root, kinds))
        all_of_them = f"all {self.table.total:,} {self.table.unit}"
        why = f"Without cuts, {all_of_them} are one group."
        if suppressed:
            why = f"Without cuts, {all_of_them} look the same and fail a requirement."
        decided = Inequality(cost, "≥", bound, "cost of { } ≥ lower bound")
        self._note(self._state(kinds, cost, suppressed), move(why, decided))

    def climbed(self, cost: int, suppressed: int, kinds: np.ndarray) -> None:
        """Record a descent that is the best so far."""
        self.work += len(self.table.tuples[0]) * len(kinds)
        if suppressed > self._limit or (0 <= self.best <= cost):
            return
        self.best, name = cost, self.words.head(kinds)
        why = f"Adding or removing one cut at a time ends with the cuts {name}, the best set so far."
        decided = Inequality(cost, "≥", self._bound, f"cost of {name} ≥ lower bound")
        self._note(self._state(kinds.copy(), cost, suppressed), move(why, decided))

    def began(self, search: KOptimizeSearch, root: Frame) -> None:
        """Record the start of a tree; forget the previous one."""
        self.nodes, self._places, self._fresh = [], {}, set()
        cost, suppressed = self._add(search, root, -1, -1)
        name, tail = self.words.head(root.kinds), counted(int((root.kinds == TAIL).sum()), "cut")
        rule = "No record may be left out" if search.problem.limit == 0 else "Groups of fewer than k are left out"
        why = f"The search tree begins with the cuts {name}. The tail holds cuts that may be added: {tail}. {rule}."
        decided = either(cost, "≥", search.best, f"cost of {name} ≥ best so far")
        self._heard(search)
        self._note(self._state(root.kinds.copy(), cost, suppressed, 0), move(why, decided))

    def opened(self, search: KOptimizeSearch, parent: Frame, value: int, child: Frame) -> None:
        """Record a child and its cost, and whether it is the best so far."""
        at, best = self._places[id(parent)], search.best
        before = self.nodes[at].kinds
        self.nodes[at] = replace(self.nodes[at], kinds=parent.kinds.copy())
        cost, suppressed = self._add(search, child, at, value)
        step = self.words.opened(search, before, value, child.kinds, cost, suppressed)
        if suppressed <= search.problem.limit:
            self.best = min(best, cost)
        self._note(self._state(child.kinds.copy(), cost, suppressed, len(self.nodes) - 1, (value,)), step)

    def pruned(self, search: KOptimizeSearch, frame: Frame, pruning: Pruned) -> None:
        """Record the decisions on values and on the node."""
        self._heard(search)
        at = self._places[id(frame)]
        node = self.nodes[at]
        before, kinds = node.kinds, frame.kinds.copy()
        changed = tuple(np.flatnonzero(before != kinds).tolist())
        fresh = at in self._fresh
        self._fresh.discard(at)
        cost, suppressed, verdict = node.cost, node.suppressed, node.verdict
        if pruning.verdict == FORCED:
            cost, suppressed = map(int, head_cost(search.problem, pruning.node, kinds))
        step = self.words.pruned(search, before, kinds, pruning, cost, fresh=fresh)
        if pruning.verdict == DEAD:
            verdict = states.DONE if self.words.ended(search, kinds, pruning) else states.DEAD
            del self._places[id(frame)]
        elif pruning.verdict == FORCED:
            self._fresh.add(at)
        self.nodes[at] = Branch(
            node.parent, node.value, kinds, cost, suppressed, max(node.bound, int(pruning.bound)), verdict
        )
        if pruning.verdict == FORCED and suppressed <= search.problem.limit:
            self.best = min(search.best, cost)
        if step is not None:
            self._note(self._state(kinds, cost, suppressed, at, changed), step)
        self.work += len(pruning.node.counts) * len(kinds)

    def _add(self, search: KOptimizeSearch, frame: Frame, parent: int, value: int) -> tuple[int, int]:
        cost, suppressed = map(int, head_cost(search.problem, frame.node, frame.kinds))
        self._places[id(frame)] = len(self.nodes)
        self._fresh.add(len(self.nodes))
        self.nodes.append(Branch(parent, value, frame.kinds.copy(), cost, suppressed, frame.bound))
        return cost, suppressed

    def _heard(self, search: KOptimizeSearch) -> None:
        """Adopt the result of a descent between nodes."""
        self.best = search.best if self.best < 0 else min(self.best, search.best)

    def _note(self, state: CutState, step: Step) -> None:
        if self.going:
            self.moves.append((state, step))
        self.going = self.going and len(self.moves) < self._most and self.work < MOST_WORK


# ---------------------------------------------------------------------------------------------------------------------
# What K-Optimize does at its nodes, in words, with the deciding inequality and a question before.
# ---------------------------------------------------------------------------------------------------------------------


MOST_CHOICES = 30
MAX_GROUPED_RECORDS = 1_000  # records above which groups are not counted for the words


class TreeWords:
    """The words for one table."""

    def __init__(self, table: Table, k: int) -> None:
        self.table, self.k = table, k
        self.names, self.numbers = cut_names(table), cut_numbers(table)

    def head(self, kinds: np.ndarray) -> str:
        """The head of a node, as the paper writes it."""
        return set_words(self.table, np.flatnonzero(kinds == HEAD).tolist())

    def opened(
        self, search: KOptimizeSearch, before: np.ndarray, value: int, kinds: np.ndarray, cost: int, suppressed: int
    ) -> Step:
        """The step that opens a child; `before` are the kinds of its parent."""
        name, parent, limit = self.head(kinds), self.head(before), search.problem.limit
        why = f"Cut “{self.names[value]}” from the tail of {parent} is added to {parent}. The set {name} is evaluated."
        if suppressed:
            why += f" This set leaves out {counted(suppressed, self.table.unit.removesuffix('s'))}."
        if suppressed > limit:
            decided = Inequality(suppressed, ">", limit, f"records left out by {name} > limit")
        else:
            why += " This set is the best so far." if cost < search.best else ""
            decided = either(cost, "≥", search.best, f"cost of {name} ≥ best so far")
        tail = np.flatnonzero(before == TAIL).tolist()
        question = None
        plain = not len(search.problem.required.kinds) and len(self.table) <= MAX_GROUPED_RECORDS
        if search.order != "given" and len(tail) > 1 and plain:
            group = self._groups(before)
            split = {one: len(self._sides(group, one)[0]) for one in tail}  # how many groups of k or more each splits
            most = max(split.values())
            right = [one for one in tail if split[one] == most]
            if split[value] == most and len(right) < len(tail):
                which = (
                    f"Which cut in the tail of {parent} splits the most groups of {self.k:,} or more {self.table.unit}?"
                )
                question = self._which(f"A cut is added to {parent} next. {which}", tail, right)
        return move(why, decided, question)

    def pruned(
        self, search: KOptimizeSearch, before: np.ndarray, after: np.ndarray, pruning: Pruned, cost: int, *, fresh: bool
    ) -> Step | None:
        """The step that prunes a node to a head of this cost; None if nothing changed and it was shown before."""
        removed = np.flatnonzero((before != OUT) & (after == OUT)).tolist()
        forced = np.flatnonzero((before == TAIL) & (after == HEAD)).tolist()
        name, reasons = self.head(before), pruning.reasons.tolist()
        kinds_of = {v: reasons[v] if reasons[v] in (USELESS, COSTLY, CROWDED) else 0 for v in removed}
        sentences = [
            self._gone(name, [v for v in removed if kinds_of[v] == reason], reason)
            for reason in (USELESS, COSTLY, CROWDED, 0)
        ]
        if forced:
            them = "it is" if len(forced) == 1 else "they are"
            costs = "" if pruning.verdict == DEAD else f": {self.head(after)} costs {cost:,}"
            sentences.append(f"Every better solution contains {self._list(forced)}, so {them} added{costs}.")
        why = " ".join(filter(None, sentences))
        decided = self._decided(search, before, removed, forced, pruning)
        if pruning.verdict == DEAD:
            return self._dead(search, before, after, pruning, why, decided)
        if removed or forced:
            question = None
            tail = np.flatnonzero(before == TAIL).tolist()
            if removed and len(tail) > 1:
                question = self._which(
                    f"Which cut is not part of any better solution and is therefore removed from the tail of {name}?",
                    tail,
                    removed,
                )
            return move(why, decided, question)
        if not fresh:
            return None
        why = (
            f"Sets of cuts that extend {name} may be better than the best so far, and each cut in the tail of {name} "
            "may be part of a better set."
        )
        question = StepQuestion(self._may(name, search.best), NO_YES, (1,))
        return move(
            why, Inequality(int(pruning.bound), "<", search.best, f"lower bound of {name} < best so far"), question
        )

    def ended(self, search: KOptimizeSearch, after: np.ndarray, pruning: Pruned) -> bool:
        """Whether a node was closed because no value is left in its tail."""
        return (
            not (after == TAIL).any()
            and pruning.bound < search.best
            and pruning.node.suppressed <= search.problem.limit
        )

    def _dead(
        self,
        search: KOptimizeSearch,
        before: np.ndarray,
        after: np.ndarray,
        pruning: Pruned,
        why: str,
        decided: Inequality | None,
    ) -> Step:
        name, why = self.head(before), f"{why} ".lstrip()
        best, limit, lost = search.best, search.problem.limit, int(pruning.node.suppressed)
        if self.ended(search, after, pruning):
            return move(f"{why}No cut is left in the tail of {name}, so this branch is done.", decided)
        if pruning.bound >= best:
            left = "" if np.array_equal(before, after) else " with the remaining cuts of its tail"
            why = f"{why}No set of cuts that extends {name}{left} is better, so this branch is dropped."
            question = None
            problem, node = search.problem, pruning.node
            # the bound from the groups of the allset alone, without the share of pairs of cuts
            plain = problem.penalty * node.suppressed + row_bounds(problem, node, *intervals(problem, after)).sum()
            if not left and int(plain) >= best:
                question = StepQuestion(self._may(name, best), NO_YES, (0,))
            return move(
                why, Inequality(int(pruning.bound), "≥", best, f"lower bound of {name} ≥ best so far"), question
            )
        if lost > limit:
            why = (
                f"{why}The set {name} leaves out more records than allowed, and so does every set that extends it. "
                "This branch is dropped."
            )
            return move(why, Inequality(lost, ">", limit, f"records left out by {name} > limit"))
        stuck = np.flatnonzero((after == TAIL) & (pruning.reasons == COSTLY)).tolist()
        if stuck:
            number = self.numbers[stuck[0]]
            why = (
                f"{why}No set of cuts that extends {name} is better, neither with cut {number} nor without it, so "
                f"{name} is dropped."
            )
            words = f"lower bound of {name} with cut {number} added ≥ best so far"
            return move(why, Inequality(int(pruning.reached[stuck[0]]), "≥", best, words))
        return move(f"{why}No set of cuts that extends {name} can be better, so this branch is dropped.", decided)

    def _may(self, name: str, best: int) -> str:
        return (
            f"Does the lower bound of {name} leave room for a set of cuts that extends {name} and costs less than "
            f"{best:,}?"
        )

    def _gone(self, name: str, values: list[int], reason: int) -> str:
        if not values:
            return ""
        single = len(values) == 1
        are, they, it, them = (
            ("is", "it splits", "it", "it") if single else ("are", "they split", "any of them", "them")
        )
        why = {
            USELESS: f"as useless, because what {they} off does not lower the cost",
            COSTLY: f"because no better solution contains {it}",
            CROWDED: f"because with {it}, more records would be left out than is allowed",
            0: f"because a hierarchy allows {them} only together with cuts that are excluded",
        }[reason]
        return f"{self._list(values).capitalize()} {are} removed from the tail of {name} {why}."

    def _list(self, values: list[int]) -> str:
        return f"cut{'s' * (len(values) > 1)} {enumerated([str(self.numbers[value]) for value in values])}"

    def _which(self, prompt: str, tail: list[int], right: list[int]) -> StepQuestion | None:
        """A question about one of the tail's values; for a long tail, about those near the right ones."""
        near = sorted(tail, key=lambda value: min(abs(value - one) for one in right))
        choices = sorted({*right[:MOST_CHOICES], *near[:MOST_CHOICES]})
        return choice(prompt, choices, right, self.names.__getitem__, place=None)

    def _decided(
        self, search: KOptimizeSearch, before: np.ndarray, removed: list[int], forced: list[int], pruning: Pruned
    ) -> Inequality | None:
        """The inequality of the first value that was decided on."""
        name = self.head(before)
        for value in [*removed, *forced]:
            reason, number, reached = pruning.reasons[value], self.numbers[value], int(pruning.reached[value])
            if reason == COSTLY:
                return Inequality(
                    reached, "≥", search.best, f"lower bound of {name} with cut {number} added ≥ best so far"
                )
            if reason == NEEDED:
                return Inequality(
                    reached, "≥", search.best, f"lower bound of {name} without cut {number} ≥ best so far"
                )
            if reason == CROWDED:
                return Inequality(
                    reached, ">", search.problem.limit, f"records left out if cut {number} is added > limit"
                )
            if reason == USELESS:
                return self._useless(search, before, value)
        return None

    def _useless(self, search: KOptimizeSearch, kinds: np.ndarray, value: int) -> Inequality | None:
        """Why a cut is useless: all its groups are below k, or for DM the correction of the paper's liberal rule."""
        if len(self.table) > MAX_GROUPED_RECORDS:
            return None
        number, k = self.numbers[value], self.k
        left, right = self._sides(self._groups(kinds), value)
        largest = int(np.maximum(left, right).max(initial=0))
        if largest < k:
            return Inequality(largest, "<", k, f"largest group that cut {number} makes < k")
        smaller = int(np.minimum(left, right).max(initial=0))
        if smaller < k and search.problem.metric == DISCERNIBILITY:
            some = np.maximum(left, right) >= k
            most = int((left + right + np.maximum(left, right))[some].max())
            words = f"size of a group that cut {number} splits + size of its larger part ≤ number of all records"
            return Inequality(most, "≤", self.table.total, words)
        return Inequality(smaller, "<", k, f"smaller part of each group that cut {number} splits < k").if_true

    def _groups(self, kinds: np.ndarray) -> np.ndarray:
        """The group of each row under the head."""
        codes, cuts = np.empty_like(self.table.codes), self.table.cut_values
        for column in range(codes.shape[1]):
            positions = cuts[(kinds == HEAD) & (cuts[:, 0] == column), 1]
            codes[:, column] = np.searchsorted(positions, self.table.codes[:, column], side="right")
        return np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1)

    def _sides(self, group: np.ndarray, value: int) -> tuple[np.ndarray, np.ndarray]:
        """Records left and right of a cut in each group of at least k that it splits."""
        column, position = self.table.cut_values[value].tolist()
        below = self.table.codes[:, column] < position
        weights = self.table.weights
        sizes, left = (np.bincount(group, counts).astype(int) for counts in (weights, weights * below))
        hit = (sizes >= self.k) & (left > 0) & (left < sizes)
        return left[hit], (sizes - left)[hit]


# ---------------------------------------------------------------------------------------------------------------------
# The paper's Figures 1 to 4 as tables small enough to follow by hand (Bayardo, Agrawal 2005). The figures show an
# alphabet, trees over {1, 2, 3, 4} and a sorted table, but no records. The records here are our own, chosen so that
# K-Optimize's search shows what the figure does.
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MoveSample:
    """A table with the part of the pruning that a figure shows."""

    title: str
    table: Table
    k: int
    # useless, tails: whether useless values are pruned, and values by their least cost
    useless: bool = field(default=False, kw_only=True)
    tails: bool = field(default=False, kw_only=True)

    def steps(self) -> Iterator[Step]:
        """The whole search from no solution, with the tail in the order of the values, by the metric DM."""
        problem, root = problem_of(
            self.table, self.k, "DM", None, useless=self.useless, tails=self.tails, forcing=False, conflicts=False
        )
        recorder = Recorder(self.table, self.k)
        recorder.begins(problem, root, 0)
        search = KOptimizeSearch(problem, root, len(self.table) ** 2 + 1, order="given", watch=recorder)
        search.go_on(lambda: True)
        yield from recorded(told_of(recorder))


def figure_1() -> MoveSample:
    """The table of age, gender and marital status with its nine values, numbered 1 to 9 in their total order.

    {2, 7, 9} represents these intervals:

    >>> import numpy as np
    >>> from kanon_engine.tables.cuts import details_of
    >>> from kanon_engine.teaching.tables import cut_numbers
    >>> table = figure_1().table
    >>> heads = np.isin(cut_numbers(table), [2, 7, 9])
    >>> for name, intervals in details_of(table, heads, 0, 0, []).intervals.items():
    ...     print(name, intervals)
    age (('10-29',), ('30-39', '40-49'))
    gender (('M', 'F'),)
    marital status (('Married',), ('Widowed', 'Divorced'), ('Never Married',))
    """
    orders = {
        "age": ["10-29", "30-39", "40-49"],
        "gender": ["M", "F"],
        "marital status": ["Married", "Widowed", "Divorced", "Never Married"],
    }
    rows = [
        (0, 0, 3), (0, 0, 3), (0, 1, 3), (0, 1, 0), (1, 0, 0), (1, 0, 0), (1, 1, 2), (1, 1, 1), (2, 0, 1), (2, 1, 2),
        (2, 0, 0), (2, 1, 0),
    ]  # fmt: skip
    return MoveSample("Figure 1: three columns, nine values", _table(orders, rows), 2, useless=True, tails=True)


def figure_2() -> MoveSample:
    """Four cut values and every set of them: a table whose bounds prune no part of the tree."""
    orders = {"x": list("abc"), "y": list("def")}
    rows = [(1, 1), (2, 0), (0, 2), (1, 1), (1, 2), (1, 1)]
    return MoveSample("Figure 2: the tree of all sets of four cuts", _table(orders, rows), 3)


def figure_4() -> MoveSample:
    """A table whose records, sorted by age, form two groups of four; the cut of sex makes groups of two, below k."""
    orders = {"age": ["20s", "30s"], "sex": ["f", "m"]}
    rows = [(0, 0), (0, 0), (0, 1), (0, 1), (1, 0), (1, 0), (1, 1), (1, 1)]
    return MoveSample("Figure 4: a cut that is useless", _table(orders, rows), 3, useless=True)


def _table(orders: dict[str, list[str]], rows: Sequence[tuple[int, ...]]) -> Table:
    names = list(orders)
    columns = zip(*rows, strict=True)
    frame = {name: [orders[name][code] for code in codes] for name, codes in zip(names, columns, strict=True)}
    return Table(pd.DataFrame(frame), names, orders=dict(orders))
