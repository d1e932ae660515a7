"""A cache that keeps nobody's data: it forgets a value together with the object that it was computed from."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

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
    >>> forgotten = weakref.ref(data)
    >>> del data
    >>> forgotten() is None
    True
    """
    kept: weakref.WeakKeyDictionary[Any, tuple[tuple[Any, ...], Made]] = weakref.WeakKeyDictionary()

    @functools.wraps(make)
    def cached(one: Any, *more: Any) -> Made:
        found = kept.get(one)
        if found is None or found[0] != more:
            found = kept[one] = more, make(one, *more)
        return found[1]  # not of `kept`, in which another thread may have put other arguments

    return cached
