"""The family of a command, the arguments of its reader, and how a certificate's file is read again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer

from kanon_engine.cli.counting import count_statements, joined, opened
from kanon_engine.errors import InvalidInput, KanonError
from kanon_engine.generalize import verify
from kanon_engine.io.source import Source
from kanon_engine.model.family import Family
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import FAMILIES
from kanon_engine.model.setting import Setting
from kanon_engine.tables.read_columns import Matched, by_columns

COUNTED = "records.count"  # the reader of records where they live, as certificates call it


def commands() -> dict[str, Family]:
    """The families by the names of their commands."""
    return {family.reader.command: family for family in FAMILIES.values()}


def reader_flags(family: Family) -> list[Setting]:
    """A flag for each of the reader's parameters."""
    return [replace(parameter, panel="Reading the file") for parameter in family.reader.parameters]


def reader_settings(family: Family, settings: dict[str, Any]) -> dict[str, Any]:
    """Remove the reader's flags from the given ones."""
    reading = {
        parameter.name: _parsed(parameter, settings.pop(parameter.name))
        for parameter in family.reader.parameters
        if parameter.name in settings
    }
    if isinstance(reading.get("hierarchies"), Matched):
        reading["hierarchies"] = _of_no_other_role(reading)
    return reading


def _of_no_other_role(reading: Mapping[str, Any]) -> dict[str, Any]:
    """The hierarchies of a pattern or a folder, except for columns that a flag excludes from generalization."""
    others = [name for role in ("identifiers", "sensitive", "keep") for name in reading.get(role) or ()]
    others += [reading[name] for name in ("class_label", "weight") if reading.get(name)]
    used = dict(by_columns(reading["hierarchies"], others))
    for name in [name for name in used if name in others]:
        typer.echo(
            f"The hierarchy {used.pop(name)} is not used, because another flag sets the role of {name!r}.", err=True
        )
    return used


def _parsed(parameter: Setting, value: Any) -> Any:
    """The value for the reader, or a usage error."""
    if parameter.parse is None:
        return value
    try:
        return parameter.parse(value)
    except KanonError:
        raise
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def files_again() -> list[Setting]:
    """A flag for each file that certificates do not contain."""
    parameters = [
        parameter for family in FAMILIES.values() for parameter in family.reader.parameters if parameter.again
    ]
    once = {parameter.name: parameter for parameter in parameters}
    return [replace(parameter, help=parameter.again, panel="Options") for parameter in once.values()]


@dataclass(frozen=True)
class OpenedCertificate:
    """A certificate and its file, as every command opens them; nothing is verified yet."""

    text: bytes
    g: Generalization
    file: Path | Source | str  # an address as text: where records live that were counted, if nothing else was read
    given: Mapping[str, Path]  # files whose content no certificate holds, by the parameters of the reader
    records: str | None = None  # where the records live that were counted for what stands in `file`
    table: str | None = None  # of the database that records are in

    @classmethod
    def opened(
        cls,
        certificate: Path | Source,
        file: Path | Source | str,
        extra_files: Mapping[str, Path],
        records: str | None = None,
        table: str | None = None,
    ) -> OpenedCertificate:
        """The certificate, parsed; `file` is looked at only if `certificate` is not a certificate."""
        text = Source.open(certificate).data
        try:
            g = Generalization.from_json(text)
        except InvalidInput:
            require_order(certificate, file)
            raise
        return cls(text, g, file, extra_files, records, table)

    def instance(self) -> Any:
        """The instance of the certificate, read again."""
        return read_again(self.g.reading, self.file, self.given, self.records, self.table)

    def verified(self) -> tuple[Any, Generalization]:
        """The instance and the result, every claim checked."""
        instance = self.instance()
        verify(instance, self.g)
        return instance, self.g

    def with_records(self, records: str | None, table: str | None) -> OpenedCertificate:
        """The same with only the records and table that it needs, if these were given for another purpose too."""
        reading = self.g.reading
        if "areas" in reading or (reading.get("counts_id") is not None and "counts" not in self.given):
            return replace(self, records=records, table=table)
        return replace(self, table=table if reading.get("reader") == COUNTED else None)

    def sql(self) -> str:
        """The SQL of `instance` where records live; nothing runs. A usage error if a file is read."""
        reading, records = self.g.reading, self.records
        if reading.get("reader") == COUNTED:
            how = _count_settings(reading)
            return count_statements(_where(how, self.file, records), self.table, how.by, how.options)
        family = _family_of(reading)
        columns = None if family is None else family.reader.counted
        if records is None or columns is None or not columns.joined or columns.joined in self.given:
            raise typer.BadParameter(
                "this option applies only to records that are read where they are stored; give that place with "
                "--records.",
                param_hint="--dry-run",
            )
        return count_statements(records, self.table, str(reading.get(columns.parameters[0])), {})


def require_order(certificate: Path | Source, file: Path | Source | str) -> None:
    """`InvalidInput` if `file` is a certificate; `certificate` was found not to be one."""
    second = Source.open(certificate).name
    try:
        first = Source.open(file)
        Generalization.from_json(first.data)
    except InvalidInput:
        return
    raise InvalidInput(f"{second} is not a certificate, but {first.name} is; swap these two files.")


