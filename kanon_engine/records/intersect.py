"""What several releases of the same records reveal together, with cells counted where the records are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_engine.disclosure.intersection import Intersection, cells_intersection
from kanon_engine.errors import InvalidInput
from kanon_engine.generalize import verify
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import get_family
from kanon_engine.model.run import ProgressCallback
from kanon_engine.model.words import free_name
from kanon_engine.records.crosswalk import GROUP, crosswalk, on_grid
from kanon_engine.records.joint import filled, named, sets_of
from kanon_engine.records.sets import fetched_sets
from kanon_engine.records.source import Records, opened
from kanon_engine.release import require_releasable
from kanon_engine.release.sets import dense
from kanon_engine.validate import positive_k

if TYPE_CHECKING:
    import ibis.expr.types as ir


@dataclass(frozen=True, eq=False)
class Grouping:
    """A release of records by a result: the group of each."""

    instance: Any  # Regions, Points, Labels, Table or MetricSpace
    g: Generalization  # made from this instance
    by: str | Sequence[str] = ()  # the columns that say where a record is, as for `release`; none for a table


def intersect(
    source: str | Path | Records,
    *releases: str | Sequence[str] | Grouping,
    k: int | None = None,
    progress: ProgressCallback | None = None,
) -> Intersection:
    """What two or more releases of the same records reveal together, as `kanon.intersect` does for one instance.

    The releases may use different columns: groups of zip codes and groups of ages. Anyone who has both lists of counts,
    and knows which records are in a group, has bounds on every cell of their crossing. If records are released one by
    one, as in a table, cells are counted and not only bounded.

    Parameters
    ----------
    source : path, address or Records
    *releases : str, sequence of str or Grouping
        At least two: the column or columns that hold a release's group; or a result by which to place records. A record
        without a group, or with a missing one, is left out by that release.
    k : The k that all promise; by default the least k of the results, so it must be given if there are none.
    progress : As in `counted`.

    Returns
    -------
    Intersection : Groups are numbered as in the results; groups in columns are sorted by their values.

    Raises
    ------
    InvalidInput : Fewer than two releases, columns that do not exist, no k.
    CertificateError : A result does not hold what it claims.

    Complexity
    ----------
    One pass over the records for each result and one for the cells; then as `kanon.intersect`.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "groups.csv"
    >>> _ = path.write_text("zips,ages\\n" + "north,old\\n" * 5 + "north,young\\n" + "south,young\\n" * 5)
    >>> intersect(path, "zips", "ages", k=5).sentence
    'Together the two releases show that 1 part of their groups has fewer than k = 5 records; the exact number is \
shown for 1 of 1 (1 single item). Only one of the two may be published.'
    """
    if len(releases) < 2:
        raise InvalidInput(f"Give at least two releases, not {len(releases)}.")
    results = [release.g for release in releases if isinstance(release, Grouping)]
    if k is None and not results:
        raise InvalidInput(
            "Give the k that the releases promise, because their columns do not state it.", parameter="k"
        )
    with opened(source) as records:
        table, columns, raw = records.table, [], list[str]()
        for number, release in enumerate(releases):
            if isinstance(release, Grouping):
                table, column, where = _placed(records, table, release, number, progress)
                columns.append([column])
                raw += where
            else:
                columns.append(list(named(records, [release] if isinstance(release, str) else release, "groups")))
                raw += columns[-1]
        table = filled(replace(records, table=table), raw, progress, records.columns)
        every = list(dict.fromkeys(name for names in columns for name in names))
        sets = records.engine.run(sets_of(table, every), progress, "Counting the records that groups share")
        rows = fetched_sets(records, sets, every)
    choices = []
    for release, names in zip(releases, columns, strict=True):
        inside = np.logical_and.reduce([rows.code(name) < len(rows.columns[name].cells) for name in names])
        classes = np.full(len(rows.counts), -1, dtype=np.int64)
        if isinstance(release, Grouping):
            classes[inside] = np.array(rows.columns[names[0]].cells, dtype=np.int64)[rows.code(names[0])[inside]]
        else:
            classes[inside] = dense(rows.numbers(names)[inside])
        choices.append(classes)
    cells, numbers = np.unique(np.column_stack(choices), axis=0, return_inverse=True)
    counts = np.bincount(numbers.reshape(-1), rows.counts).astype(np.int64)
    least = min(([] if k is None else [positive_k(k)]) + [result.k for result in results])
    from_records = any(get_family(result.family).releases_records for result in results)
    digests = tuple(release.g.digest if isinstance(release, Grouping) else "" for release in releases)
    return cells_intersection(cells, counts, counts, least, "records", digests, from_records)


def _placed(
    records: Records, table: ir.Table, grouping: Grouping, number: int, progress: ProgressCallback | None
) -> tuple[ir.Table, str, tuple[str, ...]]:
    """The records with their class in a result, the name of that column, and the columns that place them."""
    require_releasable(grouping.g)
    verify(grouping.instance, grouping.g)
    by = [grouping.by] if isinstance(grouping.by, str) else list(grouping.by)
    mapping = crosswalk(records, grouping.instance, grouping.g, by, {}, progress)
    column = free_name(f"{GROUP}_{number}", table.columns)
    places = records.engine.upload(mapping.classes).rename({column: GROUP})
    copies = [
        free_name(f"{column}_{place}", table.columns) for place in range(len(mapping.raw))
    ]  # places in cells must not replace other places
    copied = table.mutate(**{copy: table[name] for copy, name in zip(copies, mapping.raw, strict=True)})
    placing = on_grid(replace(records, table=copied), grouping.instance, copies).table
    ons = [placing[copy].identical_to(places[f"p{place}"]) for place, copy in enumerate(copies)]
    return placing.join(places, ons, how="left").select(*table.columns, column), column, mapping.raw
