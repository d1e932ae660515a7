"""Certificates from their JSON: the values of `codec` become the engine's records, with the declared field types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.model.known import FAMILIES
from kanon_engine.model.requirement import REQUIREMENTS
from kanon_engine.validate import frozen
from kanon_engine.verification import codec
from kanon_engine.verification.codec import Decoder, Unreadable, parse_json, shown

LONGEST_WORDS = 10_000  # marks a field that is text


def parsed(text: Any) -> Any:
    """JSON as values; `InvalidInput` for anything else, and for JSON that readers interpret differently."""
    with _in_words():
        return parse_json(text)


def fields_of(record: type, content: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a record from their JSON; each of the type that the record declares, none missing, none extra.

    Sequences come back as tuples, arrays read-only. `InvalidInput` for anything that `codec.encode` does not produce.
    """
    decoder = _CertificateDecoder()
    with _in_words():
        return _typed(record, {name: decoder.value(entry) for name, entry in content.items()})


def fits_declaration(record: Any) -> bool:
    """Whether every field of a record in memory has its declared type."""
    declared = get_type_hints(type(record))
    return all(_fits(getattr(record, entry.name), declared[entry.name]) for entry in fields(record))


@contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except Unreadable as error:
        what = f"This certificate cannot be read because {error}; it may be incomplete or edited."
        raise InvalidInput(what) from error


class _CertificateDecoder(Decoder):
    """Only arrays, tuples, the records of families, and requirements are built from a file."""

    sequence = tuple

    def array(self, kind: Any, shape: Any, data: Any) -> np.ndarray:
        result = super().array(kind, shape, data)
        return frozen(result.flat.reshape(result.shape))

    def record(self, name: Any, content: dict[str, Any]) -> Any:
        records = [*REQUIREMENTS, *(record for family in FAMILIES.values() for record in family.records)]
        record_class = next((record for record in records if record.__name__ == name), None)
        if record_class is None:
            raise Unreadable(f"it holds an object of type {shown(name)}, which kanon does not know")
        return record_class(**_typed(record_class, content))


def _typed(record: type, values: dict[str, Any]) -> dict[str, Any]:
    declared = get_type_hints(record)
    names = [entry.name for entry in fields(record)]
    if values.keys() != set(names):
        other = sorted(set(names) - values.keys()) or sorted(values.keys() - set(names))
        raise Unreadable(f"its field {shown(other[0])} is missing or unknown")
    for name in names:
        if not _fits(values[name], declared[name]):
            raise Unreadable(f"its field “{name}” is a {type(values[name]).__name__}, which is not allowed there")
    return values


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a declared type."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin in (Union, UnionType):  # the values of a domain are any text in a file
        return (str in inner and isinstance(value, str)) or any(_fits(value, one) for one in inner)
    if origin is Literal or hint is str:  # verify checks which word it is
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
    """Whether a value can be an option or a reading parameter: not an array or a record."""
    if isinstance(value, dict):
        return all(map(_simple, value.values()))
    if isinstance(value, tuple | list):
        return all(map(_simple, value))
    return value is None or isinstance(value, str | int | float)


def content_digest(**parts: Any) -> str:
    """Digest of named values.

    Parameters
    ----------
    **parts
        None, bool, int, float, str, bytes, NumPy scalars and arrays, sequences, mappings and dataclasses, nested as
        needed; see `kanon_engine.verification.codec.content_digest`.

    Returns
    -------
    str : 64 hexadecimal digits.
    """
    return codec.content_digest(parts)
