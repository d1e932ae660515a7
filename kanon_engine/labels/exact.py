"""The smallest possible largest class, proven; or as much of a proof as the effort allows."""

from __future__ import annotations

from functools import partial

import numpy as np

from kanon_engine.errors import Infeasible
from kanon_engine.labels.bounds import lower_bound, most_classes
from kanon_engine.labels.cover import COVERED, LISTING, covered
from kanon_engine.labels.even_packing import SMALL, all_sets, packing_up_to, pairs_in_order, sizes_of
from kanon_engine.labels.instance import Labels
from kanon_engine.labels.near_optimal import NONE, near_optimal
from kanon_engine.labels.packing import bin_outcome
from kanon_engine.model.objective import Bound
from kanon_engine.model.run import Outcome, Run
from kanon_engine.search.solvers import CapSearch

COVERS = 600_000_000  # steps of the search for exact covers
BUDGET = 1.5  # CP-SAT's deterministic time for a whole run without a time limit


def exact(labels: Labels, k: int, run: Run) -> Outcome:
    """Classes with the smallest possible largest class, and the proof that it is.

    No guarantee except the lower bound that it proves: docs/proofs/labels/exact.md.

    Up to `SMALL` labels are solved by dynamic programming over all sets of labels. More begin with the packing and the
    bound of `near_optimal`. If they differ, the search for exact covers gets more steps, and then CP-SAT decides
    whether there is a packing with no bin above a cap. The result is never worse than the starting packing.
    A search that is stopped returns the best packing and the best bound; so does one whose effort is used up, which
    without a time limit depends on labels, k and seed alone.

    Returns
    -------
    Outcome
        `details` is a `BinDetails`. If the search improved on the bounds with a witness, `bound` is of kind "solver":
        that no better packing exists is reported by the search. No guarantee.

    References
    ----------
    P. C. Gilmore, R. E. Gomory, "A linear programming approach to the cutting-stock problem", Operations Research 9
    (1961): packings by how often each content of a bin is used.

    >>> exact(Labels("abcdef", [7, 6, 5, 4, 4, 4]), 10, Run()).assignment.tolist()
    [0, 1, 1, 1, 0, 0]
    """
    if len(labels) <= SMALL:
        bound = lower_bound(labels, k)
        order = labels.descending
        best, bins = all_sets(labels.counts[order], k, pairs_in_order(labels, order))
        if bins is None:
            raise Infeasible(NONE.format(k=k, how="all sets of labels were examined"))
        run.goes_on(1.0, best, best, "examining all sets of labels")
        proof = Bound(best, "exact search", "solver") if best > bound.value else bound
        return bin_outcome(order, bins, k, "the best of all partitions", bound=proof)
    half = None if run.time_limit is None else run.time_limit / 2
    first = Run(
        run.seed, half, lambda report: run.goes_on(report.done / 4, report.best, report.lower_bound, report.message)
    )
    outcome = near_optimal(labels, k, first)
    method, bound = getattr(outcome.details, "method", ""), outcome.bound or lower_bound(labels, k)
    assignment = outcome.assignment.astype(np.int64)
    if not labels.conflicts:
        cost = int(np.bincount(assignment, labels.counts).max())
        goes_on = lambda share, best, low: run.goes_on(0.25 + 0.25 * share, best, low, LISTING)  # noqa: E731
        cover = covered(labels, k, bound.value, cost, COVERS, goes_on)
        bound = cover.bound or bound
        assignment, method = (assignment, method) if cover.bins is None else (cover.bins, COVERED)
    order, sizes = sizes_of(labels, k, most_classes(labels, k)[0])
    weights, begin = labels.counts[order], assignment[order]
    search = CapSearch(run, bound.value, BUDGET, "checking whether a packing below a size limit exists", start=0.5)
    bins = search.narrow(
        begin, lambda bins: int(np.bincount(bins, weights=weights).max()), partial(packing_up_to, sizes, run.seed)
    )
    proof = Bound(search.low, "exact search", "solver") if search.low > bound.value else bound
    method = method if bins is begin else "the best packing found by the solver CP-SAT"
    return bin_outcome(order, bins, k, method, bound=proof)
