"""The name files of the 1990 US census: a name, its percentage, the cumulative percentage and the rank in each line."""

from __future__ import annotations

import re

from kanon_engine.errors import InvalidInput

UNIT = "people per 100,000"  # the percentages have three decimals, so 0.001 % is one of them
LINE = re.compile(r"(\S.*?)\s+(\d+)\.(\d{3})\s+\d+\.\d{3}\s+\d+")
LOOKED_AT = 20


def is_census_file(text: str) -> bool:
    """Whether the first lines, of which there must be one, all have the census form."""
    lines = [line.strip() for line in text[:4096].splitlines()[:LOOKED_AT] if line.strip()]
    if len(text) > 4096 and len(lines) > 1:
        lines = lines[:-1]
    return bool(lines) and all(LINE.fullmatch(line) for line in lines)


def read_census(text: str, source_name: str) -> tuple[list[str], list[int], tuple[str, ...]]:
    """Names and counts in people per 100,000, without the names that are rounded to 0.

    Returns
    -------
    names : list of str
    counts : list of int
        Above 0.
    notes : tuple of str

    Raises
    ------
    InvalidInput
        A line of another form; every name rounded to 0.

    Example
    -------
    >>> read_census("MARY 2.629 2.629 1\\nANN 0.000 2.629 2\\n", "names")[:2]
    (['MARY'], [2629])
    """
    names, counts, rows = [], [], 0
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        match = LINE.fullmatch(line.strip())
        if match is None:
            raise InvalidInput(
                f"Line {number} of {source_name} is “{line.strip()[:40]}”, not a name with percentage, cumulative "
                f"percentage and rank as in the lines before it; correct or remove it."
            )
        rows += 1
        count = int(match[2] + match[3])
        if count:
            names.append(match[1])
            counts.append(count)
    if not names:
        raise InvalidInput(f"Every name in {source_name} is rounded to 0.000 %; choose a file with counts.")
    notes = ["Read as a name file of the 1990 census: name, percentage, cumulative percentage, rank."]
    if rows > len(names):
        dropped = rows - len(names)
        notes.append(f"{dropped:,} of {rows:,} names, rounded to 0.000 %, were left out; {len(names):,} are kept.")
    return names, counts, tuple(notes)
