"""What an officer states about a release and no program can find out."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from kanon_engine.errors import InvalidInput
from kanon_engine.model.setting import Setting
from kanon_engine.shown import Shown
from kanon_engine.validate import told


def question(words: str, example: str, kind: str = "text", prompt: str = "") -> Any:
    """A field that a person answers in "text", a "date" or "lines"; `asked` is a shorter form for a page."""
    return field(default="", metadata={"help": words, "example": example, "kind": kind, "asked": prompt or words})


def questions(record: type) -> dict[str, Setting]:
    """Those of a record, by the names of its fields, for a page, a checklist and a project file.

    >>> questions(Context)["officer"].help
    'Who decides?'
    """
    return {one.name: Setting(one.name, **one.metadata) for one in fields(record) if one.metadata}


@dataclass(frozen=True, repr=False)
class Context(Shown):
    """The setting of a release, in the officer's own words; empty if nothing was stated."""

    title: str = question("What is the name of the release?", "Zip code groups of the 2010 census")
    holder: str = question("Who holds the records?", "State health department")
    people: str = question("Whose records are they, and from when?", "All residents, 2010")
    recipient: str = question("Who gets the release?", "The public, or a named recipient")
    purpose: str = question(
        "What does the recipient need the release for?",
        "Rates of illness by area",
        prompt="What does the recipient need it for?",
    )
    controls: str = question(
        "What keeps the recipient from misusing it?",
        "Contract, access, training, deletion; none for a public release",
        "lines",
    )
    basis: str = question("Which law or consent is the release based on?", "45 CFR 164.514(b)")
    known: str = question(
        "What else is published or known about these people?", "Earlier tables, voter lists, registers", "lines"
    )
    residual: str = question("Which risk remains, and why is it accepted?", "In your own words", "lines")
    officer: str = question("Who decides?", "Name and office")
    decided: str = question("When was the decision made?", "YYYY-MM-DD", "date", prompt="Date of the decision")
    review: str = question(
        "When must the release be reviewed again?", "YYYY-MM-DD", "date", prompt="Due date of the next review"
    )

    @property
    def missing(self) -> tuple[str, ...]:
        """Names of what was not stated."""
        return tuple(entry.name for entry in fields(self) if not getattr(self, entry.name).strip())

    def require_dates(self) -> None:
        """Raise `InvalidInput` if a stated date is not valid."""
        for one in questions(Context).values():
            if one.kind == "date":
                require_date(one.name, getattr(self, one.name))


def require_date(name: str, text: str) -> None:
    """Raise `InvalidInput` if a stated value is not a date."""
    value = text.strip()
    if value and day_of(value) is None:
        raise InvalidInput(f"{told(value)} is not a date ({name}); write it as year-month-day, such as 2027-05-31.")


def day_of(text: str) -> datetime.date | None:
    """A date as YYYY-MM-DD, or None.

    >>> day_of(" 2026-03-01 "), day_of("next spring"), day_of("2026-3-1"), day_of("20260301")
    (datetime.date(2026, 3, 1), None, None, None)
    """
    try:
        day = datetime.date.fromisoformat(text.strip())
    except ValueError:
        return None
    return day if day.isoformat() == text.strip() else None  # few people can read other forms of ISO 8601


def context_from(content: Mapping[str, Any]) -> Context:
    """A context from the table [context] of a file; its dates may be text or dates.

    >>> context_from({"officer": "Ada", "review": "2027-05-01"}).officer
    'Ada'
    """
    context = Context(**_texts(Context, content, "context"))
    context.require_dates()
    return context


def _texts(record: type, content: Any, what: str) -> dict[str, str]:
    """The entries of a table [what] as texts for the fields of a record."""
    names = [entry.name for entry in fields(record)]
    if not isinstance(content, Mapping):
        raise InvalidInput(
            f"The {what} is {told(content)}, but it must be a section; write its entries below [{what}]."
        )
    texts: dict[str, str] = {}
    for name, value in content.items():
        if name not in names:
            raise InvalidInput(f"The {what} has an unknown entry {told(name)}; the entries are: {', '.join(names)}.")
        text = value.isoformat() if isinstance(value, datetime.date) else value
        if not isinstance(text, str):
            raise InvalidInput(f"The {what} says {name} = {told(value)}, but it must be text; put it in quotes.")
        texts[name] = text.strip()
    return texts


