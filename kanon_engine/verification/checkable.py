"""What of a result a certificate checks and what it cannot, by field and option; docs/certificates.md shows it."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_engine.model.known import FAMILIES

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


def checkable() -> dict[tuple[str, str], Entry]:
    """Every entry by what it is of and its name: of every result, of the families' records, of their options."""
    own = [entry for family in FAMILIES.values() for entry in family.checkable]
    entries = (*RESULT, *sorted(own, key=lambda entry: entry.of[0].islower()))
    return {(entry.of, entry.name): entry for entry in entries}


def option_entry(family: str, algorithm: str, option: str) -> Entry:
    """The entry of an option: the algorithm's own, or the family's.

    Example
    -------
    >>> option_entry("labels", "scheme", "epsilon").checked, option_entry("labels", "relaxed-scheme", "epsilon").checked
    ('not checked', 'in part')
    """
    known = checkable()
    return known.get((f"{family} {algorithm}", option)) or known[family, option]


def as_markdown() -> str:
    """The table of docs/certificates.md."""
    rows = ["| of | field or option | | by what, and why not |", "| --- | --- | --- | --- |"]
    rows += [f"| {entry.of} | `{entry.name}` | {entry.checked} | {entry.words} |" for entry in checkable().values()]
    return "\n".join(rows)
