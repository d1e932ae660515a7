"""Sentences on pages, in errors and documents: American spelling, few special terms, nothing that reads translated."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from tests.strings import ROOT, python_files, sentences

MOST_TERMS = 120
BRITISH = re.compile(
    r"neighbour|colour|behaviour|favour|honour|\bgrey|catalogue|licence|labelled|labelling|modelled|centre[sd]?\b|metres?\b"
    r"|anonymis|organis(e|at)|recognis|summaris|normalis|minimis|maximis|optimis|generalis|analyse|judgement|learnt"
    r"|towards",
    re.IGNORECASE,
)
# Names of other people's works, words that files use, and names of other libraries
QUOTED = re.compile(
    r"Anonymisation|anonymisation techniques|licence_nr|licence plate|licence; |license\|licence|neighbourhood; nbhd"
    r'|center centre|gray grey|"focal", "neighbour"|metre\b|m-Invariance: Towards|aria-labelledby'
)
TURNS = (  # (what a reader stumbles over, what to write)
    (r"\banew\b", "again"),
    (r"\bmends?\b", "fix"),
    (r"\bspeaks? of\b", "refer to"),
    (r"\bone an? (row|group|item|point|record|area|column|line|label)\b", "one per …"),
    (r"\bby the search['’]s word\b|\bon whose word\b", "reported by the solver"),
    (r"\b(may|what) leaves?\b", "may be released"),
    (r"\bheld against\b", "compared with"),
    (r"\btells? of\b|\btells? apart\b|\btold apart\b", "reveal, distinguish"),
    (r"\bhangs? together\b", "is connected"),
    (r"(?<!There )\bis no (number|column|row|file|table|certificate|bundle|project)\b", "is not a …"),
    (r"\bwas understood\b", "we read"),
    (r"\bothers than\b", "different from"),
    (r"\bsaid to be\b", "declared as"),
    (r"\bis called as\b", "its name suggests"),
)


def tracked(*patterns: str) -> list[Path]:
    listing = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listing.stdout.splitlines()]


@cache
def lines_that_are_seen() -> list[tuple[str, str]]:
    """(where, text) of every string that a person can see, and of every line of the documents without its code."""
    seen = [(f"{path.relative_to(ROOT)}:{line}", text) for path in python_files() for line, text in sentences(path)]
    for path in tracked("docs/*.md", ":!docs/proofs", "README.md", "kanon_engine/*.md"):
        text = re.sub(r"^```.*?^```", lambda code: "\n" * code[0].count("\n"), path.read_text(), flags=re.M | re.S)
        for number, line in enumerate(text.splitlines(), 1):
            seen.append((f"{path.relative_to(ROOT)}:{number}", re.sub(r"`[^`]*`", "", line)))
    return seen


@pytest.mark.parametrize(("turn", "instead"), TURNS, ids=[instead for _, instead in TURNS])
def test_no_sentence_reads_like_a_translation(turn, instead):
    assert [f"{where}: {text}" for where, text in lines_that_are_seen() if re.search(turn, text)] == []


def test_the_spelling_is_american():
    files = tracked("kanon_engine", "pages", "docs", "README.md", "app.py", "CHANGELOG.md")
    assert [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in files
        if path.suffix in (".py", ".md", ".js", ".css", ".html", ".toml")
        for line in path.read_text().splitlines()
        if BRITISH.search(QUOTED.sub("", line))
    ] == []


def test_a_person_meets_few_terms_of_our_own():
    rows = [line for line in (ROOT / "docs" / "glossary.md").read_text().splitlines() if line.startswith("| ")]
    assert 50 < len(rows) - 2 <= MOST_TERMS
