"""Columns released besides the groups: none may say where records are; and what a reader could learn from them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from kanon_engine.apply import require_no_copy
from kanon_engine.io.names import NEARLY_ALL, identifies
from kanon_engine.model.run import ProgressCallback
from kanon_engine.records.sets import SetsInEngine
from kanon_engine.records.source import Records
from kanon_engine.tables.read_columns import disclosure_notes, tells

LOOKING = "Looking at columns"
LOOKED_AT = 100_000  # records, a random sample if there are more; a share in them is off by 0.3 % or less


def looked_at(
    records: Records, raw: Sequence[str], names: Sequence[str], progress: ProgressCallback | None = None
) -> tuple[str, ...]:
    """Refuse columns that directly or indirectly release where records are; describe what the others reveal.

    Each column is examined on a sample of the records in which it is filled, the same sample for all columns without
    gaps. Anything that is only a sentence in the notes is counted over all records first.

    Raises
    ------
    InvalidInput : A column that holds, contains or follows the values that say where a record is.
    SearchEnded : `progress` returned False.
    """
    if not names:
        return ()
    table = records.table
    counts = records.engine.run(
        table.aggregate(rows=table.count(), **{f"v{place}": table[name].count() for place, name in enumerate(names)}),
        progress,
        LOOKING,
    )
    rows = int(counts["rows"].iloc[0])
    filled = {name: int(counts[f"v{place}"].iloc[0]) for place, name in enumerate(names)}
    full = [name for name in names if filled[name] == rows]
    samples = dict.fromkeys(full, _sample(records, raw, full, rows, progress)) if full else {}
    samples |= {name: _sample(records, raw, [name], filled[name], progress) for name in names if name not in samples}
    identifying, sets = set[str](), SetsInEngine(records, progress)
    equivalent: dict[str, list[str]] = {}
    for name, sample in samples.items():
        require_no_copy(sample, raw, [name])
        missing = filled[name] < rows  # which is a set, not a value
        if identifies(sample[name]) and sets.sizes([name]).sets - missing >= NEARLY_ALL * rows:
            identifying.add(name)
        may = [other for other in raw if tells(sample[name], sample[other])]
        equivalent[name] = [other for other in may if sets.sizes([name, other]).sets == sets.sizes([name]).sets]
    return disclosure_notes(names, identifying, equivalent)[1:]


def _sample(
    records: Records, raw: Sequence[str], names: Sequence[str], filled: int, progress: ProgressCallback | None
) -> pd.DataFrame:
    """Records in which no column is empty; their number is `filled`."""
    import ibis

    table = records.table
    rows = table.filter(ibis.and_(*(table[name].notnull() for name in names))).select(*dict.fromkeys([*raw, *names]))
    if filled > LOOKED_AT:
        rows = rows.sample(LOOKED_AT / filled)
    return records.engine.run(rows, progress, LOOKING)
