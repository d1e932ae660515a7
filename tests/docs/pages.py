"""What the documents say, to be compared with what the code gives."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def text(name):
    """A document by its path below the project, whole."""
    return (ROOT / name).read_text(encoding="utf-8")


def said(name, pattern):
    """The whole numbers of a sentence of a document, which must be there; a space stands for any white space."""
    found = re.search(pattern.replace(" ", r"\s+"), text(name))
    assert found, f"{name} no longer says {pattern}"
    return [int(number.replace(",", "")) for number in found.groups()]
