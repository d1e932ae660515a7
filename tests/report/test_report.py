"""The report as a page and as a PDF: both say everything that a review holds, and nothing in it is obeyed."""

import io
import re
import subprocess
import sys
from dataclasses import fields, replace
from functools import cache
from html.parser import HTMLParser

import pytest
from pypdf import PdfReader

from kanon_engine import Diversity
from kanon_engine.plot.drawing import INSTEAD, written
from kanon_engine.project.context import KINDS, Context
from kanon_engine.report.assemble import with_context
from kanon_engine.report.contents import report_contents, summary
from kanon_engine.report.findings import risk_section
from kanon_engine.report.html import report_html
from kanon_engine.report.parts import sentences, words_of
from kanon_engine.report.pdf import report_pdf
from kanon_engine.risk.rules import Facts, rulings
from kanon_engine.risk.rules.rule import Ruling
from kanon_engine.risk.rules.wp216 import UNLINKED
from tests.report.reviews import MARKUP, REVIEWS, hostile, occupations

HEADINGS = ("Decision", "Summary", "Context", "Data", "Risk", "Controls", "Governance", "Annex")
NAMES = [
    "adult",
    pytest.param("london", marks=pytest.mark.thorough),
    pytest.param("connecticut", marks=pytest.mark.thorough),
]
COUNTED = "This rule counts records, not people:"
FETCHES = {"script", "link", "iframe", "object", "embed", "video", "audio", "source", "form", "base", "svg", "input"}


