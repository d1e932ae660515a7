"""Hashes of list values: if a release shows a name as its md5 or sha256, anyone who hashes the list finds it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from kanon_engine.disclosure.cells import folded
from kanon_engine.model.values import column_values, value_words
from kanon_engine.release.released import Released

# hexadecimal digits → name
ALGORITHMS = {32: "md5", 40: "sha1", 56: "sha224", 64: "sha256", 96: "sha384", 128: "sha512"}
HEXADECIMAL = re.compile(r"[0-9a-f]+")


@dataclass(frozen=True)
class Hashed:
    """A column of a release with hashes of a column of a list."""

    released: str
    outside: str
    algorithm: str
    people: np.ndarray  # (pairs,) int64: positions in the list
    rows: np.ndarray  # (pairs,) int64: which row each of them has

    @property
    def joined(self) -> str:
        """As a person reads it."""
        return f"{self.released} (the {self.algorithm} of {self.outside})"


def digests(column: pd.Series) -> pd.Series:
    """The cells that are plain hexadecimal digests of a known length, in lowercase; all others are missing."""
    if column.dtype.kind in "biufcMm":
        return pd.Series(None, column.index, dtype=object)
    texts = [cell.strip().lower() if isinstance(cell, str) else "" for cell in column]
    cells = [text if len(text) in ALGORITHMS and HEXADECIMAL.fullmatch(text) else None for text in texts]
    return pd.Series(cells, column.index, dtype=object)


def hashed(released: Released, outside: pd.DataFrame) -> list[Hashed]:
    """Columns of a release that hash a column of a list, and whose row each is.

    Each value of the list is hashed, as UTF-8, as written, in uppercase, in lowercase, without accents, and each of
    these without spaces and also without punctuation. Salted and keyed hashes, and hashes of several columns together,
    are not found.

    >>> names = pd.DataFrame({"name": ["Ada", "Ben"]})
    >>> shown = pd.DataFrame({"pid": [hashlib.md5(b"ben").hexdigest().upper(), "x"], "age": ["30–39", "40–49"]})
    >>> (found,) = hashed(Released(shown, ("age",)), names)
    >>> found.joined, found.people.tolist(), found.rows.tolist()
    ('pid (the md5 of name)', [1], [0])
    """
    result = []
    for column in released.frame.columns:
        hashes = digests(released.frame[column])
        rows: dict[str, list[int]] = {}
        for row, text in zip(np.flatnonzero(hashes.notna()).tolist(), hashes.dropna().tolist(), strict=True):
            rows.setdefault(text, []).append(row)
        lengths = sorted({len(text) for text in rows})
        for name in outside.columns if rows else ():
            for length in lengths:
                pairs = list(_pairs(outside[name], ALGORITHMS[length], rows))
                if pairs:
                    people, matching_rows = np.array(pairs, dtype=np.int64).T
                    result.append(Hashed(str(column), str(name), ALGORITHMS[length], people, matching_rows))
    return result


def _pairs(column: pd.Series, algorithm: str, rows: dict[str, list[int]]) -> Iterator[tuple[int, int]]:
    for person, value in enumerate(column_values(column)):
        if value is None:
            continue
        for text in _written(value_words(value)):
            matching = rows.get(hashlib.new(algorithm, text.encode()).hexdigest())
            if matching is not None:
                yield from ((person, row) for row in matching)
                break


def _written(text: str) -> dict[str, None]:
    """A value in the ways in which it is hashed, each once."""
    ways = [text, text.upper(), text.lower(), folded(text)]
    return dict.fromkeys(re.sub(signs, "", way) for signs in ("$", r"\s+", r"\W+") for way in ways)
