"""r-gather (Aggarwal et al., section 2): clusters of at least k records, the largest radius as small as possible."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from kanon_engine.clusters.gather_flow import (
    MOST_RECORDS,
    Attempt,
    Solution,
    around_balls,
    around_means,
    around_points,
    attempt,
    disc_need,
    in_a_plane,
    least_diameter,
)
from kanon_engine.clusters.gather_repair import MAX_REASSIGNED, Repair, improved
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.nearest import NEARLY, Nearest, nearest, nearest_center, need_of, radius_of
from kanon_engine.model.objective import Bound
from kanon_engine.model.run import Outcome, Run
from kanon_engine.verification.metric import rounded_up

BUDGET = 5.0  # CP-SAT's deterministic time
MORE = 4e-5  # for each point
ROUNDS = 12  # widths that are tried between bound and cost; twice as many for few points
UNANSWERED = 6  # short questions, after which no more are asked
LISTED = 3_000  # points up to which all distances are examined
IMPROVED = 200_000  # points; more clusters are left as they are


def gather(
    space: MetricSpace, k: int, run: Run, *, centers: str, improve: bool = True, effort: float = BUDGET
) -> Outcome:
    """Clusters of at least k records with a small largest radius.

    Guarantee: where the triangle inequality holds and centers are not means, 2 times the best possible if each point is
    one record (up to 200,000 of them), else 3 times around points and 6 times around free centers:
    docs/proofs/clusters/gather.md.

    The best of three: packed disjoint balls; the paper's greedy centers with a flow; and these repaired: a cluster that
    is too wide is dissolved with those around it, and CP-SAT reassigns their points. First within the lower bound, then
    within widths between it and the cost. Finally clusters are made smaller where that costs nothing.

    The effort, CP-SAT's deterministic time for all repairs, is not an option of a run.

    References: G. Aggarwal et al., "Achieving anonymity via clustering", ACM Transactions on Algorithms 6 (2010),
        section 2.2.

    Figure 1.1: ages 1 and 3 in one place; three places in a row at another age.

    >>> space = MetricSpace([(1, 0), (3, 0), (9, 12), (9, 9), (9, 6)])
    >>> made = gather(space, 2, Run(), centers="any")
    >>> made.cost, made.bound.value, made.details.centers.tolist()
    (3.0, 3.0, [[2.0, 0.0], [9.0, 9.0]])
    """
    neighbors = nearest(space, k)
    fixed = centers == "input" or not space.free
    bound = need_bound(neighbors) if fixed else free_bound(neighbors)
    first = around_points(space, packed(neighbors))
    if not fixed:
        first = around_balls(space, first.assignment)

    def made(best: Solution, bound: Bound) -> Outcome:
        return Outcome(best.assignment, best.details, promised(space, best.cost, bound.value, fixed), bound, best.cost)

    means = centers == "means" and space.free
    state = GatherState(run, first, bound, None if means else made)
    repair = Repair(space, k, fixed, run.seed, state.goes_on, effort + len(space) * MORE)
    if improve and state.open:
        state.best = repair.within(first, bound.value)
    if state.open:
        state.best, state.bound = by_width(neighbors, state.best, state.bound, fixed, state.goes_on)
    if improve:
        if fixed and len(space) <= MAX_REASSIGNED:
            halve(state, repair)
        narrow(state, repair)
    best = improved(space, k, state.best, fixed, state.goes_on) if improve and len(space) <= IMPROVED else state.best
    run.goes_on(1.0, best.cost, state.bound.value, "making clusters smaller")
    if means:
        best = min((around_means(space, one.assignment) for one in (best, first)), key=lambda one: one.cost)
        return Outcome(best.assignment, best.details, None, state.bound, best.cost)
    return made(best, state.bound)


@dataclass
class GatherState:
    """The best so far of one run."""

    run: Run
    best: Solution
    bound: Bound
    # the outcome of a solution and a bound, for progress reports; None where centers become means at the end
    made: Callable[[Solution, Bound], Outcome] | None
    done: float = 0.1  # share of the work

    @property
    def open(self) -> bool:
        """Whether the best so far is not yet proven best."""
        return self.best.cost > self.bound.value

    def goes_on(self) -> bool:
        solution = None if self.made is None else partial(self.made, self.best, self.bound)
        return self.run.goes_on(self.done, self.best.cost, self.bound.value, "repairing clusters", solution)


def halve(state: GatherState, repair: Repair) -> None:
    """For all points, centers at points: quickly ask which widths between bound and cost are possible."""
    low, high, unanswered = state.bound.value, state.best.cost, 0
    while low < high and state.open and unanswered < UNANSWERED and repair.left > 0 and state.goes_on():
        # below the cost, or the best so far would be an answer
        width = min((low + high) / 2, math.nextafter(high, 0.0))
        verdict, solution = repair.anew(width)
        if verdict == "impossible":
            low = next_radius(repair.space, width, True)
            state.bound = Bound(low, "exact search", "solver")
            continue
        high = width if solution is None else solution.cost
        state.best = solution or state.best
        unanswered += verdict == "open"


def narrow(state: GatherState, repair: Repair) -> None:
    """Repair within widths between bound and cost; where that fails, ask whether it is impossible."""
    space, low, high = repair.space, state.bound.value, state.best.cost
    rounds = 2 * ROUNDS if len(space) <= LISTED else ROUNDS
    for step in range(rounds):
        state.done = 0.2 + 0.7 * step / rounds
        if not state.open or low >= high or repair.left <= 0 or not state.goes_on():
            return
        near = step == 0 and state.bound.kind == "checked"
        width = next_radius(space, low, repair.fixed) if near else (low + high) / 2
        width = width if repair.fixed else rounded_up(width)
        if not low < width < high:
            width = low
        state.best = repair.within(state.best, width)
        if state.best.cost <= width:
            high = state.best.cost
            continue
        if repair.refuted(width):
            value = next_radius(space, width, repair.fixed)
            if value > state.bound.value:
                state.bound = Bound(value, "exact search", "solver")
        low = next_radius(space, width, repair.fixed)


def next_radius(space: MetricSpace, width: float, fixed: bool) -> float:
    """The least radius above one that a cluster can have, as far as that can be found quickly."""
    above = math.nextafter(width, math.inf)
    if not fixed:
        return rounded_up(above)
    if len(space) > LISTED:
        return above
    distances = space.between(np.arange(len(space)))
    return float(distances[distances > width].min(initial=math.inf))


def promised(space: MetricSpace, cost: float, bound: float, fixed: bool) -> float | None:
    """The ceiling that follows from the ratio, see `gather`; None for a run that was stopped before it was reached."""
    if not space.definitions.is_metric:
        return None
    single = space.total == len(space) <= MOST_POINTS
    proven = space.definitions.ceiling(2 if single else 3 if fixed else 6, bound)
    return proven if cost <= proven else None


def need_bound(neighbors: Nearest) -> Bound:
    """The largest `need`, where centers are points: docs/proofs/clusters/gather.md, bound A."""
    place = int(neighbors.need.argmax())
    return Bound(need_of(neighbors.space, place, neighbors.k), "need", witness=(place,))


def free_bound(neighbors: Nearest) -> Bound:
    """The largest of the least discs around points, or half the largest ball: the same page, bounds B and D."""
    if in_a_plane(neighbors.space):
        value, place = disc_need(neighbors)
        return Bound(value, "least disc", witness=(place,))
    place = int(neighbors.rho.argmax())
    value = neighbors.space.definitions.free_radius(
        neighbors.space.definitions.half(radius_of(neighbors.space, place, neighbors.k))
    )
    return Bound(value, "centers apart", witness=(place,))


MOST_POINTS = 200_000  # with more the ratio is that of `packed`


def by_width(
    neighbors: Nearest, best: Solution, bound: Bound, fixed: bool, goes_on: Callable[[], bool]
) -> tuple[Solution, Bound]:
    """The better of a clustering and those of the paper, the better of a bound and those of its failures.

    If it is not stopped and each point is one record, the cost is at most 2 times the bound, up to rounding, where the
    triangle inequality holds. Success is not monotone in the width: a width that fails proves what it proves whether or
    not a smaller one succeeds, so the search halves between the largest that failed and one that succeeded.
    """
    space = neighbors.space
    if len(space) > MOST_POINTS or space.total >= MOST_RECORDS:
        return best, bound
    bound = better_bound(neighbors, bound, np.array([neighbors.rho.argmax()]), fixed)
    if not goes_on():
        return best, bound
    for trial in attempts(neighbors, 2 * bound.value):
        if trial.succeeded:
            best = better(neighbors, best, trial, fixed)
        else:
            bound = better_bound(neighbors, bound, trial.witness, fixed)
        if not goes_on():
            break
    return best, bound


def attempts(
    neighbors: Nearest,
    least: float,
    judge: Callable[[Nearest, Attempt], tuple[float, float]] | None = None,
    goes_on: Callable[[], bool] = lambda: True,
) -> Iterator[Attempt]:
    """The widths that are tried, from `least` on, until the largest that failed meets one that succeeded.

    ``judge(found, made)`` says what an attempt proves and reaches, as `judged` does.

    >>> from kanon_engine.clusters.instance import MetricSpace
    >>> from kanon_engine.clusters.nearest import nearest
    >>> line = nearest(MetricSpace([[0], [2], [4], [1], [3]]), 2)
    >>> [(made.width, made.succeeded) for made in attempts(line, 1.0)]
    [(1.0, False), (4.0, True), (2.0, True)]
    """
    low, high, step = max(float(neighbors.rho.max()), least), math.inf, 0
    width = low
    while goes_on():
        trial = attempt(neighbors, width)
        proven, reached = (judge or judged)(neighbors, trial)
        low, high = max(low, proven), min(high, reached)
        yield trial
        if low >= high:
            return
        step += 1
        middle = low + (high - low) / 2 if high < math.inf else 2 * low
        width = middle if step % 2 and middle < high else low


def judged(neighbors: Nearest, trial: Attempt) -> tuple[float, float]:
    """The diameter that the failure of an attempt proves, and how wide its clusters are where it succeeded."""
    space = neighbors.space
    if not trial.succeeded:
        return least_diameter(space, neighbors.k, trial.witness, trial.width), math.inf
    if leaves_short(neighbors, trial):
        return 0.0, trial.width
    distances = space.paired(np.arange(len(space)), trial.centers[trial.assignment])
    return 0.0, min(trial.width, float(distances.max()))


def better_bound(neighbors: Nearest, bound: Bound, witness: np.ndarray, fixed: bool) -> Bound:
    """The bound, or that of a witness of failure: docs/proofs/clusters/gather.md, bound D."""
    space = neighbors.space
    diameter = least_diameter(space, neighbors.k, witness, max(2 * bound.value, float(neighbors.rho.max())))
    value = space.definitions.half(diameter)
    value = value if fixed else space.definitions.free_radius(value)
    return Bound(value, "centers apart", witness=tuple(witness.tolist())) if value > bound.value else bound


def better(neighbors: Nearest, best: Solution, trial: Attempt, fixed: bool) -> Solution:
    """The better clustering.

    Points with counts go where most of their records went; where that leaves a cluster short, the attempt gives none.
    """
    if leaves_short(neighbors, trial):
        return best
    space = neighbors.space
    solution = around_points(space, trial.centers[trial.assignment]) if fixed else around_balls(space, trial.assignment)
    return min(best, solution, key=lambda one: one.cost)


def leaves_short(neighbors: Nearest, trial: Attempt) -> bool:
    """Whether a cluster is left with fewer than k records, as can happen with counts."""
    sums = np.bincount(trial.assignment, weights=neighbors.space.weights, minlength=len(trial.centers))
    return bool(sums.min() < neighbors.k)


def packed(neighbors: Nearest) -> np.ndarray:
    """(n,) int64: the position of each point's center; every center has at least k records.

    Guarantee: each point is within 3 times its own `need` of its center where the triangle inequality holds, so the
    radius is at most 3 times the best possible around points, with counts too: docs/proofs/clusters/gather.md.

    Go through the balls by their radius. Take one if it is disjoint from those taken, and no member has a third of this
    radius as a larger `need`. Then every other point goes to the nearest center.

    O(n k + n log n), besides the balls.

    >>> from kanon_engine.clusters.instance import MetricSpace
    >>> from kanon_engine.clusters.nearest import nearest
    >>> packed(nearest(MetricSpace([[0], [1], [2], [8], [9]]), 2)).tolist()
    [0, 0, 0, 3, 3]
    """
    n = len(neighbors.rho)
    owner = np.full(n, -1, dtype=np.int64)
    covered = [False] * n
    near_enough = 3 * neighbors.need * (1 + NEARLY)
    centers = []
    for place in np.argsort(neighbors.rho, kind="stable").tolist():
        if covered[place]:
            continue
        ball = neighbors.ball(place)
        if (owner[ball] < 0).all() and (near_enough[ball] >= neighbors.rho[place]).all():
            owner[ball] = place
            centers.append(place)
            for member in ball.tolist():
                covered[member] = True
    rest = np.flatnonzero(owner < 0)
    owner[rest] = nearest_center(neighbors.space, rest, np.sort(np.array(centers, dtype=np.int64)))
    return owner
