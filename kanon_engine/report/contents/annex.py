"""What stands behind the evidence in full: rules, attacks, figures, method, certificate, checklist, fingerprints."""

from __future__ import annotations

from collections.abc import Iterable

from kanon_engine.report.contents.controls import certificate_in_full, method, utility_in_full
from kanon_engine.report.contents.governance import checklist_in_full, digests
from kanon_engine.report.contents.parts import Paragraph, Section, words_of
from kanon_engine.report.contents.risk import attacks_in_full, figures_in_full, rules_in_full
from kanon_engine.report.contents.terms import terms_section
from kanon_engine.report.review import Review

NOTE = "Everything that the pages before rest on, for who checks them."


def annex_section(review: Review, before: Iterable[Section]) -> Section:
    """The section “Annex”; `before` are those that stand before it, whose words it explains too."""
    parts = (
        rules_in_full(review),
        attacks_in_full(review),
        figures_in_full(review),
        utility_in_full(review),
        method(review),
        certificate_in_full(review),
        checklist_in_full(review.checklist),
        digests(review),
    )
    texts = (words for section in (*before, *parts) for words in words_of(section))
    return Section("Annex", (Paragraph(NOTE, "note"), *parts, terms_section(texts)))
