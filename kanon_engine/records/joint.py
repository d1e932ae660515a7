"""The sizes of the sets of records that show the same in several columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.run import ProgressCallback
from kanon_engine.model.words import counted as in_number
from kanon_engine.model.words import listed
from kanon_engine.records.counted import counting
from kanon_engine.records.parts import Parts, in_parts
from kanon_engine.records.source import Records, opened
from kanon_engine.release.sets import SetSizes
from kanon_engine.shown import Shown

if TYPE_CHECKING:
    import ibis.expr.types as ir


@dataclass(frozen=True, eq=False, repr=False)
class JointGroups(SetSizes):
    """Sets of records that show the same in all of some columns."""

    columns: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The number of sets, and the smallest."""
        return (
            f"{in_number(self.records, 'record')} {'is' if self.records == 1 else 'are'} in "
            f"{in_number(self.sets, 'set')} of records with the same {listed(self.columns)}; the smallest set holds "
            f"{self.smallest:,}."
        )


def joint_groups(
    source: str | Path | Records, columns: Sequence[str], progress: ProgressCallback | None = None
) -> JointGroups:
    """The sets of records that show the same in all these columns, counted where the records are.

    Values are compared as they are; a missing one is a value.

    Returns
    -------
    JointGroups : Only its histogram is loaded into memory.

    Raises
    ------
    InvalidInput : No column, or one that does not exist; no records.

    Complexity
    ----------
    One pass over the records; on DuckDB one pass to estimate the number of sets, and one for each 1.5 million, or for
    fewer if memory is short.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("zip,sex\\n06604,f\\n06604,f\\n06604,m\\n06605,m\\n")
    >>> found = joint_groups(path, ["zip", "sex"])
    >>> found.sizes.tolist(), found.sets_of.tolist(), found.smallest, found.below(2)
    ([1, 2], [2, 1], 1, (2, 2))
    """
    with opened(source) as records:
        names = named(records, columns, "sets")

        def counted(split: Parts, listener: ProgressCallback | None) -> SetSizes:
            parts = [(sets_of(part, names), split.heard(listener, number)) for number, part in enumerate(split.tables)]
            return set_sizes(records, parts)

        sizes = in_parts(records, filled(records, names, progress), names, counted, progress)
        if not sizes.sets:
            raise InvalidInput(f"{records.name} has columns but no records; choose records with data.")
        return JointGroups(sizes.sizes, sizes.sets_of, names)


def named(records: Records, columns: Sequence[str], role: str) -> tuple[str, ...]:
    """Existing columns as a tuple, or `InvalidInput`."""
    if isinstance(columns, str):
        raise InvalidInput(f"The {role} are {columns!r}; give a list of columns.")
    names = tuple(map(str, columns))
    if not names:
        raise InvalidInput(f"Give at least one column for the {role}.")
    records.require(names, role)
    return names


def filled(
    records: Records,
    columns: Sequence[str],
    progress: ProgressCallback | None = None,
    whole: Sequence[str] | None = None,
) -> ir.Table:
    """The records, without those in which every column is empty: they do not count, as in `counted`.

    Parameters
    ----------
    columns : If one of these is filled, nothing else is examined.
    whole : The columns of the records themselves; all columns of the table if None.
    """
    import ibis

    table = records.table
    # a row with a value in one of these columns is a record; only the others are in doubt
    doubt = table.filter(ibis.and_(*(table[name].isnull() for name in columns)))
    counts = records.engine.run(doubt.aggregate(rows=doubt.count()), progress, "Counting value sets")
    if not int(counts["rows"].iloc[0]):
        return table
    return table.filter(ibis.or_(*(table[name].notnull() for name in whole or table.columns)))


def sets_of(table: ir.Table, columns: Sequence[str]) -> ir.Table:
    """One row per set: its values as v0, v1, … and its number of records, as `size`."""
    keys = {f"v{place}": table[name] for place, name in enumerate(columns)}
    return table.group_by(**keys).aggregate(size=table.count())


def by_size(sets: ir.Table) -> ir.Table:
    """The number of sets of each size."""
    return sets.group_by("size").aggregate(sets=sets.count())


