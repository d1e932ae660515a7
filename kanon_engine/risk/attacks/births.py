"""Ages against years of birth: what a release and a list say of the same thing, and in which year the ages were."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd

from kanon_engine.disclosure.cells import Ends, Fits, ends_in, fits
from kanon_engine.io.roles import plain_name
from kanon_engine.tables.domain import column_values

OLDEST = 130
YEARS = (1850, 2100)
YEAR = r"(?<!\d)(?:18|19|20)\d{2}(?!\d)"
DATE = r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*"
STRANGERS = 0.05  # of a list, who are not in the release, when the year is estimated
OPEN = 30  # years that an open range spans, when the year is estimated
LIKELY = 1 / 20  # of the likelihood of the most likely year
AGES, BIRTHS = "ages", "births"
NAMES = {
    AGES: {"age", "ages", "alter", "lebensalter", "altersgruppe", "edad"},
    BIRTHS: {
        *("birth", "born", "birthdate", "birthday", "birthyear", "dob", "yob", "jahrgang", "geburt", "geboren"),
        *("geburtsdatum", "geburtsjahr", "geburtstag", "gebdatum", "gebjahr", "naissance", "nacimiento"),
    },
}


def called_after(name: str) -> str:
    """Whether a column is called after ages or births; "" after neither, or both.

    Example
    -------
    >>> called_after("birth_year"), called_after("Alter"), called_after("birth_age"), called_after("town")
    ('births', 'ages', '', '')
    """
    words = set(plain_name(name).split())
    kinds = [kind for kind, known in NAMES.items() if words & known]
    return kinds[0] if len(kinds) == 1 else ""


def year_of_ages(shown: pd.Series, known: pd.Series, year: int | None = None) -> tuple[int, int] | None:
    """The years in which the ages can have been, where one column has ages and the other years or dates of birth.

    Without `year` these are the years that are at least a twentieth as likely as the most likely one, if each person on
    the list is one of the released records, all equally likely.

    Parameters
    ----------
    shown : (rows,) Series
        As a release shows it: numbers, ranges, words.
    known : (people,) Series
        Numbers, or dates of birth.
    year : int, optional
        The year, where it is known.

    Returns
    -------
    (int, int) or None
        The first and the last of these years; None where both columns are ages, or neither.

    Example
    -------
    >>> year_of_ages(pd.Series(["30–39", "≥ 40"]), pd.Series([1984, 1961]), 2020)
    (2020, 2020)
    >>> year_of_ages(pd.Series(["30–39", "≥ 40"]), pd.Series([34, 61]))
    """
    cells = _ends(shown) or _ends(_in_years(shown))
    ours = _kind(np.array([end for one in cells for end in (one.low, one.high) if np.isfinite(end)]))
    people = known_numbers(known).dropna().to_numpy(dtype=np.int64) if ours else np.array([])
    if {ours, _kind(people)} != {AGES, BIRTHS}:
        return None
    return _likely(cells, people) if year is None else (year, year)


def fits_of_births(shown: pd.Series, known: pd.Series, years: tuple[int, int], lacking: bool = False) -> Fits:
    """Which shown ages can be of whom, by the year of birth, or the other way round.

    Who was born in b is y - b - 1 or y - b years old in the year y; the ages can be of the year before or after.

    Example
    -------
    >>> ages, born = pd.Series(["30–39", "≥ 40"]), pd.Series([1984, 1961, 1981])
    >>> fits_of_births(ages, born, (2020, 2020)).pairs().tolist()
    [[True, False], [False, True], [True, True]]
    """
    numbers, shown = known_numbers(known), _in_years(shown)
    every = [fits(shown, year - numbers, None, lacking) for year in range(years[0] - 1, years[1] + 2)]
    return Fits(every[0].shown, every[0].known, np.logical_or.reduce([one.table for one in every]))


def known_numbers(known: pd.Series) -> pd.Series:
    """Whole numbers as they are, or dates by their year; all are missing where a value is neither.

    Example
    -------
    >>> known_numbers(pd.Series(["1984-05-17", "3/9/1961"])).tolist(), known_numbers(pd.Series(["Ada"])).tolist()
    ([1984, 1961], [<NA>])
    """
    numbers = pd.to_numeric(known, errors="coerce") if known.dtype.kind not in "Mm" else pd.Series(pd.NA, known.index)
    if numbers.isna().equals(known.isna()) and not (numbers.dropna() % 1).any():
        return numbers.astype("Int64")
    years = known.astype("string").str.extractall(f"({YEAR})")[0].unstack()  # a column for each year that a value has
    alone = years.reindex(known.index).notna().sum(axis=1)
    if years.empty or (alone[known.notna()] != 1).any():
        return pd.Series(pd.NA, known.index, dtype="Int64")
    return years[0].reindex(known.index).astype("Int64")


def _in_years(shown: pd.Series) -> pd.Series:
    """Dates by their year; all other cells as they are."""
    kinds = pd.Series(shown.astype(object).dropna().unique(), dtype=object)
    dates = kinds[[ends_in(value) is None for value in column_values(kinds)]].astype("string")
    dates = dates[dates.str.fullmatch(DATE) & dates.str.contains(YEAR)]
    if dates.empty:
        return shown
    return shown.astype(object).replace(
        dict(zip(kinds[dates.index], dates.str.extract(f"({YEAR})")[0].astype(int), strict=True))
    )


def _kind(numbers: np.ndarray) -> str:
    if len(numbers) and ((numbers >= YEARS[0]) & (numbers <= YEARS[1])).all():
        return BIRTHS
    return AGES if len(numbers) and ((numbers >= 0) & (numbers <= OLDEST)).all() else ""


def _ends(shown: pd.Series) -> list[Ends]:
    """Of each row that shows numbers."""
    codes, cells = pd.factorize(shown.astype(object), use_na_sentinel=False)
    read = [ends_in(value) for value in column_values(pd.Series(cells, dtype=object))]
    return [one for code in codes.tolist() if (one := read[code]) is not None]


def _likely(cells: list[Ends], known: np.ndarray) -> tuple[int, int]:
    """The years that are likely: in the year y a person of the number x can be whoever shows y - x."""
    last = int(max(end for one in cells for end in (one.low, one.high) if np.isfinite(end))) + OPEN
    share = np.zeros(last + 1)  # of the records, at each number
    for one, count in Counter(cells).items():
        low = max(one.low, one.high - OPEN, 0) if np.isfinite(one.high) else one.low
        high = min(one.high, low + OPEN) if np.isfinite(one.low) else one.high
        share[int(np.ceil(low)) : int(high) + 1] += count / len(cells) / (high - low + 1)
    logs = np.log((1 - STRANGERS) * share + STRANGERS / len(share))
    values, counts = np.unique(known, return_counts=True)
    years = np.arange(YEARS[0], YEARS[1] + 1)
    at = years[:, None] - values
    inside = (at >= 0) & (at <= last)
    likely = (np.where(inside, logs[np.clip(at, 0, last)], logs.min()) * counts).sum(axis=1)
    near = years[likely >= likely.max() + np.log(LIKELY)]
    return int(near[0]), int(near[-1])
