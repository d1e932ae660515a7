"""Tables: records with several quasi-identifiers, each over an ordered domain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.io.counts import Counted
from kanon_engine.model.serialize import content_digest
from kanon_engine.model.tree import Tree, tree_for
from kanon_engine.model.values import Value, column_values, domain_of
from kanon_engine.shown import Shown
from kanon_engine.validate import frozen, length_of, require_known_name, require_total, whole_numbers
from kanon_engine.verification.table_costs import are_numbers

MOST_RECORDS = 2**31 - 1  # squares of class sizes, and their sums, stay exact in int64


@dataclass(frozen=True)
class IntervalDetails:
    """Column intervals, and the course of the search for them."""

    # mapping of column to tuple of tuples of values: the domain of each quasi-identifier in order, cut into intervals
    intervals: Mapping[str, tuple[tuple[Value, ...], ...]]
    # (c, 2) int32: the same as cut values: quasi-identifier number and position in its domain at which an interval
    # begins; in ascending order. Position 0 begins one always and is not listed
    cuts: np.ndarray
    suppressed: int  # records left out, because fewer than k share their intervals
    nodes: int  # nodes of the search tree that were examined; 0 where no tree is searched
    # (p, 3) int64: the course of the search: nodes, best cost and proven lower bound after so many nodes; descents
    # instead of nodes where no tree is searched. The last row is the result
    curve: np.ndarray


@dataclass(frozen=True)
class BoxDetails:
    """Boxes: what each class shows is an interval of every column, not the same intervals everywhere."""

    # low, high: (m, q) int32: first and last position, in the domain of each of the q quasi-identifiers, of what the
    # records of a class show; classes are in the order of these rows
    low: np.ndarray
    high: np.ndarray
    rounds: int  # neighborhoods of classes that were re-cut
    # (p, 3) int64: the course of the search: rounds, best cost and proven lower bound after so many. The last row is
    # the result
    curve: np.ndarray


@dataclass(frozen=True)
class CellDetails:
    """Suppressed cells."""

    stars: np.ndarray  # (m, q) bool: which of the q quasi-identifiers are suppressed in the records of each class
    suppressed: int  # suppressed cells in all records together
    nodes: int  # nodes of the solver's search tree; 0 where none is searched


@dataclass(frozen=True, eq=False, repr=False)
class Table(Shown):
    """Records with quasi-identifiers (Bayardo, Agrawal 2005, section 3).

    Parameters
    ----------
    frame : DataFrame
        One row per record, or as many records as `weights` says. A release shows other columns only on request. Names
        of columns become text: the column 1 becomes the column "1", as in every file.
    quasi_identifiers : sequence of str. Columns that could be linked with other data.
    class_label : str, optional. The column that a model is to predict, for the classification metric.
    orders : mapping of column to sequence of values, optional
        Every value of a quasi-identifier in the order of its domain; values that do not occur are allowed. Without one,
        numbers are ordered by value, ordered categories by their order, everything else alphabetically.
        A missing value is a value of its own, `None`, and the last one if the order does not list it.
    unit : str. What a record is.
    notes : tuple of str. How the data was read, and anything unusual.
    reading : mapping. How the data was read, to read it again.
    counted : Counted, optional. What a reader used as weights.
    ordered : sequence of str, optional
        The quasi-identifiers whose domains a person gave, by an order, a hierarchy or ranges, so that these are public;
        all other domains are what occurs in the data. Those of `orders` and `trees` if not given.
    trees : mapping of column to Tree, optional
        The hierarchies of quasi-identifiers: their values are only generalized to nodes of the tree. The order of such
        a domain is the tree's.
    left_out : tuple of str. The columns of the file that are not in the frame.
    guessed : mapping of column to words
        The roles that a reader guessed, with the reason; empty where a person set the roles.
    weights : (n,) whole numbers >= 1, optional
        How many records, identical in every column, each row represents; 1 each when None. All records of a row are in
        one class. k, costs, bounds and requirements count records. At most 2,147,483,647 of them.

    Raises
    ------
    InvalidInput
        No rows, no quasi-identifiers, unknown or repeated columns, an order or a tree that lacks a value, an order that
        repeats one, weights that are not whole numbers of at least 1 or not one per row, too many records.

    >>> people = pd.DataFrame({"age": [30, 30, 41, None], "sex": ["m", "f", "f", "m"]})
    >>> table = Table(people, ["age", "sex"])
    >>> table.domains
    ((30, 41, None), ('f', 'm'))
    >>> table.codes.tolist()
    [[0, 1], [0, 0], [1, 0], [2, 1]]
    >>> table.cut_values.tolist()
    [[0, 1], [0, 2], [1, 1]]
    >>> counted = Table(pd.DataFrame({"zip": ["06604", "06605"]}), ["zip"], weights=[1200, 37])
    >>> len(counted), counted.total, counted.weighted
    (2, 1237, True)
    """

    frame: pd.DataFrame
    quasi_identifiers: Sequence[str]
    class_label: str | None = None
    orders: Mapping[str, Sequence[Value]] | None = None
    unit: str = field(default="records", kw_only=True)
    notes: tuple[str, ...] = field(default=(), kw_only=True)
    reading: Mapping[str, Any] = field(default_factory=dict, kw_only=True, repr=False)
    ordered: Sequence[str] | None = field(default=None, kw_only=True, repr=False)
    counted: Counted | None = field(default=None, kw_only=True, repr=False)
    trees: Mapping[str, Tree] = field(default_factory=dict, kw_only=True, repr=False)
    left_out: tuple[str, ...] = field(default=(), kw_only=True, repr=False)
    guessed: Mapping[str, str] = field(default_factory=dict, kw_only=True, repr=False)
    weights: Any = field(default=None, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.frame, pd.DataFrame):
            raise InvalidInput(f"A table is made from a DataFrame, not from a {type(self.frame).__name__}.")
        frame = self.frame.reset_index(drop=True).copy()
        frame.columns = [str(name) for name in frame.columns]
        if len(frame) == 0:
            raise InvalidInput("The table has no rows; give at least one record.")
        if not frame.columns.is_unique:
            name = frame.columns[frame.columns.duplicated()][0]
            raise InvalidInput(f"Two columns are called {name!r}; rename one.")
        label = None if self.class_label is None else str(self.class_label)
        object.__setattr__(self, "weights", _weights(self.weights, len(frame)))
        object.__setattr__(self, "frame", frame)
        object.__setattr__(self, "class_label", label)
        object.__setattr__(self, "quasi_identifiers", _roles(frame, self.quasi_identifiers, label))
        orders = {str(name): order for name, order in (self.orders or {}).items()}
        trees = {str(name): tree for name, tree in (self.trees or {}).items()}
        for what, name in (*(("An order", name) for name in orders), *(("A hierarchy", name) for name in trees)):
            if name not in self.quasi_identifiers:
                listing = ", ".join(self.quasi_identifiers)
                raise InvalidInput(
                    f"{what} is given for {name!r}, which is not a quasi-identifier; the quasi-identifiers are: "
                    f"{listing}."
                )
        columns, domains = [], []
        for name in self.quasi_identifiers:
            values = column_values(frame[name])
            if name in trees:
                trees[name] = tree_for(name, trees[name], values)
                if name in orders and tuple(orders[name]) != tuple(trees[name].values):
                    raise InvalidInput(f"An order and a hierarchy are given for {name!r}; give one of them.")
            order = trees[name].values if name in trees else orders.get(name)
            domain = domain_of(name, frame[name], values, order)
            columns.append(_codes_of(values, domain))
            domains.append(domain)
        object.__setattr__(self, "orders", dict(zip(self.quasi_identifiers, domains, strict=True)))
        ordered_names = dict.fromkeys((*orders, *trees))
        object.__setattr__(self, "ordered", tuple(ordered_names if self.ordered is None else self.ordered))
        object.__setattr__(self, "trees", trees)
        object.__setattr__(self, "_codes", frozen(np.column_stack(columns)))

    def _facts(self) -> dict[str, object]:
        return {
            self.unit: self.total,
            **({"rows": len(self)} if self.weighted else {}),
            "quasi-identifiers": self.quasi_identifiers,
            "class label": self.class_label or "none",
        }

    def __len__(self) -> int:
        return len(self.frame)

    def is_ordered(self, name: str) -> bool:
        """Whether a person gave the order of this column's domain, or its ranges."""
        return name in (self.ordered or ())

    def tree(self, name: str) -> Tree | None:
        """The hierarchy of this column; None where any interval of its domain may be shown."""
        return self.trees.get(name)

    @property
    def domains(self) -> tuple[tuple[Value, ...], ...]:
        """The values of each quasi-identifier in order."""
        return tuple(tuple(self.orders[name]) for name in self.quasi_identifiers)  # type: ignore[index]

    @property
    def codes(self) -> np.ndarray:
        """(n, q) int32: the position of each record's value in the domain of each quasi-identifier."""
        return self._codes  # type: ignore[attr-defined, no-any-return]

    @cached_property
    def weighted(self) -> bool:
        """Whether a row represents several records."""
        return bool(self.weights.max() > 1)

    @cached_property
    def ids(self) -> np.ndarray:
        """(n,) int64: 1 for the first row, as in `label`; a table's records have no other name."""
        return frozen(np.arange(1, len(self) + 1, dtype=np.int64))

    @cached_property
    def labels(self) -> np.ndarray:
        """(n,) int32: the class label of each record as a number from 0, a missing one too; all 0 without labels."""
        if self.class_label is None:
            return frozen(np.zeros(len(self), dtype=np.int32))
        cells = column_values(self.frame[self.class_label])
        return frozen(_codes_of(cells, dict.fromkeys(cells)))

    @cached_property
    def tuples(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Identical tuples combined.

        Returns `distinct`: (t, q) int32. Every tuple of codes that occurs, in lexicographic order; `counts`: (t, c)
            int64. How many records of each class label have it; c is 1 without labels; `numbers`: (n,) int64. The tuple
            of each row.
        """
        distinct, numbers = np.unique(self.codes, axis=0, return_inverse=True)
        numbers = numbers.reshape(-1)
        counts = np.zeros((len(distinct), int(self.labels.max()) + 1), dtype=np.int64)
        np.add.at(counts, (numbers, self.labels), self.weights)
        return frozen(distinct), frozen(counts), frozen(numbers)

    def sensitive(self, column: str) -> tuple[np.ndarray, tuple[Value, ...]]:
        """A column that is not a quasi-identifier, for requirements on its values.

        Returns `codes`: (n,) int32. The position of each record's value; `values`: those that occur, numbers by value,
            ordered words in their order, a missing one as None after all others.
        Raises `InvalidInput`: no such column, or a quasi-identifier.
        """
        if column not in self._sensitive:
            require_known_name(list(self.frame.columns), column, "requirements")
            if column in self.quasi_identifiers:
                raise InvalidInput(
                    f"{column!r} is a quasi-identifier, so its values are generalized; diversity and closeness are for "
                    "sensitive columns.",
                    parameter="require",
                    value=column,
                )
            cells = column_values(self.frame[column])
            occurring = set(cells)
            values = tuple(value for value in domain_of(column, self.frame[column], cells, None) if value in occurring)
            if are_numbers(values):  # also categories in another order
                values = tuple(sorted(values, key=lambda value: (value is None, value)))
            self._sensitive[column] = frozen(_codes_of(cells, values)), values
        return self._sensitive[column]

    @cached_property
    def _sensitive(self) -> dict[str, tuple[np.ndarray, tuple[Value, ...]]]:
        return {}

    @cached_property
    def cut_values(self) -> np.ndarray:
        """(a, 2) int32: every quasi-identifier and position at which a cut separates records; the paper's alphabet."""
        pairs = [
            (attribute, position)
            for attribute in range(len(self.quasi_identifiers))
            for position in np.unique(self.codes[:, attribute])[1:].tolist()
        ]
        return frozen(np.array(pairs, dtype=np.int32).reshape(-1, 2))

    @cached_property
    def digest(self) -> str:
        """SHA-256 over `parts`."""
        return content_digest(**self.parts)

    @property
    def parts(self) -> dict[str, Any]:
        """Every cell, the weights, the roles, the orders, the trees and the unit; not the file."""
        cells = {str(name): column_values(self.frame[name]) for name in self.frame.columns}
        attributes = ("quasi_identifiers", "class_label", "orders", "unit", *(["trees"] if self.trees else []))
        more = {"weights": self.weights} if self.weighted else {}
        return {"cells": cells} | {name: getattr(self, name) for name in attributes} | more

    @property
    def columns(self) -> Mapping[str, np.ndarray]:
        """None: only records are counted."""
        return {}

    @cached_property
    def total(self) -> int:
        """Number of records."""
        return int(self.weights.sum())

    def label(self, position: int) -> str:
        """The name of the row at a position, for people."""
        return f"{'row' if self.weighted else 'record'} {position + 1}"

    def require_feasible(self, k: int) -> None:
        """Raise `Infeasible` unless there are at least k records."""
        require_total(self.total, k, self.unit)


def _codes_of(cells: Sequence[Value], domain: Iterable[Value]) -> np.ndarray:
    """(n,) int32: the position of each cell's value."""
    place = {value: code for code, value in enumerate(domain)}
    return np.fromiter((place[value] for value in cells), dtype=np.int32, count=len(cells))


def _weights(values: Any, rows: int) -> np.ndarray:
    """(n,) int64, one per row; ones where none are given."""
    if values is None:
        return frozen(np.ones(rows, dtype=np.int64))
    if length_of(values, "weights") != rows:
        raise InvalidInput(f"There are {len(values):,} weights for {rows:,} rows; give one per row.")
    weights = whole_numbers(values, "weights", 1)
    if int(weights.sum()) > MOST_RECORDS:
        raise InvalidInput(
            f"The weights sum to {int(weights.sum()):,}; a table has at most {MOST_RECORDS:,} records, so "
            "use part of it."
        )
    return weights


def _roles(frame: pd.DataFrame, names: Any, class_label: str | None) -> tuple[str, ...]:
    """The quasi-identifiers as a tuple; each is a column, none is repeated, none is the class label."""
    if isinstance(names, str) or not isinstance(names, Sequence) or len(names) == 0:
        raise InvalidInput(f"The quasi-identifiers are {names!r}; give a list with at least one column.")
    names = [str(name) for name in names]
    for name in names:
        require_known_name(list(frame.columns), name, "quasi-identifiers")
        if names.count(name) > 1:
            raise InvalidInput(f"The quasi-identifier {name!r} is given twice; give it once.")
    if class_label is not None:
        require_known_name(list(frame.columns), class_label, "class label")
        if class_label in names:
            raise InvalidInput(f"The class label {class_label!r} is also a quasi-identifier; a column cannot be both.")
    return tuple(names)


MOST_ROWS = 5_000_000  # rows that a weighted table is expanded to


def record_rows(table: Table, selected: np.ndarray | None = None) -> np.ndarray:
    """(records,) int64: the row of each record, in the order of the rows; of `selected` alone where that is given.

    >>> import pandas as pd
    >>> record_rows(Table(pd.DataFrame({"age": [30, 41]}), ["age"], weights=[2, 3])).tolist()
    [0, 0, 1, 1, 1]
    """
    rows = np.arange(len(table)) if selected is None else selected
    if not table.weighted:
        return rows
    why = too_many(table)
    if why:
        raise InvalidInput(why)
    return np.repeat(rows, table.weights[rows])


def too_many(table: Table) -> str:
    """Why the records are not examined one by one, a sentence; "" where they can be.

    >>> import pandas as pd
    >>> too_many(Table(pd.DataFrame({"age": [30]}), ["age"], weights=[3])) == ""
    True
    """
    if not table.weighted or table.total <= MOST_ROWS:
        return ""
    return (
        f"The {len(table):,} rows represent {table.total:,} {table.unit}, too many to be examined one by one (at most "
        f"{MOST_ROWS:,}); leave them where they are stored and release them from there (docs/records.md)."
    )
