"""The contents of a report for both page and PDF: a review as sections of text, facts, tables and pictures."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from kanon_engine.model.attacked import BROKEN, NOT_RUN, Attacked
from kanon_engine.model.known import get_family
from kanon_engine.model.measure import Measure
from kanon_engine.model.requirement import Closeness, Diversity, percent_up
from kanon_engine.model.words import counted, cut, listed, number_text, one_line, option_text
from kanon_engine.project.context import CONDITIONS, KINDS, Decision
from kanon_engine.release.audit_figures import CLOSE
from kanon_engine.release.formats import NUMBER
from kanon_engine.release.reread import ReleasedFile
from kanon_engine.report.findings import (
    ANSWERED,
    UNANSWERED,
    attacks_in_full,
    certified,
    contradiction,
    figures_in_full,
    nearness,
    required,
    risk_section,
    rules_in_full,
    verdict_sentence,
)
from kanon_engine.report.parts import (
    Cell,
    Fact,
    FactList,
    Grid,
    Paragraph,
    Part,
    Picture,
    Report,
    Section,
    SignHere,
    TableColumn,
    code,
    grid,
    note,
    plain,
    said,
    section,
    strong,
    terms_section,
    verdict,
    words_of,
)
from kanon_engine.report.review import ChecklistLine, Review
from kanon_engine.risk.rules.rule import APART, FAILS, NEXT_STEP, OPEN, Ruling
from kanon_engine.risk.rules.wp216 import UNLINKED
from kanon_engine.verification.checkable import RESULT, UNCHECKED

KIND = "Review of a release"
LONGEST = 200  # letters of a title


def report_contents(review: Review) -> Report:
    """The report: the decision, a summary, then Context, Data, Risk, Controls and Governance, then an annex.

    The decision is one page. The full evidence is in the annex. The order is that of ISO/IEC 27559:2022. All text
    that comes from data or from a person is on one line, or on the lines that the person wrote, without invisible
    characters; it is not escaped.
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


# ---------------------------------------------------------------------------------------------------------------------
# The first page: what was decided, by whom and why, for whom and until when, and where to sign.
# ---------------------------------------------------------------------------------------------------------------------


UNDECIDED = "Nobody has decided yet."
BOXES = "\n".join(f"☐ {kind}" for kind in KINDS)
INTERNAL = "Internal: this report would help an attacker. Only what is listed under “What is released” may be released."
SIGNED_BY = ("Name and office", "Date", "Signature")


def decision_section(review: Review) -> Section:
    """The section “Decision”; what nobody stated is open, with room to fill it in by hand."""
    context, decision = review.context, review.decision
    facts = [
        *_decided(decision),
        Fact("Decided by", said(context.officer)),
        Fact("Date of the decision", said(context.decided)),
        Fact("Recipients", said(context.recipient)),
        Fact("Purpose", said(context.purpose)),
        Fact("Agreement", said(decision.agreement if decision else ""),
             "The contract or law that binds the recipients."),
        Fact("Valid until", said(decision.until if decision else "")),
        Fact("Next review by", said(context.review), "New data and new attacks appear, so someone reviews this release "
        "again by this date."),
        Fact("In an incident", said(decision.incident if decision else ""),
             "Who is informed, and how the release is withdrawn."),
    ]  # fmt: skip
    against = contradiction(context.basis, review.rulings)
    return section(
        "Decision",
        Paragraph(UNDECIDED if decision is None else f"Decision: {decision.kind}.", "lead"),
        FactList(tuple(facts), by_hand=True),
        SignHere(SIGNED_BY),
        Paragraph(verdict_sentence(review.rulings, review.attacks)),
        Paragraph(against, "warning") if against else None,
        Paragraph(INTERNAL, "warning"),
    )


