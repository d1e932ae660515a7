"""Dates and times as people write them: the format of a column, and its cells as ISO 8601, which sorts by time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.io.role_names import named_date
from kanon_engine.validate import known_column, told

TEXT = "text"  # no date, unit or age is looked for
ISO, COMPACT, EXCEL, TIME = "yyyy-mm-dd", "yyyymmdd", "Excel", "hh:mm"
CODES = {
    ISO: "%Y-%m-%d",
    "yyyy/mm/dd": "%Y/%m/%d",
    "yyyy.mm.dd": "%Y.%m.%d",
    "dd.mm.yyyy": "%d.%m.%Y",
    "mm.dd.yyyy": "%m.%d.%Y",
    "dd/mm/yyyy": "%d/%m/%Y",
    "mm/dd/yyyy": "%m/%d/%Y",
    "dd-mm-yyyy": "%d-%m-%Y",
    "mm-dd-yyyy": "%m-%d-%Y",
    "dd-Mon-yyyy": "%d-%b-%Y",
    "dd Mon yyyy": "%d %b %Y",
    COMPACT: "%Y%m%d",
}
FORMATS = (*CODES, EXCEL, TIME, TEXT)
CLOCKS = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p")  # what may follow a day
SHAPES = {  # a date with or without a time → the formats that it can be in
    r"\d{4}-\d\d?-\d\d?": (ISO,),
    r"\d{4}/\d\d?/\d\d?": ("yyyy/mm/dd",),
    r"\d{4}\.\d\d?\.\d\d?": ("yyyy.mm.dd",),
    r"\d\d?\.\d\d?\.\d{4}": ("dd.mm.yyyy", "mm.dd.yyyy"),
    r"\d\d?/\d\d?/\d{4}": ("dd/mm/yyyy", "mm/dd/yyyy"),
    r"\d\d?-\d\d?-\d{4}": ("dd-mm-yyyy", "mm-dd-yyyy"),
    r"\d\d?-[A-Za-z]{3}-\d{4}": ("dd-Mon-yyyy",),
    r"\d\d? [A-Za-z]{3} \d{4}": ("dd Mon yyyy",),
}
CLOCK = r"\d\d?:\d\d(?::\d\d(?:\.\d+)?)?(?: ?[AaPp][Mm])?"
BEFORE_CLOCK = r"[T ]+(?=\d\d?:\d\d)"
AT_FIRST = 1_000  # values that are looked at before all are
YEARS = (1850, 2100)  # that a number of eight digits may begin with
SERIALS = (3_000, 73_050)  # 1908-03-18 to 2099-12-31 as Excel counts days; years are smaller numbers


@dataclass(frozen=True)
class DateFormat:
    """In which format a column holds dates.

    Attributes
    ----------
    format : str
        One of `FORMATS`; "" where it holds no dates, or nobody can tell day from month.
    choices : tuple of str
        The formats that fit as well as each other.
    """

    format: str = ""
    choices: tuple[str, ...] = ()


def date_format(column: pd.Series) -> DateFormat:
    """The format of most values of a column, as far as the values decide.

    Parameters
    ----------
    column : Series
        Numbers or text, missing cells missing. Days as Excel numbers them count where its name says that it is a date.

    Example
    -------
    >>> date_format(pd.Series(["31.5.2023", "1.6.2023", None])).format
    'dd.mm.yyyy'
    >>> date_format(pd.Series(["5/6/2023", "1/6/2023"])).choices
    ('dd/mm/yyyy', 'mm/dd/yyyy')
    >>> date_format(pd.Series([20230531, 20230601])).format, date_format(pd.Series([45077], name="DOB")).format
    ('yyyymmdd', 'Excel')
    """
    values = pd.Series(column.dropna().unique())
    if values.empty or pd.api.types.is_bool_dtype(values):
        return DateFormat()
    if pd.api.types.is_numeric_dtype(values):
        if _all_compact(values):
            return DateFormat(COMPACT)
        serial = values.between(*SERIALS).all() and named_date(str(column.name))
        return DateFormat(EXCEL if serial else "")
    if not (pd.api.types.is_object_dtype(values) or pd.api.types.is_string_dtype(values)):
        return DateFormat()
    texts = values.astype(str)
    for shape, formats in SHAPES.items():
        pattern = f"{shape}(?:[T ]+{CLOCK})?"
        if not texts.head(AT_FIRST).str.fullmatch(pattern).any():
            continue
        shaped = texts[texts.str.fullmatch(pattern)]
        if 2 * len(shaped) >= len(texts):
            return _decided(shaped, formats)
    clocks = texts.head(AT_FIRST).str.fullmatch(CLOCK).all() and texts.str.fullmatch(CLOCK).all()
    return DateFormat(TIME if clocks and _moments(texts, TIME).notna().all() else "")


def _all_compact(numbers: pd.Series) -> bool:
    if not numbers.between(YEARS[0] * 10_000, YEARS[1] * 10_000).all() or (numbers % 1 != 0).any():
        return False
    return bool(_moments(numbers, COMPACT).notna().all())


def _decided(texts: pd.Series, formats: tuple[str, ...]) -> DateFormat:
    """The one format that the values leave; the day stands before the month between dots unless a value denies it."""
    fits = {name: _moments(texts, name).notna() for name in formats}
    fitting = {name: found for name, found in fits.items() if found.any()}
    if len(fitting) < 2:
        return DateFormat(next(iter(fitting), ""))
    first, second = fitting
    one, other = bool((fits[first] & ~fits[second]).any()), bool((fits[second] & ~fits[first]).any())
    if one != other:
        return DateFormat(first if one else second)
    if not one and first == "dd.mm.yyyy":
        return DateFormat(first)
    return DateFormat("", (first, second))


def iso_dates(column: pd.Series, format: str) -> pd.Series:
    """The cells of a column as ISO 8601; missing where they are no date in this format. A day has no time at midnight.

    Example
    -------
    >>> iso_dates(pd.Series(["31.5.2023", "1.6.2023 14:05", "soon"]), "dd.mm.yyyy").tolist()
    ['2023-05-31 00:00', '2023-06-01 14:05', nan]
    >>> iso_dates(pd.Series([45077, 20000.0]), "Excel").tolist(), iso_dates(pd.Series(["9:05 PM"]), "hh:mm").tolist()
    (['2023-05-31', '1954-10-03'], ['21:05'])
    """
    codes, values = pd.factorize(column)
    moments = _moments(pd.Series(values), format)
    known = moments.dropna()
    day, clock = "%Y-%m-%d", "%H:%M:%S" if (known.dt.second != 0).any() else "%H:%M"
    at_midnight = bool((known == known.dt.normalize()).all())
    texts = moments.dt.strftime(clock if format == TIME else day if at_midnight else f"{day} {clock}")
    cells = np.append(texts.astype(object).to_numpy(), np.nan)[codes]  # code -1 is a missing cell
    return pd.Series(cells, index=column.index, name=column.name).astype("str")


def _moments(values: pd.Series, format: str) -> pd.Series:
    """The moments that values are in a format, NaT where they are none."""
    if format == EXCEL:
        numbers = pd.to_numeric(values, errors="coerce")
        days = numbers.where(numbers.between(0, SERIALS[1]))
        return pd.to_datetime(days, unit="D", origin="1899-12-30").dt.round("s")
    if pd.api.types.is_numeric_dtype(values):
        values = values.map("{:.0f}".format)
    texts = values.astype(str).str.replace(BEFORE_CLOCK, " ", n=1, regex=True)
    if format == TIME:
        texts = "2000-01-01 " + texts
    texts = texts.str.replace(r"(?<=\d)(?=[AaPp][Mm]$)", " ", regex=True)
    code = CODES[ISO if format == TIME else format]
    found = pd.to_datetime(texts, format=code, errors="coerce")
    for clock in CLOCKS[1:]:
        rest = texts[found.isna() & texts.str.contains(":")]
        if rest.empty:
            break
        found = found.fillna(pd.to_datetime(rest, format=code + clock, errors="coerce"))
    return found


def checked_formats(dates: Any, columns: list[str]) -> dict[str, str]:
    """The format that a person gives for each column, or `InvalidInput`.

    Example
    -------
    >>> checked_formats({"born": "dd/mm/yyyy"}, ["born"])
    {'born': 'dd/mm/yyyy'}
    """
    if dates is None or dates == TEXT:
        return {}
    if not isinstance(dates, Mapping):
        raise InvalidInput(
            f'The date formats are {told(dates)}; give one for each column, as {{"born": "dd/mm/yyyy"}}.'
        )
    for name, format in dates.items():
        known_column(columns, name, "date formats")
        if format not in FORMATS:
            raise InvalidInput(f"The date format of {name!r} is {told(format)}; choose one of {', '.join(FORMATS)}.")
    return dict(dates)


def no_formats(value: Any) -> str:
    """What is wrong with the formats that a stranger chose, "" for nothing.

    Example
    -------
    >>> no_formats({"born": "dd/mm/yyyy"}), no_formats("text"), no_formats({"born": "soon"})
    ('', '', 'is no table of date formats by column')
    """
    good = value == TEXT or (isinstance(value, Mapping) and all(entry in FORMATS for entry in value.values()))
    return "" if good else "is no table of date formats by column"
