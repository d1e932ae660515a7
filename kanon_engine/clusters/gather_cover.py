"""Which balls to open so that every point is in one and each has k records of its own: CP-SAT, and Hall's theorem."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.clusters.gather_cover_kernels import maximal_sets
from kanon_engine.clusters.gather_flow import flow_from
from kanon_engine.search.solvers import solved, solver_for

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, CpSolver, IntVar

    Solve = Callable[[CpModel, float], tuple[str, CpSolver, float]]  # verdict, and the deterministic time besides

PAIRS = 1_500  # sets up to which all pairs are examined
GREEDY = 20  # covers that are tried before CP-SAT chooses
LEAST = 1e-3  # of deterministic time, that each cover counts for
MEMBERS = 200_000  # of sets, where CP-SAT assigns points with counts


@dataclass(frozen=True)
class CoverAnswer:
    """The answer to a question."""

    verdict: str  # "found", "impossible" (proven by CP-SAT), or "open"
    # (m,) int64: which ball each point is given to, as a row of the question; -1 for none. Empty where nothing was
    # found
    owner: np.ndarray
    spent: float  # CP-SAT's deterministic time


NOTHING = np.zeros(0, dtype=np.int64)


def cover(
    inside: np.ndarray,
    weights: np.ndarray,
    k: int,
    must: np.ndarray,
    seed: int,
    effort: float,
    goes_on: Callable[[], bool],
) -> CoverAnswer:
    """Give every point that must have one a ball that holds it, so that each ball that is used has k records.

    Balls are chosen greedily, then by CP-SAT; a flow gives each its k records. Where it cannot, Hall's theorem gives
    balls that together hold too few, and a cut that all solutions satisfy is added: of the balls inside their union at
    most ⌊records / k⌋ are used. Where points have counts, CP-SAT assigns them.

    `inside`: (s, m) bool. Which ball holds which point.
    `weights`: (m,) int64. Records at each point.
    `must`: (m,) bool. Which points must be given a ball; others may.
    `seed`, `effort`: of CP-SAT; the effort in its deterministic time.
    `goes_on`: called now and then; the search ends once it returns False.

    >>> balls = np.array([[1, 1, 1, 0, 0], [0, 1, 1, 1, 0], [0, 0, 1, 1, 1]], dtype=bool)
    >>> ones, every = np.ones(5, dtype=np.int64), np.ones(5, dtype=bool)
    >>> cover(balls, ones, 2, every, 0, 1.0, lambda: True).verdict
    'found'
    >>> cover(balls, ones, 3, every, 0, 1.0, lambda: True).verdict
    'impossible'
    """
    rows, masks = maximal(inside, weights, k)
    needed = bits_of(must)
    if not needed:
        return CoverAnswer("found", np.full(len(weights), -1, dtype=np.int64), 0.0)
    if needed & ~union(masks):
        return CoverAnswer("impossible", NOTHING, 0.0)

    def solve(model: CpModel, left: float) -> tuple[str, CpSolver, float]:
        solver = solver_for(seed, left)
        verdict = solved(solver, model, goes_on)
        return verdict, solver, solver.response_proto.deterministic_time

    if (weights == 1).all():
        return _by_flow(rows, masks, inside[rows], k, must, effort, solve)
    return _by_constraints(rows, inside[rows], weights, k, must, effort, solve)


def _by_flow(
    rows: list[int], masks: list[int], table: np.ndarray, k: int, must: np.ndarray, effort: float, solve: Solve
) -> CoverAnswer:
    """Greedy covers first, then those of CP-SAT; each that leaves balls short adds a cut."""
    needed = bits_of(must)
    cuts: list[CoverCut] = []
    choice: BallChoice | None = None
    spent = 0.0
    while spent < effort:
        spent += LEAST
        opened = greedy(table, must, cuts) if choice is None and len(cuts) < GREEDY else None
        if opened is None:
            choice = choice or BallChoice(table, masks, k, needed)
            verdict, opened, more = choice.within(cuts, effort - spent, solve)
            spent += more
            if verdict != "found":
                return CoverAnswer(verdict, NOTHING, spent)
        opened = _without_spare(opened, masks, needed)
        place, points = np.nonzero(table[opened])
        sent, short = flow_from(place, points, np.ones(len(must), dtype=np.int64), k, len(opened))
        if len(short) == 0:
            left = (sent < 0) & must
            sent[left] = table[opened][:, left].argmax(axis=0)
            opened_rows = np.array(rows, dtype=np.int64)[opened]
            return CoverAnswer("found", np.where(sent >= 0, opened_rows[sent], -1), spent)
        together = union(masks[opened[place]] for place in short.tolist())
        within = np.array([not mask & ~together for mask in masks])
        cuts.append(CoverCut(within, together.bit_count() // k))
    return CoverAnswer("open", NOTHING, spent)


@dataclass(frozen=True)
class CoverCut:
    """Limit the number of balls used inside a union."""

    within: np.ndarray
    most: int


class BallChoice:
    """CP-SAT's choice of balls that hold all that is needed, cut by cut."""

    def __init__(self, table: np.ndarray, masks: list[int], k: int, needed: int) -> None:
        from ortools.sat.python import cp_model

        self.model = cp_model.CpModel()
        self.used = [self.model.new_bool_var("") for _ in masks]
        self.added = 0
        holders: dict[int, list[int]] = {}
        for number, mask in enumerate(masks):
            for point in bits(mask & needed):
                holders.setdefault(point, []).append(number)
        for some in sorted({tuple(numbers) for numbers in holders.values()}):
            self.model.add_bool_or([self.used[number] for number in some])
        self.model.add(sum(self.used) <= union(masks).bit_count() // k)
        _conflicts(self.model, self.used, table, k)

    def within(self, cuts: list[CoverCut], effort: float, solve: Solve) -> tuple[str, list[int], float]:
        """The verdict, balls that keep all cuts, and the deterministic time."""
        for cut in cuts[self.added :]:
            self.model.add(sum(self.used[number] for number in np.flatnonzero(cut.within).tolist()) <= cut.most)
        self.added = len(cuts)
        verdict, solver, spent = solve(self.model, effort)
        if verdict != "found":
            return verdict, [], spent
        return verdict, [number for number, on in enumerate(self.used) if solver.boolean_value(on)], spent


def greedy(table: np.ndarray, must: np.ndarray, cuts: list[CoverCut]) -> list[int] | None:
    """Balls that hold all that is needed and keep all cuts, each the one that holds most of the rest.

    None where no remaining ball holds any of it, which proves nothing.
    """
    left, allowed = must.copy(), np.ones(len(table), dtype=bool)
    gain = table[:, left].sum(axis=1)
    room = [cut.most for cut in cuts]
    opened: list[int] = []
    while left.any():
        best = int(np.where(allowed, gain, 0).argmax())
        if not allowed[best] or gain[best] == 0:
            return None
        opened.append(best)
        fresh = np.flatnonzero(left & table[best])
        left[fresh] = False
        gain -= table[:, fresh].sum(axis=1)
        for place, cut in enumerate(cuts):
            room[place] -= int(cut.within[best])
            if room[place] == 0:
                allowed &= ~cut.within
    return opened


def _conflicts(model: CpModel, used: list[IntVar], table: np.ndarray, k: int) -> None:
    """Two balls that together hold fewer than 2k points are not both used: cliques that cover all such pairs."""
    if len(used) > PAIRS:
        return
    sizes = table.sum(axis=1)
    shared = table.astype(np.float32)
    together = sizes[:, None] + sizes - shared @ shared.T
    conflicting = together < 2 * k
    np.fill_diagonal(conflicting, False)
    pairs = [bits_of(row) for row in conflicting]
    left = [bits_of(row) for row in np.triu(conflicting)]
    for number in range(len(used)):
        while left[number]:
            clique = 1 << number
            common = pairs[number]
            while common:
                chosen = common & left[number] or common
                place = (chosen & -chosen).bit_length() - 1
                clique |= 1 << place
                common &= pairs[place]
            members = list(bits(clique))
            for place in members:
                left[place] &= ~clique
            model.add_at_most_one([used[place] for place in members])


def _without_spare(opened: list[int], masks: list[int], needed: int) -> list[int]:
    """Balls that still hold all that is needed; a spare one only costs points."""
    for number in sorted(opened, key=lambda number: masks[number].bit_count()):
        others = [other for other in opened if other != number]
        if others and not needed & ~union(masks[other] for other in others):
            opened = others
    return opened


def _by_constraints(
    rows: list[int], table: np.ndarray, weights: np.ndarray, k: int, must: np.ndarray, effort: float, solve: Solve
) -> CoverAnswer:
    from ortools.sat.python import cp_model

    if table.sum() > MEMBERS:
        return CoverAnswer("open", NOTHING, 0.0)
    model = cp_model.CpModel()
    used = [model.new_bool_var("") for _ in rows]
    assigned: list[dict[int, IntVar]] = [{} for _ in weights]
    capped = np.minimum(weights, k).tolist()
    for number, on in enumerate(used):
        members = np.flatnonzero(table[number]).tolist()
        for point in members:
            assigned[point][number] = model.new_bool_var("")
            model.add_implication(assigned[point][number], on)
        model.add(sum(capped[point] * assigned[point][number] for point in members) >= k * on)
    for point, choices in enumerate(assigned):
        if must[point]:
            model.add_exactly_one(choices.values())
        else:
            model.add_at_most_one(choices.values())
    verdict, solver, spent = solve(model, effort)
    if verdict != "found":
        return CoverAnswer(verdict, NOTHING, spent)
    owner = np.full(len(weights), -1, dtype=np.int64)
    for point, choices in enumerate(assigned):
        for number, chosen in choices.items():
            if solver.boolean_value(chosen):
                owner[point] = rows[number]
    return CoverAnswer("found", owner, spent)


def maximal(inside: np.ndarray, weights: np.ndarray, k: int) -> tuple[list[int], list[int]]:
    """Rows, and bits, of the balls that hold k records and that no other ball contains; of equal ones the first.

    A ball that another contains is never needed: its points can be given to the other one.
    """
    heavy = np.flatnonzero(inside @ np.minimum(weights, k) >= k)
    heavy = heavy[np.argsort(-inside[heavy].sum(axis=1), kind="stable")]
    wide = np.zeros((len(heavy), -(-inside.shape[1] // 64) * 64), dtype=bool)
    wide[:, : inside.shape[1]] = inside[heavy]
    words = np.packbits(wide, axis=1, bitorder="little").view(np.int64)
    positions = np.empty(len(heavy), dtype=np.int64)
    rows = heavy[positions[: maximal_sets(words, positions)]]
    return rows.tolist(), [bits_of(inside[row]) for row in rows]


def bits_of(flags: np.ndarray) -> int:
    """The places of an array that are true, as bits."""
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def bits(mask: int) -> Iterator[int]:
    """Places of the bits that are set."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def union(masks: Sequence[int] | Iterator[int]) -> int:
    """All bits that are set in one of them."""
    whole = 0
    for mask in masks:
        whole |= mask
    return whole
