"""What was asked and answered, and the fingerprint of each file."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_engine.model.words import counted, one_line
from kanon_engine.report.contents.parts import Cell, Column, Fact, Facts, Grid, Paragraph, Part, Section, said
from kanon_engine.report.contents.verdicts import ANSWERED, UNANSWERED
from kanon_engine.report.review import ChecklistLine, Review

HEADINGS = ("Context", "Data", "Risk", "Controls", "Governance")
ORDER = "The headings stand as ISO/IEC 27559:2022, EMA Policy 0070 and the guidance on HIPAA order what is asked."
DIGESTS = (
    "A SHA-256 is a fingerprint of a file: one changed byte gives another. Work it out again with “sha256sum FILE”, "
    "and compare."
)
SIGNED = (
    "The bundle that holds this report is signed (Ed25519). “kanon verify bundle.zip” checks the signature, each file "
    "and the certificate again; “python check bundle.zip” does so with Python alone."
)


def governance_section(review: Review) -> Section:
    """The section “Governance”: how many questions are answered, and which are not."""
    lines = review.checklist
    if not lines:
        return Section("Governance", (Paragraph("No checklist was filled in."),))
    open_ones = " ".join(one_line(line.question) for line in lines if not line.done)
    facts = [Facts((Fact("Open", open_ones, "The annex has every question with its answer."),))] if open_ones else []
    return Section("Governance", (Paragraph(_answered(lines)), *facts))


def _answered(lines: Sequence[ChecklistLine]) -> str:
    return f"{sum(line.done for line in lines):,} of {counted(len(lines), 'question')} are answered."


def checklist_in_full(lines: Sequence[ChecklistLine]) -> Section:
    """Every question with its answer, by headings."""
    if not lines:
        return Section("Checklist", (Paragraph("No checklist was filled in."),))
    columns = (Column("Question", 1.9), Column("Answer", 2.3), Column("", 1))
    headings = [*HEADINGS, *dict.fromkeys(line.heading for line in lines if line.heading not in HEADINGS)]
    grids: list[Part] = []
    for heading in headings:
        rows = tuple(
            (Cell(one_line(line.question)), Cell(said(line.answer) or "not said"), _mark(line.done))
            for line in lines
            if line.heading == heading
        )
        if rows:
            grids.append(Grid(f"Checklist: {one_line(heading)}", columns, rows))
    return Section("Checklist", (Paragraph(_answered(lines)), Paragraph(ORDER, "note"), *grids))


def _mark(done: bool) -> Cell:
    return Cell(ANSWERED if done else UNANSWERED, kind="verdict")


def digests(review: Review) -> Section:
    """The SHA-256 of each file."""
    rows = [(name, digest) for name, digest in review.digests.items()]
    rows += [("data as they were read", review.g.instance_digest), ("result, sealed", review.g.digest)]
    cells = tuple((Cell(one_line(name), kind="strong"), Cell(one_line(digest), kind="code")) for name, digest in rows)
    grid = Grid("SHA-256 of input, release and certificate", (Column("File", 1), Column("SHA-256", 1.9)), cells)
    return Section("Fingerprints of the files", (Paragraph(DIGESTS, "note"), grid, Paragraph(SIGNED, "note")))
