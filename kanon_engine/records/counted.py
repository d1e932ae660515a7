"""The number of records with each distinct tuple of values, which is all that generalization needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from kanon_engine.errors import InvalidInput
from kanon_engine.io.source import Source
from kanon_engine.model.run import ProgressCallback
from kanon_engine.model.words import free_name
from kanon_engine.records.parts import Parts, in_parts
from kanon_engine.records.source import Records, opened
from kanon_engine.tables.instance import Table
from kanon_engine.tables.read import read_table

if TYPE_CHECKING:
    import ibis.expr.types as ir


SURELY = 4  # an estimate above this multiple of a number proves more than that number: it is off by a few percent


class TooManyValues(InvalidInput):
    """There are more distinct values than were requested."""


def counted(
    source: str | Path | Records,
    by: str | Sequence[str],
    progress: ProgressCallback | None = None,
    *,
    most: int | None = None,
) -> pd.DataFrame:
    """The distinct values of columns, and how many records have them.

    Records in which every column is empty do not count as records, as in a file that is read into memory.

    Parameters
    ----------
    by : Columns.
    progress : Called with a `Progress` now and then; returns False to stop.
    most : At most this many distinct values are fetched.

    Returns
    -------
    DataFrame
        The columns in the order of `by`, with the types of the source, then the counts (int64) as "records", or
        "records_" if a column has that name. Rows are sorted by their values, text by its code points, numbers by
        size, missing values last: the same on every engine.

    Raises
    ------
    InvalidInput : A column that does not exist, no column, no records, a row that cannot be read.
    TooManyValues : There are more than `most`.
    SearchEnded : `progress` returned False.

    Complexity
    ----------
    One pass over the records. On DuckDB with several columns, one pass before it to estimate the number of distinct
    tuples, and one pass for each 1.5 million of them, or for fewer if memory is short. Memory for the distinct tuples.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("zip,age\\n06605,41\\n06604,30\\n06605,7\\n,7\\n")
    >>> counted(path, "zip").values.tolist()
    [['06604', 1], ['06605', 2], [nan, 1]]
    """
    with opened(source) as records:
        names = (by,) if isinstance(by, str) else tuple(by)
        if not names:
            raise InvalidInput("Give at least one column to count by.", parameter="by")
        records.require(names, "counts")
        frame = in_order(_fetched(records, names, most, progress), names)
        counts = frame.columns[-1]
        empty = frame[list(names)].isna().all(axis=1).to_numpy()
        # a row without any value is no record; one with values only in other columns is
        if empty.any() and len(names) < len(records.columns):
            frame.loc[empty, counts] -= _empty(records, progress)
        elif empty.any():
            frame.loc[empty, counts] = 0
        frame = frame[frame[counts] > 0].reset_index(drop=True)
        if frame.empty:
            raise InvalidInput(f"{records.name} has columns but no records; choose records with data.")
        return frame


def _fetched(
    records: Records, names: tuple[str, ...], most: int | None, progress: ProgressCallback | None
) -> pd.DataFrame:
    """The distinct tuples in any order, part by part."""
    too_many = TooManyValues(f"{' and '.join(names)} of {records.name} have more distinct values than can be fetched.")

    def fetched(split: Parts, listener: ProgressCallback | None) -> pd.DataFrame:
        if most is not None and (split.tuples or 0) > SURELY * most:
            raise too_many
        frames, left = [], most
        for number, part in enumerate(split.tables):
            groups = counting(replace(records, table=part), names)
            frame = records.engine.run(
                groups if left is None else groups.limit(left + 1), split.heard(listener, number)
            )
            if left is not None:
                left -= len(frame)
                if left < 0:
                    raise too_many
            if len(split.tables) == 1:
                return frame
            words = [name for name in names if isinstance(frame[name].dtype, pd.StringDtype)]
            frames.append(frame.astype(dict.fromkeys(words, "category")))
        return _together(frames)

    return in_parts(records, records.table, names, fetched, progress)


def _together(frames: list[pd.DataFrame]) -> pd.DataFrame:
    """Frames joined into one; each is emptied meanwhile. Text is stored as categories, each word once."""
    columns = {}
    for name in list(frames[0].columns):
        pieces = [frame.pop(name) for frame in frames]
        words = isinstance(pieces[0].dtype, pd.CategoricalDtype)
        columns[name] = pd.Series(union_categoricals(pieces)) if words else pd.concat(pieces, ignore_index=True)
    return pd.DataFrame(columns)


def counting(records: Records, names: tuple[str, ...]) -> ir.Table:
    """The query that counts."""
    table = records.table
    return table.group_by([table[name] for name in names]).aggregate(**{free_name("records", names): table.count()})


def _empty(records: Records, progress: ProgressCallback | None) -> int:
    """Records in which every column is empty."""
    import ibis

    table = records.table
    nothing = table.filter(ibis.and_(*(table[name].isnull() for name in table.columns)))
    counts = records.engine.run(nothing.aggregate(records=nothing.count()), progress, "Counting empty rows")
    return int(counts["records"].iloc[0])


def in_order(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Rows sorted by their values, independent of the engine's order; the frame is emptied meanwhile."""
    import pyarrow as pa
    import pyarrow.compute as pc

    keys = {}
    for name in names:
        if pd.api.types.is_float_dtype(frame[name]):
            frame[name] = frame[name].astype("float64") + 0.0  # whether an engine shows -0.0 or 0.0 is arbitrary
        keys[name] = _ranks(frame[name]) if isinstance(frame[name].dtype, pd.CategoricalDtype) else frame[name]
    table = pa.Table.from_pandas(pd.DataFrame(keys), preserve_index=False)
    order = pc.sort_indices(table, sort_keys=[(name, "ascending") for name in names]).to_numpy()
    del table, keys
    columns = {}
    for name in list(frame.columns):
        column = frame.pop(name)
        if isinstance(column.dtype, pd.CategoricalDtype):
            words = column.cat.categories.array.take(column.cat.codes.to_numpy()[order], allow_fill=True)
            columns[name] = pd.Series(words)
        else:
            columns[name] = column.take(order).reset_index(drop=True)
    return pd.DataFrame(columns)


