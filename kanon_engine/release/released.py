"""A release as its reader sees it: records or groups, and the columns by which people could be found in it."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.io.cells import EXACT
from kanon_engine.shown import Shown
from kanon_engine.validate import positive_k, require_known_name, whole_numbers

LEAST = 11  # CMS publishes no cell of 1 to 10
PER = 1_000  # rates between two counts are per this number


@dataclass(frozen=True, eq=False, repr=False)
class Released(Shown):
    """A release, however it was made: a frame, and what a reader knows about its columns.

    >>> people = pd.DataFrame({"age": ["≤ 39", "≤ 39", "≥ 40", "≥ 40"], "illness": ["flu", "cold", "flu", "flu"]})
    >>> release = Released(people, ("age",), ("illness",), k=2)
    >>> release.classes.tolist(), release.sizes.tolist(), release.records
    ([0, 0, 1, 1], [2, 2], 4)
    """

    frame: pd.DataFrame  # one row per record; or one row per group, if no records are released
    # the columns by which someone who knows a person finds the rows that may be that person's
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()  # columns that reveal what others do not know about a person
    k: int = 1  # the promised k
    unit: str = "records"  # what the release counts: records, people, …
    # the column that says how many records a row represents; each row is one record if None
    counts: str | None = None
    sums: tuple[str, ...] = ()  # columns of second counts, summed over a group
    # columns that follow from the others and from public data: rates, the number of areas of a group
    derived: tuple[str, ...] = ()
    left_out: int = 0  # number of records that are not in it
    # column → shown value → the values that this represents, as far as readers know
    meanings: Mapping[str, Mapping[Any, Sequence[Any]]] = field(default_factory=dict)
    name: str = "release"  # its name for a person

    def __post_init__(self) -> None:
        columns = list(self.frame.columns)
        if not self.frame.columns.is_unique:
            twice = str(self.frame.columns[self.frame.columns.duplicated()][0])
            raise InvalidInput(f"Two columns of the release are named {twice!r}; rename one.")
        positive_k(self.k)
        for name in (*self.quasi_identifiers, *self.sensitive, *self.sums, *([self.counts] if self.counts else [])):
            require_known_name(columns, name, "columns of the release")
        both = set(self.quasi_identifiers) & set(self.sensitive)
        if both:
            raise InvalidInput(
                f"{sorted(both)[0]!r} is listed both as a quasi-identifier and as sensitive; choose one."
            )

    def _facts(self) -> dict[str, object]:
        return {"records": self.records, "classes": len(self.sizes), "smallest": min(self.sizes.tolist(), default=0)}

    @cached_property
    def weights(self) -> np.ndarray:
        """(rows,) int64: the number of records that each row represents; `InvalidInput` if it is not a whole number."""
        if self.counts is None:
            return np.ones(len(self.frame), dtype=np.int64)
        column = self.frame[self.counts].to_numpy(na_value=np.nan)
        return whole_numbers(column, f"counts in “{self.counts}”", 0)

    @cached_property
    def classes(self) -> np.ndarray:
        """(rows,) int64: the equivalence class of each row, numbered from 0 as they first occur."""
        return self.sets(self.quasi_identifiers)

    @cached_property
    def sizes(self) -> np.ndarray:
        """(m,) int64: the number of records of each class."""
        return self.sizes_of(self.classes)

    @cached_property
    def groups_leave(self) -> bool:
        """Whether a row is a group of records, not a record or several identical ones."""
        return self.counts is not None and len(self.sizes) == len(self.frame)

    @property
    def records(self) -> int:
        """The number of records that it represents."""
        return int(self.weights.sum())

    @property
    def kept(self) -> tuple[str, ...]:
        """Columns that are released as they are, besides the quasi-identifiers and the counts."""
        other_roles = {*self.quasi_identifiers, self.counts, *self.sums, *self.derived}
        return tuple(name for name in self.frame.columns if name not in other_roles)

    def sets(self, columns: Sequence[str]) -> np.ndarray:
        """(rows,) int64: equal for rows that show the same in all these columns, numbered as they first occur."""
        together = np.zeros(len(self.frame), dtype=np.int64)
        for name in columns:
            codes = displayed_codes(self.frame[name])
            together = pd.factorize(together * (int(codes.max(initial=0)) + 1) + codes)[0].astype(np.int64)
        return together

    def sizes_of(self, sets: np.ndarray) -> np.ndarray:
        """(m,) int64: how many records are in each of these sets."""
        sizes = np.zeros(int(sets.max(initial=-1)) + 1, dtype=np.int64)
        np.add.at(sizes, sets, self.weights)
        return sizes


# ---------------------------------------------------------------------------------------------------------------------
# The cells of every released file: two cells are the same if and only if a file shows the same in them.
#
# - None, NaN, NaT, NA and the empty text are missing: a CSV shows nothing for all of them.
# - Zero has no sign, and whole numbers are exact. In a column with fractions they are floats if that loses nothing,
# else the column is text.
# - Categories are their values. Dates and times are text, with all digits of a second except trailing zeros; those with
# a zone are in UTC, and end in +00. Decimals are text: 1.0 and 1.00 are different.
# - In a column of several types 1, 1.0 and True are three cells, and 1 and "1" are one.
# - Text is compared by its code points: case, accents and spaces distinguish cells.
#
# Writers, readers of written files, and audits all use these rules, in memory and where records live.
# ---------------------------------------------------------------------------------------------------------------------


def displayed_frame(frame: Any) -> Any:
    """The same table with its cells as every file shows them; shapes are unchanged."""
    result = frame.copy()
    for place, kind in enumerate(frame.dtypes):
        if str(kind) != "geometry":
            result.isetitem(place, displayed_column(frame.iloc[:, place]))
    return result


def displayed_column(column: pd.Series) -> pd.Series:
    """A column with its cells as every file shows them, a missing one as missing.

    >>> displayed_column(pd.Series([2**53 + 1, 0.5, None, ""], dtype=object)).tolist()
    ['9007199254740993', '0.5', None, None]
    """
    kind = column.dtype
    if pd.api.types.is_bool_dtype(kind) or pd.api.types.is_integer_dtype(kind):
        return column
    if pd.api.types.is_float_dtype(kind):
        return column.astype("float64") + 0.0
    if getattr(kind, "kind", "O") in "Mm" or isinstance(kind, pd.PeriodDtype):
        codes, distinct = pd.factorize(column)
        texts = pd.Series([*map(plain_cell, distinct), None], dtype="string")
        return pd.Series(texts.array[codes], index=column.index, name=column.name)
    if isinstance(kind, pd.StringDtype) or pd.api.types.infer_dtype(column, skipna=True) == "string":
        return column.mask(column.isna() | column.isin([""]), None)
    cells = _of_objects([plain_cell(value) for value in column.astype(object).tolist()])
    return pd.Series(cells, index=column.index, name=column.name, dtype=object)


def compared_column(column: pd.Series) -> pd.Series:
    """A column whose cells are equal if and only if a file shows the same in them: numbers, or text.

    >>> compared_column(pd.Series([1, True, 1.0, "1"], dtype=object)).tolist()
    ['1', 'True', '1.0', '1']
    """
    result = displayed_column(column)
    if not pd.api.types.is_object_dtype(result):
        return result
    return result.map(str, na_action="ignore")


def displayed_codes(column: pd.Series) -> np.ndarray:
    """(n,) int64: equal if a file shows the same, numbered from 0 as cells first occur; missing cells have one number.

    >>> displayed_codes(pd.Series([1, True, 1, True], dtype=object)).tolist()
    [0, 1, 0, 1]
    >>> displayed_codes(pd.Series(["", None])).tolist()
    [0, 0]
    """
    return pd.factorize(compared_column(column), use_na_sentinel=False)[0].astype(np.int64)


def plain_cell(value: Any) -> str | int | float | bool | None:
    """A cell as every file can hold it: None where it is missing, text for anything but numbers and booleans."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, datetime.datetime | datetime.time):
        zone = ""
        if isinstance(value, datetime.datetime) and value.tzinfo is not None:
            value, zone = value.astimezone(datetime.UTC).replace(tzinfo=None), "+00"
        text = str(value)
        return (text.rstrip("0").rstrip(".") if "." in text else text) + zone
    return value if isinstance(value, str | bool | int | float) else str(value)


def _of_objects(cells: list[Any]) -> list[Any]:
    """Plain cells, with text for types that a file would not distinguish or could not hold."""
    cells = [None if cell == "" and isinstance(cell, str) else cell for cell in cells]
    kinds = {type(cell) for cell in cells if cell is not None}
    if float in kinds:
        cells = [cell + 0.0 if isinstance(cell, float) else cell for cell in cells]
    if kinds == {int, float} and all(abs(cell) <= EXACT for cell in cells if isinstance(cell, int)):
        return [None if cell is None else float(cell) for cell in cells]
    texts = {cell for cell in cells if isinstance(cell, str)}
    alike = any(cell is not None and not isinstance(cell, str) and str(cell) in texts for cell in cells)
    if kinds == {int, float} or alike:
        return [None if cell is None else str(cell) for cell in cells]
    return cells
