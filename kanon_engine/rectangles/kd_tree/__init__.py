"""The paper's algorithm for GPS coordinates: cut rectangles in two while both sides keep weight k."""

from __future__ import annotations

from kanon_engine.model.run import Outcome, Run
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.kd_tree.ceiling import ceiling
from kanon_engine.rectangles.kd_tree.cut_tree import grow_tree
from kanon_engine.rectangles.kd_tree.grow_kernels import BALANCED, CYCLIC, LEAST_OVERFULL, LONGEST_SIDE

RULES = {"balanced": BALANCED, "longest-side": LONGEST_SIDE, "cyclic": CYCLIC, "least-overfull": LEAST_OVERFULL}


def kd_tree(points: Points, k: int, run: Run, *, cut: str) -> Outcome:
    """Rectangles that tile the bounding box, from cutting it while a line leaves weight >= k on both sides.

    Guarantee: no rectangle is heavier than one of these points that no line can cut, see `ceiling`. With all points on
    different lines that is 2 k - 1; it is at most 5 k - 4 where no location weighs more than k. Proof:
    docs/proofs/rectangles/kd_tree.md.

    Parameters
    ----------
    points : Points
        Points with equal coordinates stay together.
    k : int
    run : Run
    cut : str
        "balanced": of all lines across both axes the one with the heaviest lighter side. Where the best of each axis
        differ by no more than a 64th of the rectangle's weight, the one across the longer side, which makes the
        rectangles far less slender at hardly any cost. "longest-side": the most balanced line across the longer side.
        "cyclic": the most balanced line across x and y in turn. A rule that prefers one axis takes the other where only
        that can be cut; of equally balanced lines across one axis the first is taken; sides of longitude and latitude
        are compared by their length on the ground. "least-overfull": of all lines across both axes the one whose worse
        side has the least to fear; a side of weight w holds at most floor(w / k) classes, so its largest weighs at
        least w / floor(w / k), rounded up. Among equals as "balanced".

    Returns
    -------
    Outcome
        `details` is a `RectangleDetails`; classes are numbered along the tree, so that near ones have near numbers.

    Complexity
    ----------
    O(n) expected a level of the tree, of which there are about log2(n / k); "least-overfull" sorts: O(n log n) a level.

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 3, Theorem 4.

    Example
    -------
    The paper's degenerate case: k - 1 records north, east, south and west of k. No line leaves k = 3 on both sides, and
    the one rectangle of 5 k - 4 is the only solution.

    >>> cross = Points([(0, 1), (1, 0), (0, -1), (-1, 0), (0, 0)], [2, 2, 2, 2, 3])
    >>> outcome = kd_tree(cross, 3, Run(), cut="balanced")
    >>> outcome.assignment.tolist(), outcome.guarantee
    ([0, 0, 0, 0, 0], 11)
    """
    tree = grow_tree(points, k, RULES[cut])
    return Outcome(tree.assignment(), tree.details(points, cut), ceiling(points, k))
