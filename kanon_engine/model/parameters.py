"""Parameters that the readers of several families have."""

from collections.abc import Sequence
from typing import Any

from kanon_engine.model.family import Parameter


def names_in(text: str) -> tuple[str, ...]:
    """Names of columns as a person writes them.

    Example
    -------
    >>> names_in("cases, deaths")
    ('cases', 'deaths')
    """
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise ValueError(f"{text!r} is no list of columns as cases,deaths.")
    return names


def _no_names(value: Any) -> str:
    fine = value is None or (
        isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(name, str) for name in value)
    )
    return "" if fine else "are no list of names"


def _count_in(text: str) -> int:
    """A whole number of at least 0 as a person writes it."""
    if not text.strip().isdecimal() or len(text) > 9:
        raise ValueError(f"{text!r} is no whole number of at least 0.")
    return int(text)


def _no_sheet(value: Any) -> str:
    return "" if value is None or (isinstance(value, str | int) and not isinstance(value, bool)) else "is no name"


SHEET = Parameter(
    "sheet",
    "Which sheet of a workbook, by its name or its number from 1. When left out, the first that holds a table with the "
    "columns that are named.",
    unfit=_no_sheet,
    before=1,
)
ID = Parameter("id", "Column of the ids.", "column", asked="The codes or names of the areas stand in")
WEIGHT = Parameter("weight", "Column of the counts.", "counts")
UNIT = Parameter("unit", "What the counts count, for sentences: people, births, …")
LAYER = Parameter("layer", "Which layer, of a file with several.")
PER_RECORD = Parameter("per_record", "Each row is one record, or each row has a count.", "flag", off="in-column")
MERGE = Parameter("merge_duplicates", "Take rows with the same id or label as one.", "flag")
COLUMNS = Parameter("columns", "Columns of second counts, as cases,deaths.", parse=names_in, unfit=_no_names)
ROUNDING = Parameter(
    "rounding",
    "Counts that are no whole numbers: refuse them, or round each to the nearest.",
    "choice",
    ("refuse", "nearest"),
    asked="What shall become of counts that are no whole numbers?",
)
HIDDEN_COUNTS = Parameter(
    "hidden",
    "Counts such as <5, * and empty cells: refuse them, take each as 0 or as the largest that it may stand for, or "
    "leave out what they count.",
    "choice",
    ("refuse", "zero", "largest", "leave-out"),
    asked="What shall become of counts that are hidden?",
)
HIDDEN_MOST = Parameter(
    "hidden_most", "The largest count that a mark without a number, such as *, may stand for.", parse=_count_in
)
