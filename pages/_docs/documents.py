"""The documents that can be shown: the pages below docs/ and no other file, whatever a link says."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

FOLDER = Path(__file__).parents[2] / "docs"
PAGE = "page"  # what the address bar calls the document
_PIECES = re.compile(r"(?P<code>```.*?```|`[^`]*`)|\[(?P<words>[^\]]+)\]\((?P<target>[^)\s]+)\)", re.DOTALL)


@dataclass(frozen=True)
class Document:
    """A page of docs/.

    Attributes
    ----------
    name : str
        Its path below docs/.
    title : str
        Its heading, behind the family where it is a proof.
    path : Path
    """

    name: str
    title: str
    path: Path

    def text(self) -> str:
        """All of it."""
        return self.path.read_text(encoding="utf-8")


def documents(folder: Path = FOLDER) -> dict[str, Document]:
    """Every document by its name, proofs last; none where the folder is not there."""
    home = folder.resolve()
    paths = [path for path in folder.rglob("*.md") if path.resolve().is_relative_to(home)]
    found = [_document(path, path.relative_to(folder).as_posix()) for path in paths]
    return {one.name: one for one in sorted(found, key=lambda one: (one.name.count("/"), one.title))}


def _document(path: Path, name: str) -> Document:
    with path.open(encoding="utf-8") as lines:
        heading = lines.readline().lstrip("#").strip()
    folder = posixpath.basename(posixpath.dirname(name))
    family = f"{folder.capitalize()}: " if name.count("/") > 1 else ""
    return Document(name, f"{family}{heading}" or name, path)


def with_links(text: str, name: str, known: Container[str]) -> str:
    """The text of a document, its links to documents as the page follows them; of others on the disk the words alone.

    Example
    -------
    >>> print(with_links("[a](../x.md#b), [c](https://d.org), [e](f.py), `[g](x.md)`", "proofs/y.md", {"x.md"}))
    [a](?page=x.md#b), [c](https://d.org), e, `[g](x.md)`
    """

    def piece(found: re.Match[str]) -> str:
        target = found["target"]
        if found["code"] or "://" in target or target.startswith("#"):
            return found[0]
        file, _, heading = target.partition("#")
        other = posixpath.normpath(posixpath.join(posixpath.dirname(name), file))
        if other not in known:
            return found["words"]
        return f"[{found['words']}](?{PAGE}={quote(other)}{'#' if heading else ''}{heading})"

    return _PIECES.sub(piece, text)
