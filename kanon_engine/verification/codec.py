"""Values of certificates and instances: to their JSON and back, from memory, and the digest of their content."""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from . import arrays

MALFORMED = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, MemoryError, RecursionError)
ENTRIES: dict[str, set[type]] = {"<i4": {int}, "<i8": {int}, "<f8": {int, float}, "|b1": {bool}}
PLAIN = {str, int, float, bool, type(None)}  # what JSON has a word for
LONGEST_SIDE = 1 << 20  # of an array without entries
DEEPEST = 16  # values inside each other; a certificate has 8
LARGEST_NUMBER = 10**309  # beyond every whole number that a float can be


class Array:
    """Numbers of one type, "<i4", "<i8", "<f8" or "|b1", in one dimension or in rows.

    Parameters
    ----------
    kind : str
    shape : sequence of one or two ints
    data : list of numbers, or NumPy's array of that type and shape

    Raises
    ------
    ValueError, OverflowError
        Type, shape and entries do not fit each other.
    """

    __slots__ = ("_listed", "flat", "kind", "shape")

    def __init__(self, kind: str, shape: Sequence[int], data: Any) -> None:
        sides = len(shape) in (1, 2) and all(type(side) is int and side >= 0 for side in shape)
        count = len(data) if isinstance(data, list) else data.size
        if kind not in arrays.CODES or not sides or math.prod(shape) != count:
            raise ValueError(f"an array of type {kind!r} and shape {shape!r} does not have that many entries")
        if max(shape) > max(count, LONGEST_SIDE):
            raise ValueError(f"an array without entries has the shape {shape!r}")
        if isinstance(data, list) and not set(map(type, data)) <= ENTRIES[kind]:
            raise ValueError(f"an array of type {kind} holds something else")
        self.kind, self.shape = kind, tuple(shape)
        self.flat: Any = arrays.of_kind(data, kind) if isinstance(data, list) else data.reshape(-1)
        self._listed: list[Any] | None = None

    def __repr__(self) -> str:
        return f"array of type {self.kind} and shape {self.shape}"

    @property
    def column(self) -> Any:
        """The numbers of an array with one dimension, for `arrays`."""
        if len(self.shape) != 1:
            raise ValueError(f"an array of shape {self.shape} is no column")
        return self.flat

    @property
    def columns(self) -> list[Any]:
        """The columns of an array with two dimensions."""
        return [self.flat[place :: self.shape[1]] for place in range(self.shape[1])]

    @property
    def numbers(self) -> list[Any]:
        """The numbers of an array with one dimension as Python's, which loops are quickest with."""
        if self._listed is None:
            self._listed = self.column.tolist()
        return self._listed  # type: ignore[return-value]

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """The rows of an array with two dimensions, as Python's numbers."""
        return list(zip(*(own.tolist() for own in self.columns)))

    def packed(self) -> bytes:
        """The entries as bytes, the lowest first."""
        return arrays.packed(self.flat, self.kind)  # type: ignore[no-any-return]


class Record:
    """A record with a name and named fields."""

    def __init__(self, name: str, fields: dict[str, Any]) -> None:
        self.name, self.fields = name, fields

    def __repr__(self) -> str:
        return f"record {self.name!r:.60}"


def listed(value: Any) -> list[Any]:
    """A list, or the numbers of an array."""
    return value.numbers if isinstance(value, Array) else value


def parse_json(text: str | bytes) -> Any:
    """JSON as Python's values; names that stand twice in an object, and NaN, are refused."""

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a name stands twice in an object")
        return dict(pairs)

    def refused(word: str) -> Any:
        raise ValueError(f"{word} is no number")

    return json.loads(text, object_pairs_hook=distinct, parse_constant=refused)


def decode(value: Any, special: bool = False, depth: int = DEEPEST) -> Any:
    """Lists, mappings (as dicts), arrays and records from their JSON.

    Parameters
    ----------
    value : what `parse_json` gives
    special : bool
        Whether floats may be ``{"float": "nan"}`` or infinite, as in an instance; no certificate has such.
    depth : int
        How many values may lie inside each other.
    """
    if depth < 0:
        raise ValueError("values are nested too deeply")
    if isinstance(value, list):
        return [decode(entry, special, depth - 1) for entry in value]
    if not isinstance(value, dict):
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError("a number is too large for a float")
        if isinstance(value, int) and abs(value) >= LARGEST_NUMBER:
            raise ValueError("a number has more than 309 digits")
        return value
    keys = set(value)
    if keys == {"array", "shape", "data"}:
        return _array(value["array"], value["shape"], value["data"], special)
    if keys == {"mapping"}:
        return {name: decode(entry, special, depth - 1) for name, entry in value["mapping"].items()}
    if keys == {"record", "fields"}:
        inner = {name: decode(entry, special, depth - 1) for name, entry in value["fields"].items()}
        return Record(value["record"], inner)
    if keys == {"float"} and special:
        return float(value["float"])
    raise ValueError("an object is no array, mapping or record")


