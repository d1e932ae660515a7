"""Which columns of a table hold the labels and the counts."""

from __future__ import annotations

import pandas as pd

from kanon_engine.errors import ChoiceNeeded, InvalidInput, Remedy
from kanon_engine.io.counts import Candidates, numbers_in, numeric, one_row_an_id, refuse_unreadable_counts
from kanon_engine.io.roles import count_rank, is_attribute
from kanon_engine.validate import known_column

LABEL_NAMES = ("label", "name", "value", "category", "item", "term", "code", "diagnosis", "disease", "surname")
ID_NAMES = ("id", "row", "index", "key", "record", "nr", "no")
NAMELESS = "column "  # with a number, where the first line of a file holds no names


def choose_columns(
    frame: pd.DataFrame, label: str | None, count: str | None, per_record: bool | None, where: str
) -> tuple[str, str | None, tuple[str, ...]]:
    """The label column, the count column or None for one row per record, and what was guessed, in sentences.

    A count column is guessed when its name says that it counts and it holds numbers, or, where the columns have no
    names, when the table has two, one of numbers and one of labels that are all different. Rows are records where
    nothing is named like counts, unless every label stands in one row beside numbers: then a person is asked. A label
    column is guessed when it is the only other column, has a usual name, or is the only text column in which values
    repeat.

    Raises
    ------
    InvalidInput
        A column that is not there, the same for both, or no guess.
    """
    columns = list(frame.columns)
    if label is not None:
        known_column(columns, label, "labels")
    if count is not None:
        known_column(columns, count, "counts")
        if per_record:
            raise InvalidInput(f"Where every row is one record, there is no count column; leave out {count!r}.")
    if label is not None and label == count:
        raise InvalidInput(f"Column {label!r} is named for both labels and counts; name two columns.")
    notes: tuple[str, ...] = ()
    if count is None and not per_record:
        count = _guessed_count(frame, label, per_record, where)
        if count is not None:
            notes = (f"The counts were guessed to be in column “{count}”.",)
    if label is None:
        others = [column for column in columns if column != count]
        label = others[0] if len(others) == 1 else _named(others) or _only_repeating(frame, others)
        if label is None:
            raise ChoiceNeeded(
                f"No column is sure to hold the labels (the columns are: {', '.join(others) or 'none'})",
                "label",
                tuple(others),
                remedy=Remedy("choose one", "label"),
            )
        if len(columns) > 1:
            notes = (*notes, f"The labels were guessed to be in column “{label}”.")
    if count is None and per_record is None and one_row_an_id(frame[label].dropna()) and _other_numbers(frame, label):
        candidates = Candidates(frame, where, "count", _no_counts(frame, label))
        raise candidates.ask(", and no label repeats as in records", rows=True)
    return label, count, notes


def _guessed_count(frame: pd.DataFrame, label: str | None, per_record: bool | None, where: str) -> str | None:
    candidates = Candidates(frame, where, "count", _no_counts(frame, label))
    found = candidates.best_named(rows=per_record is None) or _only_numbers(frame, label)
    if found is None and per_record is None:
        refuse_unreadable_counts(frame, where, [label])
    if found is None and per_record is False:
        raise candidates.ask(rows=False)
    return found


def _no_counts(frame: pd.DataFrame, label: str | None) -> list[str | None]:
    """Columns that cannot be the counts, for a column named “value” or “code” may hold labels."""
    others = [column for column in frame.columns if column != label]
    named = _named(others) if label is None and any(count_rank(name) not in (None, 4) for name in others) else None
    return [label, named, *(column for column in others if column.lower() in ID_NAMES)]


def _named(columns: list[str]) -> str | None:
    """The first column with a usual name for labels, in the order of the names."""
    plain = {column.lower().replace("_", " ").strip(): column for column in reversed(columns)}
    return next((plain[name] for name in LABEL_NAMES if name in plain), None)


def _only_numbers(frame: pd.DataFrame, label: str | None) -> str | None:
    """In a table of two columns without names the one of whole numbers, when the other's values are all different."""
    if frame.shape[1] != 2 or not all(name.startswith(NAMELESS) for name in frame.columns):
        return None
    found = [column for column in frame.columns if column != label and _all_numbers(frame[column])]
    if len(found) != 1:
        return None
    partner = frame[next(column for column in frame.columns if column != found[0])]
    return found[0] if partner.is_unique and partner.notna().all() else None


def _other_numbers(frame: pd.DataFrame, label: str) -> bool:
    """Whether a further column holds numbers that could be added up: no id, no year, no age."""
    taken = _no_counts(frame, label)
    return any(name not in taken and numeric(frame[name]) and not is_attribute(name) for name in frame.columns)


def _only_repeating(frame: pd.DataFrame, columns: list[str]) -> str | None:
    texts = [column for column in columns if not _all_numbers(frame[column]) and not frame[column].dropna().is_unique]
    return texts[0] if len(texts) == 1 else None


def _all_numbers(column: pd.Series) -> bool:
    numbers = numbers_in(column.dropna())
    return len(numbers) > 0 and bool(numbers.notna().all())
