"""Records of one's own of a table: the very records that its result generalizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

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
    same = len(records) == len(table) and all(
        name in records.columns and column_values(records[name]) == column_values(table.frame[name]) for name in names
    )
    if not same:
        raise InvalidInput(
            "These are other records than the result was made from, and its words fit those alone; give the same file, "
            "or generalize these."
        )
    classes = np.asarray(g.assignment, dtype=np.int64)
    reasons = np.where(classes >= 0, "", LEFT_OUT).astype(object)
    rows = class_rows(table, g)
    shown = {name: [cells[place] for cells, _ in rows] for place, name in enumerate(names)}
    return Placed(classes, reasons, names, shown, meanings_of(table, g))
