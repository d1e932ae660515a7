"""Who may import whom: data flows one way, and a check shares nothing with what it checks."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ENGINE = ROOT / "kanon_engine"
FAMILIES = [path.parent.name for path in sorted(ENGINE.glob("*/instance.py"))]
VERIFIERS = [path for family in FAMILIES for path in sorted((ENGINE / family).glob("verify*.py"))]
VERIFIERS_MAY_USE = {"certificate", "errors"}


def imported(path):
    """Names of all modules that a file imports, at any depth, but for those that only type checkers read."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", VERIFIERS, ids=lambda path: f"{path.parent.name} {path.stem}")
def test_a_verifier_knows_only_its_instance(path):
    family = f"kanon_engine.{path.parent.name}"
    own = [name for name in imported(path) if name.startswith("kanon_engine")]
    allowed = {f"{family}.instance", *(f"kanon_engine.{name}" for name in VERIFIERS_MAY_USE)}
    allowed |= {f"{family}.{part.stem}" for part in path.parent.glob("verify_*.py")}
    strangers = [name for name in own if not any(name == good or name.startswith(good + ".") for good in allowed)]
    assert strangers == []


@pytest.mark.parametrize(
    "path", sorted(ENGINE.rglob("*kernels.py")), ids=lambda path: f"{path.parent.name} {path.stem}"
)
def test_kernels_import_only_kernels(path):
    modules = {name for name in imported(path) if name.startswith("kanon_engine")}
    assert [name for name in modules if "kernels" not in name] == []


@pytest.mark.parametrize("path", sorted(ENGINE.rglob("*.py")), ids=lambda path: str(path.relative_to(ENGINE)))
def test_the_engine_knows_no_page(path):
    assert [name for name in imported(path) if name.split(".")[0] in ("streamlit", "pages", "app", "tests")] == []


@pytest.mark.parametrize("path", sorted((ROOT / "tests" / "oracles").glob("*.py")), ids=lambda path: path.stem)
def test_oracles_import_nothing_of_the_engine(path):
    assert [name for name in imported(path) if name.startswith("kanon_engine")] == []


def test_the_instance_of_a_family_knows_no_algorithm():
    for family in FAMILIES:
        names = imported(ENGINE / family / "instance.py")
        own = {name.split(".")[2] for name in names if name.startswith(f"kanon_engine.{family}.")}
        assert own <= {"read", "domain", "constraints", "feasible", "parts"}, family