def _decided(decision: Decision | None) -> list[Fact]:
    """What was decided and why, or boxes to mark."""
    if decision is None:
        return [
            Fact("Decision", BOXES, "Mark one box by hand; a decision needs a reason."),
            Fact("Reason", ""),
            Fact("Conditions", "", "Only for a release with conditions."),
        ]
    conditions = [Fact("Conditions", said(decision.conditions))] if decision.kind == CONDITIONS else []
    return [Fact("Reason", said(decision.reason)), *conditions]


# ---------------------------------------------------------------------------------------------------------------------
# The basis of the release, and what else may be known about its people.
# ---------------------------------------------------------------------------------------------------------------------


NOBODY = "Facts that nobody stated are shown as “not stated”. No program can determine them."


def context_section(review: Review) -> Section:
    """The section “Context”, in the officer's own words."""
    context = review.context
    facts = (
        Fact("Legal basis", said(context.basis), "The law or the consent that the release is based on."),
        Fact("Other sources", said(context.known), "What else is published or known about these people: each such "
        "source can be joined with the release."),
    )  # fmt: skip
    missing = any(not fact.value for fact in facts)
    return section("Context", FactList(facts), note(NOBODY) if missing else None)


# ---------------------------------------------------------------------------------------------------------------------
# What holds and what does not, how good the groups are, and what was not examined.
# ---------------------------------------------------------------------------------------------------------------------


LIMITS = (
    "Each verdict is about one stated rule or one attack, with the data that were available. No verdict "
    "can promise that nobody is found: someone may know things that were not assessed here."
)
SAID = (  # verdict, as the summary calls it, and what else there is to read
    (FAILS, "Does not hold", "The section “Risk” says what was found."),
    (BROKEN, "Does not survive", "The section “Risk” says what was found."),
    (OPEN, "Not assessed", "The annex says what is not yet known."),
    (APART, "Does not apply", "These rules cover other kinds of data."),
    (NOT_RUN, "Not run", ""),
)
FIRST = "prosecutor-highest"  # the risk figure in the summary
GROUPED = "Nobody can distinguish the members of a group by the columns used to look people up."
CLOSER = (
    "Require the distribution of the sensitive column in every group to be close to that in the whole table (t of "
    f"{CLOSE} or less), which makes groups larger, or leave out the sensitive column."
)
MORE_DIVERSE = "Require more sensitive values in every group, or leave out the sensitive column."
ENDS = {  # an attack that groups of k do not stop → the next step
    "composition": UNLINKED,
    "differencing": "Make larger groups, publish fewer overlapping tables, or use differential privacy for counts.",
    "homogeneity": "Require several sensitive values in every group, or leave out the sensitive column.",
    "linking": "Make larger groups, or leave out columns that others know.",
}
BEYOND_GROUPS = ("cms-cells", "wp216-linkability")  # rules that groups of k do not meet


def summary(review: Review) -> Section:
    """The first section of the evidence."""
    g = review.g
    rule = " and ".join([f"at least {g.k:,} {one_line(review.instance.unit)}", *required(g)])
    return section(
        "Summary",
        Paragraph(certified(review.instance, g, review.certificate.proof)),
        FactList((Fact("Every group has", rule, GROUPED), *_risk(review))),
        *_next_steps(review.rulings, review.attacks, g.require),
        _not_good(review),
        note(LIMITS),
    )


def _next_steps(rulings: Sequence[Ruling], attacks: Sequence[Attacked], require: Sequence[Any]) -> list[Part]:
    """The limits of k-anonymity, and what can be done about them; each step once, and none that was already taken."""
    ends: dict[str, list[str]] = {}
    diverse = any(isinstance(one, Diversity | Closeness) for one in require)
    for one in attacks:
        if one.verdict == BROKEN and one.attack in ENDS:
            step = ENDS[one.attack]
            if one.attack == "homogeneity":
                certain = one.figures.get("groups in which a value is certain")
                step = MORE_DIVERSE if diverse else CLOSER if certain == "0" else step
            ends.setdefault(step, []).append(f"they do not stop the attack “{one_line(one.title)}”")
    for ruling in rulings:
        if ruling.verdict == FAILS and ruling.key in BEYOND_GROUPS:
            ends.setdefault(ruling.step, []).append(f"they do not meet the rule “{one_line(ruling.title)}”")
    return [
        Paragraph(f"Groups of at least k are not enough: {' and '.join(where)}. {NEXT_STEP} {step}", "warning")
        for step, where in ends.items()
    ]


