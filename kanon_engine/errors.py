"""The one error tree: everything that the engine raises on purpose."""

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
    parameter: str = ""  # the reader's parameter or the option that does it; "" where none does
    value: str | bool | int | float | None = None  # what the parameter takes; None where the person chooses
    more: str = ""  # what follows, its punctuation included, as in ", if they are pieces of one area"

    def told(self, setting: str = "") -> str:
        """In words, with the setting as somebody spells it: "with drop_bad=True", "under “Count”"."""
        return f"{self.words}{setting and ' '}{setting}{self.more}"


def in_python(remedy: Remedy) -> str:
    """A remedy as a call spells it.

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

    `str` of it is one sentence fit for a person, which spells parameters as Python does; pages and the command line
    word the same parts with the names that a person meets there.
    """

    def __init__(
        self, message: str, *, parameter: str = "", value: Any = None, remedy: Remedy | Iterable[Remedy] = ()
    ) -> None:
        super().__init__(message)
        self.message = message  # what is wrong and where; where no parameter mends it, also what to do
        self.parameter = parameter  # the argument that is wrong; "" where it is none
        self.value = value  # what that argument is
        # what to do, each enough by itself
        self.remedy = (remedy,) if isinstance(remedy, Remedy) else tuple(remedy)

    def __str__(self) -> str:
        return self.told()

    def told(self, spelled: Callable[[Remedy], str] = in_python) -> str:
        """What is wrong and what to do, each remedy as `spelled(remedy)` words it.

        >>> print(InvalidInput("2 rows have no position", remedy=[Remedy("leave them out", "drop_bad", True)]))
        2 rows have no position; leave them out with drop_bad=True.
        """
        return f"{self.message}; {', or '.join(map(spelled, self.remedy))}." if self.remedy else self.message


class InvalidInput(KanonError, ValueError):
    """The data, k or an option is not what it must be."""


class ChoiceNeeded(InvalidInput):
    """Nobody can tell from a file which of its columns is meant; a person must."""

    def __init__(
        self, message: str, parameter: str, choices: tuple[str, ...], *, remedy: Remedy | Iterable[Remedy] = ()
    ) -> None:
        super().__init__(message, parameter=parameter, remedy=remedy)
        # what `parameter` can be: columns, perhaps none, and `ROWS` of `io.counts` where each row may be one record
        self.choices = choices

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.parameter, self.choices), self.__dict__


class Infeasible(KanonError):
    """No generalization can satisfy the request; the message names the reason with its numbers."""


class UnknownAlgorithm(KanonError, LookupError):
    """No algorithm has the name asked for; the message lists the names there are."""


class SearchEnded(KanonError):
    """A search ended without a result; the text says which limit it passed, or what ended it, and a way out."""


class CertificateError(KanonError):
    """A claim of a result does not hold."""

    def __init__(self, check: str, detail: str) -> None:
        super().__init__(f"The check “{check}” failed: {detail}")
        self.check = check  # the name of the failed check
        self.detail = detail

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return type(self), (self.check, self.detail)
