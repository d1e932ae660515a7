"""Counts that a file does not give as whole numbers: fractions, and small counts that somebody hid."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import ChoiceNeeded, InvalidInput, Remedy
from kanon_engine.io.column_names import count_rank
from kanon_engine.io.counts import numbers_in, refuse_points
from kanon_engine.model.words import counted, number_text

ROUNDINGS = ("refuse", "nearest")
HIDDEN = ("refuse", "zero", "largest", "leave-out")
COUNT = r"(\d{1,9}|[1-9]\d{0,2}(?:[,'’\u00a0\u202f ]\d{3}){1,2})"  # thousands may be set apart
BELOW = re.compile(rf"(?:<|(?:less|fewer) than)\s*{COUNT}", re.IGNORECASE)
UP_TO = re.compile(rf"(?:<=|≤|up to|{COUNT}\s*(?:-|–|to))\s*{COUNT}", re.IGNORECASE)
MARK = re.compile(r"[*#.\-–—]+|[sdx]|n/?a|suppressed|redacted|hidden|withheld|masked", re.IGNORECASE)
EMPTY = "an empty cell"


@dataclass(frozen=True)
class Settled:
    """A column of counts after it was decided what its values stand for.

    Attributes
    ----------
    values : Series
        0 where a value is left out.
    left_out : (n,) bool array
    notes : tuple of str
    """

    values: pd.Series
    left_out: np.ndarray
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Inexact:
    """What is done with counts that are no whole numbers.

    Parameters
    ----------
    rounding : str
        "refuse" fractions, or round them to the "nearest" whole number, halves up.
    hidden : str
        "refuse" values such as <5, * and empty cells; or take each as "zero", as the "largest" that it may stand for,
        or "leave-out" what they count.
    hidden_most : int, optional
        The largest count that a mark without a number, such as *, may stand for.

    Raises
    ------
    InvalidInput
        Another word or number.
    """

    rounding: str = "refuse"
    hidden: str = "refuse"
    hidden_most: int | None = None

    def __post_init__(self) -> None:
        for name, value, known in (("rounding", self.rounding, ROUNDINGS), ("hidden", self.hidden, HIDDEN)):
            if value not in known:
                message = f"{name} is {value!r}; choose one of {', '.join(known)}."
                raise InvalidInput(message, parameter=name, value=value)
        most = self.hidden_most
        if most is not None and (isinstance(most, bool) or not isinstance(most, int) or not 0 <= most < 10**9):
            message = f"The largest hidden count is {most!r}; give a whole number of at least 0."
            raise InvalidInput(message, parameter="hidden_most", value=most)
        if most is not None and self.hidden != "largest":
            raise InvalidInput(
                f"The largest hidden count is {most:,}, but hidden counts are not taken as the largest that they may "
                "stand for",
                parameter="hidden_most",
                value=most,
                remedy=(Remedy("take them so", "hidden", "largest"), Remedy("leave that number out")),
            )

    @property
    def given(self) -> dict[str, Any]:
        """What a person decided, for a certificate."""
        plain = Inexact()
        names = ("rounding", "hidden", "hidden_most")
        return {name: getattr(self, name) for name in names if getattr(self, name) != getattr(plain, name)}

    def settled(
        self, frame: pd.DataFrame, where: str, named: Collection[str | None]
    ) -> tuple[pd.DataFrame, dict[str, Settled]]:
        """The frame with these columns, and those named like counts, as the numbers that they stand for."""
        found: dict[str, Settled] = {}
        for name in frame.columns if self.given else ():
            if str(frame[name].dtype) == "geometry" or (name not in named and count_rank(name) is None):
                continue
            column = self._column(frame[name], where)
            if column is not None:
                found[str(name)] = column
        return frame.assign(**{name: column.values for name, column in found.items()}) if found else frame, found

    def refuse(self, column: pd.Series, where: str, places: list[str]) -> None:
        """Ask what to do where a column of counts holds fractions or hidden counts that nobody decided about.

        Raises
        ------
        ChoiceNeeded
            How many there are, the first with its place, and the effect of rounding.
        """
        values, hidden, _ = _understood(column)
        what = f"column {column.name} of {where}"
        if self.hidden == "refuse" and hidden.any():
            first, many = int(np.argmax(hidden)), int(hidden.sum())
            raise ChoiceNeeded(
                f"{counted(many, 'count')} in {what} {'is' if many == 1 else 'are'} not told but hidden or "
                f"missing, first {_shown(column.iloc[first])} at {places[first]}",
                "hidden",
                HIDDEN[1:],
                remedy=(
                    Remedy("count each as 0", "hidden", "zero"),
                    Remedy("count each as the most that it may stand for", "hidden", "largest"),
                    Remedy("leave out what they count", "hidden", "leave-out"),
                ),
            )
        odd = np.flatnonzero(np.isfinite(values) & (values >= 0) & (values % 1 != 0))
        if self.rounding == "refuse" and len(odd):
            change = np.abs(np.floor(values[odd] + 0.5) - values[odd])
            one = number_text(float(values[odd[0]]))
            raise ChoiceNeeded(
                f"{counted(len(odd), 'count')} in {what} {'is no whole number' if len(odd) == 1 else 'are no whole '}"
                f"{'' if len(odd) == 1 else 'numbers'}, first {one} at {places[odd[0]]}; rounding would "
                f"change each by at most {change.max():.3g} and their sum by {_total_change(values[odd]):+.3g}",
                "rounding",
                ROUNDINGS[1:],
                remedy=Remedy("round them", "rounding", "nearest"),
            )

    def _column(self, column: pd.Series, where: str) -> Settled | None:
        """None where nothing in it is hidden or a fraction, or what is done with those is refused."""
        values, known, most = _understood(column)
        fractions = np.isfinite(values) & (values >= 0) & (values % 1 != 0)
        if not (known | fractions).any():
            return None
        if (np.isnan(values) & ~known).any():
            return None  # no column of numbers; the sentence for what it holds is the reader's
        notes = []
        what = f"column {column.name} of {where}"
        left_out = np.zeros(len(values), dtype=bool)
        if known.any() and self.hidden != "refuse":
            left_out = known if self.hidden == "leave-out" else left_out
            values[known] = self._largest(most[known], what) if self.hidden == "largest" else 0
            if self.hidden != "leave-out":
                notes.append(_told(self.hidden, f"in {what} ({_listed(column[known])})", values[known]))
        elif known.any():
            return None
        if fractions.any() and self.rounding == "nearest":
            change = np.abs(np.floor(values[fractions] + 0.5) - values[fractions])
            many = counted(int(fractions.sum()), "count")
            notes.append(
                f"{many} in {what} {'was' if fractions.sum() == 1 else 'were'} rounded to "
                f"whole numbers, each by at most {change.max():.3g}; their sum changed by "
                f"{_total_change(values[fractions]):+.3g}."
            )
            values[fractions] = np.floor(values[fractions] + 0.5)
        elif fractions.any() and not known.any():
            return None
        return Settled(pd.Series(values, index=column.index, name=column.name), left_out, tuple(notes))

    def _largest(self, largest: np.ndarray, what: str) -> np.ndarray:
        """The largest that each hidden count may be; NaN where it does not say is filled by what a person gave."""
        open_ended = np.isnan(largest)
        many = int(open_ended.sum())
        if many and self.hidden_most is None:
            raise InvalidInput(
                f"{counted(many, 'hidden count')} in {what} {'does' if many == 1 else 'do'} "
                "not say how large they may be",
                parameter="hidden_most",
                remedy=Remedy("give the largest that a hidden count may be", "hidden_most"),
            )
        return np.where(open_ended, 0 if self.hidden_most is None else self.hidden_most, largest)


def _understood(column: pd.Series) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(n,) each: the number, NaN where there is none; whether a count is hidden; the largest that it may be, or NaN."""
    if pd.api.types.is_numeric_dtype(column):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan).copy()
        return values, np.isnan(values), np.full(len(values), np.nan)
    values = numbers_in(column).to_numpy(dtype=np.float64, na_value=np.nan).copy()
    unread = np.isnan(values)
    texts = column.astype("string").str.strip().fillna("")[unread]
    known = {text: most_hidden(text) for text in texts.unique()}
    most, hidden = np.full(len(values), np.nan), unread.copy()
    most[unread] = [np.nan if known[text] is None else known[text] for text in texts]
    hidden[unread] = [known[text] is not None for text in texts]
    if not unread.all():
        refuse_points(column, f"values of column {column.name}")
    return values, hidden, most


def most_hidden(text: str) -> float | None:
    """The largest count that a text may stand for; NaN where it does not say, None where it hides no count.

    Example
    -------
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


def _told(hidden: str, where: str, taken: np.ndarray) -> str:
    """What hidden counts were taken as, and what that means for groups."""
    many = f"{counted(len(taken), 'hidden count')} {where} {'was' if len(taken) == 1 else 'were'} taken as"
    if hidden == "zero":
        return f"{many} 0, so groups may hold more than is said."
    return f"{many} the most possible, {taken.sum():,.0f} in all, so groups together may hold up to so many fewer."


def _total_change(values: np.ndarray) -> float:
    return float((np.floor(values + 0.5) - values).sum())


def _shown(value: Any) -> str:
    return EMPTY if pd.isna(value) or not str(value).strip() else f"“{str(value).strip()[:20]}”"


def _listed(values: pd.Series) -> str:
    """What stands there, each once, the most frequent first."""
    shown = values.map(_shown).value_counts().index.tolist()
    return ", ".join(shown[:3]) + (", …" if len(shown) > 3 else "")
