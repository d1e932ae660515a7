"""What the lines of several problems have in common."""

from __future__ import annotations

import re

from kanon_engine.errors import InvalidInput


def whole_numbers(text: str) -> tuple[int, ...]:
    """The numbers of a line, apart by spaces or commas; `InvalidInput` names the first word that is none.

    Example
    -------
    >>> whole_numbers("3 1, 4"), whole_numbers(" ")
    ((3, 1, 4), ())
    """
    words = [word for word in re.split(r"[\s,]+", text) if word]
    for word in words:
        if not re.fullmatch(r"[0-9]{1,9}", word):
            raise InvalidInput(f"“{word}” is no whole number of at most nine digits.")
    return tuple(int(word) for word in words)
