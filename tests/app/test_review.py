"""The page on which an officer looks at a release from all sides, and signs."""

from __future__ import annotations

import io
import itertools
import json
import zipfile
from collections import Counter
from types import SimpleNamespace

import pytest

import kanon_engine as kanon
from kanon_engine.model.attacked import BROKEN, NOT_RUN, SURVIVES
from kanon_engine.model.known import FAMILIES
from kanon_engine.project.context import Context
from kanon_engine.report.verify import verify_bundle
from kanon_engine.risk import attacks
from kanon_engine.risk.attacks import ATTACKS
from kanon_engine.risk.rules import RULES
from kanon_engine.risk.rules.rule import NEXT_STEP
from pages._review import facts
from pages._review.findings import KIND
from pages._shared.project import OPEN
from pages._shared.records import Data
from tests.app.test_project import put, told
from tests.app.visit import ROOT, first_sample, go, open_app, open_tab, read, run, visit
from tests.sentences import (
    BEFORE_ITS_DATE,
    DECISION_REFUSE,
    IS_NOT_A_DATE,
    IS_NOT_NUMERIC,
    RECTANGLES_MAY_NOT_BE_RELEASED,
    RELOADING,
    YOUR_FILE,
)

STATED_RULES = f"{len(RULES)} stated rules: "


@pytest.fixture(autouse=True)
def _own_key(monkeypatch, tmp_path):
    monkeypatch.setenv("KANON_KEY", str(tmp_path / "key"))


def said(app):
    return " ".join(element.value for element in (*app.markdown, *app.caption))


def of_sample(family):
    app = open_app("review")
    app.session_state["review_of"] = f"sample {family}"
    return run(app)


def test_a_newcomer_sees_verdicts_on_a_sample_and_nobody_calls_it_anonymous():
    app = visit("review")
    words = said(app)
    assert STATED_RULES in words
    assert f"{len(ATTACKS)} attacks: " in words
    assert "anonymous" not in words.lower()


@pytest.mark.thorough
def test_each_tab_is_drawn_and_says_what_the_engine_found():
    app = open_tab(of_sample("regions"), "review", "Rules")
    words = said(app)
    assert all(rule.title in words.replace("\\", "") for rule in RULES.values())
    words = said(open_tab(app, "review", "Attacks"))
    assert sum(words.count(f": {verdict}]") for verdict in (SURVIVES, BROKEN, NOT_RUN)) == len(ATTACKS)
    for tab in ("What is released", "Risk", "Use", "Checklist"):
        open_tab(app, "review", tab)
        assert not app.error


