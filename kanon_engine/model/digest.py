"""Content digests: one SHA-256 over named values, arrays and records, the same on every machine."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def content_digest(**parts: Any) -> str:
    """Digest of named values.

    Parameters
    ----------
    **parts
        None, bool, int, float, str, bytes, NumPy scalars and arrays, sequences, mappings and dataclasses, nested at
        will. Arrays of text or objects are digested element by element.

    Returns
    -------
    str
        64 hexadecimal digits. Every value is written with its type and length, so that two different contents
        cannot run together into the same bytes.
    """
    state = hashlib.sha256()
    _feed(state, parts)
    return state.hexdigest()


def _feed(state: Any, value: Any) -> None:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "biuf":
            little = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
            state.update(f"array {little.dtype.str} {little.shape};".encode())
            state.update(little.data)
        else:
            _feed(state, value.tolist())
    elif isinstance(value, float):
        state.update(b"float " + struct.pack("<d", value))
    elif value is None or isinstance(value, bool | int):
        state.update(f"{type(value).__name__} {value};".encode())
    elif isinstance(value, str | bytes):
        data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
        state.update(f"{type(value).__name__} {len(data)};".encode() + data)
    elif isinstance(value, Mapping):
        state.update(f"mapping {len(value)};".encode())
        for key in sorted(value):
            _feed(state, key)
            _feed(state, value[key])
    elif isinstance(value, list | tuple):
        state.update(f"sequence {len(value)};".encode())
        for item in value:
            _feed(state, item)
    elif is_dataclass(value):
        _feed(state, {"": type(value).__name__} | {field.name: getattr(value, field.name) for field in fields(value)})
    else:
        raise TypeError(f"a {type(value).__name__} has no digest")
