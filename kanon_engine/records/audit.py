"""What records would tell, were they released as they stand: counted where they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.io.cells import typed
from kanon_engine.model.run import ProgressCallback
from kanon_engine.model.words import counted as in_number
from kanon_engine.model.words import listed
from kanon_engine.records.counted import counted, counting
from kanon_engine.records.joint import by_size, filled, joint_groups, named, sets_of
from kanon_engine.records.parts import part_of
from kanon_engine.records.source import Records, opened
from kanon_engine.tables.audit import MOST_COLUMNS
from kanon_engine.tables.audit_figures import AuditFigures, SensitiveFigures, figures_of, is_numeric
from kanon_engine.validate import positive_k

if TYPE_CHECKING:
    import ibis.expr.types as ir

AT_ONCE = 500_000  # sets with a value each that are fetched together


@dataclass(frozen=True, repr=False)
class RecordsAudit(AuditFigures):
    """What records where they live tell, in the figures of `kanon.audit`. Internal: it counts who stands out."""

    def _facts(self) -> dict[str, object]:
        return {"k": self.k_reached, "k of all columns": self.k_together, "below k": self.below, "alone": self.alone}

    @property
    def sentence(self) -> str:
        """k over the quasi-identifiers and over all columns, and how many records are below it."""
        told = (
            f"Of {in_number(self.records, 'record')}, every set that shows the same in "
            f"{listed(self.quasi_identifiers)} holds at least {self.k_reached:,}."
        )
        if self.kept:
            told += (
                f" With {listed(self.kept)} the smallest set holds {self.k_together:,}: "
                f"{in_number(self.below, 'record')} {'is' if self.below == 1 else 'are'} in sets of fewer than "
                f"{self.k:,}, {self.alone:,} of them alone."
            )
        return told + self.not_judged


def audit(
    source: str | Path | Records,
    quasi_identifiers: Sequence[str],
    *,
    k: int,
    sensitive: Sequence[str] = (),
    keep: Sequence[str] = (),
    progress: ProgressCallback | None = None,
) -> RecordsAudit:
    """Look at records as who reads them does, and count where they are what can be told of people.

    Of a release this is what `kanon.audit` finds of it in memory, but for `t` where records were left out: that
    compares with all records before, and this with those in the release. Values are compared as they stand, so that 1.0
    and 1 in a CSV are two, and so are a value and the same behind a space, but for sensitive ones; where `release`
    makes numbers of them, it counts what its own file shows.

    Parameters
    ----------
    source : A release, or records that are not released yet.
    quasi_identifiers : The columns by which people are found.
    k : int
    sensitive : Columns that tell something about a person which others do not know.
    keep : Other columns that are read.
    progress : As in `counted`.

    Raises
    ------
    InvalidInput
        A column that is not there or has two roles; no records.

    Complexity
    ----------
    A pass over the records for each role and for each sensitive column; one over the distinct rows of the kept columns
    for each two and three of at most 20, unless nobody is alone in them. Sets with their values are fetched half a
    million at a time.

    Example
    -------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("age,illness\\n30,flu\\n30,flu\\n41,flu\\n41,cold\\n")
    >>> found = audit(path, ["age"], k=2, sensitive=["illness"])
    >>> found.k_reached, found.k_together, found.alone, found.sensitive[0].l, found.sensitive[0].constant_records
    (2, 1, 2, 1, 2)
    """
    least = positive_k(k)
    with opened(source) as records:
        records, quasi, kept = _roles(records, quasi_identifiers, sensitive, keep)
        first = joint_groups(records, quasi, progress)
        together = joint_groups(records, (*quasi, *kept), progress) if kept else first
        looked_at = _looked_at(kept, sensitive)
        table = filled(records, (*quasi, *kept), progress)
        told = tuple(
            _figures(records, table, quasi, name, together.sets, progress) for name in dict.fromkeys(sensitive)
        )
        singled = tuple(_combinations(records, table, looked_at, progress)) if len(looked_at) > 1 else ()
    return RecordsAudit(
        k=least,
        records=first.records,
        quasi_identifiers=quasi,
        kept=kept,
        k_reached=first.smallest,
        k_together=together.smallest,
        alone=together.alone,
        below=together.below(least)[0],
        sensitive=told,
        combinations=tuple(sorted(singled, key=lambda entry: (-entry[1], entry[0]))),
        looked_at=looked_at,
    )


def sql_of_audit(
    source: str | Path | Records,
    quasi_identifiers: Sequence[str],
    *,
    sensitive: Sequence[str] = (),
    keep: Sequence[str] = (),
) -> tuple[tuple[str, str], ...]:
    """What `audit` asks the engine, as (what for, SQL). Nothing runs.

    Where there are many sets, each statement is asked of parts of the records. Left out are statements that look for
    empty rows and estimate how many sets there are, and those that look for pairs and triples of the kept columns in
    what the last one finds.

    Parameters
    ----------
    source, quasi_identifiers, sensitive, keep : As `audit` takes them.

    Example
    -------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("age,illness\\n30,flu\\n")
    >>> [what for what, _ in sql_of_audit(path, ["age"], keep=["illness"])]
    ['how many sets of each size “age” makes', 'how many sets of each size “age” and “illness” make']
    """
    with opened(source) as records:
        records, quasi, kept = _roles(records, quasi_identifiers, sensitive, keep)
        table = records.table
        asked = [(f"how many sets of each size {_make(quasi)}", by_size(sets_of(table, quasi)))]
        if kept:
            every = (*quasi, *kept)
            asked.append((f"how many sets of each size {_make(every)}", by_size(sets_of(table, every))))
        for name in dict.fromkeys(sensitive):
            asked.append((f"how many records have each value of “{name}”", counting(records, (name,))))
            told = f"how many records of each set have each value of “{name}”"
            asked.append((told, sets_of(table, (*quasi, name))))
        looked_at = _looked_at(kept, sensitive)
        if len(looked_at) > 1:
            asked.append((f"the different rows of {listed(looked_at)}", sets_of(table, looked_at)))
        return tuple((what, records.engine.sql(query)) for what, query in asked)


def _make(names: Sequence[str]) -> str:
    return f"{listed(names)} make{'s' * (len(names) == 1)}"


def _roles(
    records: Records, quasi_identifiers: Sequence[str], sensitive: Sequence[str], keep: Sequence[str]
) -> tuple[Records, tuple[str, ...], tuple[str, ...]]:
    """The records as they stand, the quasi-identifiers, and the columns to keep, the sensitive ones with them.

    Each column has one role.
    """
    quasi = named(records, quasi_identifiers, "quasi-identifiers")
    for role, columns in (("columns to keep", keep), ("sensitive columns", sensitive)):
        if isinstance(columns, str):
            raise InvalidInput(f"The {role} are {columns!r}; give a list of columns.")
    kept = tuple(dict.fromkeys([*map(str, keep), *map(str, sensitive)]))
    if kept:
        named(records, kept, "columns to keep")
    both = [name for name in kept if name in quasi]
    if both:
        raise InvalidInput(f"{both[0]!r} is a quasi-identifier and a kept or sensitive column; choose one.")
    return records.with_spaces(tuple(name for name in (*quasi, *kept) if name not in sensitive)), quasi, kept


def _looked_at(kept: Sequence[str], sensitive: Sequence[str]) -> tuple[str, ...]:
    """The kept columns whose combinations are looked at, sensitive ones last."""
    others = [name for name in kept if name not in sensitive]
    return (*others, *(name for name in kept if name in sensitive))[:MOST_COLUMNS]


def _figures(
    records: Records,
    table: ir.Table,
    quasi: tuple[str, ...],
    name: str,
    at_most: int,
    progress: ProgressCallback | None,
) -> SensitiveFigures:
    """Of one sensitive column, all of a set together; where there are many sets, a part of them at a time."""
    whole = counted(records, name, progress)
    counts = whole[whole.columns[-1]].to_numpy(dtype=np.int64)
    numbers, ordered = _numbered(whole[name], records.untyped)
    shares = np.bincount(numbers, weights=counts) / counts.sum()
    sets = sets_of(table, (*quasi, name))
    keys, value = [f"v{place}" for place in range(len(quasi))], f"v{len(quasi)}"
    parts = 1
    if at_most > AT_ONCE:
        found = records.engine.run(sets.aggregate(rows=sets.count()), progress, "Counting sets")
        parts = ceil(int(found["rows"].iloc[0]) / AT_ONCE)
    figures = []
    for part in range(parts):
        own = sets if parts == 1 else sets.filter(_part(sets, keys, parts) == part)
        frame = records.engine.run(own, progress, f"Comparing values of {name}")
        if not len(frame):
            continue
        groups = frame.groupby(keys, dropna=False, sort=False).ngroup().to_numpy(dtype=np.int64)
        places = pd.factorize(pd.concat([whole[name], frame[value]]), use_na_sentinel=False)[0][len(whole) :]
        if places.max() >= len(whole):
            raise InvalidInput(f"{records.name} changed while it was read; audit it when nothing is written there.")
        sizes = frame["size"].to_numpy(dtype=np.int64)
        figures.append(figures_of(name, groups, numbers[places], sizes, shares, ordered))
    return SensitiveFigures(
        name,
        min(one.l for one in figures),
        min(one.entropy_l for one in figures),
        max(one.t for one in figures),
        sum(one.constant_groups for one in figures),
        sum(one.constant_records for one in figures),
    )


def _numbered(values: pd.Series, untyped: bool) -> tuple[np.ndarray, bool]:
    """(m,) int64: the number of each distinct value, and whether these are numbers; those are in their order.

    Text is numbers in a CSV alone, which has no types. Missing values are the last.
    """
    known = typed(values)[0] if untyped else values
    if not is_numeric(known):
        return np.arange(len(values)), False
    numbers = np.empty(len(values), dtype=np.int64)
    numbers[known.argsort(kind="stable").to_numpy()] = np.arange(len(values))
    return numbers, True


def _part(sets: ir.Table, keys: Sequence[str], parts: int) -> ir.Column:
    """A number below `parts`, the same for all rows of a set."""
    hashes = [part_of(sets[name], parts) for name in keys]
    together = hashes[0]
    for more in hashes[1:]:
        together = together + more
    return together % parts


def _combinations(
    records: Records, table: ir.Table, names: Sequence[str], progress: ProgressCallback | None
) -> Iterator[tuple[tuple[str, ...], int]]:
    """Pairs and triples that single records out which no part of them does (Elliot, Manning, Ford 2002)."""
    rows = sets_of(table, names)
    found = records.engine.run(rows.aggregate(rows=rows.count(), least=rows["size"].min()), progress, "Counting sets")
    if int(found["least"].iloc[0]) > 1:
        return
    if int(found["rows"].iloc[0]) <= AT_ONCE:
        rows = records.engine.upload(records.engine.run(rows, progress, "Counting sets"))
    for size in (2, 3):
        for places in combinations(range(len(names)), size):
            keys = [f"v{place}" for place in places]
            own = _once(rows, keys)
            for fewer in combinations(keys, size - 1):
                part = _once(rows, fewer)
                own = own.anti_join(part, [own[name].identical_to(part[name]) for name in fewer])
            told = records.engine.run(own.aggregate(records=own.count()), progress, "Looking at combinations")
            singled = int(told["records"].iloc[0])
            if singled:
                yield tuple(names[place] for place in places), singled


def _once(rows: ir.Table, keys: Sequence[str]) -> ir.Table:
    """The values in these columns that one record alone has."""
    sets = rows.group_by(list(keys)).aggregate(size=rows["size"].sum())
    return sets.filter(sets["size"] == 1).select(*keys)
