"""The contents of the editor of a table's columns that are not used yet."""

from __future__ import annotations

import csv
import difflib
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

import kanon_engine as kanon
from kanon_engine.io.cells import MISSING as MARKS
from kanon_engine.io.names import ROLES
from kanon_engine.io.ordered import FORMATS, TEXT
from kanon_engine.model.tree import ROOT, Tree, tree_for
from kanon_engine.model.values import Value, is_number
from kanon_engine.model.words import enumerated
from kanon_engine.tables.hierarchies import GROWN, guessed_way
from pages._shared.widgets import given

EVERY, RANGES, LIST, TREE = "Every number", "Ranges", "My own order", "Hierarchy"
OPENED = "tables_columns_opened"  # counts how often an editor was opened
MOST_LINES = 2_000


@dataclass
class ColumnsDraft:
    """The contents of the editor that are not used yet."""

    roles: dict[str, str]  # dict of column to role
    keep: dict[str, bool]  # dict of column to bool: whether it is released unchanged
    # dict of column to EVERY, RANGES, LIST or TREE: EVERY means LIST if a column holds anything other than numbers
    ways: dict[str, str]
    bins: dict[str, list[Any]]  # dict of column to [start, width]
    texts: dict[str, str]  # dict of column to the lines of its list
    problems: dict[str, str]  # dict of column to a sentence: why a hierarchy could not be read
    unit: str
    trees: dict[str, str] = field(default_factory=dict)  # dict of column to the lines of its hierarchy
    # dict of column to the column with the groups of its values; "" if the lines have them
    groups: dict[str, str] = field(default_factory=dict)
    # top, bottom: dict of column to number: where its tails start
    top: dict[str, float] = field(default_factory=dict)
    bottom: dict[str, float] = field(default_factory=dict)
    unused: dict[str, str] = field(default_factory=dict)  # dict of column to a sentence: why its ranges cannot be used
    begun: set[str] = field(default_factory=set)  # the number fields that already have an initial value


def drafted(profile: pd.DataFrame, columns: Columns) -> ColumnsDraft:
    """An editor with these columns."""
    orders, bins = columns["orders"], columns["bins"]
    texts = {
        name: "\n".join(_listed(values, orders.get(name, values)))
        for name, values in zip(profile["column"], profile["order"], strict=True)
        if len(values) <= MOST_LINES or name in orders
    }
    ways = {
        name: TREE if name in columns["trees"] else RANGES if name in bins else LIST if name in orders else EVERY
        for name in profile["column"]
    }
    domains = dict(zip(profile["column"], profile["order"], strict=True))
    trees, groups = {}, {}
    for name, entry in columns["trees"].items():
        if isinstance(entry, str) and entry not in GROWN:
            groups[name] = entry
        elif name in domains:
            rows = GROWN[entry](domains[name]).rows if isinstance(entry, str) else entry
            trees[name] = lines_of_tree(rows, domains[name])
    roles = {name: columns["roles"].get(name, "other") for name in profile["column"]}
    keep = {name: columns["keep"].get(name, False) for name in profile["column"]}
    top, bottom = dict(columns["top"]), dict(columns["bottom"])
    ranges = {name: list(entry) for name, entry in bins.items()}
    return ColumnsDraft(roles, keep, ways, ranges, texts, {}, columns["unit"], trees, groups, top, bottom)


def with_orders(profile: pd.DataFrame, roles: dict[str, str], draft: ColumnsDraft) -> Columns:
    """The orders and ranges of quasi-identifiers in the editor.

    Raises `InvalidInput`: one of them is not valid.
    """
    orders, bins, trees = {}, {}, {}
    tails: dict[str, dict[str, float]] = {"top": {}, "bottom": {}}
    for name, values, numbers in zip(profile["column"], profile["order"], profile["numbers"], strict=True):
        way = draft.ways[name] if numbers or draft.ways[name] == TREE else LIST
        if roles[name] != "quasi-identifier":
            if way == RANGES and draft.keep[name] and name in draft.bins:  # an audit requested them
                bins[name] = draft.bins[name]
            continue
        if way in (EVERY, RANGES):
            for what, limits in tails.items():
                limits |= {name: getattr(draft, what)[name]} if name in getattr(draft, what) else {}
        if way == TREE:
            trees[name] = draft.groups.get(name) or without_values(read_tree(profile, name, draft), values)
        elif way == RANGES:
            if name in draft.unused:
                raise kanon.InvalidInput(f"The ranges of “{name}” cannot be used: {draft.unused[name]}")
            start, width = draft.bins.get(name, [0, None])
            if width is None or width <= 0:
                raise kanon.InvalidInput(f"The ranges of “{name}” have no width; give a number above 0.")
            bins[name] = [start or 0, width]
        elif way == LIST and name in draft.texts:
            reading = read_draft(profile, name, draft)
            if reading.problems:
                raise kanon.InvalidInput(f"The order of “{name}” cannot be used: {reading.problems[0]}")
            order = [*reading.order, *([None] if None in values and None not in reading.order else [])]
            if order != values:
                orders[name] = order
    return {"orders": orders, "bins": bins, "trees": trees, **tails}


