"""What a certificate checks in a result, by field and option, and why not the rest; docs/certificates.md shows it.

The `CHECKABLE` of a family holds the entries of the fields of a record of details under the record's name, and those of
options under the family's; under "family algorithm" where an option is checked differently for one algorithm.
"""

from __future__ import annotations

from typing import NamedTuple

CHECKED, PARTLY, UNCHECKED = "checked", "in part", "not checked"


class Entry(NamedTuple):
    """Whether a field or an option of a result is checked."""

    checked: str  # "checked": no change that makes it false passes. "in part": some do. "not checked": none is seen.
    words: str  # how it is checked, or why it is not


STEERS = "this value only steers the search; no claim depends on it"
RESULT = {  # of every family
    "family": Entry(CHECKED, "the instance is of this family"),
    "algorithm": Entry(
        PARTLY,
        "the layout of the details, the formula for the guarantee and the kind of bound are the ones this algorithm "
        "uses; the algorithm's steps are retraced only for Fold and Spread",
    ),
    "options": Entry(PARTLY, "each option has a valid value; see the options below"),
    "seed": Entry(
        PARTLY, "the seed determines the random order of Fold and Spread; in other algorithms, it steers the search"
    ),
    "k": Entry(
        PARTLY,
        "every class weighs at least k, and bound and guarantee are recomputed for this k; a result is also valid for "
        "a lower k if the bound holds for that k",
    ),
    "assignment": Entry(CHECKED, "every item is in one class, or left out where that is allowed"),
    "class_weights": Entry(CHECKED, "recomputed"),
    "cost": Entry(CHECKED, "recomputed"),
    "lower_bound": Entry(
        CHECKED,
        "recomputed from its witness, or all solutions of a small instance are examined; where neither is possible, "
        "`proof` is “solver” and `rerun=True` repeats the search",
    ),
    "bound_name": Entry(CHECKED, "the bound is named after a proof that is recomputed, or after a search"),
    "bound_kind": Entry(
        CHECKED, "the kind of bound is “solver” only if the algorithm is a search and the bound is named after a search"
    ),
    "bound_witness": Entry(
        CHECKED, "the witness proves the bound; the witness is empty if the solver reports the bound"
    ),
    "guarantee": Entry(
        CHECKED, "the guarantee is recomputed with the algorithm's formula, and the cost is not above it"
    ),
    "status": Entry(
        PARTLY, "“optimal” if and only if cost and bound are equal; whether a run was stopped cannot be checked"
    ),
    "seconds": Entry(UNCHECKED, "the running time cannot be recomputed; it only has to be a number of at least 0"),
    "instance_digest": Entry(CHECKED, "the digest of the given instance"),
    "details": Entry(PARTLY, "see the records below"),
    "reading": Entry(UNCHECKED, "how a file was read; the digest covers the data that were read"),
    "require": Entry(CHECKED, "each requirement is recomputed for every class"),
    "digest": Entry(CHECKED, "the digest covers all other fields"),
}
