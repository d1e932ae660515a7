"""What keeps the recipient from misuse, what is lost, what was done to the data, and what its certificate says."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kanon_engine.model.known import family_named
from kanon_engine.model.measure import Measure
from kanon_engine.model.requirement import percent
from kanon_engine.model.words import number_text, one_line, option_text
from kanon_engine.report.contents.certified import nearness
from kanon_engine.report.contents.parts import Cell, Column, Fact, Facts, Grid, Paragraph, Section, said
from kanon_engine.report.review import Review
from kanon_engine.verification.checkable import RESULT, UNCHECKED

CHECKED = (
    "A separate verifier, which imports no algorithm, recomputed every claim below from the data, the lower bound "
    "included."
)
BY_WORD = (
    "A separate verifier, which imports no algorithm, recomputed every claim below from the data. The lower bound is "
    "the exception: it is reported by the solver, since there are too many solutions to examine them all. "
    "“kanon verify --rerun” repeats that search."
)
MOST = 6  # figures of what is lost, before the annex
FURTHER = "The annex has the other figures of what is lost."
DEFAULT = "automatic"
UNSEEN = {"seconds": "how long the run took", "reading": "how the file was read"}


def controls_section(review: Review) -> Section:
    """The section “Controls”."""
    return Section("Controls", (_recipient(review), _utility(review)))


def _recipient(review: Review) -> Section:
    told = review.context
    facts = (
        Fact("Controls", said(told.controls), "What keeps the recipient from misusing the release: contract, access, "
             "training, deletion. Of a public release: none."),
        Fact("Risk that remains", said(told.residual), "What is left of the risk after all of this, and why the holder "
             "accepts it."),
    )  # fmt: skip
    return Section("At the recipient, and what remains", (Facts(facts),))


def method(review: Review) -> Section:
    """The algorithm with its options, and the versions of what it ran on."""
    g = review.g
    family = family_named(g.family)
    algorithm = family.makers[g.algorithm]
    options = "; ".join(
        f"{name.replace('_', ' ')}: {DEFAULT if value is None else option_text(value)}"
        for name, value in g.options.items()
    )
    versions = ", ".join(f"{one_line(name)} {one_line(number)}" for name, number in review.versions.items())
    facts = (
        Fact("Algorithm", f"{algorithm.title} ({g.algorithm}, of {g.family})", one_line(algorithm.summary)),
        Fact("Options", options or "none"),
        Fact("Seed", f"{g.seed}", "Random choices begin at this number: with it the same run gives the same release."),
        Fact("Source", one_line(algorithm.source)),
        Fact("Versions", versions),
    )
    how = (Paragraph(algorithm.how),) if algorithm.how else ()
    return Section("Method", (*how, Facts(facts)))


def certificate_in_full(review: Review) -> Section:
    """What the certificate says, with every check that the result passed."""
    g, proof = review.g, review.certificate.proof
    family = family_named(g.family)
    objective = family.objective(g.algorithm, g.options)
    unit = f" {objective.unit(one_line(review.instance.unit))}".rstrip()
    why = family.bounds.get(g.bound_name, g.bound_name)
    gap = "not known" if math.isinf(g.gap) else percent(g.gap) if g.gap else "0 %"
    facts = (
        Fact("Cost", f"{number_text(g.cost)}{unit} ({objective.noun})", "What the method makes as small as it can."),
        Fact("Lower bound", f"{number_text(g.lower_bound)}{unit}", f"No solution of this kind costs less: {why}."),
        Fact("Gap", gap, "How far the cost is above the lower bound, at most: 0 % is the best possible."),
        Fact("In words", nearness(g, proof)),
        Fact("Proven in general", one_line(family.promised(review.instance, g))),
        Fact("Rests on", "what was computed again" if proof == "checked" else "the search’s word for the lower bound",
             CHECKED if proof == "checked" else BY_WORD),
    )  # fmt: skip
    rows = tuple(
        (Cell(one_line(check.name), kind="strong"), Cell(one_line(check.detail))) for check in review.certificate.checks
    )
    unseen = [name for name, entry in RESULT.items() if entry.checked == UNCHECKED]
    told = " and ".join(UNSEEN.get(name, name) for name in unseen)
    note = f"No certificate can check {told}: that leaves no trace."
    grid = Grid(f"The {len(rows):,} checks that the result passed", (Column("Check", 1), Column("Found", 3)), rows)
    return Section("Certificate", (Facts(facts), grid, Paragraph(note, "note")))


def _utility(review: Review) -> Section:
    """The first figures of what the release loses."""
    if not review.utility:
        return Section("What the release loses", (Paragraph("No figure of utility was worked out."),))
    further = [Paragraph(FURTHER, "note")] if len(review.utility) > MOST else []
    return Section("What the release loses", (_losses(review.utility[:MOST]), *further))


def utility_in_full(review: Review) -> Section:
    """Every figure of what the release loses."""
    if not review.utility:
        return Section("What the release loses, in full", (Paragraph("No figure of utility was worked out."),))
    return Section("What the release loses, in full", (_losses(review.utility),))


def _losses(figures: Sequence[Measure]) -> Grid:
    rows = tuple((Cell(one_line(measure.title), kind="strong"), Cell(one_line(measure.words))) for measure in figures)
    return Grid("What the release loses against the records", (Column("Figure", 2.3), Column("Release", 2.3)), rows)
