"""Hierarchies of a domain: groups of values, groups of groups, up to the whole domain, with a word for each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.model.values import Value, is_number, plain_value, value_words
from kanon_engine.model.words import counted
from kanon_engine.shown import Shown
from kanon_engine.validate import frozen

ROOT = "*"
DIGIT = re.compile(r"\d")


@dataclass(frozen=True, repr=False)
class Tree(Shown):
    """A hierarchy over the values of a column.

    Parameters
    ----------
    values : sequence of values. The domain in preorder: every node of the tree is a run of positions.
    levels : sequence of sequences of str
        levels[i][p] is the word for the value at position p at level i + 1. Each level is coarser than the one before;
        the last is the whole domain, under one word. Equal adjacent words with the same words above them are one node.

    Raises
    ------
    InvalidInput
        A duplicate value, a level with the wrong number of words, a node whose values are not adjacent, or a last level
        with several nodes. `from_levels` sorts rows and completes them.

    >>> tree = Tree.from_levels([("Paris", "Europe", "*"), ("Lima", "America", "*"), ("Rome", "Europe", "*")])
    >>> tree.values, tree.label(0, 1), tree.label(2, 2), tree.label(0, 2), tree.label(1, 2)
    (('Paris', 'Rome', 'Lima'), 'Europe', 'Lima', '*', None)
    >>> tree.starts.tolist(), tree.ends.tolist()
    ([[0, 1, 2], [0, 0, 2], [0, 0, 0]], [[0, 1, 2], [1, 1, 2], [2, 2, 2]])
    """

    values: Sequence[Value]
    levels: Sequence[Sequence[str]]

    def __post_init__(self) -> None:
        values = tuple(map(plain_value, self.values))
        levels = tuple(tuple(str(word) for word in level) for level in self.levels)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "levels", levels)
        if not values:
            raise InvalidInput("The hierarchy has no values; give at least one row: value;group;…;*.")
        for number, level in enumerate(levels, start=1):
            if len(level) != len(values):
                raise InvalidInput(
                    f"Level {number} of the hierarchy has {counted(len(level), 'name')} for "
                    f"{counted(len(values), 'value')}; give the name of one group for each value."
                )
        places: dict[Value, int] = {}
        for place, value in enumerate(values):
            if places.setdefault(value, place) != place:
                raise InvalidInput(f"The hierarchy lists {value_words(value)!r} twice; list each value once.")
        starts, ends = _runs(levels, len(values))
        object.__setattr__(self, "_starts", frozen(starts))
        object.__setattr__(self, "_ends", frozen(ends))
        if not levels or int(ends[-1, 0]) != len(values) - 1:
            raise InvalidInput(
                "The last level of the hierarchy has several groups; add a level with one group for all, such as “*”."
            )
        for number, row in enumerate(starts[1:], start=1):
            visited: set[tuple[str, ...]] = set()
            for start in np.unique(row).tolist():
                path = tuple(level[start] for level in levels[number - 1 :])
                if path in visited:
                    raise InvalidInput(f"The values in the group “{path[0]}” are not adjacent; put them side by side.")
                visited.add(path)

    @classmethod
    def from_levels(cls, rows: Iterable[Sequence[Any]]) -> Tree:
        """A tree from rows as ARX writes them, in any order: a value and its word at each level.

        If the last column is not one word for all, "*" is added. A row may be shorter than others, and a cell may be
        empty: the value has no group there and stays as it was one level below; the last cell of a short row is its
        largest group. A name under two other names, such as "Other", is two groups; if it has a digit, such as
        "15–24", it is a mistake.

        Parameters
        ----------
        rows : iterable of sequences
            Value, level 1, level 2, …. Numbers are sorted, other values keep the order of the rows.

        Raises
        ------
        InvalidInput : No rows, a duplicate value, or levels that are not nested.

        >>> Tree.from_levels([("Monaco", "Europe"), ("Paris", "France", "Europe"), ("Guam",)]).levels
        (('Monaco', 'France', 'Guam'), ('Europe', 'Europe', 'Guam'), ('*', '*', '*'))
        """
        table = [[plain_value(row[0]), *(_word(cell) for cell in row[1:])] for row in rows if len(row)]
        if not table:
            raise InvalidInput("The hierarchy has no rows; give one for each value: value;group;…;*.")
        row_of: dict[Value, int] = {}
        for number, (value, *_) in enumerate(table, start=1):
            if row_of.setdefault(value, number) != number:
                raise InvalidInput(
                    f"“{value_words(value)}” appears twice in the hierarchy, in rows {row_of[value]} and {number}; "
                    "list each value once."
                )
        paths = _completed(table)
        _require_nested(table, paths)
        first: dict[tuple[Any, ...], int] = {}
        values = [row[0] for row in table]
        numbers = all(value is None or is_number(value) for value in values)
        order = list(range(len(table)))
        if numbers:
            # a missing value comes after all numbers
            order.sort(key=lambda place: (values[place] is None, values[place] or 0))
        for rank, place in enumerate(order):
            for depth in range(len(paths[place])):
                first.setdefault(paths[place][: depth + 1], rank)
        rank_of = {place: rank for rank, place in enumerate(order)}
        order.sort(
            key=lambda place: [*(first[paths[place][: d + 1]] for d in range(len(paths[place]))), rank_of[place]]
        )
        depth = len(paths[0])
        return cls(
            tuple(values[place] for place in order),
            tuple(tuple(paths[place][depth - 1 - level] for place in order) for level in range(depth)),
        )

    def _facts(self) -> dict[str, object]:
        groups = len(self.nodes) - len(self)
        return {"values": len(self), "groups of more than one value": groups, "levels": len(self.levels)}

    def __len__(self) -> int:
        return len(self.values)

    @property
    def starts(self) -> np.ndarray:
        """(levels, d) int32: the first position of each value's node at each level; at level 0 the value's own."""
        return self._starts  # type: ignore[attr-defined, no-any-return]

    @property
    def ends(self) -> np.ndarray:
        """(levels, d) int32: the last position of that node."""
        return self._ends  # type: ignore[attr-defined, no-any-return]

    @property
    def rows(self) -> list[list[Any]]:
        """The hierarchy as ARX writes it: one row per value, with its word at each level."""
        return [[value, *words] for value, *words in zip(self.values, *self.levels, strict=True)]

    @cached_property
    def nodes(self) -> np.ndarray:
        """(m, 2) int32: the first and last position of every node, each once; sorted by both."""
        runs = np.stack([self.starts.ravel(), self.ends.ravel()], axis=1)
        return frozen(np.unique(runs, axis=0))

    def label(self, low: int, high: int) -> str | None:
        """The words of the node with exactly these positions; None if there is none.

        The lowest of several nodes with the same values gives the name. No two runs have the same words: if two nodes
        have the same name, the larger group follows in brackets.
        """
        return self._labels.get((int(low), int(high)))

    def smallest(self, low: Any, high: Any) -> tuple[np.ndarray, np.ndarray]:
        """First and last position of the smallest node that holds the positions from `low` to `high`; arrays too.

        >>> tree = Tree.from_levels([("a", "A"), ("b", "A"), ("c", "B"), ("d", "B")])
        >>> [(int(low), int(high)) for low, high in zip(*tree.smallest([0, 0, 2], [0, 1, 3]), strict=True)]
        [(0, 0), (0, 1), (2, 3)]
        """
        low, high = np.asarray(low), np.asarray(high)
        level = (self.ends[:, low] >= high).argmax(axis=0)
        return self.starts[level, low], self.ends[level, low]

    def with_missing(self) -> Tree:
        """The same tree with the missing value added, last and in no group except the whole domain."""
        if None in self.values:
            return self
        inner = [(*level, value_words(None)) for level in self.levels[:-1]]
        return Tree((*self.values, None), (*inner, (*self.levels[-1], self.levels[-1][0])))

    @cached_property
    def _labels(self) -> dict[tuple[int, int], str]:
        labels = {(place, place): value_words(value) for place, value in enumerate(self.values)}
        used = set(labels.values())
        for level, words in enumerate(self.levels, start=1):
            words_of_runs = {}
            for start in np.unique(self.starts[level]).tolist():
                run = (start, int(self.ends[level, start]))
                if run not in labels:
                    words_of_runs[run] = words[start]
            candidates = list(words_of_runs.values())
            for (start, end), word in words_of_runs.items():
                if word in used or candidates.count(word) > 1:
                    above = next((other[start] for other in self.levels[level:] if other[start] != word), ROOT)
                    word = f"{word} ({above})"
                while word in used:
                    word = f"{word} (level {level})"
                labels[start, end] = word
                used.add(word)
        return labels


def tree_for(name: str, tree: Any, values: Sequence[Value]) -> Tree:
    """The tree for a column with these values: text for its numbers becomes numbers, and missing values are added."""
    if not isinstance(tree, Tree):
        raise InvalidInput(
            f"The tree of {name!r} is a {type(tree).__name__}; give a Tree, for example one made by Tree.from_levels."
        )
    result: Tree = tree
    distinct = dict.fromkeys(values)
    present = [value for value in distinct if value is not None]
    if (
        present
        and all(map(is_number, present))
        and not all(value is None or is_number(value) for value in result.values)
    ):
        result = Tree.from_levels([[_number_of(value), *words] for value, *words in result.rows])
    if None in distinct:
        result = result.with_missing()
    leaves = set(result.values)
    lacking = [value for value in present if value not in leaves]
    if lacking:
        rows = sum(value == lacking[0] for value in values)
        occurrence = f", which is in {rows:,} rows" if rows > 1 else ""
        more = f", and {len(lacking) - 1:,} more" if len(lacking) > 1 else ""
        each = "each" if len(lacking) > 1 else "it"
        raise InvalidInput(f"The hierarchy of {name!r} lacks {lacking[0]!r}{occurrence}{more}; add a line for {each}.")
    return result


def _completed(table: list[list[Any]]) -> list[tuple[str, ...]]:
    """The words of each row from the top of the tree down, the same number for each."""
    texts = []
    for value, *words in table:
        # in a file, a short row ends with empty cells
        while words and not words[-1]:
            words.pop()
        below, path = value_words(value), []
        for word in words:
            below = word or below
            path.append(below)
        texts.append(path)
    if not all(texts) or len({path[-1] for path in texts}) > 1:
        texts = [[*path, ROOT] for path in texts]
    depth = max(map(len, texts))
    return [
        tuple(reversed([value_words(row[0])] * (depth - len(path)) + path))
        for row, path in zip(table, texts, strict=True)
    ]


def _require_nested(table: list[list[Any]], paths: list[tuple[str, ...]]) -> None:
    """Require that every name with a digit has only one name above it."""
    above: dict[str, tuple[str, int]] = {}
    for number, path in enumerate(paths):
        leaf = value_words(table[number][0])
        for depth in range(1, len(path)):
            word, parent = path[depth], path[depth - 1]
            if word in (parent, leaf) or not DIGIT.search(word):
                continue
            first, other = above.setdefault(word, (parent, number))
            if first != parent:
                one, two = (value_words(table[place][0]) for place in (other, number))
                raise InvalidInput(
                    f"The levels of the hierarchy are not nested: “{word}” holds “{one}”, which is in “{first}”, and "
                    f"“{two}”, which is in “{parent}”; put both into the same larger group, or use two names "
                    f"instead of “{word}”."
                )


def _runs(levels: Sequence[Sequence[str]], count: int) -> tuple[np.ndarray, np.ndarray]:
    """(levels + 1, count) int32: first and last position of the node of each value, level by level."""
    starts = np.empty((len(levels) + 1, count), dtype=np.int32)
    ends = np.empty_like(starts)
    new = np.zeros(count, dtype=bool)
    new[0] = True
    for level in range(len(levels), -1, -1):
        if level == 0:
            new[:] = True
        else:
            new[1:] |= np.array([one != other for one, other in pairwise(levels[level - 1])], dtype=bool)
        begins = np.flatnonzero(new)
        number = np.cumsum(new) - 1
        starts[level] = begins[number]
        ends[level] = np.append(begins[1:], count)[number] - 1
    return starts, ends


def _word(cell: Any) -> str:
    """The name of a group; empty for an empty cell."""
    value = plain_value(cell)
    return "" if value is None else value_words(value).strip()


def _number_of(value: Value) -> Value:
    """The number that text represents; other text is unchanged."""
    if not isinstance(value, str):
        return value
    try:
        number = float(value)
    except ValueError:
        return value
    return plain_value(number) if np.isfinite(number) else value
