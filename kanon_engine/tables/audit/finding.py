"""One thing that an audit found, and what mends it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kanon_engine.shown import Shown
from kanon_engine.tables.roles import listed

SERIOUS, NOTABLE, MINOR = "serious", "notable", "minor"
SEVERITIES = (SERIOUS, NOTABLE, MINOR)  # worst first
QUASI, DROP, ROUND, PUBLIC, REQUIRE = "quasi-identifier", "drop", "round", "public", "require"
ACTIONS = {
    QUASI: "make {} a quasi-identifier",
    DROP: "leave {} out",
    ROUND: "put {} into ranges",
    PUBLIC: "say that the values of {} are public",
    REQUIRE: "ask for more different values of {} in every group",
}


@dataclass(frozen=True)
class Mend(Shown):
    """One change of a column's role or of what is asked of groups.

    Attributes
    ----------
    action : str
        "quasi-identifier": make it one. "drop": leave it out. "round": put its numbers into ranges. "public": its order
        is the one found in the file, and public. "require": ask something of every group.
    column : str
    value : tuple or None
        Of "round" where one of the ranges begins and their width; of "require" the least number of different values.
    """

    action: str
    column: str
    value: tuple[Any, ...] | None = None

    @property
    def words(self) -> str:
        """What to do.

        Example
        -------
        >>> Mend(ROUND, "income", (0, 500)).words, Mend(DROP, "name").words
        ('put “income” into ranges of 500', 'leave “name” out')
        """
        words = ACTIONS[self.action].format(listed([self.column]))
        return f"{words} of {self.value[1]:,}" if self.action == ROUND and self.value else words


@dataclass(frozen=True, repr=False)
class Finding(Shown):
    """One thing that what would be released tells.

    Attributes
    ----------
    kind : str
        "below k", "joined", "constant groups", "skewed groups", "single values", "identifier", "unchanged", "extremes"
        or "special uniques".
    severity : str
        "serious": it may find or expose a person. "notable": it can, together with other knowledge. "minor": to know.
    what : str
        What is so, a sentence.
    columns : tuple of str
    records : int
        How many it is about.
    reason : str
        Why it matters, a sentence.
    remedy : tuple of Mend
        What to do, each a step by itself, best first.
    """

    kind: str
    severity: str
    what: str
    columns: tuple[str, ...]
    records: int
    reason: str
    remedy: tuple[Mend, ...] = ()