class Page(HTMLParser):
    """Elements with their attributes, headings, and the text without tags."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self.headings = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)
        if self.elements and self.elements[-1][0] in ("h2", "h3"):
            self.headings.append((self.elements[-1][0], data))

    @property
    def text(self):
        return "".join(self.texts)


def small_hostile():
    return hostile(rules=9, columns=12)


@cache
def page(name):
    return report_html(small_hostile() if name == "hostile" else REVIEWS[name]())


@cache
def pdf(name):
    return PdfReader(io.BytesIO(report_pdf(small_hostile() if name == "hostile" else REVIEWS[name]())))


@cache
def pdf_text(name):
    return squeezed("".join(part.extract_text() for part in pdf(name).pages))


def squeezed(text):
    """Without spaces, as lines of a PDF are broken anywhere."""
    return re.sub(r"\s+", "", text)


def squeezed_words(text):
    """With single spaces."""
    return " ".join(text.split())


def everything(review):
    """Each verdict, figure, digest and word of the officer that both forms must have."""
    told = [*vars(review.context).values(), *vars(review.decision).values()]
    yield from (line for text in told for line in text.splitlines())
    known = {one.key for one in (*review.before, *review.after, *review.utility) if one.value is not None}
    for measure in (*review.before, *review.after, *review.utility):
        yield from (measure.title, measure.words)
        if measure.key in known:
            yield from (measure.meaning, measure.source.removesuffix("Counted."))
    for ruling in review.rulings:
        yield from (ruling.title, ruling.origin, ruling.text, ruling.told, *sentences(ruling.beyond), ruling.verdict)
    for attack in review.attacks:
        yield from (attack.title, attack.knowledge, attack.sentence, attack.verdict, attack.source)
        yield from (f"{name}: {value}"[1:] for name, value in attack.figures.items())
    yield from (text for role in review.roles for text in (role.column, role.role, role.released))
    yield from (text for pair in review.digests.items() for text in pair)
    yield from (review.g.digest, review.g.instance_digest)
    yield from (text for pair in review.versions.items() for text in pair)
    yield from (line.question for line in review.checklist)
    yield from (check.detail for check in review.certificate.checks)


@pytest.mark.parametrize("name", NAMES)
def test_both_forms_say_all_that_a_review_holds(name):
    on_page, on_paper = squeezed(Page(page(name)).text), pdf_text(name)
    for text in everything(REVIEWS[name]()):
        assert squeezed(text) in on_page, text
        assert squeezed(written(text)) in on_paper, text


@pytest.mark.parametrize("name", NAMES)
def test_the_heading_of_each_section_names_it_for_screen_readers(name):
    elements = Page(page(name)).elements
    headings = [attributes.get("id") for tag, attributes in elements if re.fullmatch("h[2-6]", tag)]
    sections = [attributes.get("aria-labelledby") for tag, attributes in elements if tag == "section"]
    assert sections
    assert set(sections) <= set(filter(None, headings))


@pytest.mark.parametrize("name", NAMES)
def test_each_verdict_stands_beside_its_rule_or_attack(name):
    review, text = REVIEWS[name](), page(name)
    rows = [squeezed(re.sub("<[^>]*>", "", row)) for row in re.findall("<tr>(.*?)</tr>", text, re.DOTALL)]
    found = [(one.title, one.told, one.verdict) for one in review.rulings]
    found += [(one.title, one.sentence, one.verdict) for one in review.attacks]
    for title, sentence, verdict in found:
        own = [row for row in rows if row.startswith(squeezed(title)) and squeezed(sentence) in row]
        assert own, title
        assert all(re.search(rf"[✓✗○]{squeezed(verdict)}$", row) for row in own), title


def test_names_of_code_stand_in_no_report():
    review = REVIEWS["adult"]()
    asked = replace(review, rulings=rulings(review.released, review.g, review.instance, facts=Facts()))
    named = "|".join(entry.name for entry in fields(Facts))
    assert any(re.search(rf"\(fact “(?:{named})”", one.found) for one in asked.rulings)
    told = "\n".join(report_contents(asked).words())
    assert re.findall(rf"\(fact “(?:{named})”", told) == []
    assert "e-0" not in told


def test_what_several_rules_say_alike_stands_once():
    review = REVIEWS["adult"]()
    asked = replace(review, rulings=rulings(review.released, review.g, review.instance, facts=Facts()))
    told = "\n".join(report_contents(asked).words())
    assert sum(COUNTED in one.beyond for one in asked.rulings) > 3
    assert told.count(COUNTED) == 1


def test_the_decision_is_one_page_and_the_next_names_what_is_not_assessed():
    review = REVIEWS["adult"]()
    asked = replace(review, rulings=rulings(review.released, review.g, review.instance, facts=Facts()))
    first, second = [part.extract_text() for part in PdfReader(io.BytesIO(report_pdf(asked))).pages][:2]
    assert "Internal: this report" in squeezed_words(first)
    assert "Signature" in first
    assert second.startswith("Summary")
    assert "Not assessed" in second


@pytest.mark.parametrize("name", ["adult", "hostile"])
def test_a_page_asks_nobody_and_runs_nothing(name):
    parsed = Page(page(name))
    assert not {tag for tag, _ in parsed.elements} & FETCHES
    policy = [found["content"] for tag, found in parsed.elements if tag == "meta" and "http-equiv" in found]
    assert policy[0].startswith("default-src 'none'")
    for tag, found in parsed.elements:
        assert not [name for name in found if name.startswith("on")]
        assert tag != "img" or found["src"].startswith("data:image/svg+xml;base64,")
        assert found.get("href", "#").startswith("#")
        assert "url(" not in found.get("style", "")
    style = re.search("<style>(.*?)</style>", page(name), re.DOTALL)[1]
    assert "url(" not in style
    assert "@import" not in style
    assert re.findall("https?://", page(name)) == []


def test_the_picture_holds_no_script_and_no_address():
    for name in ("adult", "hostile"):
        svg = (small_hostile() if name == "hostile" else REVIEWS[name]()).picture
        assert not re.search(rb"<(script|image|foreignObject|style)[ >](?!\s*type=.text/css)", svg)
        assert {found.decode() for found in re.findall(rb"href=.([^\"]*)", svg)} == {
            found.decode() for found in re.findall(rb"href=.(#[^\"]*)", svg)
        }
        assert b"onerror" not in svg


def test_hostile_text_is_told_and_not_obeyed():
    parsed = Page(page("hostile"))
    assert "<script" not in page("hostile").lower()
    assert squeezed(MARKUP) in squeezed(parsed.text)
    for letter in ("\u202e", "\x00", "\x1b", "\ue000"):
        assert letter not in page("hostile")
    assert "東京都の医療記録" in page("hostile")
    assert squeezed(MARKUP) in pdf_text("hostile")
    assert "{nb}" in pdf_text("hostile")
    assert "**bold**" in pdf_text("hostile")


def test_a_pdf_says_once_that_letters_are_missing():
    first = pdf("hostile").pages[0].extract_text() + pdf("hostile").pages[1].extract_text()
    text = pdf_text("hostile")
    assert INSTEAD in text
    assert text.count(squeezed("Letters of some scripts cannot be shown")) == 1
    assert "Arabic" in text
    assert "東" not in text
    assert "report.html" in first or "report.html" in text
    assert INSTEAD not in pdf_text("adult")


@pytest.mark.parametrize("name", ["adult", "hostile"])
def test_sections_stand_in_their_order_on_the_page_and_in_the_outline(name):
    outline = [entry.title for entry in pdf(name).outline if not isinstance(entry, list)]
    assert tuple(outline) == HEADINGS
    assert tuple(text for tag, text in Page(page(name)).headings if tag == "h2" and text.strip()) == HEADINGS


def test_a_pdf_tells_its_language_title_and_pages_and_no_time():
    found = pdf("adult")
    assert found.trailer["/Root"]["/Lang"] == "en"
    assert found.metadata.title == REVIEWS["adult"]().context.title
    assert found.metadata["/CreationDate"] == "D:20260302000000Z"  # of the decision
    count = len(found.pages)
    for number, part in enumerate(found.pages, 1):
        assert f"Page{number}of{count}" in squeezed(part.extract_text())


@pytest.mark.thorough
def test_heads_of_tables_stand_on_every_page_of_a_long_table():
    pages = [squeezed(part.extract_text()) for part in pdf("hostile").pages]
    of_rules = [text for text in pages if "unbrokenunbroken" in text]
    assert len(of_rules) > 3
    heads = ("Ruleorattack", "RuleFoundVerdict", "Rule,andwhereitisstated", "Attack,andwhat")
    assert sum(any(head in text for head in heads) for text in of_rules) >= len(of_rules) - 1


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("decided", [True, False])
def test_the_report_of_a_table_has_at_most_six_pages_before_its_annex(decided):
    review = REVIEWS["adult"]()
    asked = replace(review, rulings=rulings(review.released, review.g, review.instance, facts=Facts()))
    read = PdfReader(io.BytesIO(report_pdf(asked if decided else with_context(asked, Context()))))
    texts = [part.extract_text() for part in read.pages]
    assert 1 < next(place for place, text in enumerate(texts) if text.startswith("Annex")) <= 6


def test_what_nobody_decided_is_open_with_boxes_and_lines_to_sign():
    silent = with_context(REVIEWS["adult"](), Context())
    first = PdfReader(io.BytesIO(report_pdf(silent))).pages[0].extract_text()
    for told in (first, report_html(silent)):
        assert "Nobody has decided yet." in told
        assert [told.count(f"☐ {kind}\n") + told.count(f"☐ {kind}<") for kind in KINDS] == [1, 1, 1]
        assert "Signature" in told
    decided = report_html(REVIEWS["adult"]())
    assert "☐" not in decided
    assert "Decision: release with conditions." in decided


def test_what_was_not_said_stands_as_not_said():
    text = Page(page("adult")).text
    assert "not stated" not in text
    silent = with_context(REVIEWS["adult"](), Context())
    for told in (Page(report_html(silent)).text, PdfReader(io.BytesIO(report_pdf(silent))).pages[0].extract_text()):
        assert told.count("not stated") >= 4
    assert report_contents(silent).title == "Release of census records"


def test_no_verdict_is_anonymous():
    words = " ".join(report_contents(REVIEWS["adult"]()).words()).lower()
    assert "anonymous" not in words
    assert "of 4 stated rules, 2 hold, 1 does not hold and 1 was not assessed" in words


SAME = """
import hashlib
from kanon_engine.risk.rules import Facts, rulings
from tests.report.reviews import occupations
from kanon_engine.report.html import report_html
from kanon_engine.report.pdf import report_pdf
review = occupations()
for made in (report_html(review).encode(), report_pdf(review), review.picture):
    print(hashlib.sha256(made).hexdigest())
