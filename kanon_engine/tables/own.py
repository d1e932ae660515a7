"""Records of one's own of a table: the very records that its result generalizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.release.placing import LEFT_OUT, Placed
from kanon_engine.tables.domain import column_values
from kanon_engine.tables.release import meanings_of
from kanon_engine.tables.words import class_rows

if TYPE_CHECKING:
    import pandas as pd

    from kanon_engine.model.generalization import Generalization
    from kanon_engine.tables.instance import Table


def _same(table: Table, records: pd.DataFrame) -> bool:
    """Whether each record shows what that of the table shows."""
    return len(records) == len(table) and all(
        column_values(records[name]) == column_values(table.frame[name]) for name in table.quasi_identifiers
    )


def cells_again(table: Table, records: Any, weight: str | None = None) -> pd.DataFrame:
    """The quasi-identifiers of records, with numbers, dates and ranges as the table was read.

    Parameters
    ----------
    table : Table
    records : DataFrame or Source
        With the same columns.
    weight : str, optional
        Their column of counts.
    """
    from kanon_engine.tables.read import read_table

    names = list(table.quasi_identifiers)
    settings: dict[str, Any] = {}
    for what in ("dates", "top", "bottom", "bins"):
        said = table.reading.get(what, {})
        settings[what] = said if isinstance(said, str) else {name: said[name] for name in said if name in names}
    frame: pd.DataFrame = read_table(records, names, weight=weight, **settings).frame
    return frame


def placed(table: Table, g: Generalization, records: pd.DataFrame, by: Sequence[str]) -> Placed:
    """What each class shows, in place of the quasi-identifiers."""
    if table.weighted:
        raise InvalidInput(
            "A row of this table stands for several records, so its result is not put on records of your own one by "
            "one; release the table, or generalize the records themselves."
        )
    names = tuple(table.quasi_identifiers)
    if by and set(by) != set(names):
        raise InvalidInput(f"This result generalizes {', '.join(names)}; name these columns, or none.")
    there = set(names) <= set(records.columns)
    if not there or not (_same(table, records) or (table.reading and _same(table, cells_again(table, records)))):
        raise InvalidInput(
            "These are other records than the result was made from, and its words fit those alone; give the same file, "
            "or generalize these."
        )
    classes = np.asarray(g.assignment, dtype=np.int64)
    reasons = np.where(classes >= 0, "", LEFT_OUT).astype(object)
    rows = class_rows(table, g)
    shown = {name: [cells[place] for cells, _ in rows] for place, name in enumerate(names)}
    return Placed(classes, reasons, names, shown, meanings_of(table, g))
