"""What is signed: every file of a bundle by its digest, what was read, the result, and what people stated."""

from __future__ import annotations

import hashlib
import json
import platform
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any

from kanon_engine.errors import InvalidInput
from kanon_engine.model.serialize import parsed
from kanon_engine.shown import Shown
from kanon_engine.version import __version__

FORMAT = "kanon bundle 1"
ENTRIES = ("files", "input", "result", "instance", "versions", "context", "released")
DIGITS = frozenset("0123456789abcdef")
PACKAGES = (
    "numpy", "pandas", "scipy", "geopandas", "shapely", "numba", "ortools", "fpdf2", "fonttools", "matplotlib",
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class Manifest(Shown):
    """The list that is signed.

    >>> manifest = Manifest({"README.txt": listed(b"Hello")}, {}, "0" * 64, "0" * 64)
    >>> Manifest.read(manifest.text.encode()) == manifest
    True
    """

    # name of a member → (its SHA-256, its bytes), for all except the manifest and its signature
    files: Mapping[str, tuple[str, int]]
    input: Mapping[str, str]  # name of each file that was read → its SHA-256
    # result, instance: the digest of the result, and of the data as read
    result: str
    instance: str
    versions: Mapping[str, str] = field(default_factory=dict)  # name of a package → its version
    # what an officer stated, by the names of `Context`; the decision, by those of `Decision` after “decision.”
    context: Mapping[str, str] = field(default_factory=dict)
    # how the files of the release are read: `quasi_identifiers`, `counts` (the column that says how many records a row
    # represents, or None), `k` (the target size of sets), `promised` (the k that all sets reach; None for own records
    # if some are smaller), and `own`: whether the records differ from those that the groups were made from
    released: Mapping[str, Any] = field(default_factory=dict)

    def _facts(self) -> dict[str, object]:
        return {"files": len(self.files), "input": tuple(self.input), "result": self.result[:12]}

    @property
    def text(self) -> str:
        """As JSON; the same content is the same text."""
        files = {name: {"sha256": digest, "bytes": size} for name, (digest, size) in self.files.items()}
        content = {"format": FORMAT} | {name: getattr(self, name) for name in ENTRIES} | {"files": files}
        return json.dumps(content, sort_keys=True, indent=1, ensure_ascii=True) + "\n"

    @classmethod
    def read(cls, text: bytes) -> Manifest:
        """From its JSON, which must be exactly as kanon writes it."""
        content = parsed(text)
        if not isinstance(content, dict) or content.pop("format", None) != FORMAT or set(content) != set(ENTRIES):
            raise InvalidInput(
                f"The manifest is not in the format “{FORMAT}”; check this bundle with the kanon version that made it."
            )
        files = content["files"]
        tables = [content[name] for name in ("input", "versions", "context")]
        good = all(isinstance(one, dict) for one in (files, *tables, content["released"]))
        good = good and all(map(_is_entry, files.values()))
        words = [content["result"], content["instance"], *(value for one in tables if good for value in one.values())]
        if not good or not all(isinstance(one, str) for one in words):
            raise InvalidInput("The manifest has an entry that is not in the required form; it was edited.")
        listing = {name: (entry["sha256"], entry["bytes"]) for name, entry in files.items()}
        manifest = cls(**content | {"files": listing})
        if manifest.text.encode() != text:
            raise InvalidInput("The manifest is not in the form in which kanon writes it; it was edited.")
        return manifest


def listed(content: bytes) -> tuple[str, int]:
    """The manifest's entry for a file: its SHA-256 and its size in bytes."""
    return sha256(content), len(content)


def sha256(content: bytes) -> str:
    """In the form of other tools: 64 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def _is_entry(entry: Any) -> bool:
    good = isinstance(entry, dict) and set(entry) == {"sha256", "bytes"}
    return good and type(entry["bytes"]) is int and isinstance(entry["sha256"], str) and is_digest(entry["sha256"])


def is_digest(text: str) -> bool:
    """Whether a text is 32 bytes in hexadecimal digits, as `sha256` writes them.

    >>> is_digest(sha256(b"")), is_digest("a0")
    (True, False)
    """
    return len(text) == 64 and set(text) <= DIGITS


def versions() -> dict[str, str]:
    """Of kanon, of Python, of what packs a PDF, and of the packages that a result and its report depend on."""
    result = {"kanon": __version__, "python": platform.python_version(), "zlib": zlib.ZLIB_RUNTIME_VERSION}
    for name in PACKAGES:
        try:
            result[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return result
