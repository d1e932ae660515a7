"""What stands in the editor of a table's columns and is not yet used."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pandas as pd

import kanon_engine as kanon
from kanon_engine.tables.hierarchies import GROWN
from kanon_engine.tables.tree import Tree
from pages._tables.changes import Columns
from pages._tables.order_lines import Reading, lines_of, read_lines
from pages._tables.tree_lines import lines_of_tree, tree_of_lines

EVERY, RANGES, LIST, TREE = "Every number", "Ranges", "My own order", "Hierarchy"
OPENED = "tables_columns_opened"  # counts how often an editor was opened
MOST_LINES = 2_000


@dataclass
class Draft:
    """What stands in the editor and is not yet used.

    Attributes
    ----------
    roles : dict of column to role
    keep : dict of column to bool
        Whether it is released unchanged.
    ways : dict of column to EVERY, RANGES, LIST or TREE
        EVERY means LIST where a column holds other things than numbers.
    bins : dict of column to [beginning, width]
    texts : dict of column to the lines of its list
    problems : dict of column to a sentence
        Why a hierarchy could not be read.
    unit : str
    trees : dict of column to the lines of its hierarchy
    groups : dict of column to another column
        That holds the groups of its values; "" where the lines do.
    top, bottom : dict of column to number
        Where its tails begin.
    unused : dict of column to a sentence
        Why its ranges cannot be used.
    begun : set of str
        The fields for numbers that have their first one.
    """

    roles: dict[str, str]
    keep: dict[str, bool]
    ways: dict[str, str]
    bins: dict[str, list[Any]]
    texts: dict[str, str]
    problems: dict[str, str]
    unit: str
    trees: dict[str, str] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    top: dict[str, float] = field(default_factory=dict)
    bottom: dict[str, float] = field(default_factory=dict)
    unused: dict[str, str] = field(default_factory=dict)
    begun: set[str] = field(default_factory=set)


def drafted(known: pd.DataFrame, columns: Columns) -> Draft:
    """An editor in which these columns stand."""
    orders, bins = columns["orders"], columns["bins"]
    texts = {
        name: "\n".join(_listed(values, orders.get(name, values)))
        for name, values in zip(known["column"], known["order"], strict=True)
        if len(values) <= MOST_LINES or name in orders
    }
    ways = {
        name: TREE if name in columns["trees"] else RANGES if name in bins else LIST if name in orders else EVERY
        for name in known["column"]
    }
    domains = dict(zip(known["column"], known["order"], strict=True))
    trees, groups = {}, {}
    for name, entry in columns["trees"].items():
        if isinstance(entry, str) and entry not in GROWN:
            groups[name] = entry
        elif name in domains:
            rows = GROWN[entry](domains[name]).rows if isinstance(entry, str) else entry
            trees[name] = lines_of_tree(rows, domains[name])
    roles = {name: columns["roles"].get(name, "other") for name in known["column"]}
    keep = {name: columns["keep"].get(name, False) for name in known["column"]}
    top, bottom = dict(columns["top"]), dict(columns["bottom"])
    ranges = {name: list(entry) for name, entry in bins.items()}
    return Draft(roles, keep, ways, ranges, texts, {}, columns["unit"], trees, groups, top, bottom)


def with_orders(known: pd.DataFrame, roles: dict[str, str], draft: Draft) -> Columns:
    """The orders and ranges of quasi-identifiers that stand in the editor.

    Raises
    ------
    InvalidInput
        One of them makes no sense.
    """
    orders, bins, trees = {}, {}, {}
    tails: dict[str, dict[str, float]] = {"top": {}, "bottom": {}}
    for name, values, numbers in zip(known["column"], known["order"], known["numbers"], strict=True):
        way = draft.ways[name] if numbers or draft.ways[name] == TREE else LIST
        if roles[name] != "quasi-identifier":
            if way == RANGES and draft.keep[name] and name in draft.bins:  # an audit asked for them
                bins[name] = draft.bins[name]
            continue
        if way in (EVERY, RANGES):
            for what, limits in tails.items():
                limits |= {name: getattr(draft, what)[name]} if name in getattr(draft, what) else {}
        if way == TREE:
            trees[name] = draft.groups.get(name) or read_tree(known, name, draft).rows
        elif way == RANGES:
            if name in draft.unused:
                raise kanon.InvalidInput(f"The ranges of “{name}” cannot be used: {draft.unused[name]}")
            start, width = draft.bins.get(name, [0, None])
            if width is None or width <= 0:
                raise kanon.InvalidInput(f"The ranges of “{name}” have no width; give a number above 0.")
            bins[name] = [start or 0, width]
        elif way == LIST and name in draft.texts:
            reading = read_draft(known, name, draft)
            if reading.problems:
                raise kanon.InvalidInput(f"The order of “{name}” cannot be used: {reading.problems[0]}")
            order = [*reading.order, *([None] if None in values and None not in reading.order else [])]
            if order != values:
                orders[name] = order
    return {"orders": orders, "bins": bins, "trees": trees, **tails}


def row_of(known: pd.DataFrame, name: str) -> pd.Series:
    """What is known of a column."""
    return known[known["column"] == name].iloc[0]


def read_draft(known: pd.DataFrame, name: str, draft: Draft) -> Reading:
    """What the list of a column says."""
    row = row_of(known, name)
    counts = dict(zip(row["order"], row["counts"], strict=True))
    return read_lines(draft.texts[name], lines_of(row["order"]), counts, draft.unit)


def read_tree(known: pd.DataFrame, name: str, draft: Draft) -> Tree:
    """The hierarchy that the lines of a column give, or `InvalidInput`."""
    return tree_of_lines(name, draft.trees.get(name, ""), row_of(known, name)["order"])


def counts_of(known: pd.DataFrame, name: str) -> dict[str, str]:
    """How often each value occurs, by its line."""
    row = row_of(known, name)
    return {line: f"{count:,}" for line, count in zip(lines_of(row["order"]), row["counts"], strict=True)}


def lines_in(text: str) -> list[str]:
    """The lines of a list, each once."""
    return list(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))


def _listed(values: list[Any], order: list[Any]) -> list[str]:
    """The lines of an order, of which some values may not occur, and all that occur."""
    lines = {value: line for line, value in lines_of(values).items()}
    return [lines.get(value, str(value)) for value in order if value in lines or value is not None] + [
        line for value, line in lines.items() if value not in order
    ]
