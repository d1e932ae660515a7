"""Every way to spoil one field of a good result, and what the check says to it."""

from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest

import kanon_engine as kanon


def corrupted(g):
    """Pairs (field name, spoilt copy), at least one for every field; the digest is left as it was."""
    for field in fields(g):
        value = getattr(g, field.name)
        for other in _others(value):
            yield field.name, replace(g, **{field.name: other})


def sealed(g):
    """Sealed again, where its content has a digest at all."""
    try:
        return g.sealed()
    except (TypeError, ValueError, AttributeError):
        return g


def passes(instance, g):
    try:
        kanon.verify(instance, g)
    except kanon.CertificateError:
        return False
    return True


def failed(instance, g):
    """The name of the check that refuses a result."""
    with pytest.raises(kanon.CertificateError) as caught:
        kanon.verify(instance, g)
    return caught.value.check


def refused(instance, g, **claims):
    """The name of the check that refuses a result with other claims, sealed again."""
    return failed(instance, sealed(replace(g, **claims)))


def with_details(g, **changes):
    """The result with other details, not sealed again."""
    return replace(g, details=replace(g.details, **changes))


def _others(value):
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [value + 1, value - 1, None]
    if isinstance(value, str):
        return [other for other in (value + "x", "", None) if other != value]
    if value is None:
        return [1]
    if isinstance(value, np.ndarray):
        return _other_arrays(value)
    if isinstance(value, tuple):
        return [(*value, 0), None]
    if isinstance(value, dict):
        return [value | {"spoilt": 1}, None]
    if is_dataclass(value):
        return [
            None,
            *(
                replace(value, **{inner.name: other})
                for inner in fields(value)
                for other in _others(getattr(value, inner.name))
            ),
        ]
    raise TypeError(f"no way to spoil a {type(value).__name__}")


def _other_arrays(array):
    others = [None, array[:-1], np.concatenate([array, array[:1]])] if len(array) else [None]
    for place in {0, len(array) // 2, len(array) - 1} if len(array) else ():
        other = array.copy()
        other[place] = ~other[place] if other.dtype == bool else other[place] + 1
        others.append(other)
    return [other for other in others if other is None or not np.array_equal(other, array)]
