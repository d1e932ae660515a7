"""What the release rests on, and what else may be known of its people."""

from __future__ import annotations

from kanon_engine.report.contents.parts import Fact, Facts, Paragraph, Section, said
from kanon_engine.report.review import Review


def context_section(review: Review) -> Section:
    """The section “Context”, in the officer's own words."""
    told = review.context
    facts = (
        Fact("Legal basis", said(told.basis), "The law or the consent that the release rests on."),
        Fact("Known elsewhere", said(told.known), "What else is published or known of these people: each such source "
             "can be joined with the release."),
    )  # fmt: skip
    missing = any(not fact.value for fact in facts)
    note = "What nobody said stands as “not said”. No program can find it out." if missing else ""
    return Section("Context", (Facts(facts), *([Paragraph(note, "note")] if note else [])))