# ---------------------------------------------------------------------------------------------------------------------
# The decision on a release: by whom and why, for whom, under what conditions, until when.
# ---------------------------------------------------------------------------------------------------------------------


RELEASE, CONDITIONS, REFUSE = "release", "release with conditions", "refuse"
KINDS = (RELEASE, CONDITIONS, REFUSE)
SAME = {"by": "officer", "date": "decided", "recipients": "recipient", "purpose": "purpose"}  # the names in the context


@dataclass(frozen=True, repr=False)
class Decision(Shown):
    """A decision on a release, in the words of the person who made it; a contradictory one is refused.

    >>> Decision("release", "Groups are large.", date="2026-11-20").reason
    'Groups are large.'
    >>> Decision("release with conditions", "Groups are large.")
    Traceback (most recent call last):
    kanon_engine.errors.InvalidInput: The decision “release with conditions” has no conditions; state them.
    """

    kind: str  # "release", "release with conditions" or "refuse"
    reason: str = question("Why?", "In your own words; a decision needs a reason", "lines")
    by: str = ""  # who decided
    date: str = ""  # when, as YYYY-MM-DD
    recipients: str = ""  # who gets the release
    purpose: str = ""  # what they need it for
    agreement: str = question(
        "Under which agreement does the recipient get the release?", "Data use agreement 2026-117"
    )
    until: str = question("Until when is the decision valid?", "YYYY-MM-DD", "date")
    conditions: str = question(
        "Under which conditions?", "Named analysts, no join with other records, deletion", "lines"
    )
    incident: str = question(
        "What must be done in an incident?", "Who is informed, and how the release is withdrawn", "lines"
    )

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InvalidInput(f"The decision {told(self.kind)} is unknown; choose from {', '.join(KINDS)}.")
        if not self.reason.strip():
            raise InvalidInput(f"The decision “{self.kind}” has no reason; say why it was made.")
        if self.kind == CONDITIONS and not self.conditions.strip():
            raise InvalidInput(f"The decision “{self.kind}” has no conditions; state them.")
        if self.kind != CONDITIONS and self.conditions.strip():
            raise InvalidInput(f"The decision “{self.kind}” has conditions; remove them, or decide “{CONDITIONS}”.")
        for name in ("date", "until"):
            require_date(name, getattr(self, name))
        start, end = day_of(self.date), day_of(self.until)
        if start and end and end < start:
            raise InvalidInput(
                f"The decision is valid until {end}, which is before its date, {start}; correct one of them."
            )


def decision_from(content: Mapping[str, Any]) -> Decision | None:
    """A decision from the table [decision] of a file; None if the table is empty, because nobody decided.

    >>> decision_from({"kind": "refuse", "reason": "Too many people stand out."}).kind
    'refuse'
    """
    entries = {"kind": "", "reason": ""} | _texts(Decision, content, "decision")
    return Decision(**entries) if content else None


def agreed(context: Context, decision: Decision) -> tuple[Context, Decision]:
    """Both, each completed with what only the other says: who decides, when, for whom, and for what. They must agree.

    >>> context, decision = agreed(Context(officer="Ada"), Decision("refuse", "Too many stand out.", date="2026-11-20"))
    >>> decision.by, context.decided
    ('Ada', '2026-11-20')
    """
    for name, other in SAME.items():
        ours, theirs = getattr(decision, name).strip(), getattr(context, other).strip()
        if ours and theirs and ours != theirs:
            raise InvalidInput(
                f"The decision says {name} = {told(ours)}, but the context says {other} = {told(theirs)}; keep only "
                "the correct one."
            )
        decision = replace(decision, **{name: ours or theirs})
        context = replace(context, **{other: ours or theirs})
    return context, decision
