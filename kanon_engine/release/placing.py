"""In which class a record of one's own is, by the code, the place or the values that it has."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.io.cells import MISSING
from kanon_engine.model.words import cell_text

BLANK, UNKNOWN, LEFT_OUT = "blank", "unknown", "left out by the result"
DIGITS = re.compile(r"(\d+)(?:\.0*)?")  # a code of digits, which a spreadsheet may have taken for a number


@dataclass(frozen=True, eq=False)
class Placed:
    """Records in classes.

    Attributes
    ----------
    classes : (n,) int64 array
        -1 for a record that is in none.
    reasons : (n,) object array of str
        Why a record is in none; "" for one that is.
    raw : tuple of str
        The columns that said where the records are: they never leave.
    shown : mapping of str to sequence of m values
        What leaves in their place: name of a column → what each class shows.
    meanings : mapping
        As in `Released`.
    notes : tuple of str
        What was put right.
    """

    classes: np.ndarray
    reasons: np.ndarray
    raw: tuple[str, ...]
    shown: Mapping[str, Sequence[Any]]
    meanings: Mapping[str, Mapping[Any, Sequence[Any]]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def one_column(by: Sequence[str], item: str) -> str:
    """The one column that holds codes, or `InvalidInput`."""
    if len(by) != 1:
        raise InvalidInput(f"Name the one column that holds the {item} of each record.", parameter="by")
    return by[0]


def by_code(
    ids: Sequence[Any] | np.ndarray, assignment: np.ndarray, cells: pd.Series
) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """The class of each record by the code of its item, why it has none, and what was put right.

    A code is found as it is written. What a spreadsheet made of digits is found too, where one item alone can be meant:
    6604 and 6604.0 are 06604, if there is no 6604.

    Parameters
    ----------
    ids : sequence of n text or whole numbers
        Of the items.
    assignment : (n,) int array
        Class of each.
    cells : Series
        The code of each record.

    Example
    -------
    >>> codes = pd.Series(["06604", 6605.0, " 06606", None, "99999"])
    >>> classes, reasons, notes = by_code(["06604", "06605", "06606"], np.array([0, 0, 1]), codes)
    >>> classes.tolist(), reasons.tolist()
    ([0, 0, 1, -1, -1], ['', '', '', 'blank', 'unknown'])
    >>> notes
    ('1 record has a code without zeros in front or with a decimal point: “6605” was read as “06605”.',)
    """
    written = [cell_text(name) for name in ids]
    exact = {name: place for place, name in enumerate(written)}
    loose: dict[str, int] = {}
    for place, name in enumerate(written):
        plain = _plain(name)
        if plain is not None:
            loose[plain] = -1 if plain in loose else place
    codes, values = pd.factorize(cells.astype(object), use_na_sentinel=False)
    often = np.bincount(codes, minlength=len(values))
    found = np.full(len(values), -1, dtype=np.int64)
    why = np.full(len(values), UNKNOWN, dtype=object)
    mended, example = 0, ""
    for number, value in enumerate(values):
        text = cell_text(value)
        place = exact.get(text, -1)
        if place < 0 and text in MISSING:
            why[number] = BLANK
            continue
        plain = _plain(text) if place < 0 else None
        if plain is not None:
            place = loose.get(plain, -1)
            if place >= 0 and len(text.partition(".")[0]) > len(written[place]):
                place = -1  # more digits than the code has: another code
            if place >= 0:
                mended += int(often[number])
                example = example or f"“{text}” was read as “{written[place]}”"
        if place >= 0:
            found[number] = assignment[place]
            why[number] = "" if assignment[place] >= 0 else LEFT_OUT
    records = "1 record has" if mended == 1 else f"{mended:,} records have"
    note = f"{records} a code without zeros in front or with a decimal point: {example}."
    return found[codes], why[codes], (note,) if mended else ()


def _plain(code: str) -> str | None:
    """A code of digits without zeros in front; None for any other."""
    digits = DIGITS.fullmatch(code)
    return None if digits is None else digits[1].lstrip("0") or "0"
