"""A person's settings, defined once for all places that ask for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from kanon_engine.errors import InvalidInput, Remedy
from kanon_engine.shown import Shown
from kanon_engine.validate import told

WEIGHTS = "not a list of columns with numbers from 0 to 1,000,000, such as “age=2, sex=1”"


@dataclass(frozen=True, repr=False)
class Setting(Shown):
    """An option of an algorithm, a parameter of a reader or of a package, or a flag of a command.

    It becomes a widget on pages, a flag with help on the command line, and an entry in links and project files.

    >>> Setting("epsilon", "The share that may be left out.", "number", default=0.05, maximum=0.99).checked("0.1")
    Traceback (most recent call last):
    kanon_engine.errors.InvalidInput: '0.1' is not a number; choose another with the parameter epsilon.
    """

    name: str  # keyword of its function
    help: str  # one line for a person
    # "text", "column" (a column name), "counts" (the name of a column with counts), "flag", "choice", "number",
    # "integer", "weights" (a number for each of some columns, as a mapping or as text like "age=2, sex=1"; kept as such
    # text), "file", or "files" (a file for each of some columns)
    kind: str = "text"
    choices: tuple[str, ...] = ()  # the allowed values of a "choice"
    default: Any = None  # for an option: its value when it is not given; if this is None, None is allowed
    # minimum, maximum: inclusive limits of a number
    minimum: float | None = None
    maximum: float | None = None
    share: bool = (
        False  # whether the command line accepts a share of all records, as 4%, in place of a number of records
    )
    off: str = ""  # the name of a flag that is switched off; "" if it cannot be
    panel: str = ""  # its heading in `--help`
    # ``parse(text)`` converts a person's text to the function's argument; ValueError for invalid text
    parse: Callable[[str], Any] | None = None
    # for a file that certificates do not contain: its description in `kanon verify`, which needs the file again
    again: str = ""
    # for a parameter that refers to such a file: its name, and the error if it is not given again
    needs: tuple[str, str] | None = None
    # ``unfit(value)`` is the problem with a certificate's value, "" for none: anyone can write a certificate, and only
    # files that a person gives are opened
    unfit: Callable[[Any], str] | None = None
    asked: str = ""  # how a page asks for it, such as when it is not clear which column is meant
    example: str = ""  # example input, shown while nothing is entered
    # the value with which files were read before this parameter existed, so that certificates without it still verify;
    # None if that is the default
    before: Any = None

    def _facts(self) -> dict[str, object]:
        usual = {entry.name: entry.default for entry in fields(self)}
        return {name: value for name, value in vars(self).items() if value != usual[name]}

    @property
    def in_certificate(self) -> bool:
        """Whether a certificate stores its value."""
        return not self.again and self.kind != "files"

    def checked(self, value: Any) -> Any:
        """The value in the right type, or `InvalidInput`."""
        if value is None and self.default is None:
            return None
        if self.kind == "choice":
            if value not in self.choices:
                raise self._wrong(value, f"not one of {', '.join(self.choices)}")
            return value
        if self.kind == "flag":
            if not isinstance(value, bool):
                raise self._wrong(value, "neither true nor false")
            return value
        if self.kind == "weights":
            return self._weights(value)
        number = int if self.kind == "integer" else float
        try:
            result = number(value)
            exact = not isinstance(value, bool) and result == value and abs(result) != float("inf")
        except (TypeError, ValueError, OverflowError):
            exact = False
        if not exact:
            raise self._wrong(value, f"not a {'whole ' * (number is int)}number")
        if self.minimum is not None and result < self.minimum:
            raise self._wrong(value, f"not a number of at least {self.minimum:g}")
        if self.maximum is not None and result > self.maximum:
            raise self._wrong(value, f"not a number of at most {self.maximum:g}")
        return result

    def _wrong(self, value: Any, flaw: str) -> InvalidInput:
        """The error says what the value is not; the reader's side words the setting."""
        message = f"{told(value)} is {flaw}"
        return InvalidInput(message, parameter=self.name, value=value, remedy=Remedy("choose another", self.name))

    def _weights(self, value: Any) -> str | None:
        weights = {}
        for name, weight in weights_in(value):
            weights[name] = weight
            if "," in name:
                raise InvalidInput(
                    f"Column {name!r} cannot have a weight because commas separate weights; rename the column.",
                    parameter=self.name,
                    value=value,
                )
            if not 0 <= weight <= 1e6 or not name:
                raise self._wrong(value, WEIGHTS)
        if not isinstance(value, str | Mapping):
            raise self._wrong(value, WEIGHTS)
        return ", ".join(f"{name}={weight!r}" for name, weight in weights.items()) or None


def weights_in(value: Any) -> Iterator[tuple[str, float]]:
    """Each column and its number, NaN if it is not one; nothing for anything but a mapping or text."""
    parts = value.split(",") if isinstance(value, str) else []
    pairs = value.items() if isinstance(value, Mapping) else [part.rpartition("=")[::2] for part in parts]
    for name, number in pairs:
        try:
            yield str(name).strip(), float(number)
        except (TypeError, ValueError):
            yield str(name).strip(), math.nan
