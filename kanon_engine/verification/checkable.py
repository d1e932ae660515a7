"""What of a result a certificate checks and what it cannot, by field and option; docs/certificates.md shows it.

The `CHECKABLE` of a family holds the entries of the fields of a record of details under the record's name, and those of
options under the family's; under "family algorithm" where an option is checked otherwise for one algorithm.
"""

from __future__ import annotations

from typing import NamedTuple

CHECKED, PARTLY, UNCHECKED = "checked", "in part", "not checked"


class Entry(NamedTuple):
    """Whether a field or an option of a result is checked."""

    checked: str  # "checked": no change that makes it false passes. "in part": some do. "not checked": none is seen.
    words: str  # by what it is checked, and why not where it is not


STEERS = "it steers the search; no claim rests on it"
RESULT = {  # of every family
    "family": Entry(CHECKED, "the instance is of this family"),
    "algorithm": Entry(
        PARTLY,
        "its details have the form, its ceiling the formula and its bound the kind that this algorithm has; that just "
        "its steps were taken is seen for Fold and Spread alone",
    ),
    "options": Entry(PARTLY, "each has a value that it may have; see the options below"),
    "seed": Entry(PARTLY, "it makes the random order of Fold and Spread; elsewhere it steers the search"),
    "k": Entry(
        PARTLY,
        "every class weighs at least k, and bound and ceiling are computed again for this k; a result holds for a "
        "lower k too, where its bound does",
    ),
    "assignment": Entry(CHECKED, "every item is in one class, or left out where that is allowed"),
    "class_weights": Entry(CHECKED, "summed again"),
    "cost": Entry(CHECKED, "computed again"),
    "lower_bound": Entry(
        CHECKED,
        "computed again from its witness, or all solutions of a small instance are looked at; where neither is "
        "possible `proof` is “solver” and `rerun=True` repeats the search",
    ),
    "bound_name": Entry(CHECKED, "names the argument that is computed again, or a search"),
    "bound_kind": Entry(CHECKED, "“solver” for searches alone, and only under a search's name"),
    "bound_witness": Entry(CHECKED, "proves the bound, or is empty where the solver reports it"),
    "guarantee": Entry(CHECKED, "the algorithm's formula is computed again, and the cost is not above it"),
    "status": Entry(
        PARTLY, "“optimal” where cost and bound are equal and only there; whether a run was stopped left no trace"
    ),
    "seconds": Entry(UNCHECKED, "a clock leaves no witness; it is a number of at least 0"),
    "instance_digest": Entry(CHECKED, "the digest of the instance that is at hand"),
    "details": Entry(PARTLY, "see the records below"),
    "reading": Entry(UNCHECKED, "how a file was read; what came out of it is what the digest covers"),
    "require": Entry(CHECKED, "every class is counted again against each of them"),
    "digest": Entry(CHECKED, "over all other fields"),
}
