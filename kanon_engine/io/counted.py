"""Which numbers of a file became the weights: taken by name, or asked for where no name tells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from kanon_engine.errors import ChoiceNeeded, InvalidInput, Remedy
from kanon_engine.io.column_names import CERTAIN, count_rank, is_attribute, is_rate, plain
from kanon_engine.io.counts import numbers_in
from kanon_engine.io.inexact import most_hidden

ROWS = "each row is one record"
PER_RECORD = Remedy(f"say that {ROWS}", "per_record", True)
TOTAL = re.compile(
    r"((grand |overall |state )?totals?|total .*|sum|all|overall|insgesamt|gesamt|summe|ensemble|totale?)"
)
FEWEST_IDS = 5  # that stand equally often and not by chance
LOOKED_AT = 10_000  # rows, to tell what kind of numbers a column holds


@dataclass(frozen=True)
class Counted:
    """What the weights of an instance are.

    Attributes
    ----------
    words : str
        As in "column pop10 of counts.csv" or "each row of visits.csv as one record".
    parameter : str
        The reader's parameter that names another column; "" where nothing can be chosen.
    choices : tuple of str
        What could be counted instead: columns, and `ROWS`.
    doubt : str
        What speaks against it, a sentence; "" for nothing.
    """

    words: str
    parameter: str = ""
    choices: tuple[str, ...] = ()
    doubt: str = ""


def countable(frame: pd.DataFrame, taken: Sequence[str | None] = ()) -> tuple[str, ...]:
    """The columns that hold whole numbers of at least 0 and are not named like rates or codes, likely counts first."""
    found = [
        str(name)
        for name in frame.columns
        if name not in taken and not is_rate(name) and not is_attribute(name) and _whole(frame[name], minimum_share=1.0)
    ]
    ranks = {name: count_rank(name) for name in found}
    return tuple(sorted(found, key=lambda name: (ranks[name] is None, ranks[name] or 0)))


def has_numbers(frame: pd.DataFrame, taken: Sequence[str | None] = ()) -> bool:
    """Whether a further column holds numbers, of any kind."""
    return any(name not in taken and numeric(frame[name]) for name in frame.columns)


def numeric(column: pd.Series) -> bool:
    """Whether more than half of what stands in a column, beside counts that somebody hid, are numbers."""
    if str(column.dtype) == "geometry" or pd.api.types.is_bool_dtype(column):
        return False
    numbers = _told(_some(column))
    return len(numbers) > 0 and bool(numbers.notna().mean() > 0.5)


def _some(column: pd.Series) -> pd.Series:
    """What stands in at most some thousand rows from all over a column."""
    return column.iloc[:: 1 + len(column) // LOOKED_AT].dropna()


def _told(values: pd.Series) -> pd.Series:
    """As numbers, missing where one is none; without counts that are hidden, as <5."""
    numbers = numbers_in(values)
    unread = numbers.isna()
    if not unread.any():
        return numbers
    texts = values[unread].astype("string").str.strip()
    hidden = {text for text in texts.unique() if most_hidden(text) is not None}
    return numbers.drop(texts.index[texts.isin(hidden)])


def _whole(column: pd.Series, minimum_share: float) -> bool:
    """Whether at least this share of what stands in a column are whole numbers of at least 0."""
    if not numeric(column):
        return False
    numbers = pd.to_numeric(_told(_some(column)), errors="coerce").astype("float64")
    return bool(((numbers >= 0) & (numbers % 1 == 0)).mean() >= minimum_share)


@dataclass(frozen=True)
class Candidates:
    """Where counts are looked for.

    Attributes
    ----------
    frame : DataFrame
    where : str
        Its name in sentences.
    parameter : str
        The reader's parameter that names the column of counts.
    taken : sequence of str
        Columns with another role.
    rounds : bool
        Whether the reader rounds fractions where a person says so.
    """

    frame: pd.DataFrame
    where: str
    parameter: str
    taken: Sequence[str | None] = ()
    rounds: bool = False

    def column(self, name: str, *, rows: bool) -> Counted:
        """A column was counted; `rows` says whether rows can be records instead."""
        choices = self._choices(rows, *self.taken, name)
        return Counted(f"column {name} of {self.where}", self.parameter, choices)

    def rows(self, what: str) -> Counted:
        """Each row, or each point, was counted as one record."""
        return Counted(f"each {what} of {self.where} as one record", self.parameter, countable(self.frame, self.taken))

    def each(self, what: str) -> Counted:
        """Each area was counted as one."""
        return Counted(f"each {what} of {self.where} as one", self.parameter, countable(self.frame, self.taken))

    def best_named(self, *, rows: bool, worst: int = 4) -> str | None:
        """The column whose name says most clearly that it counts; None where no name does.

        Raises
        ------
        ChoiceNeeded
            Several are named equally clearly, or the one holds mostly fractions.
        """
        frame, where = self.frame, self.where
        ranks = {name: count_rank(name) for name in frame.columns if name not in self.taken and numeric(frame[name])}
        named = {name: rank for name, rank in ranks.items() if rank is not None and rank <= worst}
        if not named:
            return None
        candidates = [name for name, rank in named.items() if rank == min(named.values())]
        if len(candidates) > 1:
            listing = ", ".join(candidates)
            raise self._needed(f"In {where} several columns could be the counts ({listing})", "choose one", rows)
        name = candidates[0]
        if not _whole(frame[name], minimum_share=0.5) and countable(frame, self.taken):
            odd = frame[name].dropna().iloc[0]
            what = f"Column {name} of {where} is named like counts but holds {odd}, no whole number"
            raise self._needed(
                what, "choose another", rows, Remedy("round it", *(("rounding", "nearest") if self.rounds else ()))
            )
        return str(name)

    def ask(
        self, why: str = "", *, rows: bool, first: Remedy | None = None, last: Remedy | None = None
    ) -> ChoiceNeeded:
        """The error that lists what could be counted."""
        columns = [str(name) for name in self.frame.columns if str(self.frame[name].dtype) != "geometry"]
        listing = ", ".join(columns) or "none"
        what = f"In {self.where} no column is named like counts{why} (the columns are: {listing})"
        needed = self._needed(what, "choose one", rows, *([] if first is None else [first]))
        if last is not None:
            needed.remedy, needed.choices = (*needed.remedy, last), (*needed.choices, str(last.value))
        return needed

    def _needed(self, what: str, words: str, rows: bool, *first: Remedy) -> ChoiceNeeded:
        remedy = (*first, Remedy(words, self.parameter), *([PER_RECORD] if rows else []))
        return ChoiceNeeded(what, self.parameter, self._choices(rows, *self.taken), remedy=remedy)

    def _choices(self, rows: bool, *taken: str | None) -> tuple[str, ...]:
        return (*countable(self.frame, taken), *([ROWS] if rows else []))


def refuse_unreadable_counts(frame: pd.DataFrame, where: str, taken: Sequence[str | None]) -> None:
    """A column that is named like counts and holds digits, but whose values are no numbers, is not to be overlooked."""
    for name in frame.columns:
        if name in taken or not CERTAIN.fullmatch(plain(name)) or str(frame[name].dtype) == "geometry":
            continue
        texts = frame[name].dropna().astype("string").str.strip()
        odd = texts[numbers_in(texts).isna() & (texts != "")]
        if len(odd) and texts.str.contains(r"\d").any():
            raise InvalidInput(
                f"Column {name} of {where} is named like counts but holds “{str(odd.iloc[0])[:40]}”, which is no "
                f"number",
                remedy=(Remedy("correct it"), PER_RECORD),
            )


def total_row(names: Sequence[object], counts: Sequence[int]) -> int | None:
    """The row that is called a total and holds as much as all others together; None where there is none.

    Example
    -------
    >>> total_row(["flu", "cold", "Total"], [3, 4, 7]), total_row(["flu", "Total"], [3, 4])
    (2, None)
    """
    everything = sum(counts)
    for row, (name, count) in enumerate(zip(names, counts, strict=True)):
        if len(names) > 2 and 2 * count == everything > 0 and TOTAL.fullmatch(str(name).strip().lower()):
            return row
    return None


def one_row_an_id(keys: Iterable[object]) -> bool:
    """Whether every id stands in one row, or in equally many: a table of areas, or areas and weeks, not of records."""
    counts = pd.Series(list(keys), dtype=object).value_counts()
    return bool(counts.max() == 1 or (len(counts) >= FEWEST_IDS and counts.min() == counts.max()))
