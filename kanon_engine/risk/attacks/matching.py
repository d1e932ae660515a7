"""Which columns of a release and of an outside table correspond, and which released rows can be whose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from kanon_engine.disclosure.cells import Ends, Fits, disc_fits, ends_in, fits, range_fits
from kanon_engine.errors import InvalidInput
from kanon_engine.io.names import plain_name
from kanon_engine.model.values import column_values
from kanon_engine.release.released import Released
from kanon_engine.release.sets import joined
from kanon_engine.shown import Shown
from kanon_engine.validate import require_known_name

BLOCK = 1 << 23  # pairs of people and rows that are processed together
CENTER, RADIUS = "center_", "radius"


@dataclass(frozen=True, repr=False)
class Match(Shown):
    """Columns that correspond.

    >>> Match.read("age=birth_age"), Match.read("xmin:xmax=x")
    (<Match: released age, outside birth_age>, <Match: released xmin, xmax, outside x>)
    """

    # one column of words or values; two with the ends of a range; or those of a center, and its radius
    released: tuple[str, ...]
    outside: tuple[str, ...]  # the one column, or those of a place, in the outside table
    # if one has ages and the other years or dates of birth: the first and last year in which the ages can have applied
    years: tuple[int, int] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        ours, theirs = len(self.released), len(self.outside)
        if theirs == 0 or not ((theirs == 1 and ours <= 2) or ours == theirs + 1) or ours == 0:
            raise InvalidInput(
                f"{self.written()!r} is not a pair of columns; give RELEASED=OUTSIDE, for example age=birth_age; for "
                "the ends of ranges, xmin:xmax=x; for circles, center_x:center_y:radius=x:y."
            )

    @classmethod
    def read(cls, text: str) -> Match:
        """From text such as "age=birth_age"."""
        ours, equals, theirs = text.partition("=")
        return cls(_names(ours), _names(theirs) if equals else ())

    def written(self) -> str:
        """As a person writes it."""
        return f"{':'.join(self.released)}={':'.join(self.outside)}"

    @property
    def joined(self) -> str:
        """The columns that are joined, as a person reads them."""
        words = ":".join(self.released)
        if self.years is None:
            return words
        first, last = self.years[0] - 1, self.years[1] + 1
        return f"{words} (with {self.outside[0]}; ages are computed for every year from {first} to {last})"


def matches(
    released: Released,
    outside: pd.DataFrame,
    declared: Sequence[Match] = (),
    *,
    births: bool = False,
    year: int | None = None,
) -> tuple[Match, ...]:
    """The given matches, and shared columns of the same name except sensitive ones and counts.

    With `births`, ages are also matched with years and dates of birth, as of `year` if known: only for attacks, because
    a person then fits more than one age.

    >>> release = Released(pd.DataFrame({"age": ["≤ 39", "≥ 40"], "ill": ["flu", "cold"]}), ("age",), ("ill",))
    >>> matches(release, pd.DataFrame({"name": ["Ada"], "age": [36], "ill": ["flu"]}))
    (<Match: released age, outside age>,)
    """
    for match in declared:
        for name in match.released:
            require_known_name(list(released.frame.columns), name, "columns of the release")
        for name in match.outside:
            require_known_name(list(outside.columns), name, "columns of the outside table")
    result = list(declared)
    ours = {name for match in declared for name in match.released}
    theirs = {name for match in declared for name in match.outside}
    for match in _alike(released, list(outside.columns)):
        if not ours & set(match.released) and not theirs & set(match.outside):
            result.append(match)
    if births:
        result = _with_births(released, outside, result, year)
    if not result:
        listed = ", ".join(map(str, released.quasi_identifiers))
        raise InvalidInput(
            f"The outside table has no column of the release ({listed}); say which columns correspond, for example "
            "age=birth_age."
        )
    return tuple(result)


def present(released: Released) -> Released:
    """The same without rows that represent nobody."""
    there = released.weights > 0
    return released if there.all() else replace(released, frame=released.frame[there].reset_index(drop=True))


def fits_of(released: Released, outside: pd.DataFrame, match: Match, lacking: bool = False) -> Fits:
    """Which shown cells can represent what the outside table says or, if `lacking`, leaves out."""
    ours = [released.frame[name] for name in match.released]
    theirs = outside[list(match.outside)]
    if match.years is not None:
        return fits_of_births(ours[0], theirs.iloc[:, 0], match.years, lacking)
    if len(ours) == 1:
        return fits(ours[0], theirs.iloc[:, 0], released.meanings.get(match.released[0]), lacking)
    if len(ours) == 2 and theirs.shape[1] == 1 and not match.released[1].startswith(RADIUS):
        return range_fits(ours[0], ours[1], theirs.iloc[:, 0])
    measure = match.released[-1].removeprefix(RADIUS).removeprefix("_")
    return disc_fits(pd.concat(ours[:-1], axis=1), ours[-1], theirs, measure)


@dataclass(frozen=True, eq=False, repr=False)
class Candidates(Shown):
    """Which rows of a release can be whose."""

    classes: np.ndarray  # (rows,) int64: rows that show the same in the matched columns, by number
    kinds: np.ndarray  # (people,) int64: people about whom the same is known there, by number
    # for each match: (v, bytes) uint8, for each known value a bit for each class; and (kinds,) the value of each kind
    parts: tuple[tuple[np.ndarray, np.ndarray], ...]
    count: int  # number of classes

    @classmethod
    def of(cls, every: Sequence[Fits]) -> Candidates:
        """From what fits column by column.

        >>> ages = fits(pd.Series(["≤ 39", "≤ 39", "≥ 40"]), pd.Series([17, 40, 18]))
        >>> found = Candidates.of([ages])
        >>> [(block.start, mask.tolist()) for block, mask in found.blocks()]
        [(0, [[True, False], [False, True], [True, False]])]
        """
        class_codes, classes = _together([one.shown for one in every])
        kind_codes, kinds = _together([one.known for one in every])
        parts = [(_packed(one.table, class_codes[:, place]), kind_codes[:, place]) for place, one in enumerate(every)]
        return cls(classes, kinds, tuple(parts), len(class_codes))

    @property
    def people(self) -> np.ndarray:
        """(kinds,) int64: how many people each kind has."""
        return np.bincount(self.kinds)

    def blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        """Blocks of kinds, and (kinds, classes) bool: whether a row of the class can be theirs."""
        number = len(self.parts[0][1])
        step = max(1, BLOCK // max(self.count, 1))
        for start in range(0, number, step):
            block = slice(start, min(start + step, number))
            bits = None
            for packed, values in self.parts:
                unpacked = packed[values[block]]
                bits = unpacked if bits is None else bits & unpacked
            yield block, np.unpackbits(bits, axis=1, count=self.count).astype(bool)  # type: ignore[arg-type]


def _with_births(released: Released, outside: pd.DataFrame, matched: Sequence[Match], year: int | None) -> list[Match]:
    """These with their years, plus columns of ages and births that none of them has."""
    result = [_dated(released, outside, match, year) for match in matched]
    for match in _ages(released, list(outside.columns)):
        dated = _dated(released, outside, match, year)
        in_use = any(set(match.released) & set(one.released) or set(match.outside) & set(one.outside) for one in result)
        if dated.years is not None and not in_use:
            result.append(dated)
    return result


def _dated(released: Released, outside: pd.DataFrame, match: Match, year: int | None) -> Match:
    """The same with its years, if one has ages and the other births."""
    if len(match.released) > 1:
        return match
    return replace(match, years=year_of_ages(released.frame[match.released[0]], outside[match.outside[0]], year))


def _ages(released: Released, outside: Sequence[str]) -> Iterator[Match]:
    """Columns named after ages in one table and after births in the other."""
    columns = [*released.quasi_identifiers, *(name for name in released.kept if name not in released.sensitive)]
    for name in columns:
        for other in outside:
            if {called_after(name), called_after(other)} == {AGES, BIRTHS}:
                yield Match((name,), (other,))


def _alike(released: Released, outside: Sequence[str]) -> Iterator[Match]:
    columns = [*released.quasi_identifiers, *(name for name in released.kept if name not in released.sensitive)]
    available = set(outside)
    for name in columns:
        numbers_alone = name == "group" and released.counts is not None and name not in released.meanings
        if name in available and not numbers_alone:
            yield Match((name,), (name,))
    for name in outside:
        if {f"{name}min", f"{name}max"} <= set(columns):
            yield Match((f"{name}min", f"{name}max"), (name,))
    radius = next((name for name in columns if name == RADIUS or name.startswith(f"{RADIUS}_")), None)
    centers = [name for name in columns if name.startswith(CENTER)]
    places = tuple(name.removeprefix(CENTER) for name in centers)
    if radius and centers and set(places) <= available:
        yield Match((*centers, radius), places)


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(":") if part.strip())


def _together(columns: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows of some numeric columns, and the number of each."""
    numbers = joined(columns, len(columns[0]))
    first = np.unique(numbers, return_index=True)[1]
    return np.column_stack([column[first] for column in columns]), numbers


