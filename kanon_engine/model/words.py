"""Words shared by sentences of all families, and figures in such words."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from kanon_engine.errors import InvalidInput

LONGEST = 80  # characters of a name that a person gives
SMALL = 1e-9  # smaller numbers are written with a power of ten


def counted(count: int, what: str) -> str:
    """A number and what it counts.

    >>> counted(1, "area"), counted(1200, "area")
    ('1 area', '1,200 areas')
    """
    return f"{count:,} {what}{'s' * (count != 1)}"


def enumerated(words: Sequence[str], conjunction: str = "and") -> str:
    """A list of words for a sentence.

    >>> enumerated(["a"]), enumerated(["a", "b", "c"], "or"), enumerated([])
    ('a', 'a, b or c', '')
    """
    return f" {conjunction} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def listed(names: Iterable[Any]) -> str:
    """A list of columns for a sentence.

    >>> listed(["age"]), listed(["age", "sex", "zip"])
    ('“age”', '“age”, “sex” and “zip”')
    """
    return enumerated([f"“{name}”" for name in names])


def free_name(name: str, used: Iterable[Any]) -> str:
    """A column's name with "kept_" in front as often as needed to be unique.

    >>> free_name("Group", ["group", "weight"]), free_name("age", ["group"])
    ('kept_Group', 'age')
    """
    folded = {str(other).casefold() for other in used}
    while name.casefold() in folded:
        name = f"kept_{name}"
    return name


def number_text(value: float, digits: int = 7) -> str:
    """A cost or a bound: a whole number in full, any other to this many digits.

    >>> number_text(21588), number_text(545.36921), number_text(23456789.5), number_text(3.0)
    ('21,588', '545.3692', '23,456,790', '3')
    >>> number_text(999.9, 3), number_text(0.000055), number_text(5e-11)
    ('1,000', '0.000055', '5e-11')
    """
    if isinstance(value, int) or abs(value) >= 10**digits:
        return f"{value:,.0f}"
    text = f"{value:,.{digits}g}"
    return f"{Decimal(text):,f}" if "e" in text and abs(value) >= SMALL else text


def option_text(value: object) -> str:
    """The value of an option as a person writes it.

    >>> option_text(True), option_text(1000), option_text(0.0), option_text("low-degree")
    ('yes', '1,000', '0', 'low-degree')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number_text(value) if isinstance(value, (int, float)) else one_line(str(value))


def times_k(ratio: float) -> str:
    """How many times k a weight is.

    >>> times_k(1.2468), times_k(12.3), times_k(3316.0)
    ('1.25 × k', '12.30 × k', '3,316 × k')
    """
    return f"{ratio:,.0f} × k" if ratio >= 1_000 else f"{ratio:.2f} × k"


def one_line(text: str) -> str:
    """Text without invisible characters, with single spaces, and each letter with its accents as one character.

    >>> one_line("Old\\n  town\\x00")
    'Old town'
    """
    letters = (
        " " if unicodedata.category(letter)[0] in "CZ" else letter for letter in unicodedata.normalize("NFC", text)
    )
    return " ".join("".join(letters).split())


def cut(text: str, most: int) -> str:
    """The text, or its first characters and an ellipsis.

    >>> cut("abcdef", 6), cut("abcdefg", 6)
    ('abcdef', 'abcde…')
    """
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def cell_text(value: Any) -> str:
    """A cell as text on one line, "" where it is missing; a whole number without a decimal point, whatever its type.

    >>> [cell_text(value) for value in (" Old\\ntown", 9001.0, None, float("nan"))]
    ['Old town', '9001', '', '']
    """
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = one_line(str(value))
    return "" if value is None or (not isinstance(value, str) and text in ("nan", "NaT", "<NA>")) else text


def plain_name(name: str, what: str) -> str:
    """A name that a person gives to a group or a scenario, on one line.

    Raises `InvalidInput`: it is empty or too long.

    >>> plain_name(" Old  town ", "group")
    'Old town'
    """
    plain = one_line(name)
    if not 0 < len(plain) <= LONGEST:
        raise InvalidInput(
            f"The name of a {what} must have 1 to {LONGEST} characters; “{plain[:20]}” has {len(plain)}."
        )
    return plain
