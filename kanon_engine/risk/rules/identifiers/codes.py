"""Codes and numbers of persons, by how many different ones there are: also where a person has several records."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import pandas as pd

from kanon_engine.io.roles import guesses
from kanon_engine.risk.rules.identifiers.names import ABOUT, THINGS, word_set, words_of

FEWEST = 5  # different codes from which a column is taken to number persons
FEWEST_MIXED = 3  # codes of letters and digits in no order, as of a hash
MOST_EACH = 12  # records that one person has on average
ALIKE = 0.9  # share of the codes that are of one form
DIGITS, LETTERS = 5, 6  # that a code has: of digits alone, or of letters and digits
CODED = re.compile(r"[A-TV-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?|\d{1,3}\.\d{1,2}|\d{4,5}-\d")  # ICD-10, ICD-9, LOINC
MEASURES = word_set("""
    income salary wage wages revenue cost costs charge charges price amount value balance population people platelets
    platelet count wbc rbc cfu load copies area acres square sqft miles steps calories einkommen gehalt lohn revenu
    salaire ingreso salario umsatz loss gain capital fnlwgt weight hours
""")


def numbered(column: pd.Series, name: str, texts: Sequence[str], *, quasi: bool) -> str:
    """Why values look as if they number persons, as words that follow the name of a column; "" where they do not.

    Example
    -------
    >>> visits = pd.Series(["K4831", "K4831", "B9027", "T1180", "T1180", "M7733", "Q2095"])
    >>> numbered(visits, "x", visits.unique().tolist(), quasi=False)
    'has codes of one form, about 1 record each'
    >>> numbered(pd.Series(["E11.9", "J45.0", "I10.1"] * 9), "x", ["E11.9", "J45.0", "I10.1"], quasi=False)
    ''
    """
    words = set(words_of(name))
    if words & THINGS and not words & {"patient", "person", "member", "participant", "subject"}:
        return ""
    if not quasi:
        guess = guesses(column.to_frame(name))[name]
        if guess.role == "identifier" and not words & ABOUT:
            return guess.reason
    if words & MEASURES or len(texts) * MOST_EACH < len(column):
        return ""
    plain = [text.strip().removesuffix(".0") for text in texts]
    if len(plain) >= FEWEST_MIXED and _mixed(plain):
        return "has codes of letters and digits, all of the same length"
    if len(texts) < FEWEST:
        return ""
    form, often = Counter(re.sub(r"\d", "9", re.sub(r"[^\W\d_]", "A", text)) for text in plain).most_common(1)[0]
    letters, digits = form.count("A"), form.count("9")
    if often < ALIKE * len(plain) or len(form) > 24 or all(map(CODED.fullmatch, plain)):
        return ""
    if re.search(r"9\.9|[^A9 ./_-]", form) or (letters and (letters + digits < LETTERS - 1 or digits < 3)):
        return ""
    ranges = all(re.fullmatch(r"(\d+)\D\d+", text) and len(set(map(len, re.split(r"\D", text)))) == 1 for text in plain)
    if not letters and (digits <= DIGITS or ranges):
        return ""
    if not letters and all(text.endswith("00") for text in plain):
        return ""
    each = max(1, round(len(column) / len(texts)))
    return f"has codes of one form, about {each} {'record' if each == 1 else 'records'} each"


def _mixed(codes: Sequence[str]) -> bool:
    """Whether codes are as long as each other, of letters and digits in an order of their own each."""
    forms = {re.sub(r"\d", "9", re.sub(r"[a-zA-Z]", "A", code)) for code in codes}
    alike = len({len(code) for code in codes}) == 1 and 8 <= len(codes[0]) <= 64
    both = sum(bool(re.search(r"\d", code) and re.search(r"[a-zA-Z]", code)) for code in codes)
    return (
        alike
        and all(re.fullmatch(r"[A-Za-z0-9_-]+", code) for code in codes)
        and both >= ALIKE * len(codes)
        and len(forms) > 1
    )
