"""What identifiers look like in text, whatever their column is called."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from kanon_engine.risk.rules.identifiers.ages import age_in_text
from kanon_engine.risk.rules.identifiers.dates import date_in
from kanon_engine.risk.rules.identifiers.people import person_in

BYTE = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
HEX4 = r"[0-9a-f]{1,4}"
MARKED = r"[\s:#.=-]*(?:no\.?|nr\.?|number|num|id)?[\s:#.=-]*"  # between “MRN” and its number
CODE = r"(?=[\w-]*\d)[a-z0-9][\w-]{3,}"


def luhn(text: str) -> bool:
    """Whether the last digit checks the others, as in numbers of cards and phones.

    Example
    -------
    >>> luhn("4111 1111 1111 1111"), luhn("4111 1111 1111 1112")
    (True, False)
    """
    digits = [int(digit) for digit in re.findall(r"\d", text)]
    doubled = [digit * 2 - 9 * (digit > 4) if place % 2 else digit for place, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


def _like(*patterns: str, exact: bool = False) -> Callable[[str], bool]:
    """Whether a text has one of these in it; `exact` where capitals count."""
    found = re.compile("|".join(patterns), 0 if exact else re.I)
    return lambda text: found.search(text) is not None


def _card(text: str) -> bool:
    found = re.search(r"(?<!\d)(?:[3-6]\d{3}(?:[ -]\d{4}){3}|[3-6]\d{12,15})(?!\d)", text)
    return found is not None and luhn(found[0])


def _imei(text: str) -> bool:
    found = re.fullmatch(r"\d{15}|\d{2}-\d{6}-\d{6}-\d", text.strip())
    return found is not None and luhn(text)


_SERIAL = _like(rf"\b(?:serial|s/n|device|imei|udi){MARKED}{CODE}", r"\(01\)\d{14}", r"^SN-?\d{4,}")
CONTENTS: tuple[tuple[str, str, Callable[[str], bool]], ...] = (
    (
        "F",
        "holds e-mail addresses",
        _like(r"[^@\s]+@[^@\s]+\.[^@\s]+", r"\w+ ?(?:\(at\)|\[at\]) ?\w+ ?(?:\.|\(dot\)|\[dot\])"),
    ),
    (
        "N",
        "holds web addresses",
        _like(
            r"(?:https?|ftp)://|\bwww\.",
            r"(?<![@\w.-])[\w.-]+\.(?:com|org|net|edu|gov|io|info)(?:/|\b)",
            r"(?<!\w)@[a-z]\w{2,}(?![\w.])",
        ),
    ),
    (
        "G",
        "holds social security numbers",
        _like(r"(?<![\d-])\d{3}[- ]\d{2}[- ]\d{4}(?![\d-])", r"[x*•]{3}-[x*•]{2}-\d{4}"),
    ),
    (
        "G",
        "holds numbers of national identity",
        _like(
            r"(?<!\w)\d{8}-?[A-HJ-NP-TV-Z](?!\w)|(?<!\w)[XYZ]\d{7}[A-Z](?!\w)",  # Spain
            r"(?<!\d)[12] ?\d{2} ?(?:0[1-9]|1[0-2]) ?\d{2} ?\d{3} ?\d{3} ?\d{2}(?!\d)",  # France
            r"(?<!\w)\d{2} ?\d{6} ?[A-Z] ?\d{3}(?!\w)",  # Germany
            r"(?<!\d)\d{3} \d{3} \d{4}(?!\d)|(?<!\w)[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D](?!\w)",  # Britain
            r"(?<!\w)[A-Z]{4}\d{6}[HM][A-Z]{5}\w\d(?!\w)|(?<!\d)756\.\d{4}\.\d{4}\.\d{2}",  # Mexico, Switzerland
            exact=True,
        ),
    ),
    (
        "O",
        "holds IP addresses",
        _like(
            rf"(?<![\d.])(?:{BYTE}\.){{3}}{BYTE}(?![\d.])",
            rf"(?<![\w:])(?:{HEX4}:){{7}}{HEX4}(?![\w:])|(?<![\w:])(?:{HEX4}:){{1,6}}(?::{HEX4}){{1,6}}(?![\w:])",
        ),
    ),
    (
        "M",
        "holds addresses of devices",
        _like(r"\b(?:[0-9A-F]{2}[:-]){5}[0-9A-F]{2}\b", r"\b(?:[0-9A-F]{4}\.){2}[0-9A-F]{4}\b"),
    ),
    ("M", "holds numbers of devices", lambda text: _imei(text) or _SERIAL(text)),
    ("J", "holds numbers of cards", _card),
    (
        "J",
        "holds numbers of accounts",
        _like(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b", exact=True),
    ),
    ("H", "holds medical record numbers", _like(rf"\b(?:mrn|medical record|patient|chart|case){MARKED}{CODE}")),
    (
        "I",
        "holds numbers of health plans",
        _like(
            rf"\b(?:member|policy|subscriber|medicare|medicaid|mbi){MARKED}{CODE}",
            r"\b\d[A-Z][A-Z\d]\d-?[A-Z][A-Z\d]\d-?[A-Z]{2}\d{2}\b",
        ),
    ),
    ("J", "holds numbers of accounts", _like(rf"\b(?:account|acct|a/c){MARKED}{CODE}")),
    ("K", "holds numbers of licenses", _like(rf"\b(?:license|licence|passport|certificate|dea|npi){MARKED}{CODE}")),
    ("L", "holds license plates", _like(rf"\b(?:license plate|plate|kennzeichen|reg){MARKED}[A-Z0-9][\w -]{{4,8}}\d")),
    (
        "L",
        "holds numbers of vehicles",
        _like(r"\b(?=[A-HJ-NPR-Z\d]*\d)(?=[A-HJ-NPR-Z\d]*[A-Z])[A-HJ-NPR-Z\d]{17}\b", exact=True),
    ),
    (
        "D",
        "holds telephone numbers",
        _like(
            r"(?<![\d.])(?:\+?1[-. ])?(?:\(\d{3}\) ?|\d{3}[-. /])\d{3}[-. ]\d{4}(?!\d)",  # North America
            r"(?<!\d)(?:\+|00)\d{1,3}[ -]?\(?\d[\d ()/-]{6,}",
            r"(?<![\d.])\(?0\d{1,4}\)?[ /-]\d{3,}[\d -]{2,}(?!\d)|(?<!\d)0\d(?:[ .]\d{2}){4}(?!\d)",  # Europe
            r"\b(?:tel|phone|call|mobile|cell)[.:]? *\+?[\d(][\d ()./-]{6,}",
        ),
    ),
    ("Q", "names pictures", _like(r"\.(?:jpe?g|png|tiff?|bmp|gif|heic|dcm|webp)\b", r"^data:image/")),
    ("P", "names recordings of voices", _like(r"\.(?:wav|mp3|m4a|flac|ogg)\b")),
    (
        "R",
        "holds identifiers or hashes",
        _like(
            r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
            r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{128})\b",
            r"(?<![\w/+])(?=[\w/+]*\d)(?=[\w/+]*[a-z])(?=[\w/+]*[A-Z])[A-Za-z0-9+/_-]{20,}={0,2}(?![\w/+])",
            exact=True,
        ),
    ),
    ("C", "holds dates", date_in),
    ("C", "tells an age over 89", age_in_text),
    ("A", "names people", person_in),
)


def identifiers_in(texts: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Letter, why, and the first text that holds it, of each kind of identifier that some text holds.

    Example
    -------
    >>> [letter for letter, _, _ in identifiers_in(["ask a@b.org", "on 12/5/1980"])]
    ['F', 'C']
    >>> list(identifiers_in(["flu 2", "80–89", "1990-1999", "1.2.3", "E11.9", "Type 2 diabetes"]))
    []
    """
    for letter, why, holds in CONTENTS:
        found = next((text for text in texts if holds(text)), None)
        if found is not None:
            yield letter, why, found
