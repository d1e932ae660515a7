"""What a stated rule says of a release, as that it holds or does not apply; never that the release is anonymous."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kanon_engine.shown import Shown

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
