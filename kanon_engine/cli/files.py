"""Files that are written completely or not at all."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import typer

from kanon_engine.errors import InvalidInput
from kanon_engine.io.limits import limits
from kanon_engine.io.source import Source
from kanon_engine.records.address import Address

Content = Callable[[], bytes | str]  # makes the content of a file
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def require_writable(outputs: Iterable[Path | None], inputs: Sequence[Path], force: bool) -> None:
    """Refuse, before any work, files that have no folder, are read or given twice, or exist already."""
    paths = [path for path in outputs if path is not None]
    for place, path in enumerate(paths):
        if path in paths[:place]:
            raise InvalidInput(f"{called(path)} is given for two outputs; give each its own file.")
        if path == STANDARD:
            continue
        if not path.parent.is_dir():
            raise InvalidInput(f"There is no folder {path.parent}; create it, or write {path.name} elsewhere.")
        if path.is_dir():
            raise InvalidInput(f"{path} is a folder; give a file in that folder.")
        if any(path.resolve() == other.resolve() for other in paths[:place]):
            raise InvalidInput(f"{path} is given for two outputs; give each its own file.")
        if any(path.resolve() == other.resolve() for other in inputs if other != STANDARD):
            raise InvalidInput(f"{path} is an input file; write to another file.")
        if path.exists() and not force:
            raise InvalidInput(f"{path} already exists; choose another name, or add --force to replace it.")


def write_files(contents: Mapping[Path, Content] | Mapping[Path | None, Content]) -> None:
    """Write all files next to their destinations, then move them there: if one fails, none appears.

    Content for standard output is written there instead, and content without a path is not made. `InvalidInput` gives
    the system's own reason for a failure.
    """
    with ExitStack() as folders:
        ready: list[tuple[Path, Path]] = []
        for path, make in contents.items():
            if path is None:
                continue
            with _told(path):
                # failing to clean up must not hide the original error
                place = None if path == STANDARD else path.parent
                unfinished = tempfile.TemporaryDirectory(prefix=".kanon-", dir=place, ignore_cleanup_errors=True)
                part = Path(folders.enter_context(unfinished), path.name)
                content = make()
                part.write_bytes(content.encode() if isinstance(content, str) else content)
            ready.append((part, path))
        for part, path in ready:
            with _told(path):
                if path == STANDARD:
                    typer.echo(part.read_bytes(), nl=False)
                else:
                    os.replace(part, path)


def announce_file(path: Path | None, words: str) -> None:
    """Say on standard error that this file was written, followed by `words`."""
    if path is not None:
        typer.echo(f"Written: {called(path)} {words}", err=True)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """An error of the system, as a sentence."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InvalidInput(
            f"{path} cannot be written ({reason}); make room there, or write to another folder."
            if error.errno in FULL
            else f"{path} cannot be written ({reason}); write to a folder where you have permission."
        ) from error


# ---------------------------------------------------------------------------------------------------------------------
# “-” instead of a path: standard input when a file is read, standard output when one is written.
# ---------------------------------------------------------------------------------------------------------------------


STANDARD = Path("-")
READS = "“-” reads standard input."


def given(*paths: Path | str) -> list[Any]:
    """What readers take for these paths: the path, the content of standard input, or an address of records as text."""
    inputs = [path if Address.of(str(path)) else Path(path) for path in paths]
    if inputs.count(STANDARD) > 1:
        raise InvalidInput("“-” is given for two files, but standard input holds only one; give a path for the other.")
    if STANDARD not in inputs:
        return inputs
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise InvalidInput("There is no standard input to read; give a path instead of “-”.")
    content = Source.open(stream.read(limits().file + 1), "standard input")
    return [content if path == STANDARD else path for path in inputs]


def called(path: Path) -> str:
    """The name of a path in a sentence."""
    return "standard output" if path == STANDARD else str(path)
