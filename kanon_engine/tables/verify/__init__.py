"""The independent check of table results, by the kind of their details."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from kanon_engine.tables.instance import BoxDetails, CellDetails, IntervalDetails, Table
from kanon_engine.tables.verify.boxes import verify_boxes
from kanon_engine.tables.verify.cells import verify_cells
from kanon_engine.tables.verify.intervals import verify_intervals
from kanon_engine.verification.check import Check

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization

KINDS: dict[str, tuple[type, Callable[..., Iterator[Check]]]] = {
    "cell-suppression": (CellDetails, verify_cells),
    "mondrian": (BoxDetails, verify_boxes),
    "local-cuts": (BoxDetails, verify_boxes),
    "exact": (BoxDetails, verify_boxes),
}


def verify(table: Table, g: Generalization) -> Iterator[Check]:
    """Every claim that only tables make; see `kanon_engine.verification.verify`."""
    expected, check = KINDS.get(g.algorithm, (IntervalDetails, verify_intervals))
    found = isinstance(g.details, expected)
    yield Check("details", found, f"the details are a {type(g.details).__name__}, made by {g.algorithm}.")
    kept = [str(name) for name in g.reading.get("keep") or ()]
    raw = [name for name in kept if name in table.quasi_identifiers or name not in table.frame.columns]
    words = f"{raw[0]} cannot be released as it is" if raw else f"{', '.join(kept) or 'nothing'} is released as it is"
    yield Check("kept columns", not raw, f"{words}; the quasi-identifiers are generalized.")
    yield from check(table, g)
