"""“-” instead of a path: standard input where a file is read, standard output where one is written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from kanon_engine.errors import InvalidInput
from kanon_engine.io.limits import limits
from kanon_engine.io.source import Source
from kanon_engine.records.address import Address

STANDARD = Path("-")
READS = "“-” reads standard input."


def given(*paths: Path | str) -> list[Any]:
    """What readers take for these paths: the path itself, what standard input holds, or an address of records as text.

    Raises
    ------
    InvalidInput
        Several of them are standard input, or it is empty or too large.
    """
    named = [path if Address.of(str(path)) else Path(path) for path in paths]
    if named.count(STANDARD) > 1:
        raise InvalidInput("“-” is given for two files, and standard input holds one; give the other by its path.")
    return [_standard_input() if path == STANDARD else path for path in named]


def _standard_input() -> Source:
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise InvalidInput("There is no standard input to read; give a path instead of “-”.")
    return Source.open(stream.read(limits().file + 1), "standard input")


def called(path: Path) -> str:
    """What a path is called in a sentence."""
    return "standard output" if path == STANDARD else str(path)
