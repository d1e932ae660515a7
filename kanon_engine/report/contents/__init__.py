"""What a report says, once, for the page and the PDF: a review as sections of text, facts, tables and pictures."""

from __future__ import annotations

from kanon_engine.model.words import cut, one_line
from kanon_engine.report.contents.annex import annex_section
from kanon_engine.report.contents.context import context_section
from kanon_engine.report.contents.controls import controls_section
from kanon_engine.report.contents.data import data_section
from kanon_engine.report.contents.decision import decision_section
from kanon_engine.report.contents.governance import governance_section
from kanon_engine.report.contents.parts import Report
from kanon_engine.report.contents.risk import risk_section
from kanon_engine.report.contents.summary import summary
from kanon_engine.report.review import Review

KIND = "Review of a release"
LONGEST = 200  # letters of a title


def report_contents(review: Review) -> Report:
    """The report: the decision, a summary, then Context, Data, Risk, Controls and Governance, then an annex.

    The decision is one page. What stands behind the evidence in full is in the annex. The order is that of ISO/IEC
    27559:2022, EMA Policy 0070 and the guidance on de-identification under HIPAA. All text that comes from data
    or from a person is on one line, or on the lines that the person wrote, without letters that cannot be seen; it is
    not escaped.

    Parameters
    ----------
    review : Review

    Returns
    -------
    Report
    """
    sections = (
        decision_section(review),
        summary(review),
        context_section(review),
        data_section(review),
        risk_section(review),
        controls_section(review),
        governance_section(review),
    )
    name = one_line(review.released.name)
    title = cut(one_line(review.context.title), LONGEST) or (f"Release of {name}" if name != "release" else "A release")
    return Report(title, KIND, (*sections, annex_section(review, sections)))