def row_of(profile: pd.DataFrame, name: str) -> pd.Series:
    return profile[profile["column"] == name].iloc[0]


def read_draft(profile: pd.DataFrame, name: str, draft: ColumnsDraft) -> Reading:
    row = row_of(profile, name)
    counts = dict(zip(row["order"], row["counts"], strict=True))
    return read_lines(draft.texts[name], lines_of(row["order"]), counts, draft.unit)


def read_tree(profile: pd.DataFrame, name: str, draft: ColumnsDraft) -> Tree:
    """The hierarchy in the lines of a column, or `InvalidInput`."""
    return tree_of_lines(name, draft.trees.get(name, ""), row_of(profile, name)["order"])


def without_values(tree: Tree, values: list[Any]) -> Any:
    """How kanon makes this hierarchy, which a project stores without any values; else its rows."""
    way, lines = guessed_way(values), lines_of_tree(tree.rows, values)
    with suppress(kanon.InvalidInput):  # days and months that cannot be told apart
        if way is not None and lines_of_tree(GROWN[way](values).rows, values) == lines:
            return way
    return tree.rows


def counts_of(profile: pd.DataFrame, name: str) -> dict[str, str]:
    row = row_of(profile, name)
    return {line: f"{count:,}" for line, count in zip(lines_of(row["order"]), row["counts"], strict=True)}


def _listed(values: list[Any], order: list[Any]) -> list[str]:
    """The lines of an order, in which some values may not occur, plus all values that occur."""
    lines = {value: line for line, value in lines_of(values).items()}
    return [lines.get(value, str(value)) for value in order if value in lines or value is not None] + [
        line for value, line in lines.items() if value not in order
    ]


# ---------------------------------------------------------------------------------------------------------------------
# The user's settings for the columns of a table: roles, orders, ranges; as changes to those guessed or given.
# ---------------------------------------------------------------------------------------------------------------------


PARTS = ("roles", "orders", "bins", "keep", "trees", "top", "bottom", "dates")
NONE = {"roles": "other", "keep": False}  # of a column without settings; None elsewhere
KEEPABLE = ("sensitive", "class label", "other")
COUNT = "count"  # of the column that says how many records a row represents
CHOICES = (*ROLES, COUNT)
UNIT = "records"
Columns = dict[
    str, Any
]  # by column roles, orders, bins, whether it is kept, trees (rows, or a column), tails, formats of dates; and unit


def from_guess(profile: pd.DataFrame) -> Columns:
    """The settings that `columns_frame` guesses; guessed columns are not released unchanged."""
    roles = dict(zip(profile["column"], profile["role"], strict=True))
    return {part: {} for part in PARTS} | {"roles": roles, "unit": UNIT}


def from_settings(settings: Mapping[str, Any]) -> Columns:
    """The settings of a sample; columns that they do not name have no role."""
    roles = dict.fromkeys(settings.get("quasi_identifiers", ()), "quasi-identifier")
    roles |= dict.fromkeys(settings.get("sensitive", ()), "sensitive")
    roles |= dict.fromkeys(settings.get("identifiers", ()), "identifier")
    if settings.get("class_label"):
        roles[settings["class_label"]] = "class label"
    if settings.get("weight"):
        roles[settings["weight"]] = COUNT
    parts = {part: {name: list(entry) for name, entry in settings.get(part, {}).items()} for part in ("orders", "bins")}
    sensitive = [name for name, role in roles.items() if role in ("sensitive", "class label")]
    keep = dict.fromkeys(settings.get("keep", sensitive), True)
    trees = {name: [list(row) for row in rows] for name, rows in (settings.get("trees") or {}).items()}
    trees |= settings.get("grow") or {}
    by_column = {what: dict(settings.get(what) or {}) for what in ("top", "bottom")}
    dates = settings.get("dates") or {}
    by_column["dates"] = dict.fromkeys(roles, TEXT) if dates == TEXT else dict(dates)
    return {"roles": roles, **parts, "keep": keep, "trees": trees, **by_column, "unit": settings.get("unit", UNIT)}


