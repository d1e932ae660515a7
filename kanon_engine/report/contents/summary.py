"""The first page: what holds and what does not, how good the groups are, who decides until when."""

from __future__ import annotations

from kanon_engine.model.words import one_line
from kanon_engine.report.contents.certified import certified, required
from kanon_engine.report.contents.parts import Cell, Column, Fact, Facts, Grid, Paragraph, Part, Section, cut
from kanon_engine.report.contents.verdicts import UNKNOWN, tone, verdict_sentence
from kanon_engine.report.review import Review

LIMITS = (
    "Each verdict is about one stated rule or one attack, with the data that were at hand. None of them says that "
    "nobody can be found: somebody may know what was not assessed here."
)
LONGEST, SHORT, MOST = 300, 130, 8  # letters of a text and of a finding, and findings, that the first page tells
FIRST = "prosecutor-highest"  # the figure of risk that the first page tells
GROUPED = "By the columns that people are looked up by, nobody can tell the members of a group apart."
INTERNAL = (
    "This report is internal. It tells how the records are before the release, and how near the groups are to the "
    "best possible, which helps an attacker. Only the files under “Files that leave” may leave."
)


def summary(review: Review) -> Section:
    """The section that stands first."""
    context, g = review.context, review.g
    rule = " and ".join([f"at least {g.k:,} {one_line(review.instance.unit)}", *required(g)])
    parts: list[Part] = [
        Paragraph(verdict_sentence(review.rulings, review.attacks), "lead"),
        Paragraph(certified(review.instance, g, review.certificate.proof)),
        Facts(
            (
                Fact("Every group has", rule, GROUPED),
                Fact("Recipient", cut(one_line(context.recipient), LONGEST)),
                Fact("Purpose", cut(one_line(context.purpose), LONGEST)),
                *_risk(review),
                Fact("Decided by", cut(one_line(context.officer), LONGEST)),
                Fact("Decided on", cut(one_line(context.decided), LONGEST)),
                Fact("To be reviewed by", cut(one_line(context.review), LONGEST)),
            )
        ),
    ]
    worse = _not_good(review)
    if worse:
        parts.append(worse)
    return Section("Summary", (*parts, Paragraph(LIMITS, "note"), Paragraph(INTERNAL, "warning")))


def _risk(review: Review) -> list[Fact]:
    """The highest risk of one record, or the first figure that there is, before and after."""
    if not review.after:
        return []
    first = next((measure for measure in review.after if measure.key == FIRST), review.after[0])
    before = next((measure for measure in review.before if measure.key == first.key), None)
    words = first.words if before is None else f"{first.words}; before the release {before.words}"
    return [Fact(one_line(first.title), one_line(words), one_line(first.meaning))]


def _not_good(review: Review) -> Grid | None:
    """Rules and attacks that fail, then those of which nothing is known; None where all are well."""
    every = [(one.title, one.found, one.verdict) for one in review.rulings]
    every += [(one.title, one.sentence, one.verdict) for one in review.attacks]
    bad = sorted((entry for entry in every if tone(entry[2]) != "good"), key=lambda entry: tone(entry[2]) == UNKNOWN)
    if not bad:
        return None
    rows = tuple(
        (
            Cell(cut(one_line(title), LONGEST), kind="strong"),
            Cell(cut(one_line(found), SHORT)),
            Cell(verdict, kind="verdict"),
        )
        for title, found, verdict in bad[:MOST]
    )
    caption = "What does not hold, what the release does not survive, and what is not known"
    if len(bad) > MOST:
        caption += f": {MOST} of {len(bad):,}, all under “Risk”"
    return Grid(caption, (Column("Rule or attack", 1.5), Column("Found", 2.6), Column("Verdict", 1.1)), rows)
