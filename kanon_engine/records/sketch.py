"""How many distinct tuples records have, and how many records share one, told from a sample of the tuples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.model.run import ProgressCallback
from kanon_engine.records.counted import counting
from kanon_engine.records.joint import named
from kanon_engine.records.source import Records, opened
from kanon_engine.shown import Shown

if TYPE_CHECKING:
    import ibis.expr.types as ir

MOST = 2**31 - 1
PARTS = 256  # of the space of hashes; the tuples in one part are counted
EMPTY, BETWEEN = "\u2400", "\u241f"  # stands for a missing value, and between two values


@dataclass(frozen=True, eq=False, repr=False)
class Sketch(Shown):
    """Tuples whose hash lies in one part of `parts`; every one of their records is counted.

    Attributes
    ----------
    parts : int
    sizes, tuples : (s,) int64 arrays
        How many of the sampled tuples have each number of records.
    """

    parts: int
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
    source : path, address or Records
    by : str or sequence of str
        Columns.
    progress : callable, optional
    parts : int
        One of so many tuples is sampled; 1 samples all.

    Returns
    -------
    Sketch

    Raises
    ------
    InvalidInput
        A column that is not there, `parts` that are none, an engine without hashes, as SQLite.
    SearchEnded
        `progress` returned False.

    Complexity
    ----------
    One pass over the records; the engine holds one of `parts` tuples.

    References
    ----------
    P. Chia et al., KHyperLogLog: Estimating Reidentifiability and Joinability of Large Data at Scale, IEEE S&P 2019,
    which keeps the tuples with the least hashes instead of those in a part.

    Example
    -------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("zip,age\\n06605,41\\n06604,30\\n06605,41\\n")
    >>> all_of_them = sketch(path, ["zip", "age"], parts=1)
    >>> all_of_them.distinct, all_of_them.error, all_of_them.below(2)
    (2.0, 0.0, 1.0)
    """
    from ibis.common.exceptions import OperationNotDefinedError

    with opened(source) as records:
        names = named(records, [by] if isinstance(by, str) else by, "sketch")
        if not 1 <= parts <= MOST:
            raise InvalidInput(f"One of {parts} tuples cannot be sampled; give a whole number from 1 to {MOST:,}.")
        sampled = counting(replace(records, table=_sampled(records.table, names, parts)), names)
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


def _sampled(table: ir.Table, names: tuple[str, ...], parts: int) -> ir.Table:
    """The records whose tuple has a hash in one part."""
    import ibis

    texts = [table[name].cast("string").fill_null(EMPTY) for name in names]
    return table.filter(ibis.literal(BETWEEN).join(texts).hash() % parts == 0)
