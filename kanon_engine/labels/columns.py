"""Which columns of a table hold the labels and the counts."""

from __future__ import annotations

import pandas as pd

from kanon_engine.counts import numbers_in, refuse_unreadable_counts
from kanon_engine.errors import InvalidInput
from kanon_engine.validate import known_column

LABEL_NAMES = ("label", "name", "value", "category", "item", "term", "code", "diagnosis", "disease", "surname")
COUNT_NAMES = ("count", "counts", "n", "frequency", "freq", "records", "number", "total", "cases", "weight")
ID_NAMES = ("id", "row", "index", "key", "record", "nr", "no")


def choose_columns(
    frame: pd.DataFrame, label: str | None, count: str | None, per_record: bool | None
) -> tuple[str, str | None, tuple[str, ...]]:
    """The label column, the count column or None for one row per record, and what was guessed, in sentences.

    A count column is guessed when it has a usual name and holds numbers, or when the table has two columns, one of
    numbers that is not called an id and one of labels that are all different. A label column is guessed when it is the
    only other column, has a usual name, or is the only text column in which values repeat.

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
    others = [column for column in columns if column != label]
    notes: tuple[str, ...] = ()
    if count is None and per_record is None:
        for column in others:
            if column.lower() in ("count", "counts", "frequency", "freq"):
                refuse_unreadable_counts(frame[column], "the table", "or say that every row is one record")
    if count is None and not per_record:
        count = _named(others, COUNT_NAMES, frame) or _only_numbers(frame, others)
        if count is not None:
            notes = (f"The counts were guessed to be in column “{count}”.",)
        elif per_record is False:
            raise InvalidInput(f"No column looks like counts; name one of: {', '.join(columns)}.")
    if label is None:
        others = [column for column in columns if column != count]
        label = others[0] if len(others) == 1 else _named(others, LABEL_NAMES) or _only_repeating(frame, others)
        if label is None:
            raise InvalidInput(f"No column is sure to hold the labels; name one of: {', '.join(others) or 'none'}.")
        if len(columns) > 1:
            notes = (*notes, f"The labels were guessed to be in column “{label}”.")
    return label, count, notes


def _named(columns: list[str], names: tuple[str, ...], numbers_in: pd.DataFrame | None = None) -> str | None:
    """The first column with a usual name, in the order of the names; of numbers where a frame is given."""
    plain = {column.lower().replace("_", " ").strip(): column for column in reversed(columns)}
    found = [plain[name] for name in names if name in plain]
    if numbers_in is not None:
        found = [column for column in found if _numeric(numbers_in[column])]
    return found[0] if found else None


def _only_numbers(frame: pd.DataFrame, others: list[str]) -> str | None:
    """In a table of two columns the one of whole numbers, when the other's values are all different."""
    if frame.shape[1] != 2:
        return None
    numeric = [column for column in others if _numeric(frame[column])]
    if len(numeric) != 1 or numeric[0].lower() in ID_NAMES:
        return None
    partner = frame[next(column for column in frame.columns if column != numeric[0])]
    return numeric[0] if partner.is_unique and partner.notna().all() else None


def _only_repeating(frame: pd.DataFrame, columns: list[str]) -> str | None:
    texts = [column for column in columns if not _numeric(frame[column]) and not frame[column].dropna().is_unique]
    return texts[0] if len(texts) == 1 else None


def _numeric(column: pd.Series) -> bool:
    numbers = numbers_in(column.dropna())
    return len(numbers) > 0 and bool(numbers.notna().all())
