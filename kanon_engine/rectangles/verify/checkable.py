"""What a certificate checks of rectangles, by field of the details and option; see docs/certificates.md."""

from kanon_engine.verification.checkable import CHECKED, PARTLY, Entry

CHECKABLE = (
    Entry("RectangleDetails", "rectangles", CHECKED, "they tile the bounding box, and every point lies in its own"),
    Entry("RectangleDetails", "splits", CHECKED, "cut after cut they make the rectangles"),
    Entry("RectangleDetails", "cut", CHECKED, "the rule that the option names"),
    Entry(
        "rectangles",
        "cut",
        PARTLY,
        "the record names the same rule; that each cut follows it is not seen, and the ceiling holds for every rule",
    ),
    Entry(
        "rectangles",
        "guillotine",
        PARTLY,
        "cuts from side to side make the rectangles where they were asked for; with or without, the bound is on all "
        "tilings",
    ),
    Entry(
        "rectangles", "snap", CHECKED, "all lines are on that grid, its outer sides as near as can be, and no point's"
    ),
)
