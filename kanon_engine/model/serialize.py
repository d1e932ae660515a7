"""Values to JSON and back: arrays, tuples and the families' records keep their types."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.model.known import FAMILIES
from kanon_engine.model.requirement import REQUIREMENTS
from kanon_engine.validate import frozen

ARRAYS = {f"{order}{kind}": np.dtype(kind) for order in "<>" for kind in ("i4", "i8", "f8")} | {"|b1": np.dtype(bool)}
ELEMENTS: dict[str, set[type]] = {"i": {int}, "f": {int, float}, "b": {bool}}
LONGEST_SIDE = 1 << 20  # of an array without entries; others are no longer than their entries are many
DEEPEST = 16  # values inside each other; a result has 8
LONGEST_WORDS = 10_000  # of a field that is text
LARGEST_NUMBER = 10**309  # beyond every weight, seed and count of nodes, and every whole number that a float can be


def parsed(text: Any) -> Any:
    """JSON as values; `InvalidInput` for what is none, and for what readers of JSON do not agree on.

    That are names that stand twice in an object and numbers that are not finite.
    """
    if not isinstance(text, str | bytes | bytearray):
        raise _unreadable(f"it is a {type(text).__name__} and no text")
    try:
        return json.loads(text, object_pairs_hook=_distinct, parse_constant=_no_number)
    except InvalidInput:
        raise
    except json.JSONDecodeError as error:
        raise _unreadable(f"it is no JSON from line {error.lineno} on") from error
    except RecursionError as error:
        raise _unreadable("its values are nested too deeply") from error
    except ValueError as error:  # bytes in no encoding of text, or a number of thousands of digits
        raise _unreadable("it holds what is neither text nor a number") from error


def fields_of(record: type, content: Any, depth: int = DEEPEST) -> dict[str, Any]:
    """The fields of a record, decoded; each of the type that the record declares, none missing, none more."""
    declared = get_type_hints(record)
    hints = {entry.name: declared[entry.name] for entry in fields(record)}
    if not isinstance(content, dict) or set(content) != set(hints):
        found = set(content) if isinstance(content, dict) else set()
        other = sorted(set(hints) - found) or sorted(found - set(hints))
        raise _unreadable(f"its field {_shown(other[0])} is missing or unknown")
    values = {name: decoded(entry, depth - 1) for name, entry in content.items()}
    for name, hint in hints.items():
        if not _fits(values[name], hint):
            raise _unreadable(f"its field “{name}” is a {type(values[name]).__name__} that cannot stand there")
    return values


def fits_declaration(record: Any) -> bool:
    """Whether every field of a record in memory is of the type that the record declares."""
    declared = get_type_hints(type(record))
    return all(_fits(getattr(record, entry.name), declared[entry.name]) for entry in fields(record))


def decoded(value: Any, depth: int) -> Any:
    """The inverse of `encoded`; sequences come back as tuples, arrays read-only.

    Raises
    ------
    InvalidInput
        The value is none that `encoded` gives: an array of another type or with entries that do not fit its type and
        shape, an unknown record, values in each other deeper than `depth`.
    """
    if depth < 0:
        raise _unreadable("its values are nested too deeply")
    if isinstance(value, list):
        return tuple(decoded(entry, depth - 1) for entry in value)
    if not isinstance(value, dict):
        return _plain(value)
    kinds = set(value)
    if kinds == {"array", "shape", "data"}:
        return _array(value["array"], value["shape"], value["data"])
    if kinds == {"mapping"} and isinstance(value["mapping"], dict):
        return {key: decoded(entry, depth - 1) for key, entry in value["mapping"].items()}
    if kinds == {"record", "fields"}:
        record = _record(value["record"])
        return record(**fields_of(record, value["fields"], depth - 1))
    raise _unreadable("it holds a value that is no array, mapping or record")


def _record(name: Any) -> type:
    """A record of a family, or a requirement; nothing else is ever built from a file."""
    records = [*REQUIREMENTS, *(record for family in FAMILIES.values() for record in family.records)]
    known = {record.__name__: record for record in records}
    if not isinstance(name, str) or name not in known:
        raise InvalidInput(f"The file holds a record {_shown(name)} that kanon does not know; it was edited.")
    return known[name]


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise _unreadable("it holds a number too large for a computer's")
    if isinstance(value, int) and abs(value) >= LARGEST_NUMBER:
        raise _unreadable("it holds a number of more than 309 digits")
    return value


def _array(name: Any, shape: Any, data: Any) -> np.ndarray:
    if not isinstance(name, str) or name not in ARRAYS:
        raise InvalidInput(f"The file holds an array of type {_shown(name)}, which no result has; it was edited.")
    dtype = ARRAYS[name]
    sides = isinstance(shape, list) and len(shape) in (1, 2) and {type(side) for side in shape} == {int}
    if not sides or not isinstance(data, list) or not 0 <= min(shape) <= max(shape) <= max(len(data), LONGEST_SIDE):
        raise _unreadable("the shape of an array makes no sense")
    if math.prod(shape) != len(data):
        raise _unreadable(f"an array has {len(data):,} entries, which its shape does not fit")
    if not {type(entry) for entry in data} <= ELEMENTS[dtype.kind]:
        raise _unreadable(f"an array of type {name} holds something else")
    try:
        array = np.array(data, dtype=dtype)
    except OverflowError as error:
        raise _unreadable(f"an array of type {name} holds a number too large for it") from error
    if dtype.kind == "f" and not np.isfinite(array).all():
        raise _unreadable("an array holds a number too large for a computer's")
    return frozen(array.reshape(shape))


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a declared type."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin in (Union, UnionType):  # the values of a domain are whatever text a file has
        return (str in inner and isinstance(value, str)) or any(_fits(value, one) for one in inner)
    if origin is Literal or hint is str:  # which word it is, verify says
        return isinstance(value, str) and value.isprintable() and len(value) <= LONGEST_WORDS
    if origin is tuple:
        alike = len(inner) == 2 and inner[1] is Ellipsis
        return isinstance(value, tuple) and alike and all(_fits(entry, inner[0]) for entry in value)
    if origin is not None and issubclass(origin, Mapping):
        fits = _simple if inner[1] is Any else lambda entry: _fits(entry, inner[1])
        return isinstance(value, dict) and all(map(fits, value.values()))
    if hint is None or hint is type(None):
        return value is None
    return isinstance(value, np.ndarray) if hint is np.ndarray else type(value) is hint


def _simple(value: Any) -> bool:
    """What an option or a reading parameter can be: no array and no record."""
    if isinstance(value, dict):
        return all(map(_simple, value.values()))
    return (
        all(map(_simple, value))
        if isinstance(value, tuple | list)
        else value is None or isinstance(value, str | int | float)
    )


def _distinct(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise _unreadable("a name stands twice in it")
    return content


def _no_number(word: str) -> Any:
    raise _unreadable(f"it holds {word}, which is no number")


def _shown(value: Any) -> str:
    """A value of the file for a sentence, short and without control characters."""
    return ascii(value)[:60] if isinstance(value, str | int | float | None) else f"of a {type(value).__name__}"


def _unreadable(reason: str) -> InvalidInput:
    return InvalidInput(f"This certificate cannot be read, as {reason}; it may be cut short or edited.")
