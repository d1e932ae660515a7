"""What an officer must be able to answer before data are released, in the order of ISO/IEC 27559."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from kanon_engine.generalize import Certificate
from kanon_engine.model.attacked import BROKEN, NOT_RUN, Attacked
from kanon_engine.model.measure import Measure
from kanon_engine.model.words import counted
from kanon_engine.project.context import Context, day_of, questions
from kanon_engine.report.findings import contradiction, verdict_sentence
from kanon_engine.report.parts import said
from kanon_engine.report.review import ChecklistLine, Review
from kanon_engine.risk.rules.rule import FAILS, OPEN, Ruling

FIRST = "prosecutor-highest"  # the figure that answers the question about risk, if known


def checklist(review: Review) -> tuple[ChecklistLine, ...]:
    """The questions with their answers; a line is done only if something that was stated or found answers it.

    >>> import kanon_engine as kanon
    >>> from kanon_engine.report.assemble import review
    >>> labels = kanon.Labels("abcd", [3, 2, 2, 4])
    >>> found = review(labels, kanon.generalize(labels, 5), context=Context(recipient="everybody"))
    >>> [line.question for line in checklist(found) if line.done][0]
    'Who gets the release?'
    """
    context, rulings, attacks, decision = review.context, review.rulings, review.attacks, review.decision
    return (
        _answered("Context", context, "recipient"),
        _answered("Context", context, "purpose"),
        _basis(context, rulings),
        _answered("Context", context, "known"),
        _answered("Data", context, "holder"),
        _answered("Data", context, "people"),
        _found(
            "Data",
            "What is each column, and how much of it is released?",
            ", ".join(f"{kind}: {count:,}" for kind, count in Counter(one.role for one in review.roles).items()),
        ),
        _found(
            "Data",
            "Does the report say exactly which files it covers?",
            f"SHA-256 of {counted(len(review.digests), 'file')}" if review.digests else "",
        ),
        ChecklistLine("Risk", "Does every group reach the promised size?", *_kept(review.certificate)),
        _found(
            "Risk",
            "How large is the risk in the original records and in the release?",
            _risk(review.before, review.after),
        ),
        _assessed(rulings),
        _run(attacks),
        _accepted(context, rulings, attacks),
        _answered("Controls", context, "controls"),
        _found(
            "Controls",
            "What does the release lose that its purpose needs?",
            _lost(review.utility),
        ),
        _answered("Governance", context, "residual"),
        ChecklistLine(
            "Governance",
            "What was decided?",
            f"{decision.kind}: {said(decision.reason)}" if decision else "Nobody has decided yet.",
            decision is not None,
        ),
        _answered("Governance", context, "officer"),
        _date("Governance", context, "decided"),
        _review(context),
    )


def _lost(utility: Sequence[Measure]) -> str:
    """The released records, columns, and the column that changes most; for other data, the family's first figure."""
    known = [one for one in utility if one.value is not None]
    general = [one for one in known if one.key in ("released", "columns")]
    columns = sorted((one for one in known if one.key.startswith("difference-")), key=lambda one: -(one.value or 0))
    return ". ".join(f"{one.title}: {one.words}" for one in [*general, *(columns or known[len(general) :])[:1]])


def _answered(heading: str, context: Context, name: str) -> ChecklistLine:
    words = said(getattr(context, name))
    return ChecklistLine(heading, questions(Context)[name].help, words or "not stated", bool(words))


def _basis(context: Context, rulings: Sequence[Ruling]) -> ChecklistLine:
    """The legal basis of the release; not answered if the rule that it names does not hold."""
    line = _answered("Context", context, "basis")
    against = contradiction(context.basis, rulings)
    if not against:
        return line
    return replace(line, answer=f"{line.answer.rstrip('.')}. {against}", done=False)


def _found(heading: str, question: str, answer: str) -> ChecklistLine:
    return ChecklistLine(heading, question, answer or "not computed", bool(answer))


def _kept(certificate: Certificate) -> tuple[str, bool]:
    """Every check passed; otherwise there would be no certificate."""
    words = f"{len(certificate.checks):,} checks passed: every group reaches k = {certificate.k:,}"
    if certificate.proof != "checked":
        words += "; how near the result is to the best possible was reported by the solver, not re-checked"
    return f"{words}.", any(check.name == "feasibility" and check.passed for check in certificate.checks)


def _risk(before: Sequence[Measure], after: Sequence[Measure]) -> str:
    earlier = {measure.key: measure for measure in before if measure.value is not None}
    for measure in sorted(after, key=lambda measure: measure.key != FIRST):
        if measure.value is not None and measure.key in earlier:
            return f"{measure.title}: before {earlier[measure.key].words}, after {measure.words}"
    return ""


def _assessed(rulings: Sequence[Ruling]) -> ChecklistLine:
    """Done if none is open: a rule that was not assessed is a question that nobody answered."""
    # the sentence is about rules up to the semicolon, and about attacks after it
    answer = verdict_sentence(rulings, ()).partition(";")[0] + "."
    done = bool(rulings) and all(ruling.verdict != OPEN for ruling in rulings)
    return ChecklistLine("Risk", "Is every stated rule assessed?", answer, done)


def _run(attacks: Sequence[Attacked]) -> ChecklistLine:
    left = [attack.title for attack in attacks if attack.verdict == NOT_RUN]
    run = len(attacks) - len(left)
    answer = f"{counted(run, 'attack')} run" + (f"; not run: {', '.join(left)}" if left else "")
    return ChecklistLine("Risk", "Was every attack run?", f"{answer}.", bool(attacks) and not left)


def _accepted(context: Context, rulings: Sequence[Ruling], attacks: Sequence[Attacked]) -> ChecklistLine:
    """Done if nothing that was assessed fails, or if the officer states why it is accepted."""
    failed = [ruling.title for ruling in rulings if ruling.verdict == FAILS]
    failed += [attack.title for attack in attacks if attack.verdict == BROKEN]
    # without anything examined, an empty list of failures is not an answer
    complete = any(one.verdict != OPEN for one in rulings) and any(one.verdict != NOT_RUN for one in attacks)
    question = "Which rules do not hold, which attacks does the release not survive, and is this accepted?"
    if not failed:
        answer = (
            "No assessed rule fails, and the release survives every attack that was run."
            if complete
            else "Some rules or attacks were not examined."
        )
        return ChecklistLine("Risk", question, answer, complete)
    reason = said(context.residual)
    accepted = f"The data holder says: {reason}" if reason else "Nobody stated that this is accepted."
    return ChecklistLine("Risk", question, f"{'; '.join(failed)}. {accepted}", bool(reason))


def _date(heading: str, context: Context, name: str) -> ChecklistLine:
    line = _answered(heading, context, name)
    if line.done and day_of(line.answer) is None:
        return replace(line, answer=f"{line.answer} (not a date in the form YYYY-MM-DD)", done=False)
    return line


def _review(context: Context) -> ChecklistLine:
    line = _date("Governance", context, "review")
    decided, again = day_of(context.decided), day_of(context.review)
    if decided and again and again <= decided:
        return replace(line, answer=f"{line.answer} (this date is not after the decision)", done=False)
    return line
