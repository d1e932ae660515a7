"""Columns of text that have an order: dates, numbers with a unit, ages in ranges, and codes with a number in them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.io.cells import typed
from kanon_engine.io.names import has_date_name
from kanon_engine.model.values import Value
from kanon_engine.model.words import counted
from kanon_engine.validate import require_known_name, told

NUMBER = r"[-+]?\s*(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
EUROPEAN = r"[-+]?\s*(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?"
MONEY = r"[$€£¥₹]|(?:US|CA|AU)\$|USD|EUR|GBP|CHF|JPY|INR"
MEASURE = r"%|‰|°[CF]?|(?<=\s)[^\W\d_][\w/²³%°·]*|[a-zµμ][\w/²³%°·]*"  # a letter after a space, or in lower case
WITH_UNIT = r"(?P<minus>-?)(?P<before>(?:{money})?)\s*(?P<number>{number})\s*?(?P<after>(?:\s*(?:{money}|{measure}))?)"
YEARS_WORDS = r"(?:\s*(?:years?|yrs?|y|Jahren?|J|ans?|años?)\.?)?(?:\s*(?:old|alt))?"
AGES = {  # kind → how it is written, with the numbers as groups
    "range": rf"(\d+){YEARS_WORDS}\s*(?:-|–|—|to|bis|à|a)\s*(\d+){YEARS_WORDS}",
    "above": (
        rf"(?:≥|>=?|over|above|from|older than|at least|ab|über|älter als|plus de|à partir de|más de|mayor de|desde)"
        rf"\s*(\d+){YEARS_WORDS}|(\d+)\s*\+{YEARS_WORDS}|(\d+){YEARS_WORDS}\s*(?:and|or|und|oder|et|ou|y|o)\s*"
        rf"(?:older|over|above|more|up|älter|mehr|darüber|plus|más|mayor)"
    ),
    "below": (
        rf"(?:≤|<=?|under|below|up to|less than|younger than|unter|bis|jünger als|moins de|jusqu'à|menos de|menor de|"
        rf"hasta)\s*(\d+){YEARS_WORDS}|(\d+){YEARS_WORDS}\s*(?:and|or|und|oder|et|ou|y|o)\s*"
        rf"(?:younger|under|below|less|jünger|weniger|moins|menos|menor)"
    ),
    "one": rf"(\d+){YEARS_WORDS}",
}
KINDS = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in AGES.items()}
DIGITS = re.compile(r"\d+")
ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a column."""

    values: pd.Series  # numbers, dates as ISO 8601, or text without outer spaces
    order: list[Value] | None  # of its values; None for numeric or alphabetical order
    notes: tuple[str, ...]  # what was missing or unusual, and how it was ordered
    date: str = ""  # the format of its dates; "" if it holds none
    choices: tuple[str, ...] = ()  # formats that fit equally well; it stays text until a person chooses one


def ordered_cells(column: pd.Series, date: str = "") -> Cells:
    """A column with its values in the order that a person would expect.

    Parameters
    ----------
    column : As `read_frame` gives it.
    date : The format of its dates, if a person gave it; "text" to look only for numbers.

    >>> ordered_cells(pd.Series(["2.1.2024", "31.12.2023"], name="born")).values.tolist()
    ['2024-01-02', '2023-12-31']
    >>> ordered_cells(pd.Series(["$1,234.50", "$99"], name="charges")).values.tolist()
    [1234.5, 99.0]
    >>> ordered_cells(pd.Series(["65+", "18-24", "under 18", "25-64"], name="age")).order
    ['under 18', '18-24', '25-64', '65+']
    >>> ordered_cells(pd.Series(["Stage 10", "Stage 9"], name="stage")).order
    ['Stage 9', 'Stage 10']
    """
    values, order, notes = typed(column)
    if date == TEXT:
        return Cells(values, order, notes)
    guess = date_format(values)
    if date or guess.format:
        return _dates(values, date or guess.format, notes, guess.choices)
    if guess.choices:
        return Cells(values, order, notes, choices=guess.choices)
    if not (pd.api.types.is_object_dtype(values) or pd.api.types.is_string_dtype(values)):
        return Cells(values, order, notes)
    numbers = _without_unit(values)
    if numbers is not None:
        return Cells(numbers[0], None, (*_without_words(notes), *numbers[1]))
    texts = sorted({str(value) for value in values.dropna()})
    ages = _ages(texts)
    if ages is not None:
        message = f"“{column.name}” holds ranges such as “{ages[0]}”, which were sorted by their limits."
        return Cells(values, ages, (*_without_words(notes), message))
    codes = None if order else _by_number(texts)
    if codes is not None:
        notes = (*notes, f"“{column.name}” was sorted by the numbers in its values, such as “{codes[0]}”.")
    return Cells(values, order or codes, notes)