def _array(kind: Any, shape: Any, data: Any, special: bool) -> Array:
    if kind == "<f8" and special:
        data = [decode(entry, True) if type(entry) is dict else entry for entry in data]
    elif kind == "<f8" and not all(map(math.isfinite, data)):
        raise ValueError("an array holds a number too large for a float")
    return Array(kind, shape, data)


def encode(value: Any, special: bool = False) -> Any:
    """A value in memory as `json.dumps` takes it and `decode` reads it, arrays and dataclasses with their types."""
    value = arrays.plain(value)
    if hasattr(value, "dtype"):
        entries = value.ravel().tolist()
        if value.dtype.kind not in "biuf":
            return encode(value.tolist(), special)
        kind = value.dtype.newbyteorder("<").str
        data = [encode(one, special) for one in entries] if special and value.dtype.kind == "f" else entries
        return {"array": kind, "shape": list(value.shape), "data": data}
    if isinstance(value, float) and special and not math.isfinite(value):
        return {"float": "-nan" if math.isnan(value) and math.copysign(1, value) < 0 else repr(value)}
    if isinstance(value, Mapping):
        return {"mapping": {key: encode(entry, special) for key, entry in value.items()}}
    if isinstance(value, (list, tuple)):
        return [encode(entry, special) for entry in value]
    if is_dataclass(value) and not isinstance(value, type):
        content = {one.name: encode(getattr(value, one.name), special) for one in fields(value)}
        return {"record": type(value).__name__, "fields": content}
    return value


def from_memory(value: Any) -> Any:
    """A value as `decode` gives it: of arrays and scalars of NumPy, dataclasses, mappings and sequences."""
    value = arrays.plain(value)
    if hasattr(value, "dtype"):
        if value.dtype.kind not in "biuf":
            return from_memory(value.tolist())
        little = value.dtype.newbyteorder("<")
        return Array(little.str, value.shape, value.astype(little, copy=False))
    if isinstance(value, Mapping):
        return {key: from_memory(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return list(value) if set(map(type, value)) <= PLAIN else [from_memory(entry) for entry in value]
    if is_dataclass(value) and not isinstance(value, type):
        return Record(type(value).__name__, {one.name: from_memory(getattr(value, one.name)) for one in fields(value)})
    return value


def content_digest(content: Mapping[str, Any]) -> str:
    """SHA-256 over named values, as they are in memory or as `decode` gives them; 64 hexadecimal digits.

    Every value is written with its type and length, so that two different contents cannot run together into the same
    bytes. Arrays of text or objects are digested element by element.
    """
    state = hashlib.sha256()
    _feed(state.update, content)
    return state.hexdigest()


def _feed(write: Callable[[Any], None], value: Any) -> None:
    value = arrays.plain(value)
    if isinstance(value, Array):
        write(f"array {value.kind} {value.shape};".encode() + value.packed())
    elif hasattr(value, "dtype"):
        if value.dtype.kind not in "biuf":
            return _feed(write, value.tolist())
        little = value.astype(value.dtype.newbyteorder("<"), order="C", copy=False)
        write(f"array {little.dtype.str} {little.shape};".encode())
        write(little.data)
    elif isinstance(value, float):
        write(b"float " + struct.pack("<d", value))
    elif value is None or isinstance(value, (bool, int)):
        write(f"{type(value).__name__} {value};".encode())
    elif isinstance(value, (str, bytes)):
        data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
        write(f"{type(value).__name__} {len(data)};".encode() + data)
    elif isinstance(value, Mapping):
        write(f"mapping {len(value)};".encode())
        for key in sorted(value):
            _feed(write, key)
            _feed(write, value[key])
    elif isinstance(value, (list, tuple)):
        write(f"sequence {len(value)};".encode())
        for item in value:
            _feed(write, item)
    elif isinstance(value, Record):
        _feed(write, {"": value.name, **value.fields})
    elif is_dataclass(value) and not isinstance(value, type):
        _feed(write, {"": type(value).__name__} | {one.name: getattr(value, one.name) for one in fields(value)})
    else:
        raise TypeError(f"a {type(value).__name__} has no digest")
    return None
