"""A stated rule: where it is stated, what it asks, and how a release is held against it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from kanon_engine.risk.rules.case import Case
from kanon_engine.shown import Shown

Found = tuple[str, str]  # the verdict, and why
OF = {  # what data are said to be, as the end of a sentence
    "census": "these are counts of everyone who lives in an area",
    "patients": "these are records of patients outside a trial, as stated",
    "trial": "these are clinical trial data, as stated",
    "registry": "these are registry data, as stated",
    "other": "these are other data, as stated",
}


@dataclass(frozen=True, repr=False)
class Rule(Shown):
    """One rule."""

    # key, title, origin: as in `Ruling`
    key: str
    title: str
    origin: str
    text: str  # what it asks in its own terms, a sentence or two
    asks: tuple[str, ...]  # what a person must say for it, which no program finds: names of `Facts`, or an attack
    beyond: str  # what it does not speak of
    judge: Callable[[Case], Found]  # ``judge(case)`` gives the verdict and why
    # ``apart(case)`` gives why the rule is not about such data, "" where it is or nobody knows
    apart: Callable[[Case], str] | None = None
    # whether it is judged by the sizes of groups alone, so that it says the same as other such rules
    by_size: bool = False
    of_nothing: bool = False  # whether it is judged of a release without records too

    def _facts(self) -> dict[str, object]:
        return {"key": self.key, "title": self.title, "origin": self.origin}

    def ruling(self, case: Case) -> Ruling:
        """What the rule says of a release."""
        apart = self.apart(case) if self.apart is not None else ""
        if apart:
            verdict, found = APART, apart
        elif case.released.records or self.of_nothing:
            verdict, found = self.judge(case)
        else:
            verdict, found = OPEN, "The release has no records."
        same = f"groups of at least {case.smallest:,}" if self.by_size and verdict == HOLDS else ""
        if case.by_population:
            same = ""
        return Ruling(self.key, self.title, self.origin, self.text, verdict, found, self.beyond, same)


HOLDS, FAILS, OPEN, APART = "holds", "does not hold", "not assessed", "does not apply"
VERDICTS = (FAILS, OPEN, HOLDS, APART)  # worst first
_NAMES = re.compile(r" \([a-z]+(?:_[a-z]+)*(?:,? or [a-z]+(?:_[a-z]+)*)?\)")


@dataclass(frozen=True, repr=False)
class Ruling(Shown):
    """One rule, and what was found."""

    key: str  # "hipaa-zip"
    title: str  # "HIPAA: areas of more than 20,000 people"
    origin: str  # where it is stated: "45 CFR 164.514(b)(2)(i)(B)"
    text: str  # what it asks, a sentence
    verdict: str  # "holds", "does not hold", "not assessed" or "does not apply"
    found: str  # why, a sentence with figures; of "not assessed" what would have to be known
    beyond: str = ""  # what the rule does not speak of, so that nobody takes its verdict for more
    # of a rule that holds by the sizes of groups alone: these, “groups of 20,053 and more”. Rules with the same words
    # say the same thing
    same: str = ""

    def _facts(self) -> dict[str, object]:
        return {self.title: self.verdict}

    @property
    def told(self) -> str:
        """`found` without the names that what has to be said has in Python, for who reads no code.

        >>> Ruling("", "", "", "", OPEN, "Not yet known: who the expert is (expert), and (A) names.").told
        'Not yet known: who the expert is, and (A) names.'
        """
        return _NAMES.sub("", self.found)
