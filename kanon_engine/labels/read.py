"""Labels from a file: label and count, or one row per record that is counted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import ChoiceNeeded, InvalidInput, Remedy
from kanon_engine.io.confined import confined
from kanon_engine.io.counts import PER_RECORD, ROWS, Counted, counts_of, numbers_in, thousands_notes
from kanon_engine.io.frames import read_frame, same_sets_notes, sets_in
from kanon_engine.io.names import count_rank, is_attribute, unit_of
from kanon_engine.io.roles import Counts, Resolved, Roles, numeric, one_row_an_id, resolve, total_row
from kanon_engine.io.source import Source
from kanon_engine.io.workbook import lists_sheets, with_sheet
from kanon_engine.io.worker import Scene
from kanon_engine.labels.instance import RULES, Labels, naming
from kanon_engine.model.wishes import checked_sets
from kanon_engine.validate import require_known_name

MISSING = "(missing)"
GUESSED = "The counts were guessed to be in column “{}”."
ROLES: Roles = {"count": Counts("counts", worst=4, note=GUESSED)}


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
    """Labels from CSV, Parquet, Excel, or an unmodified name file of the 1990 census.

    Parameters
    ----------
    file : path, bytes, readable object or DataFrame
    label, count : Column names; guessed by their usual names when None.
    filename : What to call uploaded bytes in sentences.
    unit : str, optional
        What the counts count. None takes it from the column's name; it is "records" if rows are counted, and "people
        per 100,000" in a census file.
    per_record : bool, optional
        True: every row is one record, and rows with the same label are counted; False: every row holds a label and its
        count; None: counts if a count column is given or found, records if there is none and labels repeat.
    merge_duplicates : Add up the counts of a label that appears in several rows instead of refusing the file.
    together, apart : sets of names, or path or bytes of a CSV with a set in each line, optional
        Labels that stay in one class, and labels of which no two share a class; see `Labels`.
    class_names : str or list of str, optional. "number", "largest" or names; see `Labels`.
    sheet : Which sheet of a workbook, by its name or its number from 1; if None, the first that fits, with a note.

    Returns
    -------
    Labels
        `notes` say how the file was read and what was left out. Labels are in the file's order; for counted
        records, in order of first appearance. Labels with a count of 0 are left out. Records without a label share the
        label "(missing)".

    Raises
    ------
    InvalidInput
        No such file or column, an unsupported kind of file, a negative, fractional or missing count, a count without a
        label, or a duplicate label.

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
            origin = Counted(f"the percentages of {source.name} as people per 100,000")
            return with_rules(replace(_labels(names, counts, notes, unit, reading), counted=origin), **rules)
    frame, notes = _table(source, {column for column in (label, count) if column is not None})
    label, roles = choose_columns(frame, label, count, per_record, source.name)
    count = roles.columns["count"]
    notes = (*notes, *roles.notes)
    if count is None:
        names, counts, more = _counted(frame, label)
    else:
        names, counts, more = _listed(frame, label, count, source.name, merge_duplicates)
    unit = unit or ("records" if count is None or count.startswith(NAMELESS) else unit_of(count))
    reading = {"reader": "read_labels", "label": label, "count": count, "unit": unit}
    reading |= {"per_record": count is None, "merge_duplicates": merge_duplicates, **source.sheet_read()}
    labels = _labels(names, counts, (*notes, *more), unit, reading)
    return with_rules(replace(labels, counted=roles.counted(label)), **rules)


def _table(source: Source, requested: set[str]) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The table, its first line read as data if it holds no column names or the chosen columns are "column 1", …"""
    frame, notes = read_frame(source)

    def is_number(value: str) -> bool:
        return value.strip().replace(".", "", 1).isdigit()

    def heads_itself(name: str) -> bool:
        """Whether a column's name is one of its values, or a number that heads a column of numbers."""
        values = frame[name].dropna().astype(str).str.strip()
        return bool((values == name).any() or (is_number(name) and values.head(20).map(is_number).all()))

    if source.kind != "text" or (requested and requested <= set(frame.columns)):
        return frame, notes
    if not requested and not any(map(heads_itself, frame.columns)):
        return frame, notes
    other, notes_of_other = read_frame(source, header=False)
    if not requested <= set(other.columns):
        return frame, notes
    return other, (*notes_of_other, "The first line was read as data, not as column names.")


