"""What an officer says of a release, which no program can find out."""

from __future__ import annotations

from dataclasses import dataclass, fields

from kanon_engine.shown import Shown


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
