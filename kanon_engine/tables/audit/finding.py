"""One thing that an audit found, and what mends it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kanon_engine.io.roles import listed
from kanon_engine.model.requirement import Closeness, Diversity
from kanon_engine.shown import Shown

SERIOUS, NOTABLE, MINOR = "serious", "notable", "minor"
SEVERITIES = (SERIOUS, NOTABLE, MINOR)  # worst first
QUASI, DROP, ROUND, PUBLIC = "quasi-identifier", "drop", "round", "public"
DIVERSITY, CLOSENESS = "diversity", "closeness"
ACTIONS = {
    QUASI: "make {} a quasi-identifier",
    DROP: "leave {} out",
    ROUND: "put {} into ranges",
    PUBLIC: "say that the values of {} are public",
    DIVERSITY: "ask for at least {1:g} different values of {0} in every group",
    CLOSENESS: "ask that every group's shares of {0} are within {1:g} of the table's",
}


@dataclass(frozen=True)
class Mend(Shown):
    """One change of a column's role or of what is asked of groups.

    Attributes
    ----------
    action : str
        "quasi-identifier": make it one. "drop": leave it out. "round": put its numbers into ranges. "public": its order
        is the one found in the file, and public. "diversity", "closeness": ask this of every group.
    column : str
    value : tuple or None
        Of "round" where one of the ranges begins and their width; of "diversity" l, of "closeness" t.
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
        words = ACTIONS[self.action].format(listed([self.column]), *(self.value or ()))
        return f"{words} of {self.value[1]:,}" if self.action == ROUND and self.value else words

    @property
    def requirement(self) -> Diversity | Closeness | None:
        """What to ask of every group, as `generalize` takes it; None of a step that asks nothing of them.

        Example
        -------
        >>> Mend(DIVERSITY, "illness", (2,)).requirement
        Diversity(column='illness', l=2, kind='distinct', c=None)
        """
        if self.action == DIVERSITY and self.value:
            return Diversity(self.column, self.value[0])
        return Closeness(self.column, self.value[0]) if self.action == CLOSENESS and self.value else None


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