def changes(base: Columns, new_columns: Columns) -> Columns:
    """The differences; None for a value reset to its default.

    >>> base = {"roles": {"age": "quasi-identifier"}, "orders": {}, "bins": {"age": [17, 5]}, "keep": {}, "unit": "day"}
    >>> changes(base, base | {"roles": {"age": "quasi-identifier", "sex": "sensitive"}, "bins": {}})
    {'roles': {'sex': 'sensitive'}, 'bins': {'age': None}}
    """
    differences: Columns = {}
    for part in PARTS:
        old, new, none = base.get(part, {}), new_columns.get(part, {}), NONE.get(part)
        names = [*old, *(name for name in new if name not in old)]
        differs = {name: new.get(name, none) for name in names if new.get(name, none) != old.get(name, none)}
        differences |= {part: differs} if differs else {}
    return differences | ({"unit": new_columns["unit"]} if new_columns["unit"] != base["unit"] else {})


def changed(base: Columns, different: Columns) -> Columns:
    """The inverse of `changes`."""
    result: Columns = {}
    for part in PARTS:
        entries = base.get(part, {}) | different.get(part, {})
        result[part] = {name: entry for name, entry in entries.items() if entry is not None}
    return result | {"unit": different.get("unit", base["unit"])}


def reader_settings(columns: Columns) -> dict[str, Any]:
    """The reader's arguments.

    Raises `InvalidInput`: no quasi-identifier, two class labels, or two columns of counts.
    """
    by_role = {role: [name for name, assigned in columns["roles"].items() if assigned == role] for role in CHOICES}
    quasi, labels, counts = by_role["quasi-identifier"], by_role["class label"], by_role[COUNT]
    if not quasi:
        raise kanon.InvalidInput("No column is a quasi-identifier; give at least one this role.")
    if len(labels) > 1:
        raise kanon.InvalidInput(f"Two columns are class labels: {', '.join(labels)}; choose one.")
    if len(counts) > 1:
        raise kanon.InvalidInput(f"Two columns hold the counts: {', '.join(counts)}; choose one.")
    released = [name for name in columns["keep"] if is_kept(columns, name)]
    trees = {name: entry for name, entry in columns["trees"].items() if name in quasi}
    return given(
        quasi_identifiers=quasi,
        class_label=labels[0] if labels else None,
        weight=counts[0] if counts else None,
        identifiers=by_role["identifier"],
        sensitive=by_role["sensitive"],
        keep=released,
        bins={name: tuple(entry) for name, entry in columns["bins"].items() if name in {*quasi, *released}} or None,
        orders={name: order for name, order in columns["orders"].items() if name in quasi} or None,
        trees={name: rows for name, rows in trees.items() if not isinstance(rows, str)} or None,
        grow={name: way for name, way in trees.items() if isinstance(way, str)} or None,
        top={name: limit for name, limit in columns["top"].items() if name in quasi} or None,
        bottom={name: limit for name, limit in columns["bottom"].items() if name in quasi} or None,
        dates=columns["dates"] or None,
        unit=None if columns["unit"] == UNIT else columns["unit"],
    )


def is_kept(columns: Columns, name: str) -> bool:
    """Whether a column is released unchanged or in ranges."""
    return bool(columns["keep"].get(name)) and columns["roles"].get(name, "other") in KEEPABLE


