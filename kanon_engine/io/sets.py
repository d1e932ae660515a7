"""Sets of names from a file: a CSV in which each line is a set."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from typing import Any

from kanon_engine.io.confined import confined
from kanon_engine.io.source import Source


@confined("value")
def sets_in(value: Any) -> Any:
    """Lists of names from a file, one a line; what is no file, as it is.

    Example
    -------
    >>> sets_in(b"flu, cold\\n\\ngout\\n"), sets_in([{"flu", "cold"}]) == [{"flu", "cold"}]
    ([['flu', 'cold'], ['gout']], True)
    """
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | os.PathLike) and not hasattr(value, "read"):
        return value
    lines = csv.reader(Source.open(value, None).text()[0].splitlines(), skipinitialspace=True)
    rows = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    return [row for row in rows if row]


def sets_told(sets: dict[str, tuple[tuple[Any, ...], ...]], item: str) -> list[str]:
    """A sentence for each kind of wish of which there are sets.

    Example
    -------
    >>> sets_told({"together": (("flu", "cold"),), "apart": ()}, "label")
    ['1 set of labels stays together.']
    """
    return [
        f"{len(found):,} set{'s' * (len(found) > 1)} of {item}s {SAID[name][len(found) > 1]}."
        for name, found in sets.items()
        if found
    ]


SAID = {
    "together": ("stays together", "stay together"),
    "apart": ("is kept apart", "are kept apart"),
    "barriers": ("is a barrier", "are barriers"),
}
