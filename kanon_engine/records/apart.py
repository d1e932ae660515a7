"""A file that is made apart, under a hidden name, and appears whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kanon_engine.errors import InvalidInput
from kanon_engine.records.address import Address
from kanon_engine.records.held import held
from kanon_engine.records.source import Records

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
ENDINGS = (".csv", ".parquet")


def require_free(destination: Path, source: object = None) -> None:
    """Refuse, before any work, a place where no release may be written.

    Raises
    ------
    InvalidInput
        Another ending than .csv and .parquet, no such folder, something that is there already, a place among the
        records themselves, or one that the system refuses.
    """
    with told(destination):
        _require_free(destination, source)


def _require_free(destination: Path, source: object) -> None:
    if "\0" in str(destination):
        raise InvalidInput(f"{str(destination)!r} is no path; write to another file.")
    if destination.suffix not in ENDINGS:
        raise InvalidInput(
            f"A release is a file that ends in {' or '.join(ENDINGS)}, not {destination.name}; rename it."
        )
    if not destination.parent.is_dir():
        raise InvalidInput(f"There is no folder {destination.parent}; make it, or write {destination.name} elsewhere.")
    if os.path.lexists(destination):
        raise _taken(destination)
    if isinstance(source, Records):
        place: object = source.root
    else:
        address = Address.of(str(source)) if isinstance(source, str) else None
        place = source if address is None else address.path
    folder = Path(place).resolve() if isinstance(place, str | Path) and str(place) else None
    if folder is not None and folder.is_dir() and destination.resolve().is_relative_to(folder):
        raise InvalidInput(
            f"{destination} lies in the folder of the records, where it would be one of them; write elsewhere."
        )


@contextmanager
def apart(destination: Path) -> Iterator[Path]:
    """A hidden folder beside a file, for what is not finished; nobody else may look into it.

    What a killed run left in it is cleared. It is gone afterwards, whatever happens.

    Raises
    ------
    InvalidInput
        Another run is writing the same file; the folder is read-only, the disk is full.
    """
    folder = destination.with_name(f".{destination.name}.kanon")
    with told(destination):
        lock = _locked(folder, destination)
        try:
            _clear(folder)
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def appear(part: Path, destination: Path) -> None:
    """Give a finished file its name, which nothing may have; it is on the disk before it has it.

    Raises
    ------
    InvalidInput
        Something has that name by now.
    """
    _sync(part)
    try:
        os.link(part, destination)  # unlike a rename it never replaces what is there
    except FileExistsError:
        raise _taken(destination) from None
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK):
            raise
        if os.path.lexists(destination):  # a disk without links
            raise _taken(destination) from None
        os.rename(part, destination)
    with suppress(OSError):  # not every disk writes a folder out when it is told to
        _sync(destination.parent)


@contextmanager
def told(path: Path) -> Iterator[None]:
    """What the system refuses, in a sentence."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        todo = "free space there, or write to another folder" if error.errno in FULL else "write to another folder"
        raise InvalidInput(f"{path} cannot be written ({reason}), and nothing was released; {todo}.") from error


def _taken(destination: Path) -> InvalidInput:
    return InvalidInput(f"{destination} exists already, and a release replaces nothing; choose another name.")


def _locked(folder: Path, destination: Path) -> int:
    """The folder, made if it is not there, held by this process alone."""
    while True:
        folder.mkdir(mode=0o700, exist_ok=True)
        with suppress(FileNotFoundError):  # the other run ended and removed it meanwhile
            lock = held(folder)
            if lock is None:
                raise InvalidInput(f"Another run is writing {destination}; wait for it, or choose another name.")
            os.fchmod(lock, 0o700)  # whoever made it
            return lock


def _clear(folder: Path) -> None:
    for left in folder.iterdir():
        if left.is_dir() and not left.is_symlink():
            shutil.rmtree(left)
        else:
            left.unlink()


def _sync(path: Path) -> None:
    place = os.open(path, os.O_RDONLY)
    try:
        os.fsync(place)
    finally:
        os.close(place)
