"""Results that a person changed by hand: each change is a result of its own, undone and done again at will."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace

import streamlit as st

import kanon_engine as kanon
from kanon_engine.project import Move
from pages._shared.results import Answer


@dataclass(frozen=True)
class Change:
    """One change, and the verified result that it made.

    Attributes
    ----------
    g : Generalization
    words : str
        What was done.
    move : Move
        The same for a project.
    """

    g: kanon.Generalization
    words: str
    move: Move


@dataclass
class Changes:
    """What was changed of one result.

    Attributes
    ----------
    found : Generalization
        The result before the first change.
    steps : list of Change
    done : int
        How many of them are not undone.
    """

    found: kanon.Generalization
    steps: list[Change] = field(default_factory=list)
    done: int = 0

    @property
    def g(self) -> kanon.Generalization:
        """The result as it is now."""
        return self.steps[self.done - 1].g if self.done else self.found

    @property
    def told(self) -> str:
        """What was done last, and what it cost."""
        before = self.steps[self.done - 2].g if self.done > 1 else self.found
        count = "one change" if self.done == 1 else f"{self.done:,} changes"
        largest = f"{before.class_weights.max():,} → {self.g.class_weights.max():,}"
        return (
            f"Changed by hand, {count}. {self.steps[self.done - 1].words}: largest group {largest}, "
            f"bound {self.g.lower_bound:,}."
        )


def changes_of(key: Hashable) -> Changes | None:
    """What was changed of the result with this key, in this visit."""
    return _all().get(key)


def with_changes(found: Answer) -> Answer:
    """What can be shown, as a person changed it; further improvements of the search do not take its place."""
    changes = changes_of(found.key)
    if changes is None or not changes.done:
        return found
    return replace(found, g=changes.g, changed=changes.told)


def record(key: Hashable, before: kanon.Generalization, change: Change) -> None:
    """Put a change behind those that are not undone."""
    changes = changes_of(key)
    if changes is None or not changes.done:
        changes = _all()[key] = Changes(before)
    changes.steps = [*changes.steps[: changes.done], change]
    changes.done = len(changes.steps)


def forget_changes(key: Hashable) -> None:
    """The result is as it was found."""
    _all().pop(key, None)


def put_changes(key: Hashable, changes: Changes) -> None:
    """What was changed of the result with this key is this."""
    _all()[key] = changes


def step(key: Hashable, by: int) -> None:
    """Undo the last change (-1), or do the next one again (1)."""
    changes = _all()[key]
    changes.done = min(max(changes.done + by, 0), len(changes.steps))


def _all() -> dict[Hashable, Changes]:
    found: dict[Hashable, Changes] = st.session_state.setdefault("_by_hand", {})
    return found
