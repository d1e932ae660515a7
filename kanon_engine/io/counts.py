"""Columns of counts: text as numbers, and a clear error for anything that is not a count."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import ChoiceNeeded, InvalidInput, Remedy
from kanon_engine.io.names import count_rank
from kanon_engine.model.words import counted, number_text
from kanon_engine.validate import whole_numbers

GROUPED = r"[1-9]\d{0,2}(?:([,'’\u00a0\u202f ])\d{3})(?:\1\d{3})*"  # 1,234,567 or 1'234'567 or 1 234 567


def counts_of(
    column: pd.Series, what: str, source_name: str, minimum: int = 0, places: Sequence[str] | None = None
) -> Any:
    """A text or number column as whole numbers; thousands separators are accepted, anything else is an error.

    The error names the row of the source, or its place in `places`.

    Returns (n,) int64.
    """
    if places is None:
        places = [f"row {row + 1} of {source_name}" for row in range(len(column))]
    if pd.api.types.is_bool_dtype(column):
        return whole_numbers(column.to_numpy(), what, minimum, places)
    if not pd.api.types.is_numeric_dtype(column):
        refuse_points(column, what)
        numbers = numbers_in(column)
        empty = column.isna() | (column.astype("string").str.strip() == "").fillna(True)
        values = numbers.astype(object).where(numbers.notna() | empty, column.astype(object))
        return whole_numbers([None if pd.isna(value) else value for value in values], what, minimum, places)
    return whole_numbers(column.to_numpy(dtype="float64", na_value=float("nan")), what, minimum, places)


def refuse_points(column: pd.Series, what: str) -> None:
    """Refuse text like 1.000, which can be one or a thousand."""
    texts = column.dropna().astype("string").str.strip()
    odd = texts[texts.str.fullmatch(r"[1-9]\d{0,2}(\.\d{3})+").fillna(False)]
    if len(odd):
        raise InvalidInput(
            f"The {what} hold “{odd.iloc[0]}”, which may be a fraction or a number with a thousands separator; write "
            f"whole numbers without periods."
        )


def thousands_notes(column: pd.Series) -> list[str]:
    """A note if characters between digits were read as thousands separators."""
    if pd.api.types.is_numeric_dtype(column):
        return []
    texts = column.dropna().astype("string").str.strip()
    grouped = texts[texts.str.fullmatch(GROUPED).fillna(False)]
    return [f"“{grouped.iloc[0]}” in column {column.name} was read with a thousands separator."] if len(grouped) else []


def numbers_in(column: pd.Series) -> pd.Series:
    """A column as numbers, with thousands separators accepted; missing if a cell is not a number.

    >>> numbers_in(pd.Series(["1,234", "5", "1'234'567", "about 3"])).tolist()
    [1234, 5, 1234567, <NA>]
    """
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        return column
    text = column.astype("string").str.strip()
    grouped = text.str.fullmatch(GROUPED).fillna(False)
    text = text.where(~grouped, text.str.replace(r"\D", "", regex=True))
    return pd.to_numeric(text, errors="coerce")


# ---------------------------------------------------------------------------------------------------------------------
# Counts that are not whole numbers in a file: fractions, and hidden small counts.
# ---------------------------------------------------------------------------------------------------------------------


ROUNDINGS = ("refuse", "nearest")
HIDDEN = ("refuse", "zero", "largest", "leave-out")
COUNT = r"(\d{1,9}|[1-9]\d{0,2}(?:[,'’\u00a0\u202f ]\d{3}){1,2})"  # thousands may be separated
BELOW = re.compile(rf"(?:<|(?:less|fewer) than)\s*{COUNT}", re.IGNORECASE)
UP_TO = re.compile(rf"(?:<=|≤|up to|{COUNT}\s*(?:-|–|to))\s*{COUNT}", re.IGNORECASE)
MARK = re.compile(r"[*#.\-–—]+|[sdx]|n/?a|suppressed|redacted|hidden|withheld|masked", re.IGNORECASE)
EMPTY = "an empty cell"


@dataclass(frozen=True)
class Settled:
    """A column of counts after the meaning of its values was decided."""

    values: pd.Series  # 0 for a value that is left out
    left_out: np.ndarray  # (n,) bool
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Inexact:
    """What to do with counts that are not whole numbers."""

    rounding: str = "refuse"  # fractions: refuse them, or round them to the "nearest" whole number, halves up
    # "refuse" values such as <5, * and empty cells; or count each as "zero", as the "largest" that it may represent, or
    # "leave-out" what they count
    hidden: str = "refuse"
    hidden_most: int | None = None  # the largest count that a marker without a number, such as *, may represent

    def __post_init__(self) -> None:
        for name, value, choices in (("rounding", self.rounding, ROUNDINGS), ("hidden", self.hidden, HIDDEN)):
            if value not in choices:
                message = f"{name} is {value!r}; choose one of {', '.join(choices)}."
                raise InvalidInput(message, parameter=name, value=value)
        most = self.hidden_most
        if most is not None and (isinstance(most, bool) or not isinstance(most, int) or not 0 <= most < 10**9):
            message = f"The largest hidden count is {most!r}; give a whole number from 0 to 999,999,999."
            raise InvalidInput(message, parameter="hidden_most", value=most)
        if most is not None and self.hidden != "largest":
            raise InvalidInput(
                f"The largest hidden count is given as {most:,}, but the setting for hidden counts does not use it",
                parameter="hidden_most",
                value=most,
                remedy=(
                    Remedy("count each hidden value as the largest number that it can represent", "hidden", "largest"),
                    Remedy("do not give a largest hidden count"),
                ),
            )

    @property
    def given(self) -> dict[str, Any]:
        """A person's decisions, for a certificate."""
        plain = Inexact()
        names = ("rounding", "hidden", "hidden_most")
        return {name: getattr(self, name) for name in names if getattr(self, name) != getattr(plain, name)}

    def settled(
        self, frame: pd.DataFrame, where: str, requested: Collection[str | None]
    ) -> tuple[pd.DataFrame, dict[str, Settled]]:
        """The frame with these columns, and those named like counts, as the numbers that they represent."""
        columns: dict[str, Settled] = {}
        for name in frame.columns if self.given else ():
            if str(frame[name].dtype) == "geometry" or (name not in requested and count_rank(name) is None):
                continue
            column = self._column(frame[name], where)
            if column is not None:
                columns[str(name)] = column
        return frame.assign(**{name: column.values for name, column in columns.items()}) if columns else frame, columns

    def refuse(self, column: pd.Series, where: str, places: list[str]) -> None:
        """Ask what to do if a column of counts holds fractions or hidden counts and nobody has decided.

        Raises `ChoiceNeeded`: how many there are, the first with its place, and the effect of rounding.
        """
        values, hidden, _ = _understood(column)
        what = f"column {column.name} of {where}"
        if self.hidden == "refuse" and hidden.any():
            first, many = int(np.argmax(hidden)), int(hidden.sum())
            raise ChoiceNeeded(
                f"{counted(many, 'count')} in {what} {'is' if many == 1 else 'are'} hidden or missing "
                f"(the first is {_shown(column.iloc[first])} at {places[first]})",
                "hidden",
                HIDDEN[1:],
                remedy=(
                    Remedy("count each hidden value as 0", "hidden", "zero"),
                    Remedy("count each hidden value as the largest number that it can represent", "hidden", "largest"),
                    Remedy("leave out the items with hidden or missing counts", "hidden", "leave-out"),
                ),
            )
        odd = np.flatnonzero(_fractional(values))
        if self.rounding == "refuse" and len(odd):
            change = np.floor(values[odd] + 0.5) - values[odd]
            one, no = number_text(float(values[odd[0]])), "is not a whole number"
            raise ChoiceNeeded(
                f"{counted(len(odd), 'count')} in {what} {no if len(odd) == 1 else 'are not whole numbers'} (the "
                f"first is {one} at {places[odd[0]]}); rounding would change each by at most "
                f"{np.abs(change).max():.3g} and their sum by {float(change.sum()):+.3g}",
                "rounding",
                ROUNDINGS[1:],
                remedy=Remedy("round them", "rounding", "nearest"),
            )

    def _column(self, column: pd.Series, where: str) -> Settled | None:
        """None if no value is hidden or a fraction, or if these are refused."""
        values, hidden, largest = _understood(column)
        odd = _fractional(values)
        if not (hidden | odd).any() or (np.isnan(values) & ~hidden).any():
            return None  # in the latter case not a column of numbers; the reader has the sentence for it
        notes, what = [], f"column {column.name} of {where}"
        left_out = np.zeros(len(values), dtype=bool)
        if hidden.any():
            if self.hidden == "refuse":
                return None
            values[hidden] = self._taken(largest[hidden], what)
            left_out = hidden if self.hidden == "leave-out" else left_out
            notes += self._told(f"in {what} ({_listed(column[hidden])})", values[hidden])
        elif self.rounding == "refuse":
            return None
        if odd.any() and self.rounding == "nearest":
            change = np.floor(values[odd] + 0.5) - values[odd]
            notes.append(
                f"{counted(int(odd.sum()), 'count')} in {what} {'was' if odd.sum() == 1 else 'were'} rounded to whole "
                f"numbers, each by at most {np.abs(change).max():.3g}; their sum changed by {float(change.sum()):+.3g}."
            )
            values[odd] = np.floor(values[odd] + 0.5)
        return Settled(pd.Series(values, index=column.index, name=column.name), left_out, tuple(notes))

    def _taken(self, largest: np.ndarray, what: str) -> np.ndarray | int:
        """The number for each hidden count; NaN if it does not say how large it may be."""
        if self.hidden != "largest":
            return 0
        many = int(np.isnan(largest).sum())
        if many and self.hidden_most is None:
            raise InvalidInput(
                f"{counted(many, 'hidden count')} in {what} {'does' if many == 1 else 'do'} "
                "not say how large the count can be",
                parameter="hidden_most",
                remedy=Remedy("give the largest number that a hidden count can represent", "hidden_most"),
            )
        return np.where(np.isnan(largest), self.hidden_most or 0, largest)

    def _told(self, where: str, assumed: np.ndarray) -> list[str]:
        """How hidden counts were counted, and what that means for groups."""
        many = f"{counted(len(assumed), 'hidden count')} {where} {'was' if len(assumed) == 1 else 'were'} counted as"
        if self.hidden == "zero":
            return [f"{many} 0, so groups may hold more than stated."]
        most = (
            f"{many} the largest possible number, {assumed.sum():,.0f} in total; all groups together may hold up to "
            f"{assumed.sum():,.0f} fewer than stated."
        )
        return [most] if self.hidden == "largest" else []


