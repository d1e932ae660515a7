"""The class of a person's own record, from its code, place or values."""

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
from kanon_engine.release.made import free_name

BLANK, UNKNOWN, LEFT_OUT = "blank", "unknown", "in no group of the result"
NUMBER = re.compile(r"(\d+)")
DIGITS = re.compile(r"(\d+)(?:\.0*)?")  # a code of digits, which a spreadsheet may have taken for a number


@dataclass(frozen=True, eq=False)
class Placed:
    """Records in classes."""

    classes: np.ndarray  # (n,) int64: -1 for a record in no class
    reasons: np.ndarray  # (n,) object array of str: why a record is in no class; "" if it is in one
    raw: tuple[str, ...]  # the columns that say where the records are: they are never released
    shown: Mapping[str, Sequence[Any]]  # what replaces them: name of a column → what each class shows
    meanings: Mapping[str, Mapping[Any, Sequence[Any]]] = field(default_factory=dict)  # as in `Released`
    # (n,) object array of str, or None: what the code of a record was read as, in words, if it was written differently;
    # else "". None if there are no codes
    read_as: np.ndarray | None = None


def one_column(by: Sequence[str], item: str) -> str:
    """The one column that holds codes, or `InvalidInput`."""
    if len(by) != 1:
        raise InvalidInput(f"Give the one column that holds the {item} of each record.", parameter="by")
    return by[0]


def by_code(
    ids: Sequence[Any] | np.ndarray, assignment: np.ndarray, cells: pd.Series
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The class of each record by the code of its item, why it has none, and what was corrected, as in `Placed`.

    A code is matched exactly, else by its normalized form. Codes that a spreadsheet turned into numbers are matched,
    too: 6604 and 6604.0 are 06604, if there is no 6604. A code that fits several items matches none.

    Parameters
    ----------
    ids : Ids of the items.
    assignment : (n,) int. Class of each item.
    cells : The code of each record.

    >>> codes = pd.Series(["06604", 6605.0, " 06606", None, "99999"])
    >>> classes, reasons, read_as = by_code(["06604", "06605", "06606"], np.array([0, 0, 1]), codes)
    >>> classes.tolist(), reasons.tolist(), read_as[1]
    ([0, 0, 1, -1, -1], ['', '', '', 'blank', 'unknown'], '“6605” was read as “06605”')
    """
    exact = {str(name): place for place, name in enumerate(ids)}
    texts = [cell_text(name) for name in ids]
    alike: dict[str, int] = {}
    loose: dict[str, int] = {}
    for place, name in enumerate(texts):
        alike[name] = -1 if name in alike else place
        plain = _plain(name)
        if plain is not None:
            loose[plain] = -1 if plain in loose else place
    codes, values = pd.factorize(cells.astype(object), use_na_sentinel=False)
    classes = np.full(len(values), -1, dtype=np.int64)
    why = np.full(len(values), UNKNOWN, dtype=object)
    read_as = np.full(len(values), "", dtype=object)
    for number, value in enumerate(values):
        text = cell_text(value)
        place = exact.get(str(value), alike.get(text, -1))
        if place < 0 and text in MISSING:
            why[number] = BLANK
            continue
        plain = _plain(text) if place < 0 else None
        if plain is not None:
            place = loose.get(plain, -1)
            if place >= 0 and len(text.partition(".")[0]) > len(texts[place]):
                place = -1  # more digits than the code has: a different code
            if place >= 0:
                read_as[number] = f"“{text}” was read as “{texts[place]}”"
        if place >= 0:
            classes[number] = assignment[place]
            why[number] = "" if assignment[place] >= 0 else LEFT_OUT
    return classes[codes], why[codes], read_as[codes]


def code_notes(placement: Placed, counts: np.ndarray | None = None) -> tuple[str, ...]:
    """A sentence with the number of records whose code is written differently from that of its area or label.

    >>> read_as = np.array(["", "“6605” was read as “06605”"], dtype=object)
    >>> code_notes(Placed(np.array([0, 0]), np.array(["", ""]), ("zip",), {}, read_as=read_as), np.array([4, 3]))
    ('3 records have a code that lacks leading zeros or has a decimal point: “6605” was read as “06605”.',)
    """
    if placement.read_as is None or not (placement.read_as != "").any():
        return ()
    mended = placement.read_as != ""
    records = int(mended.sum() if counts is None else counts[mended].sum())
    phrase = "1 record has" if records == 1 else f"{records:,} records have"
    example = placement.read_as[mended][0]
    return (f"{phrase} a code that lacks leading zeros or has a decimal point: {example}.",)


def _plain(code: str) -> str | None:
    """A code of digits without leading zeros; None for any other."""
    digits = DIGITS.fullmatch(code)
    return None if digits is None else digits[1].lstrip("0") or "0"


# ---------------------------------------------------------------------------------------------------------------------
# The released columns that replace those that placed the records: their names and order.
# ---------------------------------------------------------------------------------------------------------------------


def in_free_names(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """The values that groups show, under names that no released column has."""
    used = list(names)
    for name in frame.columns:
        used.append(free_name(str(name), used))
    return frame.set_axis(used[len(names) :], axis=1)


def natural_order(rows: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray]:
    """The distinct rows, Group 2 before Group 10, and the index of each row among them."""
    keys = [tuple(map(_natural, row)) for row in rows.itertuples(index=False, name=None)]
    order = sorted(set(keys))
    rank = {key: place for place, key in enumerate(order)}
    numbers = np.array([rank[key] for key in keys], dtype=np.int64)
    first = np.unique(numbers, return_index=True)[1]
    return rows.iloc[first].reset_index(drop=True), numbers


def _natural(value: Any) -> tuple[Any, ...]:
    """A key that sorts numbers by size, also within words, and missing values last."""
    if value is None or value != value:
        return (2,)
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        return (0, float(value), repr(value))
    parts = NUMBER.split(str(value))
    return (1, tuple((int(part), "") if place % 2 else (-1, part) for place, part in enumerate(parts)), str(value))
