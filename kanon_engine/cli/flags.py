"""Flags that are made from a table: a reader's parameters and the options of a family's algorithms."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from kanon_engine.errors import InvalidInput
from kanon_engine.model.algorithm import Algorithm
from kanon_engine.model.family import Family
from kanon_engine.model.requirement import CLOSENESS, Closeness, Minimum, Requirement, demand_of, demands_in
from kanon_engine.model.setting import Setting
from kanon_engine.tables.read import require_compatible

SPELLED = {"dates": "date_format"}  # parameters with one flag per column, whose name is different
KINDS: dict[str, Any] = {"number": float, "integer": int, "flag": bool, "file": Path}  # text, where it is none of these


def option(help: str, *spelled: str, panel: str | None = None, **limits: Any) -> Any:
    """A flag of a command, with its `--help` text, under this heading."""
    return typer.Option(*spelled, help=help, rich_help_panel=panel, **limits)


def argument(help: str, **more: Any) -> Any:
    """A positional argument of a command, with its `--help` text."""
    return typer.Argument(help=help, show_default=False, **more)


def flag_of(setting: Setting) -> inspect.Parameter:
    """A setting as a parameter that Typer reads; the function gets only those that are given."""
    spelled = flag_name(setting.name) + (f"/--{setting.off}" if setting.off else "")
    kind = one_of(setting.choices) if setting.kind == "choice" else KINDS.get(setting.kind, str)
    annotation: Any = Annotated[kind | None, option(setting.help, spelled, panel=setting.panel)]
    return inspect.Parameter(setting.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def flag_name(name: str) -> str:
    """The name of the flag for a parameter.

    >>> flag_name("suppression_limit")
    '--suppression-limit'
    """
    return f"--{SPELLED.get(name, name).replace('_', '-')}"


def one_of(choices: Iterable[str]) -> Any:
    """The type of a flag that takes one of these."""
    return Literal[tuple(choices)]  # type: ignore[return-value]


def whole_numbers_in(text: str, flag: str) -> list[int]:
    """`5,10,20` as numbers, or a usage error."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is not a list of whole numbers; write it like 5,10,20.", param_hint=flag
        ) from None


def option_flags(family: Family) -> list[Setting]:
    """A flag for each option of the family's algorithms, saying which of them take it."""
    takers: dict[str, list[str]] = {}
    options: dict[str, Setting] = {}
    for algorithm in family.algorithms.values():
        for one in algorithm.options:
            takers.setdefault(one.name, []).append(algorithm.name)
            previous = options.setdefault(one.name, one)
            options[one.name] = replace(previous, choices=tuple(dict.fromkeys((*previous.choices, *one.choices))))
    flags = []
    for name, one in options.items():
        share = " Or a share of all records, such as 4%, rounded down to whole records." if one.share else ""
        words = f"{one.help}{share} Default: {one.default}; used by {', '.join(takers[name])}."
        off = f"no-{name.replace('_', '-')}" if one.kind == "flag" else ""
        kind = "text" if one.share else one.kind
        flags.append(replace(one, help=words, kind=kind, off=off, panel="Options of algorithms"))
    return flags


def in_records(options: Iterable[Setting], values: dict[str, Any], total: int) -> dict[str, Any]:
    """The given options, with shares of all records as counts; a usage error for what is neither.

    >>> limit = Setting("suppression_limit", "Most left out.", "integer", share=True)
    >>> in_records([limit], {"suppression_limit": "4%"}, 99), in_records([limit], {"suppression_limit": "7"}, 99)
    ({'suppression_limit': 3}, {'suppression_limit': 7})
    """
    numbers = dict(values)
    for name in [one.name for one in options if one.share and one.name in values]:
        text = str(values[name]).strip()
        try:
            share = Fraction(text.removesuffix("%"))
        except (ValueError, ZeroDivisionError):
            share = Fraction(-1, 2)
        if text.endswith("%") and 0 <= share <= 100:
            numbers[name] = math.floor(share * total / 100)
        elif not text.endswith("%") and share.denominator == 1:
            numbers[name] = int(share)
        else:
            raise typer.BadParameter(
                f"{text!r} is neither a whole number nor a share from 0% to 100%.", param_hint=flag_name(name)
            )
    return numbers


def require_valid_options(algorithm: Algorithm, names: Iterable[str]) -> None:
    """Raise `InvalidInput` for the flag of an option that the algorithm does not have."""
    valid = [one.name for one in algorithm.options]
    for name in names:
        if name not in valid:
            listing = ", ".join(map(flag_name, valid)) or "none"
            raise InvalidInput(
                f"The algorithm {algorithm.name} does not take {flag_name(name)}; its flags are: {listing}.",
                parameter=name,
            )


def with_flags(command: Callable[..., None], flags: Iterable[Setting] = ()) -> Callable[..., None]:
    """A command whose last parameter `**settings` receives the given flags.

    A parameter that is a dataclass represents one flag per field, so that several commands share them.
    """
    signature = inspect.signature(command, eval_str=True)
    groups: dict[str, Any] = {
        name: one.annotation for name, one in signature.parameters.items() if is_dataclass(one.annotation)
    }
    plain: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        if parameter.name in groups:
            plain += inspect.signature(groups[parameter.name], eval_str=True).parameters.values()
        elif parameter.kind is not parameter.VAR_KEYWORD:
            plain.append(parameter)
    parameters = [flag_of(setting) for setting in flags]

    @functools.wraps(command)
    def run(**settings: Any) -> None:
        missing = {parameter.name for parameter in parameters if settings[parameter.name] is None}
        arguments = {name: value for name, value in settings.items() if name not in missing}
        for name, group in groups.items():
            arguments[name] = group(**{field.name: arguments.pop(field.name) for field in fields(group)})
        command(**arguments)

    keywords = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in plain]
    run.__signature__ = signature.replace(parameters=keywords + parameters)  # type: ignore[attr-defined]
    return run


