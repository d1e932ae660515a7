"""How a command ends: 0 done, 1 with one sentence on stderr, 130 interrupted; usage errors (2) are Typer's."""

from __future__ import annotations

import errno
import functools
import re
from collections.abc import Callable
from typing import Any

import typer

from kanon_engine.errors import KanonError
from kanon_engine.registry import FAMILIES

INTERRUPTED = 130


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """The command, its errors told as one sentence."""

    @functools.wraps(command)
    def run(*arguments: Any, **settings: Any) -> None:
        try:
            command(*arguments, **settings)
        except KanonError as error:
            raise failed(with_flag_names(str(error))) from error
        except KeyboardInterrupt:
            typer.echo("Stopped; nothing was written.", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader of stdout went away; Typer ends quietly
                raise
            where = f" ({error.filename})" if error.filename else ""
            raise failed(f"The system refused: {error.strerror or error}{where}.") from error

    return run


def failed(sentence: str) -> typer.Exit:
    """Say the sentence on stderr; raise what is returned."""
    typer.echo(sentence, err=True)
    return typer.Exit(1)


def with_flag_names(sentence: str) -> str:
    """Readers name their parameters as Python does; here they are flags.

    Example
    -------
    >>> with_flag_names("give the areas' counts as counts=, or merge them (merge_duplicates=True)")
    "give the areas' counts as --counts, or merge them (--merge-duplicates)"
    """
    names = {parameter.name for family in FAMILIES.values() for parameter in family.reader.parameters}

    def spelled(match: re.Match[str]) -> str:
        known = match[1] in names and ("_" in match[1] or match[2])
        return "--" + match[1].replace("_", "-") if known else match[0]

    return re.sub(r"\b([a-z_]+)(=True\b|=(?!\w))?", spelled, sentence)
