"""How large the sets of records are that show the same in several columns."""

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
        """How many sets there are, and the smallest."""
        return (
            f"Over {listed(self.columns)} together, {in_number(self.records, 'record')} "
            f"{'stands' if self.records == 1 else 'stand'} in {in_number(self.sets, 'set')}; the smallest holds "
            f"{self.smallest:,}."
        )


def joint_groups(
    source: str | Path | Records, columns: Sequence[str], progress: ProgressCallback | None = None
) -> JointGroups:
    """The sets of records that show the same in all these columns, counted where the records are.

    Values are compared as they stand; a missing one is a value.

    Returns
    -------
    JointGroups : Only its histogram comes into memory.

    Raises
    ------
    InvalidInput : No column, or one that is not there; no records.

    Complexity
    ----------
    One pass over the records; on DuckDB one that estimates how many sets there are, and one for each 1.5 million,
    or for fewer where memory is too little.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("zip,sex\\n06604,f\\n06604,f\\n06604,m\\n06605,m\\n")
    >>> found = joint_groups(path, ["zip", "sex"])
    >>> found.sizes.tolist(), found.sets_of.tolist(), found.smallest, found.below(2)
    ([1, 2], [2, 1], 1, (2, 2))
    """
    with opened(source) as records:
        names = named(records, columns, "sets")

        def counted(split: Parts, heard: ProgressCallback | None) -> SetSizes:
            parts = [(sets_of(part, names), split.heard(heard, number)) for number, part in enumerate(split.tables)]
            return set_sizes(records, parts)

        found = in_parts(records, filled(records, names, progress), names, counted, progress)
        if not found.sets:
            raise InvalidInput(f"{records.name} has columns but no records; choose one with data.")
        return JointGroups(found.sizes, found.sets_of, names)


def named(records: Records, columns: Sequence[str], role: str) -> tuple[str, ...]:
    """Columns that are there, as a tuple, or `InvalidInput`."""
    if isinstance(columns, str):
        raise InvalidInput(f"The {role} are {columns!r}; give a list of columns.")
    names = tuple(map(str, columns))
    if not names:
        raise InvalidInput(f"Name at least one column for the {role}.")
    records.require(names, role)
    return names


def filled(
    records: Records,
    columns: Sequence[str],
    progress: ProgressCallback | None = None,
    whole: Sequence[str] | None = None,
) -> ir.Table:
    """The records, without those in which every column is empty: they are none, as in `counted`.

    Parameters
    ----------
    columns : Where one of these is filled, nothing else is looked at.
    whole : The columns of the records themselves; all of the table where it is None.
    """
    import ibis

    table = records.table
    doubt = table.filter(ibis.and_(*(table[name].isnull() for name in columns)))
    found = records.engine.run(doubt.aggregate(rows=doubt.count()), progress, "Counting sets")
    if not int(found["rows"].iloc[0]):
        return table
    return table.filter(ibis.or_(*(table[name].notnull() for name in whole or table.columns)))


def sets_of(table: ir.Table, columns: Sequence[str]) -> ir.Table:
    """One row a set: its values as v0, v1, … and how many records it has, as `size`."""
    keys = {f"v{place}": table[name] for place, name in enumerate(columns)}
    return table.group_by(**keys).aggregate(size=table.count())


def by_size(sets: ir.Table) -> ir.Table:
    """How many sets have each size."""
    return sets.group_by("size").aggregate(sets=sets.count())


def set_sizes(records: Records, parts: Sequence[tuple[ir.Table, ProgressCallback | None]]) -> SetSizes:
    """The sizes of sets in parts that have no set in common, each with what hears of the work on it."""
    found = pd.concat([records.engine.run(by_size(sets), heard, "Counting sets") for sets, heard in parts])
    sizes, places = np.unique(found["size"].to_numpy(np.int64), return_inverse=True)
    return SetSizes(sizes, np.bincount(places, found["sets"].to_numpy(np.int64)).astype(np.int64))


# ---------------------------------------------------------------------------------------------------------------------
# How many distinct tuples records have, and how many records share one, told from a sample of the tuples.
# ---------------------------------------------------------------------------------------------------------------------


MOST = 2**31 - 1
PARTS = 256  # of the space of hashes; the tuples in one part are counted
EMPTY, BETWEEN = "\u2400", "\u241f"  # stands for a missing value, and between two values


@dataclass(frozen=True, eq=False, repr=False)
class Sketch(Shown):
    """Tuples whose hash lies in one part of `parts`; every one of their records is counted."""

    parts: int
    # sizes, tuples: (s,) int64: how many of the sampled tuples have each number of records
    sizes: np.ndarray
    tuples: np.ndarray

    def _facts(self) -> dict[str, object]:
        return {"distinct": round(self.distinct), "error": round(self.error), "sampled": int(self.tuples.sum())}

    @property
    def distinct(self) -> float:
        """How many distinct tuples there are, without bias."""
        return float(self.tuples.sum()) * self.parts

    @property
    def error(self) -> float:
        """The standard error of `distinct`, if hashes spread evenly: a tuple is sampled with the chance 1 / parts."""
        return math.sqrt(float(self.tuples.sum()) * (1 - 1 / self.parts)) * self.parts

    def below(self, k: int) -> float:
        """How many distinct tuples have fewer than k records, without bias."""
        return float(self.tuples[self.sizes < k].sum()) * self.parts

    @property
    def sentence(self) -> str:
        """How many there are about, for a sentence."""
        return f"about {round(self.distinct):,} distinct values (standard error {round(self.error):,})"


def sketch(
    source: str | Path | Records,
    by: str | Sequence[str],
    progress: ProgressCallback | None = None,
    *,
    parts: int = PARTS,
) -> Sketch:
    """A sample of distinct tuples, chosen by their hashes, with how many records each has.

    A tuple is in the sample or is not, whatever its number of records, so that the sample tells of tuples what a
    sample of records could not: how many there are, and how many are rare. Only as many numbers come into memory as
    there are different numbers of records.

    Parameters
    ----------
    by : Columns.
    parts : One of so many tuples is sampled; 1 samples all.

    Raises
    ------
    InvalidInput : A column that is not there, `parts` that are none, an engine without hashes, as SQLite.
    SearchEnded : `progress` returned False.

    Complexity
    ----------
    One pass over the records; the engine holds one of `parts` tuples.

    References
    ----------
    P. Chia et al., KHyperLogLog: Estimating Reidentifiability and Joinability of Large Data at Scale, IEEE S&P 2019,
    which keeps the tuples with the least hashes instead of those in a part.

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
            raise InvalidInput(f"One of {parts} tuples cannot be sampled; give a whole number from 1 to {MOST:,}.")
        texts = [records.table[name].cast("string").fill_null(EMPTY) for name in names]
        in_part = records.table.filter(ibis.literal(BETWEEN).join(texts).hash() % parts == 0)
        sampled = counting(replace(records, table=in_part), names)
        often = sampled.columns[-1]
        sizes = sampled.group_by(size=sampled[often]).aggregate(tuples=sampled.count())
        try:
            records.engine.sql(sizes)
        except OperationNotDefinedError:
            raise InvalidInput(
                f"{records.engine.name} has no hashes to sample values by; count them instead."
            ) from None
        found = records.engine.run(sizes, progress, "Sampling distinct values").sort_values("size")
        return Sketch(parts, found["size"].to_numpy(np.int64), found["tuples"].to_numpy(np.int64))