"""


def test_an_attack_that_groups_do_not_stop_names_the_next_step():
    first = "\n".join(words_of(report_contents(REVIEWS["adult"]()).sections[1]))
    assert "Next step: Require several sensitive values in every group" in first
    assert "Leave out columns that the other release also shows" not in first  # that attack was not run
    review = REVIEWS["adult"]()
    required = replace(review, g=replace(review.g, require=(Diversity("salary", 2),)))
    assert "Next step: Require more sensitive values" in "\n".join(words_of(summary(required)))
    figures = {"groups in which a value is certain": "0"}
    attacks = tuple(replace(one, figures=figures) if one.attack == "homogeneity" else one for one in review.attacks)
    close = "Next step: Require the distribution of the sensitive column in every group to be close"
    assert close in "\n".join(words_of(summary(replace(review, attacks=attacks))))


def test_a_rule_that_groups_do_not_meet_names_the_next_step_and_each_step_stands_once():
    made = occupations()
    keys = {"cms-cells": "CMS", "wp216-linkability": "Linkability", "own-minimum": "Minimum"}
    steps = dict(zip(keys, ("Leave out “illness”.", UNLINKED, "Raise k."), strict=True))
    failing = tuple(Ruling(key, title, "", "", "does not hold", "", step=steps[key]) for key, title in keys.items())
    composed = replace(made.attacks[2], title="Composition", verdict="does not survive")
    first = "\n".join(words_of(summary(replace(made, rulings=failing, attacks=(composed,)))))
    assert (
        "Groups of at least k are not enough: they do not meet the rule “CMS”. Next step: Leave out “illness”." in first
    )
    both = (
        "they do not stop the attack “Composition” and they do not meet the rule “Linkability”. "
        "Next step: Leave out columns"
    )
    assert first.count(both) == first.count("Next step: Leave out columns") == 1
    assert "Raise k." not in first  # larger groups are enough for it
    found = "\n".join(words_of(risk_section(replace(made, rulings=failing))))
    assert "Next step: Raise k." in found
    held = tuple(replace(one, verdict="not assessed") for one in failing)
    assert "Next step" not in "\n".join(words_of(summary(replace(made, rulings=held, attacks=()))))


@pytest.mark.thorough
def test_the_same_review_gives_the_same_bytes_in_another_process():
    import hashlib
    import os

    review = occupations()
    here = [report_html(review).encode(), report_pdf(review), review.picture]
    other = subprocess.run(
        [sys.executable, "-c", SAME],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"},
    )
    assert other.stdout.split() == [hashlib.sha256(made).hexdigest() for made in here]
    assert other.stderr == ""


@pytest.mark.thorough
def test_sixty_columns_and_two_hundred_rules_are_all_told():
    review = hostile()
    text = report_html(review)
    assert all(f"Rule {place} " in text for place in range(200))
    assert len(PdfReader(io.BytesIO(report_pdf(review))).pages) > 50
