"""The first page: what was decided, by whom and why, for whom and until when, and where to sign."""

from __future__ import annotations

from kanon_engine.project.context import CONDITIONS, KINDS, Decision
from kanon_engine.report.contents.parts import Fact, Facts, Paragraph, Part, Section, SignHere, said
from kanon_engine.report.contents.verdicts import contradiction, verdict_sentence
from kanon_engine.report.review import Review

OPEN = "Nobody has decided yet."
BOXES = "\n".join(f"☐ {kind}" for kind in KINDS)
INTERNAL = "Internal: this report would help an attacker. Only what stands under “What is released” may leave."
SIGNED_BY = ("Name and office", "Date", "Signature")


def decision_section(review: Review) -> Section:
    """The section “Decision”; what nobody said is open, with room to write it in by hand."""
    context, made = review.context, review.decision
    facts = [
        *_decided(made),
        Fact("Decided by", said(context.officer)),
        Fact("Decided on", said(context.decided)),
        Fact("Recipients", said(context.recipient)),
        Fact("Purpose", said(context.purpose)),
        Fact("Under which agreement", said(made.agreement if made else ""), "The contract or law that binds them."),
        Fact("Holds until", said(made.until if made else "")),
        Fact("To be reviewed by", said(context.review), "New data and new attacks appear: until then somebody looks at "
             "this release again."),
        Fact("At an incident", said(made.incident if made else ""), "Who is told, and how the release is called back."),
    ]  # fmt: skip
    against = contradiction(context.basis, review.rulings)
    parts: list[Part] = [
        Paragraph(OPEN if made is None else f"Decision: {made.kind}.", "lead"),
        Facts(tuple(facts), by_hand=True),
        SignHere(SIGNED_BY),
        Paragraph(verdict_sentence(review.rulings, review.attacks)),
    ]
    parts += [Paragraph(against, "warning")] if against else []
    return Section("Decision", (*parts, Paragraph(INTERNAL, "warning")))


def _decided(made: Decision | None) -> list[Fact]:
    """What was decided and why, or boxes to mark."""
    if made is None:
        return [
            Fact("Decision", BOXES, "Mark one by hand; a decision needs a reason."),
            Fact("Reason", ""),
            Fact("Conditions", "", "Only of a release with conditions."),
        ]
    conditions = [Fact("Conditions", said(made.conditions))] if made.kind == CONDITIONS else []
    return [Fact("Reason", said(made.reason)), *conditions]