def set_sizes(records: Records, parts: Sequence[tuple[ir.Table, ProgressCallback | None]]) -> SetSizes:
    """The sizes of sets in disjoint parts, each with the listener to its progress."""
    frame = pd.concat([records.engine.run(by_size(sets), progress, "Counting value sets") for sets, progress in parts])
    sizes, places = np.unique(frame["size"].to_numpy(np.int64), return_inverse=True)
    return SetSizes(sizes, np.bincount(places, frame["sets"].to_numpy(np.int64)).astype(np.int64))


# ---------------------------------------------------------------------------------------------------------------------
# The number of distinct tuples, and of records that share one, estimated from a sample of the tuples.
# ---------------------------------------------------------------------------------------------------------------------


MOST = 2**31 - 1
PARTS = 256  # parts of the hash space; the tuples in one part are counted
EMPTY, BETWEEN = "\u2400", "\u241f"  # represents a missing value, and separates two values


@dataclass(frozen=True, eq=False, repr=False)
class Sketch(Shown):
    """Tuples whose hash is in one of `parts` parts; all their records are counted."""

    parts: int
    # sizes, tuples: (s,) int64: the number of sampled tuples with each number of records
    sizes: np.ndarray
    tuples: np.ndarray

    def _facts(self) -> dict[str, object]:
        return {"distinct": round(self.distinct), "error": round(self.error), "sampled": int(self.tuples.sum())}

    @property
    def distinct(self) -> float:
        """An unbiased estimate of the number of distinct tuples."""
        return float(self.tuples.sum()) * self.parts

    @property
    def error(self) -> float:
        """The standard error of `distinct`, if hashes spread evenly: a tuple is sampled with probability 1 / parts."""
        return math.sqrt(float(self.tuples.sum()) * (1 - 1 / self.parts)) * self.parts

    def below(self, k: int) -> float:
        """An unbiased estimate of the number of distinct tuples with fewer than k records."""
        return float(self.tuples[self.sizes < k].sum()) * self.parts

    @property
    def sentence(self) -> str:
        """The approximate number, for a sentence."""
        return f"about {round(self.distinct):,} distinct values (standard error {round(self.error):,})"


def sketch(
    source: str | Path | Records,
    by: str | Sequence[str],
    progress: ProgressCallback | None = None,
    *,
    parts: int = PARTS,
) -> Sketch:
    """A sample of distinct tuples, chosen by their hashes, with how many records each has.

    Whether a tuple is in the sample does not depend on its number of records. So the sample shows what a sample of
    records could not: how many tuples there are, and how many are rare. Only one number for each distinct number of
    records is loaded into memory.

    Parameters
    ----------
    by : Columns.
    parts : One of this many tuples is sampled; 1 samples all.

    Raises
    ------
    InvalidInput : A column that does not exist, invalid `parts`, an engine without hashes, such as SQLite.
    SearchEnded : `progress` returned False.

    Complexity
    ----------
    One pass over the records; the engine holds one of `parts` tuples.

    References
    ----------
    P. Chia et al., KHyperLogLog: Estimating Reidentifiability and Joinability of Large Data at Scale, IEEE S&P 2019,
    which keeps the tuples with the least hashes instead of those in one part.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("zip,age\\n06605,41\\n06604,30\\n06605,41\\n")
    >>> all_of_them = sketch(path, ["zip", "age"], parts=1)
    >>> all_of_them.distinct, all_of_them.error, all_of_them.below(2)
    (2.0, 0.0, 1.0)
    """
    import ibis
    from ibis.common.exceptions import OperationNotDefinedError

    with opened(source) as records:
        names = named(records, [by] if isinstance(by, str) else by, "sketch")
        if not 1 <= parts <= MOST:
            raise InvalidInput(
                f"kanon cannot sample one in {parts} combinations of values; give a whole number from 1 to {MOST:,}."
            )
        texts = [records.table[name].cast("string").fill_null(EMPTY) for name in names]
        in_part = records.table.filter(ibis.literal(BETWEEN).join(texts).hash() % parts == 0)
        sampled = counting(replace(records, table=in_part), names)
        often = sampled.columns[-1]
        sizes = sampled.group_by(size=sampled[often]).aggregate(tuples=sampled.count())
        try:
            records.engine.sql(sizes)
        except OperationNotDefinedError:
            raise InvalidInput(
                f"{records.engine.name} has no hash function to sample values; count all values instead."
            ) from None
        sample = records.engine.run(sizes, progress, "Sampling distinct values").sort_values("size")
        return Sketch(parts, sample["size"].to_numpy(np.int64), sample["tuples"].to_numpy(np.int64))
