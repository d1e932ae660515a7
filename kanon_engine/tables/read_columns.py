"""The columns of a file before their roles are set."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.io.cells import MISSING
from kanon_engine.io.confined import confined
from kanon_engine.io.frames import frame_with_columns, read_frame
from kanon_engine.io.names import by_column, guesses, identifies, plain_name
from kanon_engine.io.ordered import TEXT, Cells, checked_formats, ordered_cells
from kanon_engine.io.source import Source
from kanon_engine.io.workbook import with_sheet
from kanon_engine.model.tree import Tree
from kanon_engine.model.values import Value, column_values, domain_of, is_number, range_name
from kanon_engine.model.words import listed
from kanon_engine.release.released import displayed_codes
from kanon_engine.release.sets import joined
from kanon_engine.validate import require_known_name, told


@confined("file")
def columns_frame(
    file: Any,
    filename: str | None = None,
    dates: Mapping[str, str] | None = None,
    sheet: str | int | None = None,
) -> pd.DataFrame:
    """What a person needs to choose roles: one row per column.

    Parameters
    ----------
    file : path, bytes, readable object or Source
    filename : What to call uploaded bytes in sentences.
    dates : mapping of column to str, optional. As `read_table` takes them.
    sheet : Which sheet of a workbook, as in `read_table`.

    Returns
    -------
    DataFrame
        column, role and reason (guessed), asked (only a person can decide the role), values (how many; a missing one
        counts), numbers (whether it holds only these), order (a list of its values in the usual order), counts (how
        many records have each), date (the format of its dates, "" for none) and formats (a tuple of those that fit as
        well as each other). Counts that kanon made by counting records are not a column.

    >>> columns_frame(b"id,age,sex\\n1,20,m\\n2,30,f\\n3,20,m\\n")[["column", "role", "numbers"]].values.tolist()
    [['id', 'identifier', True], ['age', 'quasi-identifier', True], ['sex', 'quasi-identifier', False]]
    """
    source = with_sheet(Source.open(file, filename), sheet)
    frame, _ = frame_with_columns(source, ())
    times = frame.pop(source.counts).tolist() if source.counts else [1] * len(frame)
    formats = checked_formats(dates, list(frame.columns))
    cells: dict[str, Cells] = {}
    for name in frame.columns:
        cells[name] = ordered_cells(frame[name], formats.get(name, ""))
        frame[name] = cells[name].values
    roles = guesses(frame, [name for name, cell in cells.items() if cell.date or cell.choices])
    rows = []
    for name in frame.columns:
        column, values = frame[name], column_values(frame[name])
        counts: Counter[Value] = Counter()
        for value, records in zip(values, times, strict=True):
            counts[value] += records
        domain = list(domain_of(name, column, values, cells[name].order))
        numbers = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
        guess = (roles[name].role, roles[name].reason, roles[name].asked)
        dated = (cells[name].date, cells[name].choices)
        rows.append((name, *guess, len(domain), numbers, domain, [counts[value] for value in domain], *dated))
    names = ["column", "role", "reason", "asked", "values", "numbers", "order", "counts", "date", "formats"]
    return pd.DataFrame(rows, columns=names)


# ---------------------------------------------------------------------------------------------------------------------
# What a person writes in one line for several columns.
# ---------------------------------------------------------------------------------------------------------------------


class Matched(dict[str, str]):
    """Files by the part of their name that gives the column, from a pattern or a folder."""


def hierarchy_files(text: str) -> dict[str, str]:
    """A file for each column: pairs as in `by_column`, a pattern with one star, or a folder; or ValueError.

    The star matches the column. In a folder the column follows “hierarchy_” in the names of CSV files, or is the
    whole name if no name has that.
    """
    if "=" in text:
        return by_column(text)
    path = Path(text)
    before, star, after = path.name.partition("*")
    pattern = f"{re.escape(before)}(.+){re.escape(after)}"
    if path.is_dir():
        names = [one.name for one in path.iterdir() if one.suffix.lower() == ".csv"]
        called = [name for name in names if "hierarchy_" in name.lower()]
        folder, names, pattern = path, called or names, r"(?:.*hierarchy_)?(.+)\.csv"
    elif star and path.parent.is_dir():
        folder, names = path.parent, [one.name for one in path.parent.iterdir()]
    else:
        raise ValueError(f"{text!r} is not a folder or a list of pairs; write COLUMN=FILE,COLUMN=FILE or NAME_*.csv.")
    matched = Matched()
    for name in sorted(names):
        match = re.fullmatch(pattern, name, re.IGNORECASE)
        if match is not None and matched.setdefault(match[1], str(folder / name)) != str(folder / name):
            raise ValueError(f"{text!r} matches two files for {match[1]!r}: {Path(matched[match[1]]).name} and {name}.")
    if not matched:
        raise ValueError(
            f"{text!r} matches no file; write COLUMN=FILE,COLUMN=FILE, NAME_*.csv, or a folder with CSV files."
        )
    return matched


def ranges(text: str) -> dict[str, Any]:
    """Ranges of columns, or ValueError.

    >>> ranges("age=17:5,hours=10")
    {'age': (17, 5), 'hours': 10}
    """
    return {name: parsed_range(value) for name, value in by_column(text).items()}


def limits(text: str) -> dict[str, float]:
    """A number for each column, or ValueError.

    >>> limits("age=85,pay=2.5")
    {'age': 85, 'pay': 2.5}
    """
    return {name: _parsed(value) for name, value in by_column(text).items()}


def date_formats(text: str) -> Any:
    """Date formats of columns, or ValueError.

    >>> date_formats("born=dd/mm/yyyy,admitted=mm/dd/yyyy"), date_formats("text")
    ({'born': 'dd/mm/yyyy', 'admitted': 'mm/dd/yyyy'}, 'text')
    """
    return TEXT if text.strip() == TEXT else by_column(text)


def orders(text: str) -> Any:
    """JSON, or a file that holds it; ValueError for anything else.

    >>> orders('{"size": ["S", "M", "L"]}')
    {'size': ['S', 'M', 'L']}
    """
    content = text if text.lstrip().startswith("{") else Source.open(Path(text)).text()[0]
    try:
        return json.loads(content)
    except ValueError as error:
        raise ValueError(f'the orders are not JSON ({error}); write them as {{"size": ["S", "M"]}}.') from None


def no_orders(value: Any) -> str:
    """What is wrong with orders from an untrusted source, "" for nothing; other text would be a file name.

    >>> no_orders({"size": ["S"]}), no_orders('{"size": ["S"]}'), no_orders("/etc/passwd")
    ('', '', 'is not a table of values by column')
    """
    good = isinstance(value, Mapping) or (isinstance(value, str) and value.lstrip().startswith("{"))
    return "" if good else "is not a table of values by column"


# ---------------------------------------------------------------------------------------------------------------------
# Generalization hierarchies as ARX writes them: one line per value, with the names of its groups level by level.
# ---------------------------------------------------------------------------------------------------------------------


@confined("file")
def read_hierarchy(file: Any, filename: str | None = None, column: str | None = None) -> Tree:
    """A hierarchy from a file.

    Parameters
    ----------
    file : path, bytes, readable object or Source. CSV or a workbook, without a header: value;level 1;level 2;…;*
    filename : What to call uploaded bytes in sentences.
    column : The column of the hierarchy: in a workbook the sheet of this name is read.

    Returns
    -------
    Tree
        Its values are text; a mark for a missing cell is None. Nodes with the same parent keep their order in the
        file.

    Raises
    ------
    InvalidInput : No table, a value that occurs twice, or levels that are not nested.

    >>> read_hierarchy(b"Paris;Europe;*\\nLima;America;*\\nRome;Europe;*\\n").values
    ('Paris', 'Rome', 'Lima')
    """
    source = Source.open(file, filename)
    if source.kind not in ("text", "excel"):
        raise source.refuse("a hierarchy as CSV or Excel (value;level 1;…;*)")
    source = _with_sheet_of(source, column)
    frame, _ = read_frame(source, header=False)
    rows: list[list[str | None]] = frame.fillna("").to_numpy(dtype=str).tolist()
    leaves: dict[str | None, int] = {}
    levels = []
    for number, row in enumerate(rows, start=1):
        leaf = str(row[0]).strip()
        value = None if leaf in MISSING else leaf
        if leaves.setdefault(value, number) == number:
            levels.append([value, *row[1:]])
        elif value is not None:
            raise InvalidInput(
                f"“{leaf}” occurs twice in {source.name}, in rows {leaves[value]} and {number}; list each value once."
            )
    return Tree.from_levels(levels)


def _with_sheet_of(source: Source, column: str | None) -> Source:
    """The sheet of a workbook that holds the hierarchy of a column."""
    chosen = with_sheet(source)
    if len(chosen.sheets) < 2 or column is None:
        return chosen
    if column not in chosen.sheets:
        sheets = ", ".join(chosen.sheets)
        raise InvalidInput(
            f"The workbook {source.name} has no sheet {column!r} for the hierarchy of this column (its sheets are: "
            f"{sheets}); rename the sheet, or save it as CSV."
        )
    return with_sheet(source, column)


def by_columns(files: Any, columns: Sequence[str]) -> Any:
    """The same by the names of columns, also if these are written differently, such as “ZIP code” for “zipcode”.

    >>> by_columns({"marital_status": "m.csv", "age": "a.csv"}, ["age", "Marital-Status"])
    {'Marital-Status': 'm.csv', 'age': 'a.csv'}
    """
    if not isinstance(files, Mapping):
        return files
    result: dict[str, Any] = {}
    for name, file in files.items():
        same = [one for one in columns if _compact_name(one) == _compact_name(str(name))]
        column = same[0] if str(name) not in columns and len(same) == 1 else str(name)
        if column in result:
            raise InvalidInput(f"Two hierarchies are given for {column!r}; give one of them.")
        result[column] = file
    return result


def _compact_name(name: str) -> str:
    return plain_name(name).replace(" ", "")


def as_tree(name: str, rows: Any) -> Tree:
    """A tree given in memory, or as rows.

    >>> as_tree("size", [["S", "small"], ["M", "large"], ["L", "large"]]).label(1, 2)
    'large'
    """
    if isinstance(rows, Tree):
        return rows
    flat = isinstance(rows, Sequence) and not isinstance(rows, str)
    if not flat or not all(isinstance(row, Sequence) and not isinstance(row, str) for row in rows):
        raise InvalidInput(f"The tree of {name!r} is {told(rows)}; give rows such as [[value, group, …], …].")
    if any(isinstance(cell, list | tuple | Mapping) for row in rows for cell in row):
        raise InvalidInput(f"The tree of {name!r} holds a list in a cell; give rows such as [[value, group, …], …].")
    return Tree.from_levels(rows)


def checked_bins(bins: Any, columns: list[str]) -> dict[str, tuple[float, float]]:
    """For each column where the first range begins and how wide all are, or `InvalidInput`.

    >>> checked_bins({"age": 5, "pay": (17, 10)}, ["age", "pay"])
    {'age': (0, 5), 'pay': (17, 10)}
    """
    if bins is None:
        return {}
    if not isinstance(bins, Mapping):
        raise InvalidInput(f'The ranges are {bins!r}; give a width for each column, such as {{"age": 5}}.')
    result = {}
    for name, entry in bins.items():
        require_known_name(columns, name, "ranges")
        start, width = entry if isinstance(entry, tuple | list) and len(entry) == 2 else (0, entry)
        if not all(_finite(number) for number in (start, width)) or width <= 0:
            raise InvalidInput(
                f"The ranges of {name!r} are {told(entry)}; give a width above 0, or the start of the first range "
                "and a width above 0."
            )
        result[name] = (start, width)
    return result


def parsed_range(text: str) -> float | tuple[float, float]:
    """What a person writes for ranges: a width, or the start of the first range and the width.

    >>> parsed_range("5"), parsed_range("17:5"), parsed_range("0 : 0.5")
    (5, (17, 5), (0, 0.5))
    """
    try:
        numbers = [_parsed(part) for part in text.split(":")]
    except (ValueError, OverflowError):
        numbers = []
    if len(numbers) not in (1, 2):
        raise InvalidInput(
            f"{text!r} is not a range; write a width such as 5, or the start of the first range and the width, such "
            "as 17:5."
        )
    return numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])


def _parsed(text: str) -> float:
    number = float(text)
    return int(number) if number.is_integer() else number


def _finite(number: Any) -> bool:
    return is_number(number) and math.isfinite(number)


def in_ranges(column: pd.Series, start: float, width: float) -> tuple[pd.Series, list[str | None]]:
    """The name of each number's range, and the names in order.

    Parameters
    ----------
    column : Numbers; missing ones stay missing.
    start, width : Range i goes from start + i · width to below start + (i + 1) · width.

    >>> ages = pd.Series([17, 90, 21, 22], name="age")
    >>> in_ranges(ages, 17, 5)
    (0    17–21
    1    87–91
    2    17–21
    3    22–26
    Name: age, dtype: object, ['17–21', '22–26', '87–91'])
    """
    values = column_values(column)
    odd = next((value for value in values if isinstance(value, str | bool)), None)
    if odd is not None:
        raise InvalidInput(
            f"“{column.name}” holds “{str(odd)[:40]}”, which is not a number, so it can have no ranges; leave out its "
            "ranges, or correct the column."
        )
    present: list[Any] = [value for value in values if value is not None]
    whole = all(isinstance(value, int) for value in [*present, start, width])
    try:
        numbers = {value: math.floor((value - start) / width) for value in set(present)}
    except OverflowError:
        raise InvalidInput(
            f"“{column.name}” holds a number that is infinite or too large for ranges of width {width:g}; leave its "
            "ranges out, or correct the column."
        ) from None
    names = {place: range_name(start + place * width, width, whole) for place in sorted(set(numbers.values()))}
    labels = [None if value is None else names[numbers[value]] for value in values]
    return pd.Series(labels, index=column.index, name=column.name, dtype=object), list(names.values())


# ---------------------------------------------------------------------------------------------------------------------
# Columns that a release shows unchanged: chosen by a person, and none that reveals a generalized column.
# ---------------------------------------------------------------------------------------------------------------------


def require_keepable(
    frame: pd.DataFrame,
    quasi_identifiers: Sequence[str],
    keep: Sequence[str],
    raw: Mapping[str, pd.Series] | None = None,
) -> None:
    """Refuse to release a quasi-identifier's own values.

    Parameters
    ----------
    raw : mapping of column to Series, optional. The numbers of quasi-identifiers that were put into ranges.
    """
    for name in keep:
        require_known_name(list(frame.columns), name, "columns to keep")
        if name in quasi_identifiers:
            raise InvalidInput(
                f"{name!r} is a quasi-identifier, so it is generalized in the release; leave it out of the columns to "
                "keep."
            )
        values = column_values(frame[name])
        for other in quasi_identifiers:
            same = any(
                column_values(column) == values for column in (frame[other], (raw or {}).get(other, frame[other]))
            )
            if same and frame[other].nunique(dropna=False) > 1:
                raise InvalidInput(
                    f"{name!r} holds the same values as the quasi-identifier {other!r}, so it would release them "
                    "unchanged; leave it out, or make it a quasi-identifier."
                )


def keep_notes(
    frame: pd.DataFrame, quasi_identifiers: Sequence[str], keep: Sequence[str], ranges: Collection[str] = ()
) -> tuple[str, ...]:
    """What is released unchanged or in ranges, and what a reader could learn from it; in sentences.

    >>> people = pd.DataFrame({"age": [1, 1, 2, 2], "child": [1, 1, 0, 0], "flu": [1, 0, 1, 0]})
    >>> keep_notes(people, ["age"], ["child", "flu"])[1]
    'Anyone who knows “child” also knows “age”, which is generalized: in this file “child” determines it.'
    """
    implied = {name: [other for other in quasi_identifiers if tells(frame[name], frame[other])] for name in keep}
    return disclosure_notes(keep, {name for name in keep if identifies(frame[name])}, implied, ranges)


def disclosure_notes(
    keep: Sequence[str],
    identifying: Collection[str],
    implied: Mapping[str, Sequence[str]],
    ranges: Collection[str] = (),
) -> tuple[str, ...]:
    """`keep_notes` for columns whose disclosures are known.

    Parameters
    ----------
    identifying : Those with a value of their own in nearly every row.
    told : The quasi-identifiers that have one value for each value of a column.
    ranges : Columns that were put into ranges.
    """
    if not keep:
        return ("No column is released unchanged.",)
    notes = [f"{keep_words(keep, ranges)}."]
    for name in keep:
        if name in identifying:
            notes.append(f"“{name}” has a different value in nearly every row: anyone who knows it finds the person.")
        elif implied[name]:
            are, them = ("is", "it") if len(implied[name]) == 1 else ("are", "them")
            notes.append(
                f"Anyone who knows “{name}” also knows {listed(implied[name])}, which {are} generalized: in this file "
                f"“{name}” determines {them}."
            )
    return tuple(notes)


def keep_words(keep: Sequence[str], ranges: Collection[str]) -> str:
    """The columns that are released without being generalized, and those of them in ranges; at least one.

    >>> keep_words(["flu", "pay"], ["pay"])
    'Released unchanged: “flu”; in ranges: “pay”'
    """
    unchanged = [name for name in keep if name not in ranges]
    put = [name for name in keep if name in ranges]
    words = ([f"unchanged: {listed(unchanged)}"] if unchanged else []) + ([f"in ranges: {listed(put)}"] if put else [])
    return f"Released {'; '.join(words)}"


def tells(column: pd.Series, other: pd.Series) -> bool:
    """Whether each value of a column has one value of the other, which has several.

    >>> tells(pd.Series([1, 2, 2]), pd.Series(["m", "f", "f"])), tells(pd.Series([0.0, -0.0]), pd.Series(["m", "f"]))
    (True, False)
    """
    keys, values = displayed_codes(column), displayed_codes(other)
    return bool(values.any() and joined([keys, values], len(keys)).max() == keys.max())
