"""What records would tell, were they released as they stand: counted where they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kanon_engine.errors import InvalidInput
from kanon_engine.model.run import ProgressCallback
from kanon_engine.model.words import listed
from kanon_engine.records.counted import counting
from kanon_engine.records.joint import by_size, named, sets_of
from kanon_engine.records.sets import MOST, counted_sets
from kanon_engine.records.source import Records, opened
from kanon_engine.release.audit import Audit, audit_view
from kanon_engine.release.audit_figures import View
from kanon_engine.validate import positive_k


def audit(
    source: str | Path | Records,
    quasi_identifiers: Sequence[str],
    *,
    k: int,
    sensitive: Sequence[str] = (),
    keep: Sequence[str] = (),
    progress: ProgressCallback | None = None,
) -> Audit:
    """Look at records as who reads them does, and count where they are what they tell of people.

    This is `kanon.audit` of records as they stand: shares are compared with those of the records themselves. Text of a
    CSV is compared as it stands, so that 1.0 and 1 are two values, and so are a value and the same behind a space, but
    for sensitive ones; where `release` makes numbers of them, it counts what its own file shows.

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
    InvalidInput : A column that is not there or has two roles; no records.

    Complexity
    ----------
    A pass over the records, whose distinct rows are fetched; where these are more than 500,000, a pass for each set of
    columns that is looked at, and sets with their values are fetched so many at a time. How many records two and three
    of at most 20 kept columns single out is then a lower bound, where several do.

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
        rows, own = counted_sets(records, (*quasi, *kept), progress), tuple(dict.fromkeys(map(str, sensitive)))
        return audit_view(View(rows, rows, quasi, kept, own, least, public=quasi), 0)


def sql_of_audit(
    source: str | Path | Records,
    quasi_identifiers: Sequence[str],
    *,
    sensitive: Sequence[str] = (),
    keep: Sequence[str] = (),
) -> tuple[tuple[str, str], ...]:
    """What `audit` asks the engine, as (what for, SQL). Nothing runs.

    All but the first is asked where there are too many different rows to be fetched, and then of parts of the records.
    Left out are statements that look for empty rows and estimate how many sets there are, and those that look for pairs
    and triples of the kept columns.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("age,illness\\n30,flu\\n")
    >>> [what for what, _ in sql_of_audit(path, ["age"])]
    ['how many records show each row of “age”', 'of more than 500,000 rows: sets of “age” by their size']
    """
    with opened(source) as records:
        records, quasi, kept = _roles(records, quasi_identifiers, sensitive, keep)
        every, more = (*quasi, *kept), f"of more than {MOST:,} rows"
        asked = [(f"how many records show each row of {listed(every)}", counting(records, every))]
        for names in dict.fromkeys([quasi, every]):
            asked.append((f"{more}: sets of {listed(names)} by their size", by_size(sets_of(records.table, names))))
        for name in dict.fromkeys(map(str, sensitive)):
            asked.append((f"{more}: records with each value of “{name}”", counting(records, (name,))))
            asked.append((f"{more}: the same in each set of {listed(quasi)}", sets_of(records.table, (*quasi, name))))
        return tuple((what, records.engine.sql(query)) for what, query in asked)


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
