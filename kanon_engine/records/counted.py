"""How many records have each distinct tuple of values: all that generalization needs of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.run import ProgressCallback
from kanon_engine.records.source import Records, opened
from kanon_engine.risk.raw import free_name

if TYPE_CHECKING:
    import ibis.expr.types as ir


class TooManyValues(InvalidInput):
    """There are more distinct values than were asked for."""


def counted(
    source: str | Path | Records,
    by: str | Sequence[str],
    progress: ProgressCallback | None = None,
    *,
    most: int | None = None,
) -> pd.DataFrame:
    """The distinct values of columns, and how many records have them.

    Records in which every column is empty are no records, as in a file that is read whole.

    Parameters
    ----------
    source : path or Records
    by : str or sequence of str
        Columns.
    progress : callable, optional
        Called with a `Progress` now and then; returns False to stop.
    most : int, optional
        No more distinct values than these are fetched.

    Returns
    -------
    DataFrame
        The columns in the order of `by`, with the types that the source has, then the counts (int64) as "records", or
        "records_" where a column has that name. Rows are sorted by their values, text by its code points, numbers by
        size, missing values last: the same on every engine.

    Raises
    ------
    InvalidInput
        A column that is not there, no column, no records, a row that cannot be read.
    TooManyValues
        There are more than `most`.
    SearchEnded
        `progress` returned False.

    Complexity
    ----------
    One pass over the records; memory for the distinct tuples, of which the engine spills what it must.

    Example
    -------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("zip,age\\n06605,41\\n06604,30\\n06605,7\\n,7\\n")
    >>> counted(path, "zip").values.tolist()
    [['06604', 1], ['06605', 2], [nan, 1]]
    """
    with opened(source) as records:
        names = (by,) if isinstance(by, str) else tuple(by)
        if not names:
            raise InvalidInput("Name at least one column to count by.", parameter="by")
        records.require(names, "counts")
        groups = counting(records, names)
        frame = records.engine.run(groups if most is None else groups.limit(most + 1), progress)
        if most is not None and len(frame) > most:
            raise TooManyValues(f"{' and '.join(names)} of {records.name} have more than {most:,} distinct values.")
        frame = in_order(frame, names)
        counts = frame.columns[-1]
        empty = frame[list(names)].isna().all(axis=1).to_numpy()
        if empty.any() and len(names) < len(records.columns):
            frame.loc[empty, counts] -= _empty(records)
        elif empty.any():
            frame.loc[empty, counts] = 0
        frame = frame[frame[counts] > 0].reset_index(drop=True)
        if frame.empty:
            raise InvalidInput(f"{records.name} has columns but no records; choose one with data.")
        return frame


def counting(records: Records, names: tuple[str, ...]) -> ir.Table:
    """The query that counts."""
    table = records.table
    return table.group_by([table[name] for name in names]).aggregate(**{free_name("records", names): table.count()})


def _empty(records: Records) -> int:
    """Records in which every column is empty."""
    import ibis

    table = records.table
    nothing = table.filter(ibis.and_(*(table[name].isnull() for name in table.columns)))
    return int(records.engine.run(nothing.aggregate(records=nothing.count()))["records"].iloc[0])


def in_order(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Rows in the order of their values, whatever order an engine gave them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for name in names:
        if pd.api.types.is_float_dtype(frame[name]):
            frame[name] = frame[name] + 0.0  # -0.0 and 0.0 are one value; which of both an engine shows is chance
    table = pa.Table.from_pandas(frame[list(names)], preserve_index=False)
    order = pc.sort_indices(table, sort_keys=[(name, "ascending") for name in names])
    return frame.take(order.to_numpy()).reset_index(drop=True)
