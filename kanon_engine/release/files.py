"""The files of a release, read from their bytes: their tables, and the release that a reader finds in them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from kanon_engine.errors import CertificateError
from kanon_engine.release.released import Released
from kanon_engine.release.reread import READERS, cells_in, same_cell
from kanon_engine.release.shown_cells import shown_column
from kanon_engine.release.spreadsheet import unescaped
from kanon_engine.shown import Shown

SHEETS = ("csv", "xlsx")  # where text that a spreadsheet takes for a formula has an apostrophe in front


@dataclass(frozen=True, eq=False, repr=False)
class ReleasedFile(Shown):
    """One file of a release.

    Attributes
    ----------
    name : str
    content : bytes

    Example
    -------
    >>> file = ReleasedFile("groups.csv", b"group,weight\\n1,5\\n2,6\\n")
    >>> file.table.values.tolist(), file.digest[:8]
    ([['1', '5'], ['2', '6']], '93c68c84')
    """

    name: str
    content: bytes

    @property
    def ending(self) -> str:
        """What kind of file it is."""
        return self.name.rpartition(".")[2].lower()

    @property
    def digest(self) -> str:
        """SHA-256, as 64 hexadecimal digits."""
        return hashlib.sha256(self.content).hexdigest()

    @cached_property
    def table(self) -> pd.DataFrame | None:
        """The cells as they stand in the file, shapes left out; None where it is no table."""
        if self.ending not in READERS:
            return None
        try:
            names, columns, _ = READERS[self.ending](self.content)
        except Exception as error:  # broken files raise everything that the libraries have
            raise CertificateError(self.name, f"it cannot be read as .{self.ending}.") from error
        return pd.DataFrame({place: pd.Series(own, dtype=object) for place, own in enumerate(columns)}).set_axis(
            pd.Index(names, dtype=object), axis=1
        )

    def _facts(self) -> dict[str, object]:
        return {"file": self.name, "bytes": len(self.content)}


def read_back(files: Mapping[str, bytes], made: Released) -> Released:
    """A release as its first table tells it, with the roles that its columns have.

    Columns of the file that `made` lacks follow from the others: how many areas a group has, its weight over k. The
    rows of clusters with kept columns stay one by one, which tells more than their file does.

    Parameters
    ----------
    files : mapping of str to bytes
        Each was compared with the result when it was written.
    made : Released
        Roles and meanings of the columns, and what their cells must be.

    Raises
    ------
    CertificateError
        A cell of the file is another than that of `made`.

    Example
    -------
    >>> made = Released(pd.DataFrame({"group": [1, 2], "weight": [5, 6]}), ("group",), counts="weight", k=5)
    >>> found = read_back({"groups.csv": b"group,weight,items\\n1,5,2\\n2,6,1\\n"}, made)
    >>> found.frame.values.tolist(), found.derived
    ([[1, 5, 2], [2, 6, 1]], ('items',))
    """
    opened = (ReleasedFile(name, content) for name, content in files.items())
    file = next((one for one in opened if one.table is not None), None)
    if file is None or file.table is None or len(file.table) != len(made.frame):
        return made
    table = unescaped(file.table) if file.ending in SHEETS else file.table
    columns = {str(name): _typed(table[name], made.frame.get(str(name)), file) for name in table.columns}
    frame = pd.DataFrame(columns, index=made.frame.index)
    told = {*made.quasi_identifiers, *made.sensitive, *made.sums, made.counts, *made.derived, *made.frame.columns}
    return replace(
        made,
        frame=frame,
        quasi_identifiers=tuple(name for name in made.quasi_identifiers if name in columns),
        derived=(*made.derived, *(name for name in columns if name not in told)),
    )


def _typed(cells: pd.Series, wanted: pd.Series | None, file: ReleasedFile) -> pd.Series:
    """Cells with the types that they had before they were written."""
    if wanted is None:
        numbers = pd.to_numeric(cells, errors="coerce")
        return numbers if bool(numbers.notna().all()) else cells
    for row, (cell, own) in enumerate(zip(cells, cells_in(shown_column(wanted), file.ending), strict=True)):
        if not same_cell(cell, own):
            raise CertificateError(file.name, f"row {row + 1:,} of “{cells.name}” is not what the result says.")
    return wanted


def require_cells(file: ReleasedFile, wanted: ReleasedFile) -> None:
    """Raise `CertificateError` where a table has other cells than it must have; shapes are not compared."""
    if file.table is None or wanted.table is None:
        return
    alike = list(file.table.columns) == list(wanted.table.columns) and len(file.table) == len(wanted.table)
    pairs = zip(file.table.to_numpy().ravel(), wanted.table.to_numpy().ravel(), strict=False)
    if not alike or not all(same_cell(one, other) for one, other in pairs):
        raise CertificateError(file.name, "it holds something else than the result says.")
