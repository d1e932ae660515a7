"""What a person says about the columns of a table: roles, orders, ranges; as changes to what was guessed or given."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

import kanon_engine as kanon
from kanon_engine.io.ordered import FORMATS, TEXT
from kanon_engine.io.roles import ROLES
from pages._shared.widgets import given

PARTS = ("roles", "orders", "bins", "keep", "trees", "top", "bottom", "dates")
NONE = {"roles": "other", "keep": False}  # of a column that nobody speaks of; None elsewhere
KEEPABLE = ("sensitive", "class label", "other")
COUNT = "count"  # of the column that says for how many records a row stands
CHOICES = (*ROLES, COUNT)
UNIT = "records"
Columns = dict[
    str, Any
]  # by column roles, orders, bins, whether it is kept, trees (rows, or a column), tails, formats of dates; and unit


def from_guess(known: pd.DataFrame) -> Columns:
    """What `columns_frame` guesses; what is only guessed is not released unchanged."""
    roles = dict(zip(known["column"], known["role"], strict=True))
    return {part: {} for part in PARTS} | {"roles": roles, "unit": UNIT}


def from_settings(settings: Mapping[str, Any]) -> Columns:
    """What a sample's settings say; what they do not name is of no role."""
    roles = dict.fromkeys(settings.get("quasi_identifiers", ()), "quasi-identifier")
    roles |= dict.fromkeys(settings.get("sensitive", ()), "sensitive")
    roles |= dict.fromkeys(settings.get("identifiers", ()), "identifier")
    if settings.get("class_label"):
        roles[settings["class_label"]] = "class label"
    if settings.get("weight"):
        roles[settings["weight"]] = COUNT
    parts = {part: {name: list(entry) for name, entry in settings.get(part, {}).items()} for part in ("orders", "bins")}
    named = [name for name, role in roles.items() if role in ("sensitive", "class label")]
    keep = dict.fromkeys(settings.get("keep", named), True)
    trees = {name: [list(row) for row in rows] for name, rows in (settings.get("trees") or {}).items()}
    trees |= settings.get("grow") or {}
    by_column = {what: dict(settings.get(what) or {}) for what in ("top", "bottom")}
    dates = settings.get("dates") or {}
    by_column["dates"] = dict.fromkeys(roles, TEXT) if dates == TEXT else dict(dates)
    return {"roles": roles, **parts, "keep": keep, "trees": trees, **by_column, "unit": settings.get("unit", UNIT)}


def changes(base: Columns, wanted: Columns) -> Columns:
    """What differs; None where something is as usual again.

    Example
    -------
    >>> base = {"roles": {"age": "quasi-identifier"}, "orders": {}, "bins": {"age": [17, 5]}, "keep": {}, "unit": "day"}
    >>> changes(base, base | {"roles": {"age": "quasi-identifier", "sex": "sensitive"}, "bins": {}})
    {'roles': {'sex': 'sensitive'}, 'bins': {'age': None}}
    """
    found: Columns = {}
    for part in PARTS:
        old, new, none = base.get(part, {}), wanted.get(part, {}), NONE.get(part)
        names = [*old, *(name for name in new if name not in old)]
        differs = {name: new.get(name, none) for name in names if new.get(name, none) != old.get(name, none)}
        found |= {part: differs} if differs else {}
    return found | ({"unit": wanted["unit"]} if wanted["unit"] != base["unit"] else {})


def changed(base: Columns, different: Columns) -> Columns:
    """The inverse of `changes`."""
    result: Columns = {}
    for part in PARTS:
        entries = base.get(part, {}) | different.get(part, {})
        result[part] = {name: entry for name, entry in entries.items() if entry is not None}
    return result | {"unit": different.get("unit", base["unit"])}


def reader_settings(columns: Columns) -> dict[str, Any]:
    """The reader's arguments.

    Raises
    ------
    InvalidInput
        No quasi-identifier, two class labels, or two columns of counts.
    """
    named = {role: [name for name, own in columns["roles"].items() if own == role] for role in CHOICES}
    quasi, labels, counts = named["quasi-identifier"], named["class label"], named[COUNT]
    if not quasi:
        raise kanon.InvalidInput("No column is a quasi-identifier; give at least one this role.")
    if len(labels) > 1:
        raise kanon.InvalidInput(f"Two columns are class labels: {', '.join(labels)}; choose one.")
    if len(counts) > 1:
        raise kanon.InvalidInput(f"Two columns hold the counts: {', '.join(counts)}; choose one.")
    kept = [name for name in columns["keep"] if is_kept(columns, name)]
    trees = {name: entry for name, entry in columns["trees"].items() if name in quasi}
    return given(
        quasi_identifiers=quasi,
        class_label=labels[0] if labels else None,
        weight=counts[0] if counts else None,
        identifiers=named["identifier"],
        sensitive=named["sensitive"],
        keep=kept,
        bins={name: tuple(entry) for name, entry in columns["bins"].items() if name in {*quasi, *kept}} or None,
        orders={name: order for name, order in columns["orders"].items() if name in quasi} or None,
        trees={name: rows for name, rows in trees.items() if not isinstance(rows, str)} or None,
        grow={name: way for name, way in trees.items() if isinstance(way, str)} or None,
        top={name: limit for name, limit in columns["top"].items() if name in quasi} or None,
        bottom={name: limit for name, limit in columns["bottom"].items() if name in quasi} or None,
        dates=columns["dates"] or None,
        unit=None if columns["unit"] == UNIT else columns["unit"],
    )


def is_kept(columns: Columns, name: str) -> bool:
    """Whether a column is released as it is, or in ranges."""
    return bool(columns["keep"].get(name)) and columns["roles"].get(name, "other") in KEEPABLE


def mended(columns: Columns, mend: kanon.Mend, order: Sequence[Any] = ()) -> Columns:
    """The columns after one step that an audit proposes; `order` is the domain that the file shows.

    Example
    -------
    >>> columns = {"roles": {"age": "quasi-identifier"}, "orders": {}, "bins": {}, "keep": {"pay": True}, "unit": "day"}
    >>> mended(columns, kanon.Mend("quasi-identifier", "pay"))["roles"]
    {'age': 'quasi-identifier', 'pay': 'quasi-identifier'}
    >>> mended(columns, kanon.Mend("drop", "pay"))["keep"], mended(columns, kanon.Mend("round", "pay", (0, 5)))["bins"]
    ({'pay': False}, {'pay': [0, 5]})
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
    elif mend.action == "public":
        orders[name] = list(order)
    return columns | {"roles": roles, "keep": keep, "bins": bins, "orders": orders}


def as_text(different: Columns) -> str:
    """Changes as one line, for the address bar; "" for none."""
    return json.dumps(different, ensure_ascii=False, separators=(",", ":")) if different else ""


def from_text(text: str) -> Columns:
    """Changes from one line, or ValueError for what is none."""
    found = json.loads(text) if text else {}
    if not isinstance(found, dict) or set(found) - {*PARTS, "unit"}:
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
        entries = found.get(part, {})
        if not isinstance(entries, dict) or not all(map(fit, entries.values())):
            raise ValueError(text)
    if not isinstance(found.get("unit", UNIT), str):
        raise ValueError(text)
    return found


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")


def _rows(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(row, list) and not any(map(_nested, row)) for row in value)


def _nested(value: Any) -> bool:
    return isinstance(value, list | dict)