def test_each_attack_says_how_long_it_ran_and_what_is_signed_does_not(monkeypatch):
    clock = itertools.count(0, 77.25)
    monkeypatch.setattr(attacks, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    app = open_tab(of_sample("tables"), "review", "Attacks")
    lines = [element.value for element in app.markdown if " (77.2 s). " in element.value]
    assert len(lines) + said(app).count(f": {NOT_RUN}]") == len(ATTACKS)
    assert lines
    page, _, zipped, _ = signed(app)
    members = zipfile.ZipFile(io.BytesIO(zipped))
    assert not any(b"77.2" in content for content in (page, *map(members.read, members.namelist())))


def test_a_stopped_review_keeps_the_verdicts_of_attacks_that_ended(monkeypatch):
    def stopped(released, knowledge):
        raise kanon.SearchEnded("This was stopped.")

    monkeypatch.setitem(attacks.ATTACKS, "composition", stopped)
    app = of_sample("tables")
    assert [element.value for element in app.info] == ["This was stopped."]
    lines = next(element.value for element in app.caption if "badge[" in element.value).split("  \n")
    assert [line.split("]")[0].split(": ")[1] for line in lines] == [BROKEN, BROKEN]
    monkeypatch.undo()
    app.button(key="review_again").click()
    assert f"{len(ATTACKS)} attacks: " in said(run(app))


@pytest.mark.parametrize("family", ["rectangles", "tables", "labels", "clusters"])
def test_a_sample_of_every_family_can_be_reviewed(family):
    assert STATED_RULES in said(of_sample(family))


def signed(app):
    """What the page made: HTML, PDF, bundle and the fingerprint."""
    app.session_state["review_tab"] = "Sign"
    run(app)
    next(button for button in app.button if button.key == "review_sign").click()
    run(app)
    task = app.session_state["_tasks"]
    found = [task.found(key) for key in task._tasks if key[0] == "bundle"]
    return found[-1]


def test_a_signed_bundle_holds_what_the_officer_wrote_and_verifies():
    app = of_sample("regions")
    app.session_state["review_context_officer"] = "A. Officer <b>"
    app.session_state["review_context_decided"] = "2026-11-20"
    page, pdf, zipped, fingerprint = signed(app)
    assert [button.label for button in app.get("download_button")[:2]] == ["groups.csv", "groups.gpkg"]
    assert "A. Officer &lt;b&gt;" in page.decode()
    assert pdf.startswith(b"%PDF")
    sample = first_sample("regions")
    content = (ROOT / "sample_data" / sample["file"]).read_bytes()
    verify_bundle(zipped, read(sample), inputs={sample["file"]: content})
    members = zipfile.ZipFile(io.BytesIO(zipped))
    manifest = json.loads(members.read("manifest.json"))
    assert manifest["context"]["officer"] == "A. Officer <b>"
    assert any(fingerprint in element.value for element in app.success)


def test_what_a_page_showed_is_what_is_reviewed():
    app = visit("labels", algorithm="fold", k=4000)
    go(app, "review")
    assert app.session_state["review_of"] == "labels"
    assert "at least 4,000 people per 100,000, found by Fold" in said(app)
    _, _, zipped, _ = signed(app)
    recipe = zipfile.ZipFile(io.BytesIO(zipped)).read("internal/recipe.toml").decode()
    assert 'algorithm = "fold"' in recipe


@pytest.mark.parametrize("field", ["review", "decided"])
def test_a_date_that_is_none_is_told_and_can_be_corrected(field):
    app = of_sample("labels")
    app.session_state[f"review_context_{field}"] = "next year"
    run(app)
    assert any(IS_NOT_A_DATE in element.value for element in app.error)
    assert STATED_RULES in said(app)
    app.text_input(key=f"review_context_{field}").set_value("2027-01-31")
    run(app)
    assert not app.error


def test_a_share_that_is_none_is_told_and_can_be_corrected():
    app = open_tab(of_sample("labels"), "review", "Rules")
    app.text_input(key="review_fact_expert_risk").set_value("small")
    run(app)
    assert any("Risk that this expert considers very small" in element.value for element in app.error)
    app.text_input(key="review_fact_expert_risk").set_value("0.05")
    run(app)
    assert not app.error


def test_rectangles_without_a_grid_are_not_reviewed_and_the_page_says_where_to_mend_it():
    app = visit("rectangles", snap="off")
    if app.session_state["rectangles_snap"] is not None:
        app.session_state["rectangles_snap"] = None
        app.session_state["rectangles_snap_chosen"] = True
        run(app)
    go(app, "review")
    assert any(RECTANGLES_MAY_NOT_BE_RELEASED in element.value for element in app.error)
    assert any(link.proto.page == "rectangles" for link in app.page_link)


def test_own_records_leave_in_groups_and_those_below_k_are_counted():
    app = of_sample("regions")
    ids = read(first_sample("regions")).ids.tolist()
    lines = ["zip,age,illness"] + [f"{zip_code},{30 + place % 3}.0,flu" for place, zip_code in enumerate(ids * 2)]
    app.session_state["review_own_uploaded"] = "people.csv", "\n".join([*lines, "99999,30,gout"]).encode()
    app.session_state["review_own_by_the code or label"] = "zip"
    app.session_state["review_own_quasi"] = ["age"]
    app.session_state["review_own_sensitive"] = ["illness"]
    words = said(run(app))
    assert any("1 record is left out" in element.value for element in app.warning)
    assert STATED_RULES in words
    _, _, zipped, _ = signed(app)
    members = zipfile.ZipFile(io.BytesIO(zipped))
    assert set(json.loads(members.read("manifest.json"))["input"]) == {first_sample("regions")["file"], "people.csv"}
    lines = members.read("release/records.csv").decode().splitlines()
    assert lines[0] == "group,age,illness"
    assert len(lines) == 1 + 2 * len(ids)
    assert {line.split(",")[1] for line in lines[1:]} == {"30", "31", "32"}  # numbers, as a recipe has them


@pytest.mark.thorough
def test_own_records_are_generalized_together_on_request():
    app = of_sample("regions")
    ids = read(first_sample("regions")).ids.tolist()
    lines = ["zip,age,illness"] + [f"{zip_code},{30 + place % 7},flu" for place, zip_code in enumerate(ids * 2)]
    app.session_state["review_own_uploaded"] = "people.csv", "\n".join(lines).encode()
    app.session_state["review_own_by_the code or label"] = "zip"
    app.session_state["review_own_quasi"] = ["age"]
    app.session_state["review_own_sensitive"] = ["illness"]
    app.session_state["review_own_together"] = True
    run(app)
    _, _, zipped, _ = signed(app)
    rows = zipfile.ZipFile(io.BytesIO(zipped)).read("release/release.csv").decode().splitlines()
    sets = Counter(row.rpartition(",")[0] for row in rows[1:])
    assert rows[0] == "group,age,illness"
    assert min(sets.values()) >= 5
    assert sum(sets.values()) == 2 * len(ids)


@pytest.mark.thorough
def test_a_table_of_the_population_gives_the_journalist_risk():
    app = of_sample("labels")
    labels = read(first_sample("labels"))
    pairs = zip(labels.names, labels.weights, strict=True)
    lines = ["group,people", *(f"{name},{10 * count}" for name, count in pairs)]
    app.session_state["review_population_uploaded"] = "everybody.csv", "\n".join(lines).encode()
    open_tab(app, "review", "Risk")
    shown = app.table[0].value
    assert float(shown.loc["Marketer risk", "After"].split()[0]) == pytest.approx(
        float(shown.loc["Average prosecutor risk", "After"].split()[0]) / 10, rel=0.01
    )
    assert "Highest journalist risk" in shown.index


def test_the_way_from_publish_leads_to_that_result_also_after_another_was_reviewed():
    app = of_sample("regions")
    go(app, "labels")
    open_tab(app, "labels", "Publish")
    next(button for button in app.button if button.key == "labels_review").click()
    run(app)
    assert app.session_state["review_of"] == "labels"
    assert STATED_RULES in said(app)


def test_what_is_signed_is_what_was_said_last():
    """The end of a long answer counts as its beginning does, and so do answers to rules."""
    app = of_sample("labels")
    app.session_state["review_context_purpose"] = f"{'Rates of names, for a study of names. ' * 5}First."
    first, *_ = signed(app)
    app.session_state["review_context_purpose"] = f"{'Rates of names, for a study of names. ' * 5}Second."
    second, *_ = signed(app)
    assert ("First." in first.decode(), "Second." in second.decode()) == (True, True)
    app.session_state["review_fact_expert"] = "E. Xpert"
    app.session_state["review_fact_expert_risk"] = "0.001"
    app.session_state["review_fact_expert_documented"] = True
    third, *_ = signed(app)
    assert third != second
    assert "E. Xpert" in third.decode()


def test_a_decision_needs_a_reason_and_stands_in_what_is_signed():
    app = open_tab(of_sample("labels"), "review", "Sign")
    app.session_state["review_context_officer"] = "A. Officer"
    app.segmented_control(key="review_decision_kind").set_value("refuse")
    run(app)
    assert any("“refuse” has no reason" in element.value for element in app.info)
    assert app.button(key="review_sign").disabled
    app.text_area(key="review_decision_reason").set_value("Too many stand out.")
    run(app)
    assert not app.error
    app.session_state["review_context_decided"] = "2026-11-20"
    app.text_input(key="review_decision_until").set_value("2026-01-01")
    run(app)
    assert any(BEFORE_ITS_DATE in element.value for element in app.error)
    app.text_input(key="review_decision_until").set_value("2027-01-01")
    page, _, zipped, _ = signed(run(app))
    assert DECISION_REFUSE in page.decode()
    assert not any("For the recipient" in element.value for element in app.markdown)
    members = zipfile.ZipFile(io.BytesIO(zipped))
    assert json.loads(members.read("manifest.json"))["context"]["decision.reason"] == "Too many stand out."


def test_a_decision_on_one_release_must_be_made_again_on_another():
    app = open_tab(of_sample("labels"), "review", "Sign")
    app.segmented_control(key="review_decision_kind").set_value("release")
    run(app)
    app.text_area(key="review_decision_reason").set_value("Groups are large.")
    run(app)
    assert not app.button(key="review_sign").disabled
    app.session_state["review_of"] = "sample tables"
    run(app)
    assert app.button(key="review_sign").disabled
    assert any("made on another release" in element.value for element in app.warning)
    app.button(key="review_decide_same").click()
    run(app)
    assert not app.button(key="review_sign").disabled
    assert not app.warning


@pytest.mark.parametrize("parts", [True, False, None])
def test_no_is_an_answer(monkeypatch, parts):
    monkeypatch.setattr(facts.st, "session_state", {} if parts is None else {"review_fact_parts": parts})
    assert facts.facts_now(Context(), ()).parts is parts


@pytest.mark.thorough
def test_limits_that_an_officer_sets_stand_in_the_verdict():
    app = of_sample("tables")
    assert "from those of all records is at most 0.3" in said(open_tab(app, "review", "Attacks"))
    app.session_state["review_limit_t"] = 0.25
    assert "from those of all records is at most 0.25" in said(open_tab(run(app), "review", "Attacks"))


def of_areas(cases, *ks):
    """The review of four areas in a row, at the last k; those at the other k left before."""
    counts = {name: [own[name] for own in cases] for name in cases[0]}
    areas = kanon.Regions(
        "abcd", [22_000, 24_000, 21_000, 30_000], [(0, 1), (1, 2), (2, 3)], unit="people", columns=counts
    )
    minima = [kanon.Minimum(name, 11) for name in counts]
    *before, last = [kanon.generalize(areas, k, "exact", require=minima) for k in ks]
    app = open_app("review")
    app.session_state["_reviewable_results"] = {"regions": (Data("regions", areas, ks[-1], "Four areas."), last)}
    app.session_state["_left"] = {areas.digest: {g.digest: g for g in before}}
    app.session_state["review_of"] = "regions"
    app.session_state["review_fact_others"] = "compared"
    return open_tab(app, "review", "Rules")


def cms(app):
    """The line of the rule on small cells."""
    lines = [element.value.replace("\\", "") for element in app.markdown]
    return next(line for line in lines if "CMS: no cell of 1 to 10" in line)


def test_second_counts_of_an_earlier_release_are_seen_on_the_page():
    cases = [{"cases": count} for count in (40, 3, 40, 50)]
    app = of_areas(cases, 20_001, 22_500)
    assert "does not hold" in cms(app)
    assert "“cases” is 3" in cms(app)
    alone = of_areas(cases, 22_500)
    assert "not assessed" in cms(alone)
    alone.text_input(key="review_fact_column_cases").set_value("part of everybody")
    assert "“everybody”, which is not a published count" in cms(run(alone))
    alone.text_input(key="review_fact_column_cases").set_value("some")
    assert any(IS_NOT_NUMERIC in element.value for element in run(alone).error)
    alone.text_input(key="review_fact_column_cases").set_value("part of people")
    assert ":material/check: holds]" in cms(run(alone))


def test_who_survived_is_seen_once_the_dead_are_said_to_be_a_part():
    counts = [{"hosp": one, "dead": other} for one, other in ((40, 40), (35, 32), (75, 50), (80, 55))]
    app = of_areas(counts, 40_000)
    assert "not assessed" in cms(app)
    app.text_input(key="review_fact_column_hosp").set_value("part of people")
    app.text_input(key="review_fact_column_dead").set_value("part of hosp")
    run(app)
    assert "does not hold" in cms(app)
    assert "“hosp” without “dead” is 3" in cms(app)


def test_a_link_opens_the_sample_and_the_tab_that_were_open():
    app = visit("review", tab="rules", sample="labels")
    assert app.selectbox(key="review_of").value == "sample labels"
    assert dict(app.query_params) == {"tab": "rules", "sample": "labels"}
    assert not app.warning


def test_a_rule_that_does_not_hold_says_the_next_step():
    app = of_areas([{"cases": count} for count in (40, 3, 40, 50)], 20_001, 22_500)
    assert f"**{NEXT_STEP}** Require every count in every group to be at least 11" in cms(app)


def test_samples_with_the_same_title_are_distinguished_by_their_pages():
    options = visit("review").selectbox(key="review_of").options
    assert len(set(options)) == len(options) == len(FAMILIES)


def test_answers_are_saved_with_the_project_and_restored_from_it(monkeypatch):
    texts = []
    monkeypatch.setattr("pages._review.facts.Project.to_toml", told(texts))
    names = b"name,count\n" + b"".join(b"N%d,%d\n" % (number, 5 + number) for number in range(20))
    app = visit("labels", sample="own-file")
    put(app, YOUR_FILE, "names.csv", names)
    go(app, "review")
    assert any(RELOADING in element.value for element in app.caption)
    assert any(KIND in element.value for element in app.caption)
    said = {
        "context_officer": "A. Officer",
        "context_decided": "2026-11-20",
        "fact_data": "patients",
        "fact_absent": True,
        "fact_parts": False,
        "fact_expert": "E. Xpert",
        "fact_expert_risk": "0.05",
        "decision_kind": "refuse",
        "decision_reason": "Too many stand out.",
    }
    for name, value in said.items():
        app.session_state[f"review_{name}"] = value
    run(app)
    assert not any(KIND in element.value for element in app.caption)
    saved = texts[-1]
    app = visit("labels", sample="own-file")
    put(app, OPEN, "project.toml", saved.encode())
    put(app, YOUR_FILE, "names.csv", names)
    go(app, "review")
    assert {name: app.session_state[f"review_{name}"] for name in said} == said
    assert open_tab(app, "review", "Sign").button(key="review_sign").disabled  # until the decision is made again
    assert texts[-1] == saved
    app.session_state["review_context_officer"] = "B. Officer"
    assert run(go(app, "review")).session_state["review_context_officer"] == "B. Officer"


def test_a_sample_that_no_page_saved_says_that_answers_are_lost():
    app = of_sample("labels")
    assert any(RELOADING in element.value for element in app.caption)
    assert not [button for button in app.get("download_button") if "your answers" in button.label]
