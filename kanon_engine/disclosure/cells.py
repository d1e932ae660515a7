"""Which known values the cells of a release can represent: words, ranges by two columns, rectangles, circles."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.model.values import ANY, MISSING, Value, column_values, is_number, value_words
from kanon_engine.shown import Shown

UNNAMED = "…"  # among the values of a word: others that are not listed
EARTH = 6371.0088  # km, mean radius
NEAR = 1e-9  # relative tolerance for a distance that was computed differently


@dataclass(frozen=True, eq=False, repr=False)
class Fits(Shown):
    """Which shown cells can represent which known values."""

    shown: np.ndarray  # (rows,) int64: what each row of the release shows, by number
    known: np.ndarray  # (people,) int64: what is known about each person, by number
    table: np.ndarray  # (s, v) bool: whether what is shown can represent what is known

    def _facts(self) -> dict[str, object]:
        return {"shown": self.table.shape[0], "known": self.table.shape[1], "fit": int(self.table.sum())}

    def pairs(self) -> np.ndarray:
        """(people, rows) bool: for each person the rows that can be theirs. Only for small data."""
        return np.asarray(self.table[:, self.known].T[:, self.shown])


def fits(
    cell_column: pd.Series,
    value_column: pd.Series,
    meanings: Mapping[Any, Sequence[Any]] | None = None,
    lacking: bool = False,
) -> Fits:
    """Which cells of a released column can represent which values that are known about people.

    Nothing that a cell can represent is left out. If words are ambiguous, a cell represents more than it may: a run of
    words such as "1st … 4th (4 values)" is read as alphabetical, or as anything if the known values contradict that; an
    empty cell is a missing value, or any value if no known value is missing. A known value that no cell lists exactly
    is also compared without case and accents.

    Parameters
    ----------
    cell_column : As `kanon.release` shows it, or another program.
    value_column : Values, or words for them: someone may know an age as "30–39".
    meanings : mapping, optional
        What is shown → the values that it represents, if a reader knows them, for example from a hierarchy. "…" among
        them represents values that are not listed.
    lacking : bool
        Whether a missing value is one that nobody knows, which every cell can represent unless the release itself shows
        missing values; otherwise it is truly missing.

    Complexity
    ----------
    One comparison for each pair of different shown and different known values.

    >>> fits(pd.Series(["≤ 39", "≥ 40", "any"]), pd.Series([17, 40])).pairs().tolist()
    [[True, False, True], [False, True, True]]
    >>> zips = fits(pd.Series(["476**", "Louisville"]), pd.Series(["47602", "40018"]), {"Louisville": ["40018"]})
    >>> zips.pairs().tolist()
    [[True, False], [False, True]]
    """
    declared = {_key(word): tuple(values) for word, values in (meanings or {}).items()}
    cell_codes, cells = _numbered(cell_column)
    value_codes, values = _numbered(value_column)
    people = _PersonValues(values)
    covered = people.any_of([value for values in declared.values() for value in values if value != UNNAMED])
    read = [None if _key(cell) in declared else meaning_of(cell) for cell in cells]
    alphabetical = all(people.alphabetical(one.run) for one in read if one is not None and one.run is not None)
    table = np.zeros((len(cells), len(values)), dtype=bool)
    exactly, lists = (
        np.zeros(len(values), dtype=bool),
        [""] * len(cells),
    )  # values that a cell names; what each cell lists
    for place, (cell, meaning) in enumerate(zip(cells, read, strict=True)):
        if meaning is not None:
            table[place] = people.fitting(meaning, alphabetical)
            exactly |= people.named(meaning.text, meaning.listed)
            lists[place] = meaning.listed
            continue
        candidates = declared[_key(cell)]
        table[place] = people.any_of(candidates)
        exactly |= table[place]
        if UNNAMED in candidates:
            table[place] |= ~covered
        lists[place] = f", {', '.join(map(str, candidates))}, "
    if any(text.upper() != text.lower() for text, sure in zip(people.texts, exactly.tolist(), strict=True) if not sure):
        table |= _without_accents(read, lists, people, table) & ~exactly
    # and does not hide what it represents
    shows = np.array([meaning is None or not meaning.everything for meaning in read], dtype=bool)
    if lacking and not table[np.ix_(shows, people.missing)].any():
        table |= people.missing
    return Fits(cell_codes, value_codes, table)


def range_fits(low: pd.Series, high: pd.Series, value_column: pd.Series) -> Fits:
    """Which ranges, each with its ends in two columns, can represent which known numbers; both ends are included.

    If a number is missing, nothing is known about that person, who fits every range.

    >>> range_fits(pd.Series([0, 5]), pd.Series([5, 9]), pd.Series([2, 5])).pairs().tolist()
    [[True, False], [True, True]]
    """
    ends = pd.DataFrame({"low": _floats(low), "high": _floats(high)})
    sides = ends.drop_duplicates()
    range_codes = ends.groupby(["low", "high"], sort=False, dropna=False).ngroup().to_numpy(dtype=np.int64)
    value_codes, values = _numbered(value_column)
    people = _PersonValues(values)
    table = np.array([people.overlapping(Ends(*pair)) for pair in sides.to_numpy().tolist()]).reshape(len(sides), -1)
    return Fits(range_codes, value_codes, table | people.missing)


def disc_fits(centers: pd.DataFrame, radii: pd.Series, coordinates: pd.DataFrame, measure: str = "") -> Fits:
    """Which circles can hold which known places; every circle can, if nothing is known about a place.

    Parameters
    ----------
    centers : (rows, d) DataFrame of numbers
    radii : (rows,) Series
    coordinates : (people, d) DataFrame of numbers. In the order of the columns of the centers.
    measure : "km" or "m": longitude and latitude in degrees, distances on the globe; otherwise in the columns' unit.

    >>> circles = pd.DataFrame({"x": [0.0, 10.0], "y": [0.0, 0.0]})
    >>> disc_fits(circles, pd.Series([5.0, 5.0]), pd.DataFrame({"x": [3.0], "y": [4.0]})).pairs().tolist()
    [[True, False]]
    """
    circles, circle_codes = _different(np.column_stack([*(_floats(centers[name]) for name in centers), _floats(radii)]))
    places, people = _different(np.column_stack([_floats(coordinates[name]) for name in coordinates]))
    middles, radius = circles[:, :-1], circles[:, -1]
    table = np.empty((len(circles), len(places)), dtype=bool)
    unit = {"km": EARTH, "m": EARTH * 1000}.get(measure)
    for place, middle in enumerate(middles):
        far = np.sqrt(((places - middle) ** 2).sum(axis=1)) if unit is None else _on_globe(places, middle) * unit
        table[place] = far <= radius[place] * (1 + NEAR)
    return Fits(circle_codes, people, table | np.isnan(places).all(axis=1))


class _PersonValues:
    """The distinct values that are known about people, parsed."""

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
        dates = [DATE.fullmatch(text) for text in self.texts]
        self.months = np.array([-1 if one is None else _month(one[1], one[2]) for one in dates], dtype=np.int64)
        self.codes = np.array([_leading_zero(text) for text in self.texts], dtype=bool) & ~self.numeric
        self.place: dict[str, list[int]] = {}
        for place, text in enumerate(self.texts):
            self.place.setdefault(text, []).append(place)
        self.listed = [f", {text.replace(' or ', ', ')}, " for text in self.texts]

    def equal(self, text: str) -> np.ndarray:
        """Those written this way."""
        mask = np.zeros(self.count, dtype=bool)
        mask[self.place.get(text, [])] = True
        return mask

    def named(self, text: str, listed: str) -> np.ndarray:
        """Those written this way, or in a list."""
        mask = self.equal(text)
        return mask | np.array([one in listed for one in self.listed], dtype=bool) if listed else mask

    def overlapping(self, ends: Ends) -> np.ndarray:
        """Numbers and ranges that overlap these."""
        above = (self.low < ends.high) | ((self.low == ends.high) & self.has_low & ends.has_high)
        below = (ends.low < self.high) | ((ends.low == self.high) & ends.has_low & self.has_high)
        return np.asarray(self.ranged & above & below)

    def any_of(self, values: Sequence[Any]) -> np.ndarray:
        """Those that are one of some values."""
        mask = np.zeros(self.count, dtype=bool)
        for value in column_values(pd.Series(list(values), dtype=object)):
            if value is None:
                mask |= self.missing
                continue
            mask |= self.equal(plain_signs(value_words(value)))
            ends = ends_in(value)
            if ends is not None:
                mask |= self._numbers(ends, value)
        return mask

    def alphabetical(self, run: tuple[str, str, int]) -> bool:
        """Whether a run can be of words in alphabetical order."""
        first, last, count = run
        return last == MISSING or (first <= last and int(self.between(first, last).sum()) <= count)

    def fitting(self, meaning: CellMeaning, alphabetical: bool) -> np.ndarray:
        """Those that a cell can represent."""
        if meaning.everything or (meaning.missing and not meaning.text and not self.missing.any()):
            return np.ones(self.count, dtype=bool)
        mask = self.equal(meaning.text)
        alone = bool(mask.any())
        if meaning.known:
            mask |= ~self.missing
        if meaning.missing:
            mask |= self.missing
        if meaning.ends is not None:
            mask |= self._numbers(meaning.ends, meaning.text)
        if meaning.months is not None:
            mask |= (meaning.months[0] <= self.months) & (self.months <= meaning.months[1])
        if meaning.run is not None:
            mask |= self.between(*meaning.run[:2]) if alphabetical else ~self.missing
        if meaning.mask:
            mask |= self.masked(meaning.mask)
        if meaning.listed and (meaning.certain or not alone):
            mask |= np.array([text in meaning.listed for text in self.listed], dtype=bool)
        return mask

    def _numbers(self, ends: Ends, cell: Value) -> np.ndarray:
        """Numbers in an interval; a single number with a leading zero is a code, different from the same without it."""
        mask = self.overlapping(ends)
        if ends.low != ends.high or not isinstance(cell, str):
            return mask
        text = plain_signs(cell)
        return mask & (self.numeric | (self.codes == _leading_zero(text)))

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
    read: Sequence[CellMeaning | None], lists: Sequence[str], people: _PersonValues, table: np.ndarray
) -> np.ndarray:
    """(s, v) bool: what fits without case and accents; masks and runs only for what fits no earlier cell."""
    plain = _PersonValues([folded(text) for text in people.texts])
    hides = [one is not None and (one.everything or one.known or not one.text) for one in read]
    specific = ~np.array(hides, dtype=bool)
    lost = ~table[specific].any(axis=0)
    result = np.zeros_like(table)
    for place, (meaning, listed) in enumerate(zip(read, lists, strict=True)):
        result[place] = plain.named("" if meaning is None else folded(meaning.text), folded(listed))
        if meaning is not None and meaning.mask:
            result[place] |= lost & plain.masked(folded(meaning.mask))
        if meaning is not None and meaning.run is not None:
            result[place] |= lost & plain.between(*map(folded, meaning.run[:2]))
    return result & ~people.missing


def _leading_zero(text: str) -> bool:
    """Whether it is digits with a leading zero, as the code 06001."""
    return len(text) > 1 and text.startswith("0") and text.isdigit()


def _key(cell: Any) -> Any:
    """What distinguishes shown cells, whatever their type."""
    return (
        None if cell is None else plain_signs(value_words(cell)) if isinstance(cell, str | int | float) else str(cell)
    )


def _numbered(column: pd.Series) -> tuple[np.ndarray, list[Value]]:
    """Numbers of the values of a column, and each distinct value, including a missing one."""
    codes, values = pd.factorize(column.astype(object), use_na_sentinel=False)
    return codes.astype(np.int64), column_values(pd.Series(values, dtype=object))


def _floats(column: pd.Series) -> np.ndarray:
    """Numbers; NaN for anything else, which is in no interval."""
    return np.asarray(pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan))


def _different(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows, and the number of each."""
    kinds, numbers = np.unique(rows, axis=0, return_inverse=True)
    return kinds, numbers.reshape(-1).astype(np.int64)


