"""Labels from a file: label and count, or one row per record that is counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import ChoiceNeeded, InvalidInput, Remedy
from kanon_engine.io.confined import confined
from kanon_engine.io.counts import PER_RECORD, ROWS, Candidates, Counted, counts_of, thousands_told, total_row
from kanon_engine.io.frames import read_frame
from kanon_engine.io.roles import unit_of
from kanon_engine.io.source import Source
from kanon_engine.io.workbook import lists_sheets, with_sheet
from kanon_engine.labels.instance import Labels
from kanon_engine.labels.read.census import UNIT, is_census_file, read_census
from kanon_engine.labels.read.columns import NAMELESS, choose_columns
from kanon_engine.labels.read.rules import with_rules

MISSING = "(missing)"


@confined("file", "together", "apart")
@lists_sheets(file="sheet")
def read_labels(
    file: Any,
    label: str | None = None,
    count: str | None = None,
    *,
    filename: str | None = None,
    unit: str | None = None,
    per_record: bool | None = None,
    merge_duplicates: bool = False,
    together: Any = None,
    apart: Any = None,
    class_names: Any = None,
    sheet: str | int | None = None,
) -> Labels:
    """Labels from CSV, Parquet, Excel, or a name file of the 1990 census as it is.

    Parameters
    ----------
    file : path, bytes, readable object or DataFrame
    label, count : str, optional
        Column names; guessed by their usual names when None.
    filename : str, optional
        What to call uploaded bytes in sentences.
    unit : str, optional
        What the counts count; None is what the column's name says, "records" where rows are counted, in a census file
        "people per 100,000".
    per_record : bool, optional
        True: every row is one record, and rows with the same label are counted; False: every row holds a label and its
        count; None: counts where a count column is named or found, records where there is none and labels repeat.
    merge_duplicates : bool
        Add up the counts of a label that stands in several rows, instead of refusing the file.
    together, apart : sets of names, or path or bytes of a CSV with a set in each line, optional
        Labels that stay in one class, and labels of which no two share a class; see `Labels`.
    class_names : str or list of str, optional
        "number", "largest" or names; see `Labels`.
    sheet : str or int, optional
        Which sheet of a workbook, by its name or its number from 1; the first that fits when None, with a note.

    Returns
    -------
    Labels
        `notes` say what was understood and left out; labels are in the file's order, of counted records in order of
        first appearance. Labels with a count of 0 are left out. Records without a label share the label "(missing)".

    Raises
    ------
    InvalidInput
        No such file or column, another kind of file, counts negative, fractional or missing, a count without a label,
        a label twice.

    Example
    -------
    >>> read_labels(b"name,births\\nAda,3\\nBo,0\\nCy,4\\n", count="births").counts.tolist()
    [3, 4]
    >>> read_labels(b"diagnosis\\nflu\\ncold\\nflu\\n").names.tolist()
    ['flu', 'cold']
    """
    rules = {"together": together, "apart": apart, "class_names": class_names}
    source = with_sheet(Source.open(file, filename), sheet, (label, count))
    if source.kind == "text" and label is None and count is None and not per_record:
        text = source.text()[0]
        if is_census_file(text):
            unit = unit or UNIT
            names, counts, notes = read_census(text, source.name)
            names, counts, notes = _merged(names, counts, notes, merge_duplicates, source.name)
            reading = {"reader": "read_labels", "unit": unit, "merge_duplicates": merge_duplicates}
            counted = Counted(f"the percentages of {source.name} as people per 100,000")
            return with_rules(replace(_labels(names, counts, notes, unit, reading), counted=counted), **rules)
    frame, notes = _table(source, {column for column in (label, count) if column is not None})
    label, count, reasons = choose_columns(frame, label, count, per_record, source.name)
    notes = (*notes, *reasons)
    if count is None:
        names, counts, more = _counted(frame, label)
        counted = Candidates(frame, source.name, "count", [label]).rows("row")
    else:
        names, counts, more = _listed(frame, label, count, source.name, merge_duplicates)
        counted = Candidates(frame, source.name, "count", [label]).column(count, rows=True)
    unit = unit or ("records" if count is None or count.startswith(NAMELESS) else unit_of(count))
    reading = {"reader": "read_labels", "label": label, "count": count, "unit": unit}
    reading |= {"per_record": count is None, "merge_duplicates": merge_duplicates, **source.sheet_read()}
    labels = _labels(names, counts, (*notes, *more), unit, reading)
    return with_rules(replace(labels, counted=counted), **rules)


def _table(source: Source, named: set[str]) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The table, its first line read as data where it holds no column names or the columns named are "column 1", …"""
    frame, notes = read_frame(source)
    if source.kind != "text" or (named and named <= set(frame.columns)) or not (named or _headless(frame)):
        return frame, notes
    other, notes_of_other = read_frame(source, header=False)
    if not named <= set(other.columns):
        return frame, notes
    return other, (*notes_of_other, "The first line was read as data, not as column names.")


