"""How a text is split into columns, by its first lines, and what columns of one name are called."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from itertools import islice

MOST_TOLD = 20  # columns of one name


def told_apart(names: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """The names, a second one of a kind with a number as pandas gives it; "a" and "a " are the same to a person.

    Example
    -------
    >>> told_apart(["a", "b", "a", "a.1"])
    (['a', 'b', 'a.2', 'a.1'], ('Two columns are called “a”; the second was read as “a.2”.',))
    """
    taken, seen, result = set(names), Counter[str](), []
    told: list[str] = []
    for name in names:
        seen[name] += 1
        if seen[name] > 1:
            number = seen[name] - 1
            while f"{name}.{number}" in taken:
                number += 1
            seen[name] = number + 1
            told.append(f"Two columns are called “{name}”; the second was read as “{name}.{number}”.")
            name = f"{name}.{number}"
            taken.add(name)
        result.append(name)
    notes = told if len(told) <= MOST_TOLD else [*told[:MOST_TOLD], f"So were {len(told) - MOST_TOLD:,} more columns."]
    return result, tuple(notes)


def first_rows(text: str, delimiter: str) -> list[list[str]]:
    """About 20 rows; a quoted value may go over several lines."""
    beginning = text[:20_000]
    reader = csv.reader(io.StringIO(beginning, newline=""), delimiter=delimiter, skipinitialspace=True)
    rows = [row for row in islice(reader, 21) if any(value.strip() for value in row)]
    cut = len(rows) < 21 and len(beginning) < len(text)
    return rows[:-1] if cut and len(rows) > 1 else rows


# Not csv.Sniffer, which gives up on one column and on columns aligned by spaces; nor clevercsv, which takes stars of
# masked values (8000*;800**) for delimiters.
def delimiter_of(text: str) -> str:
    """The delimiter that splits the first lines into the same number of columns, more than one where possible."""
    lines = [line for line in text[:20_000].splitlines() if line.strip()][:20]
    if len(lines) > 1 and len(text) > 20_000:
        lines = lines[:-1] or lines
    best, columns = ",", 1
    for delimiter in (",", ";", "\t", "|"):
        counts = {len(row) for row in first_rows(text, delimiter)}
        if len(counts) == 1 and max(counts) > columns:
            best, columns = delimiter, max(counts)
    aligned = {len(re.split(r"\s{2,}", line.strip())) for line in lines}
    if columns == 1 and len(aligned) == 1 and max(aligned) > 1:
        return " "
    return best if columns > 1 else _of_uneven_lines(text) or best


def _of_uneven_lines(text: str) -> str:
    """The delimiter of a table in which some lines end early: no line has more columns than the first; "" for none."""
    for delimiter in (";", "\t", "|", ","):
        first, *others = [len(row) for row in first_rows(text, delimiter)] or [0]
        if first > 1 and max(others, default=first + 1) <= first and 2 * others.count(first) >= len(others):
            return delimiter
    return ""
