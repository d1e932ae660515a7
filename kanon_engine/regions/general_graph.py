"""Connected classes on any graph, at most four times the best possible."""

from __future__ import annotations

import numpy as np

from kanon_engine.regions.bounds import lower_bound
from kanon_engine.regions.forest import forest_of_classes
from kanon_engine.regions.hubs import hubs_bound
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.kernels import depth_first_forest, peel_tree
from kanon_engine.regions.push_branches import push_branches
from kanon_engine.regions.spanning_tree import neighbour_lists
from kanon_engine.regions.stars import Stars, Stuck
from kanon_engine.regions.tree_split import numbered
from kanon_engine.run import Outcome, Run

HEURISTIC = "light branches of heavy classes, moved to classes beside them"


def general_graph(regions: Regions, k: int, run: Run) -> Outcome:
    """Split heavy classes; where only light branches hang on one area, move branches to other classes.

    Guarantee: cost <= max(4k - 3, heaviest area, L + k), where L is the lower bound of this very run; as L <= Opt, this
    is never above 4 Opt. A run that is stopped before it gets there guarantees nothing (None).

    Fix a limit X >= 4k - 3. The lemma in `star_or_split` splits every class above X - k >= 3k - 3 or shows that it is a
    star: a hub and atoms, the components of the class without it, each lighter than k. Stars above X - k are closed,
    all other classes open. While a class is overloaded (above X), it gives an atom away and stays above X - k:

    (1) An atom that touches atoms of another class B joins them. If they reach k, at most 2k - 2 in all, they become a
        class; B, a star, keeps at least 3k - 2 - (2k - 2) = k. If they do not reach k, they are one atom of B.
    (2) If no atom touches another, an atom goes to a class whose hub it touches, or to an open class that it touches
        (its anchors), one label down, as in push-relabel flow: label(A) <= label(B) + 1 when an atom of A can go to B;
        if no atom can go down, the label of A rises to one above the lowest in reach. An open class ends at most at
        X - k + (k - 1) < X; above X - k it is split or closed.

    After (1), a split, or a closing, which are *events*, all labels are 0 again.

    It ends. Classes are never joined, so at most n are made. Until the next class is made, a closed class stays closed,
    so there are at most n closings; an event (1) lowers the number of atoms, at most n, which only a closing raises, by
    at most n: at most n + n² events (1). Between two events no anchor changes: hubs stay, and what an open class takes
    in touches no atom. Labels then stay valid and rise; with m classes at most m² times, and as each move lowers the
    sum over atoms of their class's label, there are at most n m² moves (2).

    When it fails. If no class has a certain label g below that of an overloaded class (with m classes this is so at the
    latest when a label reaches m), let R be the classes with labels above g, and Y their hubs. A class with a label
    above 0 was overloaded when it got the label, so it has been closed and above X - k since then, and its atoms, also
    those it took in later, touch no other atoms. Atoms of R have their anchors in R, since labels drop by at most 1.
    So the atoms of R are components of the graph without Y. They are lighter than k, hence in every solution a class
    that meets R contains a hub of Y: at most abs(Y) classes cover w(R) > abs(Y) (X - k), and Opt > X - k. This is the
    bound `hubs_bound` with witness Y, at least X - k + 1.

    The search tries X = max(4k - 3, heaviest, L + k) and, every second time, the middle between this and the cost so
    far. Success at the first ends it; otherwise success lowers the cost and failure raises L to X - k + 1 or more, and
    the interval between the two is halved by every second try. Nothing in this depends on the number of connected
    parts: a part without an overloaded class does not change.

    After that, smaller limits are tried by bisection. Below 4k - 3 a step may leave a class too light; it is not made,
    and the limit counts as failed. A gap in the labels proves Opt > X - k all the same.

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
    Polynomial as proven above, times O(log W) limits; about O(n log n) for each limit on maps.

    References
    ----------
    The problem for general graphs: P. Berman, S. Raskhodnikova, "Approximation Algorithms for Min-Max Generalization
    Problems", APPROX 2010, where another algorithm improves on Du et al. Labels: A. Goldberg, R. Tarjan, "A New
    Approach to the Maximum-Flow Problem", J. ACM 35 (1988).

    Example
    -------
    Eight leaves of 3 on two hubs of 1, k = 4: no leaf stands alone, and the leaves are shared out evenly.

    >>> edges = [(hub, leaf) for hub in (0, 1) for leaf in range(2, 10)]
    >>> outcome = general_graph(Regions(range(10), [1, 1] + [3] * 8, edges), 4, Run())
    >>> np.bincount(outcome.assignment, weights=[1, 1] + [3] * 8).tolist(), outcome.bound.value
    ([13.0, 13.0], 13)
    """
    bound = lower_bound(regions, k)
    safe = max(4 * k - 3, int(regions.weights.max()))
    start, flat = neighbour_lists(regions.edges, len(regions))
    neighbours = [part.tolist() for part in np.split(flat, start[1:-1])]
    weights = regions.weights.tolist()
    best = _tree_classes(regions, k, run.generator())
    cost = _cost(regions, best)
    failed, tries = 0, 0  # the largest limit that failed
    while cost > max(bound.value, failed + 1):
        certain = max(safe, bound.value + k)
        if cost > certain:
            limit = certain if tries % 2 == 0 else (certain + cost) // 2
        else:
            limit = (max(bound.value - 1, failed) + cost) // 2
        done = tries / (tries + (cost - bound.value).bit_length())
        if not run.goes_on(done, cost, bound.value, f"moving branches towards classes of at most {limit:,}"):
            break
        tries += 1
        try:
            stars = Stars(neighbours, weights, best, k, limit)
            hubs = push_branches(stars)
        except Stuck:
            failed = limit
            continue
        if hubs:
            failed = limit
            bound = max(bound, hubs_bound(regions, k, hubs), key=lambda each: each.value)
        else:
            best = np.array(stars.owner)
            cost = _cost(regions, best)
    assignment = numbered(best, regions.weights)
    guarantee = max(safe, bound.value + k)
    details = forest_of_classes(regions, assignment, HEURISTIC)
    return Outcome(assignment, details, guarantee if cost <= guarantee else None, bound)


def _tree_classes(regions: Regions, k: int, generator: np.random.Generator) -> np.ndarray:
    """Any classes to begin with: a depth-first forest, which has few branches, cut as in `tree_split`."""
    n = len(regions)
    parent = depth_first_forest(*neighbour_lists(regions.edges, n, generator), generator.permutation(n))
    children = np.flatnonzero(parent >= 0)
    tree = np.column_stack([children, parent[children]])
    roots, _ = peel_tree(*neighbour_lists(tree, n), regions.weights, k)
    return np.unique(roots, return_inverse=True)[1]


def _cost(regions: Regions, owner: np.ndarray) -> int:
    return int(np.bincount(owner, weights=regions.weights).max())
