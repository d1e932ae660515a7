"""Which known values the cells of a release can stand for: words, ranges by two columns, rectangles, circles."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.release.shown_words import Ends, Meaning, ends_in, folded, meaning_of, plain_signs
from kanon_engine.shown import Shown
from kanon_engine.tables.domain import MISSING, Value, column_values, is_number, value_words

UNNAMED = "…"  # among the values of a word: others that are not named
EARTH = 6371.0088  # km, mean radius
NEAR = 1e-9  # relative: a distance that was worked out in another way


@dataclass(frozen=True, eq=False, repr=False)
class Fits(Shown):
    """Which shown cells can stand for which known values.

    Attributes
    ----------
    shown : (rows,) int64
        What each row of the release shows, by number.
    known : (people,) int64
        What is known of each person, by number.
    table : (s, v) bool
        Whether what is shown can stand for what is known.
    """

    shown: np.ndarray
    known: np.ndarray
    table: np.ndarray

    def _facts(self) -> dict[str, object]:
        return {"shown": self.table.shape[0], "known": self.table.shape[1], "fit": int(self.table.sum())}

    def pairs(self) -> np.ndarray:
        """(people, rows) bool: for each person the rows that can be theirs. Of small data alone."""
        return np.asarray(self.table[:, self.known].T[:, self.shown])


def fits(
    shown: pd.Series,
    known: pd.Series,
    meanings: Mapping[Any, Sequence[Any]] | None = None,
    lacking: bool = False,
) -> Fits:
    """Which cells of a released column can stand for which values that are known of people.

    Nothing that a cell can stand for is left out. Where words leave it open, a cell stands for more than it may: a run
    of words such as "1st … 4th (4 values)" is read as alphabetical, and for anything where the known values say that it
    is not; an empty cell is a missing value, and hides any where no known value is missing. A known value that no cell
    names as it is written is compared without capitals and accents too.

    Parameters
    ----------
    shown : Series
        As `kanon.release` shows it, or another program.
    known : Series
        Values, or words for them: somebody may know an age as "30–39".
    meanings : mapping, optional
        What is shown → the values that it stands for, where a reader knows them, as of a hierarchy. "…" among them
        stands for values that are not named.
    lacking : bool
        Whether a missing value is one that nobody knows, which every cell can stand for, but where the release tells of
        missing values itself; else it is missing in truth.

    Returns
    -------
    Fits

    Complexity
    ----------
    One comparison for each pair of different shown and different known values.

    Example
    -------
    >>> fits(pd.Series(["≤ 39", "≥ 40", "any"]), pd.Series([17, 40])).pairs().tolist()
    [[True, False, True], [False, True, True]]
    >>> zips = fits(pd.Series(["476**", "Louisville"]), pd.Series(["47602", "40018"]), {"Louisville": ["40018"]})
    >>> zips.pairs().tolist()
    [[True, False], [False, True]]
    """
    said = {_key(word): tuple(values) for word, values in (meanings or {}).items()}
    shown_codes, cells = _numbered(shown)
    known_codes, values = _numbered(known)
    people = _Known(values)
    named = people.any_of([value for values in said.values() for value in values if value != UNNAMED])
    read = [None if _key(cell) in said else meaning_of(cell) for cell in cells]
    alphabetical = all(people.alphabetical(one.run) for one in read if one is not None and one.run is not None)
    table = np.zeros((len(cells), len(values)), dtype=bool)
    exactly, lists = np.zeros(len(values), dtype=bool), [""] * len(cells)  # values that a cell names; what each lists
    for place, (cell, meaning) in enumerate(zip(cells, read, strict=True)):
        if meaning is not None:
            table[place] = people.fitting(meaning, alphabetical)
            exactly |= people.named(meaning.text, meaning.listed)
            lists[place] = meaning.listed
            continue
        stands_for = said[_key(cell)]
        table[place] = people.any_of(stands_for)
        exactly |= table[place]
        if UNNAMED in stands_for:
            table[place] |= ~named
        lists[place] = f", {', '.join(map(str, stands_for))}, "
    if any(text.upper() != text.lower() for text, sure in zip(people.texts, exactly.tolist(), strict=True) if not sure):
        table |= _without_accents(read, lists, people, table) & ~exactly
    if lacking and not any(table[place, people.missing].any() for place in range(len(cells)) if not _any(read[place])):
        table |= people.missing
    return Fits(shown_codes, known_codes, table)


def range_fits(low: pd.Series, high: pd.Series, known: pd.Series) -> Fits:
    """Which ranges, each with its ends in two columns, can stand for which known numbers; both ends belong to them.

    Where a number is missing, nothing is known of that person, who fits every range.

    Example
    -------
    >>> range_fits(pd.Series([0, 5]), pd.Series([5, 9]), pd.Series([2, 5])).pairs().tolist()
    [[True, False], [True, True]]
    """
    ends = pd.DataFrame({"low": _floats(low), "high": _floats(high)})
    sides = ends.drop_duplicates()
    shown = ends.groupby(["low", "high"], sort=False, dropna=False).ngroup().to_numpy(dtype=np.int64)
    known_codes, values = _numbered(known)
    people = _Known(values)
    table = np.array([people.overlapping(Ends(*pair)) for pair in sides.to_numpy().tolist()]).reshape(len(sides), -1)
    return Fits(shown, known_codes, table | people.missing)


def disc_fits(centers: pd.DataFrame, radii: pd.Series, known: pd.DataFrame, measure: str = "") -> Fits:
    """Which circles can hold which known places; every one can, where nothing is known of a place.

    Parameters
    ----------
    centers : (rows, d) DataFrame of numbers
    radii : (rows,) Series
    known : (people, d) DataFrame of numbers
        In the order of the columns of the centers.
    measure : str
        "km" or "m": longitude and latitude in degrees, distances on the globe; else in the columns' own unit.

    Example
    -------
    >>> circles = pd.DataFrame({"x": [0.0, 10.0], "y": [0.0, 0.0]})
    >>> disc_fits(circles, pd.Series([5.0, 5.0]), pd.DataFrame({"x": [3.0], "y": [4.0]})).pairs().tolist()
    [[True, False]]
    """
    circles, shown = _different(np.column_stack([*(_floats(centers[name]) for name in centers), _floats(radii)]))
    places, people = _different(np.column_stack([_floats(known[name]) for name in known]))
    middles, radius = circles[:, :-1], circles[:, -1]
    table = np.empty((len(circles), len(places)), dtype=bool)
    unit = {"km": EARTH, "m": EARTH * 1000}.get(measure)
    for place, middle in enumerate(middles):
        far = np.sqrt(((places - middle) ** 2).sum(axis=1)) if unit is None else _on_globe(places, middle) * unit
        table[place] = far <= radius[place] * (1 + NEAR)
    return Fits(shown, people, table | np.isnan(places).all(axis=1))


class _Known:
    """The different values that are known of people, taken apart."""

    def __init__(self, values: Sequence[Value]) -> None:
        self.texts = [plain_signs(value_words(value)) for value in values]
        nothing = [value is None or text == MISSING for value, text in zip(values, self.texts, strict=True)]
        self.missing = np.array(nothing, dtype=bool)
        self.numeric = np.array([is_number(value) for value in values], dtype=bool)
        self.count = len(values)
        ends = [ends_in(value) for value in values]
        self.ranged = np.array([one is not None for one in ends], dtype=bool)
        self.low = np.array([np.nan if one is None else one.low for one in ends], dtype=np.float64)
        self.high = np.array([np.nan if one is None else one.high for one in ends], dtype=np.float64)
        self.has_low = np.array([one is not None and one.has_low for one in ends], dtype=bool)
        self.has_high = np.array([one is not None and one.has_high for one in ends], dtype=bool)
        self.codes = np.array([_leading_zero(text) for text in self.texts], dtype=bool) & ~self.numeric
        self.place: dict[str, list[int]] = {}
        for place, text in enumerate(self.texts):
            self.place.setdefault(text, []).append(place)
        self.listed = [f", {text.replace(' or ', ', ')}, " for text in self.texts]

    def equal(self, text: str) -> np.ndarray:
        """Those that are written so."""
        found = np.zeros(self.count, dtype=bool)
        found[self.place.get(text, [])] = True
        return found

    def named(self, text: str, listed: str) -> np.ndarray:
        """Those that are written so, or are in a list."""
        found = self.equal(text)
        return found | np.array([one in listed for one in self.listed], dtype=bool) if listed else found

    def overlapping(self, ends: Ends) -> np.ndarray:
        """Numbers and ranges that share a number with these."""
        above = (self.low < ends.high) | ((self.low == ends.high) & self.has_low & ends.has_high)
        below = (ends.low < self.high) | ((ends.low == self.high) & ends.has_low & self.has_high)
        return np.asarray(self.ranged & above & below)

    def any_of(self, values: Sequence[Any]) -> np.ndarray:
        """Those that are one of some values."""
        found = np.zeros(self.count, dtype=bool)
        for value in column_values(pd.Series(list(values), dtype=object)):
            if value is None:
                found |= self.missing
                continue
            found |= self.equal(plain_signs(value_words(value)))
            ends = ends_in(value)
            if ends is not None:
                found |= self._numbers(ends, value)
        return found

    def alphabetical(self, run: tuple[str, str, int]) -> bool:
        """Whether a run can be of words in alphabetical order."""
        first, last, count = run
        return last == MISSING or (first <= last and int(self.between(first, last).sum()) <= count)

    def fitting(self, meaning: Meaning, alphabetical: bool) -> np.ndarray:
        """Those that a cell can stand for."""
        if meaning.everything or (meaning.missing and not meaning.text and not self.missing.any()):
            return np.ones(self.count, dtype=bool)
        found = self.equal(meaning.text)
        alone = bool(found.any())
        if meaning.known:
            found |= ~self.missing
        if meaning.missing:
            found |= self.missing
        if meaning.ends is not None:
            found |= self._numbers(meaning.ends, meaning.text)
        if meaning.run is not None:
            found |= self.between(*meaning.run[:2]) if alphabetical else ~self.missing
        if meaning.mask:
            found |= self.masked(meaning.mask)
        if meaning.listed and (meaning.certain or not alone):
            found |= np.array([text in meaning.listed for text in self.listed], dtype=bool)
        return found

    def _numbers(self, ends: Ends, written: Value) -> np.ndarray:
        """Numbers in an interval; a single number with a zero in front is a code that no text without it is."""
        found = self.overlapping(ends)
        if ends.low != ends.high or not isinstance(written, str):
            return found
        text = plain_signs(written)
        return found & (self.numeric | (self.codes == _leading_zero(text)))

    def between(self, first: str, last: str) -> np.ndarray:
        return np.array([first <= text and (last == MISSING or text <= last) for text in self.texts], dtype=bool) & (
            ~self.missing
        )

    def masked(self, mask: str) -> np.ndarray:
        """Texts of this length with the same letters; a single star at the end may hide several."""
        letters = [re.escape(letter) if letter != "*" else "." for letter in mask]
        if mask.endswith("*") and mask.count("*") == 1:
            letters[-1] = ".*"
        pattern = re.compile("".join(letters), re.DOTALL)
        wide = len(mask)
        return np.array(
            [
                pattern.fullmatch(text.zfill(wide) if number else text) is not None
                for text, number in zip(self.texts, self.numeric.tolist(), strict=True)
            ],
            dtype=bool,
        )


def _without_accents(
    read: Sequence[Meaning | None], lists: Sequence[str], people: _Known, table: np.ndarray
) -> np.ndarray:
    """(s, v) bool: what fits where neither has capitals or accents; masks and runs only of what fits no cell before."""
    plain = _Known([folded(text) for text in people.texts])
    hides = [one is not None and (one.everything or one.known or not one.text) for one in read]
    specific = ~np.array(hides, dtype=bool)
    lost = ~table[specific].any(axis=0)
    found = np.zeros_like(table)
    for place, (meaning, listed) in enumerate(zip(read, lists, strict=True)):
        found[place] = plain.named("" if meaning is None else folded(meaning.text), folded(listed))
        if meaning is not None and meaning.mask:
            found[place] |= lost & plain.masked(folded(meaning.mask))
        if meaning is not None and meaning.run is not None:
            found[place] |= lost & plain.between(*map(folded, meaning.run[:2]))
    return found & ~people.missing


def _any(meaning: Meaning | None) -> bool:
    """Whether a cell hides what it stands for."""
    return meaning is not None and meaning.everything


def _leading_zero(text: str) -> bool:
    """Whether it is digits with a zero in front, as the code 06001."""
    return len(text) > 1 and text.startswith("0") and text.isdigit()


def _key(cell: Any) -> Any:
    """What tells shown cells apart, whatever their type."""
    return (
        None if cell is None else plain_signs(value_words(cell)) if isinstance(cell, str | int | float) else str(cell)
    )


def _numbered(column: pd.Series) -> tuple[np.ndarray, list[Value]]:
    """Numbers of the values of a column, and each different one; a missing one too."""
    codes, values = pd.factorize(column.astype(object), use_na_sentinel=False)
    return codes.astype(np.int64), column_values(pd.Series(values, dtype=object))


def _floats(column: pd.Series) -> np.ndarray:
    """Numbers; NaN for what is none, which lies nowhere."""
    return np.asarray(pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan))


def _different(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different rows, and the number of each."""
    kinds, numbers = np.unique(rows, axis=0, return_inverse=True)
    return kinds, numbers.reshape(-1).astype(np.int64)


def _on_globe(places: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """Angles between places and one other, longitude and latitude in degrees."""
    (lon, lat), (lon_0, lat_0) = np.radians(places.T), np.radians(middle)
    half = np.sin((lat - lat_0) / 2) ** 2 + np.cos(lat) * np.cos(lat_0) * np.sin((lon - lon_0) / 2) ** 2
    return np.asarray(2 * np.arcsin(np.sqrt(np.clip(half, 0, 1))))
