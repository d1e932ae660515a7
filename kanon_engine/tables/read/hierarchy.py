"""Generalization hierarchies as ARX writes them: a line a value, with the names of what it becomes level by level."""

from __future__ import annotations

from typing import Any

from kanon_engine.errors import InvalidInput
from kanon_engine.io.confined import confined
from kanon_engine.io.frames import read_frame
from kanon_engine.io.source import Source


@confined("file")
def read_hierarchy(file: Any, filename: str | None = None) -> tuple[str, ...]:
    """The values of a hierarchy in preorder: what has a common ancestor stands together, on every level.

    Parameters
    ----------
    file : path, bytes, readable object or Source
        Without a header: value;level 1;level 2;…;*
    filename : str, optional
        What to call uploaded bytes in sentences.

    Returns
    -------
    tuple of str
        Of what has the same parent, what comes first in the file comes first.

    Raises
    ------
    InvalidInput
        No table, or a value stands twice.

    Example
    -------
    >>> read_hierarchy(b"Paris;Europe;*\\nLima;America;*\\nRome;Europe;*\\n")
    ('Paris', 'Rome', 'Lima')
    """
    source = Source.open(file, filename)
    if source.kind != "text":
        raise source.refuse("a hierarchy as CSV (value;level 1;…;*)")
    frame, _ = read_frame(source, header=False)
    rows = frame.fillna("").to_numpy(dtype=str).tolist()
    leaves = [row[0].strip() for row in rows]
    seen: dict[str, int] = {}
    for number, leaf in enumerate(leaves, start=1):
        if seen.setdefault(leaf, number) != number:
            raise InvalidInput(
                f"“{leaf}” stands twice in {source.name}, at rows {seen[leaf]} and {number}; a hierarchy "
                "has each value once."
            )
    first: dict[tuple[str, ...], int] = {}
    paths = [tuple(reversed(row[1:])) for row in rows]
    for number, path in enumerate(paths):
        for depth in range(len(path)):
            first.setdefault(path[: depth + 1], number)
    keys = [[*(first[path[: depth + 1]] for depth in range(len(path))), number] for number, path in enumerate(paths)]
    return tuple(leaves[number] for number in sorted(range(len(rows)), key=keys.__getitem__))