def labels_of_records(frame: pd.DataFrame, label: str, count: str, unit: str) -> Labels:
    """Labels of records that were counted beforehand, as if each record had its own row.

    >>> people = pd.DataFrame({"illness": ["flu", None], "n": [3, 1]})
    >>> labels_of_records(people, "illness", "n", "people").names.tolist()
    ['flu', '(missing)']
    """
    return _labels(*_counted(frame, label, frame[count].to_numpy(dtype=np.int64)), unit, {})


def _counted(
    frame: pd.DataFrame, label: str, often: np.ndarray | None = None
) -> tuple[list[str], list[int], tuple[str, ...]]:
    """One row per record, or per `often` records: how often each label appears."""
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
    notes = [f"{rows:,} rows, one per record, counted by “{label}”: {len(names):,} labels."]
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
        raise InvalidInput(f"Row {row} of {source} has a count but no “{label}”; enter a label or leave the row out.")
    counts = counts_of(frame[count], f"counts in column “{count}”", source)
    try:
        names, values, notes = _merged(texts.tolist(), counts.tolist(), (), merge, source)
    except InvalidInput as error:
        raise ChoiceNeeded(error.message, "count", (ROWS,), remedy=error.remedy) from None
    notes += tuple(thousands_notes(frame[count]))
    total = total_row(names, values)
    if total is not None:
        notes += (f"The row “{names[total]}” holds as much as all other rows together, so it was left out.",)
        del names[total], values[total]
    positive = [place for place, value in enumerate(values) if value > 0]
    if not positive:
        raise InvalidInput(f"Every count in column “{count}” of {source} is 0; choose a column with counts.")
    notes = (f"Labels are from “{label}”, counts from “{count}”: {len(positive):,} labels.", *notes)
    if len(positive) < len(values):
        notes = (
            *notes,
            f"{len(values) - len(positive):,} of {len(values):,} labels have a count of 0 and were left out.",
        )
    return [names[place] for place in positive], [values[place] for place in positive], notes


def _merged(
    names: list[str], counts: list[int], notes: tuple[str, ...], merge: bool, source: str
) -> tuple[list[str], list[int], tuple[str, ...]]:
    sums: dict[str, int] = {}
    for row, (label, value) in enumerate(zip(names, counts, strict=True), start=1):
        if label in sums and not merge:
            raise InvalidInput(
                f"The label “{label}” appears twice in {source}, in rows {names.index(label) + 1} and {row}",
                remedy=(Remedy("add their counts", "merge_duplicates", True), PER_RECORD),
            )
        sums[label] = sums.get(label, 0) + value
    if len(sums) < len(names):
        notes = (*notes, f"{len(names) - len(sums):,} of {len(names):,} rows repeat a label; their counts were added.")
    return list(sums), list(sums.values()), notes


def label_texts(column: pd.Series) -> pd.Series:
    """Labels as text without outer spaces; whole numbers stored with decimals are written without the decimals."""
    if pd.api.types.is_float_dtype(column):
        whole = bool((column.dropna() % 1 == 0).all())
        column = column.astype("Int64" if whole else "float64")  # float32 is shown with fewer digits than float64
    texts = column.astype("string").str.strip()
    return texts.mask(texts == "").astype(object).where(texts.notna() & (texts != ""), None)


def _labels(names: list[str], counts: list[int], notes: tuple[str, ...], unit: str, reading: dict[str, Any]) -> Labels:
    top = int(np.argmax(counts))
    summary = f"{len(names):,} labels, {sum(counts):,} {unit}; the most common is {names[top]} with {counts[top]:,}."
    return Labels(names, counts, unit=unit, notes=(summary, *notes), reading=reading)  # type: ignore[arg-type]