def _risk(review: Review) -> list[Fact]:
    """The highest risk of one record, or the first available figure, before and after."""
    if not review.after:
        return []
    first = next((measure for measure in review.after if measure.key == FIRST), review.after[0])
    before = next((measure for measure in review.before if measure.key == first.key), None)
    words = first.words if before is None else f"{first.words}; in the original records: {before.words}"
    return [Fact(one_line(first.title), one_line(words), one_line(first.meaning))]


def _not_good(review: Review) -> FactList | None:
    """The names of rules and attacks that fail, and of those with an unknown outcome."""
    every: list[Any] = [*review.rulings, *review.attacks]
    titles = {outcome: [one_line(one.title) for one in every if one.verdict == outcome] for outcome, _, _ in SAID}
    facts = tuple(Fact(name, "; ".join(titles[outcome]), words) for outcome, name, words in SAID if titles[outcome])
    return FactList(facts) if facts else None


# ---------------------------------------------------------------------------------------------------------------------
# What keeps the recipient from misuse, what is lost, what was done to the data, and what its certificate says.
# ---------------------------------------------------------------------------------------------------------------------


CHECKED = (
    "A separate verifier, which uses no code of the algorithms, recomputed every claim below from the data, including "
    "the lower bound."
)
BY_WORD = (
    "A separate verifier, which uses no code of the algorithms, recomputed every claim below from the data. The lower "
    "bound is the exception: it was reported by the solver and not recomputed, because there are too many solutions to "
    "examine. “kanon verify --rerun” repeats the solver's search."
)
MOST = 10  # figures of what is lost, before the annex
FURTHER = "The other utility figures are in the annex."
NO_UTILITY = "No utility figure was computed."
DEFAULT = "automatic"
UNSEEN = {"seconds": "how long the run took", "reading": "how the file was read"}


def controls_section(review: Review) -> Section:
    """The section “Controls”."""
    context = review.context
    facts = (
        Fact("Controls", said(context.controls), "What keeps the recipient from misusing the release: contract, "
             "access, training, deletion. For a public release: none."),
        Fact("Remaining risk", said(context.residual), "The risk that remains with these controls, and why the "
             "holder accepts it."),
    )  # fmt: skip
    further = note(FURTHER) if len(review.utility) > MOST else None
    lost = section("What the release loses", _losses(review.utility[:MOST]), further, none=NO_UTILITY)
    return section("Controls", section("Safeguards at the recipient, and the remaining risk", FactList(facts)), lost)


def method(review: Review) -> Section:
    """The algorithm with its options, and the versions of what it ran on."""
    g = review.g
    family = get_family(g.family)
    algorithm = family.makers[g.algorithm]
    options = "; ".join(
        f"{name.replace('_', ' ')}: {DEFAULT if value is None else option_text(value)}"
        for name, value in g.options.items()
    )
    versions = ", ".join(f"{one_line(name)} {one_line(number)}" for name, number in review.versions.items())
    facts = (
        Fact("Algorithm", f"{algorithm.title} ({g.algorithm}, of {g.family})", one_line(algorithm.summary)),
        Fact("Options", options or "none"),
        Fact(
            "Seed", f"{g.seed}", "Random choices start from this number: with it, the same run gives the same release."
        ),
        Fact("Source", one_line(algorithm.source)),
        Fact("Versions", versions),
    )
    return section("Method", Paragraph(algorithm.how) if algorithm.how else None, FactList(facts))


