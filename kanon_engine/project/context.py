"""What an officer says of a release, which no program can find out."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from kanon_engine.errors import InvalidInput
from kanon_engine.shown import Shown
from kanon_engine.validate import told

DATES = ("decided", "review")


@dataclass(frozen=True, repr=False)
class Context(Shown):
    """The setting of a release, in the officer's own words; empty where nothing was said."""

    title: str = ""  # what the release is called
    holder: str = ""  # who holds the records
    people: str = ""  # whose records they are, and from when
    recipient: str = ""  # who gets the release
    purpose: str = ""  # what they need it for
    # what keeps them from misusing it: contract, access, training, deletion; "none" of a public release
    controls: str = ""
    basis: str = ""  # the law or consent that it rests on
    known: str = ""  # what else is published or known of these people
    residual: str = ""  # the risk that remains, and why it is accepted
    officer: str = ""  # who decides
    # decided, review: dates as YYYY-MM-DD: of the decision, and when it must be looked at again
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
    content : Name of a field → what was said; dates as text or as dates.

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


# ---------------------------------------------------------------------------------------------------------------------
# What was decided of a release: by whom and why, for whom, under what, until when.
# ---------------------------------------------------------------------------------------------------------------------


RELEASE, CONDITIONS, REFUSE = "release", "release with conditions", "refuse"
KINDS = (RELEASE, CONDITIONS, REFUSE)
SAME = {"by": "officer", "date": "decided", "recipients": "recipient", "purpose": "purpose"}  # as the context calls it


@dataclass(frozen=True, repr=False)
class Decision(Shown):
    """A decision on a release, in the words of who made it; empty where nothing was said.

    Raises
    ------
    InvalidInput
        An unknown kind, no reason, conditions that do not fit the kind, or a date that is none.

    Example
    -------
    >>> Decision("release", "Groups are large.", date="2026-11-20").reason
    'Groups are large.'
    >>> Decision("release with conditions", "Groups are large.")
    Traceback (most recent call last):
    kanon_engine.errors.InvalidInput: The decision “release with conditions” names no conditions; say them.
    """

    kind: str  # "release", "release with conditions" or "refuse"
    reason: str  # why; a decision without a reason is refused
    by: str = ""  # who decided
    date: str = ""  # when, as YYYY-MM-DD
    recipients: str = ""  # who gets the release
    purpose: str = ""  # what they need it for
    agreement: str = ""  # the contract or law under which they get it
    until: str = ""  # the last day on which the decision holds, as YYYY-MM-DD
    conditions: str = ""  # what must be kept to; a release with conditions names them
    incident: str = ""  # what is to be done at an incident: who is told, and how the release is called back

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InvalidInput(f"The decision is {told(self.kind)}, which means nothing; choose of {', '.join(KINDS)}.")
        if not self.reason.strip():
            raise InvalidInput(f"The decision “{self.kind}” has no reason; say why it was made.")
        if self.kind == CONDITIONS and not self.conditions.strip():
            raise InvalidInput(f"The decision “{self.kind}” names no conditions; say them.")
        if self.kind != CONDITIONS and self.conditions.strip():
            raise InvalidInput(
                f"The decision “{self.kind}” names conditions; leave them out, or decide “{CONDITIONS}”."
            )
        for name in ("date", "until"):
            require_date(name, getattr(self, name))
        made, end = day_of(self.date), day_of(self.until)
        if made and end and end < made:
            raise InvalidInput(f"The decision holds until {end}, before its date {made}; correct one of them.")


def decision_from(content: Mapping[str, Any]) -> Decision | None:
    """A decision from the table [decision] of a file; None where the table is empty, as nobody decided.

    Parameters
    ----------
    content : Name of a field → what was said; dates as text or as dates.

    Raises
    ------
    InvalidInput
        A name that means nothing, what is no text, or a decision that cannot be.

    Example
    -------
    >>> decision_from({"kind": "refuse", "reason": "Too many people stand out."}).kind
    'refuse'
    """
    known = [entry.name for entry in fields(Decision)]
    if not isinstance(content, Mapping):
        raise InvalidInput(f"The decision is {told(content)}, and no table; write its entries below [decision].")
    said = {"kind": "", "reason": ""}
    for name, value in content.items():
        if name not in known:
            raise InvalidInput(
                f"The decision names {told(name)}, which means nothing; the entries are: {', '.join(known)}."
            )
        text = value.isoformat() if isinstance(value, datetime.date) else value
        if not isinstance(text, str):
            raise InvalidInput(f"The decision says {name} = {told(value)}, which is no text; put it in quotes.")
        said[name] = text.strip()
    return Decision(**said) if content else None


def agreed(context: Context, decision: Decision) -> tuple[Context, Decision]:
    """Both, each with what only the other says: who decides, when, for whom, and for what.

    Raises
    ------
    InvalidInput
        They say different things.

    Example
    -------
    >>> context, decision = agreed(Context(officer="Ada"), Decision("refuse", "Too many stand out.", date="2026-11-20"))
    >>> decision.by, context.decided
    ('Ada', '2026-11-20')
    """
    for name, other in SAME.items():
        ours, theirs = getattr(decision, name).strip(), getattr(context, other).strip()
        if ours and theirs and ours != theirs:
            raise InvalidInput(
                f"The decision says {name} = {told(ours)} and the context {other} = {told(theirs)}; say it once."
            )
        decision = replace(decision, **{name: ours or theirs})
        context = replace(context, **{other: ours or theirs})
    return context, decision
