"""A cache that keeps nobody's data: it forgets a value together with the object that it was computed from."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

Made = TypeVar("Made")


def weakly_cached(make: Callable[..., Made]) -> Callable[..., Made]:
    """Compute a function's value once for an object and the last further arguments, which are positional.

    The object must be hashed by identity, and the value must not refer to it, or neither would be forgotten.

    >>> class Data(set):
    ...     __hash__ = object.__hash__
    >>> size = weakly_cached(lambda data: print("computed") or len(data))
    >>> data = Data("ab")
    >>> size(data), size(data)
    computed
    (2, 2)
    """
    kept: WeakKeyDictionary[Any, tuple[tuple[Any, ...], Made]] = WeakKeyDictionary()

    @functools.wraps(make)
    def cached(one: Any, *more: Any) -> Made:
        if one not in kept or kept[one][0] != more:
            kept[one] = more, make(one, *more)
        return kept[one][1]

    return cached