def certificate_in_full(review: Review) -> Section:
    """What the certificate says, with every check that the result passed."""
    g, proof = review.g, review.certificate.proof
    family = get_family(g.family)
    objective = family.objective(g.algorithm, g.options)
    unit = f" {objective.unit(one_line(review.instance.unit))}".rstrip()
    why = family.bounds.get(g.bound_name, g.bound_name)
    gap = "not known" if math.isinf(g.gap) else percent_up(g.gap) if g.gap else "0 %"
    facts = (
        Fact("Cost", f"{number_text(g.cost)}{unit} ({objective.noun})", "What the method minimizes."),
        Fact("Lower bound", f"{number_text(g.lower_bound)}{unit}", f"No solution of this kind costs less: {why}."),
        Fact("Gap", gap, "How far the cost is above the lower bound; it is at most this far above the best possible."),
        Fact("Compared with the best possible", nearness(g, proof)),
        Fact("Guarantee of the method", one_line(family.promised(review.instance, g))),
        Fact("Evidence", "recomputation" if proof == "checked" else "a bound reported by the solver, not re-checked",
             CHECKED if proof == "checked" else BY_WORD),
    )  # fmt: skip
    checks = review.certificate.checks
    rows = ((strong(check.name), plain(check.detail)) for check in checks)
    unseen = [name for name, entry in RESULT.items() if entry.checked == UNCHECKED]
    limits = " or ".join(UNSEEN.get(name, name) for name in unseen)
    return section(
        "Certificate",
        FactList(facts),
        grid(f"The {len(checks):,} checks that the result passed", {"Check": 1, "Found": 3}, rows),
        note(f"No certificate can check {limits}, because the result itself does not show it."),
    )


def _losses(figures: Sequence[Measure]) -> Grid | None:
    rows = ((strong(measure.title), plain(measure.words)) for measure in figures)
    return grid("What the release loses compared with the records", {"Figure": 2.3, "Release": 2.3}, rows)


# ---------------------------------------------------------------------------------------------------------------------
# What the records are, the role of each column, and what is released.
# ---------------------------------------------------------------------------------------------------------------------


ROLES = (
    "A quasi-identifier is a column that others also know, such as age or zip code: it can be used to look a person "
    "up. A sensitive column reveals what others do not know, such as an illness."
)
HEADING = "What is released"
OTHER = "The bytes of this file differ from those that this version of kanon writes: examine it before it is published."
MOST_ROWS, MOST_COLUMNS, LONGEST_CELL = 3, 8, 48
GUESSED = re.compile(
    r" (?:was|were) (?:guessed to be|taken from column)"
)  # notes that a rebuild, which states the columns, does not have
BETWEEN = 3.0  # letters between columns
FITS = 80  # letters of a row, including those between columns
WIDEST = 12  # letters of a column, unless its content needs more


def data_section(review: Review) -> Section:
    """The section “Data”."""
    return section("Data", _source(review), _roles(review), _released(review))


def _source(review: Review) -> Section:
    context, instance = review.context, review.instance
    family = get_family(review.g.family)
    items = "rows" if getattr(instance, "weighted", False) else family.items
    size = f"{len(instance):,} {items}"
    if items != instance.unit and instance.total != len(instance):
        size += f" with {instance.total:,} {one_line(instance.unit)}"
    facts = (
        Fact("Release", said(context.title)),
        Fact("Holder", said(context.holder), "Who holds the records."),
        Fact("People", said(context.people), "Whose records these are, and from when."),
        Fact("Records", size),
        Fact("Left out", f"{review.released.left_out:,} {one_line(review.released.unit)}",
             "What is not in the release at all."),
    )  # fmt: skip
    notes = (note(one_line(words)) for words in instance.notes if not GUESSED.search(words))
    return section("What the records are", FactList(facts), *notes)


