"""The roles of columns: declared once by each reader, resolved here for all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import ChoiceNeeded, InvalidInput, Remedy
from kanon_engine.io.counts import PER_RECORD, ROWS, Counted, counts_of, most_hidden, numbers_in, thousands_notes
from kanon_engine.io.names import CERTAIN, count_rank, is_attribute, is_rate, plain, unit_of
from kanon_engine.validate import require_known_name

TOTAL = re.compile(
    r"((grand |overall |state )?totals?|total .*|sum|all|overall|insgesamt|gesamt|summe|ensemble|totale?)"
)
FEWEST_IDS = 5  # that occur equally often, and not by chance
LOOKED_AT = 10_000  # rows, to find out what kind of numbers a column holds


@dataclass(frozen=True)
class Column:
    """One column, chosen by a person or found by a usual name."""

    what: str = ""  # in “There is no column 'x' for the … of a.csv”
    names: tuple[str, ...] = ()  # usual ones, best first, as `plain` writes them; a year may follow: zcta5ce10
    note: str = ""  # about a column that was found by its name, which replaces {}


@dataclass(frozen=True)
class Counts:
    """The column that says how many records each row represents."""

    what: str = "weight"  # as in `Column`
    worst: int = -1  # the least clear `count_rank` of a name that is accepted; -1 if a person has to choose it
    item: str = "row"  # what a row is
    rows: bool = True  # whether each row can be one record instead
    certain: bool = False  # whether a person is asked if a name may also mean something else
    rounds: bool = False  # whether the reader rounds fractions if a person says so
    note: str = ""  # about a column that was found by its name, which replaces {}
    lacking: str = ""  # what else is known if no column is named like counts
    # first, last: more ways out if no column is named like counts
    first: Remedy | None = None
    last: Remedy | None = None


Role = Column | Counts
Roles = Mapping[str, Role]  # by the parameter of the reader that sets the column


@dataclass
class Resolved:
    """The columns of a table by their roles, and what follows from them."""

    frame: pd.DataFrame
    where: str  # its name in sentences
    roles: Roles
    columns: dict[str, str | None]  # by role; None if there is none
    taken: Sequence[str | None]  # columns that cannot be the counts
    notes: tuple[str, ...] = ()  # about columns that were found by their names

    @cached_property
    def _counts(self) -> tuple[str, Counts]:
        return next((name, role) for name, role in self.roles.items() if isinstance(role, Counts))

    def counted(self, *excluded: str | None) -> Counted:
        """What became the weights, for a person to change; `taken` columns have another role."""
        parameter, role = self._counts
        column = self.columns[parameter]
        if column is not None:
            words, rows = f"column {column} of {self.where}", role.rows
        else:
            words, rows = f"each {role.item} of {self.where} as one{' record' if role.rows else ''}", False
        return Counted(words, parameter, (*countable(self.frame, [*excluded, column]), *([ROWS] if rows else [])))

    def weights(self, bad: np.ndarray, unit: str | None, rows: str) -> tuple[np.ndarray, str, tuple[str, ...]]:
        """How many records each row represents, 0 if it is bad; their unit, and what was unusual."""
        parameter, role = self._counts
        weight = self.columns[parameter]
        if weight is None:
            return np.ones(len(self.frame), dtype=np.int64), unit or "records", ()
        require_known_name(list(self.frame.columns), weight, role.what)
        unit, column = unit or unit_of(weight), self.frame[weight]
        counts = counts_of(
            column.astype(object).where(~bad, 0) if bad.any() else column, f"counts in column “{weight}”", self.where
        )
        empty = int(((counts == 0) & ~bad).sum())
        left = (f"Left out because they have 0 {unit}: {empty:,} of {len(counts):,} {rows}.",) if empty else ()
        return counts, unit, (*thousands_notes(column), *left)

    def ids(self, inside: np.ndarray) -> Any:
        """The ids of these rows, or their numbers from 1 if no column holds ids; a missing id is None."""
        if self.columns["id"] is None:
            return np.arange(1, len(self.frame) + 1)[inside]
        values = self.frame[require_known_name(list(self.frame.columns), self.columns["id"], "id")][inside]
        if pd.api.types.is_integer_dtype(values):
            return values.tolist()
        return [None if pd.isna(value) else str(value).strip() for value in values]

    def ask(self, why: str = "", *, rows: bool) -> ChoiceNeeded:
        """The error that lists what could be counted."""
        _, role = self._counts
        listing = ", ".join(map(str, data_columns(self.frame))) or "none"
        lacking = why or role.lacking
        what = f"In {self.where} no column has a name that suggests counts{lacking} (the columns are: {listing})"
        needed = self._needed(what, "choose one", rows, *([] if role.first is None else [role.first]))
        if role.last is not None:
            needed.remedy, needed.choices = (*needed.remedy, role.last), (*needed.choices, str(role.last.value))
        return needed

    def _needed(self, what: str, words: str, rows: bool, *first: Remedy) -> ChoiceNeeded:
        parameter = self._counts[0]
        choices = (*countable(self.frame, self.taken), *([ROWS] if rows else []))
        remedy = (*first, Remedy(words, parameter), *([PER_RECORD] if rows else []))
        return ChoiceNeeded(what, parameter, choices, remedy=remedy)

    def take_counts(self, per_record: bool | None) -> None:
        """Use the column whose name says that it counts; each row is one record if there is none.

        Raises
        ------
        ChoiceNeeded : Several names are equally clear, or the name is not clear.
        InvalidInput : A column that is named like counts holds no numbers.
        """
        (parameter, role), where = self._counts, self.where
        if self.columns[parameter] is not None and per_record:
            raise InvalidInput(
                f"If every row is one record, there is no count column; leave out {self.columns[parameter]!r}."
            )
        if self.columns[parameter] is not None or per_record or role.worst < 0:
            return
        column = self._best_name(rows=role.rows and per_record is None)
        if column is None and per_record is None:
            refuse_unreadable_counts(self.frame, where, self.taken)
        elif column is None:
            raise self.ask(rows=False)
        elif role.certain and per_record is None and CERTAIN.fullmatch(plain(column)) is None:
            raise ChoiceNeeded(
                f"Column {column} of {where} may say how many records a {role.item} represents",
                parameter,
                (column, ROWS),
                remedy=(
                    Remedy("choose it", parameter),
                    Remedy(f"say that each {role.item} is one record", "per_record", True),
                ),
            )
        self.columns[parameter] = column
        self.notes += (role.note.format(column),) if column is not None and role.note else ()

    def _best_name(self, *, rows: bool) -> str | None:
        """The column whose name says most clearly that it counts; None if no name does."""
        (_, role), frame, where = self._counts, self.frame, self.where
        ranks = {name: count_rank(name) for name in frame.columns if name not in self.taken and numeric(frame[name])}
        eligible = {name: rank for name, rank in ranks.items() if rank is not None and rank <= role.worst}
        candidates = [name for name, rank in eligible.items() if rank == min(eligible.values())]
        if len(candidates) > 1:
            listing = ", ".join(candidates)
            raise self._needed(f"In {where} several columns could be the counts ({listing})", "choose one", rows)
        if not candidates:
            return None
        name = candidates[0]
        if not _whole(frame[name], minimum_share=0.5) and countable(frame, self.taken):
            odd = frame[name].dropna().iloc[0]
            what = (
                f"Column {name} of {where} has a name that suggests counts but holds {odd}, which is not a whole number"
            )
            rounded = Remedy("round it", *(("rounding", "nearest") if role.rounds else ()))
            raise self._needed(what, "choose another", rows, rounded)
        return str(name)


def resolve(
    frame: pd.DataFrame,
    roles: Roles,
    settings: Mapping[str, str | None],
    where: str,
    *,
    per_record: bool | None = None,
    excluded: Sequence[str | None] = (),
) -> Resolved:
    """The columns of a table by the roles that a reader declares.

    Parameters
    ----------
    settings : The column that a person chose for a role, None if nobody did.
    where : Name of the table in sentences.
    per_record : Whether each row is one record; None if unknown.
    excluded : Columns that cannot be the counts, besides those with another role.

    Raises
    ------
    InvalidInput : A column that does not exist, or a column of counts although each row is one record.
    ChoiceNeeded : It is not clear which column counts.

    >>> rows = pd.DataFrame({"zip": ["06001", "06002"], "people": [5, 6]})
    >>> found = resolve(rows, {"id": Column(names=("zip",)), "weight": Counts(worst=3)}, {}, "a.csv")
    >>> found.columns, found.counted().words
    ({'id': 'zip', 'weight': 'people'}, 'column people of a.csv')
    """
    columns, notes = {parameter: settings.get(parameter) for parameter in roles}, []
    for parameter, role in roles.items():
        if isinstance(role, Column) and role.names:
            columns[parameter] = column_for(frame, role, columns[parameter], where)
            if role.note and columns[parameter] is not None and settings.get(parameter) is None:
                notes.append(role.note.format(columns[parameter]))
    others = [columns[parameter] for parameter, role in roles.items() if isinstance(role, Column)]
    resolved = Resolved(frame, where, roles, columns, [*excluded, *others], tuple(notes))
    if any(isinstance(role, Counts) for role in roles.values()):
        resolved.take_counts(per_record)
    return resolved


def column_for(frame: pd.DataFrame, role: Column, requested: str | None, where: str) -> str | None:
    """The column of a role: the chosen one, or one with a usual name, if there is one."""
    columns = data_columns(frame)
    if requested is not None:
        return str(require_known_name(columns, requested, f"{role.what} of {where}"))
    by_plain = {re.sub(r"(?<=\D)\d\d$", "", plain(name)): name for name in columns}
    return next((by_plain[name] for name in role.names if name in by_plain), None)


def data_columns(frame: pd.DataFrame) -> list[str]:
    """All columns except shapes."""
    return [name for name in frame.columns if not _holds_shapes(frame[name])]


def _holds_shapes(column: pd.Series) -> bool:
    return str(column.dtype) == "geometry"


def countable(frame: pd.DataFrame, excluded: Sequence[str | None] = ()) -> tuple[str, ...]:
    """The columns that hold whole numbers of at least 0 and are not named like rates or codes, likely counts first."""
    countable_columns = [
        str(name)
        for name in frame.columns
        if name not in excluded
        and not is_rate(name)
        and not is_attribute(name)
        and _whole(frame[name], minimum_share=1.0)
    ]
    ranks = {name: count_rank(name) for name in countable_columns}
    return tuple(sorted(countable_columns, key=lambda name: (ranks[name] is None, ranks[name] or 0)))


def numeric(column: pd.Series) -> bool:
    """Whether more than half of a column's values, except hidden counts, are numbers."""
    if _holds_shapes(column) or pd.api.types.is_bool_dtype(column):
        return False
    numbers = _known(column)
    return len(numbers) > 0 and bool(numbers.notna().mean() > 0.5)


