"""What holds and what does not, how good the groups are, and what was not looked at."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_engine.model.words import cut, one_line
from kanon_engine.report.contents.certified import certified, required
from kanon_engine.report.contents.parts import Cell, Column, Fact, Facts, Grid, Paragraph, Part, Section
from kanon_engine.report.contents.verdicts import BAD, tone
from kanon_engine.report.review import Review
from kanon_engine.risk.attacks.attacked import BROKEN, NOT_RUN, Attacked
from kanon_engine.risk.ruling import APART, OPEN

LIMITS = (
    "Each verdict is about one stated rule or one attack, with the data that were at hand. None of them says that "
    "nobody can be found: somebody may know what was not assessed here."
)
LONGEST, SHORT, MOST = 300, 200, 4  # letters of a text and of a finding, and findings, that the summary tells
FIRST = "prosecutor-highest"  # the figure of risk that the summary tells
GROUPED = "By the columns that people are looked up by, nobody can tell the members of a group apart."
ENDS = {  # an attack that groups of k do not stop → the next step
    "composition": "leave out columns that the other release shows too, take its groups, or publish counts under "
    "differential privacy",
    "differencing": "make larger groups, publish fewer tables that overlap, or counts under differential privacy",
    "homogeneity": "require several sensitive values in every group, or leave out the sensitive column",
    "linking": "make larger groups, or leave out columns that others know",
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
    parts += _next_steps(review.attacks)
    parts += _not_good(review)
    return Section("Summary", (*parts, Paragraph(LIMITS, "note")))


def _next_steps(attacks: Sequence[Attacked]) -> list[Part]:
    """Where k-anonymity ends, and what can be done there."""
    return [
        Paragraph(
            f"Groups of k alone do not stop “{one_line(one.title)}”. The next step: {ENDS[one.attack]}.", "warning"
        )
        for one in attacks
        if one.verdict == BROKEN and one.attack in ENDS
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
    """Rules and attacks that fail with what was found, and the names of those of which nothing is known."""
    every = [(one.title, one.told, one.verdict) for one in review.rulings]
    every += [(one.title, one.sentence, one.verdict) for one in review.attacks]
    parts: list[Part] = []
    bad = [entry for entry in every if tone(entry[2]) == BAD]
    if bad:
        rows = tuple(
            (
                Cell(cut(one_line(title), LONGEST), kind="strong"),
                Cell(first_sentences(one_line(found), SHORT)),
                Cell(verdict, kind="verdict"),
            )
            for title, found, verdict in bad[:MOST]
        )
        caption = "What does not hold, and what the release does not survive"
        if len(bad) > MOST:
            caption += f": {MOST} of {len(bad):,}, all under “Risk”"
        parts.append(Grid(caption, (Column("Rule or attack", 1.4), Column("Found", 3.1), Column("Verdict", 1.3)), rows))
    notes = (
        (OPEN, "Not assessed", "The annex says what would have to be known."),
        (APART, "Does not apply", "These rules are on other data."),
        (NOT_RUN, "Not run", ""),
    )
    lacking = {verdict: "; ".join(one_line(title) for title, _, found in every if found == verdict)
               for verdict, _, _ in notes}  # fmt: skip
    facts = tuple(Fact(name, lacking[verdict], note) for verdict, name, note in notes if lacking[verdict])
    return [*parts, Facts(facts)] if facts else parts


def first_sentences(text: str, most: int) -> str:
    """As many whole sentences as have room, or the beginning of the first.

    Example
    -------
    >>> first_sentences("One is. Two are. Three are.", 18), first_sentences("One is found.", 8)
    ('One is. Two are.', 'One is…')
    """
    if len(text) <= most:
        return text
    end = text.rfind(". ", 0, most)
    return text[: end + 1] if end > 0 else cut(text, most)
