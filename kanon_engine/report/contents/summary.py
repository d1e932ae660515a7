"""What holds and what does not, how good the groups are, and what was not looked at."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_engine.model.words import one_line
from kanon_engine.report.contents.certified import certified, required
from kanon_engine.report.contents.parts import Fact, Facts, Paragraph, Part, Section
from kanon_engine.report.review import Review
from kanon_engine.risk.attacks.attacked import BROKEN, NOT_RUN, Attacked
from kanon_engine.risk.ruling import APART, FAILS, OPEN, Ruling

LIMITS = (
    "Each verdict is about one stated rule or one attack, with the data that were at hand. None of them says that "
    "nobody can be found: somebody may know what was not assessed here."
)
SAID = (  # verdict, as the summary calls it, and what else there is to read
    (FAILS, "Does not hold", "“Risk” says what was found."),
    (BROKEN, "Does not survive", "“Risk” says what was found."),
    (OPEN, "Not assessed", "The annex says what would have to be known."),
    (APART, "Does not apply", "These rules are on other data."),
    (NOT_RUN, "Not run", ""),
)
FIRST = "prosecutor-highest"  # the figure of risk that the summary tells
GROUPED = "By the columns that people are looked up by, nobody can tell the members of a group apart."
UNLINKED = (
    "leave out columns that the other release shows too, take its groups, or publish counts under differential privacy"
)
ENDS = {  # an attack that groups of k do not stop → the next step
    "composition": UNLINKED,
    "differencing": "make larger groups, publish fewer tables that overlap, or counts under differential privacy",
    "homogeneity": "require several sensitive values in every group, or leave out the sensitive column",
    "linking": "make larger groups, or leave out columns that others know",
}
RULES_END = {  # a rule that groups of k do not meet → the next step
    "cms-cells": "require at least 11 of every count in every group, publish fewer counts and fewer tables that "
    "overlap, or counts under differential privacy",
    "wp216-linkability": UNLINKED,
}


def summary(review: Review) -> Section:
    """The section that stands first of the evidence."""
    g = review.g
    rule = " and ".join([f"at least {g.k:,} {one_line(review.instance.unit)}", *required(g)])
    parts: list[Part] = [
        Paragraph(certified(review.instance, g, review.certificate.proof)),
        Facts(
            (
                Fact("Every group has", rule, GROUPED),
                *_risk(review),
            )
        ),
    ]
    parts += _next_steps(review.rulings, review.attacks)
    parts += _not_good(review)
    return Section("Summary", (*parts, Paragraph(LIMITS, "note")))


def _next_steps(rulings: Sequence[Ruling], attacks: Sequence[Attacked]) -> list[Part]:
    """Where k-anonymity ends, and what can be done there; each step once."""
    ends: dict[str, list[str]] = {}
    for one in attacks:
        if one.verdict == BROKEN and one.attack in ENDS:
            ends.setdefault(ENDS[one.attack], []).append(f"do not stop “{one_line(one.title)}”")
    for ruling in rulings:
        if ruling.verdict == FAILS and ruling.key in RULES_END:
            ends.setdefault(RULES_END[ruling.key], []).append(f"do not meet “{one_line(ruling.title)}”")
    return [
        Paragraph(f"Groups of k alone {' and '.join(where)}. The next step: {step}.", "warning")
        for step, where in ends.items()
    ]


def _risk(review: Review) -> list[Fact]:
    """The highest risk of one record, or the first figure that there is, before and after."""
    if not review.after:
        return []
    first = next((measure for measure in review.after if measure.key == FIRST), review.after[0])
    before = next((measure for measure in review.before if measure.key == first.key), None)
    words = first.words if before is None else f"{first.words}; before the release {before.words}"
    return [Fact(one_line(first.title), one_line(words), one_line(first.meaning))]


def _not_good(review: Review) -> list[Part]:
    """The names of rules and attacks that fail, and of those of which nothing is known."""
    every = [(one.title, one.verdict) for one in review.rulings]
    every += [(one.title, one.verdict) for one in review.attacks]
    named = {
        verdict: "; ".join(one_line(title) for title, found in every if found == verdict) for verdict, _, _ in SAID
    }
    facts = tuple(Fact(name, named[verdict], note) for verdict, name, note in SAID if named[verdict])
    return [Facts(facts)] if facts else []