def _packed(table: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """(v, bytes) uint8: for each known value a bit for each class."""
    step = max(1, BLOCK // max(len(codes), 1))
    parts = [np.packbits(table[:, at : at + step][codes].T, axis=1) for at in range(0, table.shape[1], step)]
    return np.concatenate(parts) if parts else np.zeros((0, (len(codes) + 7) // 8), dtype=np.uint8)


# ---------------------------------------------------------------------------------------------------------------------
# Ages compared with years of birth, and the year in which the ages applied.
# ---------------------------------------------------------------------------------------------------------------------


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
    """Whether a column is named after ages or births; "" for neither or both.

    >>> called_after("birth_year"), called_after("Alter"), called_after("birth_age"), called_after("town")
    ('births', 'ages', '', '')
    """
    words = set(plain_name(name).split())
    kinds = [kind for kind, vocabulary in NAMES.items() if words & vocabulary]
    return kinds[0] if len(kinds) == 1 else ""


def year_of_ages(cell_column: pd.Series, value_column: pd.Series, year: int | None = None) -> tuple[int, int] | None:
    """The years in which the ages can have applied, if one column has ages and the other years or dates of birth.

    Without `year` these are the years that are at least a twentieth as likely as the most likely one, if each person on
    the list is one of the released records, all equally likely.

    The first and the last of these years; None if both columns are ages, or neither.

    Parameters
    ----------
    cell_column : (rows,) Series. As a release shows it: numbers, ranges, words.
    value_column : (people,) Series. Numbers, or dates of birth.
    year : The year, if known.

    >>> year_of_ages(pd.Series(["30–39", "≥ 40"]), pd.Series([1984, 1961]), 2020)
    (2020, 2020)
    >>> year_of_ages(pd.Series(["30–39", "≥ 40"]), pd.Series([34, 61]))
    """
    cells = _ends(cell_column) or _ends(_in_years(cell_column))
    ours = _kind(np.array([end for one in cells for end in (one.low, one.high) if np.isfinite(end)]))
    people = numbers_or_years(value_column).dropna().to_numpy(dtype=np.int64) if ours else np.array([])
    if {ours, _kind(people)} != {AGES, BIRTHS}:
        return None
    return _likely(cells, people) if year is None else (year, year)


def fits_of_births(cells: pd.Series, values: pd.Series, years: tuple[int, int], lacking: bool = False) -> Fits:
    """Which shown ages can be whose, by year of birth, or the other way round.

    A person born in b is y - b - 1 or y - b years old in the year y; the ages can be from the year before or after.

    >>> ages, born = pd.Series(["30–39", "≥ 40"]), pd.Series([1984, 1961, 1981])
    >>> fits_of_births(ages, born, (2020, 2020)).pairs().tolist()
    [[True, False], [False, True], [True, True]]
    """
    numbers, cells = numbers_or_years(values), _in_years(cells)
    every = [fits(cells, year - numbers, None, lacking) for year in range(years[0] - 1, years[1] + 2)]
    return Fits(every[0].shown, every[0].known, np.logical_or.reduce([one.table for one in every]))


def numbers_or_years(values: pd.Series) -> pd.Series:
    """Whole numbers as they are, or dates by their year; all missing if any value is neither.

    >>> numbers_or_years(pd.Series(["1984-05-17", "3/9/1961"])).tolist(), numbers_or_years(pd.Series(["Ada"])).tolist()
    ([1984, 1961], [<NA>])
    """
    numbers = (
        pd.to_numeric(values, errors="coerce") if values.dtype.kind not in "Mm" else pd.Series(pd.NA, values.index)
    )
    if numbers.isna().equals(values.isna()) and not (numbers.dropna() % 1).any():
        return numbers.astype("Int64")
    years = values.astype("string").str.extractall(f"({YEAR})")[0].unstack()  # a column for each year that a value has
    alone = years.reindex(values.index).notna().sum(axis=1)
    if years.empty or (alone[values.notna()] != 1).any():
        return pd.Series(pd.NA, values.index, dtype="Int64")
    return years[0].reindex(values.index).astype("Int64")


def _in_years(cells: pd.Series) -> pd.Series:
    """Dates by their year; all other cells as they are."""
    kinds = pd.Series(cells.astype(object).dropna().unique(), dtype=object)
    dates = kinds[[ends_in(value) is None for value in column_values(kinds)]].astype("string")
    dates = dates[dates.str.fullmatch(DATE) & dates.str.contains(YEAR)]
    if dates.empty:
        return cells
    years = dict(zip(kinds[dates.index], dates.str.extract(f"({YEAR})")[0].astype(int), strict=True))
    # `Series.replace` goes through the column once for each date
    return pd.Series([years.get(cell, cell) for cell in cells.astype(object)], cells.index, dtype=object)


def _kind(numbers: np.ndarray) -> str:
    if len(numbers) and ((numbers >= YEARS[0]) & (numbers <= YEARS[1])).all():
        return BIRTHS
    return AGES if len(numbers) and ((numbers >= 0) & (numbers <= OLDEST)).all() else ""


def _ends(column: pd.Series) -> list[Ends]:
    """For each row that shows numbers."""
    codes, cells = pd.factorize(column.astype(object), use_na_sentinel=False)
    read = [ends_in(value) for value in column_values(pd.Series(cells, dtype=object))]
    return [one for code in codes.tolist() if (one := read[code]) is not None]


def _likely(cells: list[Ends], people: np.ndarray) -> tuple[int, int]:
    """The years that are likely: in the year y a person of the number x can be whoever shows y - x."""
    last = int(max(end for one in cells for end in (one.low, one.high) if np.isfinite(end))) + OPEN
    share = np.zeros(last + 1)  # of the records, at each number
    for one, count in Counter(cells).items():
        low = max(one.low, one.high - OPEN, 0) if np.isfinite(one.high) else one.low
        high = min(one.high, low + OPEN) if np.isfinite(one.low) else one.high
        share[int(np.ceil(low)) : int(high) + 1] += count / len(cells) / (high - low + 1)
    logs = np.log((1 - STRANGERS) * share + STRANGERS / len(share))
    values, counts = np.unique(people, return_counts=True)
    years = np.arange(YEARS[0], YEARS[1] + 1)
    at = years[:, None] - values
    inside = (at >= 0) & (at <= last)
    likely = (np.where(inside, logs[np.clip(at, 0, last)], logs.min()) * counts).sum(axis=1)
    near = years[likely >= likely.max() + np.log(LIKELY)]
    return int(near[0]), int(near[-1])
