"""What of a result a certificate checks and what it cannot, by field and option; docs/certificates.md shows it."""

from __future__ import annotations

from dataclasses import dataclass

CHECKED, PARTLY, UNCHECKED = "checked", "in part", "not checked"


@dataclass(frozen=True)
class Entry:
    """One thing that a result says.

    Attributes
    ----------
    of : str
        "result", the name of a record of details, or for options a family, with an algorithm where it has its own.
    name : str
        The field or the option.
    checked : str
        "checked": no change that makes it false passes. "in part": some such changes pass. "not checked": none is seen.
    words : str
        By what it is checked, and why not where it is not.
    """

    of: str
    name: str
    checked: str
    words: str


STEERS = "it steers the search; no claim rests on it"
CHECKABLE = (
    Entry("result", "family", CHECKED, "the instance is of this family"),
    Entry(
        "result",
        "algorithm",
        PARTLY,
        "its details have the form, its ceiling the formula and its bound the kind that this algorithm has; that just "
        "its steps were taken is seen for Fold and Spread alone",
    ),
    Entry("result", "options", PARTLY, "each has a value that it may have; see the options below"),
    Entry("result", "seed", PARTLY, "it makes the random order of Fold and Spread; elsewhere it steers the search"),
    Entry(
        "result",
        "k",
        PARTLY,
        "every class weighs at least k, and bound and ceiling are computed again for this k; a result holds for a "
        "lower k too, where its bound does",
    ),
    Entry("result", "assignment", CHECKED, "every item is in one class, or left out where that is allowed"),
    Entry("result", "class_weights", CHECKED, "summed again"),
    Entry("result", "cost", CHECKED, "computed again"),
    Entry(
        "result",
        "lower_bound",
        CHECKED,
        "computed again from its witness, or all solutions of a small instance are looked at; where neither is "
        "possible `proof` is “solver” and `rerun=True` repeats the search",
    ),
    Entry("result", "bound_name", CHECKED, "names the argument that is computed again, or a search"),
    Entry("result", "bound_kind", CHECKED, "only a search may give its word, and only under a search's name"),
    Entry("result", "bound_witness", CHECKED, "proves the bound, or is empty for a search's word"),
    Entry("result", "guarantee", CHECKED, "the algorithm's formula is computed again, and the cost is not above it"),
    Entry(
        "result",
        "status",
        PARTLY,
        "“optimal” where cost and bound are equal and only there; whether a run was stopped left no trace",
    ),
    Entry("result", "seconds", UNCHECKED, "a clock leaves no witness; it is a number of at least 0"),
    Entry("result", "instance_digest", CHECKED, "the digest of the instance that is at hand"),
    Entry("result", "details", PARTLY, "see the records below"),
    Entry("result", "reading", UNCHECKED, "how a file was read; what came out of it is what the digest covers"),
    Entry("result", "digest", CHECKED, "over all other fields"),
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
    Entry("RectangleDetails", "rectangles", CHECKED, "they tile the bounding box, and every point lies in its own"),
    Entry("RectangleDetails", "splits", CHECKED, "cut after cut they make the rectangles"),
    Entry("RectangleDetails", "cut", CHECKED, "the rule that the option names"),
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
    Entry("IntervalDetails", "intervals", CHECKED, "they hold every value once and make the classes"),
    Entry("IntervalDetails", "cuts", CHECKED, "where the intervals begin"),
    Entry("IntervalDetails", "suppressed", CHECKED, "counted again"),
    Entry(
        "IntervalDetails",
        "curve",
        PARTLY,
        "costs never rise, bounds never fall, the end is the result; what was known on the way there left no trace",
    ),
    Entry("IntervalDetails", "nodes", PARTLY, "the end of the curve; how many they were left no trace"),
    Entry("CellDetails", "stars", CHECKED, "just the columns in which the records of a class differ"),
    Entry("CellDetails", "suppressed", CHECKED, "counted again"),
    Entry("CellDetails", "nodes", PARTLY, "some, where the bound is a search's word; how many left no trace"),
    Entry("regions", "compactness", UNCHECKED, STEERS),
    Entry("regions", "objective", UNCHECKED, f"{STEERS}: cost and bound are of the largest class with either"),
    Entry("regions", "effort", UNCHECKED, STEERS),
    Entry("regions", "tree", PARTLY, "the theorem named is one that this kind of tree may have; “auto” may have any"),
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
    Entry("tables", "metric", CHECKED, "the cost is computed again by it"),
    Entry(
        "tables",
        "suppression_limit",
        PARTLY,
        "no more records are left out; a higher limit passes, where the bound holds for that too",
    ),
    Entry("tables", "upper_bound", UNCHECKED, f"{STEERS}, which begins again where it was too low"),
    Entry("tables", "weights", CHECKED, "the loss is computed again by them; other metrics have none"),
    Entry("tables", "threads", UNCHECKED, "what several cores did left no trace"),
    Entry("tables", "restarts", PARTLY, "the curve has no more descents; how many came after its end left no trace"),
)
BY_NAME = {(entry.of, entry.name): entry for entry in CHECKABLE}


def option_entry(family: str, algorithm: str, option: str) -> Entry:
    """The entry of an option: the algorithm's own, or the family's.

    Example
    -------
    >>> option_entry("labels", "scheme", "epsilon").checked, option_entry("labels", "relaxed-scheme", "epsilon").checked
    ('not checked', 'in part')
    """
    own = BY_NAME.get((f"{family} {algorithm}", option))
    return BY_NAME[family, option] if own is None else own


def as_markdown() -> str:
    """The table of docs/certificates.md."""
    rows = ["| of | field or option | | by what, and why not |", "| --- | --- | --- | --- |"]
    rows += [f"| {entry.of} | `{entry.name}` | {entry.checked} | {entry.words} |" for entry in CHECKABLE]
    return "\n".join(rows)
