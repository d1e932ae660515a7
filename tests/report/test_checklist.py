"""A line of the checklist is done only where something was said or found that answers it."""

from dataclasses import fields, replace
from types import SimpleNamespace

import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.project.context import Context, Decision
from kanon_engine.report.assemble import review
from kanon_engine.report.checklist import checklist
from kanon_engine.report.review import Role
from kanon_engine.risk.rules.rule import Ruling
from tests.report.reviews import AFTER, ATTACKS, BEFORE, CONTEXT, RULINGS, UTILITY, figures

LABELS = kanon.Labels("abcd", [3, 2, 2, 4])
CERTIFICATE = kanon.verify(LABELS, kanon.generalize(LABELS, 5))
NOTHING = {"roles": (), "before": (), "after": (), "utility": (), "digests": {}, "decision": None}
FOUND = {
    "roles": (Role("a", "sensitive", "as it is"),),
    "before": figures(BEFORE),
    "after": figures(AFTER),
    "utility": UTILITY,
    "digests": {"release.csv": "0" * 64},
    "decision": Decision("refuse", "Too many stand out."),
}
ASSESSED = [replace(ruling, verdict="holds") for ruling in RULINGS]
RUN = [replace(attack, verdict="survives") for attack in ATTACKS]
FAILED = "Which rules do not hold, which attacks does the release not survive, and is this accepted?"


def lines_of(context=CONTEXT, rulings=(), attacks=(), **found):
    said = {"context": context, "rulings": rulings, "attacks": attacks, "certificate": CERTIFICATE}
    return checklist(SimpleNamespace(**said, **(NOTHING | found)))


def open_lines(context=CONTEXT, rulings=ASSESSED, attacks=RUN, **found):
    lines = lines_of(context, rulings, attacks, **(FOUND | found))
    return {line.question for line in lines if not line.done}


def test_all_is_done_where_all_was_said_and_found():
    assert open_lines() == set()


def test_headings_stand_in_the_order_of_the_standards():
    headings = [line.heading for line in lines_of()]
    assert list(dict.fromkeys(headings)) == ["Context", "Data", "Risk", "Controls", "Governance"]
    assert headings == sorted(headings, key=list(dict.fromkeys(headings)).index)


@pytest.mark.parametrize("name", [entry.name for entry in fields(Context) if entry.name != "title"])
def test_what_nobody_said_is_open(name):
    assert len(open_lines(replace(CONTEXT, **{name: "  \n "}))) == 1


def test_columns_that_are_left_out_are_among_what_is_lost():
    people = pd.DataFrame({"age": [30, 30, 41, 41], "pay": [1, 9, 3, 4], "city": list("xyxy")})
    table = kanon.read_table(people, ["age"], keep=["pay"], bins={"pay": 5})
    result = review(table, kanon.generalize(table, 2))
    words = "2 of 3 released (generalized: “age”; in ranges: “pay”); left out: “city”"
    assert [one.words for one in result.utility if one.key == "columns"] == [words]
    (line,) = (one for one in result.checklist if one.question == "What does the release lose that its purpose needs?")
    assert f"Columns in the release: {words}. “age”" in line.answer


def test_a_decision_stands_with_its_reason():
    (line,) = (one for one in lines_of(**FOUND) if one.question == "What was decided?")
    assert (line.heading, line.answer, line.done) == ("Governance", "refuse: Too many stand out.", True)
    assert open_lines(decision=None) == {"What was decided?"}


@pytest.mark.parametrize("name", [name for name in FOUND if name != "decision"])
def test_what_nobody_found_is_open(name):
    assert len(open_lines(**{name: type(FOUND[name])()})) == 1


def test_a_figure_without_a_value_answers_nothing():
    unknown = tuple(replace(measure, value=None) for measure in UTILITY)
    assert open_lines(utility=unknown) == {"What does the release lose that its purpose needs?"}


def test_a_rule_that_was_not_assessed_is_a_question_without_an_answer():
    assert open_lines(rulings=RULINGS) == {"Is every stated rule assessed?"}
    assert open_lines(attacks=ATTACKS) == {"Was every attack run?"}


def test_what_fails_must_be_accepted_by_somebody():
    failing = [replace(RULINGS[0], verdict="does not hold", title="Rule of ten")]
    assert FAILED not in open_lines(rulings=failing)
    assert FAILED in open_lines(replace(CONTEXT, residual=""), rulings=failing)
    line = next(line for line in lines_of(CONTEXT, failing, RUN) if line.question == FAILED)
    assert "Rule of ten" in line.answer
    assert CONTEXT.residual in line.answer


def test_nothing_looked_at_is_not_nothing_found():
    assert FAILED in open_lines(rulings=(), attacks=())


@pytest.mark.parametrize("basis", ["45 CFR 164.514(b)(1)", "HIPAA, expert determination by Dr. E."])
@pytest.mark.parametrize("verdict", ["not assessed", "does not hold", "does not apply"])
def test_a_legal_basis_that_was_not_assessed_or_does_not_hold_is_a_contradiction(basis, verdict):
    question = "Which law or consent is the release based on?"
    for found, done in ((verdict, False), ("holds", True)):
        expert = Ruling("hipaa-expert", "HIPAA: expert determination", "", "", found, "")
        lines = lines_of(replace(CONTEXT, basis=basis), (expert,))
        line = next(line for line in lines if line.question == question)
        assert line.done == done
        assert ("but “HIPAA: expert determination”" in line.answer) == (not done)


def test_dates_are_dates_and_the_review_comes_after_the_decision():
    assert open_lines(replace(CONTEXT, decided="last week")) == {"When was the decision made?"}
    assert open_lines(replace(CONTEXT, review=CONTEXT.decided)) == {"When must the release be reviewed again?"}
