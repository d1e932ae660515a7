"""Several files as one zip, the same bytes on every machine and at every time."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping

from kanon_engine.errors import InvalidInput
from kanon_engine.verification.bundle import zip_of

MOST, LARGEST = 100, 500_000_000  # members and bytes of a package that is read


def archive(members: Mapping[str, str | bytes], *, stored: bool = False) -> bytes:
    """Files by their names as the bytes of a zip, in the order given.

    Parameters
    ----------
    members : mapping
    stored : bool
        Whether they stand in it as they are, so that the bytes depend on no version of a packer.

    Example
    -------
    >>> zipfile.ZipFile(io.BytesIO(archive({"a.txt": "one", "b.txt": b"two"}))).namelist()
    ['a.txt', 'b.txt']
    """
    files = {name: content.encode() if isinstance(content, str) else content for name, content in members.items()}
    return zip_of(files, zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED)


def unpacked(content: bytes, called: str) -> dict[str, bytes]:
    """The files in a zip by their names.

    Parameters
    ----------
    content : bytes
    called : str
        What a person calls it.

    Raises
    ------
    InvalidInput
        It is no zip, is broken or encrypted, has folders, the same name twice, or more than a package holds.

    Example
    -------
    >>> unpacked(archive({"a.txt": "one"}), "a.zip")
    {'a.txt': b'one'}
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            entries = file.infolist()
            names = [entry.filename for entry in entries]
            if len(names) > MOST or sum(entry.file_size for entry in entries) > LARGEST:
                raise InvalidInput(f"{called} holds more than a package of kanon; give one as kanon wrote it.")
            if len(set(names)) < len(names) or any("/" in name or "\\" in name for name in names):
                raise InvalidInput(f"{called} has folders or a name twice in it; give a package as kanon wrote it.")
            return {name: file.read(name) for name in names}
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError, OSError) as error:
        raise InvalidInput(f"{called} is no zip, or a broken one; give a package as kanon wrote it.") from error
