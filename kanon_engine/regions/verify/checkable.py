"""What a certificate checks of groupings of areas, by field of the details and option; see docs/certificates.md."""

from kanon_engine.verification.checkable import CHECKED, PARTLY, STEERS, UNCHECKED, Entry

TREE = (
    ("tree", CHECKED, "edges of the map that join all areas of a part, or of a block, without a cycle"),
    ("degree", CHECKED, "the largest degree of the tree, where neighbours that stay together count as one area"),
    ("cut_edges", CHECKED, "without them the tree falls into the classes"),
    ("added_edges", CHECKED, "those of the instance"),
    ("heuristic", UNCHECKED, "words on how the tree was found"),
    (
        "theorem",
        PARTLY,
        "the degree, and that the graph is planar; that no two or three areas cut it, only as far as the number of "
        "neighbours shows; the ratio 1 + d holds by the degree alone",
    ),
)

CHECKABLE = (
    *(Entry(record, *entry) for record in ("TreeDetails", "CrossingDetails") for entry in TREE),
    Entry("CrossingDetails", "joined", CHECKED, "where barriers must be crossed is worked out anew"),
    Entry("regions", "compactness", UNCHECKED, STEERS),
    Entry("regions", "objective", UNCHECKED, f"{STEERS}: cost and bound are of the largest class with either"),
    Entry("regions", "effort", UNCHECKED, STEERS),
    Entry("regions", "tree", PARTLY, "the theorem named is one that this kind of tree may have; “auto” may have any"),
)
