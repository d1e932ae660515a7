"""`kanon release` for records where they live: the groups go to the records, and one file comes out."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from kanon_engine.cli.counting import opened, statements
from kanon_engine.cli.progress import progress_bar
from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import family_named
from kanon_engine.tables.read.written import column_list


def pushed_release(
    instance: Any,
    g: Generalization,
    records: str,
    table: str | None,
    out: Path,
    by: str | None,
    roles: Mapping[str, str],
    k: int | None,
    formulas: str,
    said: Mapping[str, Any],
) -> dict[str, Any]:
    """Write the release of records where they live; what is said of it.

    A file that is there already is replaced once the new one is whole.
    """
    from kanon_engine.records import Records, release

    named: dict[str, Any] = {name: column_list(text or "") for name, text in roles.items()}
    asking = family_named(g.family).release
    told = {} if asking is None else asking.asked(said)
    # a path stays one, so that nothing is written among the records themselves
    living = nullcontext(records) if table is None else Records.open(records, table)
    unfinished = tempfile.TemporaryDirectory(prefix=".kanon-", dir=out.parent)
    with unfinished as folder, progress_bar("releasing") as progress, living as source:
        part = Path(folder, out.name) if out.exists() else out
        made = release(
            source,
            instance,
            g,
            part,
            by=column_list(by or ""),
            k=k,
            formulas=formulas,
            progress=progress,
            **named,
            **told,
        )
        if part != out:
            os.replace(part, out)
    below = made.below
    return {
        "sentence": made.sentence,
        "notes": list(made.notes),
        "records": made.records,
        "left_out": {reason: count for reason, count, _ in made.unmatched.reasons},
        "k": made.k,
        "promised": {"k": made.promised, "unit": made.unit, "of": int(made.population.sum())},
        "groups": int((made.own > 0).sum()),
        "quasi_identifiers": list(made.quasi_identifiers),
        "below": {"records": below.records, "sets": below.groups, "smallest": below.smallest},
    }


def sql_of_pushed(
    claim: Generalization, records: str, table: str | None, by: str | None, roles: Mapping[str, str]
) -> str:
    """What `pushed_release` asks the engine."""
    from kanon_engine.records import sql_of_release

    leaving = [name for text in roles.values() for name in column_list(text or "")]
    where = column_list(by or "")
    if not where and claim.family == "tables":
        where = [str(name) for name in claim.reading.get("by") or claim.reading.get("quasi_identifiers") or ()]
    if not where:
        raise InvalidInput("Name the column, or the columns, that say where a record is.", parameter="by")
    with opened(records, table) as (living, _):
        return statements(sql_of_release(living, where, leaving))
