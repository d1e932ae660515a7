"""docs/architecture.md leads to files and functions that are there, for every algorithm; each has its proof."""

import ast
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from kanon_engine.model.known import FAMILIES
from tests.docs.pages import DOCS, ROOT, text

PAGE = text("docs/architecture.md")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("| ")]
LINES = {(row[0], row[1]): row[2:] for row in ROWS if len(row) == 5}
ALGORITHMS = [(family.name, name) for family in FAMILIES.values() for name in family.algorithms]
ENGINE = ROOT / "kanon_engine"


def names_in(path):
    """Functions, classes and constants of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def strangers(cell, below):
    """Files of a cell that are not there, and names that the file before them does not have."""
    path = None
    for word in re.findall(r"`([^`]+)`", cell):
        if "/" in word or word.endswith(".py"):
            path = below / word
            if not path.exists():
                yield word
        elif path is None or word not in names_in(path):
            yield word


@pytest.mark.parametrize(("family", "name"), ALGORITHMS)
def test_an_algorithm_is_found_proven_and_checked(family, name):
    decides, proven, checked = LINES[family, name]
    assert list(strangers(decides, ENGINE)) == []
    assert list(strangers(checked, ENGINE)) == []
    snake = name.replace("-", "_")
    assert (ENGINE / family / snake).is_dir() or (ENGINE / family / f"{snake}.py").is_file()
    assert proven == f"`proofs/{family}/{snake}.md`"
    proof = (DOCS / "proofs" / family / f"{snake}.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (Statement|Proof|Tightness|Tests that attack it)", proof, re.MULTILINE)[0] == "Statement"
    assert "\n## Proof" in proof
    assert "\n## Tests that attack it" in proof


def test_it_knows_no_algorithm_that_is_gone():
    assert set(LINES) == {("family", "algorithm"), ("---", "---"), *ALGORITHMS}


def test_what_is_not_there_is_found():
    assert list(strangers("`labels/fold.py`: `fold`, `unfold`; `labels/gone.py`", ENGINE)) == [
        "unfold",
        "labels/gone.py",
    ]


def test_every_path_of_the_page_is_there():
    paths = set(re.findall(r"`((?:kanon_engine|pages|tests|docs|sample_data)/[\w/.]*)`", PAGE))
    paths = {path for path in paths if "FAMILY" not in path}
    assert len(paths) > 20
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


def test_what_a_person_sees_is_worded_where_it_says():
    found = re.findall(r"`(pages/[\w/]+\.py)`, `(\w+)`", PAGE)
    assert len(found) >= 2
    for path, name in found:
        assert name in names_in(ROOT / path)


def bound_names(family):
    """Every name that the family's code gives a `Bound`."""
    for path in (ENGINE / family).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Bound" and len(node.args) > 1:
                yield from (part.value for part in ast.walk(node.args[1]) if isinstance(part, ast.Constant))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_lower_bound_is_proven(family):
    names = {name for name in bound_names(family) if isinstance(name, str)}
    assert names
    proofs = "".join(path.read_text(encoding="utf-8") for path in sorted((DOCS / "proofs" / family).glob("*.md")))
    proofs = " ".join(proofs.split())
    assert [name for name in sorted(names) if f"“{name}”" not in proofs and f"| {name}" not in proofs] == []


TEST = re.compile(r"`(?:(tests/[\w/]+\.py))?(?:::(test_\w+))?`")


@pytest.mark.parametrize("path", sorted((DOCS / "proofs").rglob("*.md")), ids=lambda path: path.stem)
def test_the_tests_that_a_proof_names_are_there(path):
    known: set[str] = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith(("- `tests/", "  `::")):
            continue
        for file, test in TEST.findall(line):
            if file:
                assert (ROOT / file).exists(), file
                known = set(names_in(ROOT / file))
            if test:
                assert test in known, f"{test} in {file or line}"


def docstrings_of(path):
    """Of the module, its functions and classes, with their names."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
            yield getattr(node, "name", path.stem), ast.get_docstring(node) or ""


@pytest.mark.parametrize(("family", "name"), ALGORITHMS)
def test_the_docstring_of_an_algorithm_links_to_its_proof(family, name):
    snake = name.replace("-", "_")
    home = ENGINE / family / snake / "__init__.py"
    words = dict(docstrings_of(home if home.exists() else ENGINE / family / f"{snake}.py"))[snake]
    assert f"docs/proofs/{family}/{snake}.md" in words
    assert "\n>>> " in words


def test_a_bound_links_to_its_proof():
    for family in ("labels", "rectangles", "regions"):
        words = dict(docstrings_of(Path(find_spec(f"kanon_engine.{family}.bounds").origin)))["lower_bound"]
        assert f"docs/proofs/{family}/bounds.md" in words


def test_proofs_stand_in_docs_and_not_in_docstrings():
    """A verifier tells beside its code why the recomputation is right: it shares nothing, not even a page."""
    engine = [path for path in ENGINE.rglob("*.py") if "verify" not in path.parts]
    long = [
        f"{path.relative_to(ENGINE)}: {name}"
        for path in engine
        for name, words in docstrings_of(path)
        if re.search(r"\bPROOF\b|\bProof(\.|,| \()\s+[A-Z]", words)
    ]
    assert long == []