LABEL_NAMES = ("label", "name", "value", "category", "item", "term", "code", "diagnosis", "disease", "surname")
ID_NAMES = ("id", "row", "index", "key", "record", "nr", "no")
NAMELESS = "column "  # with a number, where the first line of a file holds no names


def choose_columns(
    frame: pd.DataFrame, label: str | None, count: str | None, per_record: bool | None, where: str
) -> tuple[str, Resolved]:
    """The label column, the count column (None for one row per record), and the guesses, in sentences.

    A count column is guessed if its name suggests counts and it holds numbers. Without column names it is guessed if
    the table has two columns, one of numbers and one of distinct labels. Rows are records if no name suggests counts,
    unless every label appears in one row next to numbers: then a person is asked. A label column is guessed when it is
    the only other column, has a usual name, or is the only text column in which values repeat.

    Raises `InvalidInput`: an unknown column, the same column for both, or no guess.
    """
    columns = list(frame.columns)
    if label is not None:
        require_known_name(columns, label, "labels")
    if count is not None:
        require_known_name(columns, count, "counts")
    lone = _only_numbers(frame, label) if count is None and not per_record else None
    requested = {"count": count if lone is None else lone}
    roles = resolve(frame, ROLES, requested, where, per_record=per_record, excluded=_no_counts(frame, label))
    if lone is not None:
        roles.notes = (GUESSED.format(lone),)
    if label is not None and label == count:
        raise InvalidInput(f"Column {label!r} is set for both labels and counts; choose two columns.")
    count = roles.columns["count"]
    if label is None:
        others = [column for column in columns if column != count]
        label = others[0] if len(others) == 1 else _named(others)
        if label is None:  # the only column of text in which values repeat
            texts = [one for one in others if not _all_numbers(frame[one]) and not frame[one].dropna().is_unique]
            label = texts[0] if len(texts) == 1 else None
        if label is None:
            raise ChoiceNeeded(
                f"No column clearly holds the labels (the columns are: {', '.join(others) or 'none'})",
                "label",
                tuple(others),
                remedy=Remedy("choose one", "label"),
            )
        if len(columns) > 1:
            roles.notes += (f"The labels were guessed to be in column “{label}”.",)
    if count is None and per_record is None and one_row_an_id(frame[label].dropna()):
        roles.taken = excluded = _no_counts(frame, label)
        # whether a further column holds numbers that could be added up: not ids, years or ages
        if any(name not in excluded and numeric(frame[name]) and not is_attribute(name) for name in frame.columns):
            raise roles.ask(", and no label repeats, so rows do not look like single records", rows=True)
    return label, roles


def _no_counts(frame: pd.DataFrame, label: str | None) -> list[str | None]:
    """Columns that cannot be the counts, because a column named “value” or “code” may hold labels."""
    others = [column for column in frame.columns if column != label]
    label_column = (
        _named(others) if label is None and any(count_rank(name) not in (None, 4) for name in others) else None
    )
    return [label, label_column, *(column for column in others if column.lower() in ID_NAMES)]


def _named(columns: list[str]) -> str | None:
    """The first column with a usual name for labels, in the order of those names."""
    plain = {column.lower().replace("_", " ").strip(): column for column in reversed(columns)}
    return next((plain[name] for name in LABEL_NAMES if name in plain), None)


def _only_numbers(frame: pd.DataFrame, label: str | None) -> str | None:
    """In a table of two unnamed columns, the one of whole numbers, if the other's values are all distinct."""
    if frame.shape[1] != 2 or not all(name.startswith(NAMELESS) for name in frame.columns):
        return None
    numeric_columns = [column for column in frame.columns if column != label and _all_numbers(frame[column])]
    if len(numeric_columns) != 1:
        return None
    partner = frame[next(column for column in frame.columns if column != numeric_columns[0])]
    return numeric_columns[0] if partner.is_unique and partner.notna().all() else None


def _all_numbers(column: pd.Series) -> bool:
    numbers = numbers_in(column.dropna())
    return len(numbers) > 0 and bool(numbers.notna().all())