def _headless(frame: pd.DataFrame) -> bool:
    """Whether a column's name is one of its values, or a number that heads a column of numbers."""
    for column in frame.columns:
        values = frame[column].dropna().astype(str).str.strip()
        if (values == column).any() or (_is_number(column) and values.head(20).map(_is_number).all()):
            return True
    return False


def _is_number(value: str) -> bool:
    return value.strip().replace(".", "", 1).isdigit()


def labels_of_records(frame: pd.DataFrame, label: str, count: str, unit: str) -> Labels:
    """Labels of records of which equal ones were counted before, as if each stood in a row of its own.

    Example
    -------
    >>> people = pd.DataFrame({"illness": ["flu", None], "n": [3, 1]})
    >>> labels_of_records(people, "illness", "n", "people").names.tolist()
    ['flu', '(missing)']
    """
    return _labels(*_counted(frame, label, frame[count].to_numpy(dtype=np.int64)), unit, {})


def _counted(
    frame: pd.DataFrame, label: str, often: np.ndarray | None = None
) -> tuple[list[str], list[int], tuple[str, ...]]:
    """One row per record, or for `often` of them: how often each label stands there."""
    weights = np.ones(len(frame), dtype=np.int64) if often is None else often
    texts = label_texts(frame[label])
    missing = int(weights[texts.isna()].sum())
    stand_in = MISSING
    while missing and (texts == stand_in).any():
        stand_in = f"({stand_in})"
    codes, names = pd.factorize(texts.fillna(stand_in))
    counts = np.zeros(len(names), dtype=np.int64)
    np.add.at(counts, codes, weights)
    rows = int(weights.sum())
    notes = [f"{rows:,} rows, one a record, counted by “{label}”: {len(names):,} labels."]
    if missing:
        notes.append(f"{missing:,} of {rows:,} rows have no “{label}”; they share the label “{stand_in}”.")
    return list(names), counts.tolist(), tuple(notes)


def _listed(
    frame: pd.DataFrame, label: str, count: str, source: str, merge: bool
) -> tuple[list[str], list[int], tuple[str, ...]]:
    """One row per label, with its count."""
    texts = label_texts(frame[label])
    if texts.isna().any():
        row = int(np.flatnonzero(texts.isna())[0]) + 1
        raise InvalidInput(f"Row {row} of {source} has a count but no “{label}”; give it one or leave the row out.")
    counts = counts_of(frame[count], f"counts in column “{count}”", source)
    try:
        names, values, notes = _merged(texts.tolist(), counts.tolist(), (), merge, source)
    except InvalidInput as error:
        raise ChoiceNeeded(error.message, "count", (ROWS,), remedy=error.remedy) from None
    notes += tuple(thousands_told(frame[count]))
    total = total_row(names, values)
    if total is not None:
        notes += (f"The row “{names[total]}” holds as much as all others together and was left out.",)
        del names[total], values[total]
    kept = [place for place, value in enumerate(values) if value > 0]
    if not kept:
        raise InvalidInput(f"Every count in column “{count}” of {source} is 0; choose a column with counts.")
    notes = (f"Labels are from “{label}”, counts from “{count}”: {len(kept):,} labels.", *notes)
    if len(kept) < len(values):
        notes = (*notes, f"{len(values) - len(kept):,} of {len(values):,} labels have a count of 0 and were left out.")
    return [names[place] for place in kept], [values[place] for place in kept], notes


def _merged(
    names: list[str], counts: list[int], notes: tuple[str, ...], merge: bool, source: str
) -> tuple[list[str], list[int], tuple[str, ...]]:
    sums: dict[str, int] = {}
    for row, (label, value) in enumerate(zip(names, counts, strict=True), start=1):
        if label in sums and not merge:
            raise InvalidInput(
                f"The label “{label}” stands twice in {source}, at rows {names.index(label) + 1} and {row}",
                remedy=(Remedy("add their counts", "merge_duplicates", True), PER_RECORD),
            )
        sums[label] = sums.get(label, 0) + value
    if len(sums) < len(names):
        notes = (*notes, f"{len(names) - len(sums):,} of {len(names):,} rows repeat a label; their counts were added.")
    return list(sums), list(sums.values()), notes


def label_texts(column: pd.Series) -> pd.Series:
    """Labels as text without outer spaces; whole numbers stored with decimals are written without them."""
    if pd.api.types.is_float_dtype(column):
        whole = bool((column.dropna() % 1 == 0).all())
        column = column.astype("Int64" if whole else "float64")  # float32 is shown with fewer digits than others show
    texts = column.astype("string").str.strip()
    return texts.mask(texts == "").astype(object).where(texts.notna() & (texts != ""), None)


def _labels(names: list[str], counts: list[int], notes: tuple[str, ...], unit: str, reading: dict[str, Any]) -> Labels:
    top = int(np.argmax(counts))
    summary = f"{len(names):,} labels, {sum(counts):,} {unit}; the most common is {names[top]} with {counts[top]:,}."
    return Labels(names, counts, unit=unit, notes=(summary, *notes), reading=reading)  # type: ignore[arg-type]
