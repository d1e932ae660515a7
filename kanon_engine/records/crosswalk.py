"""Map the values that say where records are to their released values: one row per distinct value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from kanon_engine.apply import Unmatched, unmatched_of
from kanon_engine.errors import InvalidInput
from kanon_engine.io.source import Source
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import get_family
from kanon_engine.model.run import ProgressCallback
from kanon_engine.model.values import Value, column_values
from kanon_engine.records.counted import counted
from kanon_engine.records.grid import gridded
from kanon_engine.records.joint import filled
from kanon_engine.records.source import Records
from kanon_engine.rectangles.instance import Points
from kanon_engine.release.placing import LEFT_OUT, Placed, code_notes, natural_order
from kanon_engine.release.sets import joined as numbered_together
from kanon_engine.tables.instance import Table
from kanon_engine.tables.release import cells_again
from kanon_engine.tables.words import class_rows
from kanon_engine.validate import require_known_name

if TYPE_CHECKING:
    import ibis.expr.types as ir

GROUP, COUNT = "kanon_group", "kanon_count"  # names that no column of records can have: theirs are r0, … and v0, …


@dataclass(frozen=True, eq=False)
class Crosswalk:
    """What each record becomes. Internal: whoever has it can undo the release."""

    raw: tuple[str, ...]  # the columns that say where records are
    # their distinct values that are in a group, as p0, p1, … which no engine mistakes for columns of the records, and
    # in `GROUP` the class of the result
    classes: pd.DataFrame
    # what is released in their place, each distinct row once, in an order that depends only on its content
    shown: pd.DataFrame
    # own, population: (m,) int64: the number of these records in each class of the result, and its weight
    own: np.ndarray
    population: np.ndarray
    of_class: np.ndarray  # (m,) int64: the row of `shown` of each class
    unmatched: Unmatched
    notes: tuple[str, ...]
    # the records with what places them: the middles of cells if places were counted on a grid
    placing: Records

    @property
    def records(self) -> np.ndarray:
        """(rows of `shown`,) int64: the number of records that become each."""
        counts = np.zeros(len(self.shown), dtype=np.int64)
        np.add.at(counts, self.of_class, self.own)
        return counts

    def grouped(self, names: Sequence[str]) -> ir.Table:
        """One row for each distinct row of the release: `GROUP`, the given columns as v0, v1, …, and `COUNT`.

        `GROUP` is the row of `shown`.
        """
        places = self.classes.assign(**{GROUP: self.of_class[self.classes[GROUP]]})
        return joined(self.placing.table, self.placing.engine.upload(places), self.raw, names)


def joined(table: ir.Table, places: ir.Table, raw: Sequence[str], names: Sequence[str]) -> ir.Table:
    """The records of a table joined with their released places, and the rows of the release counted."""
    columns = {f"r{place}": table[name] for place, name in enumerate(raw)}
    for place, name in enumerate(names):  # zero has no sign
        columns[f"v{place}"] = table[name] + 0.0 if table[name].type().is_floating() else table[name]
    records = table.select(**columns)  # under names that no person chose
    ons = [records[f"r{place}"].identical_to(places[f"p{place}"]) for place in range(len(raw))]
    both = records.join(places, ons, how="inner")
    return both.group_by([GROUP, *(f"v{place}" for place in range(len(names)))]).aggregate(**{COUNT: both.count()})


def crosswalk(
    records: Records,
    instance: Any,
    g: Generalization,
    by: Sequence[str],
    surroundings: Mapping[str, Any],
    progress: ProgressCallback | None = None,
) -> Crosswalk:
    """Place every distinct value of the columns that say where records are.

    Raises
    ------
    InvalidInput : A column that does not exist; records of a table other than those that the result was made from.
    """
    asking = get_family(g.family).release
    if asking is None or asking.placed is None:
        raise InvalidInput(f"Groups of {get_family(g.family).items} cannot be applied to your own records.")
    where = list(map(str, by))
    if isinstance(instance, Table):
        if where and set(where) != set(instance.quasi_identifiers):
            entries = ", ".join(instance.quasi_identifiers)
            raise InvalidInput(f"This result generalizes {entries}; give exactly these columns, or none.")
        where = list(instance.quasi_identifiers)
    if not where:
        raise InvalidInput("List the column or columns that determine the group of a record.", parameter="by")
    for name in where:
        require_known_name(list(records.columns), name, "places where records are")
    placing = on_grid(records, instance, where)
    frame = counted(placing, where, progress)
    counts = frame[frame.columns[-1]].to_numpy(dtype=np.int64)
    values = frame[where]
    if values.isna().all(axis=1).any():
        placing = replace(placing, table=filled(placing, where, progress))
    placement = (
        _of_table(records, instance, g, frame)
        if isinstance(instance, Table)
        else asking.placed(instance, g, values, where, **asking.asked(surroundings))
    )
    labels, of_class = natural_order(
        pd.DataFrame({name: list(entries) for name, entries in placement.shown.items()}, dtype=object)
    )
    inside = placement.classes >= 0
    sizes = np.zeros(g.classes, dtype=np.int64)
    np.add.at(sizes, placement.classes[inside], counts[inside])
    return Crosswalk(
        raw=tuple(where),
        classes=values[inside]
        .set_axis([f"p{place}" for place in range(len(where))], axis=1)
        .assign(**{GROUP: placement.classes[inside].astype(np.int64)})
        .reset_index(drop=True),
        shown=labels,
        own=sizes,
        population=np.asarray(g.class_weights, dtype=np.int64),
        of_class=of_class,
        unmatched=unmatched_of(values, placement, counts),
        notes=code_notes(placement, counts),
        placing=placing,
    )


def on_grid(records: Records, instance: Any, by: Sequence[str]) -> Records:
    """The records as the instance was counted: at the middles of its cells if it was counted on a grid."""
    size = instance.reading.get("grid") if isinstance(instance, Points) else None
    if size is None or len(by) != 2:
        return records
    return gridded(records, (by[0], by[1]), float(size))


def _of_table(records: Records, table: Table, g: Generalization, frame: pd.DataFrame) -> Placed:
    """The classes of distinct tuples, which must be the table's tuples with the same counts."""
    names = list(table.quasi_identifiers)
    # counts are kept with the values, as when the table was made: else a row without values would not be a row
    source = Source(b"", records.name, table=frame, counts=frame.columns[-1])
    again = cells_again(table, source, weight=source.counts)
    counts = frame[frame.columns[-1]].to_numpy(dtype=np.int64)
    positions = [_positions(again[name], domain) for name, domain in zip(names, table.domains, strict=True)]
    others = InvalidInput(
        "The result was not made from these records, and its labels describe only the records that it was made from. "
        "Give those records, or count and generalize the new ones."
    )
    if any((column < 0).any() for column in positions):
        raise others
    rows = len(table)
    both = [np.concatenate([table.codes[:, place], column]) for place, column in enumerate(positions)]
    tuples = numbered_together(both, rows + len(frame))
    mine, there = tuples[:rows], tuples[rows:]
    weights = np.bincount(mine, weights=table.weights, minlength=int(tuples.max()) + 1)
    if not np.array_equal(weights, np.bincount(there, weights=counts, minlength=len(weights))):
        raise others
    class_of = np.full(len(weights), -1, dtype=np.int64)
    class_of[mine] = g.assignment
    if not np.array_equal(class_of[mine], g.assignment):
        raise InvalidInput(
            f"This result of {g.algorithm} puts records that look the same into several groups, so the values of a "
            "record do not determine its group; choose another algorithm."
        )
    classes = class_of[there]
    reasons = np.where(classes >= 0, "", LEFT_OUT).astype(object)
    cells = class_rows(table, g)
    labels = {name: [row[place] for row, _ in cells] for place, name in enumerate(names)}
    return Placed(classes, reasons, tuple(names), labels)


def _positions(column: pd.Series, domain: Sequence[Value]) -> np.ndarray:
    """(n,) int64: the position of each value in a domain; -1 if it is not in it."""
    codes, values = pd.factorize(column, use_na_sentinel=False)
    place_of = {value: place for place, value in enumerate(domain)}
    places = [place_of.get(value, -1) for value in column_values(pd.Series(values, dtype=object))]
    return np.array(places, dtype=np.int64)[codes]
