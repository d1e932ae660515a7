"""Borders from a list instead of from shapes: two columns of ids, or a .gal file of spatial weights."""

from __future__ import annotations

import re
from typing import Any

from kanon_engine.errors import InvalidInput
from kanon_engine.io.column_names import plain
from kanon_engine.io.confined import confined
from kanon_engine.io.frames import read_frame
from kanon_engine.io.source import TABLES, Source
from kanon_engine.regions.read.area_ids import column_ids

PAIRS = (
    ("a", "b"),
    ("source", "target"),
    ("from", "to"),
    ("focal", "neighbor"),
    ("focal", "neighbour"),
    ("id1", "id2"),
)
GAL_HEADER = re.compile(r"\s*(0\s+\d+\s+\S+\s+\S+|\d+)\s*")


@confined("file")
def read_edges(file: Any, filename: str | None = None) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """Pairs of ids that border each other, and all ids in the order of the file.

    Raises
    ------
    InvalidInput
        Another kind of file, not two columns of ids, a missing id, an area that borders itself.
    """
    source = Source.open(file, filename)
    if source.kind == "text" and _is_gal(source):
        pairs, ids = _gal(source)
    else:
        pairs, ids = _table(source)
    for a, b in pairs:
        if a == b:
            raise InvalidInput(f"{source.name} says that {a} borders itself; leave that line out.")
    return pairs, list(dict.fromkeys(ids))


def looks_like_edges(source: Source) -> bool:
    """Whether a file is a list of borders: a .gal file, or a table of exactly two columns with the same kind of ids."""
    if source.kind == "text" and _is_gal(source):
        return True
    if source.kind not in TABLES:
        return False
    frame, _ = read_frame(source)
    if _named_pair(frame.columns) is not None:
        return True
    if frame.shape[1] != 2:
        return False
    one, other = (set(frame.iloc[:, place].dropna().astype(str)) | {str(frame.columns[place])} for place in (0, 1))
    return len(one & other) > 0.5 * min(len(one), len(other))


def _named_pair(columns: Any) -> list[Any] | None:
    names = {plain(column): column for column in columns}
    return next(([names[a], names[b]] for a, b in PAIRS if a in names and b in names), None)


def _table(source: Source) -> tuple[list[tuple[Any, Any]], list[Any]]:
    frame, _ = read_frame(source)
    chosen = _named_pair(frame.columns)
    if chosen is None:
        if frame.shape[1] != 2:
            listing = ", ".join(map(str, frame.columns))
            raise InvalidInput(
                f"{source.name} should list borders as two columns of ids, but its columns are: {listing}; "
                f"keep two, or name them a and b."
            )
        chosen = list(frame.columns)
        if source.kind == "text" and {*chosen} & {*frame[chosen[0]], *frame[chosen[1]]}:  # the first line is a pair too
            frame, _ = read_frame(source, header=False)
            chosen = list(frame.columns)
    ends = [column_ids(frame[column], source.name) for column in chosen]
    pairs = list(zip(*ends, strict=True))
    return pairs, [end for pair in pairs for end in pair]


def _lines(source: Source) -> list[list[str]]:
    return [line.split() for line in source.data.decode("utf-8-sig", errors="replace").splitlines() if line.strip()]


def _is_gal(source: Source) -> bool:
    head = source.data[:2000].decode("utf-8-sig", errors="replace").splitlines()
    second = head[1].split() if len(head) > 1 else []
    return bool(head) and GAL_HEADER.fullmatch(head[0]) is not None and len(second) == 2 and second[1].isdecimal()


def _gal(source: Source) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """First line: the number of areas, alone or second. Then for each: id and number of neighbours; their ids."""
    header, *lines = _lines(source)
    count = int(header[1] if len(header) > 1 else header[0])
    pairs: list[tuple[Any, Any]] = []
    ids: list[Any] = []
    place = 0
    while place < len(lines):
        line = lines[place]
        if len(line) != 2 or not line[1].isdecimal():
            raise InvalidInput(
                f"{source.name} is no .gal file: “{' '.join(line)}” is not an id and its number of neighbours."
            )
        ids.append(line[0])
        neighbours = lines[place + 1] if int(line[1]) and place + 1 < len(lines) else []
        if len(neighbours) != int(line[1]):
            raise InvalidInput(
                f"{source.name} names {len(neighbours)} neighbours of {line[0]} but promises {line[1]}; correct it."
            )
        pairs += [(line[0], neighbour) for neighbour in neighbours]
        place += 2 if neighbours else 1
    if len(ids) != count:
        raise InvalidInput(f"{source.name} promises {count} areas and lists {len(ids)}; it may be cut short.")
    unknown = sorted({b for _, b in pairs} - set(ids))
    if unknown:
        raise InvalidInput(f"{source.name} names a neighbour {unknown[0]} that is no area of the file; correct it.")
    return pairs, ids
