"""The files in the zip of a bundle: read without trust, and only from a zip that kanon would write byte for byte."""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass
from typing import Any

from kanon_engine.errors import CertificateError
from kanon_engine.model.known import family_of
from kanon_engine.release.formats import archive
from kanon_engine.verification.codec import encode

LARGEST = 1_000_000_000  # bytes of a bundle
MOST = 1_000  # members
ZIP = "zip"  # the check that this is

# APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16
LOCAL = struct.Struct("<4s5H3I2H")
ENTRY = struct.Struct("<4s6H3I5H2I")
END = struct.Struct("<4s4H2IH")
BEGINS, ENTERED, ENDS = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
ENCRYPTED, STORED = 1, 0
LINK, KINDS = 0o120000, 0o170000
WIDE, LONG = 0xFFFF, 0xFFFFFFFF  # placeholders in a zip of more than 4 GB, which has these figures elsewhere


@dataclass(frozen=True)
class _ZipEntry:
    """What the zip's central directory says about a member."""

    name: str
    crc: int
    size: int
    offset: int

    @property
    def begins(self) -> int:
        """Where its content begins."""
        return self.offset + LOCAL.size + len(self.name.encode())

    @property
    def ends(self) -> int:
        return self.begins + self.size


def is_zip(content: bytes) -> bool:
    """Whether this was meant as a zip, complete or not.

    >>> is_zip(archive({})), is_zip(b"{}")
    (True, False)
    """
    return content[:2] == BEGINS[:2] or content[-END.size :][:4] == ENDS


def members_of(content: bytes) -> dict[str, bytes]:
    """The members by name, in their order; `CertificateError` names the part that is not as kanon writes it.

    >>> members_of(archive({"a.txt": "one", "b.txt": b"two"}, stored=True))
    {'a.txt': b'one', 'b.txt': b'two'}
    """
    if len(content) > LARGEST:
        raise _refused(f"it has more than {LARGEST // 10**6:,} MB, the limit for a bundle")
    entries, directory = _directory(content)
    place, members = 0, {}
    for entry, following in zip(entries, [*(after.offset for after in entries[1:]), directory], strict=True):
        if entry.offset != place:
            raise _refused(f"its list of files says that {entry.name!r} begins at byte {entry.offset:,}, "
                           f"but it should begin at byte {place:,}")  # fmt: skip
        members[entry.name] = _member(content, entry, following)
        place = following
    if archive(members, stored=True) != content:
        raise _refused("its list of files does not match the files in the zip")
    return members


def _member(content: bytes, entry: _ZipEntry, following: int) -> bytes:
    """The content of a member, after comparing its header, the directory and the content itself."""
    header = content[entry.offset : entry.offset + LOCAL.size]
    if len(header) < LOCAL.size or header[:4] != BEGINS:
        raise _refused(f"the header of {entry.name!r} was changed")
    *_, crc, _, _, letters, _ = LOCAL.unpack(header)
    raw_name = content[entry.offset + LOCAL.size :][:letters]
    if entry.ends != following:
        raise _refused(f"its list of files says that {entry.name!r} has {entry.size:,} bytes, but there is room "
                       f"for {following - entry.begins:,}")  # fmt: skip
    if raw_name != entry.name.encode():
        other = raw_name[:100].decode("utf-8", "replace")
        raise _refused(f"a file is named {entry.name!r} in its list of files, but {other!r} in the header of the file")
    data = content[entry.begins : entry.ends]
    checksum = zlib.crc32(data)
    # header and directory agree with each other, so the content is what was changed
    if checksum != crc == entry.crc:
        raise _refused(f"the content of {entry.name!r} was changed")
    if checksum != entry.crc:
        raise _refused(f"the checksum of {entry.name!r} in its list of files does not match the content")
    if archive({entry.name: data}, stored=True)[: len(header) + letters] != header + raw_name:
        raise _refused(f"the header of {entry.name!r} was changed")
    return data


