"""Which family a command is about, what its reader is given, and how a certificate's file is read again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from kanon_engine.cli.flags import Flag, one_of
from kanon_engine.errors import InvalidInput, KanonError
from kanon_engine.io.source import Source
from kanon_engine.model.family import Family, Parameter
from kanon_engine.registry import FAMILIES

KINDS: dict[str, Any] = {"flag": bool, "file": Path}


def commands() -> dict[str, Family]:
    """The families by the names of their commands."""
    return {family.reader.command: family for family in FAMILIES.values()}


def reader_flags(family: Family) -> list[Flag]:
    """A flag for each of the reader's parameters."""
    return [parameter_flag(parameter, "Reading the file") for parameter in family.reader.parameters]


def parameter_flag(parameter: Parameter, panel: str) -> Flag:
    """The flag of one parameter, under a heading of the help."""
    kind = one_of(parameter.choices) if parameter.kind == "choice" else KINDS.get(parameter.kind, str)
    return Flag(parameter.name, parameter.help, kind, parameter.off, panel)


def reader_settings(family: Family, settings: dict[str, Any]) -> dict[str, Any]:
    """Take the reader's part out of the flags that were given."""
    return {
        parameter.name: _parsed(parameter, settings.pop(parameter.name))
        for parameter in family.reader.parameters
        if parameter.name in settings
    }


def _parsed(parameter: Parameter, value: Any) -> Any:
    """What the reader takes, or a usage error."""
    if parameter.parse is None:
        return value
    try:
        return parameter.parse(value)
    except KanonError:
        raise
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def files_again() -> list[Flag]:
    """A flag for each file whose content no certificate holds."""
    found = [parameter for family in FAMILIES.values() for parameter in family.reader.parameters if parameter.again]
    once = {parameter.name: parameter for parameter in found}
    return [Flag(parameter.name, parameter.again, Path, panel="Options") for parameter in once.values()]


def read_again(reading: Mapping[str, Any], file: Path | Source, given: Mapping[str, Path]) -> Any:
    """The instance of a certificate: `file` read by the reader and the parameters that the certificate keeps.

    Raises
    ------
    InvalidInput
        The result was not made from a file, or names parameters that the reader does not have.
    """
    settings = dict(reading)
    reader = settings.pop("reader", None)
    family = next((family for family in FAMILIES.values() if family.reader.name == reader), None)
    if family is None:
        raise InvalidInput(
            "This certificate does not say how its file was read; verify it where it was made, with kanon.verify."
        )
    known = {parameter.name: parameter for parameter in family.reader.parameters}
    unknown = sorted(name for name in settings if name not in known or not known[name].in_certificate)
    if unknown:
        raise InvalidInput(f"This certificate names {', '.join(unknown)}, which {reader} does not take; it was edited.")
    unfit = sorted(name for name in given if name not in known or not known[name].again)
    if unfit:
        raise InvalidInput(f"This certificate is about {family.items}, which need no --{unfit[0]}; leave it out.")
    for name, value in settings.items():
        parameter = known[name]
        wrong = parameter.unfit(value) if parameter.unfit else ""
        if wrong:
            raise InvalidInput(f"The {name} of this certificate {wrong}; it was edited.")
        if parameter.needs and value is not None and parameter.needs[0] not in given:
            raise InvalidInput(parameter.needs[1])
    try:
        return family.reader.function(file, **settings, **given)
    except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError) as error:
        if isinstance(error, KanonError):
            raise
        raise InvalidInput(
            f"The reading parameters of this certificate do not fit {file.name}; it may be edited."
        ) from error
