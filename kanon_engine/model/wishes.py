"""A person's wishes for classes besides k: items that stay together, items kept apart."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from kanon_engine.errors import Infeasible, InvalidInput

KEPT = {"together": "to keep together", "apart": "to keep apart"}  # in sentences


def places_by_name(names: Iterable[Any]) -> dict[Any, int]:
    """The position of each name; a number is also found as text, as in files.

    >>> places_by_name([7, "b"])
    {'7': 0, 'b': 1, 7: 0}
    """
    places = {name: place for place, name in enumerate(names)}
    return {str(name): place for name, place in places.items()} | places


def checked_sets(value: Any, names: np.ndarray, what: str, item: str, least: int = 2) -> tuple[tuple[Any, ...], ...]:
    """Sets of items as tuples of their names, or `InvalidInput` with the first that is not a set.

    Parameters
    ----------
    value : iterable of sets. A set holds names, or numbers as text.
    names : (n,) object
    what : The wish: "together".
    item : The word for an item: "label".
    least : The least size of a set: one or two.

    >>> checked_sets([{"b", "a"}], np.array(["a", "b", "c"], dtype=object), "together", "label")
    (('a', 'b'),)
    """
    what = KEPT.get(what, what)
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidInput(f"The {item}s {what} are {value!r}; give a list of sets of {item}s.")
    sets = list(value)
    if not sets:
        return ()
    place_of = places_by_name(names.tolist())
    checked = []
    for number, members in enumerate(sets, start=1):
        where = f"Set {number} of the {item}s {what}"
        if isinstance(members, str) or not isinstance(members, Iterable):
            raise InvalidInput(
                f"{where} is {members!r}; give a set of {f'two {item}s or more' if least > 1 else f'{item}s'}."
            )
        listed = list(members)
        for name in listed:
            if not isinstance(name, Hashable) or name not in place_of:
                raise InvalidInput(
                    f"{where} lists {str(name)[:60]}, but this data has no such {item}; correct it or leave it out."
                )
        places = sorted({place_of[name] for name in listed})
        if len(places) < least:
            lacks = f"has fewer than two {item}s" if least > 1 else f"has no {item}"
            raise InvalidInput(f"{where} {lacks}; add one or leave the set out.")
        checked.append(tuple(names[place] for place in places))
    return tuple(checked)


def no_sets(items: str) -> Callable[[Any], str]:
    """The problem with untrusted sets of items, "" for none; text instead of sets would name a file.

    >>> no_sets("labels")((("a", "b"),)), no_sets("labels")("/etc/passwd")
    ('', 'are not sets of labels')
    """

    def unfit(value: Any) -> str:
        good = isinstance(value, tuple) and all(isinstance(members, tuple) for members in value)
        return "" if good else f"are not sets of {items}"

    return unfit


def merged_numbers(count: int, sets: Iterable[Iterable[int]]) -> np.ndarray:
    """(count,) int64: the item of each position when the positions of each set become one; items by first position.

    >>> merged_numbers(5, [(1, 3), (3, 4)]).tolist()
    [0, 1, 2, 1, 1]
    """
    pairs = np.array([pair for members in sets for pair in pairwise(members)], dtype=np.int64).reshape(-1, 2)
    return parts_of(pairs, count).astype(np.int64)


def large_clique(count: int, conflicts: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """Positions of which no two may share a class: the most that a greedy search finds from every start.

    >>> large_clique(5, [(0, 1), (1, 2), (0, 2), (3, 4)])
    (0, 1, 2)
    """
    near: dict[int, set[int]] = {}
    for one, other in conflicts:
        near.setdefault(one, set()).add(other)
        near.setdefault(other, set()).add(one)
    best: list[int] = []
    for start in sorted(near, key=lambda place: (-len(near[place]), place)):
        # a clique has at most one item more than its start has rivals, and later starts have no more
        if len(near[start]) < len(best):
            break
        clique, left = [start], set(near[start])
        while left:
            chosen = max(left, key=lambda place: (len(near[place] & left), -place))
            clique.append(chosen)
            left &= near[chosen]
        best = max(best, clique, key=len)
    return tuple(sorted(best))


def conflict_pairs(sets: Iterable[Iterable[int]]) -> tuple[tuple[int, int], ...]:
    """Pairs of positions, the lesser first, that are both in one of the sets.

    >>> conflict_pairs([(4, 1), (1, 0, 4)])
    ((0, 1), (0, 4), (1, 4))
    """
    return tuple(sorted({pair for members in sets for pair in combinations(sorted(set(members)), 2)}))


def require_no_contradiction(separations: Iterable[Sequence[Any]], item_of: dict[Any, int]) -> None:
    """Raise `Infeasible` if two items of a set kept apart are one item because they must stay together."""
    for members in separations:
        for place, name in enumerate(members):
            for other in members[:place]:
                if item_of[name] == item_of[other]:
                    raise Infeasible(
                        f"{other} and {name} must be apart and must also stay together, so no grouping is possible; "
                        f"remove one of the two rules."
                    )


def require_room(clique: Sequence[str], total: int, k: int, words: tuple[str, str]) -> None:
    """Raise `Infeasible` if items that must all be apart need classes with more than the total weight.

    Parameters
    ----------
    clique : Names of items of which no two may share a class; `large_clique` finds them.
    total : Weight of all items.
    words : The word for the items and the unit of their weights.
    """
    count = len(clique)
    if count * k > total:
        items, unit = words
        listing = ", ".join(clique[:3]) + (" …" if count > 3 else "")
        raise Infeasible(
            f"{count:,} {items} must all be apart ({listing}), which takes {count:,} groups of at least k = {k:,}, but "
            f"there are {total:,} {unit} in total; lower k to {total // count:,} or less, or keep fewer {items} "
            f"apart."
        )


def parts_of(edges: np.ndarray, count: int) -> np.ndarray:
    """(n,) int32: the number of each vertex's connected part, with parts numbered by their first vertex.

    Parameters
    ----------
    edges : (e, 2) int
    count : Number of vertices n.

    >>> parts_of(np.array([(0, 3), (2, 4)]), 5).tolist()
    [0, 1, 2, 0, 2]
    """
    if not len(edges):
        return np.arange(count, dtype=np.int32)
    from scipy.sparse import coo_array  # imported here to keep the start fast
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(edges), dtype=np.int8), edges.T), shape=(count, count))
    parts: np.ndarray = connected_components(graph, directed=False)[1].astype(np.int32, copy=False)
    return parts


def sums_of(values: np.ndarray, part: np.ndarray) -> np.ndarray:
    """(parts,) int64: the sum of the values in each part.

    >>> sums_of(np.array([5, 1, 2]), np.array([1, 0, 1])).tolist()
    [1, 7]
    """
    sums = np.zeros(int(part.max()) + 1, dtype=np.int64)
    np.add.at(sums, part, values)
    return sums