def _known(column: pd.Series) -> pd.Series:
    """A few thousand cells as numbers, missing if a cell is not one; without hidden counts such as <5."""
    values = column.iloc[:: 1 + len(column) // LOOKED_AT].dropna()
    numbers = numbers_in(values)
    unread = numbers.isna()
    if not unread.any():
        return numbers
    texts = values[unread].astype("string").str.strip()
    hidden = {text for text in texts.unique() if most_hidden(text) is not None}
    return numbers.drop(texts.index[texts.isin(hidden)])


def _whole(column: pd.Series, minimum_share: float) -> bool:
    """Whether at least this share of a column's values are whole numbers of at least 0."""
    if not numeric(column):
        return False
    numbers = pd.to_numeric(_known(column), errors="coerce").astype("float64")
    return bool(((numbers >= 0) & (numbers % 1 == 0)).mean() >= minimum_share)


def refuse_unreadable_counts(frame: pd.DataFrame, where: str, excluded: Sequence[str | None]) -> None:
    """Refuse a column that is named like counts and holds digits, but whose values are not numbers."""
    for name in frame.columns:
        if name in excluded or not CERTAIN.fullmatch(plain(name)) or _holds_shapes(frame[name]):
            continue
        texts = frame[name].dropna().astype("string").str.strip()
        odd = texts[numbers_in(texts).isna() & (texts != "")]
        if len(odd) and texts.str.contains(r"\d").any():
            raise InvalidInput(
                f"Column {name} of {where} has a name that suggests counts but holds “{str(odd.iloc[0])[:40]}”, "
                f"which is not a number",
                remedy=(Remedy("correct it"), PER_RECORD),
            )


def total_row(names: Sequence[object], counts: Sequence[int]) -> int | None:
    """The row that is named a total and holds as much as all others together; None if there is none.

    >>> total_row(["flu", "cold", "Total"], [3, 4, 7]), total_row(["flu", "Total"], [3, 4])
    (2, None)
    """
    everything = sum(counts)
    for row, (name, count) in enumerate(zip(names, counts, strict=True)):
        if len(names) > 2 and 2 * count == everything > 0 and TOTAL.fullmatch(str(name).strip().lower()):
            return row
    return None


def one_row_an_id(keys: Iterable[object]) -> bool:
    """Whether every id is in one row, or in equally many: a table of areas, or areas and weeks, not of records."""
    counts = pd.Series(list(keys), dtype=object).value_counts()
    return bool(counts.max() == 1 or (len(counts) >= FEWEST_IDS and counts.min() == counts.max()))
