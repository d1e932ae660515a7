"""What records would reveal if they were released as they are, counted where they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kanon_engine.errors import InvalidInput
from kanon_engine.model.run import ProgressCallback
from kanon_engine.model.words import listed
from kanon_engine.records.counted import counting
from kanon_engine.records.joint import by_size, named, sets_of
from kanon_engine.records.sets import MOST, sets_from_engine
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
    """Audit records as a reader sees them, and count where they are what they reveal about people.

    This is `kanon.audit` of records as they are: shares are compared with those of the records themselves. Text of a
    CSV is compared as it is, so that 1.0 and 1 are two values, and so are a value with and without a leading space,
    except for sensitive ones; where `release` turns them into numbers, it counts what its own file shows.

    Parameters
    ----------
    source : A release, or records that are not released yet.
    quasi_identifiers : The columns by which people could be found.
    k : int
    sensitive : Columns that reveal what others do not know about a person.
    keep : Other columns that a reader sees.
    progress : As in `counted`.

    Raises
    ------
    InvalidInput : A column that does not exist or has two roles; no records.

    Complexity
    ----------
    One pass over the records, whose distinct rows are fetched. If these are more than 500,000, one pass for each set of
    columns that is examined, and sets with their values are fetched that many at a time. The number of records that
    two and three of at most 20 kept columns single out is then a lower bound, if several do.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("age,illness\\n30,flu\\n30,flu\\n41,flu\\n41,cold\\n")
    >>> found = audit(path, ["age"], k=2, sensitive=["illness"])
    >>> found.k_reached, found.k_together, found.alone, found.sensitive[0].l, found.sensitive[0].constant_records
    (2, 1, 2, 1, 2)
    """
    least = positive_k(k)
    with opened(source) as records:
        records, quasi, retained = _roles(records, quasi_identifiers, sensitive, keep)
        rows, sensitive_columns = (
            sets_from_engine(records, (*quasi, *retained), progress),
            tuple(dict.fromkeys(map(str, sensitive))),
        )
        return audit_view(View(rows, rows, quasi, retained, sensitive_columns, least, public=quasi), 0)


def sql_of_audit(
    source: str | Path | Records,
    quasi_identifiers: Sequence[str],
    *,
    sensitive: Sequence[str] = (),
    keep: Sequence[str] = (),
) -> tuple[tuple[str, str], ...]:
    """The statements that `audit` sends to the engine, as (purpose, SQL). Nothing runs.

    All but the first are sent only if there are too many distinct rows to fetch, and then for parts of the records.
    Statements that look for empty rows, estimate the number of sets, or look for pairs and triples of the kept columns
    are left out.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("age,illness\\n30,flu\\n")
    >>> [what for what, _ in sql_of_audit(path, ["age"])]
    ['how many records have each set of values in “age”', 'for more than 500,000 rows: how many groups of each size \
there are if records with equal “age” form a group']
    """
    with opened(source) as records:
        records, quasi, retained = _roles(records, quasi_identifiers, sensitive, keep)
        every, more = (*quasi, *retained), f"for more than {MOST:,} rows"
        queries = [(f"how many records have each set of values in {listed(every)}", counting(records, every))]
        # the two are the same if no column is kept
        for names in dict.fromkeys([quasi, every]):
            queries.append(
                (
                    f"{more}: how many groups of each size there are if records with equal {listed(names)} form a "
                    "group",
                    by_size(sets_of(records.table, names)),
                )
            )
        for name in dict.fromkeys(map(str, sensitive)):
            queries.append((f"{more}: how many records have each value of “{name}”", counting(records, (name,))))
            queries.append(
                (
                    f"{more}: how many records there are for each set of values in {listed(quasi)} and each “{name}”",
                    sets_of(records.table, (*quasi, name)),
                )
            )
        return tuple((what, records.engine.sql(query)) for what, query in queries)


def _roles(
    records: Records, quasi_identifiers: Sequence[str], sensitive: Sequence[str], keep: Sequence[str]
) -> tuple[Records, tuple[str, ...], tuple[str, ...]]:
    """The records as they are, the quasi-identifiers, and the columns to keep, including the sensitive ones.

    Each column has one role.
    """
    quasi = named(records, quasi_identifiers, "quasi-identifiers")
    for role, columns in (("columns to keep", keep), ("sensitive columns", sensitive)):
        if isinstance(columns, str):
            raise InvalidInput(f"The {role} are {columns!r}; give a list of columns.")
    retained = tuple(dict.fromkeys([*map(str, keep), *map(str, sensitive)]))
    if retained:
        named(records, retained, "columns to keep")
    both = [name for name in retained if name in quasi]
    if both:
        raise InvalidInput(f"{both[0]!r} is both a quasi-identifier and a kept or sensitive column; choose one role.")
    return records.with_spaces(tuple(name for name in (*quasi, *retained) if name not in sensitive)), quasi, retained
