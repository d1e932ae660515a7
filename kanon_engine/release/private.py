"""What of single items must not stand in a table that leaves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd


def id_in(frame: pd.DataFrame, ids: Iterable[Any], allowed: Iterable[Any] = ()) -> str:
    """Where the id of an item stands among words, in words; "" where none does.

    Numbers are not looked at: a count or the number of a group can be like an id by chance.

    Example
    -------
    >>> id_in(pd.DataFrame({"group": [1], "name": ["06604"]}), ["06604", "06605"])
    'the code “06604”, in “name”'
    """
    private = {str(name) for name in ids} - {str(name) for name in allowed}
    for name in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[name]) and str(frame[name].dtype) != "geometry":
            found = next((cell for cell in frame[name] if isinstance(cell, str) and cell in private), None)
            if found is not None:
                return f"the code “{found}”, in “{name}”"
    return ""
