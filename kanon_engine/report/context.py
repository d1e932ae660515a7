"""What an officer says of a release, which no program can find out."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from kanon_engine.errors import InvalidInput
from kanon_engine.shown import Shown
from kanon_engine.validate import told

DATES = ("decided", "review")


@dataclass(frozen=True, repr=False)
class Context(Shown):
    """The setting of a release, in the officer's own words; empty where nothing was said.

    Attributes
    ----------
    title : str
        What the release is called.
    holder : str
        Who holds the records.
    people : str
        Whose records they are, and from when.
    recipient : str
        Who gets the release.
    purpose : str
        What they need it for.
    controls : str
        What keeps them from misusing it: contract, access, training, deletion; "none" of a public release.
    basis : str
        The law or consent that it rests on.
    known : str
        What else is published or known of these people.
    residual : str
        The risk that remains, and why it is accepted.
    officer : str
        Who decides.
    decided, review : str
        Dates as YYYY-MM-DD: of the decision, and when it must be looked at again.
    """

    title: str = ""
    holder: str = ""
    people: str = ""
    recipient: str = ""
    purpose: str = ""
    controls: str = ""
    basis: str = ""
    known: str = ""
    residual: str = ""
    officer: str = ""
    decided: str = ""
    review: str = ""

    @property
    def missing(self) -> tuple[str, ...]:
        """Names of what was not said."""
        return tuple(entry.name for entry in fields(self) if not getattr(self, entry.name).strip())

    def require_dates(self) -> None:
        """Raise `InvalidInput` where a date was said that is none."""
        for name in DATES:
            require_date(name, getattr(self, name))


def require_date(name: str, text: str) -> None:
    """Raise `InvalidInput` where something was said that is no date."""
    said = text.strip()
    if said and day_of(said) is None:
        raise InvalidInput(f"{told(said)} is no date ({name}); write it as year-month-day, such as 2027-05-31.")


def day_of(text: str) -> datetime.date | None:
    """A date as YYYY-MM-DD, or None.

    Example
    -------
    >>> day_of(" 2026-03-01 "), day_of("next spring"), day_of("2026-3-1"), day_of("20260301")
    (datetime.date(2026, 3, 1), None, None, None)
    """
    try:
        day = datetime.date.fromisoformat(text.strip())
    except ValueError:
        return None
    return day if day.isoformat() == text.strip() else None  # other forms of ISO 8601 are read by few people


def context_from(content: Mapping[str, Any]) -> Context:
    """A context from what a file of a person says, as a table of texts.

    Parameters
    ----------
    content : mapping
        Name of a field → what was said; dates as text or as dates.

    Raises
    ------
    InvalidInput
        A name that means nothing, what is no text, or a date that is none.

    Example
    -------
    >>> context_from({"officer": "Ada", "review": "2027-05-01"}).officer
    'Ada'
    """
    known = [entry.name for entry in fields(Context)]
    if not isinstance(content, Mapping):
        raise InvalidInput(f"The context is {told(content)}, and no table; write its entries below [context].")
    said: dict[str, str] = {}
    for name, value in content.items():
        if name not in known:
            raise InvalidInput(
                f"The context names {told(name)}, which means nothing; the entries are: {', '.join(known)}."
            )
        text = value.isoformat() if isinstance(value, datetime.date) else value
        if not isinstance(text, str):
            raise InvalidInput(f"The context says {name} = {told(value)}, which is no text; put it in quotes.")
        said[name] = text.strip()
    made = Context(**said)
    made.require_dates()
    return made
