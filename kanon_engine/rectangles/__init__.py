"""GPS coordinates: rectangles that tile the bounding box (Du et al. 2009, section 3)."""

from kanon_engine.model.algorithm import Algorithm, Family, Option
from kanon_engine.model.lazy import Lazy
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.snap import snappable
from kanon_engine.rectangles.verify import verify
from kanon_engine.rectangles.verify.small import beaten

UNCUTTABLE = (
    "what no line can cut: 2 (k − 1) + heaviest point where no two share a coordinate, below 3 times the best "
    "possible; else at most 4 (k − 1) + heaviest location, below 5 times; with snap the best possible along the grid"
)

ALGORITHMS = {
    "balanced-kd-tree": Algorithm(
        name="balanced-kd-tree",
        family="rectangles",
        title="Balanced kd-tree",
        summary="Cuts into nearly equal parts, then cuts the heaviest anew with its neighbours.",
        function=Lazy("kanon_engine.rectangles.balanced_kd_tree:balanced_kd_tree"),
        guarantee=f"{UNCUTTABLE}, never above the kd-tree with balanced cuts",
        source="Derived for kanon, after Du, Eppstein, Goodrich, Lueker 2009",
        complexity="O(n log (n / k)) expected, and a limited number of steps to improve",
    ),
    "kd-tree": Algorithm(
        name="kd-tree",
        family="rectangles",
        title="kd-tree",
        summary="Cuts rectangles in two as long as both sides keep at least k.",
        function=Lazy("kanon_engine.rectangles.kd_tree:kd_tree"),
        guarantee=UNCUTTABLE,
        source="Du, Eppstein, Goodrich, Lueker 2009, section 3, Theorem 4",
        complexity="O(n log (n / k)) expected; least-overfull O(n log² n)",
        options=(
            Option(
                "cut",
                "choice",
                "balanced",
                ("balanced", "longest-side", "cyclic", "least-overfull"),
                "Where a rectangle is cut: into the most equal parts, across its longer side, in x and y by turns, or "
                "where what is left over on both sides is least.",
            ),
        ),
    ),
    "exact": Algorithm(
        name="exact",
        family="rectangles",
        title="Exact search",
        summary="Looks for the smallest possible largest rectangle, among cuts from side to side or among all tilings, "
        "and proves how far from the best of all tilings it can be.",
        function=Lazy("kanon_engine.rectangles.exact:exact"),
        guarantee="what no line can cut, as for the kd-tree",
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

FAMILY = Family(
    "rectangles",
    Points,
    ALGORITHMS,
    "balanced-kd-tree",
    "kd-tree",
    Lazy("kanon_engine.rectangles.bounds:lower_bound"),
    verify,
    Lazy("kanon_engine.rectangles.promises:promise"),
    beaten=beaten,
)
