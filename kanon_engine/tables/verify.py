"""The independent check of table results, by the kind of their details."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kanon_engine.certificate import Check
from kanon_engine.tables.instance import CellDetails, Table
from kanon_engine.tables.verify_cells import verify_cells

if TYPE_CHECKING:
    from kanon_engine.generalization import Generalization


def verify(table: Table, g: Generalization) -> Iterator[Check]:
    """Every claim that only tables make; see `kanon_engine.certificate.verify`."""
    cells = g.algorithm == "cell-suppression" and isinstance(g.details, CellDetails)
    yield Check("details", cells, f"the details are a {type(g.details).__name__}, made by {g.algorithm}.")
    yield from verify_cells(table, g)
