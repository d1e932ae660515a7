"""A stated rule: where it is stated, what it requires, and how a release is compared with it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from kanon_engine.risk.rules.case import Case
from kanon_engine.shown import Shown

Found = tuple[str, str] | tuple[str, str, str]  # the verdict, why, and the next step if the rule does not hold
OF = {  # what data are declared as, as the end of a sentence
    "census": "these data are counts of everyone who lives in an area",
    "patients": "these data were stated to be records of patients outside a trial",
    "trial": "these data were stated to be clinical trial data",
    "registry": "these data were stated to be registry data",
    "other": "these data were stated to be another kind of data",
}


@dataclass(frozen=True, repr=False)
class Rule(Shown):
    """One rule."""

    # key, title, origin: as in `Ruling`
    key: str
    title: str
    origin: str
    text: str  # what it requires in its own terms, a sentence or two
    asks: tuple[
        str, ...
    ]  # what a person must state for it because no program can find it: names of `Facts`, or an attack
    beyond: str  # what it does not cover
    judge: Callable[[Case], Found]  # ``judge(case)`` gives the verdict, why, and the next step
    # ``apart(case)`` gives why the rule does not cover such data, "" if it does or nobody knows
    apart: Callable[[Case], str] | None = None
    # whether it holds if the smallest group is large enough, so that it says the same as other such rules
    by_size: bool = False
    of_nothing: bool = False  # whether it also judges a release without records

    def _facts(self) -> dict[str, object]:
        return {"key": self.key, "title": self.title, "origin": self.origin}

    def ruling(self, case: Case) -> Ruling:
        """What the rule says about a release."""
        exemption = self.apart(case) if self.apart is not None else ""
        if exemption:
            found: Found = APART, exemption
        elif case.released.records or self.of_nothing:
            found = self.judge(case)
        else:
            found = OPEN, "The release has no records."
        verdict, reason, *step = found
        same = f"groups of at least {case.smallest:,}" if self.by_size and verdict == HOLDS else ""
        if case.by_population:
            same = ""
        return Ruling(self.key, self.title, self.origin, self.text, verdict, reason, self.beyond, same, *step)


HOLDS, FAILS, OPEN, APART = "holds", "does not hold", "not assessed", "does not apply"
VERDICTS = (FAILS, OPEN, HOLDS, APART)  # worst first
NEXT_STEP = "Next step:"
_NAMES = re.compile(r" \(fact “[a-z_]+”(?: or “[a-z_]+”)?\)")


@dataclass(frozen=True, repr=False)
class Ruling(Shown):
    """One rule, and what was found."""

    key: str  # "hipaa-zip"
    title: str  # "HIPAA: areas of more than 20,000 people"
    origin: str  # where it is stated: "45 CFR 164.514(b)(2)(i)(B)"
    text: str  # what it requires, a sentence
    verdict: str  # "holds", "does not hold", "not assessed" or "does not apply"
    found: str  # why, a sentence with figures; for "not assessed" what is not yet known
    beyond: str = ""  # what the rule does not cover, so that nobody reads more into its verdict
    # for a rule that holds by the sizes of groups alone: these, “groups of at least 20,053”. Rules with the same words
    # say the same thing
    same: str = ""
    step: str = ""  # for a rule that does not hold: what change would make it hold, or why none can; sentences

    def _facts(self) -> dict[str, object]:
        return {self.title: self.verdict}

    @property
    def told(self) -> str:
        """`found` without the Python names of what must be stated, for readers of no code.

        >>> Ruling("", "", "", "", OPEN, "Not yet known: who the expert is (fact “expert”), and (A) names.").told
        'Not yet known: who the expert is, and (A) names.'
        """
        return _NAMES.sub("", self.found)

    @property
    def next_step(self) -> str:
        """The step with its label; "" if there is none.

        >>> Ruling("", "", "", "", FAILS, "The smallest group has 9 records.", step="Raise k to 11.").next_step
        'Next step: Raise k to 11.'
        """
        return f"{NEXT_STEP} {self.step}" if self.step else ""