def _ranks(words: pd.Series) -> pd.Series:
    """The rank of each word in the order of code points, missing for a missing word."""
    import pyarrow as pa
    import pyarrow.compute as pc

    order = pc.sort_indices(pa.array(words.cat.categories, pa.large_string())).to_numpy()
    ranks = np.empty(len(order) + 1, dtype=np.int32)
    ranks[order] = np.arange(len(order))
    ranks[-1] = len(order)  # missing values come last
    return pd.Series(ranks[words.cat.codes])


# ---------------------------------------------------------------------------------------------------------------------
# Counted tuples in memory, from which different tables can be made without counting again.
# ---------------------------------------------------------------------------------------------------------------------


READER = "records.count"
TABLE_OPTIONS = (  # of `read_table`
    *("class_label", "orders", "hierarchies", "trees", "order_only", "grow", "top", "bottom", "bins"),
    *("sensitive", "keep", "dates"),
)


@dataclass(frozen=True, eq=False)
class Tuples:
    """The distinct tuples of some columns of records, and how many records have each."""

    name: str  # of the records, for sentences
    frame: pd.DataFrame  # the result of `counted`: the columns, then the counts

    @property
    def source(self) -> Source:
        """The same as a table in memory, for readers."""
        return Source(b"", self.name, table=self.frame, counts=self.frame.columns[-1])

    def table(self, by: Sequence[str], *, unit: str = "records", **options: Any) -> Table:
        """The table that `count` makes with this list and these options, if the tuples have its columns.

        Parameters
        ----------
        by : The quasi-identifiers.
        unit : What a record is.
        **options : As in `count` for a table.

        Raises
        ------
        InvalidInput : A column that was not counted, an option that `count` does not have.

        >>> tuples = Tuples("people", pd.DataFrame({"zip": [1, 1, 2], "age": [7, 8, 7], "records": [5, 1, 2]}))
        >>> tuples.table(["zip"]).weights.tolist(), tuples.table(["age"], unit="people").weights.tolist()
        ([6, 2], [7, 1])
        """
        names = columns_to_count(list(self.frame.columns[:-1]), by, options)
        missing = [name for name in names if name not in self.frame.columns[:-1]]
        if missing:
            raise InvalidInput(
                f"The records of {self.name} were counted without the column {missing[0]}; count them again with it."
            )
        source = self._only(names).source
        table = read_table(source, list(by), weight=source.counts, unit=unit, **options)
        retained = {name: value for name, value in table.reading.items() if name in (*TABLE_OPTIONS, "unit")}
        object.__setattr__(table, "reading", {"reader": READER, "by": list(by), **retained})
        return table

    def _only(self, names: Sequence[str]) -> Tuples:
        """The tuples of these columns, as if they had been counted."""
        counts = self.frame.columns[-1]
        if list(names) == list(self.frame.columns[:-1]):
            return self
        sums = self.frame.groupby(list(names), dropna=False, sort=False, observed=True)[counts].sum().reset_index()
        return Tuples(self.name, in_order(sums, names))


def columns_to_count(columns: Sequence[str], by: Sequence[str], options: dict[str, Any]) -> tuple[str, ...]:
    """The quasi-identifiers of a table, and the other columns in its options."""
    require_known(options, TABLE_OPTIONS, "combinations of values are counted")
    for name in ("sensitive", "keep"):
        if isinstance(options.get(name), str):
            raise InvalidInput(f"The option {name} is {options[name]!r}; give a list of columns.")
    label = options.get("class_label")
    grown = (options.get("grow") or {}).values()
    others = [*options.get("sensitive", ()), *options.get("keep", ()), *([label] if label else [])]
    others += [name for name in grown if name in columns]
    return tuple(dict.fromkeys([*by, *others]))


def require_known(options: dict[str, Any], names: tuple[str, ...], where: str) -> None:
    """Refuse an unknown option."""
    unknown = sorted(set(options) - set(names))
    if unknown:
        way_out = f"the options are: {', '.join(names)}" if names else "leave it out"
        raise InvalidInput(f"{unknown[0]!r} has no meaning when {where}; {way_out}.")
