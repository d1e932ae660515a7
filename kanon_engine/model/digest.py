"""Content digests: one SHA-256 over named values, arrays and records, the same on every machine."""

from __future__ import annotations

from typing import Any

from kanon_engine.verification import codec


def content_digest(**parts: Any) -> str:
    """Digest of named values.

    Parameters
    ----------
    **parts
        None, bool, int, float, str, bytes, NumPy scalars and arrays, sequences, mappings and dataclasses, nested at
        will; see `kanon_engine.verification.codec.content_digest`.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    return codec.content_digest(parts)
