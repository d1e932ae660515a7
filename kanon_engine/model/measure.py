"""One figure of a release, with what it says and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_engine.model.words import number_text
from kanon_engine.shown import Shown


@dataclass(frozen=True, repr=False)
class Measure(Shown):
    """One figure."""

    key: str  # tells it from others, and the same before and after: "prosecutor-highest"
    title: str  # as a person reads it: "Highest risk of one record"
    value: float | int | None  # None where it cannot be worked out; then `words` say why
    words: str  # the value as it is written: "0.2", "12 of 1,000 records"
    meaning: str  # one sentence that says what it tells, for a person who has not read the source
    source: str  # formula and source

    def _facts(self) -> dict[str, object]:
        return {self.title: self.words}


def short(value: float) -> str:
    """A figure to four digits, or to whole numbers where it has more.

    Example
    -------
    >>> short(0.123456), short(12345.6), short(3.0)
    ('0.1235', '12,346', '3')
    """
    return number_text(value, 4)
