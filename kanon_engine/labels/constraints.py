"""What people ask of classes besides k: labels that stay together, labels kept apart, names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.search.parts import parts_of

RULES = ("number", "largest")


def label_sets(value: Any, names: np.ndarray, what: str) -> tuple[tuple[Any, ...], ...]:
    """Sets of labels as tuples of their names, or `InvalidInput` naming the first that is none.

    Example
    -------
    >>> label_sets([{"b", "a"}], np.array(["a", "b", "c"], dtype=object), "together")
    (('a', 'b'),)
    """
    known: dict[Any, int] = {str(name): place for place, name in enumerate(names.tolist())}
    known |= {name: place for place, name in enumerate(names.tolist())}
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidInput(f"The labels {what} are {value!r}; give a list of sets of labels.")
    found = []
    for number, members in enumerate(value, start=1):
        if isinstance(members, str) or not isinstance(members, Iterable):
            raise InvalidInput(f"Set {number} of the labels {what} is {members!r}; give a set of two labels or more.")
        listed = list(members)
        for name in listed:
            if name not in known:
                raise InvalidInput(
                    f"Set {number} of the labels {what} names {name!s}, which is no label of this data; correct it or "
                    f"leave it out."
                )
        places = sorted({known[name] for name in listed})
        if len(places) < 2:
            raise InvalidInput(f"Set {number} of the labels {what} has fewer than two labels; add one or leave it out.")
        found.append(tuple(names[place] for place in places))
    return tuple(found)


def no_sets(value: Any) -> str:
    """What is wrong with the sets that a stranger chose, "" for nothing; their text would name a file.

    Example
    -------
    >>> no_sets((("a", "b"),)), no_sets("/etc/passwd")
    ('', 'are no sets of labels')
    """
    good = isinstance(value, tuple) and all(isinstance(members, tuple) for members in value)
    return "" if good else "are no sets of labels"


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


def merged_numbers(count: int, sets: Iterable[Iterable[int]]) -> np.ndarray:
    """(count,) int64: the item of each position when the positions of each set become one; items by first position.

    Example
    -------
    >>> merged_numbers(5, [(1, 3), (3, 4)]).tolist()
    [0, 1, 2, 1, 1]
    """
    pairs = np.array([pair for members in sets for pair in pairwise(members)], dtype=np.int64).reshape(-1, 2)
    return parts_of(pairs, count).astype(np.int64)


def large_clique(count: int, conflicts: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """Positions of which no two may share a class: as many as a greedy search finds from every start.

    Example
    -------
    >>> large_clique(5, [(0, 1), (1, 2), (0, 2), (3, 4)])
    (0, 1, 2)
    """
    near: dict[int, set[int]] = {}
    for one, other in conflicts:
        near.setdefault(one, set()).add(other)
        near.setdefault(other, set()).add(one)
    best: list[int] = []
    for start in sorted(near, key=lambda place: (-len(near[place]), place)):
        if len(near[start]) < len(best):
            break
        clique, left = [start], set(near[start])
        while left:
            chosen = max(left, key=lambda place: (len(near[place] & left), -place))
            clique.append(chosen)
            left &= near[chosen]
        best = max(best, clique, key=len)
    return tuple(sorted(best))


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