def read_again(
    reading: Mapping[str, Any],
    file: Path | Source | str,
    extra_files: Mapping[str, Path],
    records: str | None = None,
    table: str | None = None,
) -> Any:
    """The instance of a certificate: `file` read with the certificate's reader and parameters.

    Anyone can write a certificate: `InvalidInput` if it names parameters that its reader does not have, or was not made
    from a file. For the other arguments see `OpenedCertificate`.
    """
    if reading.get("reader") == COUNTED:
        from kanon_engine.records import count

        how = _count_settings(reading)
        where = _where(how, file, records)
        items = None if how.areas is None else read_again(how.areas, file, extra_files)
        with opened(where, table) as (source, progress), _fitting(where):
            return count(source, how.by, areas=items, unit=how.unit, progress=progress, **how.options)
    settings = dict(reading)
    reader = settings.pop("reader", None)
    family = _family_of(reading)
    if family is None:
        raise InvalidInput(
            "This certificate does not say how its file was read; verify it with kanon.verify in the Python program "
            "that made it."
        )
    parameters = {parameter.name: parameter for parameter in family.reader.parameters}
    unknown = sorted(name for name in settings if name not in parameters or not parameters[name].in_certificate)
    if unknown:
        raise InvalidInput(
            f"This certificate has the settings {', '.join(unknown)}, which {reader} does not accept; the certificate "
            "was edited."
        )
    unfit = sorted(name for name in extra_files if name not in parameters or not parameters[name].again)
    if unfit:
        raise InvalidInput(f"This certificate is for {family.items}, which do not need --{unfit[0]}; leave it out.")
    columns, by = family.reader.counted, None
    if records is not None and columns is not None and columns.joined and columns.joined not in extra_files:
        by = [str(settings.pop(name, None)) for name in columns.parameters]
        settings = {name: value for name, value in settings.items() if name not in (columns.counts, "per_record")}
    for name, value in settings.items():
        parameter = parameters[name]
        wrong = parameter.unfit(value) if parameter.unfit else ""
        if wrong:
            raise InvalidInput(f"The {name} of this certificate {wrong}; it was edited.")
        if parameter.needs and value is not None and parameter.needs[0] not in extra_files:
            raise InvalidInput(parameter.needs[1])
    if isinstance(file, str) or (by is None and (records is not None or table is not None)):
        raise InvalidInput(
            "This certificate is for a file that was read, not for records that were counted where they are stored; "
            "give the file."
        )
    settings = family.reader.with_defaults(settings, extra_files)
    with _fitting(file):
        if by is not None and columns is not None:
            with opened(str(records), table) as (source, progress):
                return joined(family, columns, file, source, by, {**settings, **extra_files}, progress)
        return family.reader.function(file, **settings, **extra_files)


def _family_of(reading: Mapping[str, Any]) -> Family | None:
    """The family whose reader this is."""
    return next((family for family in FAMILIES.values() if family.reader.name == reading.get("reader")), None)


@contextmanager
def _fitting(file: Path | Source | str) -> Iterator[None]:
    """Report errors that no honest certificate's parameters cause, as a sentence."""
    try:
        yield
    except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError) as error:
        if isinstance(error, KanonError):
            raise
        called = "these records" if isinstance(file, str) else file.name
        raise InvalidInput(
            f"This certificate's settings for reading do not fit {called}; the certificate may have been edited."
        ) from error


@dataclass(frozen=True)
class _Counts:
    """How records were counted, from a certificate."""

    by: str | list[str] | tuple[str, ...]  # as `kanon_engine.records.count` takes it
    unit: str
    areas: Mapping[str, Any] | None  # how the areas were read whose codes were counted
    options: Mapping[str, Any]


def _count_settings(reading: Mapping[str, Any]) -> _Counts:
    """A certificate's record of how records were counted, checked because anyone can write a certificate."""
    from kanon_engine.records.counted import TABLE_OPTIONS

    by = reading.get("by")
    names = [name for name in by if isinstance(name, str)] if isinstance(by, list | tuple) else []
    unit, areas = reading.get("unit"), reading.get("areas")
    options = {name: value for name, value in reading.items() if name not in ("reader", "by", "unit", "areas", "grid")}
    tabular = bool(options.keys() & TABLE_OPTIONS)
    family = FAMILIES["tables" if tabular else "rectangles" if len(names) == 2 else "labels"]
    parameters = {one.name: one for one in family.reader.parameters if one.in_certificate}
    fit = all(
        name in parameters and not ((test := parameters[name].unfit) and test(value)) for name, value in options.items()
    )
    if (
        not names
        or names != list(by or ())
        or not isinstance(unit, str)
        or not isinstance(areas, Mapping | None)
        or not fit
    ):
        raise InvalidInput("This certificate does not say correctly how records were counted; it was edited.")
    if tabular:
        normalized = family.reader.with_defaults(options, ())
        options = {name: value for name, value in normalized.items() if name in options or name in TABLE_OPTIONS}
    columns = names if tabular else names[0] if len(names) == 1 else tuple(names)
    return _Counts(columns, str(unit), areas, options)


def _where(how: _Counts, file: Path | Source | str, records: str | None) -> str:
    """Where the records are: `file`, unless it holds areas."""
    where = file if records is None else records
    if isinstance(where, Source) or (how.areas is not None and records is None):
        raise InvalidInput("This certificate is for records that were counted where they are stored; give that place.")
    return str(where)
