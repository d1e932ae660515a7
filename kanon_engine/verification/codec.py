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
PLAIN = {str, int, float, bool, type(None)}  # the types of JSON itself
LONGEST_SIDE = 1 << 20  # of an array without entries
DEEPEST = 15  # levels of nesting; a field of a certificate has 7
LARGEST_NUMBER = 10**309  # beyond every weight, seed and count, and every whole number that a float can be


class Unreadable(ValueError):
    """What is wrong with a file, as the end of a sentence about it."""


class Array:
    """Numbers of one type in one dimension or in rows.

    Parameters
    ----------
    kind : str
        "<i4", "<i8", "<f8" or "|b1"; from memory, any whole numbers, floats or truth values of NumPy.
    shape : sequence of ints
    data : list of numbers, or NumPy's array of that type and shape

    Raises
    ------
    Unreadable
        The type, shape and numbers of a list do not fit each other.
    """

    __slots__ = ("_listed", "flat", "kind", "shape")

    def __init__(self, kind: str, shape: Sequence[int], data: Any) -> None:
        self.flat: Any = _numbers(kind, shape, data) if isinstance(data, list) else data.reshape(-1)
        self.kind, self.shape = kind, tuple(shape)
        self._listed: list[Any] | None = None

    def __repr__(self) -> str:
        return f"array of type {self.kind} and shape {self.shape}"

    @property
    def column(self) -> Any:
        """The numbers of an array with one dimension, for `arrays`."""
        if len(self.shape) != 1:
            raise ValueError(f"an array of shape {self.shape} is not a column")
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
        return list(zip(*(values.tolist() for values in self.columns)))

    def packed(self) -> Any:
        """The entries as bytes, the lowest first."""
        return arrays.packed(self.flat, self.kind)


def _numbers(kind: Any, shape: Any, data: list[Any]) -> Any:
    """The entries of an array from a file."""
    if not isinstance(kind, str) or kind not in ENTRIES:
        raise Unreadable(f"it holds an array of type {shown(kind)}, which no result has")
    if not has_sides(shape, len(data)):
        raise Unreadable("the shape of an array is not valid")
    if math.prod(shape) != len(data):
        raise Unreadable(f"an array has {len(data):,} entries, which do not fit its shape")
    if not set(map(type, data)) <= ENTRIES[kind]:
        raise Unreadable(f"an array of type {kind} holds a value of another type")
    try:
        return arrays.of_kind(data, kind)
    except OverflowError as error:
        raise Unreadable(f"an array of type {kind} holds a number too large for it") from error


def has_sides(shape: Any, entries: int) -> bool:
    """Whether this is a shape of one dimension, or of rows, with at most this many entries."""
    sides = isinstance(shape, (list, tuple)) and len(shape) in (1, 2) and set(map(type, shape)) == {int}
    return sides and 0 <= min(shape) <= max(shape) <= max(entries, LONGEST_SIDE)


class Record:
    """A record with a name and named fields."""

    def __init__(self, name: str, fields: dict[str, Any]) -> None:
        self.name, self.fields = name, fields

    def __repr__(self) -> str:
        return f"record {self.name!r:.60}"


def listed(value: Any) -> list[Any]:
    """A list, or the numbers of an array."""
    return value.numbers if isinstance(value, Array) else value


def shown(value: Any) -> str:
    """A value of a file for a sentence, short and without control characters."""
    return (
        ascii(value)[:60] if value is None or isinstance(value, (str, int, float)) else f"of a {type(value).__name__}"
    )


def parse_json(text: Any) -> Any:
    """JSON as Python values; Unreadable for anything else, for names that occur twice in an object, and for NaN."""

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        content = dict(pairs)
        if len(content) < len(pairs):
            raise Unreadable("a name occurs twice in it")
        return content

    def refused(word: str) -> Any:
        raise Unreadable(f"it holds {word}, which is not a number")

    if not isinstance(text, (str, bytes, bytearray)):
        raise Unreadable(f"it is a {type(text).__name__}, not text")
    try:
        return json.loads(text, object_pairs_hook=distinct, parse_constant=refused)
    except Unreadable:
        raise
    except json.JSONDecodeError as error:
        raise Unreadable(f"it is not valid JSON from line {error.lineno} on") from error
    except RecursionError as error:
        raise Unreadable("its values are nested too deeply") from error
    except ValueError as error:  # bytes in no encoding of text, or a number of thousands of digits
        raise Unreadable("it holds something that is neither text nor a number") from error


