"""What a report says, once, for the page and the PDF: a review as sections of text, facts, tables and pictures."""

from __future__ import annotations

from kanon_engine.model.words import cut, one_line
from kanon_engine.report.contents.context import context_section
from kanon_engine.report.contents.controls import controls_section
from kanon_engine.report.contents.data import data_section
from kanon_engine.report.contents.governance import governance_section
from kanon_engine.report.contents.parts import Report, words_of
from kanon_engine.report.contents.risk import risk_section
from kanon_engine.report.contents.summary import summary
from kanon_engine.report.contents.terms import terms_section
from kanon_engine.report.review import Review

KIND = "Review of a release"
LONGEST = 200  # letters of a title


def report_contents(review: Review) -> Report:
    """The report: a summary, then Context, Data, Risk, Controls and Governance, then the words it uses.

    The order is that of ISO/IEC 27559:2022, EMA Policy 0070 and the guidance on de-identification under HIPAA. All
    text that comes from data or from a person is on one line, or on the lines that the person wrote, without letters
    that cannot be seen; it is not escaped.

    Parameters
    ----------
    review : Review

    Returns
    -------
    Report
    """
    sections = (
        summary(review),
        context_section(review),
        data_section(review),
        risk_section(review),
        controls_section(review),
        governance_section(review),
    )
    title = cut(one_line(review.context.title), LONGEST) or f"Release of {one_line(review.released.name)}"
    texts = (words for section in sections for words in words_of(section))
    return Report(title, KIND, (*sections, terms_section(texts)))