def mended(columns: Columns, mend: kanon.Mend, order: Sequence[Any] = ()) -> Columns:
    """The columns after one step that an audit proposes; `order` is the column's domain in the file.

    >>> columns = {"roles": {"age": "quasi-identifier"}, "orders": {}, "bins": {}, "keep": {"pay": True}, "unit": "day"}
    >>> mended(columns, kanon.Mend("quasi-identifier", "pay"))["roles"]
    {'age': 'quasi-identifier', 'pay': 'quasi-identifier'}
    >>> mended(columns, kanon.Mend("drop", "pay"))["keep"], mended(columns, kanon.Mend("round", "pay", (0, 5)))["bins"]
    ({'pay': False}, {'pay': [0, 5]})
    >>> mended(columns | {"trees": {}}, kanon.Mend("group", "born", ("dates",)))["trees"]
    {'born': 'dates'}
    """
    name = mend.column
    roles, keep, bins, orders = (dict(columns[part]) for part in ("roles", "keep", "bins", "orders"))
    if mend.action == "quasi-identifier":
        roles[name], keep[name] = "quasi-identifier", False
    elif mend.action == "drop":
        keep[name] = False
        if roles.get(name) == "quasi-identifier":
            roles[name] = "other"
    elif mend.action == "round" and mend.value is not None:
        bins[name] = list(mend.value)
        orders.pop(name, None)
        columns = columns | {
            part: {other: entry for other, entry in columns.get(part, {}).items() if other != name}
            for part in ("trees", "top", "bottom")
        }
    elif mend.action == "group" and mend.value is not None:
        columns = columns | {"trees": columns["trees"] | {name: mend.value[0]}}
        orders.pop(name, None)
    elif mend.action == "public":
        orders[name] = list(order)
    return columns | {"roles": roles, "keep": keep, "bins": bins, "orders": orders}


def as_text(different: Columns) -> str:
    """Changes as one line, for the address bar; "" for none."""
    return json.dumps(different, ensure_ascii=False, separators=(",", ":")) if different else ""


def from_text(text: str) -> Columns:
    """Changes from one line, or ValueError if the line is not valid."""
    different = json.loads(text) if text else {}
    if not isinstance(different, dict) or set(different) - {*PARTS, "unit"}:
        raise ValueError(text)
    fits = {
        "roles": lambda entry: entry in CHOICES,
        "orders": lambda entry: entry is None or (isinstance(entry, list) and not any(map(_nested, entry))),
        "bins": lambda entry: (
            entry is None or (isinstance(entry, list) and len(entry) == 2 and all(map(_finite, entry)))
        ),
        "keep": lambda entry: isinstance(entry, bool),
        "trees": lambda entry: entry is None or isinstance(entry, str) or _rows(entry),
        "top": lambda entry: entry is None or _finite(entry),
        "bottom": lambda entry: entry is None or _finite(entry),
        "dates": lambda entry: entry is None or entry in FORMATS,
    }
    for part, fit in fits.items():
        entries = different.get(part, {})
        if not isinstance(entries, dict) or not all(map(fit, entries.values())):
            raise ValueError(text)
    if not isinstance(different.get("unit", UNIT), str):
        raise ValueError(text)
    return different


def _finite(value: Any) -> bool:
    return is_number(value) and abs(value) < float("inf")


def _rows(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(row, list) and not any(map(_nested, row)) for row in value)


def _nested(value: Any) -> bool:
    return isinstance(value, list | dict)


# ---------------------------------------------------------------------------------------------------------------------
# The order of a column as editable lines, and back.
# ---------------------------------------------------------------------------------------------------------------------


MISSING = "(missing)"
MOST_NAMED = 4


@dataclass(frozen=True)
class Reading:
    """The contents of a list."""

    order: tuple[Value, ...]
    # problems, remarks: why it cannot be used, and what else is worth knowing; sentences
    problems: tuple[str, ...]
    remarks: tuple[str, ...]
    lacking: tuple[str, ...]  # lines of values missing from the list


def lines_of(values: Iterable[Value]) -> dict[str, Value]:
    """A line for each value, all different, in this order.

    >>> lines_of([17, "two\\nlines", "(missing)", None])
    {'17': 17, 'two ⏎ lines': 'two\\nlines', '(missing)': '(missing)', '(missing)′': None}
    """
    lines: dict[str, Value] = {}
    for value in values:
        line = MISSING if value is None else " ⏎ ".join(str(value).splitlines()).strip() or "(empty)"
        while line in lines:
            line += "′"
        lines[line] = value
    return lines


