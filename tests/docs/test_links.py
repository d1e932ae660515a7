"""Links between documents, and from docstrings to documents, lead somewhere."""

import re

import pytest

from tests.docs.pages import ROOT

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
IN_CODE = re.compile(r"(?<!tests/)\bdocs/[\w/.-]*\w")
IGNORED = {"build", "dist", "node_modules"}


def documents():
    inside = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "sample_data").glob("*.md")]
    return sorted(path for path in inside if not IGNORED & set(path.parts))


def anchors(path):
    """The names by which a link reaches a heading."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(path):
    for target in LINK.findall(path.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        found = (path.parent / file).resolve() if file else path
        there = found.exists() and found.is_relative_to(ROOT)
        if not there or (anchor and anchor not in anchors(found)):
            yield target


@pytest.mark.parametrize("path", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_links_to_what_is_there(path):
    assert list(broken(path)) == []


NAMED = re.compile(r"`((?:tests|kanon_engine|pages|docs|sample_data)/[\w/.-]+)`")


def gone(path):
    """Files and folders that a document names and that are not there; words in capitals stand for others."""
    named = {name for name in NAMED.findall(path.read_text(encoding="utf-8")) if not re.search(r"FAMILY|NAME", name)}
    return sorted(name for name in named if not (ROOT / name).exists())


@pytest.mark.parametrize("path", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_names_files_that_are_there(path):
    assert gone(path) == []


def test_a_file_that_is_gone_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("`docs/glossary.md`, `tests/test_gone.py` and `tests/FAMILY/test_NAME.py`")
    assert gone(page) == ["tests/test_gone.py"]


def test_a_broken_link_is_found(tmp_path, monkeypatch):
    (tmp_path / "there.md").write_text("# One heading")
    page = tmp_path / "page.md"
    page.write_text("[a](there.md) [b](there.md#one-heading) [c](gone.md) [d](there.md#two) [e](#gone)")
    monkeypatch.setattr("tests.docs.test_links.ROOT", tmp_path)
    assert list(broken(page)) == ["gone.md", "there.md#two", "#gone"]


def test_code_names_documents_that_are_there():
    code = [path for place in ("kanon_engine", "pages", "tests") for path in sorted((ROOT / place).rglob("*.py"))]
    named = {(path, name) for path in code for name in IN_CODE.findall(path.read_text(encoding="utf-8"))}
    assert len(named) > 20
    assert [(str(path.relative_to(ROOT)), name) for path, name in named if not (ROOT / name).exists()] == []
