"""Several files as one zip, the same bytes on every machine and at every time."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

BEGINNING = (1980, 1, 1, 0, 0, 0)  # the first moment that a zip can tell: nobody learns when it was made


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
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as file:
        for name, content in members.items():
            entry = zipfile.ZipInfo(name, BEGINNING)
            entry.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
            entry.create_system = 3  # else it tells the system that it was made on
            entry.external_attr = 0o644 << 16
            file.writestr(entry, content, compresslevel=9)
    return target.getvalue()
