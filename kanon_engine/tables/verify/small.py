"""The independent look at all solutions of a small table, where a bound is a search's word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_engine.tables.instance import Table
from kanon_engine.tables.verify.small_boxes import boxes_beaten
from kanon_engine.tables.verify.small_cells import cells_beaten
from kanon_engine.tables.verify.small_intervals import intervals_beaten

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization


def beaten(table: Table, g: Generalization) -> bool | None:
    """Whether a solution costs less than the claimed bound; None where there are too many to look at."""
    if g.algorithm == "exact":
        return boxes_beaten(table, g)
    return (cells_beaten if g.algorithm == "cell-suppression" else intervals_beaten)(table, g)