def read_lines(text: str, value_of_line: Mapping[str, Value], counts: Mapping[Value, int], unit: str) -> Reading:
    """The order in a list, or what is wrong with it.

    Parameters
    ----------
    text : One value per line; empty lines are ignored.
    value_of_line : From `lines_of`, of the values that occur.
    counts : How often each occurs.
    unit : What a row is.

    >>> read_lines("low\\nhihg\\n", lines_of(["high", "low"]), {"high": 7, "low": 2}, "records").problems
    ('“high” (7 records) is not in the list. Is “hihg” in line 2 meant to be “high”?',)
    """
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    first: dict[Value, int] = {}
    problems, unknown = [], []
    for number, line in lines:
        value = _value(line, value_of_line)
        if value in first:
            problems.append(f"“{line}” appears twice, in lines {first[value]} and {number}; remove one of them.")
            continue
        first[value] = number
        if value not in counts:
            unknown.append((number, line))
    lacking = [line for line, value in value_of_line.items() if value not in first and value is not None]
    if lacking:
        words = [f"“{line}” ({counts[value_of_line[line]]:,} {unit})" for line in lacking]
        guesses = "".join(
            f" Is “{line}” in line {number} meant to be “{close[0]}”?"
            for number, line in unknown[:2]
            if (close := difflib.get_close_matches(line, lacking, 1))
        )
        verb = "is" if len(lacking) == 1 else "are"
        problems.insert(0, f"{_some(words)} {verb} not in the list.{guesses}")
    remarks = []
    if unknown and not lacking:
        verb = "does" if len(unknown) == 1 else "do"
        remarks.append(
            f"{_some([f'“{line}”' for _, line in unknown])} {verb} not occur in the data; this does no harm."
        )
    for line, value in value_of_line.items():
        if value is None and None not in first:
            remarks.append(f"“{line}” has no line, so it comes last.")
    return Reading(tuple(first), tuple(problems), tuple(remarks), tuple(lacking))


def by_number(lines: Sequence[str]) -> list[str]:
    """By the first number in each line, those without one last; otherwise in alphabetical order.

    >>> by_number(["10th", "1st-4th", "5th-6th", "Preschool", "9th"])
    ['1st-4th', '5th-6th', '9th', '10th', 'Preschool']
    """

    def place(line: str) -> tuple[float, str]:
        match = re.search(r"\d+(?:\.\d+)?", line)
        return (float(match[0]) if match else float("inf"), line)

    return sorted(lines, key=place)


def _value(line: str, value_of_line: Mapping[str, Value]) -> Value:
    """The value that a line means; the line itself if it is not a known value."""
    if line in value_of_line:
        return value_of_line[line]
    if line in MARKS and None in value_of_line.values():
        return None
    try:
        number = float(line)
    except ValueError:
        return line
    return next((value for value in value_of_line.values() if is_number(value) and value == number), line)


def _some(words: Sequence[str]) -> str:
    """A few of them, and the number of the rest.

    >>> _some(["a"]), _some(["a", "b"]), _some(list("abcdef"))
    ('a', 'a and b', 'a, b, c, d and 2 more')
    """
    listing = [*words[:MOST_NAMED], *([f"{len(words) - MOST_NAMED} more"] if len(words) > MOST_NAMED else [])]
    return enumerated(listing)


# ---------------------------------------------------------------------------------------------------------------------
# The hierarchy of a column as editable lines, "value; group; larger group", and back.
# ---------------------------------------------------------------------------------------------------------------------


def lines_of_tree(rows: Sequence[Sequence[Any]], values: Sequence[Value]) -> str:
    """One line per row; the last column is omitted if it is “*” everywhere.

    >>> lines_of_tree([["Rome", "Italy", "*"], ["Lima", "Peru; Callao", "*"]], ["Lima", "Rome"])
    'Rome; Italy\\nLima; "Peru; Callao"'
    """
    line_of = {value: line for line, value in lines_of(values).items()}
    last = all(row[-1] == ROOT for row in rows)
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";", lineterminator="\n")
    for value, *words in rows:
        writer.writerow([line_of.get(value, str(value)), *(f" {word}" for word in (words[:-1] if last else words))])
    return "\n".join(line.replace(';" ', '; "') for line in text.getvalue().splitlines())


def tree_of_lines(name: str, text: str, values: Sequence[Value]) -> Tree:
    """The hierarchy in these lines, over all these values.

    Raises `InvalidInput`: a value appears twice or is missing, or the groups are not nested.

    >>> tree_of_lines("city", 'Rome; Italy\\nLima; "Peru; Callao"', ["Lima", "Rome"]).rows
    [['Rome', 'Italy', '*'], ['Lima', 'Peru; Callao', '*']]
    """
    value_of_line: Mapping[str, Value] = lines_of(values)
    rows: list[list[Any]] = []
    for cells in csv.reader(text.splitlines(), delimiter=";", skipinitialspace=True):
        row = [cell.strip() for cell in cells]
        if any(row):
            rows.append([value_of_line.get(row[0], row[0]), *row[1:]])
    if not rows:
        raise kanon.InvalidInput("There are no lines yet; write “value; group; larger group”, one value per line.")
    return tree_for(name, Tree.from_levels(rows), values)
