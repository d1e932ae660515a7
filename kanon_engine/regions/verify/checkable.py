"""What a certificate checks of groupings of areas, by field of the details and option; see docs/certificates.md."""

from kanon_engine.verification.checkable import CHECKED, PARTLY, STEERS, UNCHECKED, Entry

CHECKABLE = (
    Entry("TreeDetails", "tree", CHECKED, "edges of the map that join all areas of a part without a cycle"),
    Entry("TreeDetails", "degree", CHECKED, "the largest degree of the tree"),
    Entry("TreeDetails", "cut_edges", CHECKED, "without them the tree falls into the classes"),
    Entry("TreeDetails", "added_edges", CHECKED, "those of the instance"),
    Entry("TreeDetails", "heuristic", UNCHECKED, "words on how the tree was found"),
    Entry(
        "TreeDetails",
        "theorem",
        PARTLY,
        "the degree, and that the graph is planar; that no two or three areas cut it, only as far as the number of "
        "neighbours shows; the ratio 1 + d holds by the degree alone",
    ),
    Entry("regions", "compactness", UNCHECKED, STEERS),
    Entry("regions", "objective", UNCHECKED, f"{STEERS}: cost and bound are of the largest class with either"),
    Entry("regions", "effort", UNCHECKED, STEERS),
    Entry("regions", "tree", PARTLY, "the theorem named is one that this kind of tree may have; “auto” may have any"),
)
