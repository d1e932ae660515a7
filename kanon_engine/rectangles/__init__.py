"""GPS coordinates: rectangles that tile the bounding box (Du et al. 2009, section 3)."""

from kanon_engine.algorithm import Algorithm, Family, Option
from kanon_engine.rectangles.bounds import lower_bound
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.kd_tree import kd_tree
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
}

FAMILY = Family("rectangles", Points, ALGORITHMS, "kd-tree", "kd-tree", lower_bound, verify)
