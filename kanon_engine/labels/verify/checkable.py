"""What a certificate checks of groupings of labels, by field of the details and option; see docs/certificates.md."""

from kanon_engine.verification.checkable import CHECKED, PARTLY, UNCHECKED, Entry

CHECKABLE = (
    Entry("LabelDetails", "order", CHECKED, "the order that option and seed give"),
    Entry("LabelDetails", "alone", CHECKED, "how many labels weigh at least k"),
    Entry("LabelDetails", "placed", CHECKED, "next fit goes on as long as it can"),
    Entry("LabelDetails", "leftover_classes", CHECKED, "the rule of Fold or Spread, step by step"),
    Entry("LabelDetails", "threshold", CHECKED, "k"),
    Entry(
        "BinDetails",
        "order",
        PARTLY,
        "every label once, classes numbered as they were opened, and for `ordered` the order itself; elsewhere the "
        "order in a class is of no account",
    ),
    Entry("BinDetails", "threshold", CHECKED, "k, or (1 − epsilon) k for the relaxed scheme"),
    Entry("BinDetails", "method", PARTLY, "for `ordered` it names the order; elsewhere words on how it was found"),
    Entry("labels", "order", CHECKED, "the order that was packed"),
    Entry(
        "labels",
        "epsilon",
        UNCHECKED,
        "it bounds the ratio to an optimum that nobody knows; the ceiling that is claimed as a number does not depend "
        "on it",
    ),
    Entry(
        "labels relaxed-scheme",
        "epsilon",
        PARTLY,
        "it gives the threshold that classes reach; the ratio is to an optimum that nobody knows",
    ),
    Entry("labels", "by", CHECKED, "the order that was cut, and that no intervals of it are better"),
)
