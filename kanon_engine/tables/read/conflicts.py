"""Which parameters cannot name the same column, for the reader and the command line."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from kanon_engine.errors import InvalidInput

OWN_ORDERS = ("orders", "hierarchies", "trees", "grow")  # each says how the values of a quasi-identifier lie
GENERALIZED = ("quasi_identifiers", *OWN_ORDERS, "order_only", "weights")
UNCHANGED = ("sensitive", "keep", "class_label", "diversity", "closeness")
NUMBERS = ("top", "bottom", "bins")
ROLES = {
    **dict.fromkeys(GENERALIZED, "generalized"),
    **dict.fromkeys(UNCHANGED, "unchanged"),
    "identifiers": "identifiers",
    "weight": "weight",
}


def require_compatible(named: Mapping[str, Any]) -> None:
    """Raise `InvalidInput` where two parameters that exclude each other name the same column.

    Parameters
    ----------
    named : mapping
        What is given, by parameter: a column, a list of columns, a mapping of column to something, or None.

    Example
    -------
    >>> require_compatible({"sensitive": ["illness"], "keep": ["illness"], "bins": {"age": 5}})
    >>> require_compatible({"keep": ["age"], "orders": {"age": [1, 2]}})
    Traceback (most recent call last):
    ...
    kanon_engine.errors.InvalidInput: Column 'age' is named for keep and for orders; give it one role.
    """
    columns = {parameter: _names(value) for parameter, value in named.items()}
    for one, other in combinations(columns, 2):
        both = next((name for name in columns[one] if name in columns[other]), None)
        if both is None:
            continue
        told = f"olumn {both!r} is named for {_spelled(one)} and for {_spelled(other)}"
        if ROLES.get(one, "") != ROLES.get(other, "") and one in ROLES and other in ROLES:
            raise InvalidInput(f"C{told}; give it one role.")
        if "weight" in (one, other):
            raise InvalidInput(f"C{told}; counts are not put into ranges.")
        if {one, other} <= {*OWN_ORDERS} or {one, other} == {"orders", "order_only"}:
            raise InvalidInput(f"C{told}; give one of them.")
        numbers = [name for name in (one, other) if name in NUMBERS]
        if numbers and {one, other} & {*OWN_ORDERS, "order_only"}:
            own = "Ranges have their own order" if numbers == ["bins"] else "A top or a bottom has its own order"
            raise InvalidInput(f"{own}, but c{told}; give one of them.")


def _names(value: Any) -> list[str]:
    """The columns that a parameter names; of what is no such thing none, as the reader says what is wrong with it."""
    if value is None or isinstance(value, str):
        return [] if value is None else [value]
    return [str(name) for name in value] if isinstance(value, Mapping | list | tuple) else []


def _spelled(parameter: str) -> str:
    return parameter.replace("_", "-")