def _on_globe(places: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """Angles between places and one other place, longitude and latitude in degrees."""
    (lon, lat), (lon_0, lat_0) = np.radians(places.T), np.radians(middle)
    half = np.sin((lat - lat_0) / 2) ** 2 + np.cos(lat) * np.cos(lat_0) * np.sin((lon - lon_0) / 2) ** 2
    return np.asarray(2 * np.arcsin(np.sqrt(np.clip(half, 0, 1))))


# ---------------------------------------------------------------------------------------------------------------------
# Words of a release as a reader understands them: the values that one shown cell can represent.
#
# Words are those of `kanon_engine/tables/words.py`, and those that other programs write: "[20, 40)" and "{a, b}" (ARX,
# anjana), "20-40", ">=50", "476**", "(20.0, 40.0]" (pandas).
# ---------------------------------------------------------------------------------------------------------------------


NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
PLAIN = re.compile(NUMBER)
BRACKETS = re.compile(rf"([\[\](])\s*(-?inf|{NUMBER})\s*(?:,|;|–|-|\.\.|…| to )\s*(\+?inf|{NUMBER})\s*([\])\[])")
FROM_TO = re.compile(rf"({NUMBER})\s*(?:–|—|-|\.\.|…|to)\s*({NUMBER})")
TO_UNDER = re.compile(rf"({NUMBER})\s*to\s*(?:under|<)\s*({NUMBER})")
LEAST = re.compile(rf"(≥|>=|=>|>|over|above|at least|from)\s*({NUMBER})")
MOST = re.compile(rf"(≤|<=|=<|<|under|below|at most|up to)\s*({NUMBER})")
AND_MORE = re.compile(rf"({NUMBER})\s*(?:\+|(?:and|or) (?:over|above|more|older))")
AND_LESS = re.compile(rf"({NUMBER})\s*(?:and|or) (?:under|below|less|younger)")
DATE = re.compile(r"(\d{4})-(\d\d)-\d\d")
PERIOD = re.compile(r"([12]\d{3})(?:–([12]\d{3})|-(0[1-9]|1[0-2])| ?Q([1-4]))?")
RUN = re.compile(r"(.*) … (.*) \(([\d,]+) values\)", re.DOTALL)
NOT_MISSING = f"not {MISSING}"
OR_MISSING = f" or {MISSING}"
STRICT = (">", "<", "over", "above", "under", "below")
UNDIVIDED = str.maketrans({"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"})
DIGITS = 10  # that a release writes of a number with a fraction


@dataclass(frozen=True)
class Ends:
    """An interval of numbers; each end belongs to it or not."""

    low: float
    high: float
    has_low: bool = True
    has_high: bool = True


@dataclass(frozen=True)
class CellMeaning:
    """What one shown cell can represent: whatever fits any of these."""

    text: str  # the cell itself, with plain signs
    # everything: any value at all; missing: a missing value; `known`: any value that is not missing
    everything: bool = False
    known: bool = False
    missing: bool = False
    ends: Ends | None = None  # numbers
    listed: str = ""  # a list of values, with ", " around each; empty if it is not a list
    certain: bool = False  # whether it is a list whatever the values are
    run: tuple[str, str, int] | None = None  # first, last and number of values in alphabetical order
    mask: str = ""  # letters and stars, each star for one letter, as "476**"
    months: tuple[int, int] | None = None  # the first and last month of the dates that a year or a part of one holds


def plain_signs(text: str) -> str:
    """Without spaces around it, and with the minus sign that programs write."""
    return text.strip().replace("−", "-")


def folded(text: str) -> str:
    """In lowercase without accents.

    >>> folded("MÜLLER"), folded("São"), folded("Straße"), folded("Łódź")
    ('muller', 'sao', 'strasse', 'lodz')
    """
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(one for one in letters if not unicodedata.combining(one)).translate(UNDIVIDED)


def number_in(value: Value) -> float | None:
    """The number that a value or a text is, to the precision that a release writes; None for anything else.

    >>> number_in(17), number_in("−2.50"), number_in("Masters"), number_in(0.123456789012)
    (17, -2.5, None, 0.123456789)
    """
    if isinstance(value, str):
        text = plain_signs(value)
        if PLAIN.fullmatch(text) is None:
            return None
        value = int(text) if text.lstrip("+-").isdigit() else float(text)
    if not is_number(value):
        return None
    number: float = value  # type: ignore[assignment]
    return number if isinstance(number, int) else float(f"{number:.{DIGITS}g}")


def ends_in(value: Value) -> Ends | None:
    """The numbers that a value or a word represents; None if it represents none.

    >>> ends_in("30–39"), ends_in("≥ 40").low, ends_in("30 to under 40").has_high, ends_in("Masters")
    (Ends(low=30, high=39, has_low=True, has_high=True), 40, False, None)
    """
    number = number_in(value)
    if number is not None:
        return Ends(number, number)
    if not isinstance(value, str):
        return None
    text = plain_signs(value)
    match = BRACKETS.fullmatch(text)
    if match:
        low, high = _end(match[2]), _end(match[3])
        return _proper(Ends(low, high, match[1] == "[" and low > -math.inf, match[4] == "]" and high < math.inf))
    match = TO_UNDER.fullmatch(text)
    if match:
        return _proper(Ends(_end(match[1]), _end(match[2]), has_high=False))
    match = FROM_TO.fullmatch(text)
    if match:
        return _proper(Ends(_end(match[1]), _end(match[2])))
    match = LEAST.fullmatch(text)
    if match:
        return Ends(_end(match[2]), math.inf, match[1] not in STRICT, False)
    match = MOST.fullmatch(text)
    if match:
        return Ends(-math.inf, _end(match[2]), False, match[1] not in STRICT)
    match = AND_MORE.fullmatch(text)
    if match:
        return Ends(_end(match[1]), math.inf, True, False)
    match = AND_LESS.fullmatch(text)
    return Ends(-math.inf, _end(match[1]), False, True) if match else None


def meaning_of(cell: Value) -> CellMeaning:
    """How a reader who knows nothing about the column understands one shown cell.

    >>> meaning_of("any").everything, meaning_of("30–39 or missing").missing, meaning_of("Masters or Doctorate").listed
    (True, True, ', Masters, Doctorate, ')
    >>> meaning_of("1st … 4th (4 values)").run, meaning_of("476**").mask
    (('1st', '4th', 4), '476**')
    >>> meaning_of("2024 Q2").months == meaning_of("2024-04").months[:1] + meaning_of("2024-06").months[:1]
    True
    """
    if cell is None:
        return CellMeaning("", missing=True)
    text = plain_signs(value_words(cell))
    if text.casefold() == ANY or (text and not text.strip("*")):
        return CellMeaning(text, everything=True)
    if text == NOT_MISSING:
        return CellMeaning(text, known=True)
    if text == MISSING:
        return CellMeaning(text, missing=True)
    base = text.removesuffix(OR_MISSING)
    missing = base != text
    run = RUN.fullmatch(base)
    if run:
        ends = run[1], run[2], int(run[3].replace(",", ""))
        return CellMeaning(text, missing=missing or run[2] == MISSING, run=ends)
    numbers = ends_in(base if isinstance(cell, str) else cell)
    if numbers is not None:
        return CellMeaning(base, missing=missing, ends=numbers, months=_months(base))
    if "*" in base and base.strip("*"):
        return CellMeaning(base, missing=missing, mask=base)
    listed, certain = _list(base)
    return CellMeaning(base, missing=missing, listed=listed, certain=certain, months=_months(base))


def _months(text: str) -> tuple[int, int] | None:
    """The first and last month of “2024”, “2024-06”, “2024 Q2” or “2020–2024”; None for anything else."""
    match = PERIOD.fullmatch(text)
    if match is None:
        return None
    year, last, month, quarter = match.groups()
    if month is not None:
        return _month(year, month), _month(year, month)
    if quarter is not None:
        return _month(year, 3 * int(quarter) - 2), _month(year, 3 * int(quarter))
    return _month(year, 1), _month(last or year, 12)


def _month(year: str | int, month: str | int) -> int:
    return 12 * int(year) + int(month)


def _list(text: str) -> tuple[str, bool]:
    """The values of a list between commas, and whether it certainly is a list."""
    braces = (text[:1], text[-1:]) in (("{", "}"), ("[", "]"))
    inner = text[1:-1] if braces else text
    if braces:
        parts = [part.strip() for part in re.split(r"[,;]", inner)]
        return f", {', '.join(parts)}, ", True
    if " or " in text:
        return f", {text.replace(' or ', ', ')}, ", True
    return (f", {text}, ", False) if ", " in text else ("", False)


def _end(text: str) -> float:
    if text.lstrip("+-") == "inf":
        return -math.inf if text.startswith("-") else math.inf
    number = number_in(text)
    return math.nan if number is None else number


def _proper(ends: Ends) -> Ends | None:
    """None if the first number is above the last: this was not a range."""
    return ends if ends.low <= ends.high else None
