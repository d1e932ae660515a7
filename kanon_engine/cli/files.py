"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

from kanon_engine.errors import InvalidInput

Writer = Callable[[Path], object]


def require_writable(paths: list[Path], inputs: list[Path], force: bool) -> None:
    """Refuse, before any work, files that may not be written.

    Raises
    ------
    InvalidInput
        The folder is missing, the file is an input or named twice, or it exists and `force` is not set.
    """
    for place, path in enumerate(paths):
        if not path.parent.is_dir():
            raise InvalidInput(f"There is no folder {path.parent}; make it, or write {path.name} elsewhere.")
        if path.is_dir():
            raise InvalidInput(f"{path} is a folder; name a file in it.")
        if any(path.resolve() == other.resolve() for other in paths[:place]):
            raise InvalidInput(f"{path} is named for two outputs; give each its own file.")
        if any(path.resolve() == other.resolve() for other in inputs):
            raise InvalidInput(f"{path} is the file that is read; write to another.")
        if path.exists() and not force:
            raise InvalidInput(f"{path} exists already; choose another name, or add --force to replace it.")


def write_files(writers: Mapping[Path, Writer]) -> None:
    """Write all files beside their places, then move them there: where writing one fails, none appears."""
    with ExitStack() as folders:
        ready: list[tuple[Path, Path]] = []
        for path, write in writers.items():
            folder = folders.enter_context(tempfile.TemporaryDirectory(prefix=".kanon-", dir=path.parent))
            part = Path(folder, path.name)
            write(part)
            ready.append((part, path))
        for part, path in ready:
            os.replace(part, path)


def text_writer(make: Callable[[], str]) -> Writer:
    """Writes text as UTF-8."""
    return lambda path: path.write_text(make(), encoding="utf-8", newline="")