# ---------------------------------------------------------------------------------------------------------------------
# The name files of the 1990 US census: a name, its percentage, the cumulative percentage and the rank in each line.
# ---------------------------------------------------------------------------------------------------------------------


UNIT = "people per 100,000"  # the percentages have three decimals, so 0.001 % is one of them
LINE = re.compile(r"(\S.*?)\s+(\d+)\.(\d{3})\s+\d+\.\d{3}\s+\d+")
LOOKED_AT = 20


def is_census_file(text: str) -> bool:
    """Whether the first lines, at least one, all have the census format."""
    lines = [line.strip() for line in text[:4096].splitlines()[:LOOKED_AT] if line.strip()]
    if len(text) > 4096 and len(lines) > 1:
        lines = lines[:-1]
    return bool(lines) and all(LINE.fullmatch(line) for line in lines)


def read_census(text: str, source_name: str) -> tuple[list[str], list[int], tuple[str, ...]]:
    """Names and counts in people per 100,000, without the names that are rounded to 0.

    Returns
    -------
    names : list of str
    counts : Above 0.
    notes : tuple of str

    Raises `InvalidInput`: a line in a different format, or every name rounded to 0.

    >>> read_census("MARY 2.629 2.629 1\\nANN 0.000 2.629 2\\n", "names")[:2]
    (['MARY'], [2629])
    """
    names, counts, rows = [], [], 0
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        match = LINE.fullmatch(line.strip())
        if match is None:
            raise InvalidInput(
                f"Line {number} of {source_name} is “{line.strip()[:40]}”, not a name with percentage, cumulative "
                f"percentage and rank as in the lines before it; correct or remove it."
            )
        rows += 1
        count = int(match[2] + match[3])
        if count:
            names.append(match[1])
            counts.append(count)
    if not names:
        raise InvalidInput(
            f"The percentage of every name in {source_name} is rounded to 0.000 %; choose a file with counts."
        )
    notes = ["Read as a name file of the 1990 census: name, percentage, cumulative percentage, rank."]
    if rows > len(names):
        dropped = rows - len(names)
        notes.append(
            f"{dropped:,} of {rows:,} names were left out because their percentage is rounded to 0.000 %; "
            f"{len(names):,} are kept."
        )
    return names, counts, tuple(notes)


def with_rules(labels: Labels, together: Any = None, apart: Any = None, class_names: Any = None) -> Labels:
    """The same labels with these rules replacing their own; None keeps a rule.

    Parameters
    ----------
    together, apart : sets of names, or path, bytes or readable object
        See `Labels`; a file is a CSV in which every line is a set of labels.
    class_names : str or list of str. See `Labels`; a text with commas is a list.

    Returns: its `reading` and `notes` state the rules.
    Raises `InvalidInput`: as `Labels`.

    >>> ruled = with_rules(Labels(["flu", "cold", "gout"], [5, 9, 1]), together=b"flu, cold\\n")
    >>> ruled.together, ruled.notes
    ((('flu', 'cold'),), ('1 set of labels stays together.',))
    """
    parsed: dict[str, Any] = {
        name: checked_sets(sets_in(value), labels.names, name, "label")
        for name, value in (("together", together), ("apart", apart))
        if value is not None
    }
    notes = same_sets_notes(parsed, "label")
    if class_names is not None:
        listed = isinstance(class_names, str) and class_names not in RULES and "," in class_names
        parsed["class_names"] = naming(class_names.split(",") if listed else class_names)
    if not parsed:
        return labels
    return replace(labels, notes=(*labels.notes, *notes), reading={**labels.reading, **parsed}, **parsed)


CENSUS = b"SMITH          1.006  1.006      1\nJOHNSON        0.810  1.816      2\n"


def rehearsal(shapes: Sequence[bytes], tables: Sequence[bytes]) -> Iterator[Scene]:
    """What a worker tries before it reads other people's files: a reader with arguments and settings, see
    `io.worker`."""
    for data in (tables[0], tables[-2]):
        yield read_labels, (data, "kind"), {"per_record": True}
    yield read_labels, (CENSUS,), {"together": b"SMITH,JOHNSON\n"}
