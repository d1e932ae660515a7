"""Checks that every family's instance and reader share; each failure is one sentence."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kanon_engine.errors import Infeasible, InvalidInput

LARGEST_TOTAL = 2**53  # every sum of weights stays exact in int64, in float64 and in JSON readers
LARGEST_K = 2**63 - 1  # above every total, and still fits a table of runs
LARGEST_SEED = 2**128 - 1  # the most that a generator accepts; certificates with it can be read back
LONGEST_TOLD = 60  # characters of a value in a sentence


def positive_k(k: Any) -> int:
    """k as an int of at least 1, or `InvalidInput`."""
    try:
        value = operator.index(k)
    except TypeError:
        value = int(k) if isinstance(k, float | np.floating) and float(k).is_integer() else 0
    if not 1 <= value <= LARGEST_K or isinstance(k, bool | np.bool_):
        most = f" and at most {LARGEST_K:,}" if value > LARGEST_K else ""
        raise InvalidInput(f"k is {told(k)}; it must be a whole number of at least 1{most}.", parameter="k", value=k)
    return value


def checked_seed(seed: Any) -> int:
    """A seed as an int from 0 to `LARGEST_SEED`, or `InvalidInput`."""
    try:
        value = operator.index(seed)
    except TypeError:
        value = -1
    if not 0 <= value <= LARGEST_SEED:
        most = " and below 2^128" if value > LARGEST_SEED else ""
        message = f"The seed is {told(seed)}; it must be a whole number of at least 0{most}."
        raise InvalidInput(message, parameter="seed", value=seed)
    return value


def told(value: Any) -> str:
    """A value shortened for a sentence.

    >>> told("five"), told(10**5000)
    ("'five'", 'a number with thousands of digits')
    """
    try:
        text = repr(value)
    except ValueError:  # Python does not print longer numbers
        return "a number with thousands of digits"
    return text if len(text) <= LONGEST_TOLD else f"{text[:LONGEST_TOLD]}…"


def whole_numbers(values: Any, what: str, minimum: int, places: Sequence[Any] | None = None) -> np.ndarray:
    """Counts as a read-only int64 array, or `InvalidInput` with the first bad one.

    Parameters
    ----------
    values : array-like of numbers, shape (n,). Whole numbers of any numeric type.
    what : Their name in the sentence: "weights", "column pop10".
    minimum : Least allowed value.
    places : Where a person finds each value (an id, a line); positions if None.

    Returns (n,) int64 array, read-only.
    """
    array = np.asarray(values)
    if array.ndim != 1:
        raise InvalidInput(f"The {what} have {array.ndim} dimensions; they must have one value per item.")
    if array.dtype.kind not in "iu":
        try:
            numbers = array.astype(np.float64)
        except (TypeError, ValueError):
            numbers = np.array([_number(value) for value in array.tolist()], dtype=np.float64)
    else:
        numbers = array
    with np.errstate(invalid="ignore"):
        good = np.isfinite(numbers) & (numbers == np.floor(numbers)) & (numbers >= minimum)
    # true and false are no counts, though NumPy takes them for numbers
    if array.dtype.kind == "b" or not good.all():
        place = int(np.argmin(good))
        name = f"item {place + 1}" if places is None else f"{places[place]!s}"
        problem = "is missing" if np.isnan(numbers[place]) else f"is {array[place]!s}"
        raise InvalidInput(
            f"The {what} must be whole numbers of at least {minimum}, but the value for {name} {problem}; correct it "
            "or leave that item out."
        )
    if numbers.size and float(np.sum(numbers, dtype=np.float64)) >= LARGEST_TOTAL:
        raise InvalidInput(
            f"The {what} sum to 2^53 or more (about 9 quadrillion), which cannot be counted exactly; use a larger unit."
        )
    whole = numbers.astype(np.int64)
    whole.setflags(write=False)  # before `frozen`, which would copy it once more
    return frozen(whole)


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan") if value is None or str(value).strip() == "" else float("-inf")


def length_of(values: Any, what: str) -> int:
    """The number of values, or `InvalidInput` for anything but a list."""
    try:
        return len(values)
    except TypeError:
        raise InvalidInput(f"The {what} are {values!r}; give a list with one value per item.") from None


def unique_ids(ids: Any, count: int, what: str = "ids") -> np.ndarray:
    """Ids as a read-only object array of text or whole numbers, none missing, no duplicates."""
    try:
        values = ids.tolist() if isinstance(ids, np.ndarray) else list(ids)
    except TypeError:
        raise InvalidInput(f"The {what} are {ids!r}; give a list with one value per item.") from None
    values = [value if type(value) in (str, int) else _as_id(value) for value in values]
    if len(values) != count:
        raise InvalidInput(f"There are {len(values)} {what} for {count} items; give one {what.rstrip('s')} per item.")
    first_position: dict[Any, int] = {}
    for position, value in enumerate(values):
        if not isinstance(value, str | int) or (isinstance(value, str) and not value.strip()):
            raise InvalidInput(f"The {what.rstrip('s')} of item {position + 1} is missing; give every item one.")
        if value in first_position:
            raise InvalidInput(
                f"Items {first_position[value] + 1} and {position + 1} both have the {what.rstrip('s')} {value!s}; "
                f"each {what.rstrip('s')} may occur only once, so merge or rename these items."
            )
        first_position[value] = position
    array = np.empty(count, dtype=object)
    array[:] = values
    return frozen(array)


def ids_or_positions(ids: Any, count: int) -> np.ndarray:
    """Positions, or the given ids; whole numbers stay an array of int64, which is fast for millions of points."""
    if ids is None:
        return frozen(np.arange(count, dtype=np.int64))
    whole = isinstance(ids, np.ndarray) and ids.dtype.kind in "iu" and ids.shape == (count,)
    if whole and np.diff(np.sort(ids)).all():  # quicker than np.unique
        return frozen(ids.astype(np.int64))
    return unique_ids(ids, count)


def _as_id(value: Any) -> str | int | None:
    """Whole numbers of every type as int, missing values as None, anything else as text."""
    if isinstance(value, np.integer) or type(value) is bool:
        return int(value)
    if value is None or str(value) in ("nan", "NaT", "<NA>"):
        return None
    return str(value)


def second_counts(columns: Any, items: Sequence[str]) -> dict[str, np.ndarray]:
    """Name → whole numbers of at least 0, one per item, or `InvalidInput`; empty for None.

    Parameters
    ----------
    columns : mapping, optional
    items : The name of each item for a person.
    """
    if columns is not None and not isinstance(columns, Mapping):
        raise InvalidInput(f"The columns are a {type(columns).__name__}; give a mapping of names to counts.")
    checked = {}
    for name, values in (columns or {}).items():
        if not isinstance(name, str) or not name.strip():
            raise InvalidInput(f"The name of a column is {told(name)}; it must be text that is not empty.")
        if length_of(values, f"values of column {name}") != len(items):
            raise InvalidInput(f"Column {name} has {len(values)} values for {len(items)} items; give one per item.")
        checked[name] = whole_numbers(values, f"values of column {name}", 0, items)
    return checked


def frozen(array: np.ndarray) -> np.ndarray:
    """The array if it is row-major, as kernels are compiled for, and read-only, else a copy."""
    if array.base is not None or array.flags.writeable or not array.flags.c_contiguous:
        array = array.copy()
        array.setflags(write=False)
    return array


def require_total(total: int, k: int, unit: str) -> None:
    """Raise `Infeasible` with both numbers if the total weight is less than k."""
    if total == 0:
        message = f"All weights are 0, so no group can hold k = {k:,} {unit}; choose other weights."
        raise Infeasible(message, parameter="k", value=k)
    if total < k:
        message = f"In total there are {total:,} {unit}, fewer than k = {k:,}; lower k to {total:,} or less."
        raise Infeasible(message, parameter="k", value=k)


def require_known_name(columns: Sequence[Any], name: Any, role: str) -> Any:
    """The column of this name, or `InvalidInput` with the existing columns."""
    if name in columns:
        return name
    listing = ", ".join(str(column) for column in columns) or "none"
    raise InvalidInput(f"There is no column {name!r} for the {role}; the columns are: {listing}.")
