"""What of a result a certificate checks and what it cannot, by field and option; docs/certificates.md shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

CHECKED, PARTLY, UNCHECKED = "checked", "in part", "not checked"


class Entry(NamedTuple):
    """One thing that a result says, and whether it is checked."""

    of: str  # "result", the name of a record of details, or for options a family, with an algorithm if it has its own
    name: str  # the field or the option
    checked: str  # "checked": no change that makes it false passes. "in part": some do. "not checked": none is seen.
    words: str  # by what it is checked, and why not where it is not


STEERS = "it steers the search; no claim rests on it"
RESULT = (
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
    Entry("result", "require", CHECKED, "every class is counted again against each of them"),
    Entry("result", "digest", CHECKED, "over all other fields"),
)


def checkable(families: Mapping[str, Any]) -> dict[tuple[str, str], Entry]:
    """Every entry by what it is of and its name: of every result, of the families' records, of their options."""
    own = [entry for family in families.values() for entry in family.checkable]
    entries = (*RESULT, *sorted(own, key=lambda entry: entry.of[0].islower()))
    return {(entry.of, entry.name): entry for entry in entries}


def option_entry(known: Mapping[tuple[str, str], Entry], family: str, algorithm: str, option: str) -> Entry:
    """The entry of an option among those that are known: the algorithm's own, or the family's."""
    return known.get((f"{family} {algorithm}", option)) or known[family, option]


def as_markdown(known: Mapping[tuple[str, str], Entry]) -> str:
    """The table of docs/certificates.md."""
    rows = ["| of | field or option | | by what, and why not |", "| --- | --- | --- | --- |"]
    rows += [f"| {entry.of} | `{entry.name}` | {entry.checked} | {entry.words} |" for entry in known.values()]
    return "\n".join(rows)
