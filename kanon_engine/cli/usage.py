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


def listed_flags(command: str) -> list[str]:
    """What a command takes: ``paths...``, ``--out/-o=`` with a value, ``-k=!`` if it is required, ``--a|--not-a``."""
    lines = (line.split() for line in FLAGS.read_text("utf-8").splitlines())
    return next((words for name, *words in lines if name == f"{command}:"), [])


def looks_wrong(words: Sequence[str], listed: Sequence[str]) -> bool:
    """Whether one of these words may be a flag that is not listed, or a required one is not among them."""
    known = {one: set(one.rstrip("=!").replace("|", "/").split("/")) for one in listed}
    given = {word.partition("=")[0] for word in words if word.startswith("-")}
    lacking = any(one.endswith("!") and not names & given for one, names in known.items())
    return bool(listed) and "--help" not in given and (lacking or not given <= set().union(*known.values()))


def stub(listed: Sequence[str]) -> Callable[..., None]:
    """A command with these flags that does nothing; it raises `NothingWrong` if its arguments can be parsed."""

    def run(**settings: Any) -> None:
        raise NothingWrong

    run.__signature__ = inspect.Signature([_parameter(one, f"flag_{place}") for place, one in enumerate(listed)])  # type: ignore[attr-defined]
    return run


def _parameter(one: str, name: str) -> inspect.Parameter:
    if not one.startswith("-"):
        kind: Any = list[str] if one.endswith("...") else str
        annotation: Any = Annotated[kind, typer.Argument()]
        return inspect.Parameter(one.removesuffix("..."), inspect.Parameter.KEYWORD_ONLY, annotation=annotation)
    spelled = one.rstrip("=!")
    names = [spelled.replace("|", "/")] if "|" in spelled else spelled.split("/")
    kind = str if "=" in one else bool
    annotation = Annotated[kind | None, typer.Option(*names)]
    default = inspect.Parameter.empty if one.endswith("!") else None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
