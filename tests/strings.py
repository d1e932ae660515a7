"""Every string that a person can see: python -m tests.strings OUTPUT writes them, one a line."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("kanon_engine", "pages", "app.py")
CODE = re.compile(
    r"[<>{}$\\]|^\W*$|^(SELECT|WITH|CREATE|COPY|SET|DROP|INSERT) |^--\w|^[\w.:-]+$|%\w|::|^\S+/\S+$"
    r"|\(\?:|\w\|\w|^onfill | halo$|^cut (shut|clear)$"  # regular expressions, and classes of a lesson's drawing
)
WORDS = re.compile(r"[A-Za-z]{2,}[,;:]? +\S*[A-Za-z]{2,}|^[A-Z][a-z]{2,}\W*$")


def python_files() -> Iterator[Path]:
    for folder in FOLDERS:
        path = ROOT / folder
        yield from [path] if path.is_file() else sorted(path.rglob("*.py"))


def sentences(path: Path) -> Iterator[tuple[int, str]]:
    """(line, text) of each string that is no docstring and reads like words; what is put in stands as {…}."""
    tree = ast.parse(path.read_text())
    skipped = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(value) for value in node.values}
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            skipped.add(id(node.format_spec))
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.JoinedStr):
            text = "".join(value.value if isinstance(value, ast.Constant) else "{…}" for value in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if WORDS.search(text) and not CODE.search(text.replace("{…}", "")):
            yield node.lineno, " ".join(text.split())


if __name__ == "__main__":
    lines = [f"{path.relative_to(ROOT)}:{line}\t{text}" for path in python_files() for line, text in sentences(path)]
    Path(sys.argv[1]).write_text("\n".join(lines) + "\n")
