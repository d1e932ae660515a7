"""What a person can set, once for every place that asks for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from kanon_engine.errors import InvalidInput, Remedy
from kanon_engine.shown import Shown
from kanon_engine.validate import told

WEIGHTS = "no list of columns with numbers from 0 to 1,000,000, as “age=2, sex=1”"


@dataclass(frozen=True, repr=False)
class Setting(Shown):
    """An option of an algorithm, a parameter of a reader or of a package, or a flag of a command.

    Pages make a widget of it, the command line a flag with its help, links and project files an entry.

    >>> Setting("epsilon", "The share that may be left out.", "number", default=0.05, maximum=0.99).checked("0.1")
    Traceback (most recent call last):
    kanon_engine.errors.InvalidInput: '0.1' is no number; choose another with the parameter epsilon.
    """

    name: str  # keyword of the function that takes it
    help: str  # one line for a person
    # "text", "column" (the name of one), "counts" (that of a column with counts), "flag", "choice", "number",
    # "integer", "weights" (a number for each of some columns, as a mapping or as text like "age=2, sex=1"; kept as such
    # text), "file", or "files" (a file for each of some columns)
    kind: str = "text"
    choices: tuple[str, ...] = ()  # the allowed values of a "choice"
    default: Any = None  # of an option: its value when it is not given; where it is None, None is allowed
    # minimum, maximum: limits of a number, both allowed
    minimum: float | None = None
    maximum: float | None = None
    share: bool = False  # whether the command line takes a share of all records for a whole number of them, as 4%
    off: str = ""  # what a flag is called when it is switched off; it cannot be when this is ""
    panel: str = ""  # heading of `--help` that it stands under
    # ``parse(text)`` makes the function's argument of what a person writes; ValueError for what is none
    parse: Callable[[str], Any] | None = None
    # of a file whose content no certificate holds: what `kanon verify`, which has to be given the file again, says of
    # it
    again: str = ""
    # of a parameter that speaks of such a file: its name, and what is said where it is not given again
    needs: tuple[str, str] | None = None
    # ``unfit(value)`` says what is wrong with the value that a certificate holds, "" for nothing: a certificate comes
    # from anybody, and only files that a person names are opened
    unfit: Callable[[Any], str] | None = None
    asked: str = ""  # how a page asks for it, such as where nobody can tell which column is meant
    example: str = ""  # what a person may write, shown where nothing is written
    # what files were read with before there was this parameter, so that certificates that do not name it still verify;
    # None where that is the default
    before: Any = None

    def _facts(self) -> dict[str, object]:
        usual = {entry.name: entry.default for entry in fields(self)}
        return {name: value for name, value in vars(self).items() if value != usual[name]}

    @property
    def in_certificate(self) -> bool:
        """Whether a certificate keeps its value."""
        return not self.again and self.kind != "files"

    def checked(self, value: Any) -> Any:
        """The value in its proper type, or `InvalidInput`."""
        if value is None and self.default is None:
            return None
        if self.kind == "choice":
            if value not in self.choices:
                raise self._wrong(value, f"not among {', '.join(self.choices)}")
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
            raise self._wrong(value, f"no {'whole ' * (number is int)}number")
        if self.minimum is not None and result < self.minimum:
            raise self._wrong(value, f"no number of at least {self.minimum:g}")
        if self.maximum is not None and result > self.maximum:
            raise self._wrong(value, f"no number of at most {self.maximum:g}")
        return result

    def _wrong(self, value: Any, flaw: str) -> InvalidInput:
        """The error says what the value is not; the setting is named as it is called where somebody reads it."""
        message = f"{told(value)} is {flaw}"
        return InvalidInput(message, parameter=self.name, value=value, remedy=Remedy("choose another", self.name))

    def _weights(self, value: Any) -> str | None:
        weights = {}
        for name, weight in weights_in(value):
            weights[name] = weight
            if "," in name:
                raise InvalidInput(
                    f"Column {name!r} cannot have a weight, as a comma ends one; rename the column.",
                    parameter=self.name,
                    value=value,
                )
            if not 0 <= weight <= 1e6 or not name:
                raise self._wrong(value, WEIGHTS)
        if not isinstance(value, str | Mapping):
            raise self._wrong(value, WEIGHTS)
        return ", ".join(f"{name}={weight!r}" for name, weight in weights.items()) or None


def weights_in(value: Any) -> Iterator[tuple[str, float]]:
    """Each column and its number, NaN for what is none; nothing where it is neither a mapping nor text."""
    parts = value.split(",") if isinstance(value, str) else []
    pairs = value.items() if isinstance(value, Mapping) else [part.rpartition("=")[::2] for part in parts]
    for name, number in pairs:
        try:
            yield str(name).strip(), float(number)
        except (TypeError, ValueError):
            yield str(name).strip(), math.nan
