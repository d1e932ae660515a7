"""The error classes: everything that the engine raises on purpose."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from kanon_engine.shown import Shown


@dataclass(frozen=True)
class Remedy(Shown):
    """One thing to do about an error."""

    words: str  # what to do, as in "leave them out"
    parameter: str = ""  # the reader's parameter or the option that does it; "" if none does
    value: str | bool | int | float | None = None  # the parameter's value; None if the person chooses it
    more: str = ""  # text after it, with punctuation, as in ", if they are pieces of one area"

    def told(self, setting: str = "") -> str:
        """The remedy in words, with the setting as given: "with drop_bad=True", "under “Count”"."""
        return f"{self.words}{setting and ' '}{setting}{self.more}"


def in_python(remedy: Remedy) -> str:
    """A remedy in terms of Python arguments.

    >>> in_python(Remedy("leave them out", "drop_bad", True)), in_python(Remedy("choose one", "weight"))
    ('leave them out with drop_bad=True', 'choose one with the parameter weight')
    """
    if not remedy.parameter:
        return remedy.told()
    if remedy.value is None:
        return remedy.told(f"with the parameter {remedy.parameter}")
    value = json.dumps(remedy.value) if isinstance(remedy.value, str) else remedy.value
    return remedy.told(f"with {remedy.parameter}={value}")


class KanonError(Exception):
    """Base of all errors that kanon raises.

    `str` of it is one sentence for a person, with parameters as in Python; pages and the command line use the names
    that a person sees there.
    """

    def __init__(
        self, message: str, *, parameter: str = "", value: Any = None, remedy: Remedy | Iterable[Remedy] = ()
    ) -> None:
        super().__init__(message)
        self.message = message  # what is wrong and where; if no parameter fixes it, also what to do
        self.parameter = parameter  # the wrong argument; "" if there is none
        self.value = value  # the value of that argument
        # what to do, each sufficient by itself
        self.remedy = (remedy,) if isinstance(remedy, Remedy) else tuple(remedy)

    def __str__(self) -> str:
        return self.told()

    def told(self, spelled: Callable[[Remedy], str] = in_python) -> str:
        """What is wrong and what to do, with each remedy worded by `spelled(remedy)`.

        >>> print(InvalidInput("2 rows have no position", remedy=[Remedy("leave them out", "drop_bad", True)]))
        2 rows have no position; leave them out with drop_bad=True.
        """
        return f"{self.message}; {', or '.join(map(spelled, self.remedy))}." if self.remedy else self.message


class InvalidInput(KanonError, ValueError):
    """The data, k or an option is not what it must be."""


class ChoiceNeeded(InvalidInput):
    """A file does not show which of its columns is meant; a person must choose."""

    def __init__(
        self, message: str, parameter: str, choices: tuple[str, ...], *, remedy: Remedy | Iterable[Remedy] = ()
    ) -> None:
        super().__init__(message, parameter=parameter, remedy=remedy)
        # choices for `parameter`: columns, perhaps none, and `ROWS` of `io.counts` if each row may be one record
        self.choices = choices

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.parameter, self.choices), self.__dict__


class Infeasible(KanonError):
    """No generalization can satisfy the request; the message gives the reason with its numbers."""


class UnknownAlgorithm(KanonError, LookupError):
    """No algorithm has the requested name; the message lists the valid names."""


class SearchEnded(KanonError):
    """A search ended without a result; the text says which limit it exceeded, or what ended it, and a way out."""


class CertificateError(KanonError):
    """A claim of a result does not hold."""

    def __init__(self, check: str, detail: str) -> None:
        super().__init__(f"The check “{check}” failed: {detail}")
        self.check = check  # the name of the failed check
        self.detail = detail

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return type(self), (self.check, self.detail)
