"""Errors of usage that are found before the engine is loaded; `flags.txt` lists what each command takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

FLAGS = Path(__file__).with_name("flags.txt")  # written by `python -m tests.cli.flags`


class NothingWrong(Exception):
    """All flags are known."""


def listed_flags() -> dict[str, list[str]]:
    """What each command takes: ``file``, ``[file]``, ``--out=`` with a value, ``-k=!`` if required, ``--a|--not-a``."""
    lines = (line.partition(":") for line in FLAGS.read_text("utf-8").splitlines())
    return {name: flags.split() for name, _, flags in lines}


def looks_wrong(words: Sequence[str], listed: Sequence[str]) -> bool:
    """Whether one of a command's words may be a flag that is not listed, or something required is not given."""
    known = {one: set(one.rstrip("=!").replace("|", "/").split("/")) for one in listed}
    given = {word.partition("=")[0] for word in words if word.startswith("-")}
    lacking = any(one.endswith("!") and not names & given for one, names in known.items())
    with_value = set().union(*(names for one, names in known.items() if "=" in one))
    arguments = sum(not word.startswith("-") for word in words) - sum(word in with_value for word in words)
    lacking |= arguments < sum(one[0] not in "-[" for one in listed)
    return "--help" not in given and (lacking or not given <= set().union(*known.values()))


def stub(listed: Sequence[str]) -> Callable[..., None]:
    """A command with these flags that does nothing; it raises `NothingWrong` if its arguments can be parsed."""

    def run(**settings: Any) -> None:
        raise NothingWrong

    run.__signature__ = inspect.Signature([_parameter(one, f"flag_{place}") for place, one in enumerate(listed)])  # type: ignore[attr-defined]
    return run


def _parameter(one: str, name: str) -> inspect.Parameter:
    if not one.startswith("-"):
        kind: Any = list[str] if one.endswith("...") else str
        default = None if one.startswith("[") else inspect.Parameter.empty
        annotation: Any = Annotated[kind | None, typer.Argument()]
        name = one.removesuffix("...").strip("[]")
        return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
    spelled = one.rstrip("=!")
    names = [spelled.replace("|", "/")] if "|" in spelled else spelled.split("/")
    kind = str if "=" in one else bool
    annotation = Annotated[kind | None, typer.Option(*names)]
    default = inspect.Parameter.empty if one.endswith("!") else None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
