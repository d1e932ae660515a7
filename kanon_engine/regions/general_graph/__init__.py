"""Connected classes on any graph, below three times the best possible."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kanon_engine.model.bound import Bound, Cost
from kanon_engine.model.run import Outcome, Progress, Run
from kanon_engine.regions.bounds import lower_bound
from kanon_engine.regions.bounds.separator_bound import separator_bound
from kanon_engine.regions.general_graph.push_branches import push_branches
from kanon_engine.regions.general_graph.stars import Stars, Stuck
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.recombine.annealing import search_in_rounds
from kanon_engine.regions.recombine.search import Search
from kanon_engine.regions.recombine.turns import steps_for
from kanon_engine.regions.tree_split import numbered
from kanon_engine.regions.trees.forest import forest_of_classes
from kanon_engine.regions.trees.kernels import Graph, depth_first_forest, peel_tree
from kanon_engine.regions.trees.spanning_tree import neighbour_lists

HEURISTIC = "light branches of heavy classes, moved to classes beside them, and neighbours recombined"
RULES = 0.5  # share of the work that is told before the guarantee is reached
Ended = Callable[[int, list[int] | None, Cost], None]
IMPROVING = 0.1  # how long the annealing after it is, as the effort of recombine


def general_graph(regions: Regions, k: int, run: Run) -> Outcome:
    """Split heavy classes; where only light branches hang on one area, move branches to other classes.

    Guarantee: cost <= max(3k - 3, heaviest area, L + k - 1), where L is the lower bound of this very run; as k and L
    are at most Opt, this is below 3 Opt. A run that is stopped before it gets there guarantees nothing (None). Rules,
    proof, and that it ends: docs/proofs/regions/general_graph.md, whose names the code uses.

    The search tries X = max(3k - 3, heaviest, L + k - 1) and, every second time, the middle between this and the cost
    so far. Success at the first ends it; otherwise success lowers the cost and failure raises L to X - k + 2 or more.
    After that, smaller limits are tried by bisection. Below 3k - 3 a step may leave a class too light or too heavy; it
    is not made, and the limit counts as failed. A gap in the labels is a proof all the same.
    What is found then is improved by a short annealing, as in `recombine`, which never makes the largest class larger.

    Parameters
    ----------
    regions : Regions
    k : int
    run : Run

    Returns
    -------
    Outcome
        `details` is a `TreeDetails`.

    Complexity
    ----------
    Polynomial for each of O(log W) limits, about O(n log n) on maps; then `steps_for` steps.

    References
    ----------
    The problem for general graphs: P. Berman, S. Raskhodnikova, "Approximation Algorithms for Min-Max Generalization
    Problems", APPROX 2010, where another algorithm improves on Du et al. Labels: A. Goldberg, R. Tarjan, "A New
    Approach to the Maximum-Flow Problem", J. ACM 35 (1988).

    Example
    -------
    Eight leaves of 3 on two centers of 1, k = 4: no leaf stands alone, and the leaves are shared out evenly.

    >>> edges = [(center, leaf) for center in (0, 1) for leaf in range(2, 10)]
    >>> outcome = general_graph(Regions(range(10), [1, 1] + [3] * 8, edges), 4, Run())
    >>> np.bincount(outcome.assignment, weights=[1, 1] + [3] * 8).tolist(), outcome.bound.value
    ([13.0, 13.0], 13)
    """
    best, bound = by_rules(regions, k, run)
    if not run.stopped and _cost(regions, best) > bound.value:
        best = _improved(regions, k, run, best, bound.value)
    assignment = numbered(best, regions.weights)
    guarantee = max(_safe(regions, k), bound.value + k - 1)
    details = forest_of_classes(regions, assignment, HEURISTIC)
    return Outcome(assignment, details, guarantee if _cost(regions, best) <= guarantee else None, bound)


def unheard(limit: int, separator: list[int] | None, bound: Cost) -> None:
    """Nobody is told how a limit went."""


def by_rules(
    regions: Regions, k: int, run: Run, make: Callable[..., Stars] = Stars, ended: Ended = unheard
) -> tuple[np.ndarray, Bound]:
    """(n,) class of each area by the rules alone, before anything is improved, and the bound that they prove.

    `make` makes the classes of each limit, and ``ended(limit, separator, bound)`` is told how it went: an empty
    separator where all classes are at the limit or below, None where a step was refused.
    """
    bound = lower_bound(regions, k)
    safe = _safe(regions, k)
    start, flat = neighbour_lists(regions.edges, len(regions))
    neighbours = [part.tolist() for part in np.split(flat, start[1:-1])]
    weights = regions.weights.tolist()
    best = _tree_classes(regions, k, run.generator())
    cost = _cost(regions, best)
    failed, tries = 0, 0  # the largest limit that failed
    while cost > max(bound.value, failed + 1):
        certain = max(safe, bound.value + k - 1)
        if cost > certain:
            limit = certain if tries % 2 == 0 else (certain + cost) // 2
        else:
            limit = (max(bound.value - 1, failed) + cost) // 2
        done = RULES * tries / (tries + (cost - bound.value).bit_length())
        if not run.goes_on(done, cost, bound.value, f"moving branches towards classes of at most {limit:,}"):
            break
        tries += 1
        try:
            stars = make(neighbours, weights, best, k, limit)
            separator = push_branches(stars)
        except Stuck:
            if limit >= safe:
                raise
            failed = limit
            ended(limit, None, bound.value)
            continue
        if separator:
            failed = limit
            bound = max(bound, separator_bound(regions, k, separator), key=lambda each: each.value)
        else:
            best = np.array(stars.owner)
            cost = _cost(regions, best)
        ended(limit, separator, bound.value)
    return best, bound


def _safe(regions: Regions, k: int) -> int:
    """The least limit at which no step is refused."""
    return max(3 * k - 3, int(regions.weights.max()))


def _improved(regions: Regions, k: int, run: Run, classes: np.ndarray, bound: int) -> np.ndarray:
    """Classes with a largest one that is no larger, by an annealing that begins with some."""
    search = Search(regions, k, bound, None, 0.0, run.generator())
    search.begin(classes)

    def heard(said: Progress) -> bool:
        return run.goes_on(RULES + (1 - RULES) * said.done, said.best, said.lower_bound, said.message)

    search_in_rounds(search, Run(run.seed, progress=heard), steps_for(regions, k, IMPROVING))
    return search.state.best


def _tree_classes(regions: Regions, k: int, generator: np.random.Generator) -> np.ndarray:
    """Any classes to begin with: a depth-first forest, which has few branches, cut as in `tree_split`."""
    n = len(regions)
    parent = depth_first_forest(*neighbour_lists(regions.edges, n, generator), generator.permutation(n))
    children = np.flatnonzero(parent >= 0)
    tree = np.column_stack([children, parent[children]])
    roots, _ = peel_tree(Graph(*neighbour_lists(tree, n), regions.weights), k)
    return np.unique(roots, return_inverse=True)[1]


def _cost(regions: Regions, owner: np.ndarray) -> int:
    return int(np.bincount(owner, weights=regions.weights).max())
