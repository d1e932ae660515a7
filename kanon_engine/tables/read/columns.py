"""The columns of a file, before anybody has said what they mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pandas as pd

from kanon_engine.io.confined import confined
from kanon_engine.io.frames import named_frame
from kanon_engine.io.ordered import Cells, checked_formats, ordered_cells
from kanon_engine.io.roles import guesses
from kanon_engine.io.source import Source
from kanon_engine.io.workbook import with_sheet
from kanon_engine.tables.domain import Value, column_values, domain_of


@confined("file")
def columns_frame(
    file: Any,
    filename: str | None = None,
    dates: Mapping[str, str] | None = None,
    sheet: str | int | None = None,
) -> pd.DataFrame:
    """What a person needs to choose roles: one row a column.

    Parameters
    ----------
    file : path, bytes, readable object or Source
    filename : str, optional
        What to call uploaded bytes in sentences.
    dates : mapping of column to str, optional
        As `read_table` takes them.
    sheet : str or int, optional
        Which sheet of a workbook, as in `read_table`.

    Returns
    -------
    DataFrame
        column, role and reason (guessed), asked (only a person can tell what it is), values (how many; a missing one
        counts), numbers (whether it holds nothing else), order (a list of its values in the usual order), counts (how
        many records have each), date (the format of its dates, "" for none) and formats (a tuple of those that fit as
        well as each other). Counts that kanon made by counting records are no column.

    Example
    -------
    >>> columns_frame(b"id,age,sex\\n1,20,m\\n2,30,f\\n3,20,m\\n")[["column", "role", "numbers"]].values.tolist()
    [['id', 'identifier', True], ['age', 'quasi-identifier', True], ['sex', 'quasi-identifier', False]]
    """
    source = with_sheet(Source.open(file, filename), sheet)
    frame, _ = named_frame(source, ())
    times = frame.pop(source.counts).tolist() if source.counts else [1] * len(frame)
    formats = checked_formats(dates, list(frame.columns))
    cells: dict[str, Cells] = {}
    for name in frame.columns:
        cells[name] = ordered_cells(frame[name], formats.get(name, ""))
        frame[name] = cells[name].values
    roles = guesses(frame, [name for name, found in cells.items() if found.date or found.choices])
    rows = []
    for name in frame.columns:
        column, values = frame[name], column_values(frame[name])
        counts: Counter[Value] = Counter()
        for value, records in zip(values, times, strict=True):
            counts[value] += records
        domain = list(domain_of(name, column, values, cells[name].order))
        numbers = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
        told = (roles[name].role, roles[name].reason, roles[name].asked)
        dated = (cells[name].date, cells[name].choices)
        rows.append((name, *told, len(domain), numbers, domain, [counts[value] for value in domain], *dated))
    names = ["column", "role", "reason", "asked", "values", "numbers", "order", "counts", "date", "formats"]
    return pd.DataFrame(rows, columns=names)
