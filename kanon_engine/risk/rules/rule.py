"""A stated rule: where it is stated, what it asks, and how a release is held against it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kanon_engine.risk.rules.case import Case
from kanon_engine.risk.ruling import Ruling
from kanon_engine.shown import Shown

Found = tuple[str, str]  # the verdict, and why


@dataclass(frozen=True, repr=False)
class Rule(Shown):
    """One rule.

    Attributes
    ----------
    key, title, origin : str
        As in `Ruling`.
    text : str
        What it asks in its own terms, a sentence or two.
    asks : tuple of str
        What a person must say for it, which no program finds: names of `Facts`, or an attack.
    beyond : str
        What it does not speak of.
    judge : callable
        ``judge(case)`` gives the verdict and why.
    """

    key: str
    title: str
    origin: str
    text: str
    asks: tuple[str, ...]
    beyond: str
    judge: Callable[[Case], Found]

    def _facts(self) -> dict[str, object]:
        return {"key": self.key, "title": self.title, "origin": self.origin}

    def ruling(self, case: Case) -> Ruling:
        """What the rule says of a release."""
        verdict, found = self.judge(case)
        return Ruling(self.key, self.title, self.origin, self.text, verdict, found, self.beyond)
