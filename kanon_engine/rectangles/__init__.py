"""GPS coordinates: rectangles that tile the bounding box (Du et al. 2009, section 3)."""

from kanon_engine.algorithm import Algorithm, Family, Option
from kanon_engine.rectangles.bounds import lower_bound
from kanon_engine.rectangles.exact import exact
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.kd_tree import kd_tree
from kanon_engine.rectangles.snap import snappable
from kanon_engine.rectangles.verify import verify

ALGORITHMS = {
    "kd-tree": Algorithm(
        name="kd-tree",
        family="rectangles",
        title="kd-tree",
        summary="Cuts rectangles in two as long as both sides keep at least k.",
        function=kd_tree,
        guarantee="2 (k − 1) + the heaviest line of points, or 4 (k − 1) + the heaviest single location, whichever is "
        "less: never above 5 times the best possible",
        source="Du, Eppstein, Goodrich, Lueker 2009, section 3, Theorem 4",
        complexity="O(n log n)",
        options=(
            Option(
                "cut",
                "choice",
                "balanced",
                ("balanced", "longest-side", "cyclic"),
                "Where a rectangle is cut: into the most equal parts, across its longer side, or in x and y by turns.",
            ),
        ),
    ),
    "exact": Algorithm(
        name="exact",
        family="rectangles",
        title="Exact search",
        summary="Finds the smallest possible largest rectangle and proves it, or says how far the proof has come.",
        function=exact,
        guarantee="what no line can cut, as for the kd-tree: never above 5 times the best possible",
        source="Dynamic programming over all cuts (cf. Muthukrishnan, Poosala, Suel 1999); exact cover by CP-SAT",
        complexity="O(n⁵) for cuts from side to side; exponential for other tilings",
        options=(
            Option(
                "guillotine",
                "flag",
                True,
                (),
                "Only rectangles that cuts from side to side can make; otherwise any that tile the bounding box.",
            ),
        ),
        max_items=75,
        claims=("solver",),
    ),
}

ALGORITHMS = {name: snappable(algorithm) for name, algorithm in ALGORITHMS.items()}

FAMILY = Family("rectangles", Points, ALGORITHMS, "kd-tree", lower_bound, verify)
