"""The order of a column as lines that a person can edit, and back."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kanon_engine.io.cells import MISSING as MARKS
from kanon_engine.tables.domain import Value
from pages._shared.wording import listed

MISSING = "(missing)"
MOST_NAMED = 4


@dataclass(frozen=True)
class Reading:
    """What a list says.

    Attributes
    ----------
    order : tuple of values
    problems, remarks : tuple of str
        Why it cannot be used, and what else is worth to know; sentences.
    lacking : tuple of str
        Lines of values that the list lacks.
    """

    order: tuple[Value, ...]
    problems: tuple[str, ...]
    remarks: tuple[str, ...]
    lacking: tuple[str, ...]


def lines_of(values: Iterable[Value]) -> dict[str, Value]:
    """A line for each value, all different, in this order.

    Example
    -------
    >>> lines_of([17, "two\\nlines", "(missing)", None])
    {'17': 17, 'two ⏎ lines': 'two\\nlines', '(missing)': '(missing)', '(missing)′': None}
    """
    lines: dict[str, Value] = {}
    for value in values:
        line = MISSING if value is None else " ⏎ ".join(str(value).splitlines()).strip() or "(empty)"
        while line in lines:
            line += "′"
        lines[line] = value
    return lines


def read_lines(text: str, known: Mapping[str, Value], counts: Mapping[Value, int], unit: str) -> Reading:
    """The order that a list gives, or what is wrong with it.

    Parameters
    ----------
    text : str
        One value a line; empty lines are nothing.
    known : mapping of line to value
        From `lines_of`, of the values that occur.
    counts : mapping
        How often each occurs.
    unit : str
        What a row is.

    Example
    -------
    >>> read_lines("low\\nhihg\\n", lines_of(["high", "low"]), {"high": 7, "low": 2}, "records").problems
    ('“high” (7 records) is not in the list. Is “hihg” in line 2 meant to be “high”?',)
    """
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    first: dict[Value, int] = {}
    problems, unknown = [], []
    for number, line in lines:
        value = _value(line, known)
        if value in first:
            problems.append(f"“{line}” stands twice, in lines {first[value]} and {number}; take one of them out.")
            continue
        first[value] = number
        if value not in counts:
            unknown.append((number, line))
    lacking = [line for line, value in known.items() if value not in first and value is not None]
    if lacking:
        words = [f"“{line}” ({counts[known[line]]:,} {unit})" for line in lacking]
        guesses = "".join(
            f" Is “{line}” in line {number} meant to be “{close[0]}”?"
            for number, line in unknown[:2]
            if (close := difflib.get_close_matches(line, lacking, 1))
        )
        verb = "is" if len(lacking) == 1 else "are"
        problems.insert(0, f"{_some(words)} {verb} not in the list.{guesses}")
    remarks = []
    if unknown and not lacking:
        verb, harm = ("does", "that does") if len(unknown) == 1 else ("do", "they do")
        remarks.append(f"{_some([f'“{line}”' for _, line in unknown])} {verb} not occur in the data; {harm} no harm.")
    for line, value in known.items():
        if value is None and None not in first:
            remarks.append(f"“{line}” has no line, so it stands last.")
    return Reading(tuple(first), tuple(problems), tuple(remarks), tuple(lacking))


def by_number(lines: Sequence[str]) -> list[str]:
    """By the first number in each line, those without one last; otherwise in alphabetical order.

    Example
    -------
    >>> by_number(["10th", "1st-4th", "5th-6th", "Preschool", "9th"])
    ['1st-4th', '5th-6th', '9th', '10th', 'Preschool']
    """

    def place(line: str) -> tuple[float, str]:
        found = re.search(r"\d+(?:\.\d+)?", line)
        return (float(found[0]) if found else float("inf"), line)

    return sorted(lines, key=place)


def _value(line: str, known: Mapping[str, Value]) -> Value:
    """The value that a line means; the line itself where none is known."""
    if line in known:
        return known[line]
    if line in MARKS and None in known.values():
        return None
    try:
        number = float(line)
    except ValueError:
        return line
    return next((value for value in known.values() if _number(value) and value == number), line)


def _number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _some(words: Sequence[str]) -> str:
    """A few of them, and how many there are besides.

    Example
    -------
    >>> _some(["a"]), _some(["a", "b"]), _some(list("abcdef"))
    ('a', 'a and b', 'a, b, c, d and 2 more')
    """
    shown = [*words[:MOST_NAMED], *([f"{len(words) - MOST_NAMED} more"] if len(words) > MOST_NAMED else [])]
    return listed(shown)
