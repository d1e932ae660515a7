"""Exit codes of commands: 0 done, 1 with one sentence on stderr, 130 interrupted; usage errors (2) are Typer's."""

from __future__ import annotations

import errno
import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

from kanon_engine.cli.flags import flag_name
from kanon_engine.errors import KanonError, Remedy
from kanon_engine.model.run import Progress, ProgressCallback
from kanon_engine.model.words import number_text, one_line

INTERRUPTED = 130
TRACEBACK = "KANON_TRACEBACK"  # the name of a variable of the environment
ELSEWHERE = {"ks": "compare chosen values of k with “kanon sweep labels”"}  # remedies that no flag offers


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """The command, with errors as one sentence; a defect shows its traceback only if KANON_TRACEBACK is set."""

    @functools.wraps(command)
    def run(*arguments: Any, **settings: Any) -> None:
        try:
            command(*arguments, **settings)
        except KanonError as error:
            raise failed(error.told(in_flags)) from error
        except KeyboardInterrupt:
            typer.echo("Stopped; nothing was written.", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader of stdout went away; Typer ends quietly
                raise
            where = f" ({error.filename})" if error.filename else ""
            raise failed(f"The operating system reports an error: {error.strerror or error}{where}.") from error
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except Exception as error:
            if os.environ.get(TRACEBACK):
                raise
            raise failed(
                f"This failed because of a defect in kanon ({type(error).__name__}); run it again with {TRACEBACK}=1 "
                f"in the environment to see where the defect is, and report it."
            ) from error

    return run


def failed(message: str) -> typer.Exit:
    """Print the message on stderr, on one line even if a file name has line breaks; raise what is returned."""
    typer.echo(one_line(message), err=True)
    return typer.Exit(1)


def in_flags(remedy: Remedy) -> str:
    """A remedy in terms of the command line's flags.

    >>> in_flags(Remedy("leave these rows out", "unmatched", "drop"))
    'leave these rows out with --unmatched drop'
    >>> in_flags(Remedy("merge these rows", "merge_duplicates", True, ", if they are pieces of one area"))
    'merge these rows with --merge-duplicates, if they are pieces of one area'
    """
    if not remedy.parameter:
        return remedy.told()
    if remedy.parameter in ELSEWHERE:
        return ELSEWHERE[remedy.parameter]
    value = "" if remedy.value is None or remedy.value is True else f" {remedy.value}"
    return remedy.told(f"with {flag_name(remedy.parameter)}{value}")


def in_entry(remedy: Remedy) -> str:
    """A remedy in terms of a sweep's algorithms, NAME:OPTION=VALUE.

    >>> in_entry(Remedy("choose another", "epsilon"))
    'choose another for epsilon'
    """
    return remedy.told(remedy.parameter and f"for {remedy.parameter}")


# ---------------------------------------------------------------------------------------------------------------------
# Progress on stderr, where a person sees it.
# ---------------------------------------------------------------------------------------------------------------------


@contextmanager
def progress_bar(what: str) -> Iterator[ProgressCallback]:
    """A bar that disappears when the work is done; nothing if stderr is not a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=1.0)

        def report(progress: Progress) -> None:
            best = "" if progress.best is None else f", best {number_text(progress.best)}"
            bar.update(task, completed=progress.done, description=f"{progress.message}{best}")

        yield report
