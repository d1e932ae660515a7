"""What classes are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from kanon_engine.errors import InvalidInput

RULES = ("number", "largest")


def naming(value: Any) -> str | tuple[str, ...]:
    """A rule of `RULES` or a tuple of different names, or `InvalidInput`."""
    if isinstance(value, str):
        if value not in RULES:
            raise InvalidInput(f"The class names are {value!r}; choose {' or '.join(RULES)}, or give a list of names.")
        return value
    if not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise InvalidInput(f"The class names are {value!r}; choose {' or '.join(RULES)}, or give a list of names.")
    names = tuple(str(name).strip() for name in value)
    if "" in names or len(set(names)) < len(names):
        raise InvalidInput("Two class names are the same, or one is empty; give every class a name of its own.")
    return names


def named_classes(rule: str | tuple[str, ...], names: np.ndarray, counts: np.ndarray, assignment: Any) -> list[str]:
    """The name of each class.

    "number" is Group 1, 2, …; "largest" is the most common label of the class, with how many others; of given names the
    heaviest class has the first, and classes for which there is none are numbered.

    Example
    -------
    >>> labels, counts = np.array(["flu", "cold", "gout"]), np.array([5, 9, 1])
    >>> named_classes("largest", labels, counts, np.array([0, 1, 0])), named_classes(("A",), labels, counts, [0, 1, 0])
    (['flu and 1 other', 'cold'], ['Group 1', 'A'])
    """
    classes = np.asarray(assignment)
    weights = np.bincount(classes, counts)
    found = [f"Group {number + 1}" for number in range(len(weights))]
    if rule == "largest":
        order = np.lexsort((np.arange(len(counts)), -counts))
        firsts = order[np.unique(classes[order], return_index=True)[1]]
        for number, others in enumerate((np.bincount(classes) - 1).tolist()):
            more = f" and {others:,} other{'s' * (others > 1)}" if others else ""
            found[number] = f"{names[firsts[number]]}{more}"
    elif rule != "number":
        for name, number in zip(rule, np.argsort(-weights, kind="stable").tolist(), strict=False):
            found[number] = name
    return found
