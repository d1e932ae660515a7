"""What the page of errata knows of one correction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from plotly import graph_objects as go

from kanon_engine.model.words import number_text


@dataclass(frozen=True)
class Row:
    """One number of a counterexample.

    Attributes
    ----------
    what : str
    says : str
        What the paper says of it; "" where it says nothing.
    found : str
        What it is.

    Example
    -------
    >>> Row.of("largest group", 6, 50)
    Row(what='largest group', says='6', found='50')
    """

    what: str
    says: str
    found: str

    @classmethod
    def of(cls, what: str, says: object, found: object) -> Row:
        """Numbers as they are written."""
        return cls(what, *(_written(value) for value in (says, found)))


def _written(value: object) -> str:
    return number_text(value) if isinstance(value, int | float) else str(value)


@dataclass(frozen=True)
class Played:
    """A counterexample, worked out.

    Attributes
    ----------
    rows : tuple of Row
    holds : bool
        Whether the paper's claim holds here.
    figure : plotly figure or None
        The instance and what kanon makes of it; None where nothing is to be drawn.
    """

    rows: tuple[Row, ...]
    holds: bool
    figure: go.Figure | None = None


@dataclass(frozen=True)
class Parameter:
    """A whole number of a counterexample that can be changed.

    Attributes
    ----------
    words : str
    default : int
        With which the claim fails.
    low, high : int
    """

    words: str
    default: int
    low: int
    high: int


@dataclass(frozen=True)
class Erratum:
    """A correction.

    Attributes
    ----------
    section : str
        Its heading in docs/errata.md.
    paper : str
    claim : str
        What the paper says, in a sentence.
    truth : str
        What holds, in a sentence.
    parameter : Parameter
    at : callable
        ``at(value)`` plays it with this value of the parameter.
    """

    section: str
    paper: str
    claim: str
    truth: str
    parameter: Parameter
    at: Callable[[int], Played]

    def play(self, value: int | None = None) -> Played:
        """The counterexample with this value of the parameter, or as docs/errata.md has it."""
        return self.at(self.parameter.default if value is None else value)

    @property
    def place(self) -> str:
        """Where in the paper it stands."""
        return self.section.partition(":")[0]