def _without_words(notes: tuple[str, ...]) -> tuple[str, ...]:
    """Notes without the one about numbers and words, which the new order replaces."""
    return tuple(note for note in notes if "also words such as" not in note)


def _dates(values: pd.Series, format: str, notes: tuple[str, ...], choices: tuple[str, ...]) -> Cells:
    dates = iso_dates(values, format)
    odd = values[dates.isna() & values.notna()].astype(str)
    what = "times" if format == TIME else "dates"
    as_iso = "" if format in (ISO, TIME) else f" and written as {ISO}"
    also = (f"“{values.name}” holds {what}, read as {format}{as_iso}.",)
    if odd.empty:
        return Cells(dates, None, (*notes, *also), format, choices)
    words = sorted(set(odd))
    order: list[Value] = [*sorted(set(dates.dropna())), *words]
    message = (
        f"“{values.name}” holds {counted(len(odd), 'value')} not in the format {format}, such as “{words[0][:40]}”; "
        "such values come after all others."
    )
    return Cells(dates.fillna(odd), order, (*notes, *also, message), format, choices)


def _without_unit(values: pd.Series) -> tuple[pd.Series, tuple[str, ...]] | None:
    """Numbers that all have the same unit, or commas and a point; None for anything else."""
    texts = pd.Series(values.dropna().unique())
    if texts.empty or not texts.iloc[0].strip("-+ ")[-1:] or not DIGITS.search(texts.iloc[0]):
        return None
    for number, thousands, point in ((NUMBER, ",", "."), (EUROPEAN, ".", ",")):
        parts = texts.str.extract(f"^{WITH_UNIT.format(money=MONEY, measure=MEASURE, number=number)}$")
        if parts["number"].isna().any():
            continue
        units = {
            (before, after.strip().removesuffix("s"))
            for before, after in zip(parts["before"], parts["after"], strict=True)
        }
        bare = parts["number"].str.replace(r"[\s+]", "", regex=True)
        if len(units) > 1 or bare.str.fullmatch(r"-?0\d+").any():
            return None
        plain = bare.str.replace(thousands, "").str.replace(point, ".")
        numbers = pd.to_numeric(parts["minus"] + plain, errors="coerce")
        if numbers.isna().any():
            continue
        before, after = units.pop()
        unit = before or after
        commas = f"with “{thousands}” between thousands and “{point}” before decimals"
        of_unit = f"without “{unit}”" if unit else commas
        message = f"The cells of “{values.name}”, such as “{texts.iloc[0][:40]}”, were read as numbers, {of_unit}."
        return values.map(dict(zip(texts, numbers, strict=True))).astype(float), (message,)
    return None


def _ages(texts: Sequence[str]) -> list[Value] | None:
    """Ranges and open ends sorted by their limits, words without a number last; None if these are something else.

    >>> _ages(["18 to 24", "5 to 17", "90 or older", "unknown"])
    ['5 to 17', '18 to 24', '90 or older', 'unknown']
    >>> _ages(["10-20", "red"]), _ages(["06604-1234", "06605-0001"])
    (['10-20', 'red'], None)
    """
    limits = {text: bounds for text in texts if (bounds := _limits(text)) is not None}
    words = [text for text in texts if text not in limits]
    in_ranges = any(low < high for low, high in limits.values())
    if not in_ranges or 2 * len(limits) < len(texts) or any(DIGITS.search(word) for word in words):
        return None
    if any(low > high for low, high in limits.values()):
        return None
    return [*sorted(limits, key=lambda text: (limits[text], text)), *words]


def _limits(text: str) -> tuple[float, float] | None:
    """The lowest and the highest number of a range."""
    for kind, pattern in KINDS.items():
        match = pattern.fullmatch(text)
        if match is not None:
            numbers = [float(number) for number in match.groups() if number is not None]
            ends = {"above": (numbers[0], inf), "below": (-inf, numbers[0])}
            return ends.get(kind, (numbers[0], numbers[-1]))
    return None


def _by_number(texts: Sequence[str]) -> list[Value] | None:
    """Codes that differ only in their numbers, sorted by these; None for anything else, or if letters sort them."""
    if len({DIGITS.sub("0", ORDINAL.sub("", text)) for text in texts}) != 1 or not DIGITS.search(texts[0]):
        return None
    order = sorted(texts, key=lambda text: ([int(number) for number in DIGITS.findall(text)], text))
    return None if order == list(texts) else list(order)


