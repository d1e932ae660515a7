"""Columns of files without types that hold numbers alone, as numbers: as the same file is read into memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kanon_engine.io.cells import LONG
from kanon_engine.model.run import ProgressCallback
from kanon_engine.records.engines import Engine

if TYPE_CHECKING:
    import ibis.expr.types as ir

PLAIN = r"^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,2})?$"  # as in `io.cells`, of sizes that engines hold
CODE = r"^[-+]?0[0-9]+$"
WHOLE = r"^[-+]?[0-9]+$"
SURELY = 18  # letters of a whole number that 64 bits hold


def numbers_in(
    engine: Engine, table: ir.Table, names: Sequence[str], progress: ProgressCallback | None = None
) -> dict[str, ir.Column]:
    """Those of these columns of text that hold numbers alone, as numbers; a zip code with a zero in front is none.

    Complexity
    ----------
    One pass over the table.
    """
    texts = {name: table[name].strip() for name in dict.fromkeys(names)}
    asked: dict[str, Any] = {}
    for place, text in enumerate(texts.values()):
        whole = text.re_search(WHOLE)
        asked |= {
            f"known_{place}": text.count(),
            f"others_{place}": table.count(where=~text.re_search(PLAIN) | text.re_search(CODE)),
            f"fractions_{place}": table.count(where=~whole),
            f"long_{place}": table.count(where=whole & (text.length() > LONG)),
            f"too_long_{place}": table.count(where=text.length() > SURELY),
        }
    found = engine.run(table.aggregate(**asked), progress, "Looking for numbers").iloc[0]
    cells = {}
    for place, (name, text) in enumerate(texts.items()):
        if not found[f"known_{place}"] or found[f"others_{place}"]:
            continue
        if not found[f"fractions_{place}"] and not found[f"too_long_{place}"]:
            cells[name] = text.cast("int64")
        elif found[f"fractions_{place}"] and not found[f"long_{place}"]:
            cells[name] = text.cast("float64")
    return cells
