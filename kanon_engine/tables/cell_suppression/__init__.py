"""The fewest suppressed cells that make every record equal to k - 1 others."""

from __future__ import annotations

import numpy as np

from kanon_engine.model.objective import Bound
from kanon_engine.model.run import Outcome, Run
from kanon_engine.tables.cell_suppression.attachments import Attachments, Watch
from kanon_engine.tables.cell_suppression.classes import attached_classes
from kanon_engine.tables.cell_suppression.greedy import ceiling, open_greedily, suppress_rare
from kanon_engine.tables.cell_suppression.improve import improve
from kanon_engine.tables.cell_suppression.model import search, useful
from kanon_engine.tables.cell_suppression.patterns import Patterns, patterns_of
from kanon_engine.tables.instance import CellDetails, Table

MOST_ATTACHMENTS = 60_000  # in the program for the solver; tables that need more get the greedy solution and its bound


def cell_suppression(table: Table, k: int, run: Run) -> Outcome:
    """Suppress as few cells of the quasi-identifiers as possible, so that every record has k - 1 equals.

    Guarantee: for q quasi-identifiers never above q times the least possible number where none or at least k records
    have fewer than k - 1 equals, else never above (2 - 1 / k) q times, or of rows that stand for several records never
    above q times these and the records of the rarest other tuple; the least possible number itself where the solver
    comes to its end. Proof: docs/proofs/tables/cell_suppression.md.

    Every record is in a class and every class shows a value or stars in a column. A missing value is a value as any
    other. First patterns are opened greedily and filled as long as this saves cells. Then, where at most
    `MOST_ATTACHMENTS` attachments can still be better, a solver chooses the open patterns and attaches the records,
    until it has proven the least number or its effort is over.

    Parameters
    ----------
    table : Table
    k : int
    run : Run

    Returns
    -------
    Outcome
        Its cost is the number of suppressed cells. The bound is "fewest stars" (each record pays at least the stars of
        the cheapest pattern that k records match; witness: up to how many stars patterns were looked at, and records
        without one pay one more) or, where that proves more, the search's (kind "solver").

    Complexity
    ----------
    Exponential. The greedy part looks at O(2^q t) pairs of column sets and distinct tuples, never at more than 20
    million; the search ends after a fixed effort.

    References
    ----------
    V. Chakaravarthy, V. Pandit, Y. Sabharwal, "On the Complexity of the k-Anonymization Problem": Theorem 3.1 (hard for
    q = 3, k = 7), section 4 (patterns and attachments). With s values there are (s + 1)^q patterns and s^q rows, so at
    most (s + 1)^(2 q) pairs; the paper's q^(2 s + 1) is too few for q = 1, for q = 2
    with s = 2 or 3, and for every s once q is large.

    Example
    -------
    The paper's Figure 1, where 4 cells are suppressed:

    >>> import pandas as pd
    >>> figure = pd.DataFrame([list("xab"), list("zcd"), list("yab"), list("zce")], columns=["1", "2", "3"])
    >>> outcome = cell_suppression(Table(figure, ["1", "2", "3"]), 2, Run())
    >>> outcome.cost, outcome.bound.value, outcome.assignment.tolist()
    (4, 4, [0, 1, 0, 1])
    >>> outcome.details.stars.astype(int).tolist()
    [[1, 0, 0], [0, 0, 1]]
    """
    patterns = patterns_of(table, k)
    floor = int((patterns.floors * patterns.sizes).sum())
    bound = Bound(floor, "fewest stars", "checked", (patterns.depth,))
    best = attached(patterns, k, floor, run)
    counts, nodes = best.counts(), 0
    if best.cost > floor and patterns.complete and not run.stopped:
        most = useful(patterns, k, best.cost - floor)
        if np.count_nonzero(most) <= MOST_ATTACHMENTS:
            answer = search(patterns, k, best, most, run)
            counts, nodes = answer.counts, answer.nodes
            if answer.bound > floor:
                bound = Bound(answer.bound, "exact search", "solver")
    assignment, stars = attached_classes(table, patterns, counts)
    suppressed = int((stars.sum(axis=1)[assignment] * table.weights).sum())
    return Outcome(
        assignment=assignment,
        details=CellDetails(stars=stars, suppressed=suppressed, nodes=nodes),
        guarantee=ceiling(table, k),
        bound=bound,
        cost=suppressed,
    )


def attached(patterns: Patterns, k: int, floor: int, run: Run, watch: Watch | None = None) -> Attachments:
    """What is found without a solver: patterns opened greedily, or the rare records suppressed, and then filled.

    `watch` is told of each pattern that is opened or filled, and of what takes the place of that.
    """
    opened, rare = open_greedily(patterns, k, watch), suppress_rare(patterns, k)
    best = min(opened, rare, key=lambda found: found.cost)
    if watch is not None and best is rare:
        watch("rare", rare, -1)
    improve(best, k, floor, run, watch)
    return best