def _fractional(values: np.ndarray) -> np.ndarray:
    return np.isfinite(values) & (values >= 0) & (values % 1 != 0)


def _understood(column: pd.Series) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(n,) each: the number or NaN; whether a count is hidden; the largest that it may be, or NaN."""
    if pd.api.types.is_numeric_dtype(column):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan).copy()
        return values, np.isnan(values), np.full(len(values), np.nan)
    values = numbers_in(column).to_numpy(dtype=np.float64, na_value=np.nan).copy()
    unread = np.isnan(values)
    texts = column.astype("string").str.strip().fillna("")[unread]
    bound_of = {text: most_hidden(text) for text in texts.unique()}
    most, hidden = np.full(len(values), np.nan), unread.copy()
    most[unread] = [np.nan if bound_of[text] is None else bound_of[text] for text in texts]
    hidden[unread] = [bound_of[text] is not None for text in texts]
    if not unread.all():
        refuse_points(column, f"values of column {column.name}")
    return values, hidden, most


def most_hidden(text: str) -> float | None:
    """The largest count that a text may represent; NaN if it does not say, None if it hides no count.

    >>> [most_hidden(text) for text in ("<5", "≤ 10", "1-9", "<1,000", "*", "", "about 7", "9-1")]
    [4.0, 10.0, 9.0, 999.0, nan, nan, None, None]
    """
    below, up_to = BELOW.fullmatch(text), UP_TO.fullmatch(text)
    if below:
        return max(_digits(below[1]) - 1, 0.0)
    if up_to:
        return _digits(up_to[2]) if _digits(up_to[1] or "0") <= _digits(up_to[2]) else None
    return float("nan") if not text or MARK.fullmatch(text) else None


def _digits(text: str) -> float:
    return float(re.sub(r"\D", "", text))


def _shown(value: Any) -> str:
    return EMPTY if pd.isna(value) or not str(value).strip() else f"“{str(value).strip()[:20]}”"


def _listed(values: pd.Series) -> str:
    """The distinct values, the most frequent first."""
    labels = values.map(_shown).value_counts().index.tolist()
    return ", ".join(labels[:3]) + (", …" if len(labels) > 3 else "")


# ---------------------------------------------------------------------------------------------------------------------
# The numbers of a file that became the weights.
# ---------------------------------------------------------------------------------------------------------------------


ROWS = "each row is one record"
PER_RECORD = Remedy(f"say that {ROWS}", "per_record", True)


@dataclass(frozen=True)
class Counted:
    words: str  # as in "column pop10 of counts.csv" or "each row of visits.csv as one record"
    parameter: str = ""  # the reader's parameter that sets another column; "" if nothing can be chosen
    choices: tuple[str, ...] = ()  # what could be counted instead: columns, and `ROWS`
    doubt: str = ""  # a reason to doubt it, as a sentence; "" for none