def _roles(review: Review) -> Section:
    roles = review.roles
    rows = ((strong(role.column), plain(role.role), plain(role.released)) for role in roles)
    caption = f"The role of {'each of ' * (len(roles) > 1)}{counted(len(roles), 'column')}"
    table = grid(caption, {"Column": 1.4, "Role": 1, "What is released": 1.6}, rows)
    return section("Columns and their roles", table and note(ROLES), table, none="No column was given a role.")


def _released(review: Review) -> Section:
    """The files with their digests, and the first rows of each distinct table in them as written there."""
    parts: list[Part] = []
    if review.picture is not None:
        name = one_line(review.released.name)
        caption = "The picture is drawn only from the groups: it contains no single record and no raw value."
        description = f"{counted(review.g.classes, 'group')} of {name} with at least {review.g.k:,} "
        parts.append(
            Picture(review.picture, caption, f"Picture of {description}{one_line(review.released.unit)} each.")
        )
    files = [ReleasedFile(name, content) for name, content in review.files.items()]
    if not files:
        return section(HEADING, *parts, note("This report was made without any file of the release."))
    rows = (
        (
            strong(file.name, OTHER if file.name in review.other_bytes else ""),
            plain(
                f"{len(file.content):,} bytes"
                if (table := file.table) is None
                else f"{counted(len(table), 'row')}, {counted(len(table.columns), 'column')}"
            ),
            code(file.digest),
        )
        for file in files
    )
    columns = {"File": 1.05, "Contents": 1.25, "SHA-256": 3.1}
    tables: list[Part | None] = [grid("The files that are released, and no others", columns, rows)]
    for names, table in _tables(files):
        further = [one_line(str(name)) for name in table.columns[MOST_COLUMNS:]]
        words = f"More columns of {listed(names)}: {', '.join(further)}."
        tables += [_first_rows(names, table), note(words) if further else None]
    return section(HEADING, *parts, *tables)


def _tables(files: Sequence[ReleasedFile]) -> list[tuple[list[str], pd.DataFrame]]:
    """Each distinct table, by its columns, its length and its first rows, with the files that contain it."""
    tables: dict[tuple[Any, ...], tuple[list[str], pd.DataFrame]] = {}
    for file in files:
        if file.table is not None:
            first = tuple(map(tuple, _texts(file.table)))
            key = (len(file.table), *map(str, file.table.columns)), first
            tables.setdefault(key, ([], file.table))[0].append(one_line(file.name))
    return list(tables.values())


def _texts(table: pd.DataFrame) -> list[list[str]]:
    """The first cells of each column, as written in the file."""
    return [
        ["" if cell is None else str(cell) for cell in table.iloc[:MOST_ROWS, place]]
        for place in range(len(table.columns))
    ]


def _first_rows(names: Sequence[str], table: pd.DataFrame) -> Grid:
    """The first rows as written in the file, but sizes ÷ k rounded; columns as wide as their content needs."""
    cells = [[cut(one_line(text), LONGEST_CELL) for text in texts] for texts in _texts(table)[:MOST_COLUMNS]]
    for name, texts in zip(table.columns, cells, strict=False):
        if name == "overfull_ratio" and all(map(NUMBER.fullmatch, texts)):
            texts[:] = [str(round(float(text), 4)) for text in texts]
    titles = [cut(one_line(str(name)), LONGEST_CELL) for name in table.columns[:MOST_COLUMNS]]
    whole = [max(map(len, [title, *texts])) + BETWEEN for title, texts in zip(titles, cells, strict=True)]
    shares = (
        whole
        if sum(whole) <= FITS
        else [_share([title, *texts_of_column]) for title, texts_of_column in zip(titles, cells, strict=True)]
    )
    columns = tuple(
        TableColumn(title, share, all(map(NUMBER.fullmatch, texts)))
        for title, share, texts in zip(titles, shares, cells, strict=True)
    )
    rows = tuple(tuple(Cell(text) for text in row) for row in zip(*cells, strict=True))
    extent = f"First {len(rows):,} of {counted(len(table), 'row')}" if len(rows) < len(table) else "All rows"
    return Grid(f"{extent} of {listed(names)}", columns, rows)