def _directory(content: bytes) -> tuple[list[_ZipEntry], int]:
    """What the zip's central directory says, and at which byte it begins."""
    last = len(content) - END.size
    if last < 0 or content[last : last + 4] != ENDS:
        end = content.rfind(ENDS)
        if end < 0:
            raise _refused("the end of its list of files is missing, so the file was cut short or is not a zip")
        raise _refused(f"{last - end:,} bytes follow the end of its list of files" if end < last
                       else "its list of files was cut short")  # fmt: skip
    _, disk, first, here, count, size, begins, comment = END.unpack(content[last:])
    if WIDE in (here, count) or LONG in (size, begins):
        raise _refused("it is a zip64 (the form for very large zips), but no bundle is that large")
    if comment or disk or first or here != count or begins + size != last:
        raise _refused("the end of its list of files was changed")
    if count > MOST:
        raise _refused(f"it has {count:,} files, but no bundle has more than {MOST:,}")
    entries: list[_ZipEntry] = []
    place = begins
    for _ in range(count):
        entry, place = _entry(content, place, last)
        if any(entry.name == other.name for other in entries):
            raise _refused(f"it holds {entry.name!r} twice")
        entries.append(entry)
    if place != last or not entries:
        raise _refused("its list of files is not as long as the zip states")
    return entries, begins


def _entry(content: bytes, place: int, last: int) -> tuple[_ZipEntry, int]:
    """One entry of the directory, and where the next one begins."""
    if place + ENTRY.size > last or content[place : place + 4] != ENTERED:
        raise _refused(f"its list of files was changed at byte {place:,}")
    fields = ENTRY.unpack_from(content, place)
    (*_, flags, method, _, _), (crc, packed, size, letters), (*_, kind, offset) = fields[:7], fields[7:11], fields[11:]
    after = place + ENTRY.size + letters
    try:
        name = content[place + ENTRY.size : after].decode()
    except UnicodeDecodeError:
        raise _refused(f"its list of files holds a file name that is not text, at byte {place:,}") from None
    if after > last or not name or not name.isprintable():
        raise _refused(f"its list of files was changed at byte {place:,}")
    if flags & ENCRYPTED:
        raise _refused(f"{name!r} is encrypted, but no file of a bundle is")
    if method != STORED:
        raise _refused(f"{name!r} is compressed, but every file of a bundle is stored uncompressed")
    if (kind >> 16) & KINDS == LINK:
        raise _refused(f"{name!r} is a link to another file")
    if name.startswith("/") or "\\" in name or ":" in name or {"", ".", ".."} & set(name.split("/")):
        raise _refused(f"its list of files contains {name!r}, which is not a valid name for a file inside a zip")
    if LONG in (packed, size, offset):
        raise _refused(f"{name!r} is larger than a file of a bundle can be")
    expected = archive({name: b""}, stored=True)[LOCAL.size + len(name.encode()) :][: ENTRY.size]
    plain = ENTRY.unpack(expected)
    if (*plain[:7], crc, size, size, *plain[10:16], offset) != fields:
        raise _refused(f"the entry of {name!r} in its list of files was changed")
    return _ZipEntry(name, crc, size, offset), after


def _refused(what: str) -> CertificateError:
    return CertificateError(ZIP, f"this zip differs from what kanon writes: {what}.")


# ---------------------------------------------------------------------------------------------------------------------
# An instance as JSON that can be read without kanon: exactly what its digest covers.
# ---------------------------------------------------------------------------------------------------------------------


FORMAT = "kanon instance 1"


def instance_text(instance: Any) -> str:
    """An instance as JSON: format, family, digest, and `parts`, all values that the digest covers, one per line.

    Numbers, text, lists, true, false and null are themselves, a float as Python's repr writes it. An array is
    ``{"array": "<i8", "shape": […], "data": […]}``, a mapping ``{"mapping": {…}}``, a record ``{"record": name,
    "fields": {…}}``, as in a certificate, and a float that JSON cannot express ``{"float": "nan"}``. Shapes of areas,
    names and how the data were read are not in it. It contains the data themselves, so it is internal.

    >>> import kanon_engine as kanon
    >>> content = json.loads(instance_text(kanon.Labels(["a", "b"], [3, 2])))
    >>> content["family"], content["parts"]["counts"]
    ('labels', {'array': '<i8', 'data': [3, 2], 'shape': [2]})
    """
    head = {"format": FORMAT, "family": family_of(instance).name, "digest": instance.digest}
    parts = {name: encode(value, special=True) for name, value in sorted(instance.parts.items())}
    lines = [f" {json.dumps(name)}: {json.dumps(one, sort_keys=True, allow_nan=False)}" for name, one in parts.items()]
    opened = ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in head.items())
    return f'{{\n{opened},\n"parts": {{\n' + ",\n".join(lines) + "\n}\n}\n"
