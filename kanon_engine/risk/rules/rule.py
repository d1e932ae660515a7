"""A stated rule: where it is stated, what it asks, and how a release is held against it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from kanon_engine.risk.rules.case import Case
from kanon_engine.shown import Shown

Found = tuple[str, str]  # the verdict, and why
OF = {  # what data are said to be, as the end of a sentence
    "census": "these are counts of everybody who lives in an area",
    "patients": "these are records of patients of no trial, as was said",
    "trial": "these are data of a clinical trial, as was said",
    "registry": "these are data of a registry, as was said",
    "other": "these are other data, as was said",
}


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
    apart : callable, optional
        ``apart(case)`` gives why the rule is not about such data, "" where it is or nobody knows.
    by_size : bool
        Whether it is judged by the sizes of groups alone, so that it says the same as other such rules.
    """

    key: str
    title: str
    origin: str
    text: str
    asks: tuple[str, ...]
    beyond: str
    judge: Callable[[Case], Found]
    apart: Callable[[Case], str] | None = None
    by_size: bool = False

    def _facts(self) -> dict[str, object]:
        return {"key": self.key, "title": self.title, "origin": self.origin}

    def ruling(self, case: Case) -> Ruling:
        """What the rule says of a release."""
        apart = self.apart(case) if self.apart is not None else ""
        verdict, found = (APART, apart) if apart else self.judge(case)
        same = f"groups of {case.smallest:,} and more" if self.by_size and verdict == HOLDS else ""
        if case.by_population:
            same = ""
        return Ruling(self.key, self.title, self.origin, self.text, verdict, found, self.beyond, same)


# ---------------------------------------------------------------------------------------------------------------------
# What a stated rule says of a release, as that it holds or does not apply; never that the release is anonymous.
# ---------------------------------------------------------------------------------------------------------------------


HOLDS, FAILS, OPEN, APART = "holds", "does not hold", "not assessed", "does not apply"
VERDICTS = (FAILS, OPEN, HOLDS, APART)  # worst first
_NAMES = re.compile(r" \([a-z]+(?:_[a-z]+)*(?:,? or [a-z]+(?:_[a-z]+)*)?\)")


@dataclass(frozen=True, repr=False)
class Ruling(Shown):
    """One rule, and what was found.

    Attributes
    ----------
    key : str
        "hipaa-zip".
    title : str
        "HIPAA: areas of more than 20,000 people".
    origin : str
        Where it is stated: "45 CFR 164.514(b)(2)(i)(B)".
    text : str
        What it asks, a sentence.
    verdict : str
        "holds", "does not hold", "not assessed" or "does not apply".
    found : str
        Why, a sentence with figures; of "not assessed" what would have to be known.
    beyond : str
        What the rule does not speak of, so that nobody takes its verdict for more.
    same : str
        Of a rule that holds by the sizes of groups alone: these, “groups of 20,053 and more”. Rules with the same words
        say the same thing.
    """

    key: str
    title: str
    origin: str
    text: str
    verdict: str
    found: str
    beyond: str = ""
    same: str = ""

    def _facts(self) -> dict[str, object]:
        return {self.title: self.verdict}

    @property
    def told(self) -> str:
        """`found` without the names that what has to be said has in Python, for who reads no code.

        Example
        -------
        >>> Ruling("", "", "", "", OPEN, "It would have to be known who the expert is (expert), and (A) names.").told
        'It would have to be known who the expert is, and (A) names.'
        """
        return _NAMES.sub("", self.found)
