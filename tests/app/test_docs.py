"""The page that shows the documents: every one of them, nothing else, and links that lead on."""

from __future__ import annotations

import re

import pytest

from pages._docs import documents as listing
from pages._docs.documents import documents, with_links
from tests.app.visit import ROOT, go, run_once, visit

DOCS = ROOT / "docs"
LINK = re.compile(r"\]\(\?page=([^)#]+)(?:#([^)]+))?\)")


def text_of(app):
    return max((mark.value for mark in app.markdown), key=len)


def test_every_page_of_the_folder_can_be_chosen_and_is_shown_whole():
    app = visit("docs")
    known = documents()
    assert set(known) == {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert app.selectbox[0].options == [one.title for one in known.values()]
    assert len(set(app.selectbox[0].options)) == len(known)
    assert dict(app.query_params) == {"page": "algorithms.md"}
    app.selectbox[0].set_value("proofs/labels/fold.md")
    run_once(app)
    assert dict(app.query_params) == {"page": "proofs/labels/fold.md"}
    assert text_of(app) == with_links(known["proofs/labels/fold.md"].text().rstrip(), "proofs/labels/fold.md", known)
    go(app, "home")
    go(app, "docs")
    assert app.selectbox[0].value == "proofs/labels/fold.md"


@pytest.mark.parametrize("name", documents())
def test_every_link_of_a_document_leads_to_a_document_that_is_shown(name):
    known = documents()
    text = known[name].text()
    shown = with_links(text, name, known)
    inside = re.findall(r"\]\(([^)\s#]+\.md)", text)
    lead = [there for there, _ in LINK.findall(shown)]
    assert all(there in known for there in lead)
    below = [one for one in inside if (DOCS / name).parent.joinpath(one).resolve().is_relative_to(DOCS)]
    assert len(lead) == len(below)
    assert not re.search(r"\]\((?!\?page=|https?:|#)", shown)
    assert "$" not in re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)  # the page would read it as a formula


HOSTILE = (
    "../../etc/passwd",
    "/etc/passwd",
    "../README.md",
    "proofs/../../README.md",
    "proofs",
    ".",
    "",
    "algorithms.md/../../app.py",
    "..%2f..%2fetc%2fpasswd",
    "%2e%2e/README.md",
    "algorithms.md\x00",
    "file:///etc/passwd",
    "https://example.org/x.md",
    "x" * 5000,
    "[a](javascript:alert(1)) <b>$x$",
)


@pytest.mark.thorough(one_in=4)
@pytest.mark.parametrize("page", HOSTILE, ids=range(len(HOSTILE)))
def test_a_link_opens_no_other_file(page, monkeypatch):
    opened = []
    read = listing.Document.text
    monkeypatch.setattr(listing.Document, "text", lambda one: opened.append(one.path) or read(one))
    app = visit("docs", page=page)
    assert opened == [DOCS / "algorithms.md"]
    [warning] = app.warning
    assert warning.value.startswith("There is no document “")
    assert len(warning.value) < 200
    assert "<b>" not in warning.value
    assert dict(app.query_params) == {"page": "algorithms.md"}


def test_a_file_that_a_link_on_the_disk_leads_to_is_no_document(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "secret.md").write_text("# Secret")
    (tmp_path / "docs" / "own.md").write_text("# Own")
    (tmp_path / "docs" / "there.md").symlink_to(tmp_path / "secret.md")
    assert list(documents(tmp_path / "docs")) == ["own.md"]


def test_without_the_folder_the_page_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(listing, "DOCS", tmp_path / "docs")
    assert documents(tmp_path / "docs") == {}
    monkeypatch.setattr(documents, "__defaults__", (tmp_path / "docs",))
    app = visit("docs")
    assert (
        app.info[0].value == "The documentation is not installed here; find it in the “docs” folder of kanon's source."
    )
    assert not app.selectbox