# ---------------------------------------------------------------------------------------------------------------------
# Flags for what every group must satisfy besides k: `--minimum`, `--diversity`, `--closeness`.
# ---------------------------------------------------------------------------------------------------------------------


MINIMUM = Setting(
    "minimum",
    "Minimum sum of a second count in every group, such as cases=11 or cases=11,deaths=5; these columns are also read.",
    panel="Options",
)
DIVERSITY = Setting(
    "diversity",
    "Minimum number of different values of a sensitive column in every group, such as disease=3 or disease=3,income=2. "
    "disease=3:entropy requires values as diverse as 3 equally common ones; disease=2:recursive:3 requires that the "
    "most common value is less than 3 times as common as all others together. These columns are also read, and they "
    "are released if --sensitive or --keep lists them.",
    panel="Options",
)
CLOSE = Setting(
    "closeness",
    "How far the distribution of a sensitive column in a group may be from the distribution in the whole table, "
    "from 0 to 1, such as income=0.3. Numbers are compared by their order (earth mover's distance), other values by "
    "how much their shares differ.",
    panel="Options",
)


def requirement_flags(family: Family) -> list[Setting]:
    """The flags for a family: minima if its reader takes second counts, the others for tables of records."""
    minimum = [MINIMUM] if family.reader.parameter("columns") else []
    return minimum + ([DIVERSITY, CLOSE] if hasattr(family.instance, "sensitive") else [])


def requirements(settings: dict[str, Any]) -> tuple[Requirement, ...]:
    """Remove these flags from the given ones, as requirements; a usage error if one makes no sense.

    >>> requirements({"minimum": "cases=11, deaths=5", "closeness": "income=0.3"})
    (Minimum(column='cases', m=11), Minimum(column='deaths', m=5), Closeness(column='income', t=0.3))
    >>> requirements({"diversity": "disease=3:entropy"})
    (Diversity(column='disease', l=3, kind='entropy', c=None),)
    """
    parsed = {name: _pairs(settings.pop(name, None)) for name in ("minimum", "diversity", "closeness")}
    return tuple(_requirement(name, *pair) for name, pairs in parsed.items() for pair in pairs)


def _pairs(text: str | None) -> Iterator[tuple[str, str, str]]:
    """Each part of a list, its column and the requirement on it."""
    for part in () if text is None else text.split(","):
        column, _, value = (word.strip() for word in part.rpartition("="))
        yield part.strip(), column, value


def _requirement(name: str, part: str, column: str, value: str) -> Requirement:
    if name == "minimum":
        if not column or not value.isdecimal() or len(value) > 15:
            raise typer.BadParameter(f"{part!r} is not a minimum; write it like cases=11.", param_hint="--minimum")
        return Minimum(column, int(value))
    close = name == "closeness"
    try:
        one = demand_of(column, f"{value}:{CLOSENESS}" if close else value)
        if not column or isinstance(one, Closeness) != close:
            raise InvalidInput("")
    except InvalidInput as error:
        form = "income=0.3" if close else "disease=3"
        why = f" {error}" if "write it as" not in str(error) else ""
        raise typer.BadParameter(
            f"{part!r} is not a valid {name}; write it like {form}.{why}".rstrip(), param_hint=f"--{name}"
        ) from None
    return one


def require_one_use(reading: dict[str, Any], require: tuple[Requirement, ...], weights: str | None) -> None:
    """Refuse a table's column that is listed by two flags that exclude each other."""
    demanded: dict[str, list[str]] = {"diversity": [], "closeness": []}
    for one in demands_in(require):
        demanded["closeness" if isinstance(one, Closeness) else "diversity"].append(one.column)
    weighed = [column for _, column, _ in _pairs(weights)]
    require_compatible({**reading, "weights": weighed, **demanded})


def with_columns(
    reading: dict[str, Any], require: tuple[Requirement, ...], count_columns: Sequence[str] = ()
) -> dict[str, Any]:
    """The reader's arguments, with the columns that requirements need.

    Sensitive columns and the class label are released, even if other columns to keep are listed. A column that is
    listed only for a requirement is read but not released. Columns that records are counted by are not among the
    arguments.
    """
    minimum = [one.column for one in require if isinstance(one, Minimum)]
    if minimum:
        reading = reading | {"columns": tuple(dict.fromkeys([*reading.get("columns", ()), *minimum]))}
    sensitive, label = list(reading.get("sensitive") or ()), reading.get("class_label")
    keep = [*(reading.get("keep") or ()), *sensitive, *([] if label is None else [label])]
    if reading.get("keep") is not None:
        reading = reading | {"keep": list(dict.fromkeys(keep))}
    used = {*sensitive, label, *(reading.get("keep") or ()), *(reading.get("quasi_identifiers") or ()), *count_columns}
    more = dict.fromkeys(one.column for one in demands_in(require) if one.column not in used)
    if not more:
        return reading
    return reading | {"sensitive": [*sensitive, *more], "keep": list(dict.fromkeys(keep))}