def _share(texts: Sequence[str]) -> float:
    """The relative width of a column of these texts: by its longest word, which should not be broken."""
    longest = max(len(word) for text in texts for word in text.split() or [""])
    return min(longest, WIDEST) + BETWEEN


# ---------------------------------------------------------------------------------------------------------------------
# Questions and answers, and the fingerprint of each file.
# ---------------------------------------------------------------------------------------------------------------------


HEADINGS = ("Context", "Data", "Risk", "Controls", "Governance")
NO_CHECKLIST = "No checklist was filled in."
ORDER = "The headings follow the order of ISO/IEC 27559:2022."
DIGESTS = (
    "A SHA-256 is a fingerprint of a file: changing one byte changes it. Recompute it with “sha256sum FILE”, and "
    "compare."
)
SIGNED = (
    "The bundle that holds this report is signed (Ed25519). “kanon verify bundle.zip” checks the signature and the "
    "fingerprint of each file. If it is also given the data, it checks every claim of the result. “python check "
    "bundle.zip” makes most of these checks with only Python."
)


def governance_section(review: Review) -> Section:
    """The section “Governance”: how many questions are answered, and which are not."""
    lines = review.checklist
    open_ones = " ".join(one_line(line.question) for line in lines if not line.done)
    facts = FactList((Fact("Open", open_ones, "The annex has every question with its answer."),)) if open_ones else None
    return section("Governance", _answered(lines), facts, none=NO_CHECKLIST)


def _answered(lines: Sequence[ChecklistLine]) -> Paragraph | None:
    words = f"{sum(line.done for line in lines):,} of {counted(len(lines), 'question')} are answered."
    return Paragraph(words) if lines else None


def checklist_in_full(lines: Sequence[ChecklistLine]) -> Section:
    """Every question with its answer, by headings."""
    grids: list[Grid | None] = []
    for heading in dict.fromkeys([*HEADINGS, *(line.heading for line in lines)]):
        rows = (
            (plain(one.question), Cell(said(one.answer) or "not stated"), verdict(ANSWERED if one.done else UNANSWERED))
            for one in lines
            if one.heading == heading
        )
        grids.append(grid(f"Checklist: {one_line(heading)}", {"Question": 1.9, "Answer": 2.3, "": 1}, rows))
    return section("Checklist", _answered(lines), note(ORDER) if lines else None, *grids, none=NO_CHECKLIST)


def digests(review: Review) -> Section:
    """The SHA-256 of each file."""
    entries = [*review.digests.items()]
    entries += [("data as read", review.g.instance_digest), ("result in the certificate", review.g.digest)]
    rows = ((strong(name), code(digest)) for name, digest in entries)
    table = grid("SHA-256 of input, release and certificate", {"File": 1, "SHA-256": 1.9}, rows)
    return section("Fingerprints of the files", note(DIGESTS), table, note(SIGNED))


# ---------------------------------------------------------------------------------------------------------------------
# The full evidence: rules, attacks, figures, method, certificate, checklist, fingerprints.
# ---------------------------------------------------------------------------------------------------------------------


NOTE = "Everything that the preceding pages are based on, for anyone who checks them."


def annex_section(review: Review, before: Iterable[Section]) -> Section:
    """The section “Annex”; `before` are the sections before it, whose terms it also explains."""
    parts = (
        rules_in_full(review),
        attacks_in_full(review),
        figures_in_full(review),
        section("What the release loses, in full", _losses(review.utility), none=NO_UTILITY),
        method(review),
        certificate_in_full(review),
        checklist_in_full(review.checklist),
        digests(review),
    )
    texts = (words for section in (*before, *parts) for words in words_of(section))
    return section("Annex", note(NOTE), *parts, terms_section(texts))
