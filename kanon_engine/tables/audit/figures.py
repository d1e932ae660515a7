"""The figures of what records tell, the same whether they are in memory or counted where they live."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from kanon_engine.io.roles import listed
from kanon_engine.shown import Shown
from kanon_engine.tables.audit.diversity import SensitiveFigures

MOST_NAMED = 6  # columns in a sentence


@dataclass(frozen=True, repr=False)
class AuditFigures(Shown):
    """What records tell, in figures. Internal: they count who stands out.

    Attributes
    ----------
    k : int
        What was asked for.
    records : int
        How many are looked at: those that would be released.
    quasi_identifiers, kept : tuple of str
        The columns by which people are found, and the others that are as they are, the sensitive ones among them.
    k_reached, k_together : int
        The smallest set of records that show the same in the quasi-identifiers, and in all columns.
    alone, below : int
        Records that show in all columns together what no other does, and what fewer than k do.
    sensitive : tuple of SensitiveFigures
        l, entropy and t of each sensitive column and of the class label, as far as they are released.
    combinations : tuple of (columns, records)
        Every two or three kept columns that single people out, by how many (minimal sample uniques); most first.
    looked_at : tuple of str
        The columns whose combinations were looked at: 20 at most.
    """

    k: int
    records: int
    quasi_identifiers: tuple[str, ...]
    kept: tuple[str, ...]
    k_reached: int
    k_together: int
    alone: int
    below: int
    sensitive: tuple[SensitiveFigures, ...]
    combinations: tuple[tuple[tuple[str, ...], int], ...]
    looked_at: tuple[str, ...]

    @property
    def not_judged(self) -> str:
        """A sentence, after a space, on the columns without l, entropy and t; "" where all others have these."""
        judged = {one.column for one in self.sensitive}
        others = [name for name in self.kept if name not in judged]
        if not others:
            return ""
        names = listed(others) if len(others) <= MOST_NAMED else f"{len(others):,} columns"
        they = "it is" if len(others) == 1 else "they are"
        return f" What groups tell of {names} was not judged, as nobody said that {they} sensitive."

    def figures(self) -> dict[str, Any]:
        """All of it as JSON knows it, but for the words."""
        plain: dict[str, Any] = json.loads(json.dumps(self._content()))
        return plain

    def _content(self) -> dict[str, Any]:
        return asdict(self)
