"""Columns of text that have an order: dates, numbers with a unit, ages in ranges, and codes with a number in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import pandas as pd

from kanon_engine.io.cells import Value, times, typed
from kanon_engine.io.dates import ISO, TEXT, TIME, date_format, iso_dates

NUMBER = r"[-+]?\s*(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
EUROPEAN = r"[-+]?\s*(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?"
MONEY = r"[$€£¥₹]|(?:US|CA|AU)\$|USD|EUR|GBP|CHF|JPY|INR"
MEASURE = r"%|‰|°[CF]?|(?<=\s)[^\W\d_][\w/²³%°·]*|[a-zµμ][\w/²³%°·]*"  # a letter after a space, or a small one
WITH_UNIT = r"(?P<minus>-?)(?P<before>(?:{money})?)\s*(?P<number>{number})\s*?(?P<after>(?:\s*(?:{money}|{measure}))?)"
YEARS = r"(?:\s*(?:years?|yrs?|y|Jahren?|J|ans?|años?)\.?)?(?:\s*(?:old|alt))?"
AGES = {  # what it is → how it is written, with the numbers as groups
    "range": rf"(\d+){YEARS}\s*(?:-|–|—|to|bis|à|a)\s*(\d+){YEARS}",
    "above": (
        rf"(?:≥|>=?|over|above|from|older than|at least|ab|über|älter als|plus de|à partir de|más de|mayor de|desde)"
        rf"\s*(\d+){YEARS}|(\d+)\s*\+{YEARS}|(\d+){YEARS}\s*(?:and|or|und|oder|et|ou|y|o)\s*"
        rf"(?:older|over|above|more|up|älter|mehr|darüber|plus|más|mayor)"
    ),
    "below": (
        rf"(?:≤|<=?|under|below|up to|less than|younger than|unter|bis|jünger als|moins de|jusqu'à|menos de|menor de|"
        rf"hasta)\s*(\d+){YEARS}|(\d+){YEARS}\s*(?:and|or|und|oder|et|ou|y|o)\s*"
        rf"(?:younger|under|below|less|jünger|weniger|moins|menos|menor)"
    ),
    "one": rf"(\d+){YEARS}",
}
KINDS = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in AGES.items()}
DIGITS = re.compile(r"\d+")
ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a column.

    Attributes
    ----------
    values : Series
        Numbers, dates as ISO 8601, or text without outer spaces.
    order : list or None
        Of its values; None where they come in order of size, or of letters.
    notes : tuple of str
        What was missing or odd, and how it was ordered.
    date : str
        The format that its dates are in; "" where it holds none.
    choices : tuple of str
        Formats that fit as well as each other; it stays text until a person chooses one.
    """

    values: pd.Series
    order: list[Value] | None
    notes: tuple[str, ...]
    date: str = ""
    choices: tuple[str, ...] = ()


def ordered_cells(column: pd.Series, date: str = "") -> Cells:
    """A column with its values in the order that a person means.

    Parameters
    ----------
    column : Series
        As `read_frame` gives it.
    date : str
        The format of its dates, where a person said it; "text" where nothing but numbers is looked for.

    Example
    -------
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
    found = date_format(values)
    if date or found.format:
        return _dates(values, date or found.format, notes, found.choices)
    if found.choices:
        return Cells(values, order, notes, choices=found.choices)
    if not (pd.api.types.is_object_dtype(values) or pd.api.types.is_string_dtype(values)):
        return Cells(values, order, notes)
    numbers = _without_unit(values)
    if numbers is not None:
        return Cells(numbers[0], None, (*_without_words(notes), *numbers[1]))
    texts = sorted({str(value) for value in values.dropna()})
    ages = _ages(texts)
    if ages is not None:
        told = f"“{column.name}” holds ranges such as “{ages[0]}”, put in order by their limits."
        return Cells(values, ages, (*_without_words(notes), told))
    codes = None if order else _by_number(texts)
    if codes is not None:
        notes = (*notes, f"“{column.name}” was put in order by the numbers in its values, such as “{codes[0]}”.")
    return Cells(values, order or codes, notes)


def _without_words(notes: tuple[str, ...]) -> tuple[str, ...]:
    """Notes without the one on numbers among words, which the order has overtaken."""
    return tuple(note for note in notes if "also words such as" not in note)


def _dates(values: pd.Series, format: str, notes: tuple[str, ...], choices: tuple[str, ...]) -> Cells:
    dates = iso_dates(values, format)
    odd = values[dates.isna() & values.notna()].astype(str)
    what = "times" if format == TIME else "dates"
    written = "" if format in (ISO, TIME) else f" and written as {ISO}"
    also = (f"“{values.name}” holds {what}, read as {format}{written}.",)
    if odd.empty:
        return Cells(dates, None, (*notes, *also), format, choices)
    words = sorted(set(odd))
    order: list[Value] = [*sorted(set(dates.dropna())), *words]
    told = (
        f"“{values.name}” holds “{words[0][:40]}” and the like {times(len(odd))}, which is not in the format {format}; "
        "such values come behind all others."
    )
    return Cells(dates.fillna(odd), order, (*notes, *also, told), format, choices)


def _without_unit(values: pd.Series) -> tuple[pd.Series, tuple[str, ...]] | None:
    """Numbers that all have one unit, or commas and a point; None for anything else."""
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
        found = pd.to_numeric(parts["minus"] + plain, errors="coerce")
        if found.isna().any():
            continue
        before, after = units.pop()
        unit = before or after
        commas = f"with “{thousands}” between thousands and “{point}” before decimals"
        of_unit = f"without “{unit}”" if unit else commas
        told = f"The cells of “{values.name}”, such as “{texts.iloc[0][:40]}”, were read as numbers, {of_unit}."
        return values.map(dict(zip(texts, found, strict=True))).astype(float), (told,)
    return None


def _ages(texts: Sequence[str]) -> list[Value] | None:
    """Ranges and open ends in order of their limits, words without a number last; None where these are something else.

    Example
    -------
    >>> _ages(["18 to 24", "5 to 17", "90 or older", "unknown"])
    ['5 to 17', '18 to 24', '90 or older', 'unknown']
    >>> _ages(["10-20", "red"]), _ages(["06604-1234", "06605-0001"])
    (['10-20', 'red'], None)
    """
    limits = {text: found for text in texts if (found := _limits(text)) is not None}
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
        found = pattern.fullmatch(text)
        if found is not None:
            numbers = [float(number) for number in found.groups() if number is not None]
            ends = {"above": (numbers[0], inf), "below": (-inf, numbers[0])}
            return ends.get(kind, (numbers[0], numbers[-1]))
    return None


def _by_number(texts: Sequence[str]) -> list[Value] | None:
    """Codes that differ in their numbers alone, in order of these; None for anything else, or where letters do."""
    if len({DIGITS.sub("0", ORDINAL.sub("", text)) for text in texts}) != 1 or not DIGITS.search(texts[0]):
        return None
    order = sorted(texts, key=lambda text: ([int(number) for number in DIGITS.findall(text)], text))
    return None if order == list(texts) else list(order)
