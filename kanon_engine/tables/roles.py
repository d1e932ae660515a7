"""Which columns of a table identify, could be linked, are sensitive, or are none of these."""

from __future__ import annotations

from typing import Any

import pandas as pd

ROLES = ("identifier", "quasi-identifier", "sensitive", "class label", "other")
IDENTIFIERS = ("id", "name", "first name", "last name", "surname", "ssn", "email", "e mail", "phone", "telephone",
               "address", "key", "record", "patient id", "person id", "nr", "index")  # fmt: skip
SENSITIVE = ("diagnosis", "disease", "illness", "condition", "wage", "treatment", "medication", "religion")
LABELS = ("class", "class label", "label", "target", "outcome", "salary", "income")
MOST_VALUES = 100  # of a guessed quasi-identifier
MOST_LABELS = 20
NEARLY_ALL = 0.9  # share of rows with a value of their own from which a column identifies


def guessed_roles(frame: pd.DataFrame) -> dict[str, str]:
    """A role for each column, by its name and by how many values it has.

    A column identifies when it is named so, or when nearly every row has a value of its own; also when it has more
    than a hundred values, since rare values lead to persons: that is no quasi-identifier without ranges or an order.
    A column with one value is of no consequence. The rest could be linked with other data.

    Example
    -------
    >>> rows = {"id": [4, 8, 2, 9], "sex": ["m", "f", "f", "m"], "age": [3, 3, 4, 4], "salary": ["<", "<", ">", "<"]}
    >>> guessed_roles(pd.DataFrame(rows))
    {'id': 'identifier', 'sex': 'quasi-identifier', 'age': 'quasi-identifier', 'salary': 'class label'}
    """
    roles: dict[str, str] = {}
    for name in frame.columns:
        values = int(frame[name].nunique())
        plain = str(name).lower().replace("_", " ").replace("-", " ").strip()
        if plain in LABELS and 2 <= values <= MOST_LABELS and "class label" not in roles.values():
            roles[name] = "class label"
        elif plain in SENSITIVE or plain in LABELS:
            roles[name] = "sensitive"
        elif plain in IDENTIFIERS or identifies(frame[name]) or values > MOST_VALUES:
            roles[name] = "identifier"
        else:
            roles[name] = "quasi-identifier" if values + bool(frame[name].isna().any()) > 1 else "other"
    return roles


def identifies(column: pd.Series) -> bool:
    """Whether nearly every row has a value of its own."""
    return column.nunique() >= NEARLY_ALL * len(column) and len(column) > 1


def listed(names: Any) -> str:
    """Columns for a sentence.

    Example
    -------
    >>> listed(["age"]), listed(["age", "sex", "zip"])
    ('“age”', '“age”, “sex” and “zip”')
    """
    quoted = [f"“{name}”" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
