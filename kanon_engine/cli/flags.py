"""Flags that are made from a table: a reader's parameters and the options of a family's algorithms."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any, Literal

import typer

from kanon_engine.errors import InvalidInput
from kanon_engine.model.algorithm import Algorithm, Option
from kanon_engine.model.family import Family

SPELLED = {"dates": "date_format"}  # parameters whose flag, one for each column, has a name of its own
KINDS = {"number": float, "integer": int, "flag": bool, "weights": str}


@dataclass(frozen=True)
class Flag:
    """One flag; when it is not given, the function does not get it.

    Attributes
    ----------
    name : str
        Keyword of the function.
    help : str
    kind : type
        str, int, float, bool, Path, or a Literal.
    off : str
        What a bool is called when it is switched off; it cannot be when this is empty.
    panel : str
        Heading in the help.
    """

    name: str
    help: str
    kind: Any = str
    off: str = ""
    panel: str = "Reading the file"

    def parameter(self) -> inspect.Parameter:
        """As a parameter that Typer reads."""
        spelled = flag_name(self.name) + (f"/--{self.off}" if self.off else "")
        option = typer.Option(spelled, help=self.help, rich_help_panel=self.panel, show_default=False)
        annotation: Any = Annotated[self.kind | None, option]  # type: ignore[name-defined]
        return inspect.Parameter(self.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def flag_name(name: str) -> str:
    """What the flag for a parameter is called.

    Example
    -------
    >>> flag_name("suppression_limit")
    '--suppression-limit'
    """
    return f"--{SPELLED.get(name, name).replace('_', '-')}"


def one_of(choices: Iterable[str]) -> Any:
    """The type of a flag that takes one of these."""
    return Literal[tuple(choices)]  # type: ignore[return-value]


def option_flags(family: Family) -> list[Flag]:
    """A flag for each option of the family's algorithms, saying which of them take it."""
    takers: dict[str, list[str]] = {}
    options: dict[str, Option] = {}
    for algorithm in family.algorithms.values():
        for option in algorithm.options:
            takers.setdefault(option.name, []).append(algorithm.name)
            known = options.setdefault(option.name, option)
            more = tuple(choice for choice in option.choices if choice not in known.choices)
            options[option.name] = replace(known, choices=known.choices + more)
    return [_option_flag(option, takers[name]) for name, option in options.items()]


def _option_flag(option: Option, takers: list[str]) -> Flag:
    share = " Or a share of all, as 4%, rounded down to whole records." if option.share else ""
    words = f"{option.help}{share} Default: {option.default}; for {', '.join(takers)}."
    kind = one_of(option.choices) if option.kind == "choice" else str if option.share else KINDS[option.kind]
    off = f"no-{option.name.replace('_', '-')}" if option.kind == "flag" else ""
    return Flag(option.name, words, kind, off, "Options of algorithms")


def in_records(options: Iterable[Option], given: dict[str, Any], total: int) -> dict[str, Any]:
    """What was given for options, shares of all records as numbers of them; a usage error for what is neither.

    Example
    -------
    >>> limit = Option("suppression_limit", "integer", None, share=True)
    >>> in_records([limit], {"suppression_limit": "4%"}, 99), in_records([limit], {"suppression_limit": "7"}, 99)
    ({'suppression_limit': 3}, {'suppression_limit': 7})
    """
    found = dict(given)
    for name in [option.name for option in options if option.share and option.name in given]:
        text = str(given[name]).strip()
        try:
            share = Fraction(text.removesuffix("%"))
        except (ValueError, ZeroDivisionError):
            share = Fraction(-1, 2)
        if text.endswith("%") and 0 <= share <= 100:
            found[name] = math.floor(share * total / 100)
        elif not text.endswith("%") and share.denominator == 1:
            found[name] = int(share)
        else:
            raise typer.BadParameter(
                f"{text!r} is neither a whole number nor a share from 0% to 100%.", param_hint=flag_name(name)
            )
    return found


def require_taken(algorithm: Algorithm, given: Iterable[str]) -> None:
    """Raise `InvalidInput` where the flag of an option was given that the algorithm does not have."""
    known = [option.name for option in algorithm.options]
    for name in given:
        if name not in known:
            listing = ", ".join(map(flag_name, known)) or "none"
            raise InvalidInput(
                f"The algorithm {algorithm.name} takes no {flag_name(name)}; its flags are: {listing}.", parameter=name
            )


def with_flags(command: Callable[..., None], flags: Iterable[Flag]) -> Callable[..., None]:
    """A command whose last parameter `**settings` receives the flags that were given."""
    own = inspect.signature(command, eval_str=True)
    plain = [parameter for parameter in own.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD]
    made = [flag.parameter() for flag in flags]

    @functools.wraps(command)
    def run(**settings: Any) -> None:
        missing = {parameter.name for parameter in made if settings[parameter.name] is None}
        command(**{name: value for name, value in settings.items() if name not in missing})

    keywords = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in plain]
    run.__signature__ = own.replace(parameters=keywords + made)  # type: ignore[attr-defined]
    return run