# ---------------------------------------------------------------------------------------------------------------------
# Dates and times as people write them: the format of a column, and its cells as ISO 8601, which sorts by time.
# ---------------------------------------------------------------------------------------------------------------------


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
AT_FIRST = 1_000  # values to examine before the rest
YEARS = (1850, 2100)  # that a number of eight digits may start with
SERIALS = (3_000, 73_050)  # 1908-03-18 to 2099-12-31 as Excel counts days; years are smaller numbers


@dataclass(frozen=True)
class DateFormat:
    """The format of a column's dates."""

    format: str = ""  # one of `FORMATS`; "" if it holds no dates, or day and month cannot be distinguished
    choices: tuple[str, ...] = ()  # the formats that fit equally well


def date_format(column: pd.Series) -> DateFormat:
    """The format of most values of a column, if the values decide it.

    Parameters
    ----------
    column : Series
        Numbers or text, with missing cells missing. Excel's day numbers count if its name says that it is a date.

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
        years = values.between(YEARS[0] * 10_000, YEARS[1] * 10_000).all() and (values % 1 == 0).all()
        if years and _moments(values, COMPACT).notna().all():
            return DateFormat(COMPACT)
        serial = values.between(*SERIALS).all() and has_date_name(str(column.name))
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


def _decided(texts: pd.Series, formats: tuple[str, ...]) -> DateFormat:
    """The only format that fits the values; with dots the day comes before the month unless a value rules that out."""
    fits = {name: _moments(texts, name).notna() for name in formats}
    fitting = {name: mask for name, mask in fits.items() if mask.any()}
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
    """The cells of a column as ISO 8601; missing if they are not a date in this format. A day at midnight has no time.

    >>> iso_dates(pd.Series(["31.5.2023", "1.6.2023 14:05", "soon"]), "dd.mm.yyyy").tolist()
    ['2023-05-31 00:00', '2023-06-01 14:05', nan]
    >>> iso_dates(pd.Series([45077, 20000.0]), "Excel").tolist(), iso_dates(pd.Series(["9:05 PM"]), "hh:mm").tolist()
    (['2023-05-31', '1954-10-03'], ['21:05'])
    """
    codes, values = pd.factorize(column)
    moments = _moments(pd.Series(values), format)
    present = moments.dropna()
    day, clock = "%Y-%m-%d", "%H:%M:%S" if (present.dt.second != 0).any() else "%H:%M"
    at_midnight = bool((present == present.dt.normalize()).all())
    texts = moments.dt.strftime(clock if format == TIME else day if at_midnight else f"{day} {clock}")
    cells = np.append(texts.astype(object).to_numpy(), np.nan)[codes]  # code -1 is a missing cell
    return pd.Series(cells, index=column.index, name=column.name).astype("str")


def _moments(values: pd.Series, format: str) -> pd.Series:
    """The moments that values represent in a format, NaT for those that do not fit."""
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
    moments = pd.to_datetime(texts, format=code, errors="coerce")
    for clock in CLOCKS[1:]:
        rest = texts[moments.isna() & texts.str.contains(":")]
        if rest.empty:
            break
        moments = moments.fillna(pd.to_datetime(rest, format=code + clock, errors="coerce"))
    return moments


def checked_formats(dates: Any, columns: list[str]) -> dict[str, str]:
    """The given format of each column, or `InvalidInput`.

    >>> checked_formats({"born": "dd/mm/yyyy"}, ["born"])
    {'born': 'dd/mm/yyyy'}
    """
    if dates is None or dates == TEXT:
        return {}
    if not isinstance(dates, Mapping):
        raise InvalidInput(
            f'The date formats are {told(dates)}; give one for each column, such as {{"born": "dd/mm/yyyy"}}.'
        )
    for name, format in dates.items():
        require_known_name(columns, name, "date formats")
        if format not in FORMATS:
            raise InvalidInput(f"The date format of {name!r} is {told(format)}; choose one of {', '.join(FORMATS)}.")
    return dict(dates)


def no_formats(value: Any) -> str:
    """The problem with untrusted date formats, "" if there is none.

    >>> no_formats({"born": "dd/mm/yyyy"}), no_formats("text"), no_formats({"born": "soon"})
    ('', '', 'is not a table with a date format for each column')
    """
    good = value == TEXT or (isinstance(value, Mapping) and all(entry in FORMATS for entry in value.values()))
    return "" if good else "is not a table with a date format for each column"
