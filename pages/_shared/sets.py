"""Sets of items as a person writes them, one a line, and as a link has them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, unquote, urlencode

from pages._shared.link import linked, misread
from pages._shared.records import Data
from pages._shared.wording import shortened

LONGEST = 8_000  # characters of a link; servers refuse addresses of some tens of thousands
NO_ROOM = "The address bar has no room for these rules, so a link leaves them out. A project file keeps them."
OWN = "A link holds nothing of what is in your file, so it leaves rules out. A project file keeps them."


def rows_in(text: str) -> list[list[str]]:
    """The sets that lines are, with commas between their items.

    Example
    -------
    >>> rows_in('a, "b, c"\\n\\nd')
    [['a', 'b, c'], ['d']]
    """
    lines = csv.reader(text.splitlines(), skipinitialspace=True)
    rows = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    return [row for row in rows if row]


def text_of(rows: Iterable[Iterable[Any]]) -> str:
    """What `rows_in` reads."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def link_of(rows: Iterable[Iterable[Any]]) -> str:
    """Sets for a link.

    Example
    -------
    >>> link_of([["a", "b, c"], ["d;"]])
    'a,b%2C c;d%3B'
    """
    return ";".join(",".join(quote(str(item), safe=" ") for item in row) for row in rows)


def rows_of_link(text: str) -> list[list[str]]:
    """What `link_of` wrote.

    Example
    -------
    >>> rows_of_link("a,b%2C c;d%3B")
    [['a', 'b, c'], ['d;']]
    """
    rows = [[unquote(item).strip() for item in row.split(",")] for row in text.split(";")]
    return [[item for item in row if item] for row in rows if any(row)]


def linked_rows(data: Data, name: str) -> list[list[str]] | None:
    """The sets of this name that the link which opened the page asks for; it speaks of samples alone."""
    text = None if data.key else linked(data.family, name)
    if text is None:
        return None
    rows = rows_of_link(text)
    if not rows:
        misread(data.family, f"“{name}={shortened(text)}” names no set.")
    return rows


def link_with_sets(data: Data, sets: Mapping[str, Iterable[Iterable[Any]]], **more: str) -> tuple[dict[str, str], str]:
    """What a link says of rules, and what is said of that on the page: all or none of them fit into it."""
    values = {name: link_of(rows) for name, rows in sets.items()} | more
    values = {name: value for name, value in values.items() if value}
    if not values:
        return {}, ""
    if data.key:
        return {}, OWN
    return (values, "") if len(urlencode(values)) <= LONGEST else ({}, NO_ROOM)