class Decoder:
    """Values from what `parse_json` gives; a subclass says what else lists, arrays and records become.

    Parameters
    ----------
    special : bool
        Whether floats may be ``{"float": "nan"}`` or infinite, as in an instance; no certificate has these.
    """

    sequence: Any = list  # what a list becomes

    def __init__(self, special: bool = False) -> None:
        self.special = special

    def value(self, content: Any, depth: int = DEEPEST) -> Any:
        """One value; `depth` is how many levels may be nested in it."""
        if depth < 0:
            raise Unreadable("its values are nested too deeply")
        if isinstance(content, list):
            return self.sequence(self.value(entry, depth - 1) for entry in content)
        if not isinstance(content, dict):
            if isinstance(content, float) and not math.isfinite(content):
                raise Unreadable("it holds a number that is too large")
            if isinstance(content, int) and abs(content) >= LARGEST_NUMBER:
                raise Unreadable("it holds a number of more than 309 digits")
            return content
        names = set(content)
        if names == {"array", "shape", "data"}:
            return self.array(content["array"], content["shape"], content["data"])
        if names == {"mapping"} and isinstance(content["mapping"], dict):
            return {name: self.value(entry, depth - 1) for name, entry in content["mapping"].items()}
        if names == {"record", "fields"} and isinstance(content["fields"], dict):
            fields = {name: self.value(entry, depth - 1) for name, entry in content["fields"].items()}
            return self.record(content["record"], fields)
        if names == {"float"} and self.special:
            return float(content["float"])
        raise Unreadable("it holds a value that is not an array, mapping or record")

    def array(self, kind: Any, shape: Any, data: Any) -> Any:
        """What an array becomes."""
        if not isinstance(data, list):
            raise Unreadable("the shape of an array is not valid")
        if kind == "<f8" and self.special:
            data = [self.value(entry) if type(entry) is dict else entry for entry in data]
        decoded = Array(kind, shape, data)
        if kind == "<f8" and not self.special and not all(map(math.isfinite, data)):
            raise Unreadable("an array holds a number that is too large")
        return decoded

    def record(self, name: Any, fields: dict[str, Any]) -> Any:
        """What a record becomes."""
        return Record(name, fields)


def decode(content: Any, special: bool = False) -> Any:
    """A value from its JSON, see `Decoder`."""
    return Decoder(special).value(content)


def from_memory(value: Any, convert: Callable[[Any], Any] | None = None) -> Any:
    """A value as `decode` gives it: of arrays and scalars of NumPy, dataclasses, mappings and sequences.

    ``own(value)`` may give a record for any other value, and None for these.
    """
    if type(value) in PLAIN:
        return value
    described = None if convert is None else convert(value)
    value = arrays.plain(value) if described is None else described
    if is_dataclass(value) and not isinstance(value, type):
        value = Record(type(value).__name__, {one.name: getattr(value, one.name) for one in fields(value)})
    if isinstance(value, Record):
        return Record(value.name, {name: from_memory(entry, convert) for name, entry in value.fields.items()})
    if hasattr(value, "dtype"):
        if value.dtype.kind not in "biuf":
            return from_memory(value.tolist(), convert)
        little = value.dtype.newbyteorder("<")
        return Array(little.str, value.shape, value.astype(little, copy=False))
    if isinstance(value, Mapping):
        return {arrays.plain(key): from_memory(entry, convert) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return list(value) if set(map(type, value)) <= PLAIN else [from_memory(entry, convert) for entry in value]
    return value


def encode(
    value: Any,
    special: bool = False,
    convert: Callable[[Any], Any] | None = None,
    data: Callable[[Array], Any] | None = None,
) -> Any:
    """What `from_memory` gives, as `json.dumps` takes it and `Decoder` reads it; `data` may write arrays elsewhere."""

    def written(value: Any) -> Any:
        if isinstance(value, Array):
            entries = value.flat.tolist() if data is None else data(value)
            if data is None and special and value.kind[1] == "f":
                entries = [number(one) for one in entries]
            return {"array": value.kind, "shape": list(value.shape), "data": entries}
        if isinstance(value, Record):
            return {"record": value.name, "fields": {name: written(entry) for name, entry in value.fields.items()}}
        if isinstance(value, dict):
            return {"mapping": {name: written(entry) for name, entry in value.items()}}
        if isinstance(value, list):
            kinds = set(map(type, value))
            if kinds <= PLAIN:
                return [number(one) for one in value] if special and float in kinds else value
            return [written(one) for one in value]
        return number(value) if special else value

    def number(value: Any) -> Any:
        if type(value) is not float or math.isfinite(value):
            return value
        return {"float": "-nan" if math.isnan(value) and math.copysign(1, value) < 0 else repr(value)}

    return written(from_memory(value, convert))


def content_digest(content: Mapping[str, Any]) -> str:
    """SHA-256 over named values, as they are in memory or as `decode` gives them; 64 hexadecimal digits.

    Every value is written with its type and length, so that two different contents cannot run together into the same
    bytes. Arrays of text or objects are digested element by element.
    """
    state = hashlib.sha256()
    _feed(state.update, from_memory(content))
    return state.hexdigest()


def _feed(write: Callable[[Any], None], value: Any) -> None:
    if isinstance(value, Array):
        write(f"array {value.kind} {value.shape};".encode())
        write(value.packed())
    elif isinstance(value, float):
        write(b"float " + struct.pack("<d", value))
    elif value is None or isinstance(value, (bool, int)):
        write(f"{type(value).__name__} {value};".encode())
    elif isinstance(value, (str, bytes)):
        data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
        write(f"{type(value).__name__} {len(data)};".encode() + data)
    elif isinstance(value, dict):
        write(f"mapping {len(value)};".encode())
        for key in sorted(value):
            _feed(write, key)
            _feed(write, value[key])
    elif isinstance(value, list):
        write(f"sequence {len(value)};".encode())
        for item in value:
            _feed(write, item)
    elif isinstance(value, Record):
        _feed(write, {"": value.name, **value.fields})
    else:
        raise TypeError(f"a {type(value).__name__} has no digest")
