"""Generalization hierarchies as ARX writes them: a line a value, with the names of what it becomes level by level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kanon_engine.errors import InvalidInput
from kanon_engine.io.cells import MISSING
from kanon_engine.io.confined import confined
from kanon_engine.io.frames import read_frame
from kanon_engine.io.roles import plain_name
from kanon_engine.io.source import Source
from kanon_engine.io.workbook import with_sheet
from kanon_engine.tables.tree import Tree
from kanon_engine.validate import told


@confined("file")
def read_hierarchy(file: Any, filename: str | None = None, column: str | None = None) -> Tree:
    """A hierarchy from a file.

    Parameters
    ----------
    file : path, bytes, readable object or Source
        CSV or a workbook, without a header: value;level 1;level 2;…;*
    filename : str, optional
        What to call uploaded bytes in sentences.
    column : str, optional
        Whose hierarchy it is: of a workbook the sheet of this name is read.

    Returns
    -------
    Tree
        Its values are text; a mark for a missing cell is None. Of what has the same parent, what comes first in the
        file comes first.

    Raises
    ------
    InvalidInput
        No table, a value stands twice, or the levels are not nested.

    Example
    -------
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
    kept = []
    for number, row in enumerate(rows, start=1):
        leaf = str(row[0]).strip()
        value = None if leaf in MISSING else leaf
        if leaves.setdefault(value, number) == number:
            kept.append([value, *row[1:]])
        elif value is not None:
            raise InvalidInput(
                f"“{leaf}” stands twice in {source.name}, at rows {leaves[value]} and {number}; a hierarchy has each "
                "value once."
            )
    return Tree.from_levels(kept)


def _with_sheet_of(source: Source, column: str | None) -> Source:
    """The sheet of a workbook that holds the hierarchy of a column."""
    chosen = with_sheet(source)
    if len(chosen.sheets) < 2 or column is None:
        return chosen
    if column not in chosen.sheets:
        sheets = ", ".join(chosen.sheets)
        raise InvalidInput(
            f"The workbook {source.name} has no sheet that is called {column!r} for the hierarchy of this column (its "
            f"sheets are: {sheets}); name the sheet so, or save it as CSV."
        )
    return with_sheet(source, column)


def by_columns(files: Any, columns: Sequence[str]) -> Any:
    """The same by the names of columns, where these are written in another way, as “ZIP code” for “zipcode”.

    Example
    -------
    >>> by_columns({"marital_status": "m.csv", "age": "a.csv"}, ["age", "Marital-Status"])
    {'Marital-Status': 'm.csv', 'age': 'a.csv'}
    """
    if not isinstance(files, Mapping):
        return files
    found: dict[str, Any] = {}
    for name, file in files.items():
        same = [one for one in columns if _joined_name(one) == _joined_name(str(name))]
        column = same[0] if str(name) not in columns and len(same) == 1 else str(name)
        if column in found:
            raise InvalidInput(f"Two hierarchies are given for {column!r}; give one of them.")
        found[column] = file
    return found


def _joined_name(name: str) -> str:
    return plain_name(name).replace(" ", "")


def as_tree(name: str, rows: Any) -> Tree:
    """A tree that is given in memory, or as rows.

    Example
    -------
    >>> as_tree("size", [["S", "small"], ["M", "large"], ["L", "large"]]).label(1, 2)
    'large'
    """
    if isinstance(rows, Tree):
        return rows
    flat = isinstance(rows, Sequence) and not isinstance(rows, str)
    if not flat or not all(isinstance(row, Sequence) and not isinstance(row, str) for row in rows):
        raise InvalidInput(f"The tree of {name!r} is {told(rows)}; give rows, as [[value, group, …], …].")
    if any(isinstance(cell, list | tuple | Mapping) for row in rows for cell in row):
        raise InvalidInput(f"The tree of {name!r} holds a list in a cell; give rows, as [[value, group, …], …].")
    return Tree.from_levels(rows)
