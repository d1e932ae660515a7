"""r-gather (Aggarwal et al., section 2): clusters of at least k records, the largest radius as small as can be."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from kanon_engine.clusters.gather.discs import disc_need, in_a_plane
from kanon_engine.clusters.gather.improve import improved
from kanon_engine.clusters.gather.packed import packed
from kanon_engine.clusters.gather.paper import MOST_POINTS, by_width
from kanon_engine.clusters.gather.repair import MOST_ANEW, Repair
from kanon_engine.clusters.gather.solution import Solution, around_balls, around_means, around_points
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.nearest import Nearest, nearest, need_of, radius_of
from kanon_engine.model.objective import Bound
from kanon_engine.model.run import Outcome, Run
from kanon_engine.verification.metric import rounded_up

BUDGET = 5.0  # CP-SAT's deterministic time
MORE = 4e-5  # for each point
ROUNDS = 12  # widths that are tried between bound and cost; twice as many for few points
UNANSWERED = 6  # short questions, after which no more are asked
LISTED = 3_000  # points of which all distances are looked at
IMPROVED = 200_000  # points; more clusters are left as they are


def gather(
    space: MetricSpace, k: int, run: Run, *, centers: str, improve: bool = True, effort: float = BUDGET
) -> Outcome:
    """Clusters of at least k records with a small largest radius.

    Guarantee: where the triangle inequality holds and centers are not means, 2 times the best possible if each point is
    one record (up to 200,000 of them), else 3 times around points and 6 times around free centers:
    docs/proofs/clusters/gather.md.

    The best of three: disjoint balls packed; the paper's greedy centers with a flow; and these mended, where a cluster
    that is too wide is dissolved with those around it and their points are given out anew by CP-SAT. First within the
    lower bound, then within widths between it and the cost. At last clusters are made smaller where that costs nothing.

    Parameters
    ----------
    space : MetricSpace
        At least k records.
    k : int
    run : Run
    centers : str
        "any", "input" or "means".
    improve : bool
        Whether clusters are mended and made smaller; else the better of the first two is the result.
    effort : float
        CP-SAT's deterministic time for all repairs; no option of a run.

    Returns
    -------
    Outcome
        Its bound is checked, or "exact search" by CP-SAT where that proves more.

    References
    ----------
    G. Aggarwal et al., "Achieving anonymity via clustering", ACM Transactions on Algorithms 6 (2010), section 2.2.

    Example
    -------
    Figure 1.1: ages 1 and 3 in one place; three places in a row at another age.

    >>> space = MetricSpace([(1, 0), (3, 0), (9, 12), (9, 9), (9, 6)])
    >>> made = gather(space, 2, Run(), centers="any")
    >>> made.cost, made.bound.value, made.details.centers.tolist()
    (3.0, 3.0, [[2.0, 0.0], [9.0, 9.0]])
    """
    found = nearest(space, k)
    fixed = centers == "input" or not space.free
    bound = need_bound(found) if fixed else free_bound(found)
    first = around_points(space, packed(found))
    if not fixed:
        first = around_balls(space, first.assignment)

    def made(best: Solution, bound: Bound) -> Outcome:
        return Outcome(best.assignment, best.details, promised(space, best.cost, bound.value, fixed), bound, best.cost)

    means = centers == "means" and space.free
    state = State(run, first, bound, None if means else made)
    repair = Repair(space, k, fixed, run.seed, state.goes_on, effort + len(space) * MORE)
    if improve and state.open:
        state.best = repair.within(first, bound.value)
    if state.open:
        state.best, state.bound = by_width(found, state.best, state.bound, fixed, state.goes_on)
    if improve:
        if fixed and len(space) <= MOST_ANEW:
            halve(state, repair)
        narrow(state, repair)
    best = improved(space, k, state.best, fixed) if improve and len(space) <= IMPROVED else state.best
    run.goes_on(1.0, best.cost, state.bound.value, "making clusters smaller")
    if means:
        best = min((around_means(space, one.assignment) for one in (best, first)), key=lambda one: one.cost)
        return Outcome(best.assignment, best.details, None, state.bound, best.cost)
    return made(best, state.bound)


@dataclass
class State:
    """The best so far of one run.

    Attributes
    ----------
    run : Run
    best : Solution
    bound : Bound
    made : callable or None
        The outcome of a solution and a bound, for who listens; None where centers become means at the end.
    done : float
        Share of the work.
    """

    run: Run
    best: Solution
    bound: Bound
    made: Callable[[Solution, Bound], Outcome] | None
    done: float = 0.1

    @property
    def open(self) -> bool:
        """Whether the best is not yet proven to be that."""
        return self.best.cost > self.bound.value

    def goes_on(self) -> bool:
        """Report, and ask whether to go on."""
        solution = None if self.made is None else partial(self.made, self.best, self.bound)
        return self.run.goes_on(self.done, self.best.cost, self.bound.value, "mending clusters", solution)


def halve(state: State, repair: Repair) -> None:
    """Ask shortly, of all points around points, which widths between bound and cost can be had and which cannot."""
    low, high, unanswered = state.bound.value, state.best.cost, 0
    while low < high and state.open and unanswered < UNANSWERED and repair.left > 0 and state.goes_on():
        width = min((low + high) / 2, math.nextafter(high, 0.0))
        verdict, made = repair.anew(width)
        if verdict == "impossible":
            low = next_radius(repair.space, width, True)
            state.bound = Bound(low, "exact search", "solver")
            continue
        high = width if made is None else made.cost
        state.best = made or state.best
        unanswered += verdict == "open"


def narrow(state: State, repair: Repair) -> None:
    """Mend within widths between bound and cost; where that fails, ask whether it is impossible."""
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
    """The least radius above one that a cluster can have, as far as that can be told quickly."""
    above = math.nextafter(width, math.inf)
    if not fixed:
        return rounded_up(above)
    if len(space) > LISTED:
        return above
    apart = space.between(np.arange(len(space)))
    return float(apart[apart > width].min(initial=math.inf))


def promised(space: MetricSpace, cost: float, bound: float, fixed: bool) -> float | None:
    """The ceiling that follows from the ratio, see `gather`; None for a run that was stopped before it was reached."""
    if not space.definitions.is_metric:
        return None
    single = space.total == len(space) <= MOST_POINTS
    proven = space.definitions.ceiling(2 if single else 3 if fixed else 6, bound)
    return proven if cost <= proven else None


def need_bound(found: Nearest) -> Bound:
    """The largest `need`, where centers are points: docs/proofs/clusters/gather.md, bound A."""
    place = int(found.need.argmax())
    return Bound(need_of(found.space, place, found.k), "need", witness=(place,))


def free_bound(found: Nearest) -> Bound:
    """The largest of the least discs around points, or half the largest ball: the same page, bounds B and D."""
    if in_a_plane(found.space):
        value, place = disc_need(found)
        return Bound(value, "least disc", witness=(place,))
    place = int(found.rho.argmax())
    value = found.space.definitions.free_radius(found.space.definitions.half(radius_of(found.space, place, found.k)))
    return Bound(value, "centers apart", witness=(place,))
