"""What identifiers look like in text, whatever their column is called."""

from __future__ import annotations

import re

MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?"
)
CONTENTS = (
    ("F", re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")),
    ("N", re.compile(r"https?://|www\.", re.IGNORECASE)),
    ("G", re.compile(r"(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)")),
    ("O", re.compile(r"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.])")),
    (
        "D",
        re.compile(r"(?<!\d)(?:\+?1[-. ])?(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?!\d)|\+\d{1,3}[ -]\d[\d ()-]{6,}"),
    ),
    ("M", re.compile(r"\b(?:[0-9A-F]{2}[:-]){5}[0-9A-F]{2}\b", re.IGNORECASE)),
    ("L", re.compile(r"\b(?=[A-HJ-NPR-Z\d]*\d)(?=[A-HJ-NPR-Z\d]*[A-Z])[A-HJ-NPR-Z\d]{17}\b")),
    (
        "C",
        re.compile(
            r"(?<!\d)(?:1[89]|20)\d{2}-(?:0[1-9]|1[0-2])(?:-\d{2})?(?!\d)"
            r"|(?<!\d)\d{1,2}([./])\d{1,2}\1(?:\d{4}|\d{2})(?!\d)"
            rf"|\b(?:{MONTHS})\.? (?:\d{{1,2}},? )?\d{{4}}(?!\d)",
            re.IGNORECASE,
        ),
    ),
)


def letters_in(texts: list[str]) -> list[str]:
    """The letters of the identifiers that some text holds.

    Example
    -------
    >>> letters_in(["ask a@b.org", "on 12/5/1980"]), letters_in(["flu 2", "80–89", "1990-1999", "1.2.3"])
    (['F', 'C'], [])
    """
    return [letter for letter, pattern in CONTENTS if any(pattern.search(text) for text in texts)]
